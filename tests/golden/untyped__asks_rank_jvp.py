"""The jvp of `asks_rank` in primals/untyped.py, as printed."""

import numpy as np
from tapeless.runtime import as_gradient, private_tangent


def asks_rank_jvp(x, x_dot):
    x_dot = private_tangent(x_dot, x)
    if np.ndim(x) == 0:
        x_squared = x * x
        return x_squared, as_gradient(x_dot * x + x * x_dot, x_squared)
    sum_x_squared = np.sum(x * x)
    return sum_x_squared, as_gradient(np.sum(x_dot * x + x * x_dot), sum_x_squared)
