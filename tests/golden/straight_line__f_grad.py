"""The grad of `f` in primals/straight_line.py, as printed."""

import numpy as np


def f_grad(x, y):
    # Forward sweep
    sin_x = np.sin(x)
    a = sin_x * y
    minus_a = -a
    exp_minus_a_a = np.exp(minus_a * a)
    one_plus_y = 1.0 + y
    b = exp_minus_a_a / one_plus_y
    # Reverse sweep
    b_bar = 0.5 / np.sqrt(b)
    exp_minus_a_a_bar = b_bar / one_plus_y
    minus_a_a_bar = exp_minus_a_a_bar * exp_minus_a_a
    a_bar = 1.0 + minus_a_a_bar * minus_a - minus_a_a_bar * a
    y_bar = -exp_minus_a_a_bar * b + a_bar * sin_x
    x_bar = a_bar * y * np.cos(x)
    return x_bar, y_bar
