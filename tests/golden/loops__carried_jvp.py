"""The jvp of `carried` in primals/loops.py, as printed."""

import numpy as np


def carried_jvp(x, n, x_dot):
    h_dot = x_dot
    h = x
    for _ in range(n):
        h_x_dot = h_dot * x + h * x_dot
        h = np.tanh(h * x)
        h_dot = (1.0 - h**2) * h_x_dot
    return h, h_dot
