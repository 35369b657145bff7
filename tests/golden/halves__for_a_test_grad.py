"""The grad of `for_a_test` in primals/halves.py, as printed."""

import numpy as np


def for_a_test_grad(x):
    # Forward sweep
    saved = []
    y = x
    while True:
        old = y
        x_over_y = x / y
        saved.append((y, x_over_y))
        y = 0.5 * (y + x_over_y)
        largest = 0.0
        for a, b in zip(old, y):
            largest = max(largest, abs(a - b))
        if largest < 0.1:
            break
    # Reverse sweep
    y_bar = np.ones_like(y)
    x_bar = np.zeros_like(x)
    for y, x_over_y in reversed(saved):
        y_x_sum_bar = y_bar * 0.5
        x_bar += y_x_sum_bar / y
        y_bar = y_x_sum_bar - y_x_sum_bar * x_over_y / y
    x_bar += y_bar
    return x_bar
