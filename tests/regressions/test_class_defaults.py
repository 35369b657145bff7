"""Attributes that an object may have of its own, and finds in its class as long as it has not."""

import numpy as np
import pytest

from tests import laws


def relu(v):
    return np.maximum(v, 0.0)


class Lazy:
    cache = None

    def get(self, x):
        if self.cache is None:
            self.cache = x * x
        return self.cache


class Filled:
    value = None

    def __init__(self, value):
        self.value = value

    def drop(self):
        del self.value


class Mode:
    mode = None
    count = 0
    seen = False
    order = 2

    def step(self, x):
        if x > 0.5:
            self.mode = "fast"
            self.count = self.count + 1
        return x * x if self.mode is None else x**3 * self.count

    def look(self, x):
        if x > 1.0:
            self.seen = True
        return x * x if self.seen else x**3

    def raised(self, x):
        if x > 1.0:
            self.order = 3
        return x * x if self.order == 3 else x


class Scaled:
    factor = None

    def __init__(self, factor):
        self.factor = self.factor or factor

    def __call__(self, x):
        return self.factor * x * x


class Unit:
    act = np.tanh
    gain = 2.0

    def __init__(self, act=None, gain=None):
        if act is not None:
            self.act = act
        if gain is not None:
            self.gain = gain

    def called(self, x):
        return self.act(x) * self.gain

    def held(self, x):
        act = self.act
        return act(x) * self.gain

    def double(self, x):
        return 2.0 * x * x


UNITS = [Unit(np.sin), Unit(), Unit(gain=3)]
MODES = [Mode(), Mode()]
MODES[0].mode = "slow"
OWN = Unit()
OWN.double = np.exp


def made_when_asked(x):
    lazy = Lazy()
    return lazy.get(x) + lazy.get(2.0 * x)


def set_in_a_branch(x):
    mode = Mode()
    return mode.step(0.1 * x) + mode.step(x) + mode.step(x)


def flag_raised(x):
    mode = Mode()
    return mode.look(x) + mode.look(3.0 * x)


def integer_changed(x):
    mode = Mode()
    return mode.raised(x) + mode.raised(3.0 * x)


def read_by_the_constructor(x):
    return Scaled(x)(x)


def some_have_their_own(x):
    y = 0.0
    for mode in MODES:
        y = y + (x if mode.mode is None else x * x)
    return y


def functions_called(x):
    for unit in UNITS:
        x = unit.called(x)
    return x


def functions_held(x):
    for unit in UNITS:
        x = unit.held(x)
    return x


def taken_away(x):
    lazy = Lazy()
    lazy.cache = 2.0 * x
    y = lazy.cache * x
    del lazy.cache
    return y if lazy.cache is None else y * y


def filled_and_taken_away(x):
    filled = Filled(x)
    y = filled.value * x
    filled.drop()
    return y if filled.value is None else y * y


def made_here(x):
    for unit in [Unit(), Unit(np.sin)]:
        x = unit.called(x)
    return x


def method_replaced(x):
    return OWN.double(x)


def replaced_method_held(x):
    double = OWN.double
    return double(x)


PROGRAMS = [
    made_when_asked, set_in_a_branch, flag_raised, integer_changed, read_by_the_constructor,
    some_have_their_own, functions_called, functions_held, taken_away,
    filled_and_taken_away, made_here, method_replaced,
    replaced_method_held,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_attribute(f):
    laws.check_function(f, (0.7,))
