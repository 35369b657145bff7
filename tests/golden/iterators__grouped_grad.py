"""The grad of `grouped` in primals/iterators.py, as printed."""

import numpy as np
from tapeless.runtime import set_slot
from tapeless.runtime import slot


def grouped_grad(x):
    # Forward sweep
    saved = []
    saved_1 = []
    sums = {}
    for i, v in enumerate(x):
        c_2 = i % 2 not in sums
        if c_2:
            saved.append(slot(sums, i % 2))
            sums[i % 2] = 0.0
        saved_1.append((c_2, slot(sums, i % 2)))
        sums[i % 2] = sums[i % 2] + v * v
    c_1 = 0 not in sums
    if c_1:
        sums_old_1 = slot(sums, 0)
        sums[0] = 0.0
    v_2 = sums[0]
    c = 1 not in sums
    if c:
        sums_old = slot(sums, 1)
        sums[1] = 0.0
    v_3 = sums[1]
    # Reverse sweep
    v_2_bar = 1.0 * sums[1]
    sums_bar = dict.fromkeys(sums, 0.0)
    sums_bar[1] = v_2
    if c:
        sums_bar[1] = 0.0
        set_slot(sums, 1, sums_old)
    sums_bar[0] = sums_bar[0] + v_2_bar
    if c_1:
        sums_bar[0] = 0.0
        set_slot(sums, 0, sums_old_1)
    x_bar = np.zeros_like(x)
    for k, (c_2, sums_old_2) in zip(range(len(x) - 1, -1, -1), reversed(saved_1)):
        v = x[k]
        v_6_bar = sums_bar.get(k % 2, 0.0)
        sums_bar[k % 2] = 0.0
        set_slot(sums, k % 2, sums_old_2)
        sums_bar[k % 2] = sums_bar[k % 2] + v_6_bar
        v_bar_2 = 2.0 * v_6_bar * v
        if c_2:
            sums_old_3 = saved.pop()
            sums_bar[k % 2] = 0.0
            set_slot(sums, k % 2, sums_old_3)
        x_bar[k] += v_bar_2
    return x_bar
