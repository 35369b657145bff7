"""The grad of `masks` in primals/stores.py, as printed."""

import numpy as np


def masks_grad(x):
    # Forward sweep
    y = x * x
    v = x < 0
    y[v] = 0.0
    v_1 = x > 1.0
    v_2 = y[v_1]
    # Reverse sweep
    y_bar = np.ones_like(y)
    y_bar[v_1] += 1.0
    y_bar[v] = 0.0
    x_bar = 2.0 * y_bar * x
    return x_bar
