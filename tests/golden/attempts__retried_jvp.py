"""The jvp of `retried` in primals/attempts.py, as printed."""

import numpy as np


def domain_jvp(x, x_dot):
    if x < 0.0:
        raise ValueError("negative")
    sqrt_x = np.sqrt(x)
    return sqrt_x, x_dot * 0.5 / sqrt_x


def retried_jvp(x, x_dot):
    shift = 0.0
    for _ in range(5):
        try:
            y, y_dot = domain_jvp(shift - x, -x_dot)
            break
        except ValueError:
            shift = shift + 1.0
    return y * x, y_dot * x + y * x_dot
