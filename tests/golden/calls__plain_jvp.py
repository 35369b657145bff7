"""The jvp of `plain` in primals/calls.py, as printed."""

import numpy as np


<<<<<<< HEAD
def scaled_jvp(x, factor, shift, x_dot, factor_dot):
    sin_x = np.sin(x)
    return sin_x * factor + shift, np.cos(x) * x_dot * factor + sin_x * factor_dot


def plain_jvp(x, y, x_dot, y_dot):
    scaled_x, scaled_x_dot = scaled_jvp(x, y, 0.0, x_dot, y_dot)
    return scaled_x * y, scaled_x_dot * y + scaled_x * y_dot
=======
def plain_jvp(x, y, x_dot, y_dot):
    v_2 = np.sin(x)
    v_4 = v_2 * y + 0.0
    return v_4 * y, (np.cos(x) * x_dot * y + v_2 * y_dot) * y + v_4 * y_dot
>>>>>>> 5f06731 (Write small functions of the user's in the place of their calls)
