"""Loops over classes, and signs before objects."""

import numpy as np
import pytest

from tests import laws

X = np.array([0.3, 0.5, -0.7, 1.1])


class P:
    @classmethod
    def dev(cls, y, m):
        return (y * m).sum()


class B:
    @staticmethod
    def dev(y, m):
        return (y * np.log(m)).sum()


def fit(fam, y):
    return fam.dev(y, 1.0 / (1.0 + np.exp(-y)))


def fitted(y):
    return sum(fit(f, y) for f in (P, B))


def in_a_dict(y):
    s = 0.0
    for name, fam in {"p": P, "b": B}.items():
        s = s * 2.0 + fam.dev(y, y * y)
    return s


def loops_in_loops(y):
    s = 0.0
    for fam in [P, B]:
        for other in (B, P):
            s = s * 2.0 + fam.dev(y, y * y) * other.dev(y, y**2 + 1.0)
    return s


class Lay:
    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return np.tanh(self.w * x)


class Lay2(Lay):
    def __call__(self, x):
        return self.w + x


def made_in_a_loop(y):
    s = y
    for cls, w in zip((Lay, Lay2), (y[0], y[1])):
        s = cls(w)(s)
    return np.sum(s)


class V:
    def __init__(self, a):
        self.a = a

    def __mul__(self, s):
        return V(self.a * s)

    __rmul__ = __mul__

    def __neg__(self):
        return -1.0 * self

    def __add__(self, o):
        return V(self.a + o.a)

    def __sub__(self, o):
        return self + -o


def minus_one_times(x):
    return (V(x) - V(x * x)).a


def shape_times_two(x):
    p = np.ones(np.array(x.shape) * 2)
    p[:2] += x
    return p.sum() * p[0]


def shape_less_one(x):
    n = np.array(x.shape) - 1
    p = np.empty(n)
    p[...] = x[1:, 1:] * x[:-1, :-1]
    return np.prod(p)


def shape_in_an_array(x):
    y = x.reshape(np.array([2, 2]))
    return np.sum(y @ y)


def kept_by_their_names(y):
    found = {}
    for family in (P, B):
        found[family.__name__] = family.dev(y, y * y + 1.0)
    return found["P"] * found["B"]


CASES = [
    (kept_by_their_names, (X,)),
    (fitted, (X,)),
    (in_a_dict, (X,)),
    (loops_in_loops, (X,)),
    (made_in_a_loop, (X,)),
    (minus_one_times, (0.3,)),
    (shape_times_two, (np.array([0.3, 0.5]),)),
    (shape_less_one, (np.array([[0.3, 0.5], [1.0, 2.0]]),)),
    (shape_in_an_array, (np.array([0.3, 0.5, 0.2, 0.1]),)),
]


@pytest.mark.parametrize("f, args", CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_derivatives(f, args):
    laws.check_orders(f, *args)
