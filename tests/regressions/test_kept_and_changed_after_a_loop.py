"""What a loop keeps of an array that is changed in place below it is put back, also under its own name."""

import numpy as np
import pytest

import tapeless as tl
from tests.laws import check_function

X = np.array([0.3, -0.2, 0.9])


def added_to(x):
    for _ in range(2):
        v = np.tanh(x)
    v += x
    return np.sum(v)


def a_list_added(x):
    for _ in range(2):
        v = np.tanh(x)
    v += [x[0], v[1], 1.0]
    return np.sum(v)


def one_entry(x):
    for _ in range(2):
        v = np.exp(x)
    v[0] = x[1]
    v[1] -= x[2]
    return np.sum(v)


def carried(x):
    v = x
    for k in range(3):
        v = np.sin(v) + k
    v -= 2.0 * x
    return np.sum(v)


def in_a_loop_of_its_own(x):
    for _ in range(2):
        v = np.tanh(x)
    for k in range(3):
        v += k * x
    return np.sum(v)


def loop_within_a_loop(x):
    total = 0.0
    for k in range(3):
        for _ in range(2):
            v = np.tanh(k * x)
        v += x
        total += np.sum(v)
    return total


def by_while(x):
    n = 0
    while n < 2:
        v = np.sqrt(x * x + n)
        n += 1
    v += 1.0
    return np.sum(v * x)


def in_a_callee(x):
    def last(x):
        for _ in range(2):
            v = np.tanh(x)
        v += x
        return v

    return np.sum(last(x) * x)


PROGRAMS = [
    added_to, a_list_added, one_entry, carried, in_a_loop_of_its_own, loop_within_a_loop, by_while,
    in_a_callee,
]  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives(function):
    check_function(function, (X,))


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivatives(function):
    direction, step = np.array([0.5, -1.0, 0.7]), 1e-6
    gradient = tl.grad(function)
    expected = (gradient(X + step * direction) - gradient(X - step * direction)) / (2 * step)
    np.testing.assert_allclose(tl.hvp(function)(X, direction), expected, atol=1e-5)
