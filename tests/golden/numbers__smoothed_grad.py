"""The grad of `smoothed` in primals/numbers.py, as printed."""

import numpy as np


def smoothed_grad(x, weight):
    # Forward sweep
    x = x.tolist()
    saved = []
    y = [0.0] * len(x)
    for i in range(1, len(x)):
        y_item = y[i - 1]
        saved.append(y_item)
        y[i] = weight * y_item + float(np.sin(x[i]))
    # Reverse sweep
    y_bar = np.cos(np.array(y)).tolist()
    weight_bar = 0.0
    x_bar = [0.0] * len(x)
    for i, y_item in zip(reversed(range(1, len(x))), reversed(saved)):
        weight_y_plus_sin_bar = y_bar[i]
        y_bar[i] = 0.0
        x_bar[i] += weight_y_plus_sin_bar * float(np.cos(x[i]))
        weight_bar += weight_y_plus_sin_bar * y_item
        y_bar[i - 1] += weight_y_plus_sin_bar * weight
    return np.array(x_bar), np.float64(weight_bar)
