"""The grad of `relaxed` in primals/vectors.py, as printed."""

import numpy as np
from tapeless.runtime import floats_of


def relaxed_grad(x, k, steps):
    # Forward sweep
    saved = []
    a, b = x
    for _ in range(steps):
        held = np.tanh(np.array([b - a, a * b]))
        saved.append((a, b, held))
        a = a - k * held[0]
        b = b - k * held[1]
    # Reverse sweep
    a_bar = b
    b_bar = a
    k_bar = 0.0
    for a, b, held in reversed(saved):
        k_bar -= b_bar * held[1]
        held_bar = np.zeros_like(held)
        held_bar[1] -= b_bar * k
        k_bar -= a_bar * held[0]
        held_bar[0] -= a_bar * k
        b_minus_a_bar, a_b_bar = floats_of(held_bar * (1.0 - held**2))
        b_bar = b_bar + a_b_bar * a + b_minus_a_bar
        a_bar = a_bar + a_b_bar * b - b_minus_a_bar
    x_bar = np.array([a_bar, b_bar])
    return x_bar, k_bar
