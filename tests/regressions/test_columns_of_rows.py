"""Columns that `zip(*rows)` unpacks into names: what stands in each is of its own kind."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

x = np.array([0.7, -0.4, 1.3, 0.9])


def of_an_argument(pairs):
    _, values = zip(*pairs)
    return values[0] * values[-1]


def of_a_list_that_grew(x):
    items = []
    for i, v in enumerate(x, 1):
        items.append((i, v))
    places, values = zip(*items)
    return values[0] * values[-1] + max(values) * min(places)


def of_a_comprehension(x):
    places, values = zip(*[(i, v * v) for i, v in enumerate(x) if v > 0])
    return values[0] * values[-1] * places[1]


def of_a_generator(x):
    a, b = zip(*((v, np.sin(v)) for v in x))
    return sum(a) * b[0] + b[1] ** 2


def of_groups(x):
    groups = {"p": [], "n": []}
    for i, v in enumerate(x, 1):
        groups["p" if v > 0 else "n"].append((i, v))
    total = 0.0
    for items in groups.values():
        places, values = zip(*items)
        total += max(values) * values[-1] * places[0]
    return total


def of_arrays_beside_names(x):
    rows = [("a", x * x[0], 1), ("b", x[::-1], 2)]
    names, arrays, powers = zip(*rows)
    return sum(np.sum(a**p) * len(n) for n, a, p in zip(names, arrays, powers))


def of_items(x):
    table = {"a": x[0], "bb": x[1] * x[2]}
    names, values = zip(*table.items())
    return values[0] * values[1] * len(names[1])


def into_its_own_name(x):
    rows = [(v, v * x[0]) for v in x]
    rows, others = zip(*rows)
    return rows[1] * others[2]


def of_an_array(x):
    m = np.outer(x, x[:2])
    a, b = zip(*m)
    return a[0] * b[3] + a[2]


PROGRAMS = [
    of_a_list_that_grew,
    of_a_comprehension,
    of_a_generator,
    of_arrays_beside_names,
    of_items,
    of_an_array,
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives(f):
    laws.check_orders(f, x)


@pytest.mark.parametrize("f", [of_groups, into_its_own_name])
def test_first_derivatives(f):
    tl.check_grads(f, x, order=1, replay=True)  # the adjoints of their rows are of unknown kinds


def test_of_an_argument():
    laws.check_orders(of_an_argument, [(1, 0.3), (2, 0.4)])


def too_many(x):
    a, b = zip(*[(v, v, v) for v in x])
    return a[0] * b[1]


def too_few(x):
    a, b = zip(*[(v,) for v in x])
    return a[0] * b[0]


def of_nothing(x):
    a, b = zip(*[(v, v) for v in x if v > 5])
    return sum(a) + sum(b) + x[0]


@pytest.mark.parametrize("f", [too_many, too_few, of_nothing])
def test_another_number_of_columns_raises_as_in_python(f):
    with pytest.raises(ValueError):
        f(x)
    with pytest.raises(ValueError):
        tl.grad(f)(x)
