"""The grad of `idle_half` in primals/halves.py, as printed."""

import numpy as np
from tests.golden.primals.halves import Filter


def idle_half_grad(xs):
    # Forward sweep
    saved = []
    filter_1 = Filter([1.0, 2.0, 0.5])
    y = 0.0
    len_1 = len(filter_1.weights)
    for k in range(len_1):
        filter_weights = filter_1.weights
        y += filter_weights[k] * xs[k]
        saved.append(filter_weights)
    # Reverse sweep
    y_bar = 2.0 * (y / filter_1.total) / filter_1.total
    xs_bar = np.zeros_like(xs)
    for k, filter_weights in zip(reversed(range(len_1)), reversed(saved)):
        xs_bar[k] += y_bar * filter_weights[k]
    return xs_bar
