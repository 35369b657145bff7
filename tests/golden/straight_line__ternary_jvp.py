"""The jvp of `ternary` in primals/straight_line.py, as printed."""

import numpy as np


def ternary_jvp(x, y, x_dot, y_dot):
    if x > y:
        v_dot = y_dot / y
        v = np.log(y)
    else:
        v_1 = x * y
        v_dot = (x_dot * y + x * y_dot) * y + v_1 * y_dot
        v = v_1 * y
    return v, v_dot
