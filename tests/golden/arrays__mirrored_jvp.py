"""The jvp of `mirrored` in primals/arrays.py, as printed."""

import numpy as np


def mirrored_jvp(x, weights, x_dot, weights_dot):
    exp_minus_abs = np.exp(-np.abs(x))
    tail_dot = 0.5 * (exp_minus_abs * -(np.sign(x) * x_dot))
    tail = 0.5 * exp_minus_abs
    x_from_zero = x >= 0.0
    where_x_tail = np.where(x_from_zero, 1.0 - tail, tail)
    return (
        weights @ where_x_tail,
        weights_dot @ where_x_tail + weights @ np.where(x_from_zero, -tail_dot, tail_dot),
    )
