"""The grad of `retried` in primals/attempts.py, as printed."""

import numpy as np


def domain_fwd(x):
    if x < 0.0:
        raise ValueError("negative")
    sqrt_x = np.sqrt(x)
    return sqrt_x, (sqrt_x,)


def domain_rev(saved, y_bar):
    (sqrt_x,) = saved
    x_bar = y_bar * 0.5 / sqrt_x
    return x_bar


def retried_grad(x):
    # Forward sweep
    ends = []
    saved = []
    shift = 0.0
    trips = 0
    for _ in range(5):
        trips += 1
        try:
            y, saved_domain = domain_fwd(shift - x)
            saved.append(saved_domain)
            ends.append(1)
            break
        except ValueError:
            shift = shift + 1.0
        ends.append(0)
    # Reverse sweep
    y_bar = x
    x_bar = y
    for _ in reversed(range(5)[:trips]):
        end = ends.pop()
        if end == 1:
            saved_domain = saved.pop()
            x_bar -= domain_rev(saved_domain, y_bar)
            y_bar = 0.0
    return x_bar
