"""The grad of `over_reversed` in primals/loops.py, as printed."""

import numpy as np


def over_reversed_grad(cs, x):
    # Forward sweep
    saved = []
    p = 0.0
    for c in reversed(cs):
        saved.append(p)
        p = p * x + c
    # Reverse sweep
    p_bar = 1.0
    cs_bar = np.zeros_like(cs)
    x_bar = 0.0
    for k, c in enumerate(cs):
        p_x_bar = p_bar
        c_bar = p_bar
        p = saved.pop()
        p_bar *= x
        x_bar += p_x_bar * p
        cs_bar[k] += c_bar
    return cs_bar, x_bar
