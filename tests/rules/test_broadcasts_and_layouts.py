"""Every broadcast of two shapes, and arrays of every layout in memory."""

import itertools

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.6, -1.4, 2.3, 0.9])

M = np.array([[0.3, -0.6, 1.1], [0.7, 2.2, -0.4], [-0.9, 0.5, 0.8]])

SHAPES = [None, (), (1,), (3,), (2, 1), (1, 3), (2, 3), (4, 1, 3), (0,), (2, 0)]


def quotient(x, y):
    return x / y


def power(x, y):
    return x**y


def in_place_quotient(x, y):
    z = np.ones((4, 2, 3)) * x
    z /= y
    return z


def broadcastable():
    for a, b in itertools.product(SHAPES, SHAPES):
        try:
            np.broadcast_shapes(a or (), b or ())
        except ValueError:
            continue
        yield a, b


def positive(shape, start):
    if shape is None:
        return start
    return start + 0.37 * np.arange(float(np.prod(shape))).reshape(shape) % 1.9


@pytest.mark.parametrize("function", [quotient, power])
@pytest.mark.parametrize(("left", "right"), list(broadcastable()))
def test_every_broadcast(function, left, right):
    laws.check_function(function, (positive(left, 0.7), positive(right, 1.2)), smooth=False)


@pytest.mark.parametrize("shape", [None, (), (1,), (3,), (2, 1), (1, 3), (2, 3), (4, 1, 3)])
def test_in_place_broadcast(shape):
    laws.check_function(in_place_quotient, (positive(shape, 0.7), positive(shape, 1.2)))


def test_one_gradient_serves_every_broadcast_in_turn():
    g = tl.grad(lambda x, y: np.sum(x / y), wrt=(0, 1))
    for left, right in broadcastable():
        x, y = positive(left, 0.7), positive(right, 1.2)
        ones = np.ones(np.broadcast_shapes(np.shape(x), np.shape(y)))
        for got, dense, like in zip(g(x, y), (ones / y, -ones * x / y**2), (x, y), strict=True):
            lead = dense.ndim - np.ndim(like)
            wanted = np.sum(dense, axis=tuple(range(lead)))
            kept = tuple(i for i, n in enumerate(np.shape(like)) if n == 1)
            wanted = np.sum(wanted, axis=kept, keepdims=True)
            assert np.shape(got) == np.shape(like)
            np.testing.assert_allclose(got, wanted, rtol=1e-12)


def stores_and_reads(a):
    u = a * a
    u[1:] += a[:-1]
    v = u[::-1]
    v[0] *= a[0]
    return np.sum(u * a) + np.sum(a.reshape(-1) ** 3)


LAYOUTS = {
    "reversed": X[::-1],
    "every other, backwards": np.arange(8.0)[::-2] / 5.0,
    "column": np.arange(12.0).reshape(4, 3)[:, 1] / 7.0,
    "zero stride": np.broadcast_to(np.float64(0.7), (4,)),
    "matrix, both reversed": M[::-1, ::-1],
    "fortran": np.asfortranarray(M),
    "transposed slice": np.arange(24.0).reshape(4, 6)[1:, ::2].T / 20.0,
}


@pytest.mark.parametrize("layout", list(LAYOUTS))
def test_layouts(layout):
    laws.check_function(stores_and_reads, (LAYOUTS[layout],))


def test_layouts_agree_with_a_contiguous_copy():
    g = tl.grad(stores_and_reads)
    for x in LAYOUTS.values():
        np.testing.assert_array_equal(g(x), g(x.copy()))


def test_read_only_input():
    x = X.copy()
    x.flags.writeable = False
    got = tl.grad(stores_and_reads)(x)
    np.testing.assert_array_equal(got, tl.grad(stores_and_reads)(X))
    got[0] = 1.0  # the gradient itself is an ordinary array
