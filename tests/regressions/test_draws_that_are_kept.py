"""Draws with constant parameters, kept where later is what varies."""

import numpy as np
import pytest

from tests import laws

X = np.array([0.3, 0.5, -0.7, 1.1])


class PF:
    def __init__(self, n):
        self.n = n
        self.x = None

    def go(self, f):
        self.x = f(self.x)
        return self.x.sum()


def in_an_attribute(th):
    rng = np.random.default_rng(3)
    pf = PF(5)
    pf.x = rng.standard_normal(5)
    return pf.go(lambda x: np.sin(th[0] * x))


def in_a_dict(th):
    rng = np.random.default_rng(3)
    d = {}
    d["x"] = rng.standard_normal(5)
    d["x"] = d["x"] * th[0]
    return d["x"].sum()


def in_a_list(th):
    rng = np.random.default_rng(3)
    d = [None, None]
    d[0] = rng.normal(size=3)
    d[0] = d[0] * th
    return d[0].sum()


class MC:
    def __init__(self, th, seed=0):
        self.th, self.rng = (th, np.random.default_rng(seed))
        self.state = self.rng.normal(size=3)

    def step(self):
        self.state = self.state * self.th + self.rng.normal(size=3) * 0.1


def in_a_walker(th):
    m = MC(th)
    for _ in range(3):
        m.step()
    return np.sum(m.state**2)


CASES = [
    (in_an_attribute, (np.array([0.5, 1.2, 0.3]),)),
    (in_a_dict, (np.array([0.5, 1.2, 0.3]),)),
    (in_a_list, (np.array([0.5, 1.2, 0.3]),)),
    (in_a_walker, (np.array([0.5, 1.2, 0.3]),)),
]


@pytest.mark.parametrize("f, args", CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_derivatives(f, args):
    laws.check_orders(f, *args)
