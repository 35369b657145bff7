"""Stores into the shape of an array that no other name has."""

import numpy as np
import pytest

import tapeless as tl

X = np.linspace(0.5, 1.5, 6)


def of_a_result(x):
    y = x * 2.0
    y.shape = (2, 3)
    return np.sum(y[0] * y[1] ** 2)


def of_a_copy(x):
    y = x.copy()
    y.shape = 3, 2
    return np.sum(y.T @ y)


def with_a_length_to_be_found(x):
    y = np.sin(x)
    y.shape = -1, 1
    return np.sum(y * y.T)


def of_a_constant(x):
    mask = np.arange(6.0)
    mask.shape = (6, 1)
    return np.sum((x * mask) ** 2)


def that_is_asked_for_afterwards(x):
    y = x * 2.0
    y.shape = (2, 3)
    if y.ndim == 2:
        return np.sum(y[0] * y[1])
    return np.sum(y)


def in_a_branch(x):
    y = np.exp(-x)
    if x[0] > 0.1:
        y.shape = (3, 2)
        r = np.sum(y @ y.T)
    else:
        r = np.sum(y)
    return r + np.sum(y**2)


def in_a_loop(x):
    y = x * 2.0
    for n in (2, 3):
        y.shape = (n, -1)
        y = y * np.arange(1.0, n + 1.0)[:, None]
    return np.sum(y**2)


def filled_before_and_after(x):
    y = np.zeros(6)
    y[:3] = x[:3] ** 2
    y.shape = (2, 3)
    y[1] = x[3:] * y[0]
    return np.sum(y**2)


@pytest.mark.parametrize(
    "f",
    [
        of_a_result,
        of_a_copy,
        with_a_length_to_be_found,
        of_a_constant,
        that_is_asked_for_afterwards,
        in_a_branch,
        in_a_loop,
        filled_before_and_after,
    ],
    ids=lambda f: f.__name__,
)
def test_the_array_is_bound_in_its_new_shape(f):
    tl.check_grads(f, X, order=2, replay=True)


def under_another_name(x):
    y = x * 2.0
    z = y
    y.shape = (2, 3)
    return np.sum(z[0] ** 2)


def of_an_argument(x):
    x.shape = 2, 3
    return np.sum(x[0])


def beside_a_view(x):
    y = np.zeros(6)
    w = y[:3]
    y.shape = (2, 3)
    w[0] = 3.0 * x[1]
    return np.sum(y**2)


@pytest.mark.parametrize(
    "f", [under_another_name, of_an_argument, beside_a_view], ids=lambda f: f.__name__
)
def test_what_somebody_else_has_is_refused(f):
    with pytest.raises(tl.GradientError, match=r"`.\.shape` is stored into"):
        tl.grad(f)(X.copy())
