"""Stores into arrays of integers, which truncate, and into complex ones, of which parts are read."""

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.3, -1.2, 2.15])


def differences(f, x):
    return np.array([(f(x + 1e-6 * d) - f(x - 1e-6 * d)) / 2e-6 for d in np.eye(len(x))])


def assert_right(f, x=X):
    wanted = differences(f, x)
    np.testing.assert_allclose(tl.grad(f)(x), wanted, atol=1e-6)
    slopes = [tl.jvp(f, (x,), (d,))[1] for d in np.eye(len(x))]
    np.testing.assert_allclose(slopes, wanted, atol=1e-6)


INTEGERS = {
    "full": lambda x: np.full(3, 1),
    "full_of_truths": lambda x: np.full(3, True),
    "full_with_dtype": lambda x: np.full(3, 1.0, int),
    "zeros": lambda x: np.zeros(3, dtype=np.int32),
    "zeros_like": lambda x: np.zeros_like(x, int),
    "full_like": lambda x: np.full_like(x, 1, dtype=int),
    "astype": lambda x: x.astype(int),
    "range": lambda x: np.array(range(3)),
    "tile": lambda x: np.tile(1, 3),
    "joined": lambda x: np.concatenate([[1, 2], [3]]),
    "eye": lambda x: np.eye(3, dtype=int)[0],
    "linspace": lambda x: np.linspace(0, 3, 3, dtype=int),
    "arange": lambda x: np.arange(0, 3, dtype=np.int64),
}


def truncated(make):
    def f(x):
        a = make(x)
        a[:] = x
        return np.sum(a * x)

    return f


def truncated_in_a_loop(make):
    def f(x):
        a = make(x)
        for i in range(3):
            a[i] = 2.0 * x[i]
        return np.sum(a * x)

    return f


def truncated_by_a_callee(make):
    def put(a, x):
        if x[0] > 0.0:
            a[0] = x[2]

    def f(x):
        a = make(x)
        put(a, x)
        return np.sum(a * x * x)

    return f


@pytest.mark.parametrize("program", [truncated, truncated_in_a_loop, truncated_by_a_callee])
@pytest.mark.parametrize("make", INTEGERS.values(), ids=INTEGERS)
def test_what_an_array_of_integers_keeps_is_constant(make, program):
    assert_right(program(make))


def test_floats_of_any_width_keep_what_varies():
    def f(x):
        a = np.zeros(3, x.dtype)
        b = np.full(3, 1, np.float64)
        a[:] = x
        b[:] = a * x
        return np.sum(a * b)

    assert_right(f)


# Imaginary parts


def of_a_filled_array(x):
    z = np.zeros(3, dtype=complex)
    z[:] = x * (1 + 2j)
    return np.sum(z.imag)


def by_the_function(x):
    z = np.zeros(3, dtype=complex)
    z[:] = x * (1 + 2j)
    return np.sum(np.imag(z) * x)


def beside_the_real_part(x):
    z = np.zeros(3, dtype=complex)
    for i in range(3):
        z[i] = x[i] * np.exp(1j * x[i])
    return np.sum(z.real * z.imag)


def by_a_name(x):
    z = x * (1 + 2j)
    z[0] = x[1] ** 2
    part = z.imag
    return np.sum(part * part)


def copied(x):
    z = np.zeros(3, dtype=complex)
    if x[0] > 0.0:
        z[:] = x * (1 + 2j)
    part = z.imag.copy()
    z[1] = 0.0
    return np.sum(part * part)


@pytest.mark.parametrize(
    "f", [of_a_filled_array, by_the_function, beside_the_real_part, by_a_name, copied]
)
def test_imaginary_parts_of_what_is_stored_into(f):
    assert_right(f)


def changed_under_its_view(x):
    z = x * (1 + 2j)
    z[0] = x[1] ** 2
    part = z.imag
    z[1] = 0.0
    return np.sum(part * part)


def stored_through(x):
    z = np.zeros(3, dtype=complex)
    z.imag[:] = x**2
    return np.sum(np.abs(z) ** 2)


@pytest.mark.parametrize("f", [changed_under_its_view, stored_through])
def test_views_of_imaginary_parts_are_refused(f):
    with pytest.raises(tl.GradientError, match="imaginary parts"):
        tl.grad(f)(X)
    slopes = [tl.jvp(f, (X,), (d,))[1] for d in np.eye(3)]
    np.testing.assert_allclose(slopes, differences(f, X), atol=1e-6)
