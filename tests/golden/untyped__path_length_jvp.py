"""The jvp of `path_length` in primals/untyped.py, as printed."""

import numpy as np
from tapeless.runtime import as_gradient, as_in_place, private_tangent


def path_length_jvp(points, points_dot):
    points_dot = private_tangent(points_dot, points)
    total_dot = 0.0
    total = 0.0
    for i in range(1, points.shape[0]):
        dx_dot = points_dot[i, 0] - points_dot[i - 1, 0]
        dx = points[i, 0] - points[i - 1, 0]
        dy_dot = points_dot[i, 1] - points_dot[i - 1, 1]
        dy = points[i, 1] - points[i - 1, 1]
        sqrt_dx_dy = np.sqrt(dx * dx + dy * dy)
        total_dot = +(
            total_dot + (dx_dot * dx + dx * dx_dot + (dy_dot * dy + dy * dy_dot)) * 0.5 / sqrt_dx_dy
        )
        total = as_in_place(total, total + sqrt_dx_dy)
    return total, as_gradient(total_dot, total)
