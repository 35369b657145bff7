"""Of what an opaque function gives the class is not known: a test of it is asked when it runs."""

import os
import platform
import time

import numpy as np
import pytest

import tapeless as tl
from tests import laws


def pick(key, x):
    if isinstance(key, int):
        return x * 2.0
    return x * x


def given_by_the_system(x):
    return pick(os.getpid(), x)


def in_a_list(x):
    return pick([os.getpid()][0], x)


def of_a_quotient(x):
    first, _ = divmod(os.getpid(), 3)
    return pick(first, x)


def a_text(x):
    return pick(platform.system(), x)


def a_float(x):
    found = time.time()
    return x * 3.0 if isinstance(found, float) else x * x


def none_or_a_number(x):
    found = os.cpu_count()
    if found is None or isinstance(found, str):
        return x
    return x * x * x if isinstance(found, int) else x


@pytest.mark.parametrize(
    "f", [given_by_the_system, in_a_list, of_a_quotient, a_text, a_float, none_or_a_number]
)
def test_a_class_that_is_not_known(f):
    laws.check_function(f, (2.0,), smooth=True)


class Pair:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def __iadd__(self, other):
        self.a = self.a + other.a
        self.b += other.b
        return self

    def __add__(self, other):
        return Pair(self.a + other.a, self.b * other.b)

    def __radd__(self, other):
        return Pair(2.0, 3.0)


OUTSIDE = [None]


def added_in_place(x):
    u = Pair(x[0], x[1])
    OUTSIDE[0] = (u,)
    v = OUTSIDE[0][0]
    v += Pair(x[2], x[0])
    return u.a * u.b


def added(x):
    OUTSIDE[0] = (Pair(x[0], x[1]),)
    v = OUTSIDE[0][0] + Pair(x[2], x[0])
    return v.a * v.b


def deeper_in_a_tuple(x):
    u = Pair(x[0], x[1])
    OUTSIDE[0] = ((u, 1.0), 2.0)
    v = OUTSIDE[0][0][0]
    v += Pair(x[2], x[0])
    return u.a * u.b


def in_a_tuple_or_none(x):
    u = Pair(x[0], x[1])
    held = None
    if x[0] > 0.0:
        held = (u,)
    v = held[0] + Pair(x[2], x[0])
    return v.a * v.b


@pytest.mark.parametrize("mode", ["grad", "jvp"])
@pytest.mark.parametrize("f", [added_in_place, added, deeper_in_a_tuple, in_a_tuple_or_none])
def test_an_operator_of_what_tuples_hold(f, mode):
    OUTSIDE[0] = None
    x, v = np.array([0.6, -1.4, 2.3]), np.array([1.0, -0.5, 0.7])
    wanted = (f(x + 1e-6 * v) - f(x - 1e-6 * v)) / 2e-6
    OUTSIDE[0] = None
    found = tl.grad(f)(x) @ v if mode == "grad" else tl.jvp(f, (x,), (v,))[1]
    np.testing.assert_allclose(found, wanted, atol=1e-7)
