"""The grad of `f` in primals/straight_line.py, as printed."""

import numpy as np


def f_grad(x, y):
    # Forward sweep
    v = np.sin(x)
    a = v * y
    v_1 = -a
    v_3 = np.exp(v_1 * a)
    v_4 = 1.0 + y
    b = v_3 / v_4
    # Reverse sweep
    b_bar = 0.5 / np.sqrt(b)
    v_2_bar = b_bar / v_4 * v_3
    a_bar = 1.0 + v_2_bar * v_1 - v_2_bar * a
    y_bar = -b_bar * b / v_4 + a_bar * v
    x_bar = a_bar * y * np.cos(x)
    return x_bar, y_bar
