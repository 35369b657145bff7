"""The jvp of `defaults` in primals/calls.py, as printed."""

import numpy as np


def defaults_jvp(x, x_dot):
    sin_x = np.sin(x)
    sin_two_plus_x = sin_x * 2.0 + x
    sin_two_plus_zero = sin_x * 2.0 + 0.0
    return (
        sin_two_plus_x * sin_two_plus_zero,
        (np.cos(x) * x_dot * 2.0 + x_dot) * sin_two_plus_zero
        + sin_two_plus_x * (np.cos(x) * x_dot * 2.0),
    )
