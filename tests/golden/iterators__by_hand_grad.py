"""The grad of `by_hand` in primals/iterators.py, as printed."""

import numpy as np


def by_hand_grad(x):
    # Forward sweep
    saved = []
    if 0 >= len(x):
        raise StopIteration
    at = 0 + 1
    s = x[0]
    while at < len(x):
        v = x[at]
        saved.append((at, s, v))
        at = at + 1
        s = s * v
    # Reverse sweep
    s_bar = 1.0
    items_bar = np.zeros_like(x)
    for at, s, v in reversed(saved):
        s_v_bar = s_bar
        s_bar *= v
        v_bar = s_v_bar * s
        items_bar[at] += v_bar
    items_bar[0] += s_bar
    return items_bar
