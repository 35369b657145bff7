"""Layers within layers whose methods return several things."""

import numpy as np
import pytest

from tests import laws

X1 = np.array([1.0, 2.0])

W = np.array([0.3, -0.5, 0.8])


class Ch:
    def __init__(self, parts):
        self.parts = parts

    def f(self, x):
        for b in self.parts:
            x, ld = b.f(x)
        return (x, 0.0)


class AC:
    def __init__(self, w):
        self.w = w

    def f(self, x):
        return (np.array((x[0], x[1] * np.exp(self.w * x[0]))), 0.0)


class SlottedChain:
    __slots__ = ("parts",)

    def __init__(self, parts):
        self.parts = parts

    def f(self, x):
        total = 0.0
        for part in self.parts:
            x, more = part.f(x)
            total = total + more
        return x, total


class Scaling:
    def __init__(self, w):
        self.w = w

    def f(self, x):
        return np.tanh(self.w * x), self.w * np.sum(x)


class SlottedScaling:
    __slots__ = ("w",)

    def __init__(self, w):
        self.w = w

    def f(self, x):
        return self.w * np.sin(x), self.w


def chain_in_a_chain(w1):
    x, l = Ch([Ch([AC(w1)])]).f(X1)
    return (x**2).sum()


def three_deep(w):
    x, _ = Ch([Ch([Ch([AC(w[0])])])]).f(w[1:])
    return np.sum(x * x)


def two_chains_in_a_chain(w):
    x, _ = Ch([Ch([Scaling(w[0]), Scaling(w[1])]), Ch([Scaling(w[2])])]).f(X1)
    return np.sum(x * x)


def in_slots(w):
    chain = SlottedChain([SlottedChain([SlottedScaling(w[0])]), SlottedChain([Scaling(w[1])])])
    x, total = chain.f(X1)
    return np.sum(x * x) * total


def beside_a_chain(w):
    x, total = SlottedChain([Ch([Scaling(w[0])]), SlottedScaling(w[1])]).f(X1)
    return np.sum(x * x) + total * w[2]


def made_in_a_loop(w):
    x, total = SlottedChain([SlottedChain([Scaling(v)]) for v in w]).f(X1)
    return np.sum(x * x) + total * total


def one_layer_in_two_chains(w):
    layer = Scaling(w[0])
    x, _ = Ch([Ch([layer, Scaling(w[1])]), Ch([layer])]).f(X1)
    return np.sum(x * x)


CASES = [
    (chain_in_a_chain, (0.3,)),
    (three_deep, (W,)),
    (two_chains_in_a_chain, (W,)),
    (in_slots, (W,)),
    (beside_a_chain, (W,)),
    (made_in_a_loop, (W,)),
    (one_layer_in_two_chains, (W,)),
]


@pytest.mark.parametrize("f, args", CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_derivatives(f, args):
    laws.check_orders(f, *args)
