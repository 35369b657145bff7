"""Second derivatives of what is changed in place after functions that keep what is known of the rank."""

import numpy as np
import pytest

from tests import laws

M = np.array([[0.3, 0.5, -0.7], [1.1, 0.2, 0.9], [0.4, -0.6, 0.8]])


def of_a_power(m):
    p = np.linalg.matrix_power(m, 5)[0]
    p[1] *= p[0]
    return np.sum(p**2)


def of_covariances(m):
    c = np.cov(m, rowvar=False) + np.cov(m[0], m[1])[0, 1]
    c[0] *= c[1]
    return np.sum(c)


def of_what_is_left(m):
    c = np.compress([True, False, True], m, axis=1)
    c[0] *= c[1]
    return np.sum(c) + np.sum(np.extract(m > 0.0, m) ** 2)


def of_products(m):
    c = np.tensordot(m, m, axes=(0, 0))
    c[0] *= c[1]
    return np.sum(c) * np.sum(np.vecdot(m, m, axis=0) ** 2)


def of_lists_of_axes(m):
    c = np.tensordot(m, m, axes=([1], [0]))
    c[0] *= c[1]
    return np.sum(c)


def of_named_axes(m):
    c = np.einsum("...j,j->...", m, m[0]) * np.einsum("i...,i...->i...", m, m)
    c[0] *= np.einsum("...i,...i", m, m)
    return np.sum(c)


def of_items_apart(m):
    t = np.stack([m, m**2])
    c, d = t[0, :, [0, 1]], t[:, None, 0, [1, 2]]
    c[0] *= c[1]
    d[0] *= d[1]
    return np.sum(c) * np.sum(t[:, 0, ..., [0, 1]] ** 2) + np.sum(d)


def of_places_found(m):
    c = m[np.where(m[:, 0] > 0.0)] + m[np.nonzero(m[:, 0] > 0.0)] ** 2
    c[0] *= c[1]
    return np.sum(c)


def of_diagonals(m):
    c = np.diagonal(np.stack([m, m**2]), 1, 0, 2).copy() + np.diagflat(m[0])[:3, :1]
    c[0] *= c[1]
    return np.sum(c * m.mT[:, :1])


def of_choices(m):
    c = np.choose([0, 2, 1], m)
    c[0] *= c[1]
    return np.sum(c)


def of_grids(m):
    rows, columns = np.mgrid[0:3, 0:3]
    down, across = np.ogrid[0:3, 0:1:3j]
    c = m[0, 0] * rows + m[0, 1] * columns * down + m[1] * across
    c[0] *= c[1]
    return np.sum(c**2)


def of_entries_one_by_one(m):
    c = np.vectorize(lambda a, b: a * b if a > 0 else a - b)(m, m[0])
    c[0] *= c[1]
    return np.sum(c)


OF_KNOWN_RANK = [
    of_a_power, of_covariances, of_what_is_left, of_products, of_lists_of_axes, of_named_axes,
    of_items_apart, of_places_found, of_diagonals, of_choices, of_grids, of_entries_one_by_one,
]  # fmt: skip


@pytest.mark.parametrize("f", OF_KNOWN_RANK)
def test_derivatives(f):
    laws.check_orders(f, M)


def of_unknown_rank(m):
    """What is known of the result is that it is an array, or a number."""
    return np.reshape(m @ m.T + np.eye(3), tuple(sorted(m.shape)))


def in_pieces(m):
    a, b, c = np.split(of_unknown_rank(m), 3)
    return np.sum(a * b) * np.sum(c**2)


def in_slices(m):
    return np.sum(np.unstack(of_unknown_rank(m))[0] ** 2)


def by_eigenvalues(m):
    w, v = np.linalg.eigh(of_unknown_rank(m))
    return np.sum(w**3) * np.linalg.eigvalsh(of_unknown_rank(m)).max()


@pytest.mark.parametrize("f", [in_pieces, in_slices, by_eigenvalues])
def test_lists_and_tuples_of_what_has_an_unknown_rank(f):
    laws.check_orders(f, M)
