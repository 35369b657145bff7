"""The jvp of `smoothed` in primals/numbers.py, as printed."""

import numpy as np


def smoothed_jvp(x, weight, x_dot, weight_dot):
    y_dot = np.zeros(len(x))
    y = np.zeros(len(x))
    for i in range(1, len(x)):
        y_item = y[i - 1]
        x_i = x[i]
        y_dot[i] = weight_dot * y_item + weight * y_dot[i - 1] + np.cos(x_i) * x_dot[i]
        y[i] = weight * y_item + np.sin(x_i)
    return np.sum(np.sin(y)), np.sum(np.cos(y) * y_dot)
