"""The grad of `over_array` in primals/loops.py, as printed."""

import numpy as np


def over_array_grad(xs, w):
    # Forward sweep
    saved = []
    s = 0.0
    for x in xs:
        saved.append(s)
        s = s * w + x * x
    # Reverse sweep
    s_bar = 1.0
    w_bar = 0.0
    xs_bar = np.zeros_like(xs)
    for k, s in zip(range(len(xs) - 1, -1, -1), reversed(saved)):
        x = xs[k]
        s_w_bar = s_bar
        x_bar = 2.0 * s_bar * x
        s_bar *= w
        w_bar += s_w_bar * s
        xs_bar[k] += x_bar
    return xs_bar, w_bar
