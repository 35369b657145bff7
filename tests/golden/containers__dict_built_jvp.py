"""The jvp of `dict_built` in primals/containers.py, as printed."""

import numpy as np


def dict_built_jvp(x, y, x_dot, y_dot):
    d_dot = {"a": x_dot * y + x * y_dot, "b": np.cos(x) * x_dot}
    d = {"a": x * y, "b": np.sin(x)}
    d_a = d["a"]
    d_b = d["b"]
    d_dot["c"] = d_dot["a"] * d_b + d_a * d_dot["b"]
    d["c"] = d_a * d_b
    d_c = d["c"]
    d_a_1 = d["a"]
    return d_c * d_a_1, d_dot["c"] * d_a_1 + d_c * d_dot["a"]
