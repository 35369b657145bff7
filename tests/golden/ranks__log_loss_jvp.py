"""The jvp of `log_loss` in primals/ranks.py, as printed."""

import numpy as np
from tapeless.runtime import as_gradient, private_tangent


def log_loss_jvp(w, x, y, w_dot, x_dot, y_dot):
    y_dot = private_tangent(y_dot, y)
    exp_minus_x_w = np.exp(-(x @ w))
    one_plus_exp = 1.0 + exp_minus_x_w
    p = 1.0 / one_plus_exp
    p_dot = (
        -+(exp_minus_x_w * -(private_tangent(x_dot, x) @ w + x @ private_tangent(w_dot, w)))
        * p
        / one_plus_exp
    )
    log_p = np.log(p)
    one_minus_y = 1.0 - y
    one_minus_p = 1.0 - p
    log_one_minus_p = np.log(one_minus_p)
    minus_mean = -np.mean(y * log_p + one_minus_y * log_one_minus_p)
    return (
        minus_mean,
        as_gradient(
            -np.mean(
                y_dot * log_p
                + y * (p_dot / p)
                + (-y_dot * log_one_minus_p + one_minus_y * (-p_dot / one_minus_p))
            ),
            minus_mean,
        ),
    )
