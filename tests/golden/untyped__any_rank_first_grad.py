"""The grad of `any_rank_first` in primals/untyped.py, as printed."""

import numpy as np
from tapeless.runtime import unreduce, zeros


def any_rank_first_grad(w, x, n):
    # Forward sweep
    saved = [np.sum(w) for i in range(n)]
    # Reverse sweep
    w_bar = zeros(w)
    x_bar = zeros(x)
    for i in reversed(range(n)):
        w_bar += unreduce(1.0 * x[i], np.shape(w), None, False)
        x_bar[i] += saved.pop()
    w_bar += 2.0 * w
    return w_bar, x_bar
