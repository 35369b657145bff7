"""The grad of `f` in primals/effects.py, as printed."""

import numpy as np


def f_grad(x, y):
    # Forward sweep
    assert y > 0, "y must be positive"
    with np.errstate(divide="ignore"):
        log_y = np.log(y)
        z = log_y * x
    print("z =", z)
    # Reverse sweep
    z_bar = 2.0 * z
    with np.errstate(divide="ignore"):
        x_bar = z_bar * log_y
        y_bar = z_bar * x / y
    return x_bar, y_bar
