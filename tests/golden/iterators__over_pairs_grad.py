"""The grad of `over_pairs` in primals/iterators.py, as printed."""

import numpy as np


def over_pairs_grad(x):
    # Forward sweep
    ends = []
    saved = []
    first = True
    for value in x:
        if first:
            last = value
            first = False
            ends.append(1)
            continue
        pair_0 = last
        last = value
        a = pair_0
        b = value
        saved.append(b - a)
        ends.append(0)
    # Reverse sweep
    last_bar = 0.0
    x_bar = np.zeros_like(x)
    for k in range(len(x) - 1, -1, -1):
        end = ends.pop()
        value_bar = 0.0
        if end != 1:
            b_minus_a = saved.pop()
            b_minus_a_bar = 2.0 * b_minus_a
            a_bar = -b_minus_a_bar
            value_bar = last_bar + b_minus_a_bar
            last_bar = a_bar
        if end == 1:
            value_bar += last_bar
            last_bar = 0.0
        x_bar[k] += value_bar
    return x_bar
