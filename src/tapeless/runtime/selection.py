"""Entries picked by an index or a number, backwards: put where they came from, added where they meet."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeless.runtime.broadcasting import unbroadcast

_FEW = 32  # entries that are as soon added by themselves
_SHORT = 8  # entries of a row


def put_at(g: Any, index: Any, shape: tuple[int, ...]) -> Any:
    """Write `g` at the flat places `index`, all different, of zeros.

    Examples
    --------
    >>> put_at(np.array([1.0, 2.0]), np.array([3, 0]), (2, 2))
    array([[2., 0.],
           [0., 1.]])
    """
    spread = np.zeros(math.prod(shape), dtype=np.result_type(g))
    spread[np.ravel(index)] = np.ravel(g)
    return np.reshape(spread, shape)


def add_at(g: Any, index: Any, shape: tuple[int, ...]) -> Any:
    """Add up `g` at the flat places `index`, which may repeat, of zeros.

    Examples
    --------
    >>> add_at(np.array([1.0, 2.0, 3.0]), np.array([1, 0, 1]), (3,))
    array([2., 4., 0.])
    """
    spread = np.zeros(math.prod(shape), dtype=np.result_type(g))
    if spread.size:  # else there are no places
        np.add.at(spread, np.ravel(index), np.ravel(g))
    return np.reshape(spread, shape)


def scatter_add(a: Any, index: Any, g: Any) -> None:
    """Add `g` to the entries of `a` that an index selects, which may repeat: what `np.add.at` does.

    That is slow for more than one axis. Where rows are short, it adds column by column here, and all that
    falls on one entry is summed first.

    Examples
    --------
    >>> a = np.zeros((2, 2))
    >>> scatter_add(a, np.array([1, 1, 0]), np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    >>> a
    array([[5., 6.],
           [4., 6.]])
    """
    of_rows = isinstance(index, np.ndarray) and index.dtype.kind in "iu" and a.ndim > 1
    if of_rows and index.size > _FEW and a.flags.c_contiguous and a.size <= _SHORT * len(a):
        g = np.broadcast_to(g, index.shape + a.shape[1:]).reshape(index.size, -1)
        rows = np.ravel(index)
        for column, added in zip(a.reshape(len(a), -1).T, g.T, strict=True):
            _add_to_column(column, rows, added)
    elif _has_index_of_each_axis(index, a) and a.flags.c_contiguous:
        places: Any = 0
        for at, n in zip(index, a.shape, strict=True):
            places = places * n + at
        np.add.at(np.reshape(a, -1), np.ravel(places), np.ravel(np.broadcast_to(g, places.shape)))
    else:
        np.add.at(a, index, g)


def _add_to_column(column: Any, rows: Any, g: Any) -> None:
    """Add `g` to the entries of a column in rows: by a histogram where many are met, none from the end."""
    plain = column.dtype == g.dtype == np.float64
    if plain and column.size <= 4 * rows.size and rows.min() >= 0:
        column += np.bincount(rows, g, minlength=column.size)
    else:
        np.add.at(column, rows, g)


def _has_index_of_each_axis(index: Any, a: Any) -> bool:
    """Whether an index is one array of numbers from 0 to its size for each of two axes or more."""
    if not isinstance(index, tuple) or len(index) != a.ndim or a.ndim < 2:
        return False
    if not all(isinstance(i, np.ndarray) and i.dtype.kind in "iu" for i in index):
        return False
    return all(
        i.size > 0 and i.min() >= 0 and i.max() < n for i, n in zip(index, a.shape, strict=True)
    )


def flat_places(shape: tuple[int, ...]) -> Any:
    """Number the entries of an array of this shape, in the order of its ravel.

    Examples
    --------
    >>> flat_places((2, 2))
    array([[0, 1],
           [2, 3]])
    """
    return np.reshape(np.arange(math.prod(shape)), shape)


def flat_index(x: Any, index: Any) -> tuple[Any, ...]:
    """Return the index, one entry per dimension, that `x.flat[index]` stands for.

    Examples
    --------
    >>> x = np.zeros((2, 3))
    >>> flat_index(x, -2)
    (1, 1)
    """
    if isinstance(index, (int, np.integer)):
        found = np.unravel_index(range(np.size(x))[index], np.shape(x))
        return tuple(int(i) for i in found)
    return np.unravel_index(np.arange(np.size(x))[index], np.shape(x))


def last_writes(g: Any, index: Any) -> Any:
    """Return the cotangents of the items of a store: where indices repeat, the last one counts."""
    order = np.zeros(g.shape, dtype=np.intp)
    taken = g[index]
    places = np.arange(1, taken.size + 1).reshape(taken.shape)
    order[index] = places
    return np.where(order[index] == places, taken, 0.0)


def choice_bars(y_bar: Any, chosen: Any, choices: Any) -> Any:
    """Return for each choice the cotangents of the entries where `chosen` is its number."""
    bars = [
        unbroadcast(np.where(np.equal(chosen, i), y_bar, 0.0), choice)
        for i, choice in enumerate(choices)
    ]
    if isinstance(choices, np.ndarray):
        return np.stack(bars)
    return bars


def shares_of_equal(a: Any, axis: int) -> Any:
    """Say which slices of `a` each of ``np.unique(a, axis=axis)`` stands for, and with what share.

    Examples
    --------
    >>> shares_of_equal(np.array([[1.0, 2.0], [0.0, 1.0], [1.0, 2.0]]), 0)
    array([[0. , 1. , 0. ],
           [0.5, 0. , 0.5]])
    """
    values, group = np.unique(a, return_inverse=True, axis=axis)
    chosen = np.ravel(group) == np.arange(np.shape(values)[axis])[:, None]
    return (chosen / np.sum(chosen, axis=1, keepdims=True)).astype(np.result_type(a, np.float32))


def partition_order(y: Any, a: Any, kth: Any, axis: int | None) -> Any:
    """Say, as `np.argsort` does, from where ``y = np.partition(a, kth, axis)`` took its entries.

    NumPy partitions entries and their places by different loops, which may order what lies between
    otherwise; then both are sorted, and their places in the order tell.
    """
    order = np.argpartition(a, kth, axis=axis)
    if np.array_equal(np.take_along_axis(a, order, axis=axis), y, equal_nan=True):
        return order
    rank = np.argsort(np.argsort(y, axis=-1 if axis is None else axis), axis=axis)
    return np.take_along_axis(np.argsort(a, axis=axis), rank, axis=axis)


def diagonal_places(a: Any) -> Any:
    """Number the entries on the main diagonal of an array.

    Examples
    --------
    >>> diagonal_places(np.zeros((2, 3)))
    array([0, 1])
    """
    return np.arange(min(np.shape(a)))


def along_axis(indices: Any, axis: int, d: int) -> Any:
    """Return the index along dimension `d` of what `np.take_along_axis` picks with these indices.

    Examples
    --------
    >>> along_axis(np.array([[2], [0]]), 1, 0)
    array([[0],
           [1]])
    """
    rank = np.ndim(indices)
    if d == axis % rank:
        return indices
    numbers = np.arange(np.shape(indices)[d])
    return np.reshape(numbers, [-1 if i == d else 1 for i in range(rank)])
