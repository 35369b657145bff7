"""What `functools.cached_property` computes once, and keeps in the attribute of its name."""

import copy
import functools
import logging

import numpy as np
import pytest

import tapeless as tl
from tests import laws


class Model:
    def __init__(self, w):
        self.w = w
        self.calls = 0

    @functools.cached_property
    def weights(self):
        self.calls += 1
        return np.exp(self.w) / np.sum(np.exp(self.w))

    @functools.cached_property
    def first(self):
        """The largest weight, or the mean."""
        for w in self.weights:
            if w > 0.5:
                return w * 2.0
        logging.debug("none is large")
        return np.mean(self.weights) + self.w[0] ** 2

    @property
    def doubled(self):
        return 2.0 * self.weights


class Named(Model):
    @functools.cached_property
    def weights(self):
        return super().doubled if self.w[0] > 10.0 else np.sin(self.w)


def read_twice(x):
    m = Model(x)
    return np.sum(m.weights * x) + m.first * m.weights[0]


def read_in_a_loop(x):
    m, t = Model(x), 0.0
    for k in range(3):
        t = t + np.sum(m.weights * x) ** k
    return t * m.calls


def kept_where_the_state_moves_on(x):
    m = Model(x)
    y = np.sum(m.weights**2)
    m.w = m.w * 3.0
    return y * np.sum(m.weights * m.w)


def read_on_one_way(x):
    m = Model(x)
    if x[0] > 0.0:
        y = m.weights[1]
        m.w = m.w + 1.0
    else:
        y = x[0]
    return y * m.weights[0] ** 2


def given_another_value(x):
    m = Model(x)
    m.weights = x * 3.0
    return np.sum(m.weights * m.doubled) + m.calls


def of_a_derived_class(x):
    return sum(np.sum(m.weights * x) for m in [Named(x), Named(x * 0.5)])


def through_a_property(x):
    m = Model(x)
    return np.sum(m.doubled * m.doubled) * (m.first if m.calls == 1 else 0.0)


PROGRAMS = [
    read_twice,
    read_in_a_loop,
    kept_where_the_state_moves_on,
    read_on_one_way,
    given_another_value,
    of_a_derived_class,
    through_a_property,
]
POINTS = [np.array([0.3, 0.2, -0.5]), np.array([-0.3, 0.8, 0.1]), np.array([2.5, 0.3, 0.1])]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_computed_once(f):
    for x in POINTS:
        laws.check_function(f, (x,))


def of_an_object_from_outside(x):
    return np.sum(OUTSIDE.weights * x**2) + OUTSIDE.first * x[0]


OUTSIDE = Model(np.array([0.1, 0.4, 0.2]))


def test_an_object_that_keeps_it_between_calls():
    x = np.array([0.3, 0.2, -0.5])
    grad = tl.grad(of_an_object_from_outside)
    first = grad(x)
    assert OUTSIDE.calls == 1
    np.testing.assert_array_equal(grad(x), first)
    assert OUTSIDE.calls == 1
    OUTSIDE.weights = np.array([1.0, 2.0, 3.0])
    wanted = 2.0 * OUTSIDE.weights * x + np.array([OUTSIDE.first, 0.0, 0.0])
    np.testing.assert_allclose(grad(x), wanted, rtol=1e-14)
    np.testing.assert_allclose(tl.jvp(of_an_object_from_outside, (x,), (x,))[1], wanted @ x)


def of_an_object(m):
    return np.sum(m.weights**2) * m.weights[0] + m.calls


def test_an_object_that_is_given():
    for kept in (False, True):
        m = Model(np.array([0.1, 0.4, 0.2]))
        if kept:
            assert m.first
        before = copy.deepcopy(vars(m))
        got = tl.grad(of_an_object)(m)
        assert vars(m).keys() == before.keys()
        h = 1e-6
        for i in range(3):
            values = []
            for step in (h, -h):
                moved = Model(m.w + step * np.eye(3)[i])
                if kept:
                    vars(moved).update(weights=vars(m)["weights"])
                values.append(of_an_object(moved))
            slope = (values[0] - values[1]) / (2 * h)
            assert abs(got.w[i] - slope) < 1e-7
        assert kept == bool(np.any(vars(got).get("weights", 0.0)))
