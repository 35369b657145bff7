"""The grad of `dict_built` in primals/containers.py, as printed."""

import numpy as np
from tapeless.runtime import set_slot
from tapeless.runtime import slot


def dict_built_grad(x, y):
    # Forward sweep
    d = {"a": x * y, "b": np.sin(x)}
    d_old = slot(d, "c")
    d["c"] = d["a"] * d["b"]
    v_5 = d["c"]
    v_6 = d["a"]
    # Reverse sweep
    v_5_bar = 1.0 * d["a"]
    v_6_bar = 1.0 * d["c"]
    d_bar = dict.fromkeys(d, 0.0)
    d_bar["a"] = v_6_bar
    d_bar["c"] = v_5_bar
    v_4_bar = d_bar.get("c", 0.0)
    d_bar["c"] = 0.0
    set_slot(d, "c", d_old)
    v_2_bar = v_4_bar * d["b"]
    d_bar["b"] = d_bar["b"] + v_4_bar * d["a"]
    d_bar["a"] = d_bar["a"] + v_2_bar
    v_bar = d_bar["a"]
    x_bar = d_bar["b"] * np.cos(x) + v_bar * y
    y_bar = v_bar * x
    return x_bar, y_bar
