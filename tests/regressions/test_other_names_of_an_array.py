"""Calls whose result is, or may be, the very array that they are given, which then changes in place."""

import operator

import numpy as np
import pytest

from tests import laws

X = np.array([0.7, -0.4, 1.3])


class Hold:
    def __init__(self, v):
        self.v = v


def by_getattr(x):
    y = getattr(Hold(x), "v")  # noqa: B009
    y += x
    return np.sum(y * x)


def by_an_operator(x):
    y = operator.iadd(x, 0.0)
    y += x
    y += x
    return np.sum(y * x * x[0]) + y[1]


def by_a_method(x):
    y = x.__getitem__(slice(None))
    y *= x
    y += x
    return np.sum(y * x * x[0]) + y[1]


def as_a_double(x):
    y = np.float64(x)
    y[0] = x[1] * x[2]
    y += x
    return np.sum(y * x)


def as_a_double_in_a_branch(x):
    y = np.float64(x) if x[0] > 0.0 else x * 1.0
    y *= x
    return np.sum(y * x)


def integers_as_integers(x):
    places = np.array([0, 1, 2])
    others = np.int64(places)
    y = x[places[0]] ** 2
    others[0] = 2
    return y * x[places[0]]


def scaled_after_a_part_by_a_method(x):
    y = np.cos(x) * 0.5
    part = y.__getitem__(slice(1, 3))
    y *= x[0]
    return np.sin(part) * x[1]


def scaled_after_a_change_by_a_method(x):
    y = np.cos(x) * 0.5
    same = y.__iadd__(1.0)
    y *= x[0]
    return np.sin(same)


def scaled_after_a_part_by_a_function(x):
    y = np.cos(x) * 0.5
    part = np.ndarray.__getitem__(y, 1)
    rows = np.ndarray.__getitem__(y, slice(1, 3))
    y *= x[0]
    return np.sin(part) * rows


FUNCTIONS = [
    scaled_after_a_part_by_a_method, scaled_after_a_change_by_a_method,
    scaled_after_a_part_by_a_function, by_getattr, by_an_operator, by_a_method, as_a_double,
    as_a_double_in_a_branch, integers_as_integers,
]  # fmt: skip


@pytest.mark.parametrize("f", FUNCTIONS)
def test_other_names_of_an_array(f):
    laws.check_reverse(f, (X.copy(),), (0,), np.random.default_rng(0))
    laws.check_forward(f, (X.copy(),), (0,), np.random.default_rng(0))
