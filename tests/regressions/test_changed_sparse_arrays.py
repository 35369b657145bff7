"""Sparse arrays that change: sorted by SciPy, stored into entry by entry, scaled under another name."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads

sparse = pytest.importorskip("scipy.sparse")

from scipy.sparse.linalg import spsolve  # noqa: E402

PLACES = [0, 0, 1, 2, 2], [0, 1, 1, 0, 2]
D, V = np.array([1.3, 0.4, 2.2, 0.5, 1.7]), np.array([0.7, -0.3, 1.1])


def summed_between_products(d):
    k = sparse.csr_array((d, PLACES), shape=(3, 3))
    m = k @ k  # in no order, until SciPy adds it up
    weights = m.data
    return m.sum() + np.sum((m @ V) ** 2) + np.sum(weights**2)


def in_no_order(d):
    m = sparse.csr_matrix((d, [1, 0, 1, 2, 0], [0, 2, 3, 5]), shape=(3, 3))
    return m.sum() ** 2 + np.sum((m @ V) ** 2)


@pytest.mark.parametrize("f", [summed_between_products, in_no_order])
def test_sums_keep_the_order(f):
    check_grads(f, D, order=1, replay=True)


def stiffness(v, w):
    n = len(v)
    k = sparse.lil_matrix((n, n))
    for i in range(n):
        k[i, i] = 2.0
        if i > 0:
            k[i, i - 1] = -1.0
            k[i - 1, i] = -1.0
    return np.sum(spsolve(w * k.tocsr(), v) ** 2)


def stored_between(v, w):
    k = sparse.dok_array((3, 3))
    k[0, 1] = 2.0
    first = k[0, 1] * w
    one = k.tocsr()
    k[0, 1] = 5.0
    return np.sum((one @ (k.tocsc().T @ v)) ** 2) * first


@pytest.mark.parametrize("f", [stiffness, stored_between])
def test_constants_stored_entry_by_entry(f):
    check_grads(f, V, 2.0, order=1, replay=True)


def test_their_second_derivatives():
    hessian = tl.hessian(lambda v: stiffness(v, 2.0))(V)
    k = 2.0 * (2.0 * np.eye(3) - np.eye(3, k=1) - np.eye(3, k=-1))
    np.testing.assert_allclose(hessian, 2.0 * np.linalg.inv(k @ k), rtol=1e-6)


def entry_that_varies(v):
    k = sparse.lil_matrix((3, 3))
    k[0, 0] = v[0]
    return np.sum((k.tocsr() @ v) ** 2)


def diagonal_set(v):
    k = sparse.eye(3, format="csr")
    y = k @ v
    k.setdiag(5.0)
    return np.sum(y**3)


def scaled_by_another_name(v):
    k = sparse.eye(3, format="csr").copy()
    other = k
    y = k @ v
    other *= 3.0
    return np.sum(y**3) * k[0, 0]


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (entry_that_varies, "what carries a derivative is stored into the sparse array `k`"),
        (diagonal_set, "the entries of the sparse array `k` are stored into"),
        (scaled_by_another_name, "`other` is changed in place while it has another name"),
    ],
)
def test_refused(f, message):
    with pytest.raises(tl.GradientError, match=message):
        tl.grad(f)(V)


class Scaled:
    def __init__(self, d):
        self.k = sparse.csr_matrix((d, PLACES), shape=(3, 3))

    def times(self, v):
        self.k *= 2.0
        return self.k @ v


def test_attributes_are_scaled():
    check_grads(lambda d: np.sum(Scaled(d).times(V) ** 2), D, order=1, replay=True)
