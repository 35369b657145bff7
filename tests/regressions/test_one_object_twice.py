"""One object that is given to a function twice, or handed on: its adjoint is one, in the memory.

The adjoint of a result that is one object is copied. Its attributes have adjoints of their own, which are
found by what the attributes hold: the copy is written out by attributes, or what reaches it is lost.
"""

import numpy as np
import pytest

from tests import laws

V = np.array([0.2, -1.0, 0.4])


class Vector:
    def __init__(self, v):
        self.v = v

    def times(self, other):
        return Vector(self.v * other.v)

    def negated(self):
        return Vector(-self.v)


class Quaternion:
    __slots__ = ("v", "w")

    def __init__(self, w, v):
        self.w, self.v = w, v

    def __mul__(self, other):
        w = self.w * other.w - self.v @ other.v
        return Quaternion(w, self.w * other.v + other.w * self.v + np.cross(self.v, other.v))

    def __add__(self, other):
        return Quaternion(self.w + other.w, self.v + other.v)

    def conjugate(self):
        return Quaternion(self.w, -self.v)

    def norm(self):
        return self.w**2 + self.v @ self.v


def squared_twice(v):
    once = Vector(v)
    twice = once.times(once)
    return np.sum(twice.times(twice).v)


def squared_and_turned(v):
    twice = Vector(v).times(Vector(v))
    return np.sum(twice.times(twice.negated()).times(twice).v)


def rotated(w, v):
    q = Quaternion(w, v)
    r = q * q
    p = r * Quaternion(0.0, np.array([1.0, 0.3, -0.2])) * r.conjugate()
    return np.sum(p.v * np.array([1.0, 2.0, -1.0]))


def powers(w, v):
    q = Quaternion(w, v)
    r = q
    for _ in range(2):
        r = r * q
    return r.norm()


def multiples(w, v):
    q = Quaternion(w, v)
    total = q
    for _ in range(3):
        total = total + q
    return total.norm()


def held_in_a_list(v):
    found = [Vector(v)]
    for _ in range(2):
        found.append(found[-1].times(found[-1]))
    return np.sum(found[-1].v)


CASES = [
    (squared_twice, (V,)),
    (squared_and_turned, (V,)),
    (rotated, (0.3, V)),
    (powers, (0.3, V)),
    (multiples, (0.3, V)),
    (held_in_a_list, (V,)),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_both_places_reach_the_one_adjoint(f, args):
    laws.check_orders(f, *args)
