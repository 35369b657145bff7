"""A `grad` that a pullback keeps has what it captured when it was made, whatever changes afterwards."""

import functools

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.3, 0.5])


@tl.custom_gradient
def captured(x):
    def grad(dy):
        for _ in range(2):
            if x[0] > -100.0:
                return 3.0 * x * x * dy
        return dy

    return x**3, grad


@tl.custom_gradient
def captured_value(x):
    y = x**3

    def grad(dy):
        for _ in range(2):
            if x[0] > -100.0:
                return 3.0 * y / x * dy
        return dy

    return y, grad


@tl.custom_gradient
def by_an_inner_helper(x):
    def slope():
        return 3.0 * x * x

    def grad(dy):
        while True:
            return slope() * dy

    return x**3, grad


@tl.custom_gradient
def by_a_default(x):
    def grad(dy, x=x):
        while True:
            return 3.0 * x * x * dy

    return x**3, grad


def scaled(x, dy):
    return 3.0 * x * x * dy


@tl.custom_gradient
def by_a_partial(x):
    return x**3, functools.partial(scaled, x)


class Slope:
    def __init__(self, x):
        self.x = x

    def __call__(self, dy):
        return 3.0 * self.x * self.x * dy


@tl.custom_gradient
def by_a_method(x):
    return x**3, Slope(x).__call__


@tl.custom_gradient
def by_an_object(x):
    return x**3, Slope(x)


@tl.custom_gradient
def by_a_jvp_beside(x):
    def grad(dy):
        while True:
            return 3.0 * x * x * dy

    return x**3, grad, lambda x_dot: 3.0 * x * x * x_dot


@pytest.mark.parametrize(
    "h",
    [captured, captured_value, by_an_inner_helper, by_a_default, by_a_partial, by_a_method,
     by_an_object, by_a_jvp_beside],
)  # fmt: skip
def test_a_pullback_sees_what_there_was(h):
    def last(x):
        return h(x)

    def stored_into(x):
        z = x * 1.0
        y = h(z)
        z *= 2.0
        return y * z / z

    for f in (last, stored_into):
        x = X.copy()
        y, pullback = tl.vjp(f, x)
        x += 5.0
        y *= 7.0
        for _ in range(2):
            np.testing.assert_allclose(pullback(np.ones(2))[0], 3.0 * X * X, rtol=1e-12)


def test_what_a_grad_tells_the_outside_is_told():
    told = []

    @tl.custom_gradient
    def square(x):
        def grad(dy):
            while True:
                told.append("grad")
                return 2.0 * x * dy

        return x * x, grad

    _, pullback = tl.vjp(lambda x: square(x), X)
    pullback(np.ones(2))
    pullback(np.ones(2))
    assert told == ["grad", "grad"]
