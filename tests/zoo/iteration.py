"""Loops over what wraps other iterables: views of dicts, `enumerate`, `zip`, `map`, `filter`."""

import numpy as np

X = np.array([0.6, 1.4, 2.3, 0.9])


def reversed_items(x):
    table = {0: x[0], 1: x[1] * x[0]}
    s = 0.0
    for _, value in reversed(table.items()):
        s = s * value + value**3
    return s


def reversed_values(x):
    table = {0: x[0], 1: x[1] * x[0]}
    s = 0.0
    for value in reversed(table.values()):
        s = s * value + value**3
    return s


def reversed_keys(x):
    table = {0: x[0], 1: x[1] * x[0]}
    s = 0.0
    for key in reversed(table):
        s = s * table[key] + table[key] ** 3
    return s


def counted_items(x):
    table = {"a": x[0], "b": x[1] * x[0]}
    s = 0.0
    for i, (_, value) in enumerate(table.items()):
        s = s * value + (i + 1) * value**3
    return s


def sorted_items(x):
    table = {1: x[0], 0: x[1] * x[0]}
    s = 0.0
    for _, value in sorted(table.items(), reverse=True):
        s = s * value + value**3
    return s


def zipped_values(x):
    table = {"a": x[0], "b": x[1] * x[0]}
    s = 0.0
    for v, w in zip(table.values(), reversed(table.values())):
        s = s * v + v**3 * w
    return s


def counted_pairs(x):
    s = 0.0
    for i, (p, q) in enumerate(zip(x, x[::-1])):
        s = s * p + i * q**2
    return s


def zipped_pairs(x):
    rows = [(1.0, x[0]), (2.0, x[1])]
    s = 0.0
    for (i, p), (j, q) in zip(rows, enumerate(x)):
        s = s * p * i + j * q**2
    return s


def nested_three_deep(x):
    table = {"a": (x[0], x[1]), "b": (x[1], x[0] * 2)}
    s = 0.0
    for i, (_, (p, q)) in enumerate(table.items()):
        s = s * p + i * q**2
    return s


def starred_in_a_loop(x):
    s = 0.0
    for i, [p, *q] in enumerate([(x[0], x[1], x[2]), (x[1], x[0] * 2)]):
        s = s * p + q[-1] ** 2 * (i + 1)
    return s


def mapped(x):
    s = 0.0
    for v in map(lambda t: t * t, x):
        s = s * v + v**3
    return s


def filtered(x):
    s = 0.0
    for v in filter(lambda t: t > 0.7, x):
        s = s * v + v**3
    return s


def rows_as_a_list(x):
    rows = list(np.outer(x, x))
    return np.sum(rows[0] * rows[1]) + np.sum(np.sin(rows.pop()))


CASES = [
    (function.__name__, function, (X,))
    for function in (
        reversed_items,
        reversed_values,
        reversed_keys,
        counted_items,
        sorted_items,
        zipped_values,
        counted_pairs,
        zipped_pairs,
        nested_three_deep,
        starred_in_a_loop,
        mapped,
        filtered,
        rows_as_a_list,
    )
]
