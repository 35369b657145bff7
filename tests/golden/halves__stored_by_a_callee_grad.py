"""The grad of `stored_by_a_callee` in primals/halves.py, as printed."""

import numpy as np


def relaxed_fwd(x, rate):
    saved = []
    y = np.zeros(len(x))
    exhausted = False
    trips = 0
    for k in range(1, len(x)):
        trips += 1
        y_item = y[k - 1]
        saved.append(y_item)
        y[k] = np.sin(y_item) + rate * x[k]
        if y[k] > 10.0:
            break
    else:
        exhausted = True
    if exhausted:
        return y, (0, exhausted, rate, saved, trips, x, y)
    return y, (1, exhausted, rate, saved, trips, x, y)


def relaxed_rev(saved, y_bar, x_bar):
    at, exhausted, rate, saved_1, trips, x, y = saved
    y_bar_1 = np.zeros_like(y)
    if at != 0:
        y_bar_1 = np.array(y_bar)
    if exhausted:
        y_bar_1 += y_bar
    rate_bar = 0.0
    for k, y_item in zip(reversed(range(1, len(x))[:trips]), reversed(saved_1)):
        sin_plus_rate_x_bar = y_bar_1[k]
        y_bar_1[k] = 0.0
        rate_bar += sin_plus_rate_x_bar * x[k]
        x_bar[k] += sin_plus_rate_x_bar * rate
        y_bar_1[k - 1] += sin_plus_rate_x_bar * np.cos(y_item)
    return rate_bar


def stored_by_a_callee_grad(x, rate):
    # Forward sweep
    relaxed_x, saved_relaxed = relaxed_fwd(x, rate)
    x_squared = x * x
    relaxed_x_squared, saved_relaxed_1 = relaxed_fwd(x_squared, 2.0 * rate)
    # Reverse sweep
    relaxed_x_bar = 1.0 * relaxed_x_squared
    x_squared_bar = np.zeros_like(x_squared)
    rate_bar = relaxed_rev(saved_relaxed_1, 1.0 * relaxed_x, x_squared_bar) * 2.0
    x_bar = 2.0 * x_squared_bar * x
    rate_bar += relaxed_rev(saved_relaxed, relaxed_x_bar, x_bar)
    return x_bar, rate_bar
