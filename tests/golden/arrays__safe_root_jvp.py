"""The jvp of `safe_root` in primals/arrays.py, as printed."""

import numpy as np


def safe_root_jvp(x, x_dot):
    x_above_zero = x > 0
    sqrt_x = np.sqrt(x)
    return (
        np.sum(np.where(x_above_zero, sqrt_x, 0.0)),
        np.sum(np.where(x_above_zero, x_dot * 0.5 / sqrt_x, 0.0)),
    )
