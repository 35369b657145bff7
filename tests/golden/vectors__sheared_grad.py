"""The grad of `sheared` in primals/vectors.py, as printed."""

import numpy as np


def sheared_grad(x):
    # Forward sweep
    saved = []
    for i in range(len(x)):
        row = x[i]
        row_0 = row[0]
        row_1 = row[1]
        saved.append(row)
    # Reverse sweep
    x_bar = np.zeros_like(x)
    for i, row in zip(reversed(range(len(x))), reversed(saved)):
        x_bar[i, 1] += 0.5 * row[0]
        x_bar[i, 0] += row[1] * 0.5
    return x_bar
