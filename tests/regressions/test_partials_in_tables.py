"""What `functools.partial` made outside and a dict, a list or an object there holds."""

from functools import partial

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.3, 0.7, 1.1])


def leaky(x, alpha=0.1):
    return np.where(x > 0.5, x, alpha * x)


def scale(x, k, *, b=0.0):
    return x * k + b


TABLE = {"leaky": partial(leaky, alpha=0.3), "tanh": np.tanh, "scale": partial(scale, k=2.0)}
STEPS = [partial(scale, k=2.0, b=1.0), np.sin, partial(leaky)]


class Net:
    def __init__(self):
        self.act = partial(leaky, alpha=0.2)
        self.hooks = [partial(scale, k=0.5)]

    def __call__(self, x):
        x = self.act(x)
        for hook in self.hooks:
            x = hook(x)
        return x


NET = Net()


def by_key(x):
    return np.sum(TABLE["leaky"](x) * TABLE["scale"](x) * TABLE["tanh"](x))


def one_after_the_other(x):
    for step in STEPS:
        x = step(x)
    return np.sum(x)


def each_of_a_dict(x):
    for act in TABLE.values():
        x = x + act(x)
    return np.sum(x)


def of_an_object(x):
    return np.sum(NET(x) ** 2)


def found(key):
    return TABLE.get(key, np.cos)


def found_or_not(x):
    return np.sum(found("leaky")(x) + found("nothing")(x))


@pytest.mark.parametrize(
    "f", [by_key, one_after_the_other, each_of_a_dict, of_an_object, found_or_not]
)
def test_derivatives(f):
    laws.check_orders(f, X)


def test_another_one_in_its_place(monkeypatch):
    g = tl.grad(one_after_the_other)
    expected = np.cos(2.0 * X + 1.0) * 2.0
    np.testing.assert_allclose(g(X), np.where(np.sin(2.0 * X + 1.0) > 0.5, 1.0, 0.1) * expected)
    monkeypatch.setitem(globals(), "STEPS", [*STEPS[:2], partial(leaky, alpha=0.4)])
    np.testing.assert_allclose(g(X), np.where(np.sin(2.0 * X + 1.0) > 0.5, 1.0, 0.4) * expected)
