"""The grad of `carried` in primals/loops.py, as printed."""

import numpy as np


def carried_grad(x, n):
    # Forward sweep
    saved = []
    h = x
    for _ in range(n):
        saved.append(h)
        h = np.tanh(h * x)
    # Reverse sweep
    h_bar = 1.0
    x_bar = 0.0
    for _ in reversed(range(n)):
        h_x_bar = h_bar * (1.0 - h**2)
        h = saved.pop()
        h_bar = h_x_bar * x
        x_bar += h_x_bar * h
    x_bar += h_bar
    return x_bar
