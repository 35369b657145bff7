"""The jvp of `several_results` in primals/halves.py, as printed."""

import numpy as np


def several_results_jvp(x, x_dot):
    mean_1_dot = np.mean(x_dot)
    mean_1 = np.mean(x)
    x_minus_mean_1 = x - mean_1
    mean_dot, var_dot = mean_1_dot, np.mean((x_dot - mean_1_dot) * (2.0 * x_minus_mean_1))
    mean, var = mean_1, np.mean(x_minus_mean_1**2)
    return mean * var, mean_dot * var + mean * var_dot
