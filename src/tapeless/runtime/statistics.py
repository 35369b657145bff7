"""Quantiles, covariances and counts, backwards.

A quantile lies between two neighbours in the sorted order. Which ones is piecewise constant; entries that
are equal to one of them share its cotangent evenly, as those that attain a maximum do. Covariances are
products of deviations from means; the means contribute nothing, since deviations sum to zero.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from tapeless.runtime.elementwise import conjugate
from tapeless.runtime.selection import add_at, flat_places
from tapeless.runtime.shapes import transpose


def sorted_places(a: Any, axis: Any = None) -> Any:
    """Return the flat places of the entries in the sorted order along `axis`, which comes last.

    Examples
    --------
    >>> sorted_places(np.array([[3.0, 1.0], [0.0, 4.0]]), 0)
    array([[2, 0],
           [1, 3]])
    """
    rank = np.ndim(a)
    axes = normalize_axis_tuple(range(rank) if axis is None else axis, rank)
    moved = np.moveaxis(flat_places(np.shape(a)), axes, tuple(range(rank - len(axes), rank)))
    kept = np.shape(moved)[: rank - len(axes)]
    rows = np.reshape(moved, (*kept, math.prod(np.shape(moved)[rank - len(axes) :])))
    return np.take_along_axis(rows, np.argsort(np.ravel(a)[rows], axis=-1), axis=-1)


def average_ties(g: Any, a: Any, places: Any) -> Any:
    """Average what belongs to equal entries of `a`, which `places` holds in rows, sorted.

    Examples
    --------
    >>> a = np.array([2.0, 1.0, 2.0])
    >>> average_ties(np.array([1.0, 5.0, 0.0]), a, sorted_places(a))
    array([0.5, 5. , 0.5])
    """
    rows = np.ravel(a)[places]
    first = np.ones(np.shape(rows), dtype=bool)
    first[..., 1:] = rows[..., 1:] != rows[..., :-1]
    if np.all(first):
        return g
    group = np.cumsum(first) - 1
    order = np.ravel(places)
    weights = np.ravel(g)[order]
    sums = np.zeros(group[-1] + 1, dtype=weights.dtype)
    np.add.at(sums, group, weights)
    averaged = np.empty_like(weights)
    averaged[order] = (sums / np.bincount(group))[group]
    return np.reshape(averaged, np.shape(g))


def quantile_cell(a: Any, q: Any, places: Any, method: str, skips_nan: bool) -> tuple[Any, Any]:
    """Return between which sorted entries quantiles lie, and how far: the lower one's index and t."""
    count = np.sum(~np.isnan(np.ravel(a)[places]), axis=-1) if skips_nan else places.shape[-1]
    last = np.broadcast_to(np.maximum(count - 1, 0), np.shape(places)[:-1])
    index = np.reshape(q, (*np.shape(q), *(1,) * np.ndim(last))) * last
    lower = np.floor(index)
    t = index - lower
    if method == "lower":
        t = 0.0 * t
    if method == "higher":
        t = 1.0 * (t > 0)
    if method == "midpoint":
        t = 0.5 * (t > 0)
    if method == "nearest":
        t = 1.0 * ((t > 0.5) | ((t == 0.5) & (lower % 2 == 1)))
    return lower.astype(int), t


def neighbours(places: Any, lower: Any) -> tuple[Any, Any]:
    """Return the flat places of the entries below and above quantiles."""
    upper = np.minimum(lower + 1, places.shape[-1] - 1)
    rows = np.broadcast_to(places, (*np.shape(lower), places.shape[-1]))
    below = np.take_along_axis(rows, np.expand_dims(lower, -1), axis=-1)[..., 0]
    return below, np.take_along_axis(rows, np.expand_dims(upper, -1), axis=-1)[..., 0]


def quantile_bar(
    y_bar: Any, a: Any, q: Any, axis: Any, method: str = "linear", skips_nan: bool = False
) -> Any:
    """Return the cotangent of `a` in ``np.quantile(a, q, axis, method=method)``.

    Examples
    --------
    >>> quantile_bar(1.0, np.array([4.0, 1.0, 2.0]), 0.25, None)
    array([0. , 0.5, 0.5])
    """
    places = sorted_places(a, axis)
    lower, t = quantile_cell(a, q, places, method, skips_nan)
    below, above = neighbours(places, lower)
    share = t.astype(np.result_type(y_bar))
    g = np.reshape(y_bar, np.shape(below))
    parts = np.stack([(1 - share) * g, share * g])
    return average_ties(add_at(parts, np.stack([below, above]), np.shape(a)), a, places)


def quantile_dot(
    v: Any, a: Any, q: Any, axis: Any, method: str = "linear", skips_nan: bool = False
) -> Any:
    """Take, in the sorted order of `a`, the quantiles of `v`: the transpose of `quantile_bar`."""
    places = sorted_places(a, axis)
    lower, t = quantile_cell(a, q, places, method, skips_nan)
    below, above = neighbours(places, lower)
    share = t.astype(np.result_type(v))
    entries = np.ravel(average_ties(v, a, places))
    return (1 - share) * entries[below] + share * entries[above]


