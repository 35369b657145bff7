"""The grad of `masks` in primals/stores.py, as printed."""

import numpy as np


def masks_grad(x):
    # Forward sweep
    y = x * x
    x_below_zero = x < 0
    y[x_below_zero] = 0.0
    x_above_one = x > 1.0
    y_x_above_one = y[x_above_one]
    # Reverse sweep
    y_bar = np.ones_like(y)
    y_bar[x_above_one] += 1.0
    y_bar[x_below_zero] = 0.0
    x_bar = 2.0 * y_bar * x
    return x_bar
