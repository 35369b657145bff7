"""The grad of `first_scaled` in primals/ranks.py, as printed."""

import numpy as np


def first_scaled_fwd(x):
    v = None
    trips = 0
    for v in x:
        trips += 1
        break
    else:
        return 0.0, (0, 0, v, None)
    x_1 = x[1]
    return v * x_1, (1, trips, v, x_1)


def first_scaled_rev(saved, y_bar, x_bar):
    at, trips, v, x_1 = saved
    if at != 0:
        v_bar = y_bar * x_1
        x_bar[1] += y_bar * v
        for k in range(trips - 1, -1, -1):
            x_bar[k] += v_bar
            v_bar = 0.0


def first_scaled_grad(x):
    y, saved = first_scaled_fwd(x)
    x_bar = np.zeros_like(x)
    first_scaled_rev(saved, 1.0, x_bar)
    return x_bar
