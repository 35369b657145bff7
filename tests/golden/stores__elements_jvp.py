"""The jvp of `elements` in primals/stores.py, as printed."""

import numpy as np


def elements_jvp(x, x_dot):
    y_dot = np.zeros(4)
    y = np.zeros(4)
    for i in range(3):
        y_i = y[i]
        x_i = x[i]
        y_dot[i + 1] = y_dot[i] * x_i + y_i * x_dot[i] + x_dot[i + 1]
        y[i + 1] = y_i * x_i + x[i + 1]
    return y[3], y_dot[3]
