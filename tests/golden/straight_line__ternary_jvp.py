"""The jvp of `ternary` in primals/straight_line.py, as printed."""

import numpy as np


def ternary_jvp(x, y, x_dot, y_dot):
    if x > y:
        value_dot = y_dot / y
        value = np.log(y)
    else:
        x_y = x * y
        value_dot = (x_dot * y + x * y_dot) * y + x_y * y_dot
        value = x_y * y
    return value, value_dot
