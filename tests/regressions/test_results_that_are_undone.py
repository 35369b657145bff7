"""Functions that return what they have stored into: their caller reads it before the stores are undone."""

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.4, -0.7, 1.3, 0.9])


def products(v):
    w = np.exp(v)
    for k in range(len(v) - 1):
        w[k] *= w[k + 1]
    return w


def products_and_twice_the_first(v):
    w = products(v)
    return w, w[0] * 2.0


def times_what_it_is_made_of(x):
    return products(x) @ x


def read_again(x):
    y = products(x)
    return np.sum(np.sin(x) * np.exp(y * x) * y)


def beside_a_number(x):
    y, s = products_and_twice_the_first(x)
    return y @ x * s


def called_twice(x):
    y, z = products(x), products(2.0 * x)
    return y @ x + z @ (x**2) * y[0]


def called_in_a_loop(x):
    total = 0.0
    for k in range(3):
        y = products(0.5 * x * k)
        total = total + y @ x + np.sum(np.sin(y) * x)
    return total


def powers(v, n):
    if n == 0:
        return v * 1.0
    w = np.exp(0.1 * powers(v, n - 1))
    w[0] *= w[1]
    return w


def calls_itself(x):
    y = powers(x, 2)
    return y @ x + powers(y, 1) @ y


class Counted:
    def __init__(self, scale):
        self.scale = scale

    def step(self, v):
        w = np.exp(v) * self.scale
        w[1] *= w[0]
        self.scale = w[2]
        return w


def of_an_object(x):
    counted = Counted(x[0])
    y = counted.step(0.1 * x)
    z = counted.step(0.1 * y)
    return y @ x + z @ y * counted.scale


@tl.custom_gradient
def squares(v):
    def grad(upstream):
        return upstream * 2.0 * v

    return v**2, grad


def of_a_custom_gradient(x):
    def first_doubled(v):
        w = squares(v)
        w[0] *= 2.0
        return w

    return first_doubled(first_doubled(x)) @ first_doubled(x * 2.0)


@pytest.mark.parametrize(
    "function",
    [
        times_what_it_is_made_of, read_again, beside_a_number, called_twice, called_in_a_loop,
        calls_itself, of_an_object, of_a_custom_gradient,
    ],
    ids=lambda function: function.__name__,
)  # fmt: skip
@pytest.mark.sampled(2)
def test_both_modes_and_second_order(function):
    tl.check_grads(function, X, order=2, replay=True)
