"""The grad of `f` in primals/branches.py, as printed."""

import numpy as np


def f_grad(x, y):
    # Forward sweep
    if x > y:
        z = x * y
    elif x > 0:
        z = np.sin(x)
    else:
        z = y
    # Reverse sweep
    y_bar = z
    if x > y:
        x_bar = y * y
        y_bar += y * x
    elif x > 0:
        x_bar = y * np.cos(x)
    else:
        y_bar += y
        x_bar = 0.0
    return x_bar, y_bar
