"""NumPy's stores by call, methods of ufuncs and `np.r_`: each against the plain form and differences."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads

vector = np.array([0.3, -1.2, 0.8, 2.0, -0.5, 1.1])
matrix = np.arange(12.0).reshape(3, 4) / 7.0 - 0.8


def put(x):
    y = x * 1.0
    np.put(y, [4, 0, -1], x[1:4])
    return y * y


def put_one_by_method(x):
    y = x * 1.0
    y.put([4, 0], x[2])
    return y * x


def put_fewer_in_a_matrix(x):
    y = x.reshape(2, 3) * 2.0
    np.put(y, np.array([[0, 5], [2, 3]]), x[:3])
    return y * y


def put_twice_at_one_place(x):
    y = x * 1.0
    np.put(y, [1, 1], x[2:4])
    return y * y


def place(x):
    y = x * 1.0
    np.place(y, y > 0, x[:2])
    return y * y


def putmask(x):
    y = x * 1.0
    np.putmask(y, y > 0.5, x[::-1] * x)
    return y * y


def putmask_with_a_number(x):
    y = x * 1.0
    np.putmask(y, y > 0.5, 2.0)
    return y * y


def fill_diagonal(x):
    y = x * x
    np.fill_diagonal(y, x[0, 1])
    return y * y


def fill_diagonal_with_a_vector(x):
    y = x * x
    np.fill_diagonal(y, x[1, :3])
    return y * y


def put_along_axis(x):
    y = x * 1.0
    np.put_along_axis(y, np.array([[0], [3], [2]]), x[:, 3:] * x[0, 0], axis=1)
    return y * y


def put_along_another_axis(x):
    y = x * 1.0
    np.put_along_axis(y, np.array([[0, 2, 2, 1]]), 5.0, 0)
    return y * y


def partition(x):
    y = x * 1.0
    y.partition(3)
    return y[:4] * np.arange(4.0)


def in_rows(x):
    return np.r_[x, x * x, -x][1:] * 2.0


def in_rows_with_a_number(x):
    return np.r_[0.5, x * x[0] + 1.0, x[1]] ** 2


def in_columns(x):
    return np.c_[x, x * x] ** 2


def matrices_in_rows(x):
    return np.r_[x, 2.0 * x] ** 2


def sum_of_rows(x):
    return np.add.reduce(x) * np.add.reduce(x, axis=1, keepdims=True)


def product_of_rows(x):
    return np.multiply.reduce(x, 1)


def extremes(x):
    return np.maximum.reduce(x, axis=1) * np.minimum.reduce(x, axis=-1)


def running(x):
    return np.add.accumulate(x) * np.multiply.accumulate(x, axis=0)


def tables(x):
    return np.multiply.outer(x, x * x) + np.subtract.outer(x, x) ** 2


def table_with_a_number(x):
    return np.add.outer(np.add.outer(x, x[0]), x[:2] * x[1])


def block(x):
    return np.block([x, 0.5, x * x]) ** 2


def nested_block(x):
    return np.block([[x, x[:, :1]], [x[:1] * x[:1], np.ones((1, 1))]]) ** 2


VECTORS = [
    put, put_one_by_method, put_fewer_in_a_matrix, put_twice_at_one_place, place, putmask,
    putmask_with_a_number, partition, in_rows, in_rows_with_a_number, in_columns, running, tables,
    table_with_a_number, block,
]  # fmt: skip
MATRICES = [
    fill_diagonal, fill_diagonal_with_a_vector, put_along_axis, put_along_another_axis, sum_of_rows,
    product_of_rows, extremes, matrices_in_rows,
]  # fmt: skip


@pytest.mark.parametrize("f", VECTORS)
def test_of_vectors(f):
    check_grads(f, vector)


@pytest.mark.parametrize("f", MATRICES)
def test_of_matrices(f):
    check_grads(f, matrix)


def test_of_a_nest_of_lists():
    check_grads(nested_block, matrix, order=1)


@pytest.mark.parametrize("f", [*VECTORS, *MATRICES])
def test_values_stay(f):
    x = vector if f in VECTORS else matrix
    np.testing.assert_array_equal(tl.vjp(f, x)[0], f(x))


def test_stores_into_an_argument_are_undone():
    def loss(x):
        np.put(x, [0, 2], x[3:5] * 2.0)
        return np.sum(x * x)

    x = vector.copy()
    x_bar = tl.grad(loss)(x)
    np.testing.assert_array_equal(x, vector)
    expected = 2.0 * vector
    expected[[0, 2]] = 0.0
    expected[3:5] += 8.0 * vector[3:5]
    np.testing.assert_allclose(x_bar, expected)
