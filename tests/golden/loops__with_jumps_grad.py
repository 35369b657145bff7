"""The grad of `with_jumps` in primals/loops.py, as printed."""

import numpy as np


def with_jumps_grad(xs, w):
    # Forward sweep
    ends = []
    saved = []
    s = 1.0
    trips = 0
    for x in xs:
        trips += 1
        if x < 0:
            ends.append(1)
            continue
        if s > 3.0:
            ends.append(2)
            break
        saved.append(s)
        s = s + w * x * s
        ends.append(0)
    # Reverse sweep
    s_bar = 1.0
    w_bar = 0.0
    xs_bar = np.zeros_like(xs)
    for k in range(trips - 1, -1, -1):
        end = ends.pop()
        x = xs[k]
        if end not in (1, 2):
            s = saved.pop()
            w_x_bar = s_bar * s
            s_bar += s_bar * (w * x)
            w_bar += w_x_bar * x
            x_bar = w_x_bar * w
            xs_bar[k] += x_bar
    return xs_bar, w_bar