def quantile_slope(a: Any, q: Any, axis: Any, method: str, skips_nan: bool) -> Any:
    """Differentiate the quantiles in `q`: the step between the entries, over how far q moves it."""
    places = sorted_places(a, axis)
    below, above = neighbours(places, quantile_cell(a, q, places, method, skips_nan)[0])
    entries = np.ravel(a)
    if method != "linear":
        return np.zeros_like(entries[below])
    count = np.sum(~np.isnan(entries[places]), axis=-1) if skips_nan else places.shape[-1]
    return (entries[above] - entries[below]) * np.subtract(count, 1, dtype=entries.dtype)


def quantile_q_bar(
    y_bar: Any, a: Any, q: Any, axis: Any, method: str = "linear", skips_nan: bool = False
) -> Any:
    """Return the cotangent of `q` in ``np.quantile(a, q, axis, method=method)``."""
    slope = quantile_slope(a, q, axis, method, skips_nan)
    kept = tuple(range(np.ndim(q), np.ndim(slope)))
    return np.sum(np.reshape(y_bar, np.shape(slope)) * slope, axis=kept)


def quantile_q_dot(
    q_dot: Any, a: Any, q: Any, axis: Any, method: str = "linear", skips_nan: bool = False
) -> Any:
    """Apply the derivative of ``np.quantile(a, q, axis, method=method)`` in `q`."""
    slope = quantile_slope(a, q, axis, method, skips_nan)
    return np.reshape(q_dot, (*np.shape(q_dot), *(1,) * (np.ndim(slope) - np.ndim(q)))) * slope


def variables_of(m: Any, y: Any = None, rowvar: bool = True) -> Any:
    """Return the variables whose covariances `np.cov` computes, one per row.

    Examples
    --------
    >>> variables_of(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    array([[1., 2.],
           [3., 4.]])
    """
    rows = np.atleast_2d(m) if rowvar or np.ndim(m) == 1 else np.transpose(np.atleast_2d(m))
    if y is None:
        return rows
    more = np.atleast_2d(y)
    if not rowvar and np.shape(more)[0] != 1:
        more = np.transpose(more)
    return np.concatenate([rows, more])


def variables_bars(rows_bar: Any, m: Any, y: Any = None, rowvar: bool = True) -> list[Any]:
    """Return the cotangents of `m` and `y` in ``variables_of(m, y, rowvar)``."""
    count = np.shape(variables_of(m, None, rowvar))[0]
    first, second = rows_bar[:count], rows_bar[count:]
    if not rowvar:
        first = np.transpose(first)
        second = second if np.ndim(y) < 2 or np.shape(y)[0] == 1 else np.transpose(second)
    if y is None:
        return [np.reshape(first, np.shape(m)), None]
    return [np.reshape(first, np.shape(m)), np.reshape(second, np.shape(y))]


def covariance_bar(c_bar: Any, rows: Any, ddof: int) -> Any:
    """Return the cotangent of the variables in ``np.cov(rows, ddof=ddof)``."""
    size, count = np.shape(rows)
    g = np.reshape(c_bar, (size, size))
    deviation = rows - np.mean(rows, axis=1, keepdims=True)
    return (g + transpose(conjugate(g))) @ conjugate(deviation) / (count - ddof)


def covariance_dot(rows_dot: Any, rows: Any, ddof: int) -> Any:
    """Apply the derivative of ``np.cov(rows, ddof=ddof)``."""
    deviation = rows - np.mean(rows, axis=1, keepdims=True)
    half = rows_dot @ transpose(conjugate(deviation)) / (np.shape(rows)[1] - ddof)
    return half + transpose(conjugate(half))


def standardized(rows: Any) -> Any:
    """Return the deviations from the mean in each row, divided by their norm, and this."""
    deviation = rows - np.mean(rows, axis=1, keepdims=True)
    size = np.sqrt(np.sum(deviation * deviation, axis=1, keepdims=True))
    return deviation / size, size


def correlation_bar(c_bar: Any, rows: Any) -> Any:
    """Return the cotangent of the variables in ``np.corrcoef(rows)``."""
    z, size = standardized(rows)
    g = np.reshape(c_bar, (len(rows), len(rows)))
    z_bar = (g + transpose(g)) @ z
    return (z_bar - z * np.sum(z_bar * z, axis=1, keepdims=True)) / size


def correlation_dot(rows_dot: Any, rows: Any) -> Any:
    """Apply the derivative of ``np.corrcoef(rows)``."""
    z, size = standardized(rows)
    centred = (rows_dot - np.mean(rows_dot, axis=1, keepdims=True)) / size
    half = (centred - z * np.sum(centred * z, axis=1, keepdims=True)) @ transpose(z)
    return half + transpose(half)


def weights_in_bins_bar(counts_bar: Any, a: Any, edges: Any) -> Any:
    """Return the cotangent of the weights in ``np.histogram(a, edges, weights=weights)``.

    Examples
    --------
    >>> weights_in_bins_bar(np.array([1.0, 2.0]), np.array([0.5, 2.0, 3.0]), np.arange(3.0))
    array([1., 2., 0.])
    """
    last = len(counts_bar) - 1
    places = np.clip(np.searchsorted(edges, a, side="right") - 1, 0, last)
    return np.where((a >= edges[0]) & (a <= edges[-1]), counts_bar[places], 0.0)
