"""`sum` of objects of classes that say how they are added, to 0 as well."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.3, 0.7, 1.1])


class Amount:
    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        return Amount(self.v + (other.v if isinstance(other, Amount) else other))

    __radd__ = __add__


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __add__(self, other):
        return Pair(self.a + other.a, self.b * other.b)

    def __radd__(self, other):
        return self if other == 0 else self.__add__(other)


def of_a_list(x):
    return sum([Amount(x[0]), Amount(x[1] ** 2)]).v


def of_a_generator(x):
    return sum(Amount(v * v) for v in x).v ** 2


def of_a_tuple(x):
    return sum(tuple(Amount(v) for v in x)).v ** 2


def of_several_lengths(x):
    total = 0.0
    for k in range(1, 4):
        total = total + sum([Amount(v) for v in x[:k]]).v ** 2
    return total


def from_one_on(x):
    pairs = [Pair(v, v) for v in x]
    return sum(pairs[1:], pairs[0]).b + sum(pairs, start=Pair(1.0, x[0])).a


def of_pairs(x):
    total = sum([Pair(v, v + i) for i, v in enumerate(x)])
    return total.a * total.b


@pytest.mark.parametrize(
    "f", [of_a_list, of_a_generator, of_a_tuple, of_several_lengths, from_one_on]
)
def test_derivatives(f):
    laws.check_orders(f, X)


def test_first_derivatives():
    tl.check_grads(of_pairs, X, order=1, replay=True)


def test_the_sum_of_none():
    with pytest.raises(ValueError, match="the sum of no objects"):
        tl.grad(lambda x: sum([Amount(v) for v in x]).v)(np.zeros(0))
