"""The jvp of `over_grid` in primals/iterators.py, as printed."""

import numpy as np


def over_grid_jvp(a, a_dot):
    s_dot = 0.0
    s = 0.0
    for i, j in np.ndindex(a.shape):
        a_i_j = a[i, j]
        i_plus_one = i + 1
        s_dot += a_dot[i, j] * (2.0 * a_i_j) * i_plus_one
        s += a_i_j**2 * i_plus_one
    return s, s_dot
