"""Calls of what `functools.partial` made outside, and of class methods that are handed on."""

import functools

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.6, 1.4, 2.3, 0.9])
W = np.array([1.0, 2.0, 3.0, 4.0])


def power(x, k, n):
    return np.sum(x**n) * k


def scaled(w, x):
    return np.sum(w * x * x)


cubes = functools.partial(power, k=2.0, n=3)
weighted = functools.partial(scaled, W)
more = functools.partial(cubes, k=3.0)
total = functools.partial(np.sum, axis=0)


class Holder:
    factor = 3.0

    def __init__(self):
        self.f = cubes

    @staticmethod
    def square(x):
        return x * x

    @classmethod
    def times(cls, x):
        return cls.factor * x * x


holder = Holder()


def apply(f, x):
    return f(x)


def called(x):
    return cubes(x)


def given_another_value(x):
    return weighted(x) * cubes(x, k=5.0)


def of_a_partial(x):
    return more(x)


def of_numpy(x):
    return total(x * x)


def handed_on(x):
    return apply(cubes, x)


def in_an_attribute(x):
    return holder.f(x)


def in_a_loop(x):
    y = 0.0
    for v in x:
        y = y + cubes(v)
    return y


def mapped(x):
    return sum(map(cubes, x))


def in_a_branch(x):
    return cubes(x) if x[0] > 0.0 else weighted(x)


def methods_of_a_class_handed_on(x):
    return apply(Holder.square, x[0]) * apply(Holder.times, x[1])


PROGRAMS = [
    called, given_another_value, of_a_partial, of_numpy, handed_on, in_an_attribute, in_a_loop, mapped,
    in_a_branch, methods_of_a_class_handed_on,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_laws(f):
    laws.check_function(f, (X,))


@pytest.mark.usefixtures("noticed")
def test_another_partial_under_the_name_is_noticed(monkeypatch):
    df = tl.grad(called)
    np.testing.assert_allclose(df(X), 6.0 * X**2)
    monkeypatch.setitem(globals(), "cubes", functools.partial(power, k=4.0, n=2))
    np.testing.assert_allclose(df(X), 8.0 * X)
    monkeypatch.setitem(globals(), "cubes", functools.partial(scaled, W))
    np.testing.assert_allclose(df(X), 2.0 * W * X)
