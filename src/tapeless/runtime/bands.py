"""Matrices of few diagonals, in the diagonal form of `scipy.linalg`: products, cotangents, factors.

A matrix with `lower` diagonals below the main one and `upper` above is kept as an array of
``lower + upper + 1`` rows, ``ab[upper + i - j, j] == a[i, j]``. What is done to it here costs the number of
its entries, times a width: no whole matrix is made.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def band_places(count: int, lower: int, upper: int) -> tuple[Any, Any]:
    """Return for each entry of a band matrix in diagonal form its row, and whether it is one."""
    rows = np.arange(count) + (np.arange(lower + upper + 1) - upper)[:, None]
    return np.clip(rows, 0, count - 1), (rows >= 0) & (rows < count)


def band_of_pairs(u: Any, v: Any, lower: int, upper: int) -> Any:
    """Return the band of ``u @ v.T`` in diagonal form.

    Examples
    --------
    >>> band_of_pairs(np.array([1.0, 2.0]), np.array([3.0, 4.0]), 1, 0)
    array([[3., 8.],
           [6., 0.]])
    """
    rows, present = band_places(np.shape(v)[0], lower, upper)
    if np.ndim(u) == 1:
        return np.where(present, u[rows] * v, 0.0)
    return np.where(present, np.sum(u[rows] * v, axis=-1), 0.0)


def transposed_band(ab: Any, lower: int, upper: int) -> Any:
    """Return the transpose of a band matrix in diagonal form, with `lower` and `upper` exchanged.

    Examples
    --------
    >>> transposed_band(np.array([[1.0, 2.0], [3.0, 0.0]]), 1, 0)
    array([[0., 3.],
           [1., 2.]])
    """
    rows, present = band_places(np.shape(ab)[-1], upper, lower)
    places = np.arange(lower + upper, -1, -1)[:, None]
    return np.where(present, ab[places, rows], 0.0)


def band_times(ab: Any, x: Any, lower: int, upper: int) -> Any:
    """Return the product of a band matrix in diagonal form and a vector or matrix.

    Examples
    --------
    >>> band_times(np.array([[1.0, 2.0], [3.0, 0.0]]), np.array([1.0, 10.0]), 1, 0)
    array([ 1., 23.])
    """
    columns, _ = band_places(np.shape(ab)[-1], upper, lower)
    entries = transposed_band(ab, lower, upper)
    if np.ndim(x) == 1:
        return np.sum(entries * x[columns], axis=0)
    return np.sum(entries[..., None] * x[columns], axis=0)


def without_diagonal(ab: Any, lower: Any) -> Any:
    """Return half of a symmetric band matrix in diagonal form, its diagonal set to 0."""
    diagonal = 0 if lower else np.shape(ab)[0] - 1
    return np.where(np.arange(np.shape(ab)[0])[:, None] == diagonal, 0.0, ab)


def symmetric_band_bar(u: Any, v: Any, ab: Any, lower: Any) -> Any:
    """Return the cotangent of half of a symmetric band matrix from ``u @ v.T``, that of the whole."""
    width = np.shape(ab)[0] - 1
    below, above = (width, 0) if lower else (0, width)
    mirrored = without_diagonal(band_of_pairs(v, u, below, above), lower)
    return band_of_pairs(u, v, below, above) + mirrored


def symmetric_band_times(ab: Any, x: Any, lower: Any) -> Any:
    """Return the product of a symmetric band matrix, of which half is given, and `x`."""
    width = np.shape(ab)[0] - 1
    below, above = (width, 0) if lower else (0, width)
    mirrored = transposed_band(without_diagonal(ab, lower), below, above)
    return band_times(ab, x, below, above) + band_times(mirrored, x, above, below)


# Cholesky factors


def lower_band(c: Any, lower: Any) -> Any:
    """Return the lower factor in diagonal form, if that is given or the upper one.

    Examples
    --------
    >>> lower_band(np.array([[0.0, 3.0], [1.0, 2.0]]), False)
    array([[1., 2.],
           [3., 0.]])
    """
    width = np.shape(c)[0] - 1
    if lower:
        return np.where(band_places(np.shape(c)[1], width, 0)[1], c, 0.0)
    return transposed_band(c, 0, width)


def given_band(c: Any, beside: Any, lower: Any) -> Any:
    """Return a lower factor in diagonal form, or as an upper one where `lower` is false.

    What does not stand on a diagonal is taken from `beside`: a factorization leaves it as it is.
    """
    width = np.shape(c)[0] - 1
    if lower:
        return np.where(band_places(np.shape(c)[1], width, 0)[1], c, beside)
    upper = transposed_band(c, width, 0)
    return np.where(band_places(np.shape(c)[1], 0, width)[1], upper, beside)


def banded_cholesky_bar(c_bar: Any, c: Any, lower: Any) -> Any:
    """Return the cotangent of half of a symmetric band matrix from that of its Cholesky factor.

    The steps of the factorization, column by column, from the last to the first (S. P. Smith,
    "Differentiation of the Cholesky algorithm", 1995).
    """
    width = np.shape(c)[0] - 1
    factor = lower_band(c, lower)
    count = np.shape(factor)[1]
    bars = np.pad(lower_band(c_bar, lower), ((0, 0), (0, width)))
    i = np.arange(width)
    below, first = np.abs(i[:, None] - i), np.minimum(i[:, None], i)
    for j in range(count - 1, -1, -1):
        column, root = factor[1:, j], factor[0, j]
        after = bars[0, j + 1 : j + 1 + width] * column
        column_bar = bars[1:, j] - bars[below, j + 1 + first] @ column - after
        bars[0, j] = 0.5 * (bars[0, j] - column_bar @ column / root) / root
        bars[1:, j] = column_bar / root
    return given_band(bars[:, :count], c_bar, lower)


def banded_cholesky_dot(a_dot: Any, c: Any, lower: Any) -> Any:
    """Return the tangent of the Cholesky factor of a symmetric band matrix, column by column."""
    width = np.shape(c)[0] - 1
    factor = lower_band(c, lower)
    count = np.shape(factor)[1]
    dots = np.pad(lower_band(a_dot, lower), ((0, 0), (0, width)))
    rows, columns = np.tril_indices(width)
    for j in range(count):
        column, root = factor[1:, j], factor[0, j]
        root_dot = 0.5 * dots[0, j] / root
        column_dot = (dots[1:, j] - column * root_dot) / root
        dots[0, j] = root_dot
        dots[1:, j] = column_dot
        change = column_dot[rows] * column[columns] + column[rows] * column_dot[columns]
        dots[rows - columns, j + 1 + columns] -= change
    return given_band(dots[:, :count], a_dot, lower)


def factor_times(c: Any, x: Any, lower: Any) -> Any:
    """Return the product of the lower factor L and `x`, where that is given or the upper one.

    Examples
    --------
    >>> factor_times(np.array([[1.0, 2.0], [3.0, 0.0]]), np.array([1.0, 10.0]), True)
    array([ 1., 23.])
    """
    return band_times(lower_band(c, lower), x, np.shape(c)[0] - 1, 0)


def turned_factor_times(c: Any, x: Any, lower: Any) -> Any:
    """Return the product of the upper factor L^T and `x`, where that is given or the lower one."""
    width = np.shape(c)[0] - 1
    if lower:
        return band_times(transposed_band(c, width, 0), x, 0, width)
    return band_times(c, x, 0, width)


def of_banded_product_bar(u: Any, v: Any, c: Any, lower: Any) -> Any:
    """Return the cotangent of a banded Cholesky factor from ``u @ v.T``, that of ``L @ L.T``.

    It is the band of ``(u @ v.T + v @ u.T) @ L``, a sum of as many pairs as there are right-hand sides.
    """
    width = np.shape(c)[0] - 1
    first, second = turned_factor_times(c, u, lower), turned_factor_times(c, v, lower)
    if lower:
        return band_of_pairs(u, second, width, 0) + band_of_pairs(v, first, width, 0)
    return band_of_pairs(second, u, 0, width) + band_of_pairs(first, v, 0, width)


def of_banded_product_dot(c_dot: Any, x: Any, c: Any, lower: Any) -> Any:
    """Return ``(dL @ L.T + L @ dL.T) @ x``."""
    left = factor_times(c_dot, turned_factor_times(c, x, lower), lower)
    return left + factor_times(c, turned_factor_times(c_dot, x, lower), lower)
