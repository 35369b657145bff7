"""The jvp of `decay_fit` in primals/untyped.py, as printed."""

import numpy as np
from tapeless.runtime import as_gradient, as_in_place, private_tangent


def decay_fit_jvp(t, y, amplitude, rate, t_dot, y_dot, amplitude_dot, rate_dot):
    t_dot = private_tangent(t_dot, t)
    y_dot = private_tangent(y_dot, y)
    amplitude_dot = private_tangent(amplitude_dot, amplitude)
    rate_dot = private_tangent(rate_dot, rate)
    loss_dot = 0.0
    loss = 0.0
    for i in range(len(t)):
        minus_rate = -rate
        t_i = t[i]
        exp_minus_rate_t = np.exp(minus_rate * t_i)
        predicted = amplitude * exp_minus_rate_t
        predicted_minus_y = predicted - y[i]
        loss_dot = +(
            loss_dot
            + (
                amplitude_dot * exp_minus_rate_t
                + amplitude * (exp_minus_rate_t * (-rate_dot * t_i + minus_rate * t_dot[i]))
                - y_dot[i]
            )
            * (2.0 * predicted_minus_y)
        )
        loss = as_in_place(loss, loss + predicted_minus_y**2)
    len_t = len(t)
    loss_over_len = loss / len_t
    return loss_over_len, as_gradient(loss_dot / len_t, loss_over_len)
