"""The grad of `likelihood` in primals/arrays.py, as printed."""

import numpy as np


def likelihood_grad(x, scale):
    # Forward sweep
    z = x / scale
    # Reverse sweep
    z_bar = -0.5 * z - z * 0.5
    x_bar = z_bar / scale
    scale_bar = -1.0 * np.size(x) / scale - np.sum(x_bar * z)
    return x_bar, scale_bar
