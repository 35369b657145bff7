"""Numbers that an update makes arrays of, and arrays that are scaled in place where nobody else sees them."""

import numpy as np
import pytest

import tapeless as tl
from tests.laws import check_function

X = np.array([0.6, 1.3, 0.9, 1.7])


def product_of_squares(x):
    t = 1.0
    for _ in range(3):
        t *= x * x
    return np.sum(t)


def quotients(x):
    t = 1.0
    for k in range(3):
        t /= np.exp(x) + k
    return np.sum(t)


def powers(x):
    t = 2.0
    for k in range(2):
        t **= np.sin(x) + k
    return np.sum(t)


def perhaps_a_number(x):
    t = 0.5
    for k in range(3):
        t = x[0] if k > 5 else t
        t *= x
    return np.sum(np.sin(t))


def mixed_updates(x):
    t = 1.0
    for k in range(3):
        t *= x
        t += x * k
        t -= t * x
    return np.sum(t * t)


def softmax_in_place(x):
    p = np.exp(x - np.max(x))
    p /= np.sum(p)
    return np.sum(p * x)


def scaled_in_a_loop(x):
    p = x * 1.0
    for _ in range(3):
        p *= np.sqrt(np.sum(p * p))
        p /= 1.0 + x
    return np.sum(p)


def scaled_by_itself(x):
    p = x + 1.0
    p *= p
    p /= p + 1.0
    p **= p
    return np.sum(p)


def seen_by_a_view(x):
    p = x * 1.0
    first = p[:2]
    p *= x[0]
    return np.sum(p) * np.sum(first)


def seen_in_a_list(x):
    p = x * 1.0
    kept = [p]
    p *= x[1]
    return np.sum(p * kept[0])


def seen_by_a_closure(x):
    p = x * 1.0

    def total():
        return np.sum(p)

    p *= x[1]
    return total() * np.sum(p)


def in_a_branch(x):
    p = x * 1.0
    if x[0] > 0:
        p /= np.sum(x)
    else:
        p *= 2.0
    return np.sum(p * p)


def matrix_product(x):
    m = np.outer(x, x)
    m @= np.outer(x, np.ones(4))
    return np.sum(m * m)


PROGRAMS = (
    product_of_squares, quotients, powers, perhaps_a_number, mixed_updates, softmax_in_place,
    scaled_in_a_loop, scaled_by_itself, seen_by_a_view, seen_in_a_list, seen_by_a_closure,
    in_a_branch, matrix_product,
)  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_derivative(f):
    check_function(f, (X,))


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivative_and_replay(f):
    tl.check_grads(f, X, order=2, replay=True)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_longer_vectors_in_single_precision(f):
    x = np.linspace(0.5, 1.5, 20 if f is not matrix_product else 4).astype(np.float32)
    wide = tl.grad(f)(x.astype(float))
    found = tl.grad(f)(x)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, wide, rtol=2e-3, atol=1e-4)
