"""Layers within layers whose methods return several things."""

import numpy as np
import pytest

from tests import laws

X1 = np.array([1.0, 2.0])

X = np.array([0.3, 0.5, -0.7, 1.1])


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


def chain_in_a_chain(w1):
    x, l = Ch([Ch([AC(w1)])]).f(X1)
    return (x**2).sum()


CASES = [
    (chain_in_a_chain, (0.3,)),
]


@pytest.mark.parametrize("f, args", CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_derivatives(f, args):
    laws.check_orders(f, *args)
