"""Arrays that a function hands on and its caller stores into: each function on the way is told so.

The adjoint of such an array is in the memory. In a derivative that is differentiated again, a function that
only hands the memory on to another one has no name for that adjoint, and has to tell the other all the same.
"""

import numpy as np
import pytest

from tests import laws

X = np.array([0.3, -0.4, 0.5])


class Point:
    def __init__(self, a, b=1.0):
        self.a, self.b = a, b

    def add(self, other):
        return Point(self.a + other.a, self.b + 0.5 * other.b)

    def plus(self, other):
        return self.add(other)

    def __add__(self, other):
        return self.plus(other)

    def put(self, i, value):
        self.a[i] = value

    def bump(self, other):
        self.a += other.a
        self.b += other.b

    def norm(self):
        return np.sum(self.a**3) + self.b**2


def twice(p):
    return p.add(p)


def stored_into(x):
    q = Point(x * x)
    p = q.plus(q)
    p.put(2, 0.5)
    return np.sum(p.a**3)


def stored_into_after_use(x):
    q = Point(np.sin(x))
    p = q + q
    r = p.add(q)
    p.put(2, p.b * 0.5)
    return r.norm() + p.norm()


def bumped(x, s):
    q = Point(np.sin(x), s * s)
    for _ in range(2):
        p = q + q
    r = twice(p)
    r.bump(p)
    return r.norm() + q.norm()


def handed_through(x, s):
    p = Point(x * s, s)
    for i in range(2):
        p = twice(p + p)
        p.put(i, s)
    return p.norm()


def turned(p):
    return Point(p.a, p.b * p.a), p.b


def in_a_tuple(x):
    p, total = Point(x[0], x[1]), 0.0
    for _ in range(2):
        p, y = turned(p)
        total += y * p.b
    return total * p.a


class Chained(Point):
    def made(self, other):
        return Chained(self.a + other.a, self.b * other.b)

    def stored(self, other):
        r = self.made(other)
        r.a[0] = other.b
        return r

    def doubled(self, other):
        r = self.stored(other)
        return r.made(r)


def beside(p, q):
    return q, p.doubled(q)


def gone_after_a_call(x, s):
    """What is stored into deep inside is gone; it has the name, counted by places, of what comes back."""
    q = Chained(np.sin(x), s * s)
    p = q.stored(Chained(x * 1.0, s))
    _, r = beside(q, p)
    return r.norm()


CASES = [
    (stored_into, (X,)),
    (stored_into_after_use, (X,)),
    (bumped, (X, 0.6)),
    (handed_through, (X, 0.6)),
    (in_a_tuple, (X,)),
    (gone_after_a_call, (X, 0.6)),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_functions_that_hand_on(f, args):
    laws.check_orders(f, *args)
