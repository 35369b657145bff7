"""The jvp of `poisson` in primals/untyped.py, as printed."""

import numpy as np
from tapeless.runtime import as_gradient, as_in_place, private_tangent


def poisson_jvp(rate, counts, rate_dot, counts_dot):
    rate_dot = private_tangent(rate_dot, rate)
    total_dot = 0.0
    total = 0.0
    for i, (count, count_dot) in enumerate(zip(counts, private_tangent(counts_dot, counts))):
        mean = np.exp(rate[0] + rate[1] * i)
        mean_dot = mean * (rate_dot[0] + rate_dot[1] * i)
        log_mean = np.log(mean)
        total_dot = +(total_dot + (mean_dot - (count_dot * log_mean + count * (mean_dot / mean))))
        total = as_in_place(total, total + (mean - count * log_mean))
    return total, as_gradient(total_dot, total)
