"""The grad of `running` in primals/iterators.py, as printed."""

import numpy as np


def running_grad(x):
    # Forward sweep
    saved = []
    first = True
    for value in x:
        c = first
        if first:
            total = value
        else:
            total = total + value
        first = False
        t = total
        saved.append((c, t))
    # Reverse sweep
    total_bar = 0.0
    x_bar = np.zeros_like(x)
    for k, (c, t) in zip(range(len(x) - 1, -1, -1), reversed(saved)):
        t_bar = 2.0 * t
        total_bar += t_bar
        if c:
            value_bar = total_bar
            total_bar = 0.0
        else:
            value_bar = total_bar
        x_bar[k] += value_bar
    return x_bar
