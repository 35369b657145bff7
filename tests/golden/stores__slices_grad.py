"""The grad of `slices` in primals/stores.py, as printed."""

import numpy as np


def slices_grad(x):
    # Forward sweep
    y = x.copy()
    x_part = x[2:]
    x_part_1 = x[:-2]
    y[1:-1] = x_part * x_part_1
    # Reverse sweep
    y_bar = 2.0 * y
    x_product_bar = y_bar[1:-1].copy()
    y_bar[1:-1] = 0.0
    x_bar = np.zeros_like(x)
    x_bar[:-2] += x_product_bar * x_part
    x_bar[2:] += x_product_bar * x_part_1
    x_bar += y_bar
    return x_bar
