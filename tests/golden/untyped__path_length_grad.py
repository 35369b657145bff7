"""The grad of `path_length` in primals/untyped.py, as printed."""

import numpy as np
from tapeless.runtime import zeros


def path_length_grad(points):
    # Forward sweep
    saved = []
    for i in range(1, points.shape[0]):
        dx = points[i, 0] - points[i - 1, 0]
        dy = points[i, 1] - points[i - 1, 1]
        saved.append((dx, dy, np.sqrt(dx * dx + dy * dy)))
    # Reverse sweep
    points_bar = zeros(points)
    for i in reversed(range(1, points.shape[0])):
        dx, dy, sqrt_dx_dy = saved.pop()
        dx_dy_sum_bar = 0.5 / sqrt_dx_dy
        dy_bar = 2.0 * dx_dy_sum_bar * dy
        dx_bar = 2.0 * dx_dy_sum_bar * dx
        points_bar[i - 1, 1] -= dy_bar
        points_bar[i, 1] += dy_bar
        points_bar[i - 1, 0] -= dx_bar
        points_bar[i, 0] += dx_bar
    return points_bar
