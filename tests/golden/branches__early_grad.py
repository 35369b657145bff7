"""The grad of `early` in primals/branches.py, as printed."""

import numpy as np


def early_grad(x, y):
    # Forward sweep
    if x > y:
        # Reverse sweep of this return
        x_bar = 2.0 * x
        return x_bar, 0.0
    z = x * y
    # Reverse sweep
    if z > 10.0:
        y_bar = 1.0
        z_bar = 0.0
    else:
        z_bar = -np.sin(z)
        y_bar = 0.0
    x_bar = z_bar * y
    y_bar += z_bar * x
    return x_bar, y_bar
