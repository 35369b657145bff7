"""The jvp of `for_a_test` in primals/halves.py, as printed."""

import numpy as np


def for_a_test_jvp(x, x_dot):
    y_dot = x_dot
    y = x
    while True:
        old_dot = y_dot
        old = y
        x_over_y = x / y
        y_dot = 0.5 * (y_dot + (x_dot / y - y_dot * x_over_y / y))
        y = 0.5 * (y + x_over_y)
        largest_dot = 0.0
        largest = 0.0
        for (a, b), (a_dot, b_dot) in zip(zip(old, y), zip(old_dot, y_dot)):
            a_minus_b = a - b
            abs_a_minus_b = abs(a_minus_b)
            max_largest_abs = max(largest, abs_a_minus_b)
            largest_dot = (largest_dot, np.sign(a_minus_b) * (a_dot - b_dot))[
                (largest, abs_a_minus_b).index(max_largest_abs)
            ]
            largest = max_largest_abs
        if largest < 0.1:
            break
    return np.sum(y), np.sum(y_dot)
