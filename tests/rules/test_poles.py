"""Singular points, ties, and single precision."""

import numpy as np

import tapeless as tl
from tests import laws

X = np.array([0.6, -1.4, 2.3, 0.9])

M = np.array([[0.3, -0.6, 1.1], [0.7, 2.2, -0.4], [-0.9, 0.5, 0.8]])


def test_powers_at_zero():
    assert tl.grad(lambda x: x**2)(0.0) == 0.0
    assert tl.grad(lambda x: x**1)(0.0) == 1.0
    assert tl.grad(lambda x: x**0)(0.0) == 0.0
    assert tl.grad(lambda x, y: x**y, wrt=1)(0.0, 2.0) == 0.0
    np.testing.assert_array_equal(tl.grad(lambda x: np.sum(x**3))(np.array([0.0, -2.0])), [0, 12])
    base = np.array([0.0, -1.5, 2.0])
    np.testing.assert_array_equal(
        tl.grad(lambda x: np.sum(x ** np.array([2, 3, 0])))(base), [0.0, 3 * 1.5**2, 0.0]
    )


def test_ties_are_shared():
    np.testing.assert_array_equal(tl.grad(lambda x: np.max(x))(np.array([2.0, 2.0])), [0.5, 0.5])
    assert tl.grad(lambda x: np.maximum(x, 1.0))(1.0) == 0.5
    assert tl.grad(lambda x: abs(x))(0.0) == 0.0
    assert tl.grad(lambda x: np.clip(x, 0.0, 1.0))(1.0) == 0.0
    np.testing.assert_array_equal(tl.grad(lambda x: np.linalg.norm(x))(np.zeros(2)), [0.0, 0.0])
    np.testing.assert_array_equal(tl.grad(lambda x: np.std(x))(np.ones(3)), np.zeros(3))
    np.testing.assert_array_equal(
        tl.grad(lambda x: np.prod(x))(np.array([0.0, 3.0, 2.0])), [6.0, 0.0, 0.0]
    )


def everything_in_single(x, m):
    y = np.mean(x * m) + np.max(m, axis=0) / (1.0 + np.std(x))
    z = np.zeros(3, dtype=x.dtype)
    for i in range(3):
        z[i] = 0.5 * y[i] + np.var(m[i]) * 2
    return np.sum(np.where(z > 0, z, 0.1 * z) ** 2) / 3.0


def test_single_precision():
    laws.check_function(everything_in_single, (X[:3].astype(np.float32), M.astype(np.float32)))


def test_each_argument_keeps_its_own_precision():
    x, m = tl.grad(everything_in_single, wrt=(0, 1))(X[:3].astype(np.float32), M)
    assert (x.dtype, m.dtype) == (np.float32, np.float64)
