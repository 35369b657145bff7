"""The jvp of `over_range` in primals/loops.py, as printed."""

import numpy as np


def over_range_jvp(x, n, x_dot):
    s_dot = 0.0
    s = 0.0
    for i in range(n):
        i_x = i * x
        s_dot = s_dot + np.cos(i_x) * (i * x_dot)
        s += np.sin(i_x)
    return s, s_dot
