"""The jvp of `elements` in primals/stores.py, as printed."""

import numpy as np


def elements_jvp(x, x_dot):
    y_dot = np.zeros(4)
    y = np.zeros(4)
    for i in range(3):
        v = y[i]
        v_1 = x[i]
        y_dot[i + 1] = y_dot[i] * v_1 + v * x_dot[i] + x_dot[i + 1]
        y[i + 1] = v * v_1 + x[i + 1]
    return y[3], y_dot[3]
