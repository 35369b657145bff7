"""The grad of `over_range` in primals/loops.py, as printed."""

import numpy as np


def over_range_grad(x, n):
    # Reverse sweep
    x_bar = 0.0
    for i in reversed(range(n)):
        x_bar += np.cos(i * x) * i
    return x_bar
