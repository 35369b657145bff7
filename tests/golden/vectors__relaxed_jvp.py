"""The jvp of `relaxed` in primals/vectors.py, as printed."""

import numpy as np


def relaxed_jvp(x, k, steps, x_dot, k_dot):
    a_dot, b_dot = x_dot
    a, b = x
    for _ in range(steps):
        held = np.tanh(np.array([b - a, a * b]))
        held_dot = (1.0 - held**2) * np.array([b_dot - a_dot, a_dot * b + a * b_dot])
        held_0 = held[0]
        held_1 = held[1]
        a_dot = a_dot - (k_dot * held_0 + k * held_dot[0])
        a = a - k * held_0
        b_dot = b_dot - (k_dot * held_1 + k * held_dot[1])
        b = b - k * held_1
    return a * b, a_dot * b + a * b_dot
