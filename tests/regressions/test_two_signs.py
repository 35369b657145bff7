"""A sign that meets another one leaves a number as it was, in an array of its own: what is added to it later
is not added to what it came from.
"""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

W = np.array([0.3, 0.5])
X = np.array([0.4, 0.6])


def added_to_in_a_loop(x):
    d = np.sin(x)
    c = np.tanh(x)
    e = np.cos(d)
    for i in range(2):
        e = e * c
    b = -c
    a = d - b
    return np.sum(a * a * e)


def added_to_in_a_branch(x):
    d = np.sin(x)
    c = np.tanh(x)
    e = np.cos(d)
    if e[0] > 0.1:
        e = np.cos(c)
    b = -c
    a = d - b
    return np.sum(a * W + e)


def added_to_an_item(x):
    d = np.sin(x)
    c = np.tanh(x)
    e = np.cos(d)
    for i in range(2):
        e[i] = e[i] * c[i]
    b = -c
    a = d - b
    return np.sum(a * a * e)


def of_arguments(x, y):
    e = np.cos(y)
    for i in range(2):
        e = e * y
    b = -y
    a = x - b
    return a + e


def of_an_array_outside(x, y):
    e = x[0]
    for i in range(2):
        e = e * y[i]
    b = -y
    a = x - b
    return np.sum(a * W) + e


def of_a_number(x):
    c = np.tanh(x[0])
    e = x[1]
    for i in range(2):
        e = e * c
    b = -c
    a = e - b
    return a * a * e


def in_a_product(x):
    c = np.tanh(x)
    e = np.cos(x)
    for i in range(2):
        e = e * c
    b = -c
    a = e - b * x
    return np.sum(a * e)


@pytest.mark.parametrize(
    "f, args",
    [
        (added_to_in_a_loop, [X]),
        (added_to_in_a_branch, [X]),
        (added_to_an_item, [X]),
        (of_arguments, [X, X[::-1].copy()]),
        (of_an_array_outside, [X, X[::-1].copy()]),
        (of_a_number, [X]),
        (in_a_product, [X]),
    ],
    ids=lambda part: getattr(part, "__name__", ""),
)
def test_derivatives(f, args):
    laws.check_orders(f, *args)


def test_arrays_outside_stay_as_they_are():
    before = W.copy()
    tl.grad(of_an_array_outside, wrt=(0, 1))(X, X)
    tl.grad(added_to_in_a_branch)(X)
    np.testing.assert_array_equal(W, before)


def test_cotangents_stay_as_they_are():
    y_bar = np.array([1.0, 2.0])
    tl.vjp(of_arguments, X, X)[1](y_bar)
    np.testing.assert_array_equal(y_bar, [1.0, 2.0])
