"""The jvp of `nested` in primals/calls.py, as printed."""

import numpy as np


def inner_jvp(z, y, z_dot, y_dot):
    return z * y, z_dot * y + z * y_dot


def nested_jvp(x, y, x_dot, y_dot):
    inner_sin, inner_sin_dot = inner_jvp(np.sin(x), y, np.cos(x) * x_dot, y_dot)
    inner_x, inner_x_dot = inner_jvp(x, y, x_dot, y_dot)
    return inner_sin + inner_x, inner_sin_dot + inner_x_dot
