"""The grad of `nested` in primals/calls.py, as printed."""

import numpy as np


def inner_fwd(z, y):
    return z * y, (y, z)


def inner_rev(saved, y_bar):
    y, z = saved
    return y_bar * y, y_bar * z


def nested_grad(x, y):
    # Forward sweep
    inner_sin, saved_inner = inner_fwd(np.sin(x), y)
    inner_x, saved_inner_1 = inner_fwd(x, y)
    # Reverse sweep
    x_bar, y_bar = inner_rev(saved_inner_1, 1.0)
    value_bar, y_bar_1 = inner_rev(saved_inner, 1.0)
    y_bar += y_bar_1
    x_bar += value_bar * np.cos(x)
    return x_bar, y_bar
