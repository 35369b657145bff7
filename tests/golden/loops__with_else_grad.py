"""The grad of `with_else` in primals/loops.py, as printed."""

import numpy as np


def with_else_grad(xs, w):
    # Forward sweep
    s = 1.0
    exhausted = False
    trips = 0
    for x in xs:
        if s * x > 3.0:
            break
        s += w * x
        trips += 1
    else:
        exhausted = True
    if exhausted:
        s_1 = s
    # Reverse sweep
    s_bar = 1.0
    w_bar = 0.0
    if exhausted:
        s_bar = w
        w_bar = s_1
    xs_bar = np.zeros_like(xs)
    for k in range(trips - 1, -1, -1):
        x = xs[k]
        w_bar += s_bar * x
        x_bar = s_bar * w
        xs_bar[k] += x_bar
    return xs_bar, w_bar
