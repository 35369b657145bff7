"""The grad of `elements` in primals/stores.py, as printed."""

import numpy as np


def elements_grad(x):
    # Forward sweep
    saved = []
    y = np.zeros(4)
    for i in range(3):
        y_i = y[i]
        saved.append(y_i)
        y[i + 1] = y_i * x[i] + x[i + 1]
    # Reverse sweep
    y_bar = np.zeros_like(y)
    y_bar[3] += 1.0
    x_bar = np.zeros_like(x)
    for i, y_i in zip(reversed(range(3)), reversed(saved)):
        y_x_plus_x_bar = y_bar[i + 1]
        y_bar[i + 1] = 0.0
        x_bar[i + 1] += y_x_plus_x_bar
        x_bar[i] += y_x_plus_x_bar * y_i
        y_bar[i] += y_x_plus_x_bar * x[i]
    return x_bar
