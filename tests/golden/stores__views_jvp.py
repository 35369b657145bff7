"""The jvp of `views` in primals/stores.py, as printed."""

import numpy as np


def views_jvp(a, a_dot):
    b_dot = a_dot * 2.0
    b = a * 2.0
    row_dot = b_dot[0]
    row = b[0]
    b_1 = b[1]
    row_dot[...] = row_dot * b_1 + row * b_dot[1]
    row *= b_1
    return np.sum(b), np.sum(b_dot)
