"""The jvp of `defaults` in primals/calls.py, as printed."""

import numpy as np


def scaled_jvp(x, factor, shift, x_dot, shift_dot):
    return np.sin(x) * factor + shift, np.cos(x) * x_dot * factor + shift_dot


def scaled_jvp_1(x, factor, shift, x_dot):
    return np.sin(x) * factor + shift, np.cos(x) * x_dot * factor


def defaults_jvp(x, x_dot):
    scaled_x, scaled_x_dot = scaled_jvp(x, 2.0, x, x_dot, x_dot)
    scaled_x_1, scaled_x_1_dot = scaled_jvp_1(x, 2.0, 0.0, x_dot)
    return scaled_x * scaled_x_1, scaled_x_dot * scaled_x_1 + scaled_x * scaled_x_1_dot
