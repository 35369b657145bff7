"""The jvp of `nested` in primals/calls.py, as printed."""

import numpy as np


def nested_jvp(x, y, x_dot, y_dot):
    z_1 = np.sin(x)
    return z_1 * y + x * y, np.cos(x) * x_dot * y + z_1 * y_dot + (x_dot * y + x * y_dot)
