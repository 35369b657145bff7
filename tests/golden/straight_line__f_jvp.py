"""The jvp of `f` in primals/straight_line.py, as printed."""

import numpy as np


def f_jvp(x, y, x_dot, y_dot):
    sin_x = np.sin(x)
    a_dot = np.cos(x) * x_dot * y + sin_x * y_dot
    a = sin_x * y
    minus_a = -a
    exp_minus_a_a = np.exp(minus_a * a)
    one_plus_y = 1.0 + y
    b = exp_minus_a_a / one_plus_y
    sqrt_b = np.sqrt(b)
    return (
        a + sqrt_b,
        a_dot
        + (exp_minus_a_a * (-a_dot * a + minus_a * a_dot) / one_plus_y - y_dot * b / one_plus_y)
        * 0.5
        / sqrt_b,
    )
