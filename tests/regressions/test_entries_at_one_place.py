"""Sparse arrays that store several entries at one place, as finite elements are assembled."""

import numpy as np
import pytest

sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")

import tapeless as tl  # noqa: E402
from tapeless.errors import GradientError  # noqa: E402
from tapeless.testing import check_grads  # noqa: E402
from tests import laws  # noqa: E402

x = np.array([0.5, 0.7, 0.9, 1.1])
v = np.array([1.0, -2.0, 0.5])
long = np.arange(6.0) - 1.5
fixed = sparse.csr_array(np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 0.0], [3.0, 0.0, 1.0]]))


def assembled(x):
    return sparse.coo_array((1.0 * x, ([0, 0, 2, 1], [1, 1, 0, 1])), shape=(3, 3))


def beside(x):
    a = assembled(x)
    return np.sum((sparse.hstack([a, a]) @ long) ** 3)


def below(x):
    a = assembled(x)
    return np.sum((sparse.vstack([a, a.T]) @ v) ** 3)


def on_the_diagonal(x):
    return np.sum((sparse.block_diag([assembled(x), fixed]) @ long) ** 3)


def entries_of_what_is_joined(x):
    a = assembled(x)
    return np.sum(sparse.vstack([a, a]).data ** 3)


def joined_by_rows(x):
    a = assembled(x)
    return np.sum((sparse.hstack([a, fixed], format="csr") @ long) ** 3)


def multiplied_out(x):
    a = assembled(x)
    return np.sum((sparse.kron(a, a) @ np.arange(9.0)) ** 2)


def multiplied_by_a_fixed_one(x):
    return np.sum((sparse.kron(fixed, assembled(x)) @ np.arange(9.0)) ** 2)


def summed(x):
    a = assembled(x)
    return a.sum() ** 3 + np.sum(a.sum(axis=0) ** 3) + np.sum(a.sum(axis=1) ** 2)


def summed_after_a_product(x):
    a = assembled(x)
    y = a @ v
    return a.sum() ** 2 * np.sum(y**2)


def by_diagonals(x):
    return np.sum((assembled(x).todia() @ v) ** 3)


def squared_by_rows(x):
    return np.sum((assembled(x).tocsr().power(2) @ v) ** 2)


PROGRAMS = [
    beside, below, on_the_diagonal, entries_of_what_is_joined, joined_by_rows, multiplied_out,
    multiplied_by_a_fixed_one, summed, summed_after_a_product, by_diagonals, squared_by_rows,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives(f):
    laws.check_orders(f, x)


def squared(x):
    return np.sum(assembled(x).power(2) @ v)


def of_sines(x):
    return np.sum(assembled(x).sin() @ v)


@pytest.mark.parametrize("f", [squared, of_sines])
def test_functions_of_entries_that_are_added_up_first(f):
    with pytest.raises(GradientError, match="two entries at one place"):
        tl.grad(f)(x)
    with pytest.raises(GradientError, match="two entries at one place"):
        tl.jvp(f, (x,), (x,))


def test_functions_of_entries_at_places_of_their_own():
    def of_entries(x):
        a = sparse.coo_array((2.0 * x[:3], ([0, 1, 2], [1, 2, 0])), shape=(3, 3))
        return np.sum((a.power(2) @ v) ** 2) + np.sum(a.sin() @ v)

    check_grads(of_entries, x)
