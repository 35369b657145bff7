"""The jvp of `over_grid` in primals/iterators.py, as printed."""

import numpy as np


def over_grid_jvp(a, a_dot):
    s_dot = 0.0
    s = 0.0
    for i, j in np.ndindex(a.shape):
        v_2 = a[i, j]
        v_4 = i + 1
        s_dot += a_dot[i, j] * (2.0 * v_2) * v_4
        s += v_2**2 * v_4
    return s, s_dot
