"""The grad of `asks_rank` in primals/untyped.py, as printed."""

import numpy as np


def asks_rank_grad(x):
    # Forward sweep
    if np.ndim(x) == 0:
        # Reverse sweep of this return
        x_bar = 2.0 * x
        return x_bar
    # Reverse sweep
    x_bar = 2.0 * x
    return x_bar
