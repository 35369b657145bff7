"""The grad of `defaults` in primals/calls.py, as printed."""

import numpy as np


def defaults_grad(x):
<<<<<<< HEAD
    # Forward sweep
    scaled_x, saved_scaled = scaled_fwd(x, 2.0, x)
    scaled_x_1, saved_scaled_1 = scaled_fwd(x, 2.0, 0.0)
    # Reverse sweep
    x_bar = scaled_rev(saved_scaled_1, scaled_x)
    x_bar_1, x_bar_2 = scaled_rev_1(saved_scaled, scaled_x_1)
    x_bar += x_bar_1
    x_bar += x_bar_2
=======
    # Reverse sweep
    v_bar = np.sin(x) * 2.0
    x_bar = (np.sin(x) * 2.0 + x) * 2.0 * np.cos(x) + v_bar
    x_bar += v_bar * 2.0 * np.cos(x)
>>>>>>> 5f06731 (Write small functions of the user's in the place of their calls)
    return x_bar
