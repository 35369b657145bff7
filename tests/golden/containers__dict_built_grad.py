"""The grad of `dict_built` in primals/containers.py, as printed."""

import numpy as np
from tapeless.runtime import set_slot, slot


def dict_built_grad(x, y):
    # Forward sweep
    d = {"a": x * y, "b": np.sin(x)}
    d_old = slot(d, "c")
    d["c"] = d["a"] * d["b"]
    d_c = d["c"]
    d_a = d["a"]
    # Reverse sweep
    d_c_bar = 1.0 * d["a"]
    d_a_bar = 1.0 * d["c"]
    d_bar = dict.fromkeys(d, 0.0)
    d_bar["a"] = d_a_bar
    d_bar["c"] = d_c_bar
    d_a_d_b_bar = d_bar.get("c", 0.0)
    d_bar["c"] = 0.0
    set_slot(d, "c", d_old)
    d_a_bar_1 = d_a_d_b_bar * d["b"]
    d_bar["b"] = d_bar["b"] + d_a_d_b_bar * d["a"]
    d_bar["a"] = d_bar["a"] + d_a_bar_1
    x_y_bar = d_bar["a"]
    x_bar = d_bar["b"] * np.cos(x) + x_y_bar * y
    y_bar = x_y_bar * x
    return x_bar, y_bar
