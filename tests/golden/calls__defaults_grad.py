"""The grad of `defaults` in primals/calls.py, as printed."""

import numpy as np


def defaults_grad(x):
    # Forward sweep
    sin_x = np.sin(x)
    # Reverse sweep
    sin_two_plus_x_bar = sin_x * 2.0
    x_bar = (
        (sin_x * 2.0 + x) * 2.0 * np.cos(x)
        + sin_two_plus_x_bar
        + sin_two_plus_x_bar * 2.0 * np.cos(x)
    )
    return x_bar
