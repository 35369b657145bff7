"""The grad of `dict_read` in primals/containers.py, as printed."""

import numpy as np
from tapeless.runtime import unbroadcast
from tapeless.runtime import zeros


def dict_read_grad(p, x):
    # Forward sweep
    v = p["w"]
    v_1 = v * x
    v_2 = p["b"]
    v_3 = v_1 + v_2
    # Reverse sweep
    v_3_bar = unbroadcast(1.0 - np.tanh(v_3) ** 2, v_3)
    v_1_bar = unbroadcast(v_3_bar, v_1)
    p_bar = zeros(p)
    p_bar["b"] += unbroadcast(v_3_bar, v_2)
    x_bar = unbroadcast(v_1_bar * v, x)
    p_bar["w"] += unbroadcast(v_1_bar * x, v)
    return p_bar, x_bar
