"""The grad of `elements` in primals/stores.py, as printed."""

import numpy as np


def elements_grad(x):
    # Forward sweep
    saved = []
    y = np.zeros(4)
    for i in range(3):
        v = y[i]
        saved.append(v)
        y[i + 1] = v * x[i] + x[i + 1]
    v_5 = y[3]
    # Reverse sweep
    y_bar = np.zeros_like(y)
    y_bar[3] += 1.0
    x_bar = np.zeros_like(x)
    for i, v in zip(reversed(range(3)), reversed(saved)):
        v_4_bar = y_bar[i + 1]
        y_bar[i + 1] = 0.0
        x_bar[i + 1] += v_4_bar
        x_bar[i] += v_4_bar * v
        y_bar[i] += v_4_bar * x[i]
    return x_bar
