"""The grad of `ends` in primals/attempts.py, as printed."""

import numpy as np


def ends_grad(x, n):
    # Forward sweep
    ends_1 = []
    s = 0.0
    for i in range(n):
        try:
            s = s + x[i] * x[i]
        except IndexError:
            s = s + 1.0
            ends_1.append(1)
            continue
        s *= 1.5
        ends_1.append(0)
    # Reverse sweep
    s_bar = 1.0
    x_bar = np.zeros_like(x)
    for i in reversed(range(n)):
        end = ends_1.pop()
        if end != 1:
            s_bar *= 1.5
            x_bar[i] += 2.0 * s_bar * x[i]
    return x_bar
