"""Comprehensions, generator expressions and the built-in functions that consume them."""

import functools
import math
import operator

import numpy as np

X = np.array([0.6, -1.4, 2.3, 0.9])
M = np.array([[0.3, -0.6, 1.1], [0.7, 2.2, -0.4]])


def list_comprehension(x):
    return np.sum(np.array([v * v + np.sin(v) for v in x]))


def filtered(x):
    squares = [v * v for v in x if v > 0.0]
    return sum(squares) * squares[-1]


def several_loops(m):
    return sum([m[i, j] * m[i, j] * j for i in range(2) for j in range(3) if i != j])


def nested_lists(m):
    rows = [[v * 2.0 for v in row] for row in m]
    return rows[0][1] * rows[1][2] + rows[1][0] ** 2


def comprehension_variables_are_local(x):
    v = x[0]
    doubled = [v * 2.0 for v in x]
    return v * doubled[1]


def dict_comprehension(x):
    table = {i: x[i] * i for i in range(4)}
    named = {key: value * value for key, value in table.items() if key > 1}
    return named[2] * named[3] + table[1]


def dict_by_name(x):
    table = {name: value for name, value in zip(["a", "b"], [x[0], x[1] ** 2])}
    return table["a"] * table["b"]


def summed_generator(x):
    return sum(v * v for v in x) * sum((x[i] * x[i + 1] for i in range(3)), x[0])


def extremes_of_generators(x):
    return max(v * v for v in x) * min(np.sin(v) for v in x)


def collected_generators(x):
    a = list(v * 2.0 for v in x)
    b = tuple(v * 3.0 for v in x)
    c = np.array(list(p * q for p, q in zip(a, b)))
    return np.sum(c) * a[1]


def any_and_all(x):
    if any(v < 0.0 for v in x) and not all(v > -1.0 for v in x):
        return np.sum(x) * x[1]
    return np.sum(x)


def next_index(x):
    i = next(i for i in range(4) if x[i] > 1.0)
    return x[i] ** 3


def enumerated(x):
    return sum(i * v for i, v in enumerate(x)) * sum([v for _, v in enumerate(x, 1)])


def condition_inside(x):
    return sum([v if v > 0.0 else -2.0 * v for v in x])


def calls_inside(x):
    def f(v):
        return np.exp(-v * v)

    return np.prod(np.array([f(v) + k for k, v in enumerate(x)]))


def set_of_integers(x):
    kept = {i % 3 for i in range(7)}
    return sum([x[i] for i in sorted(kept)]) ** 2


def stacked_rows(m):
    rows = np.stack([row * k for k, row in enumerate(m, 1)])
    return np.sum(rows**2) * rows[1, 0]


def array_of_arrays(x):
    pieces = np.concatenate([x[:k] * k for k in range(1, 4)])
    return np.sum(pieces**2)


def walrus_in_a_comprehension(x):
    found = [y * y for v in x if (y := v * 2.0) > 0.0]
    return sum(found) * y


def map_and_filter(x):
    doubled = list(map(lambda v: v * v, x))
    kept = [v for v in filter(lambda v: v > 0.5, doubled)]
    return sum(kept) * sum(map(operator.mul, x, doubled))


def reduced(x):
    return functools.reduce(lambda a, b: a * 0.5 + b, x) * functools.reduce(
        operator.mul, [x[0], x[1], x[2]], 2.0
    )


def transposed_rows(m):
    rows = [[m[0, 0], m[0, 1]], [m[1, 0], m[1, 1]]]
    total = 0.0
    for a, b in zip(*rows):
        total = total + a * b
    columns = list(zip(*rows))
    return total * columns[1][0]


def sorted_values(x):
    a = sorted([x[0], x[1], x[2], x[3]])
    b = sorted([v * v for v in x], reverse=True)
    return a[0] * a[3] + b[0] * a[1]


def sorted_by_key(x):
    pairs = sorted([(v, v * v) for v in x], key=lambda p: p[1])
    return pairs[0][0] * pairs[3][1]


def sorted_indices(x):
    order = sorted(range(4), key=lambda i: x[i])
    return x[order[0]] * x[order[3]] ** 2


def extremes_by_key(x):
    a = max([x[0], x[1], x[2]], key=lambda v: v * v)
    b = min(x[0], x[1], key=abs)
    return a * b + max([], default=x[3])


def reversed_list(x):
    s = 0.0
    for v in reversed([x[0], x[1], x[2]]):
        s = 0.5 * s + v
    return s * list(reversed([x[2], x[3]]))[0]


def numbers(x):
    q, r = divmod(x[2], 0.7)
    return pow(x[0], 2) * abs(x[1]) * r + q * float(x[3]) + round(x[2], 1) * x.sum().item()


def math_sums(x):
    return math.fsum([v * v for v in x]) * math.prod([x[0], x[1]]) + math.dist(
        [x[0], x[1]], [x[2], 0.5]
    )


CASES = [
    ("list_comprehension", list_comprehension, (X,)),
    ("filtered", filtered, (X,)),
    ("several_loops", several_loops, (M,)),
    ("nested_lists", nested_lists, (M,)),
    ("comprehension_variables_are_local", comprehension_variables_are_local, (X,)),
    ("dict_comprehension", dict_comprehension, (X,)),
    ("dict_by_name", dict_by_name, (X,)),
    ("summed_generator", summed_generator, (X,)),
    ("extremes_of_generators", extremes_of_generators, (X,)),
    ("collected_generators", collected_generators, (X,)),
    ("any_and_all", any_and_all, (X,)),
    ("next_index", next_index, (X,)),
    ("enumerated", enumerated, (X,)),
    ("condition_inside", condition_inside, (X,)),
    ("calls_inside", calls_inside, (X,)),
    ("set_of_integers", set_of_integers, (X,)),
    ("stacked_rows", stacked_rows, (M,)),
    ("array_of_arrays", array_of_arrays, (X,)),
    ("walrus_in_a_comprehension", walrus_in_a_comprehension, (X[[0, 1, 2]],)),
    ("map_and_filter", map_and_filter, (X,)),
    ("reduced", reduced, (X,)),
    ("transposed_rows", transposed_rows, (M,)),
    ("sorted_values", sorted_values, (X,)),
    ("sorted_by_key", sorted_by_key, (X,)),
    ("sorted_indices", sorted_indices, (X,)),
    ("extremes_by_key", extremes_by_key, (X,)),
    ("reversed_list", reversed_list, (X,)),
    ("numbers", numbers, (X,)),
    ("math_sums", math_sums, (X,)),
]
