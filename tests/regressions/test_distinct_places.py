"""Places that are all different are added to at once; those that may be the same one, one by one."""

import numpy as np
import pytest

import tapeless as tl
from tests.laws import check_function

X = np.linspace(0.2, 1.4, 12).reshape(4, 3) ** 2
Y = np.array([2, 0, 2, 1])


def chosen_by_label(x, y):
    return np.sum(np.sin(x[np.arange(len(y)), y]))


def sorted_rows(x, y):
    order = np.argsort(x[:, 0])
    return np.sum(np.cumsum(x[order], axis=0) ** 2)


def permuted_columns(x, y):
    z = x[:, [2, 0, 1]] * x
    return np.sum(z[:, [1, 2, 0]] ** 2)


def named_places(x, y):
    last = [-1, -2]
    return np.sum(x[last] ** 3)


def positives(x, y):
    v = x[:, 1] - 0.5
    return np.sum(v[np.flatnonzero(v > 0)] ** 2)


DISTINCT = (chosen_by_label, sorted_rows, permuted_columns, named_places, positives)


@pytest.mark.parametrize("f", DISTINCT, ids=lambda f: f.__name__)
def test_added_at_once(f):
    text = tl.source(f, like=(X, Y))
    assert "add.at" not in text and "scatter_add" not in text
    check_function(f, (X, Y))


def repeated(x, y):
    return np.sum(x[[0, 1, 0]] ** 2)


def one_place_by_two_numbers(x, y):
    return np.sum(x[:, [0, -3]] ** 2)


def one_row_and_several_columns(x, y):
    return np.sum(x[np.arange(1), y] ** 2)


def changed_places(x, y):
    places = [0, 1]
    places[0] = 1
    return np.sum(x[places] ** 2)


def bound_twice(x, y):
    places = [0, 1]
    if x[0, 0] < 1.0:
        places = [2, 2]
    return np.sum(x[places] ** 2)


def from_below_zero(x, y):
    return np.sum(x[np.arange(-4, 4)] ** 2)


def stored_into(x, y):
    places = np.arange(3)
    places[1] = 0
    return np.sum(x[places] ** 2)


def sorted_by_rows(x, y):
    return np.sum(x[0][np.argsort(x, axis=1)] ** 2)


REPEATED = (
    repeated, one_place_by_two_numbers, one_row_and_several_columns, changed_places, bound_twice,
    from_below_zero, stored_into, sorted_by_rows,
)  # fmt: skip


@pytest.mark.parametrize("f", REPEATED, ids=lambda f: f.__name__)
def test_added_one_by_one(f):
    check_function(f, (X, Y))
