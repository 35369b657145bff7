"""The grad of `stepped` in primals/stores.py, as printed."""

import numpy as np
from tapeless.runtime import AdjointMemory


def stepped_grad(start, rate, steps):
    # Forward sweep
    saved = []
    saved_1 = []
    u = start.copy()
    for _ in range(steps):
        new = u.copy()
        for i in range(1, len(u) - 1):
            u_sum = u[i + 1] - 2.0 * u[i] + u[i - 1]
            saved.append(u_sum)
            new[i] = u[i] + rate * u_sum
        new[0] = new[1]
        saved_1.append((u, new))
        u = new
    # Reverse sweep
    bars = AdjointMemory()
    u_bar = bars[u]
    u_bar += u
    u_bar += u
    rate_bar = 0.0
    for u, new in reversed(saved_1):
        new_bar = bars[new]
        new_1_bar = new_bar[0]
        new_bar[0] = 0.0
        new_bar[1] += new_1_bar
        for i in reversed(range(1, len(u) - 1)):
            u_sum = saved.pop()
            u_rate_sum_bar = new_bar[i]
            new_bar[i] = 0.0
            rate_bar += u_rate_sum_bar * u_sum
            u_sum_bar = u_rate_sum_bar * rate
            u_bar = bars[u]
            u_bar[i - 1] += u_sum_bar
            u_bar[i] -= 2.0 * u_sum_bar
            u_bar[i + 1] += u_sum_bar
            u_bar[i] += u_rate_sum_bar
        u_bar = bars[u]
        u_bar += new_bar
    return np.array(u_bar), rate_bar
