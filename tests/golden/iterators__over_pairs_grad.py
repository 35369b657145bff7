"""The grad of `over_pairs` in primals/iterators.py, as printed."""

import numpy as np


def over_pairs_grad(x):
    # Forward sweep
    ends = []
    saved = []
    first = True
    for v in x:
        if first:
            last = v
            first = False
            ends.append(1)
            continue
        pair_0 = last
        last = v
        a = pair_0
        b = v
        saved.append(b - a)
        ends.append(0)
    # Reverse sweep
    last_bar = 0.0
    x_bar = np.zeros_like(x)
    for k in range(len(x) - 1, -1, -1):
        end = ends.pop()
        v_bar = 0.0
        if end != 1:
            v_1 = saved.pop()
            v_1_bar = 2.0 * v_1
            a_bar = -v_1_bar
            v_bar = last_bar + v_1_bar
            last_bar = a_bar
        if end == 1:
            v_bar += last_bar
            last_bar = 0.0
        x_bar[k] += v_bar
    return x_bar
