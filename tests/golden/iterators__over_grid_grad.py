"""The grad of `over_grid` in primals/iterators.py, as printed."""

import numpy as np


def over_grid_grad(a):
    # Forward sweep
    saved = []
    for i, j in np.ndindex(a.shape):
        a_i_j = a[i, j]
        saved.append((i, j))
    # Reverse sweep
    a_bar = np.zeros_like(a)
    for i, j in reversed(saved):
        a_bar[i, j] += 2.0 * (i + 1) * a[i, j]
    return a_bar
