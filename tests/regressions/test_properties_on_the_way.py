"""A property that is asked for inside of an expression is called, and the expression is still computed."""

import numpy as np
import pytest

import tapeless as tl
import tapeless.testing
from tests import laws

V = np.array([0.5, 0.7, 1.2])


class Part:
    def __init__(self, size, weight):
        self.size, self.weight = size, weight


class Whole:
    asked = 0

    def __init__(self, v):
        self.parts = [Part(1, v[0]), Part(2, v[1])]
        self.v = v
        self.log = []

    @property
    def count(self):
        return max(part.size for part in self.parts)

    @property
    def heaviest(self):
        return max(part.weight for part in self.parts)

    @property
    def noted(self):
        self.log.append(self.v[2])
        return self.heaviest

    def zeros(self):
        made = np.zeros((self.count, self.count + 1))
        for part in self.parts:
            made[part.size - 1, 0] += part.weight
        return made


def in_a_shape(v):
    return np.sum(Whole(v).zeros() ** 2) * v[2]


def in_a_rounding(v):
    return np.ceil(9.7 * Whole(v).heaviest) * v[2]


def in_a_loop(v):
    whole, total = Whole(v), 0.0
    for _ in range(2):
        whole.v = whole.v * np.floor(whole.heaviest + 2.0)
        total += np.sum(np.ones(whole.count)) * np.sum(whole.v)
    return total


def in_a_branch(v):
    whole = Whole(v)
    if v[0] > 0.0:
        signs = np.sign([whole.heaviest, -whole.count])
        return np.sum(signs * v[:2]) + v[2]
    return v[0]


def that_stores(v):
    whole = Whole(v)
    found = np.floor(whole.noted * 3.0) + np.rint(whole.noted)
    return found * v[0] + sum(whole.log)


@pytest.mark.parametrize("f", [in_a_shape, in_a_rounding, in_a_loop, in_a_branch, that_stores])
def test_laws_and_replay(f):
    laws.check_function(f, (V,))
    tapeless.testing.check_replay(f, V)


@pytest.mark.parametrize("flag", [True, False])
def test_one_that_may_not_be_asked(flag):
    def f(v, flag):
        whole = Whole(v)
        return np.sum(np.ones(whole.count if flag else 3)) * whole.v[0]

    assert tl.grad(f)(V, flag).tolist() == [2.0 if flag else 3.0, 0.0, 0.0]
