"""The jvp of `f` in primals/straight_line.py, as printed."""

import numpy as np


def f_jvp(x, y, x_dot, y_dot):
    v = np.sin(x)
    a_dot = np.cos(x) * x_dot * y + v * y_dot
    a = v * y
    v_1 = -a
    v_3 = np.exp(v_1 * a)
    v_4 = 1.0 + y
    b = v_3 / v_4
    v_5 = np.sqrt(b)
    return a + v_5, a_dot + (v_3 * (-a_dot * a + v_1 * a_dot) / v_4 - y_dot * b / v_4) * 0.5 / v_5
