"""Signs and histograms of complex numbers; and the dtype of an upstream, and of what is added in place."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.3, -0.5, 0.7])
SINGLE = np.array([1.0, 2.0], np.float32)
DOUBLE = np.array([1.0, 2.0])
PLACES = np.array([0.1, 0.2, 0.7])


def sign(x):
    return np.sum(np.sign(x * np.exp(1j * x)).real)


def sign_in_a_loop(x):
    y = 0.0
    for i in range(3):
        y = y + np.sign(x[i] + 1j * x[0]).imag * x[1]
    return y


def sign_of_a_product(x):
    z = (x + 0.2j) * np.conj(x[0] + 1j * x)
    return np.sum(np.abs(np.sign(z) * x + 2j))


def sign_in_a_callee(x):
    def unit(z):
        return np.sign(z)

    return np.sum(unit(1j + x).real * x)


def histogram(x):
    sums, _ = np.histogram(PLACES, bins=2, range=(0.0, 1.0), weights=x * (1 + 2j))
    return np.sum(np.abs(sums) ** 2)


def histogram_imaginary(x):
    sums, _ = np.histogram(PLACES, bins=2, range=(0.0, 1.0), weights=x * (1 + 2j))
    return np.sum(sums.imag)


def histogram_real(x):
    sums, _ = np.histogram(PLACES, bins=2, range=(0.0, 1.0), weights=x)
    return np.sum(sums**2)


def replaced(x):
    return np.sum(np.abs(np.nan_to_num(x * (1 + 2j)) ** 2))


@pytest.mark.parametrize(
    "f",
    [sign, sign_in_a_loop, sign_of_a_product, sign_in_a_callee, histogram, histogram_imaginary,
     histogram_real, replaced],
)  # fmt: skip
def test_complex(f):
    laws.check_function(f, [X.copy()])


def test_the_sign_of_what_is_real_is_constant():
    assert "sign_bar" not in tl.source(lambda x: np.sum(np.sign(x) * x), like=(X,))
    np.testing.assert_array_equal(tl.grad(lambda x: np.sum(np.sign(x)))(X), np.zeros(3))


def test_the_sign_of_zero():
    def f(x):
        return np.sum(np.sign(x * (1 + 0j)).real)

    np.testing.assert_array_equal(tl.grad(f)(np.zeros(2)), np.zeros(2))


@pytest.mark.parametrize("axis", [None, 0])
def test_numpy_functions_differentiated_themselves(axis):
    _, pullback = tl.vjp(np.sum, X, axis)
    np.testing.assert_array_equal(pullback(1.0)[0], np.ones(3))
    assert tl.jvp(np.dot, (X, X), (X, None))[1] == X @ X


SEEN = []


@tl.custom_gradient
def doubled(x):
    def grad(dy):
        SEEN.append((np.result_type(x), np.result_type(x), dy.dtype, type(dy) is type(x)))
        return dy * np.float32(2)

    return x * np.float32(2), grad


def inner(y):
    return np.sum(y * DOUBLE)


def in_a_branch(x):
    y = doubled(x)
    return np.sum(y * DOUBLE) if x[0] > 0 else np.sum(y)


def in_a_loop(x):
    y = doubled(x)
    for _ in range(2):
        y = doubled(y) * DOUBLE
    return np.sum(y)


def in_a_list(x):
    items = [doubled(x), DOUBLE]
    return np.sum(items[0] * items[1])


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(doubled(x) * DOUBLE),
        lambda x: np.sum((doubled(x) + DOUBLE) ** 2),
        lambda x: inner(doubled(x)),
        lambda x: doubled(x[0]) * DOUBLE[0],
        lambda x: doubled(np.sum(x)) * 3.0 * DOUBLE[1],
        lambda x: np.sum(np.concatenate([doubled(x), DOUBLE]) * 2.0),
        lambda x: doubled(x) @ DOUBLE,
        lambda x: np.sum(np.where(DOUBLE > 0, doubled(x), DOUBLE)),
        in_a_branch, in_a_loop, in_a_list,
    ],
)  # fmt: skip
def test_an_upstream_has_the_dtype_of_the_value(f):
    for run in (tl.grad(f), lambda x: tl.vjp(f, x)[1](np.float64(1.0))[0]):
        SEEN.clear()
        assert run(SINGLE).dtype == np.float32
        for of_argument, _, of_upstream, same_type in SEEN:
            assert of_argument == of_upstream
            assert same_type


def added(y, v):
    y += v
    return np.sum(y * y)


def multiplied(y, v):
    y *= v
    return np.sum(y * y)


def stored(y, v):
    y[:] = v
    return np.sum(y * y)


def stored_part(y, v):
    y[:1] = v[1:]
    y[1] = v[0]
    return np.sum(y * y)


def added_in_a_loop(y, v):
    for _ in range(3):
        y += v
    return np.sum(y * y)


def added_in_a_callee(y, v):
    def add(a, b):
        a += b

    add(y, v)
    return np.sum(y * y)


@pytest.mark.parametrize(
    "f", [added, multiplied, stored, stored_part, added_in_a_loop, added_in_a_callee]
)
@pytest.mark.parametrize(("y", "v"), [(SINGLE, DOUBLE), (DOUBLE, SINGLE), (SINGLE, SINGLE)])
def test_what_is_added_in_place_keeps_its_precision(f, y, v):
    laws.check_function(f, [y.copy(), v.copy()])
