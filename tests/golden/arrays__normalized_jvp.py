"""The jvp of `normalized` in primals/arrays.py, as printed."""

import numpy as np


def normalized_jvp(x, x_dot):
    z_dot = x_dot - np.mean(x_dot, axis=0)
    z = x - np.mean(x, axis=0)
    z_squared = z * z
    return np.sum(z_squared * x), np.sum((z_dot * z + z * z_dot) * x + z_squared * x_dot)
