"""The jvp of `stored_by_a_callee` in primals/halves.py, as printed."""

import numpy as np


def relaxed_jvp(x, rate, x_dot, rate_dot):
    y_dot = np.zeros(len(x))
    y = np.zeros(len(x))
    for k in range(1, len(x)):
        y_item = y[k - 1]
        x_k = x[k]
        y_dot[k] = np.cos(y_item) * y_dot[k - 1] + (rate_dot * x_k + rate * x_dot[k])
        y[k] = np.sin(y_item) + rate * x_k
        if y[k] > 10.0:
            break
    else:
        return y, y_dot
    return y, y_dot


def stored_by_a_callee_jvp(x, rate, x_dot, rate_dot):
    relaxed_x, relaxed_x_dot = relaxed_jvp(x, rate, x_dot, rate_dot)
    relaxed_x_squared, relaxed_x_squared_dot = relaxed_jvp(
        x * x, 2.0 * rate, x_dot * x + x * x_dot, 2.0 * rate_dot
    )
    return (
        np.sum(relaxed_x * relaxed_x_squared),
        np.sum(relaxed_x_dot * relaxed_x_squared + relaxed_x * relaxed_x_squared_dot),
    )
