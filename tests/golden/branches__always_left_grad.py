"""The grad of `always_left` in primals/branches.py, as printed."""

import numpy as np


def always_left_fwd(x):
    saved = []
    trips = 0
    for v in x:
        trips += 1
        x_1 = x[1]
        saved.append(x_1)
        return v * x_1, (False, saved, trips, x, None)
    x_old = x[1]
    x[1] = x[0]
    return None, (True, saved, 0, x, x_old)


def always_left_rev(saved, y_bar, x_bar):
    exhausted, saved_1, trips, x, x_old = saved
    if exhausted:
        x_0_bar = x_bar[1]
        x_bar[1] = 0.0
        x[1] = x_old
        x_bar[0] += x_0_bar
    for k, x_1 in zip(range(trips - 1, -1, -1), reversed(saved_1)):
        v = x[k]
        v_bar = y_bar * x_1
        x_bar[1] += y_bar * v
        x_bar[k] += v_bar


def always_left_grad(x):
    y, saved = always_left_fwd(x)
    x_bar = np.zeros_like(x)
    always_left_rev(saved, 1.0, x_bar)
    return x_bar
