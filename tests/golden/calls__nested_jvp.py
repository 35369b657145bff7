"""The jvp of `nested` in primals/calls.py, as printed."""

import numpy as np


def inner_jvp(z, y, z_dot, y_dot):
    return z * y, z_dot * y + z * y_dot


def nested_jvp(x, y, x_dot, y_dot):
    v_1, v_1_dot = inner_jvp(np.sin(x), y, np.cos(x) * x_dot, y_dot)
    v_2, v_2_dot = inner_jvp(x, y, x_dot, y_dot)
    return v_1 + v_2, v_1_dot + v_2_dot
