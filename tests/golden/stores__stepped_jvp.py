"""The jvp of `stepped` in primals/stores.py, as printed."""

import numpy as np


def stepped_jvp(start, rate, steps, start_dot, rate_dot):
    u_dot = +start_dot
    u = start.copy()
    for _ in range(steps):
        new_dot = +u_dot
        new = u.copy()
        for i in range(1, len(u) - 1):
            u_sum = u[i + 1] - 2.0 * u[i] + u[i - 1]
            new_dot[i] = u_dot[i] + (
                rate_dot * u_sum + rate * (u_dot[i + 1] - 2.0 * u_dot[i] + u_dot[i - 1])
            )
            new[i] = u[i] + rate * u_sum
        new_dot[0] = new_dot[1]
        new[0] = new[1]
        u_dot = new_dot
        u = new
    return np.sum(u * u), np.sum(u_dot * u + u * u_dot)
