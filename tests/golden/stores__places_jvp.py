"""The jvp of `places` in primals/stores.py, as printed."""

import numpy as np


def places_jvp(x, x_dot):
    i = np.array([0, 2, 2])
    v_1 = x[i]
    v_2 = x[i]
    return np.sum(v_1 * v_2), np.sum(x_dot[i] * v_2 + v_1 * x_dot[i])
