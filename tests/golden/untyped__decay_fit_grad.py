"""The grad of `decay_fit` in primals/untyped.py, as printed."""

import numpy as np
from tapeless.runtime import zeros


def decay_fit_grad(t, y, amplitude, rate):
    # Forward sweep
    saved = []
    for i in range(len(t)):
        exp_minus_rate_t = np.exp(-rate * t[i])
        predicted = amplitude * exp_minus_rate_t
        saved.append((exp_minus_rate_t, predicted - y[i]))
    # Reverse sweep
    loss_bar = 1.0 / len(t)
    amplitude_bar = 0.0
    rate_bar = 0.0
    t_bar = zeros(t)
    y_bar = zeros(y)
    for i, (exp_minus_rate_t, predicted_minus_y) in zip(reversed(range(len(t))), reversed(saved)):
        predicted_minus_y_bar = loss_bar * (2.0 * predicted_minus_y)
        y_bar[i] -= predicted_minus_y_bar
        amplitude_bar += predicted_minus_y_bar * exp_minus_rate_t
        minus_rate_t_bar = predicted_minus_y_bar * amplitude * exp_minus_rate_t
        t_bar[i] -= minus_rate_t_bar * rate
        rate_bar -= minus_rate_t_bar * t[i]
    return t_bar, y_bar, amplitude_bar, rate_bar
