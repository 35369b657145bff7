"""A `grad` that asks what its upstream is: whether it is zero, as authors do to spare the work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.3, -0.7, 1.2])


@tl.custom_gradient
def returning_early(x):
    e = np.exp(x)

    def grad(upstream):
        if np.all(upstream == 0):
            return np.zeros_like(x)
        return upstream * e

    return e * 1.0, grad


@tl.custom_gradient
def selecting(x):
    e = np.exp(x)

    def grad(upstream):
        return np.where(upstream == 0, 0.0, upstream * e)

    return e * 1.0, grad


@tl.custom_gradient
def of_a_number(x):
    def grad(upstream):
        if not upstream:
            return np.zeros_like(x)
        return 2.0 * upstream * x

    return np.sum(x**2), grad


@tl.custom_gradient
def sum_and_product(x, y):
    def grad(of_sum, of_product):
        x_bar, y_bar = of_sum * 1.0, of_sum * 1.0
        if np.any(of_product):
            x_bar = x_bar + of_product * y
            y_bar = y_bar + of_product * x
        return x_bar, y_bar

    return (x + y, x * y), grad


@tl.custom_gradient
def cut_off(x):
    def grad(upstream):
        return np.clip(upstream, -1.0, 1.0)

    return x * 1.0, grad


def early(x):
    return np.sum(returning_early(np.sin(x)) ** 2)


def stored(x):
    y = returning_early(x)
    y[0] = 0.0
    return np.sum(y * y)


def selected(x):
    return np.sum(selecting(x) * x)


def looped(x):
    total = 0.0
    for i in range(3):
        total = total + of_a_number(x * (i + 1.0)) ** 2
    return total


def both(x):
    s, p = sum_and_product(x, np.cos(x))
    return np.sum(s * p)


@pytest.mark.parametrize("f", [early, stored, selected, looped, both])
def test_an_upstream_of_zero_is_no_place_to_transpose_at(f: Callable[..., Any]) -> None:
    tl.check_grads(f, X, order=2, replay=True)
    tl.check_grads(f, X, order=2, modes=("forward",))


def test_second_derivatives_are_whole() -> None:
    np.testing.assert_allclose(tl.hessian(stored)(X), np.diag([0.0, *4.0 * np.exp(2.0 * X[1:])]))


def test_what_is_cut_off_is_the_identity_forward() -> None:
    _, tangent = tl.jvp(cut_off, (X,), (5.0 * X,))
    np.testing.assert_array_equal(tangent, 5.0 * X)
