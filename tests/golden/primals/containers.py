"""Dicts, lists and tuples: built, read, stored into, appended to."""

import numpy as np

INPUTS = {
    "dict_read": ({"w": 0.7, "b": 0.2}, 1.5), "dict_built": (0.7, 1.5), "list_appended": (0.7, 3),
    "list_stored": (0.7, 1.5), "tuple_returned": (0.7, 1.5),
}


def dict_read(p: "dict[str, float]", x: float):
    return np.tanh(p["w"] * x + p["b"])


def dict_built(x: float, y: float):
    d = {"a": x * y, "b": np.sin(x)}
    d["c"] = d["a"] * d["b"]
    return d["c"] * d["a"]


def list_appended(x: float, n: int):
    xs = [x]
    for _ in range(n):
        xs.append(xs[-1] * xs[-1] + x)
    return xs[n]


def list_stored(x: float, y: float):
    xs = [x, y]
    xs[0] = xs[0] * xs[1]
    return xs[0] * xs[1]


def tuple_returned(x: float, y: float):
    pair = (x * y, x + y)
    return pair[0] * pair[1]
