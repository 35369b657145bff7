"""`act or otherwise`, `if hook`, `not f`: a function counts as true, unless code of its class says."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.3, 0.5, -0.7, 1.1])
ACTS = {"relu": lambda z: np.maximum(z, 0.0), "tanh": np.tanh}


class Layer:
    def __init__(self, w, act=None):
        self.w = w
        self.act = act or (lambda z: z)

    def __call__(self, x):
        return self.act(self.w * x)


def of_a_table_or_none(x):
    return np.sum(Layer(x[0], ACTS["relu"])(x)) + np.sum(Layer(x[1])(x) ** 2)


def of_numpy(x):
    return np.sum(Layer(x[0], np.sin)(x) * Layer(x[1], np.cos)(x))


def applied(x, act=None):
    f = act or (lambda z: z)
    return f(x)


def by_argument(x):
    return np.sum(applied(x)) * np.sum(applied(x, lambda z: z**2)) + np.sum(applied(x, np.exp))


def told(x, hook=None, quiet=None):
    if hook and not quiet:
        x = hook(x)
    if not hook:
        x = x * 3.0
    return np.sum(x**2)


def hooks(x):
    return told(x) * told(x, np.sin) + told(x, np.sin, print)


class Gain:
    """A callable that counts as false where it does nothing."""

    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return self.factor * x

    def __bool__(self):
        return bool(self.factor != 1.0)


NOTHING, DOUBLE = Gain(1.0), Gain(2.0)


def of_its_own_truth(x):
    return np.sum(applied(x, NOTHING) ** 2) + np.sum(applied(x, DOUBLE) ** 3)


@pytest.mark.parametrize("f", [of_a_table_or_none, of_numpy, by_argument, hooks])
def test_laws_and_replay(f):
    laws.check_orders(f, X)


def test_objects_that_say_themselves_are_asked_or_refused():
    with pytest.raises(tl.TapelessError, match="what `f` calls is not known"):
        tl.grad(of_its_own_truth)(X)
