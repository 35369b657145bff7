"""Statements that are nothing but an expression run code of the user's: properties, items, operators.

A property that is cached is kept from there on, so what it keeps carries a derivative afterwards.
"""

from functools import cached_property

import numpy as np
import pytest

from tests import laws

X = np.array([0.3, 0.5, -0.7])


class Kept:
    def __init__(self, a):
        self.a = a

    @cached_property
    def v(self):
        return np.sin(self.a) * np.ones(3)

    @cached_property
    def s(self):
        return self.v.sum() * self.a


def use(g, x):
    return g.s * x + g.v[0]


def asked_before(x):
    g = Kept(x[0])
    g.v
    return g.v[0] * x[1]


def one_of_two_asked_before(x):
    g, h = Kept(x[0]), Kept(x[1])
    g.v
    t = 0.0
    for k in (g, h):
        t = t + use(k, x[2])
    return t


def asked_in_a_loop(x):
    g, h = Kept(x[0]), Kept(x[1])
    for k in (g, h):
        k.v
    return g.v[0] + h.v[1] * 2.0


def one_of_a_list(x):
    gs = [Kept(v) for v in x]
    gs[1].s
    return sum(use(k, x[2]) for k in gs) + sum(use(k, x[1]) for k in gs)


def changed_between(x):
    g = Kept(x[0])
    y = g.v.sum()
    g.a = x[1]
    y = y + g.v.sum() + g.s
    del g.v
    return y + g.v.sum()


class Meter:
    def __init__(self):
        self.t = 0.0

    def __lshift__(self, v):
        self.t = self.t + v * v
        return self

    def __getitem__(self, i):
        self.t = self.t * 2.0
        return i

    @property
    def tick(self):
        self.t = self.t + 1.0
        return 0

    def __neg__(self):
        self.t = -self.t
        return self


def operators(x):
    a = Meter()
    a << x[0]
    a << x[1]
    a[0]
    a.tick
    -a
    return a.t


def nothing_but_numbers(x):
    np.pi
    x[0]
    x + 1.0
    (x, x)
    return x[2] ** 2


CASES = [
    asked_before, one_of_two_asked_before, asked_in_a_loop, one_of_a_list, changed_between, operators,
    nothing_but_numbers,
]  # fmt: skip


@pytest.mark.parametrize("f", CASES)
def test_derivatives(f):
    laws.check_orders(f, X)


class Process:
    """A Gaussian process whose weights are kept, and rest on what is kept itself."""

    def __init__(self, at, width):
        self.at, self.width = at, width

    def kernel(self, a, b):
        return np.exp(-np.sum((a[:, None] - b[None]) ** 2, -1) / self.width)

    @cached_property
    def factor(self):
        return np.linalg.inv(self.kernel(self.at, self.at) + 0.1 * np.eye(3))

    @cached_property
    def weights(self):
        return self.factor @ np.ones(3)

    def mean(self, x):
        return self.kernel(np.atleast_2d(x), self.at) @ self.weights


def test_what_rests_on_what_is_kept():
    def f(x, width):
        return Process(np.eye(3)[:, :2], width).mean(x)[0] ** 2

    laws.check_orders(f, np.array([0.3, 0.6]), 0.7)
