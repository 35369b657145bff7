"""The grad of `log_loss` in primals/ranks.py, as printed."""

import numpy as np
from tapeless.runtime import matmul_left_bar, matmul_right_bar, reduced_size, unbroadcast, unreduce


def log_loss_grad(w, x, y):
    # Forward sweep
    exp_minus_x_w = np.exp(-(x @ w))
    one_plus_exp = 1.0 + exp_minus_x_w
    p = 1.0 / one_plus_exp
    log_p = np.log(p)
    one_minus_y = 1.0 - y
    one_minus_p = 1.0 - p
    log_one_minus_p = np.log(one_minus_p)
    # Reverse sweep
    shape = np.shape(y * log_p + one_minus_y * log_one_minus_p)
    y_p_sum_bar = unreduce(-1.0 / reduced_size(shape, None), shape, None, False)
    p_bar = -(unbroadcast(y_p_sum_bar * one_minus_y, log_one_minus_p) / one_minus_p)
    y_bar = -unbroadcast(y_p_sum_bar * log_one_minus_p, one_minus_y) + unbroadcast(
        y_p_sum_bar * log_p, y
    )
    p_bar += unbroadcast(y_p_sum_bar * y, log_p) / p
    x_w_bar = p_bar * p / one_plus_exp * exp_minus_x_w
    x_bar = matmul_left_bar(x_w_bar, x, w)
    w_bar = matmul_right_bar(x_w_bar, x, w)
    return np.array(w_bar), np.array(x_bar), y_bar
