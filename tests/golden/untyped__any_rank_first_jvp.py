"""The jvp of `any_rank_first` in primals/untyped.py, as printed."""

import numpy as np
from tapeless.runtime import as_gradient, as_in_place, private_tangent


def any_rank_first_jvp(w, x, n, w_dot, x_dot):
    w_dot = private_tangent(w_dot, w)
    x_dot = private_tangent(x_dot, x)
    total_dot = np.sum(w_dot * w + w * w_dot)
    total = np.sum(w * w)
    for i in range(n):
        x_i = x[i]
        sum_w = np.sum(w)
        total_dot = +(total_dot + (x_dot[i] * sum_w + x_i * np.sum(w_dot)))
        total = as_in_place(total, total + x_i * sum_w)
    return total, as_gradient(total_dot, total)
