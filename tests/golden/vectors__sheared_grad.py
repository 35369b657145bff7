"""The grad of `sheared` in primals/vectors.py, as printed."""

import numpy as np


def sheared_grad(x, k):
    # Forward sweep
    saved = []
    for i in range(len(x)):
        row = x[i]
        row_0 = row[0]
        row_1 = row[1]
        saved.append(row)
    # Reverse sweep
    k_bar = 0.0
    x_bar = np.zeros_like(x)
    for i, row in zip(reversed(range(len(x))), reversed(saved)):
        k_row_0_bar = row[1]
        row_bar = np.zeros_like(row)
        row_bar[1] += k * row[0]
        k_bar += k_row_0_bar * row[0]
        row_bar[0] += k_row_0_bar * k
        x_bar[i] += row_bar
    return x_bar, k_bar
