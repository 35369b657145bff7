"""The jvp of `several_results` in primals/halves.py, as printed."""

import numpy as np


def stats_jvp(x, x_dot):
    mean_dot = np.mean(x_dot)
    mean = np.mean(x)
    x_minus_mean = x - mean
    return (
        (mean, np.mean(x_minus_mean**2)),
        (mean_dot, np.mean((x_dot - mean_dot) * (2.0 * x_minus_mean))),
    )


def several_results_jvp(x, x_dot):
    (mean, var), (mean_dot, var_dot) = stats_jvp(x, x_dot)
    return mean * var, mean_dot * var + mean * var_dot
