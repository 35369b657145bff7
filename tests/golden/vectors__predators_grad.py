"""The grad of `predators` in primals/vectors.py, as printed."""

import numpy as np


def predators_grad(p, y, h, steps):
    # Forward sweep
    saved = []
    # p, y, k as floats
    p_0, p_1, p_2, p_3 = p.tolist()
    y_0, y_1 = y.tolist()
    for _ in range(steps):
        k_0 = p_0 * y_0 - p_1 * y_0 * y_1
        k_1 = p_3 * y_0 * y_1 - p_2 * y_1
        saved.append((y_0, y_1, k_0, k_1))
        y_0 = y_0 + h * k_0
        y_1 = y_1 + h * k_1
    # Reverse sweep
    y_1_bar = 2.0 * y_1
    y_0_bar = 2.0 * y_0
    h_bar = 0.0
    p_0_bar = 0.0
    p_1_bar = 0.0
    p_2_bar = 0.0
    p_3_bar = 0.0
    for y_0, y_1, k_0, k_1 in reversed(saved):
        h_bar += y_1_bar * k_1
        k_1_bar = y_1_bar * h
        h_bar += y_0_bar * k_0
        k_0_bar = y_0_bar * h
        p_2_bar -= k_1_bar * y_1
        p_3_y_0_bar = k_1_bar * y_1
        y_1_bar = y_1_bar - k_1_bar * p_2 + k_1_bar * (p_3 * y_0)
        p_3_bar += p_3_y_0_bar * y_0
        p_1_y_0_bar = -k_0_bar * y_1
        y_1_bar -= k_0_bar * (p_1 * y_0)
        p_1_bar += p_1_y_0_bar * y_0
        p_0_bar += k_0_bar * y_0
        y_0_bar = y_0_bar + p_3_y_0_bar * p_3 + p_1_y_0_bar * p_1 + k_0_bar * p_0
    y_bar = np.array([y_0_bar, y_1_bar])
    p_bar = np.array([p_0_bar, p_1_bar, p_2_bar, p_3_bar])
    return p_bar, y_bar, h_bar
