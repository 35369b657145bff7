"""The grad of `places` in primals/stores.py, as printed."""

import numpy as np


def places_grad(x):
    # Forward sweep
    i = np.array([0, 2, 2])
    # Reverse sweep
    x_bar = np.zeros_like(x)
    np.add.at(x_bar, i, x[i])
    np.add.at(x_bar, i, x[i])
    return x_bar
