"""A chain of comparisons evaluates each operand once, and stops where one fails."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([1.3, 0.7, 1.9])
CALLS = []


def say(v):
    CALLS.append(v)
    return v


def stops_early(x):
    return x[0] if say(3) < say(1) < say(9) else 2 * x[0]


def with_state(x):
    n = 0

    def nxt():
        nonlocal n
        n += 1
        return x[n - 1]

    y = 0.0
    if nxt() < nxt() < nxt():
        y = x[0]
    return y + nxt() if n < 3 else y * n


def rebinding(x):
    k = 0.5
    ok = k < (k := x[0]) < (k := x[2] * 2) > x[1]
    return k * k if ok else k


def in_a_while(x):
    k, y = 0, x[0]
    while say(0) < say(k + 1) < say(3):
        y = y * x[1]
        k += 1
    return y


def as_a_value(x):
    c = say(0) < say(5) <= say(2) < say(9)
    return x[0] * (2.0 if c else 3.0)


@pytest.mark.parametrize("f", [stops_early, with_state, rebinding, in_a_while, as_a_value])
def test_chain(f):
    laws.check_function(f, (X,), smooth=True)


@pytest.mark.parametrize(("f", "count"), [(stops_early, 2), (in_a_while, 9), (as_a_value, 3)])
def test_counts_of_calls(f, count):
    CALLS.clear()
    f(X)
    assert len(CALLS) == count
    CALLS.clear()
    tl.grad(f)(X)
    assert len(CALLS) == count


def test_operands_keep_what_they_were():
    def in_a_list(x):
        t = [x[0], (x := x * 2.0)[1], x[2]]
        return t[0] * t[1] * t[2]

    def in_a_tuple(x):
        k = 1
        y = (k, (k := 2), x[k])
        return y[2] * y[0] + y[1]

    for f in (in_a_list, in_a_tuple):
        laws.check_function(f, (X,), smooth=True)


def test_choose_by_a_list():
    def by_list(x):
        return np.sum(np.choose([0, 1, 1], [x, np.ones(3)]))

    def by_tuple(x):
        return np.sum(np.choose((0, 1, 0), [x, x * x]))

    def of_numbers(x):
        return np.sum(np.choose([1, 0, 1], x[:2]))

    def by_array(x):
        return np.sum(np.choose(np.array([0, 1, 1]), [x, x * x]) * x)

    for f in (by_list, by_tuple, of_numbers, by_array):
        laws.check_function(f, (X,), smooth=True)
