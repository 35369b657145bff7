"""What sparse matrices give as a `numpy.matrix`, of which programs make arrays; objects with `__array__`."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads

sparse = pytest.importorskip("scipy.sparse")

PLACES = [0, 0, 1, 2, 2], [0, 1, 1, 0, 2]
D, V = np.array([1.3, 0.4, 2.2, 0.5, 1.7]), np.array([0.7, -0.3, 1.1])


def degrees(d):
    k = sparse.csr_matrix((d, PLACES), shape=(3, 3))
    rows = np.asarray(k.sum(axis=1)).ravel()
    columns = np.array(k.sum(axis=0)).flatten()
    return np.sum(rows**2 * columns) + np.sum(np.squeeze(np.asarray(k.mean(axis=-1))) ** 3)


def normalized(d):
    k = sparse.coo_matrix((d, PLACES), shape=(3, 3))
    scale = np.power(np.array(k.sum(1)), -0.5).flatten()
    return np.sum((sparse.diags(scale) @ k @ V) ** 2)


def by_attribute(d):
    k = sparse.csc_matrix((d, PLACES), shape=(3, 3))
    return np.sum(k.sum(0).A1 * k.sum(1).A1) + np.sum(k.todense().A ** 2 * k.T.todense().T.A)


def dense(d):
    k = sparse.csr_matrix((d, PLACES), shape=(3, 3))
    m = np.asarray(k.todense())
    return np.sum(m @ m * m) + np.linalg.det(k.todense())


def entries_of_functions(d):
    k = sparse.csr_matrix((d - 1.0, PLACES), shape=(3, 3))
    return abs(k).sum() ** 2 + np.sum((np.sin(k) @ V) ** 2)


class Quantity:
    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return self.values * 2.0


def of_an_object(x):
    q = Quantity(x)
    return np.sum(np.asarray(q, dtype=float) ** 2 * np.ravel(q))


def rows_of_sum_one(d):
    k = sparse.csr_matrix((d, PLACES), shape=(3, 3))
    return np.sum((k / k.sum(axis=1) @ V) ** 2) + np.sum((k / np.exp(d[:3]) @ V) ** 3)


def times_reciprocals(d):
    k = sparse.csr_matrix((d, PLACES), shape=(3, 3))
    p = k.multiply(1.0 / k.sum(axis=0)).tocsr()
    shifted = (2.0 - k.sum(axis=1) / 4.0 + d[:3]) - 1.0
    return np.sum((p @ V) ** 2) + np.sum(np.asarray(-shifted) ** 3)


def row_or_column(k, axis):
    if axis == 0:
        return sparse.csr_array(k).sum(axis=0)
    return sparse.csr_array(k).sum(axis=1)


def made_on_one_way(d):
    return np.sum(row_or_column(sparse.csr_matrix((d**2, PLACES), shape=(3, 3)), 1) ** 2)


def of_one_array(d):
    k = sparse.csc_array((d, PLACES), shape=(3, 3))
    return np.sum((k / k.sum(axis=1)[:, None] @ V) ** 2)


@pytest.mark.parametrize("f", [rows_of_sum_one, times_reciprocals, made_on_one_way, of_one_array])
def test_to_second_order(f):
    check_grads(f, D, order=2, replay=True)


@pytest.mark.parametrize("f", [degrees, normalized, by_attribute, dense, entries_of_functions])
def test_matrices(f):
    check_grads(f, D, order=1, replay=True)


def test_objects():
    check_grads(of_an_object, V, order=2, replay=True)


def test_second_order():
    check_grads(dense, D, order=2, replay=True)


def sum_of_matrix(d):
    return np.sum(sparse.csr_matrix((d, PLACES), shape=(3, 3)).todense())


def kept_by_numpy(x):
    return np.sum(np.array(Quantity(x)) ** 2)


@pytest.mark.parametrize(("f", "x"), [(sum_of_matrix, D), (kept_by_numpy, V)])
def test_what_is_left_to_the_matrix_is_refused(f, x):
    with pytest.raises(tl.GradientError, match="make an array of the object first"):
        tl.grad(f)(x)
