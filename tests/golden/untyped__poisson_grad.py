"""The grad of `poisson` in primals/untyped.py, as printed."""

import numpy as np
from tapeless.runtime import zeros


def poisson_grad(rate, counts):
    # Forward sweep
    saved = []
    for i, count in enumerate(counts):
        mean = np.exp(rate[0] + rate[1] * i)
        saved.append((mean, np.log(mean)))
    # Reverse sweep
    counts_bar = zeros(counts)
    rate_bar = zeros(rate)
    for k, (mean, log_mean) in zip(range(len(counts) - 1, -1, -1), reversed(saved)):
        count = counts[k]
        mean_bar = 1.0 + (-count / mean if count else 0.0)
        rate_i_sum_bar = mean_bar * mean
        rate_bar[1] += rate_i_sum_bar * k
        rate_bar[0] += rate_i_sum_bar
        counts_bar[k] -= log_mean
    return rate_bar, counts_bar
