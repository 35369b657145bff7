"""The jvp of `f` in primals/effects.py, as printed."""

import numpy as np


def f_jvp(x, y, x_dot, y_dot):
    assert y > 0, "y must be positive"
    with np.errstate(divide="ignore"):
        log_y = np.log(y)
        z_dot = y_dot / y * x + log_y * x_dot
        z = log_y * x
    print("z =", z)
    return z * z, z_dot * z + z * z_dot
