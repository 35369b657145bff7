"""The jvp of `places` in primals/stores.py, as printed."""

import numpy as np


def places_jvp(x, x_dot):
    i = np.array([0, 2, 2])
    x_i = x[i]
    x_i_1 = x[i]
    return np.sum(x_i * x_i_1), np.sum(x_dot[i] * x_i_1 + x_i * x_dot[i])
