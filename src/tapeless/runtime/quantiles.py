"""Quantiles, backwards.

A quantile lies between two neighbours in the sorted order. Which ones is piecewise constant; entries that
are equal to one of them share its cotangent evenly, as those that attain a maximum do.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from tapeless.runtime.reductions import share_ties
from tapeless.runtime.selection import add_at, flat_places


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


def quantile_index(count: int, q: Any, method: Any) -> Any:
    """Return the place of quantiles among so many sorted entries: a fraction lies between two.

    It is the quantile of the numbers of the places, so NumPy says what each method does.

    Examples
    --------
    >>> quantile_index(5, 0.25, "linear"), quantile_index(5, 0.3, "nearest")
    (np.float64(1.0), np.float64(1.0))
    """
    return np.quantile(np.arange(float(max(count, 1))), q, method=method)


def quantile_cell(a: Any, q: Any, places: Any, method: str, skips_nan: bool) -> tuple[Any, Any]:
    """Return between which sorted entries quantiles lie, and how far: the lower one's index and t."""
    shape = (*np.shape(q), *np.shape(places)[:-1])
    spread = (*np.shape(q), *(1,) * (np.ndim(places) - 1))
    if skips_nan:
        counts = np.sum(~np.isnan(np.ravel(a)[places]), axis=-1)
        index = np.zeros(shape)
        for count in np.unique(counts):
            found = np.reshape(quantile_index(count, q, method), spread)
            index = np.where(counts == count, found, index)
    else:
        found = np.reshape(quantile_index(np.shape(places)[-1], q, method), spread)
        index = np.broadcast_to(found, shape)
    lower = np.floor(index)
    return lower.astype(int), index - lower


def neighbours(places: Any, lower: Any) -> tuple[Any, Any]:
    """Return the flat places of the entries below and above quantiles."""
    if places.shape[-1] == 0:
        return np.zeros_like(lower), np.zeros_like(lower)
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
    if np.size(a) == 0:
        return np.full(np.shape(below), np.nan)
    entries = np.ravel(average_ties(v, a, places))
    return (1 - share) * entries[below] + share * entries[above]


# How many entries more, or fewer, than there are the places of quantiles are spread over.
_SPREAD = {
    "linear": -1.0, "interpolated_inverted_cdf": 0.0, "hazen": 0.0, "weibull": 1.0,
    "median_unbiased": 1.0 / 3.0, "normal_unbiased": 0.25,
}  # fmt: skip


def quantile_slope(a: Any, q: Any, axis: Any, method: str, skips_nan: bool) -> Any:
    """Differentiate the quantiles in `q`: the step between the entries, over how far q moves it."""
    places = sorted_places(a, axis)
    lower, t = quantile_cell(a, q, places, method, skips_nan)
    below, above = neighbours(places, lower)
    entries = np.ravel(a)
    if method not in _SPREAD:
        return np.zeros_like(entries[below])
    count = np.sum(~np.isnan(entries[places]), axis=-1) if skips_nan else np.shape(places)[-1]
    speed = np.add(count, _SPREAD[method], dtype=entries.dtype)
    inside = (lower + t > 0) | (method == "linear")
    return np.where(inside, (entries[above] - entries[below]) * speed, 0.0)


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


def chosen_entries_bar(y_bar: Any, a: Any, y: Any, q: Any, axis: Any) -> Any:
    """Return the cotangent of `a` where quantiles are entries: those equal to one share its cotangent.

    Examples
    --------
    >>> a = np.array([3.0, 1.0, 3.0])
    >>> chosen_entries_bar(np.array([1.0, 2.0]), a, np.array([1.0, 3.0]), [0.0, 1.0], None)
    array([1., 1., 1.])
    """
    shared = chosen_shares(a, y, q, axis) * np.reshape(y_bar, quantile_shape(a, q, axis))
    return np.sum(shared, axis=tuple(range(np.ndim(q))))


def chosen_entries_dot(a_dot: Any, a: Any, y: Any, q: Any, axis: Any) -> Any:
    """Take the tangents of the entries that are the quantiles."""
    shares = chosen_shares(a, y, q, axis)
    return np.reshape(np.sum(shares * a_dot, axis=axes_behind(a, q, axis)), np.shape(y))


def chosen_shares(a: Any, y: Any, q: Any, axis: Any) -> Any:
    """Divide one unit among the entries that are equal to a quantile, for each of the quantiles."""
    hit = np.equal(a, np.reshape(y, quantile_shape(a, q, axis)))
    return share_ties(hit, axes_behind(a, q, axis), np.result_type(y))


def quantile_shape(a: Any, q: Any, axis: Any) -> tuple[int, ...]:
    """Return the shape of quantiles that keep the axes along which they were found.

    Examples
    --------
    >>> quantile_shape(np.ones((2, 3)), [0.1, 0.5, 0.9], 1)
    (3, 2, 1)
    """
    lost = axes_behind(a, q, axis)
    whole = (*np.shape(q), *np.shape(a))
    return tuple(1 if i in lost else n for i, n in enumerate(whole))


def axes_behind(a: Any, q: Any, axis: Any) -> tuple[int, ...]:
    """Return the axes along which quantiles are found, counted behind those of their places."""
    axes = normalize_axis_tuple(range(np.ndim(a)) if axis is None else axis, np.ndim(a))
    return tuple(np.ndim(q) + i for i in axes)
