"""The jvp of `plain` in primals/calls.py, as printed."""

import numpy as np


def scaled_jvp(x, factor, shift, x_dot, factor_dot):
    v = np.sin(x)
    return v * factor + shift, np.cos(x) * x_dot * factor + v * factor_dot


def plain_jvp(x, y, x_dot, y_dot):
    v, v_dot = scaled_jvp(x, y, 0.0, x_dot, y_dot)
    return v * y, v_dot * y + v * y_dot
