"""The grad of `grouped` in primals/iterators.py, as printed."""

import numpy as np
from tapeless.runtime import set_slot, slot


def grouped_grad(x):
    # Forward sweep
    saved = []
    saved_1 = []
    sums = {}
    for i, v in enumerate(x):
        c = i % 2 not in sums
        if c:
            saved.append(slot(sums, i % 2))
            sums[i % 2] = 0.0
        saved_1.append((c, slot(sums, i % 2)))
        sums[i % 2] = sums[i % 2] + v * v
    c_1 = 0 not in sums
    if c_1:
        sums_old = slot(sums, 0)
        sums[0] = 0.0
    sums_0 = sums[0]
    c_2 = 1 not in sums
    if c_2:
        sums_old_1 = slot(sums, 1)
        sums[1] = 0.0
    sums_1 = sums[1]
    # Reverse sweep
    sums_0_bar = 1.0 * sums[1]
    sums_bar = dict.fromkeys(sums, 0.0)
    sums_bar[1] = sums_0
    if c_2:
        sums_bar[1] = 0.0
        set_slot(sums, 1, sums_old_1)
    sums_bar[0] = sums_bar[0] + sums_0_bar
    if c_1:
        sums_bar[0] = 0.0
        set_slot(sums, 0, sums_old)
    x_bar = np.zeros_like(x)
    for k, (c, sums_old_2) in zip(range(len(x) - 1, -1, -1), reversed(saved_1)):
        v = x[k]
        get_sums_k_bar = sums_bar.get(k % 2, 0.0)
        sums_bar[k % 2] = 0.0
        set_slot(sums, k % 2, sums_old_2)
        sums_bar[k % 2] = sums_bar[k % 2] + get_sums_k_bar
        v_bar = 2.0 * get_sums_k_bar * v
        if c:
            sums_old_3 = saved.pop()
            sums_bar[k % 2] = 0.0
            set_slot(sums, k % 2, sums_old_3)
        x_bar[k] += v_bar
    return x_bar
