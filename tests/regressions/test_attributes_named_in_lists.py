"""Attributes whose names stand in a list that an object keeps, or that a caller made."""

from collections import namedtuple

import numpy as np
import pytest

from tests import laws

X = np.array([0.3, 0.5, -0.7, 1.1])


class M2:
    def __init__(self, names):
        self.names = names
        self.vals = {}

    def set(self, theta):
        for n, v in zip(self.names, theta):
            setattr(self, n, v)

    def f(self):
        return self.a * np.exp(self.b)


def set_by_a_method(x):
    m = M2(["a", "b"])
    m.set(x)
    return m.f()


class P:
    def __init__(self, names):
        self.names = list(names)

    def set(self, theta):
        for i, n in enumerate(self.names):
            setattr(self, n, theta[i])
        return self

    def energy(self):
        return self.k * self.m**2


def names_copied_first(x):
    p = P(["k", "m"])
    return p.set(x).energy()


class Q:
    def __init__(self, **kw):
        self.names = list(kw)
        for n in kw:
            setattr(self, n, kw[n])

    def vector(self):
        return np.array([getattr(self, n) for n in self.names])

    def update(self, v):
        for n, e in zip(self.names, v):
            setattr(self, n, getattr(self, n) + e)


def names_of_keywords(x):
    q = Q(k=x[0], m=x[1] * 2.0)
    q.update(x * x)
    return np.sum(q.vector() ** 2) + q.k


class M3:
    def __init__(self, **kw):
        for k, v in kw.items():
            setattr(self, k, v)

    def get(self):
        return {n: getattr(self, n) for n in ("a", "b")}


def got_by_a_method(x):
    p = M3(a=x[0], b=x[1]).get()
    return p["a"] * p["b"] ** 2


Point = namedtuple("Point", ["x", "y"])


class Named:
    names = ("x", "y")


def got_by_the_fields_of_a_class(x):
    point = Point(x[0], x[1] ** 2)
    return sum(getattr(point, field) ** 2 for field in Point._fields)


def got_by_the_fields_of_a_value(x):
    point = Point(x[0], x[1] ** 2)
    return sum(len(key) * value**2 for key, value in zip(point._fields, point))


def got_by_names_that_a_class_holds(x):
    point = Point(x[0], x[1] ** 2)
    total = 1.0
    for key in Named.names:
        total *= getattr(point, key)
    return total


CASES = [
    (got_by_the_fields_of_a_class, (np.array([0.3, 0.5]),)),
    (got_by_the_fields_of_a_value, (np.array([0.3, 0.5]),)),
    (got_by_names_that_a_class_holds, (np.array([0.3, 0.5]),)),
    (set_by_a_method, (np.array([0.3, 0.5]),)),
    (names_copied_first, (np.array([0.3, 0.5]),)),
    (names_of_keywords, (np.array([0.3, 0.5]),)),
    (got_by_a_method, (np.array([0.3, 0.5]),)),
]


@pytest.mark.parametrize("f, args", CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_derivatives(f, args):
    laws.check_orders(f, *args)
