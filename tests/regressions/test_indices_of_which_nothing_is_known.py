"""An index of which nothing is known may name one place twice: what is added there is added twice."""

import numpy as np
import pytest

import tapeless as tl

X = np.array([1.0, 2.0, 3.0])
TIMES = np.array([0.2, 0.4, 1.5])
MIXED = {"places": np.array([0, 0, 1]), "label": "a", "count": 3}


def intervals(t):
    return np.maximum(np.searchsorted(np.array([0.0, 1.0, 3.0]), t) - 1, 0)


tl.zero_gradient(intervals)


class Table:
    def __init__(self, values):
        self.values = values

    def __call__(self, t):
        return self.values[intervals(t)]


def of_a_function_without_derivative(x):
    return np.sum(x[intervals(TIMES)] ** 3)


def of_a_method(x):
    return np.sum(Table(x)(TIMES) ** 3)


def beside_its_neighbour(x):
    i = intervals(TIMES)
    return np.sum(x[i] ** 3 * x[i + 1])


def of_an_entry_among_others(x):
    total = 0.0
    for key in MIXED:
        if key == "places":
            total = total + np.sum(x[MIXED[key]] ** 2)
    return total


def of_a_tuple_with_a_name(x):
    places = np.array([0, 0, 1]), np.array([1, 1, 2])
    return np.sum(np.outer(x, x)[places] ** 2)


def of_rows_and_columns(x):
    m, i = np.outer(x, x), intervals(TIMES)
    return np.sum(m[i, i] ** 2) + np.sum(m[i] ** 3) + np.sum(m[:, i])


def of_a_selection(x):
    i = intervals(TIMES)
    chosen = x[i]
    return np.sum(chosen[i] ** 3)


def of_one_place(x):
    return x[intervals(1.5)] ** 3


READ = [
    of_a_function_without_derivative,
    of_a_method,
    beside_its_neighbour,
    of_an_entry_among_others,
    of_a_tuple_with_a_name,
    of_rows_and_columns,
    of_a_selection,
    of_one_place,
]


@pytest.mark.parametrize("f", READ, ids=lambda f: f.__name__)
def test_read(f):
    tl.check_grads(f, X, order=2, replay=True)


def stored(x):
    y = np.zeros(3)
    y[intervals(TIMES)] = x * 2.0
    return np.sum(y**2) + y[0]


def added_to(x):
    y = np.ones(3)
    y[intervals(TIMES)] += x * 2.0
    return np.sum(y**3)


def scaled(x):
    y = x * 1.0
    y[intervals(TIMES)] *= x
    return np.sum(y**3)


def added_at(x):
    y = np.ones(3)
    np.add.at(y, intervals(TIMES), x)
    return np.sum(y**3)


@pytest.mark.parametrize("f", [stored, added_to, scaled, added_at], ids=lambda f: f.__name__)
def test_stored_into(f):
    tl.check_grads(f, X, order=1, replay=True)
