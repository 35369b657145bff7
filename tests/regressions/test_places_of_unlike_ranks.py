"""Places of sorted entries, bins and diagonals: of how many axes they are."""

import numpy as np
import pytest

from tests import laws

X = np.array([0.9, 0.25, 0.13])
K = np.array([[0.9, 0.25, 0.13], [0.11, 1.1, 0.3], [0.22, 0.17, 0.7]])
WEIGHTS = np.arange(1.0, 7.0).reshape(2, 3)
ROWS = [[3, 1, 2], [1, 3, 2]]


def sorted_rows_of_lists(x):
    return np.sum(x[np.argsort(ROWS)] ** 2 * WEIGHTS)


def sorted_columns_of_an_array(x):
    k = np.argsort(np.array(ROWS), axis=0)
    y = x[k]
    y[0] += x
    return np.sum(y * WEIGHTS)


def parts_of_sorted_rows(x):
    y = x[np.argsort(ROWS)]
    return np.sum(y[0] * y[1]) + np.sum(y.T @ np.ones(2)) * x[0]


def sorted_in_the_flat_array(x):
    k = np.outer(x, x) * WEIGHTS[:1]
    i, j = np.unravel_index(np.argsort(k, axis=None), k.shape)
    return k[i, j] @ np.arange(9.0) + x[k.argsort(None) % 3] @ np.arange(9.0)


def bins_of_rows(x):
    y = x[np.digitize(ROWS, [1.5, 2.5])] * 2.0
    y += x
    return np.sum(y * WEIGHTS)


def among_rows_looked_for(x):
    y = x[np.searchsorted([0.2, 0.5], [[0.1, 0.3, 0.2], [0.6, 0.7, 0.3]])]
    y *= x
    return np.sum(y * WEIGHTS)


@pytest.mark.parametrize(
    "function",
    [
        sorted_rows_of_lists, sorted_columns_of_an_array, parts_of_sorted_rows, sorted_in_the_flat_array,
        bins_of_rows, among_rows_looked_for,
    ],
    ids=lambda function: function.__name__,
)  # fmt: skip
def test_places_in_rows(function):
    laws.check_orders(function, X)


def added_to_the_diagonal(k, s):
    k = k.copy()
    k[np.diag_indices_from(k)] += s**2
    return np.linalg.det(k)


def at_places_of_the_flat_array(k, s):
    k = s * k
    k[np.unravel_index([1, 2], k.shape)] *= s
    i, j = np.unravel_index(np.array([3, 5]), (3, 3))
    k[i, j] *= s
    k[np.unravel_index(4, k.shape)] *= s
    k[np.unravel_index(np.argmax(k), k.shape)] *= s
    return np.linalg.det(k + np.eye(3))


def in_half_of_it(k, s):
    k = s * k
    k[np.mask_indices(3, np.triu)] *= s
    return np.linalg.det(k + np.eye(3))


@pytest.mark.parametrize(
    "function",
    [added_to_the_diagonal, at_places_of_the_flat_array, in_half_of_it],
    ids=lambda function: function.__name__,
)
def test_places_of_axes(function):
    laws.check_orders(function, K, 0.6)
