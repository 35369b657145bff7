"""An index of which nothing is known may name one place twice: what is added there is added twice."""

import bisect
import operator

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


def some():
    return slice(1, 3)


def one():
    return 1


tl.zero_gradient(some)
tl.zero_gradient(one)


def item_of_a_list(x):
    squares = [v * v for v in x]
    return squares[one()] ** 2 * x[0]


def item_of_a_tuple(x):
    parts = (x[0], x[1] ** 2, x[2])
    return parts[one()] * x[2] * parts[one()]


def item_of_a_sequence(x):
    return tuple(v * v for v in x)[one()] ** 3


def item_stored(x):
    squares = [v * v for v in x]
    squares[one()] = x[0] * x[2]
    return squares[0] * squares[1] * squares[2]


def item_left_out(x):
    squares = [v * v for v in x]
    del squares[one()]
    return squares[0] * squares[1] * len(squares)


def item_left_out_by_a_function(x):
    squares = [v * v for v in x]
    operator.delitem(squares, bisect.bisect([1.0, 2.0], 1.5))
    return squares[0] * squares[1] * len(squares)


def items_by_members(x):
    cubes = [v**3 for v in x]
    total = 1.0
    for i in {0, 2}:
        total = total + cubes[i] * total
    return total


ITEMS = [
    item_of_a_list,
    item_of_a_tuple,
    item_of_a_sequence,
    item_stored,
    item_left_out,
    item_left_out_by_a_function,
    items_by_members,
]


@pytest.mark.parametrize("f", ITEMS, ids=lambda f: f.__name__)
def test_items_of_lists(f):
    tl.check_grads(f, X, order=2, replay=True)


def slice_of_a_list(x):
    squares = [v * v for v in x]
    part = squares[some()]
    return part[0] * part[1] + len(part)


def slice_of_a_tuple(x):
    parts = (x[0], x[1] ** 2, x[2])
    part = parts[some()]
    return part[0] * part[1] + len(part)


def slice_of_a_sequence(x):
    part = tuple(v * v for v in x)[some()]
    return part[0] * part[1] + len(part)


def slice_or_nothing(x):
    squares, at = [v * v for v in x], None
    if x[0] > 0.0:
        at = slice(0, 2)
    part = squares[at]
    return part[0] * part[1]


def places_and_slices(x):
    squares, total = [v * v for v in x], 0.0
    for at in [0, 2, slice(1, 3)]:
        total = total + (squares[at] if isinstance(at, int) else squares[at][0] * squares[at][1])
    return total


def slice_left_out(x):
    squares = [v * v for v in x]
    del squares[some()]
    return squares[0] * len(squares)


def slice_left_out_by_a_function(x):
    squares = [v * v for v in x]
    operator.delitem(squares, some())
    return squares[0] * len(squares)


SLICES = [
    slice_of_a_list,
    slice_of_a_tuple,
    slice_of_a_sequence,
    slice_or_nothing,
    places_and_slices,
    slice_left_out,
    slice_left_out_by_a_function,
]


@pytest.mark.parametrize("f", SLICES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("derivative", [tl.grad, tl.value_and_grad])
def test_slices_of_lists_are_refused(f, derivative):
    with pytest.raises(tl.GradientError, match="of which nothing was known, is a slice"):
        derivative(f)(X)


@pytest.mark.parametrize("f", SLICES, ids=lambda f: f.__name__)
def test_slices_of_lists_are_refused_in_forward_mode(f):
    with pytest.raises(tl.GradientError, match="of which nothing was known, is a slice"):
        tl.jvp(f, (X,), (X,))
