"""A name of an array that holds integers on one way and floats on another: its adjoint is of floats."""

import numpy as np
import pytest

import tapeless as tl
from tests.laws import check_function


def handed_on(x, y):
    s = 0.0
    old = np.full(1, 1 + y)
    for k in (3, 1):
        new = np.full(k, x)
        s = s + np.sum(old * new)
        if k == 1:
            old = new
    return s


def in_a_branch(x, y):
    old = np.arange(3)
    if y > 2:
        old = old * x
    return np.sum(old * old * x)


def in_a_while(x, y):
    old = np.ones(3, dtype=int)
    s = x
    while y > 0:
        s = s + np.sum(old * x)
        if y == 2:
            old = old * x
        y -= 1
    return s * np.sum(old)


def given_back(a, x, y):
    if y > 2:
        return a * x
    return a


def by_a_callee(x, y):
    a = np.arange(3)
    s = 0.0
    for k in range(y):
        s = s + np.sum(a * x)
        a = given_back(a, x, k + 1)
    return s + np.sum(a * x)


def in_a_handler(x, y):
    a = np.array([1, 2])
    try:
        a = a * x
        if y > 2:
            raise ValueError
    except ValueError:
        a = np.array([3, 1])
    return np.sum(a * x) * x


def floats_first(x, y):
    a = np.array([1, 2]) * x
    s = 0.0
    for k in range(y):
        s += np.sum(a * x)
        a = np.array([k, 1])
    return s * x


PROGRAMS = (handed_on, in_a_branch, in_a_while, by_a_callee, in_a_handler, floats_first)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("y", [1, 2, 3])
def test_of_floats_on_one_way(f, y):
    check_function(f, (1.3, y), smooth=True)


@pytest.mark.parametrize("whole", [False, True])
def test_a_result_that_holds_integers_on_one_way_takes_a_cotangent(whole):
    def f(x):
        y = np.arange(3) if whole else x
        return y * 2

    x = np.ones(3)
    y, pullback = tl.vjp(f, x)
    np.testing.assert_array_equal(pullback(np.ones(3))[0], np.zeros(3) if whole else 2 * x)
    assert y.dtype.kind == ("i" if whole else "f")
