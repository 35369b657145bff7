"""The jvp of `plain` in primals/calls.py, as printed."""

import numpy as np


def plain_jvp(x, y, x_dot, y_dot):
    sin_x = np.sin(x)
    sin_y_plus_zero = sin_x * y + 0.0
    return (
        sin_y_plus_zero * y,
        (np.cos(x) * x_dot * y + sin_x * y_dot) * y + sin_y_plus_zero * y_dot,
    )
