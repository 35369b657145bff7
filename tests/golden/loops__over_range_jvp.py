"""The jvp of `over_range` in primals/loops.py, as printed."""

import numpy as np


def over_range_jvp(x, n, x_dot):
    s_dot = 0.0
    s = 0.0
    for i in range(n):
        v = i * x
        s_dot = s_dot + np.cos(v) * (i * x_dot)
        s = s + np.sin(v)
    return s, s_dot
