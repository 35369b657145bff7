"""Functions of NumPy that call the user's functions, or are short algorithms: written out in Python.

What they do is differentiated in their place, as if the user had written it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeless.errors import GradientError
from tapeless.rules.declare import built_in_zero, written_out
from tapeless.rules.reasons import no_derivative
from tapeless.runtime import check_otypes, check_result


def apply_along_axis(func1d: Any, axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a function on each row along an axis, and put what it gives in the place of the row."""
    along = axis + np.ndim(arr) if axis < 0 else axis
    moved = np.moveaxis(arr, along, -1)
    places = np.ndindex(*np.shape(moved)[:-1])
    made = np.stack([func1d(moved[place], *args, **kwargs) for place in places])
    shaped = np.reshape(made, np.shape(moved)[:-1] + np.shape(made)[1:])
    added = np.ndim(made) - 1
    ends = tuple(range(np.ndim(shaped) - added, np.ndim(shaped)))
    return np.moveaxis(shaped, ends, tuple(range(along, along + added)))


def apply_over_axes(func: Any, a: Any, axes: Any) -> Any:
    """Call a function along one axis after the other; an axis that it drops is put back."""
    for axis in axes:
        made = func(a, axis)
        a = made if np.ndim(made) == np.ndim(a) else np.expand_dims(made, axis)
    return a


def poly(seq_of_zeros: Any) -> Any:
    """Multiply the linear factors of a polynomial; of a matrix, those of its eigenvalues."""
    zeros = seq_of_zeros
    if np.ndim(seq_of_zeros) == 2:
        zeros = np.linalg.eigvals(seq_of_zeros)
    c = np.ones(1)
    for zero in zeros:
        c = np.convolve(c, np.stack([1.0, -zero]))
    if np.ndim(seq_of_zeros) == 2:
        return np.real(c)
    return c


def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """Divide what lies between the least and the greatest entry, or the ends of a range, evenly."""
    if isinstance(bins, str):
        raise GradientError(
            "np.histogram_bin_edges with bins that it chooses has no gradient",
            fix="say how many bins there are",
        )
    if np.ndim(bins) == 1:
        return np.asarray(bins)
    first, last = np.min(a), np.max(a)
    if range is not None:
        first, last = range[0], range[1]
    if first == last:
        first, last = first - 0.5, last + 0.5
    return np.linspace(first, last, bins + 1)


def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """Add up the weights of the points in each rectangle; the counts of points are constant."""
    each = [bins, bins] if np.ndim(bins) == 0 or len(bins) != 2 else bins
    ends = [None, None] if range is None else range
    rows = histogram_bin_edges(x, each[0], ends[0])
    columns = histogram_bin_edges(y, each[1], ends[1])
    inside = (x >= rows[0]) & (x <= rows[-1]) & (y >= columns[0]) & (y <= columns[-1])
    i = np.minimum(np.searchsorted(rows, x, side="right") - 1, len(rows) - 2)
    j = np.minimum(np.searchsorted(columns, y, side="right") - 1, len(columns) - 2)
    shape = (len(rows) - 1, len(columns) - 1)
    ones = np.ones(np.shape(x)) if weights is None else weights
    kept = (i * shape[1] + j)[inside]
    counts: Any = np.reshape(np.bincount(kept, ones[inside], shape[0] * shape[1]), shape)
    if density:
        counts = counts / np.outer(np.diff(rows), np.diff(columns)) / np.sum(counts)
    return counts, rows, columns


def fromfunction(
    function: Any, shape: Any, *, dtype: Any = float, like: Any = None, **kwargs: Any
) -> Any:
    """Call a function once, with the number of each entry along each axis."""
    return function(*np.indices(shape, dtype=dtype), **kwargs)


def union1d(ar1: Any, ar2: Any) -> Any:
    return np.unique(np.concatenate((np.ravel(ar1), np.ravel(ar2))))


def setdiff1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Any:
    entries = np.ravel(ar1) if assume_unique else np.unique(ar1)
    return entries[~np.isin(entries, ar2)]


def setxor1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Any:
    """Return the entries of each that the other has not, in their order."""
    first, second = np.unique(ar1), np.unique(ar2)
    kept = (first[~np.isin(first, second)], second[~np.isin(second, first)])
    return np.sort(np.concatenate(kept))


def kaiser(M: Any, beta: Any) -> Any:
    """Return the Kaiser window, a quotient of Bessel functions."""
    if M == 1:
        return np.ones(1)
    alpha = (M - 1) / 2.0
    places = np.arange(0, M)
    return np.i0(beta * np.sqrt(1 - ((places - alpha) / alpha) ** 2.0)) / np.i0(beta * 1.0)


def fromiter(iter: Any, dtype: Any, count: Any = -1) -> Any:
    """Make an array of what an iterator gives."""
    made = np.array(list(iter), dtype=dtype)
    return made if count < 0 else made[:count]


def each_of(function: Any, args: Any) -> Any:
    """Call a function on each of the entries, broadcast."""
    spread = np.broadcast_arrays(*args)
    shape = np.shape(spread[0])
    rows = [np.ravel(x) for x in spread]
    made = []
    for i in range(math.prod(shape)):
        made.append(function(*[row[i] for row in rows]))
    check_result(made[0])
    return np.reshape(np.stack(made), shape)


def call_of_vectorized(self: Any, *args: Any, **kwargs: Any) -> Any:
    """Call what an `np.vectorize` is made of on each of the entries."""
    if self.signature is not None or self.excluded or kwargs:
        raise GradientError(_ROWS, fix=_LOOP)
    check_otypes(self.otypes)
    return each_of(self.pyfunc, args)


_ROWS = "np.vectorize with signature or excluded, or with keywords, is not differentiated"
_LOOP = "write a loop over the rows or entries, and stack what the function gives"

written_out(np.apply_along_axis, apply_along_axis)
built_in_zero(check_otypes, check_result, pure=False)
written_out(np.vectorize.__call__, call_of_vectorized)
written_out(np.apply_over_axes, apply_over_axes)
written_out(np.poly, poly)
written_out(np.histogram_bin_edges, histogram_bin_edges)
written_out(np.histogram2d, histogram2d)
written_out(np.fromfunction, fromfunction)
written_out(np.union1d, union1d)
written_out(np.setdiff1d, setdiff1d)
written_out(np.setxor1d, setxor1d)
written_out(np.kaiser, kaiser)
written_out(np.fromiter, fromiter)

no_derivative(
    "the object that it makes is not looked into",
    np.frompyfunc,
)
no_derivative("take np.histogram2d, or np.bincount of places", np.histogramdd)
