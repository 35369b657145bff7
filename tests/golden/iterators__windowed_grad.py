"""The grad of `windowed` in primals/iterators.py, as printed."""

import numpy as np
from tapeless.runtime import item_place


def windowed_grad(x):
    # Forward sweep
    saved = []
    saved_1 = []
    q = []
    for v in x:
        q.append(v)
        c = len(q) > 2
        if c:
            at = item_place(q, 0)
            popped = q.pop(0)
            saved.append((at, popped))
        q_0 = q[0]
        saved_1.append(c)
    # Reverse sweep
    q_bar = [0.0] * len(q)
    x_bar = np.zeros_like(x)
    for k, c in zip(range(len(x) - 1, -1, -1), reversed(saved_1)):
        v = x[k]
        v_bar = 1.0 * q[0]
        q_bar[0] = q_bar[0] + v
        if c:
            at, popped = saved.pop()
            q_bar.insert(at, 0.0)
            q.insert(at, popped)
        v_bar += q_bar.pop()
        q.pop()
        x_bar[k] += v_bar
    return x_bar
