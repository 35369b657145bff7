"""The grad of `over_list` in primals/loops.py, as printed."""

from tapeless.runtime import unbroadcast
from tapeless.runtime import zeros


def over_list_grad(xs, w):
    # Forward sweep
    saved = []
    s = 0.0
    for x in xs:
        v = w * x
        v_1 = v * x
        saved.append((s, v, v_1))
        s = s + v_1
    # Reverse sweep
    s_bar = 1.0
    w_bar = 0.0
    xs_bar = zeros(xs)
    for k in range(len(xs) - 1, -1, -1):
        x = xs[k]
        s, v, v_1 = saved.pop()
        v_2_bar = s_bar
        s_bar = unbroadcast(s_bar, s)
        v_1_bar = unbroadcast(v_2_bar, v_1)
        v_bar = unbroadcast(v_1_bar * x, v)
        w_bar += unbroadcast(v_bar * x, w)
        x_bar = unbroadcast(v_1_bar * v, x) + unbroadcast(v_bar * w, x)
        xs_bar[k] += x_bar
    return xs_bar, w_bar
