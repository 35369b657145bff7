"""The grad of `over_labels` in primals/iterators.py, as printed."""

import numpy as np
from tapeless.runtime import set_slot, slot


def over_labels_grad(x):
    # Forward sweep
    saved = []
    table_1 = {}
    for label, v in zip("abc", x):
        saved.append(slot(table_1, label))
        table_1[label] = v * v
    table = table_1
    table_a = table["a"]
    table_c = table["c"]
    # Reverse sweep
    table_a_bar = 1.0 * table["c"]
    table_c_bar = 1.0 * table["a"]
    table_1_bar = dict.fromkeys(table_1, 0.0)
    table_1_bar["c"] = table_c_bar
    table_1_bar["a"] = table_a_bar
    x_bar = np.zeros_like(x)
    for k in range(min(len("abc"), len(x)) - 1, -1, -1):
        label = "abc"[k]
        v = x[k]
        table_1_old = saved.pop()
        v_squared_bar = table_1_bar.get(label, 0.0)
        table_1_bar[label] = 0.0
        set_slot(table_1, label, table_1_old)
        v_bar = 2.0 * v_squared_bar * v
        x_bar[k] += v_bar
    return x_bar
