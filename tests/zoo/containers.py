"""Containers: dicts, lists, tuples, nested; built, read, stored into, appended to, returned."""

from collections import OrderedDict, namedtuple
from dataclasses import dataclass

import numpy as np

X = np.array([0.6, -1.4, 2.3])
W = np.array([[0.3, -0.6, 1.1], [0.7, 1.2, -0.4], [-0.9, 0.5, 0.8]])

Point = namedtuple("Point", ["x", "y"])


@dataclass
class Params:
    weights: np.ndarray
    bias: float
    name: str = "layer"
    steps: int = 2


def network(params, x):
    h = x
    for layer in params["layers"]:
        h = np.tanh(layer["w"] @ h + layer["b"])
    return np.sum(h**2) * params["scale"]


def list_of_states(x):
    states = [x]
    for i in range(4):
        states.append(np.sin(states[-1]) * states[0])
    return np.sum(states[2] * states[4])


def slots_overwritten(x, y):
    a = [x, y, x * y]
    a[0] = a[1] * a[2]
    a[1] = a[0] + a[1]
    a[-1] = a[0]
    return a[0] * a[1] * a[2]


def dict_of_terms(x):
    terms = {"kinetic": 0.5 * np.sum(x**2)}
    terms["potential"] = np.cos(x[0]) * terms["kinetic"]
    terms["kinetic"] = terms["kinetic"] * 2.0
    total = 0.0
    for name in ("kinetic", "potential"):
        total = total + terms[name] ** 2
    return total


def dict_items(p):
    total = 1.0
    for key, value in p.items():
        if key != "skip":
            total = total * (1.0 + value)
    for value in p.values():
        total = total + value**2
    return total


def tuple_returned(x, y):
    pair = (x * y, x + y)
    nested = (pair, [pair[0] * 2.0, pair[1] ** 2])
    return nested


def dict_returned(x):
    return {"sum": np.sum(x), "squares": x**2, "both": (x[0], np.outer(x, x))}


def named_tuple_argument(p, c):
    q = Point(p.x * c, p.y - p.x)
    return q.x * q.y + p.y**2


def named_tuple_returned(x, y):
    return Point(x * y, Point(x, y * 2.0))


def dataclass_argument(p, x):
    y = x
    for _ in range(p.steps):
        y = np.tanh(p.weights @ y + p.bias)
    return np.sum(y)


def dataclass_built(x, b):
    p = Params(np.outer(x, x), b * 2.0)
    return np.sum(p.weights @ x) * p.bias


def same_array_twice(x):
    both = [x, x]
    both[0] = both[0] * 2.0
    return np.sum(both[0] * both[1])


def list_of_lists(rows):
    total = 0.0
    for row in rows:
        product = 1.0
        for v in row:
            product = product * v
        total = total + product**2
    return total


def matrix_from_lists(a, b):
    m = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a) * b]])
    return np.sum(m @ np.array([a, b])) + np.linalg.det(m)


def pieces_together(x):
    parts = []
    for i in range(3):
        parts.append(x[i:] * (i + 1))
    whole = np.concatenate(parts)
    return np.sum(np.stack([whole, whole**2])) + np.sum(np.vstack([x, x**3]))


def list_kept_in_a_dict(x):
    log = {"values": [], "count": 0}
    for i in range(3):
        log["values"].append(x * (i + 1.0))
        log["count"] = log["count"] + 1
    log["values"][1] = log["values"][0] * log["values"][2]
    return log["values"][1] * log["count"]


def flags_beside_floats(config):
    x = config["x"]
    if config["square"]:
        x = x * x
    for _ in range(config["repeat"]):
        x = np.sin(x)
    return x if config["mode"] == "plain" and config["nothing"] is None else 2.0 * x


def arrays_in_a_list_stored_into(x):
    buffers = [x * 1.0, x * 2.0]
    buffers[0][1] = buffers[1][0] * buffers[1][2]
    for b in buffers:
        b *= 1.5
    return np.sum(buffers[0] * buffers[1])


def queue_of_two(x):
    before, now = x[0], x[1]
    fib = [before, now]
    for _ in range(3):
        fib.append(fib[-1] * 0.5 + fib[-2] * fib[0])
    return fib[4] * fib[3]


def tuple_keys(x):
    grid = {}
    for i in range(3):
        for j in range(i + 1):
            grid[i, j] = x[i] * x[j]
            if j > 0:
                grid[i, j] = grid[i, j] * grid[i, j - 1]
    return grid[2, 2] + grid[1, 1] * grid[0, 0]


def list_concatenated(a, b):
    c = a + [b, b * 2.0]
    d = c[1:3] + c[:1]
    return d[0] * d[1] - d[2] ** 2 * len(c)


def aliased_list(x):
    a = [x]
    b = a
    b.append(x * x)
    a[0] = a[1] * 3.0
    return b[0] * b[1]


LAYERS = {
    "scale": 1.3,
    "layers": [
        {"w": W, "b": X},
        {"w": W[:2] * 0.5, "b": X[:2]},
    ],
}

CASES = [
    ("network", network, (LAYERS, X)),
    ("list_of_states", list_of_states, (X,)),
    ("slots_overwritten", slots_overwritten, (1.1, 0.7)),
    ("dict_of_terms", dict_of_terms, (X,)),
    ("dict_items", dict_items, ({"a": 0.5, "b": 1.2, "skip": 0.9},)),
    ("dict_items_ordered", dict_items, (OrderedDict(b=0.5, a=1.2),)),
    ("tuple_returned", tuple_returned, (0.5, 1.2)),
    ("dict_returned", dict_returned, (X,)),
    ("named_tuple_argument", named_tuple_argument, (Point(0.5, 1.2), 0.9)),
    ("named_tuple_returned", named_tuple_returned, (0.5, 1.2)),
    ("dataclass_argument", dataclass_argument, (Params(W, 0.3), X)),
    ("dataclass_built", dataclass_built, (X, 0.4)),
    ("same_array_twice", same_array_twice, (X,)),
    ("list_of_lists", list_of_lists, ([[0.4, 1.2], [0.9], []],)),
    ("matrix_from_lists", matrix_from_lists, (0.4, 1.2)),
    ("pieces_together", pieces_together, (X,)),
    ("list_kept_in_a_dict", list_kept_in_a_dict, (1.2,)),
    (
        "flags_beside_floats",
        flags_beside_floats,
        ({"x": 0.7, "square": True, "repeat": 2, "mode": "plain", "nothing": None},),
    ),
    ("arrays_in_a_list_stored_into", arrays_in_a_list_stored_into, (X,)),
    ("queue_of_two", queue_of_two, (X,)),
    ("tuple_keys", tuple_keys, (X,)),
    ("list_concatenated", list_concatenated, ([0.4, 1.2], 0.7)),
    ("aliased_list", aliased_list, (0.7,)),
]
