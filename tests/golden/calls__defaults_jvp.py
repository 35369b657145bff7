"""The jvp of `defaults` in primals/calls.py, as printed."""

import numpy as np


def defaults_jvp(x, x_dot):
<<<<<<< HEAD
    scaled_x, scaled_x_dot = scaled_jvp(x, 2.0, x, x_dot, x_dot)
    scaled_x_1, scaled_x_1_dot = scaled_jvp_1(x, 2.0, 0.0, x_dot)
    return scaled_x * scaled_x_1, scaled_x_dot * scaled_x_1 + scaled_x * scaled_x_1_dot
=======
    v_5 = np.sin(x) * 2.0 + x
    v_8 = np.sin(x) * 2.0 + 0.0
    return v_5 * v_8, (np.cos(x) * x_dot * 2.0 + x_dot) * v_8 + v_5 * (np.cos(x) * x_dot * 2.0)
>>>>>>> 5f06731 (Write small functions of the user's in the place of their calls)
