"""The jvp of `f` in primals/branches.py, as printed."""

import numpy as np


def f_jvp(x, y, x_dot, y_dot):
    if x > y:
        z_dot = x_dot * y + x * y_dot
        z = x * y
    elif x > 0:
        z_dot = np.cos(x) * x_dot
        z = np.sin(x)
    else:
        z_dot = y_dot
        z = y
    return z * y, z_dot * y + z * y_dot
