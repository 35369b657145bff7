"""The jvp of `tail` in primals/untyped.py, as printed."""

import numpy as np
from tapeless.runtime import private_tangent


def tail_jvp(x, x_dot):
    x_dot = private_tangent(x_dot, x)
    y_dot = np.zeros(len(x))
    y = np.zeros(len(x))
    x_0 = x[0]
    y_dot[0] = x_dot[0]
    y[0] = x_0
    for i in range(1, len(x)):
        y_scaled_plus_x = 0.9 * y[i - 1] + x[i]
        y_dot[i] = 0.9 * y_dot[i - 1] + x_dot[i]
        y[i] = y_scaled_plus_x
    return y[-1], y_dot[-1]
