"""Derivatives compiled by Numba are equal to those that are not, or refused."""

import numpy as np
import pytest

import tapeless as tl

numba = pytest.importorskip("numba", reason="Numba is not installed")

from tapeless.interop.numba import njit  # noqa: E402

SCALE = 3.0


def rounded(x):
    return np.floor(SCALE * x)


def gate(x):
    return x * np.tanh(x)


def walk(x, n):
    """Loops over ranges from their end, branches, stores, callees, what is read from outside."""
    y = np.zeros(len(x))
    y[0] = x[0]
    for i in range(1, len(x)):
        if x[i] > 0.0:
            y[i] = gate(y[i - 1]) + x[i]
        else:
            y[i] = y[i - 1] * x[i] * SCALE
    total = 0.0
    for i in range(0, len(x), n):
        total += y[i] * rounded(x[i])
    while total > 2.0:
        total = 0.5 * total
    return total


def lengths(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += np.sqrt((x[i + 1] - x[i]) ** 2)
    return total


def far(x):
    return np.sum(np.where(x > 0.0, np.sqrt(x), 0.0))


X = np.array([0.5, 1.0, -0.7, 2.0, 1.3])


def test_compiled_derivatives_are_equal():
    g = tl.value_and_grad(walk)
    compiled = njit(g, like=(X, 2))
    for x in (X, -X, np.concatenate([X, X])):
        y, x_bar = compiled(x, 2)
        assert y == pytest.approx(g(x, 2)[0], rel=1e-14)
        np.testing.assert_allclose(x_bar, g(x, 2)[1], rtol=1e-13)


def test_other_kinds_are_refused():
    compiled = njit(tl.grad(paired), like=(X, X))
    np.testing.assert_allclose(compiled(X, X), tl.grad(paired)(X, X))
    with pytest.raises(ValueError, match="an axis is of length 1"):
        compiled(X, np.ones(1))
    with pytest.raises(TypeError, match="No matching definition"):
        compiled(X, 2.0)


def paired(x, y):
    return np.sum(x * y)


def test_products_are_guarded_against_poles():
    with np.errstate(all="ignore"):
        for f in (lengths, far):
            compiled = njit(tl.grad(f), like=(X,))
            for x in (X, np.zeros(5)):
                np.testing.assert_allclose(compiled(x), tl.grad(f)(x), rtol=1e-13)


def test_it_can_be_called_by_compiled_functions():
    slope = njit(tl.grad(gate), like=(1.0,))

    @numba.njit
    def newton(x):
        for _ in range(3):
            x = x - gate_of_numba(x) / slope(x)
        return x

    gate_of_numba = numba.njit(gate)
    x = 1.0
    for _ in range(3):
        x = x - gate(x) / tl.grad(gate)(x)
    assert newton(1.0) == pytest.approx(x, rel=1e-12)


def in_place(u):
    u = u.copy()
    u[0] = u[0] * u[1]
    return np.sum(u)


def alternating(u):
    v, w = u.copy(), u.copy()
    for _ in range(3):
        v[0] = w[1] * v[1]
        v, w = w, v
    return np.sum(v)


def test_an_array_made_here_is_compiled():
    np.testing.assert_allclose(njit(tl.grad(in_place), like=(X,))(X), tl.grad(in_place)(X))


def test_what_numba_does_not_compile_is_refused():
    with pytest.raises(tl.GradientError, match="'alternating_grad' keeps adjoints in objects"):
        njit(tl.grad(alternating), like=(X,))
    with pytest.raises(tl.GradientError, match="Numba does not compile '.*_grad': "):
        njit(tl.grad(lambda x: np.sum(np.fft.fft(x).real ** 2)), like=(X,))
