"""Modules that a name, an argument or an attribute stands for."""

import math
import types

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.3, 0.5, 1.1])


def by_another_name(x):
    xp, lin = np, np.linalg
    while xp.max(x) > 1.0:
        x = x * 0.9
    for v in xp.flip(x):
        if xp.abs(v) > 0.4:
            x = x * v
    return lin.norm(xp.sin(x))


def summed(x, xp=np):
    return xp.sum(xp.sin(x))


def by_default(x):
    return summed(x) ** 2


def by_keyword(x):
    return summed(x, xp=np) ** 2


class Backend:
    shared = math

    def __init__(self, lib):
        self.lib, self.lin = lib, lib.linalg

    def norm(self, x):
        return self.lin.norm(self.lib.ravel(x)) * self.shared.sin(x[0])


def kept_by_an_object(x):
    return Backend(np).norm(x)


KEPT = Backend(np)


def kept_outside(x):
    return KEPT.norm(x) ** 2


def chosen(x):
    return np if isinstance(x, np.ndarray) else math


def given_by_a_function(x):
    xp = chosen(x)
    return xp.sum(x * x) + chosen(x[0]).sin(x[0])


def asked_of_the_array(x):
    return x.__array_namespace__().sum(x) ** 2


def in_a_dict(x):
    libraries = {"np": np, "math": math}
    return libraries["np"].sum(x) * libraries["math"].sin(x[0])


def gone_through(x):
    s = 0.0
    for m in (np, math):
        s = s * 2.0 + m.sin(x[0]) * m.pi
    return s


def captured(x):
    xp = np

    def inner(y):
        return xp.sum(y**3)

    return inner(x) * inner(2.0 * x)


@pytest.mark.parametrize(
    "function",
    [
        by_another_name, by_default, by_keyword, kept_by_an_object, kept_outside, given_by_a_function,
        asked_of_the_array, in_a_dict, gone_through, captured,
    ],
    ids=lambda function: function.__name__,
)  # fmt: skip
def test_modules_that_go_by_a_name(function):
    laws.check_orders(function, X)


def taken_from(x, m):
    return m.wave(x)


def test_which_module_it_is_counts_at_each_call():
    first, second = types.ModuleType("first"), types.ModuleType("second")
    first.wave, second.wave = np.sin, np.cos
    gradient = tl.grad(taken_from)
    assert gradient(0.5, first) == pytest.approx(np.cos(0.5))
    assert gradient(0.5, second) == pytest.approx(-np.sin(0.5))
    assert gradient(0.5, first) == pytest.approx(np.cos(0.5))
    first.wave = np.exp
    assert gradient(0.5, first) == pytest.approx(np.exp(0.5))


class Wave:
    def __init__(self, m):
        self.m = m

    def __call__(self, x):
        return self.m.wave(x)


def test_what_an_object_holds_is_asked_at_each_call():
    first, second = types.ModuleType("first"), types.ModuleType("second")
    first.wave, second.wave = np.sin, np.cos
    gradient = tl.grad(lambda x, wave: wave(x))
    wave = Wave(first)
    assert gradient(0.5, wave) == pytest.approx(np.cos(0.5))
    wave.m = second
    assert gradient(0.5, wave) == pytest.approx(-np.sin(0.5))


def exchanged(x, first, second):
    wave, s = Wave(first), 0.0
    for i in range(3):
        s = s + wave(x) * (i + 1)
        wave.m = second if i == 0 else first
    return s


def test_what_may_be_either_of_two_is_refused():
    first, second = types.ModuleType("first"), types.ModuleType("second")
    first.wave, second.wave = np.sin, np.cos
    with pytest.raises(tl.NoGradientError, match=r"\.wave"):
        tl.grad(exchanged)(0.5, first, second)
