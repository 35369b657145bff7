"""Objects whose attributes stand in `__slots__`, alone or beside a `__dict__`."""

import copy

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.3, -0.7, 0.5])


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a
        self.b = a * a


class Private:
    __slots__ = ("__w",)

    def __init__(self, w):
        self.__w = w

    def value(self, x):
        return self.__w * x

    def update(self, x):
        self.__w = self.__w * x


class Below(Slotted):
    def __init__(self, a):
        super().__init__(a)
        self.c = 2.0 * a


def made_inside(x):
    s = Slotted(x)
    s.a = s.a * s.b
    return s.a * s.b + np.sin(s.b)


def made_in_a_loop(x):
    y = 0.0
    for k in range(3):
        s = Slotted(x * (k + 1.0))
        s.b *= s.a
        y += s.b
    return y


def in_a_subclass(x):
    s = Below(x)
    s.c = s.c * s.a
    s.a = s.c + s.b
    return s.a * s.c


def private(x):
    s = Private(x)
    s.update(x)
    return s.value(x)


@pytest.mark.parametrize("f", [made_inside, made_in_a_loop, in_a_subclass, private])
def test_made_inside(f):
    laws.check_function(f, (1.3,))
    rng = np.random.default_rng(0)
    laws.check_second_order(f, (1.3,), (0,), rng, twice=True)


def stored(s, x):
    s.a = s.a * s.b * x
    s.b += s.a
    return s.a * s.b


@pytest.mark.parametrize("cls", [Slotted, Below])
def test_as_an_argument(cls):
    s = cls(1.3)
    g = tl.grad(stored)(s, 0.7)
    assert type(g) is cls
    assert (s.a, s.b) == (1.3, 1.3 * 1.3)
    for key in ("a", "b"):
        ends = []
        for step in (1e-6, -1e-6):
            moved = copy.copy(s)
            setattr(moved, key, getattr(moved, key) + step)
            ends.append(stored(moved, 0.7))
        assert abs(getattr(g, key) - (ends[0] - ends[1]) / 2e-6) < 1e-6
    x_bar = tl.grad(stored, wrt=1)(s, 0.7)
    wanted = (stored(cls(1.3), 0.7 + 1e-6) - stored(cls(1.3), 0.7 - 1e-6)) / 2e-6
    assert abs(x_bar - wanted) < 1e-6


OUTSIDE = Slotted(2.0)


def counted(x):
    OUTSIDE.a = OUTSIDE.a * x
    return OUTSIDE.a * OUTSIDE.b


@pytest.mark.parametrize("derivative", [tl.grad, tl.value_and_grad])
def test_state_outside_ends_as_after_one_call(derivative):
    OUTSIDE.a, OUTSIDE.b = 2.0, 4.0
    derivative(counted)(0.5)
    assert (OUTSIDE.a, OUTSIDE.b) == (1.0, 4.0)
    OUTSIDE.a = 2.0
    g = derivative(counted)(0.5)
    assert (g if derivative is tl.grad else g[1]) == 8.0
