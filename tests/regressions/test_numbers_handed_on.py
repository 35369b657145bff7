"""A cotangent that is one number for all entries stays a number through sums and moves."""

import numpy as np
import pytest

import tapeless as tl
from tests.laws import check_function

X = np.array([[0.4, -1.1, 0.7], [1.3, 0.2, -0.5]])
W = np.array([[1.0, 2.0, -1.5], [0.5, -0.5, 3.0]])


def mean_of_sums(x):
    return -np.mean(np.sum(W * np.log(2.0 + x * x), axis=1))


def kept_axes(x):
    return np.sum(np.sum(np.sum(x * x, axis=0, keepdims=True), axis=1))


def moved(x):
    return np.mean((x * x).reshape(3, 2)) + np.sum(np.roll(np.sin(x), 1, axis=0).T)


def by_methods(x):
    return (x * W).sum(axis=-1).mean() + np.cos(x).ravel().sum()


def of_parts_too(x):
    s = np.sum(x * W, axis=1)
    return np.sum(s) + s[0]


def weighted_by_a_variable(x):
    weight = x[0, 0] * x[1, 1]
    return weight * np.sum(np.sum(np.exp(x), axis=0))


def bound_anew(x):
    scale = 2.0 * x[0, 0]
    y = scale * np.sum(np.sum(x * x, axis=0))
    scale = x[1, 2]
    return y + scale * np.mean(np.sum(x**3, axis=1))


def in_a_loop(x):
    total = 0.0
    for k in range(3):
        total += (k + total) * np.sum(np.sum(x * x, axis=0))
    return total


def stored_into(x):
    y = x * x
    y[0] = 2.0 * x[1]
    s = np.sum(y, axis=0)
    y[1, 1] = 5.0
    return np.sum(s) + np.sum(y * y)


def of_one_row(x):
    return np.sum(np.sum(x[:1] * x, axis=0)) + np.sum(np.sum(x[:, :1] * W, axis=1))


def with_where(x):
    return np.sum(np.sum(x * x, axis=1, where=x > 0.0)) + np.sum(np.sum(x, axis=0, initial=x[0, 0]))


PROGRAMS = [
    mean_of_sums, kept_axes, moved, by_methods, of_parts_too, weighted_by_a_variable, bound_anew,
    in_a_loop, stored_into, of_one_row, with_where,
]  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives(function):
    check_function(function, (X,))
    check_function(function, (X[:1, :] * np.ones((2, 1)),))


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_single_precision(function):
    single = tl.grad(function)(X.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, tl.grad(function)(X), rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivatives(function):
    direction = np.cos(np.arange(6.0)).reshape(2, 3)
    gradient, step = tl.grad(function), 1e-6
    expected = (gradient(X + step * direction) - gradient(X - step * direction)) / (2 * step)
    np.testing.assert_allclose(tl.hvp(function)(X, direction), expected, atol=1e-5)


def test_no_array_is_made_of_the_number():
    text = tl.source(mean_of_sums, like=(X,))
    assert "broadcast_to" not in text and "np.sum" not in text
