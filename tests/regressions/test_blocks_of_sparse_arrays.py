"""Sparse arrays of blocks that are written out, with None among them, and of dense ones without zeros."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads

sparse = pytest.importorskip("scipy.sparse")

from scipy.sparse import bmat  # noqa: E402
from scipy.sparse.linalg import spsolve  # noqa: E402

PLACES = [0, 0, 1, 2, 2], [0, 1, 1, 0, 2]
D, V = np.array([1.3, 0.4, 2.2, 0.5, 1.7]), np.array([0.7, -0.3, 1.1])


def with_constraint(d, v):
    k = sparse.csr_matrix((d, PLACES), shape=(3, 3))
    b = sparse.csr_matrix(v.reshape(1, 3))
    whole = bmat([[k, b.T], [b, None]], format="csc")
    return np.sum(spsolve(whole, np.array([1.0, 2.0, 3.0, 4.0])) ** 2)


def of_arrays(d, v):
    k = sparse.csr_array((d, PLACES), shape=(3, 3))
    whole = sparse.block_array([[k, None], [sparse.eye_array(3), k.T]])
    return np.sum((whole @ np.concatenate([v, v**2])) ** 2)


def one_row(d, v):
    k = sparse.csr_matrix((d, PLACES), shape=(3, 3))
    beside, below = 2.0 * sparse.bmat([[k, sparse.diags(v)]]), sparse.bmat([[k], [k.T]], "csr")
    return np.sum((beside @ (below @ v)) ** 2)


def of_dense_ones(d, v):
    return np.sum(
        (sparse.coo_array(np.outer(v, v)) @ (sparse.csc_array(np.outer(v, v)) @ d[:3])) ** 2
    )


def made_by_loops(d, v):
    rows = []
    for i in range(2):
        row = []
        for j in range(2):
            row.append(sparse.csr_matrix((d * v[i] + j, PLACES), shape=(3, 3)))
        rows.append(row)
    whole = bmat(rows, format="csr")
    return np.sum((whole @ np.concatenate([v, v**2])) ** 2)


def made_by_comprehensions(d, v):
    k = sparse.csr_matrix((d, PLACES), shape=(3, 3))
    whole = sparse.block_array([[k * (i + j + 1.0) for j in range(2)] for i in range(2)])
    alike = bmat([[k.T * v[i] for j in range(2)] for i in range(2)])
    return np.sum((whole * (alike @ np.concatenate([v, v])).sum()).data ** 2)


LOOPS = [made_by_loops, made_by_comprehensions]


@pytest.mark.parametrize("f", [with_constraint, of_arrays, one_row, of_dense_ones, *LOOPS])
def test_blocks(f):
    check_grads(f, D, V, order=1, replay=True)


@pytest.mark.parametrize("f", [with_constraint, *LOOPS])
def test_second_order(f):
    check_grads(f, D, V, order=2)


def dense_with_zeros(v):
    return np.sum((sparse.csr_matrix(np.diag(v)) @ v) ** 2)


def test_zeros_of_dense_arrays_are_refused():
    with pytest.raises(tl.GradientError, match="made of a dense one with zeros"):
        tl.grad(dense_with_zeros)(V)
