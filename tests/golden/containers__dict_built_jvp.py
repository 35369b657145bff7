"""The jvp of `dict_built` in primals/containers.py, as printed."""

import numpy as np


def dict_built_jvp(x, y, x_dot, y_dot):
    d_dot = {"a": x_dot * y + x * y_dot, "b": np.cos(x) * x_dot}
    d = {"a": x * y, "b": np.sin(x)}
    v_2 = d["a"]
    v_3 = d["b"]
    d_dot["c"] = d_dot["a"] * v_3 + v_2 * d_dot["b"]
    d["c"] = v_2 * v_3
    v_5 = d["c"]
    v_6 = d["a"]
    return v_5 * v_6, d_dot["c"] * v_6 + v_5 * d_dot["a"]
