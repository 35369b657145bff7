"""Calls of functions that always raise: they bind nothing, and nothing is reached behind them."""

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.5, 1.2, -0.7, 2.1])


def fail(v):
    raise ValueError("bad")


class Table:
    def __init__(self, x):
        self.values = {"a": x[0], "b": x[1]}

    def get(self, name):
        if name not in self.values:
            raise AttributeError(name)
        return self.values[name]


def in_a_branch(x):
    if x[0] < 0:
        fail(x)
    else:
        y = x * x
    return np.sum(y * x)


def bound_in_a_branch(x):
    if x[0] < 0:
        y = fail(x)
    else:
        y = x * x
    return np.sum(y * x)


def bound_in_an_attempt(x):
    try:
        y = fail(x)
    except ValueError:
        y = x * x
    return np.sum(y * x)


def returned_from_an_attempt(x):
    try:
        return fail(x)
    except ValueError:
        return np.sum(x * x * x)


def amid_an_attempt(x):
    try:
        z = x * 2
        y = fail(z)
        w = y + z
    except ValueError:
        w = x * x * x
    return np.sum(w)


def by_a_method(x):
    p = Table(x)
    try:
        return p.get("zz")
    except AttributeError:
        return p.get("a") * p.get("a")


RIGHT = [
    in_a_branch,
    bound_in_a_branch,
    bound_in_an_attempt,
    returned_from_an_attempt,
    amid_an_attempt,
    by_a_method,
]


@pytest.mark.parametrize("f", RIGHT, ids=lambda f: f.__name__)
def test_what_is_reached_on_other_ways_is_differentiated(f):
    tl.check_grads(f, X, order=2, replay=True)
