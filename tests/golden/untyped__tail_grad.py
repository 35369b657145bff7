"""The grad of `tail` in primals/untyped.py, as printed."""

import numpy as np
from tapeless.runtime import zeros


def tail_grad(x):
    # Forward sweep
    y = np.zeros(len(x))
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = 0.9 * y[i - 1] + x[i]
    # Reverse sweep
    y_bar = np.zeros_like(y)
    y_bar[-1] += 1.0
    x_bar = zeros(x)
    for i in reversed(range(1, len(x))):
        y_scaled_plus_x_bar = y_bar[i]
        y_bar[i] = 0.0
        x_bar[i] += y_scaled_plus_x_bar
        y_bar[i - 1] += y_scaled_plus_x_bar * 0.9
    x_bar[0] += y_bar[0]
    return x_bar
