"""Parts of sparse arrays as users of finite elements take them: rows, free unknowns, triangles, entries."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads
from tests import laws

sparse = pytest.importorskip("scipy.sparse")

from scipy.sparse.linalg import spsolve, spsolve_triangular  # noqa: E402

N = 5
ROWS = np.array([0, 1, 2, 3, 4, 0, 1, 2, 3, 1, 2, 3, 4, 0])  # the last is stored twice
COLUMNS = np.array([0, 1, 2, 3, 4, 1, 2, 3, 4, 0, 1, 2, 3, 0])
DATA = np.concatenate(
    [4.0 + 0.3 * np.arange(5), 0.5 + 0.1 * np.arange(4), 0.7 - 0.1 * np.arange(4), [0.25]]
)
LOAD = np.linspace(1.0, 2.0, N)
FREE, HELD = np.array([1, 2, 4]), np.array([0, 3])
MASK = np.array([True, False, True, True, False])
EDGES = np.array([[0, 1], [1, 2], [2, 3], [3, 4]])


def stiffness(d):
    return sparse.coo_matrix((d, (ROWS, COLUMNS)), shape=(N, N)).tocsr()


def rows_then_columns(d, b):
    K = stiffness(d)
    u = np.zeros(N)
    u[HELD] = 0.3
    u[FREE] = spsolve(K[FREE][:, FREE], b[FREE] - K[FREE, :][:, HELD] @ u[HELD])
    return np.sum(u**2)


def open_grid(d, b):
    return np.sum(spsolve(stiffness(d)[np.ix_(FREE, FREE)].tocsc(), b[FREE]) ** 2)


def masked(d, b):
    K = stiffness(d)
    return np.sum((K[MASK] @ b) ** 2) + np.sum((K[MASK][:, MASK] @ b[MASK]) ** 3)


def sliced(d, b):
    K = stiffness(d).tocsc()
    return np.sum((K[1:4, :3] @ b[:3]) ** 2) + np.sum(K[:, 1].toarray() ** 2) + (K[2] @ b)[0] ** 2


def single_entries(d, b):
    K = sparse.csr_array(stiffness(d))
    return K[1, 2] ** 2 * b[0] + K[0, 0] * K[3, 4] + K[0, 4] + np.sum(K[[0, 0, 1], [1, 1, 0]] ** 2)


def repeated_rows(d, b):
    return np.sum((stiffness(d)[[0, 2, 0]] @ b) ** 2)


def rows_by_method(d, b):
    K = stiffness(d)
    return np.sum(K.getcol(1).toarray() ** 2) + np.sum((K.getrow(1) @ b) ** 3)


def triangles(d, b):
    K = stiffness(d)
    lower = sparse.tril(K, format="csr")
    return np.sum(spsolve_triangular(lower, b) ** 2) + np.sum((sparse.triu(K, k=1) @ b) ** 2)


def put_in_order(d, b):
    K = stiffness(d)
    K.eliminate_zeros()
    K.sum_duplicates()
    K.sort_indices()
    return np.sum((K @ b) ** 2)


def powers(d, b):
    K = stiffness(d)
    return np.sum((K**2 @ b) ** 2) + np.sum((sparse.csr_array(K) ** 3 @ b) ** 2)


def means(d, b):
    K = sparse.csr_array(stiffness(d))
    return K.mean() * K.trace() + np.sum(K.mean(axis=0) ** 2) + K.mean(axis=1) @ b


def assembled_in_lists(d, b):
    rows, columns, values = [], [], []
    for e in range(4):
        element = d[e] * np.array([[1.0, -1.0], [-1.0, 1.0]])
        for i in range(2):
            for j in range(2):
                rows.append(e + i)
                columns.append(e + j)
                values.append(element[i, j])
    K = sparse.coo_matrix((values, (rows, columns)), shape=(5, 5)).tocsr()
    return np.sum(spsolve(K[1:, 1:], b[1:]) ** 2)


def weighted_blocks(d, b):
    """The factor stores zeros, which the product leaves out."""
    jumps = sparse.kron(sparse.csr_matrix([[1.0, 0.0], [0.0, -1.0]]), sparse.identity(2))
    return np.sum((sparse.diags(d[:4]) @ jumps @ b[:4]) ** 2)


@pytest.mark.parametrize(
    "f",
    [
        rows_then_columns, open_grid, masked, sliced, single_entries, repeated_rows, rows_by_method,
        triangles, put_in_order, powers, means, assembled_in_lists,
    ],
)  # fmt: skip
def test_derivatives(f):
    laws.check_orders(f, DATA, LOAD, rtol=1e-5, atol=1e-6)


def test_zeros_that_a_constant_factor_stores():
    check_grads(weighted_blocks, DATA, LOAD, order=1, replay=True, rtol=1e-5, atol=1e-6)


def test_text_keeps_the_index():
    text = tl.source(open_grid, like=(DATA, LOAD))
    assert "np.ix_(FREE, FREE)" in text
    assert "item_of_sparse" not in text


def test_row_of_one_dimension_is_refused():
    def row(d):
        return np.sum((sparse.csr_array(stiffness(d))[1] * LOAD) ** 2)

    with pytest.raises(tl.GradientError, match="no array of two dimensions"):
        tl.grad(row)(DATA)


def test_pullbacks_keep_the_entries_that_they_were_given():
    def product(d, b):
        K = sparse.csr_matrix((d, (ROWS, COLUMNS)), shape=(N, N))
        L = sparse.coo_matrix((d, (ROWS, COLUMNS)), shape=(N, N))
        return K @ (L @ b)

    d = DATA.copy()
    expected = tl.vjp(product, d, LOAD)[1](LOAD)
    _, pullback = tl.vjp(product, d, LOAD)
    d[:] = np.nan
    for found, wanted in zip(pullback(LOAD), expected, strict=True):
        np.testing.assert_allclose(found, wanted)
