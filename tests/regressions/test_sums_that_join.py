"""`sum` that joins lists and tuples from a start on, or adds named tuples by their own `__add__`."""

import math
from collections import namedtuple

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.7, -0.4, 1.3, 0.2])


class Vector(namedtuple("Pair", "a b")):
    def __add__(self, other):
        return Vector(self.a + other.a, self.b + other.b)

    def __radd__(self, other):
        return self if other == 0 else self + other

    def __mul__(self, factor):
        return Vector(self.a * factor, self.b * factor)


def of_lists_of_unlike_lengths(x):
    rows = [[v * v] * i for i, v in enumerate(x)]
    joined = sum(rows, [])
    return np.sum(np.array(joined) ** 2 * np.arange(6))


def of_tuples(x):
    return math.prod(sum(map(lambda v: (v, np.sin(v)), x), ()))


def of_the_values_of_a_dict(x):
    rows = {"a": [x[0], x[1] ** 2], "b": [x[2]]}
    a, b, c = sum(rows.values(), [])
    return a * b * c


def from_a_list_that_changes(x):
    start = [x[0] * 2.0]
    joined = sum([[v] for v in x[1:]], start=start)
    start[0] = joined[1] * 3.0
    return math.prod(joined) * start[0]


def of_arrays_in_lists(x):
    layers = [(np.outer(x, x), x), (x[:2],)]
    flat = sum([[np.ravel(p) for p in layer] for layer in layers], [])
    return np.sum(np.concatenate(flat) ** 2)


def of_named_tuples(x):
    a, b = Vector(x[0], x[1]), Vector(x[2], x[3])
    return sum([a, b * 2.0, a * x[0]]).a * sum((a, b), Vector(0, 0)).b


PROGRAMS = [
    of_lists_of_unlike_lengths,
    of_tuples,
    of_the_values_of_a_dict,
    from_a_list_that_changes,
    of_arrays_in_lists,
    of_named_tuples,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives(f):
    tl.check_grads(f, X, order=2, replay=True)
