"""Functions defined where one expects values: in a custom gradient, among defaults."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws


@tl.custom_gradient
def cubed(x):
    y = x * x * x

    def grad(u):
        def helper(t):
            return t * 3.0

        return helper(u) * x * x

    return y, grad


def two(x, k=lambda t: t * 2.0):
    return k(x), x * x


def a_custom_gradient(x):
    return cubed(x) * 2.0


def of_an_array(x):
    return np.sum(cubed(x * np.ones(2)))


def a_default_in_a_loop(x):
    y = 0.0
    for i in range(2):
        a, b = two(x + i)
        y += a * b
    return y


def a_default_inside(x):
    def inner(y, k=lambda t: t * 2.0):
        return k(y), y * y

    a, b = inner(x)
    return a * b


@pytest.mark.parametrize(
    "f", [a_custom_gradient, of_an_array, a_default_in_a_loop, a_default_inside]
)
def test_definitions_inside(f):
    laws.check_function(f, (1.3,))
