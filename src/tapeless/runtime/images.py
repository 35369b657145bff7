"""Images between their samples, and the entries that filters choose.

Between the samples an image is a sum of B-splines, one at each sample, whose coefficients a recursive
filter finds (Unser, "Splines: a perfect fit for signal and image processing", 1999). What lies beyond
an edge is a sample within, or a constant: the constant counts as one sample more, behind the last.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import interpolate, ndimage

_AT_EDGES: Any = {
    "reflect": "symmetric", "grid-mirror": "symmetric", "mirror": "reflect", "nearest": "edge",
    "wrap": "wrap", "grid-wrap": "wrap",
}  # fmt: skip


def bspline(t: Any, order: int, nu: int = 0) -> Any:
    """Return the B-spline of an order around 0, or a derivative of it.

    Examples
    --------
    >>> bspline(np.array([-1.0, 0.0, 0.5, 3.0]), 1)
    array([0. , 1. , 0.5, 0. ])
    """
    if nu > order:
        return np.zeros_like(t)
    knots = np.arange(order + 2) - 0.5 * (order + 1)
    found = interpolate.BSpline.basis_element(knots, extrapolate=False)(t, nu)
    return np.nan_to_num(found).astype(np.result_type(t))


def folded(u: Any, size: int, order: int, mode: str) -> tuple[Any, Any, Any]:
    """Return how coordinates are brought into an image: their sign, what is added, the first sample.

    Examples
    --------
    >>> folded(np.array([-1.5, 4.5]), 4, 1, "mirror")
    (array([-1., -1.]), array([0., 6.]), array([1, 1]))
    """
    sign, added = np.ones(np.shape(u)), np.zeros(np.shape(u))
    if mode == "nearest":
        sign = np.where((u < 0) | (u > size - 1), 0.0, 1.0)
        added = np.where(u < 0, 0.0, np.where(u > size - 1, size - 1.0, 0.0))
    elif mode == "mirror":
        sign, added = _turned(u, 2.0 * max(size - 1, 1), size - 1.0, 0.0)
    elif mode in ("reflect", "grid-mirror"):
        sign, added = _turned(u, 2.0 * size, size, 0.5)
    elif mode == "wrap":
        inside = (u >= 0) & (u <= size - 1)
        added = np.where(inside, 0.0, -np.floor(u / (size - 1)) * (size - 1))
    elif mode == "grid-wrap":
        added = -np.floor(u / size) * size
    place = sign * u + added
    first = np.floor(place if order % 2 == 1 else place + 0.5).astype(int) - order // 2
    return sign, added, first


def _turned(u: Any, period: float, half: float, shift: float) -> tuple[Any, Any]:
    """Return sign and summand of coordinates that run to and fro."""
    start = np.floor((u + shift) / period) * period
    back = u + shift - start > half
    return np.where(back, -1.0, 1.0), np.where(back, period + start - 2.0 * shift, -start)


def _within(i: Any, size: int, mode: str) -> Any:
    """Return the samples that stand for those beyond the edges."""
    if mode == "grid-wrap":
        return i % size
    if mode in ("reflect", "grid-mirror", "nearest"):
        i = i % (2 * size)
        return np.where(i >= size, 2 * size - 1 - i, i)
    period = 2 * max(size - 1, 1)
    return np.where(i % period > size - 1, period - i % period, i % period)


def places_around(coordinates: Any, shape: tuple[int, ...], order: int, mode: str) -> Any:
    """Return the flat places of the coefficients around each point, along a new last axis.

    Examples
    --------
    >>> places_around(np.array([[0.5, 7.0]]), (3,), 1, "constant")
    array([[0, 1],
           [3, 3]])
    """
    count = math.prod(shape)
    places = np.zeros((*np.shape(coordinates)[1:], 1), int)
    outside = np.zeros(places.shape, bool)
    for u, size in zip(coordinates, shape, strict=True):
        first = folded(u, size, order, mode)[2]
        each = first[..., None] + np.arange(order + 1)
        beyond = np.zeros(each.shape, bool)
        if mode == "grid-constant":
            beyond = (each < 0) | (each >= size)
        elif mode == "constant":
            beyond = beyond | ((u < 0) | (u > size - 1))[..., None]
        places = places[..., :, None] * size + _within(each, size, mode)[..., None, :]
        outside = outside[..., :, None] | beyond[..., None, :]
        places = places.reshape(*places.shape[:-2], -1)
        outside = outside.reshape(places.shape)
    return np.where(outside, count, places)


def windows_of(shape: tuple[int, ...], footprint: Any, mode: str, origin: Any) -> Any:
    """Return the flat places that a filter looks at around each sample, along a new last axis."""
    widths = [
        (n // 2 + o, n - 1 - n // 2 - o)
        for n, o in zip(footprint.shape, np.broadcast_to(origin, len(shape)), strict=True)
    ]
    count = math.prod(shape)
    numbered = np.arange(count).reshape(shape)
    if mode in ("constant", "grid-constant"):
        wide = np.pad(numbered, widths, constant_values=count)
    else:
        wide = np.pad(numbered, widths, mode=_AT_EDGES[mode])
    windows = np.lib.stride_tricks.sliding_window_view(wide, footprint.shape)
    return windows.reshape(*shape, -1)[..., footprint.ravel()]


def chosen(
    x: Any, y: Any, size: Any, footprint: Any, mode: str, cval: Any, origin: Any
) -> tuple[Any, Any]:
    """Return what a filter may have chosen for each sample, and with which share it did.

    Examples
    --------
    >>> chosen(np.array([1.0, 3.0]), np.array([3.0, 3.0]), 3, None, "nearest", 0.0, 0)[1]
    array([[0. , 0. , 1. ],
           [0. , 0.5, 0.5]])
    """
    if footprint is None:
        footprint = np.ones(np.broadcast_to(size, np.ndim(x)), bool)
    places = windows_of(np.shape(x), np.asarray(footprint, bool), mode, origin)
    equal = np.append(np.ravel(x), cval)[places] == y[..., None]
    return places, equal / np.maximum(np.sum(equal, axis=-1, keepdims=True), 1)


def spline_filter_bar(y_bar: Any, order: int, mode: str) -> Any:
    """Return the cotangent of an image from that of its coefficients."""
    x_bar = y_bar
    for axis in range(np.ndim(y_bar)):
        x_bar = spline_filter1d_bar(x_bar, order, axis, mode)
    return x_bar


def spline_filter1d_bar(y_bar: Any, order: int, axis: int, mode: str) -> Any:
    """Return the cotangent of what was filtered along one axis.

    The filter solves with a matrix that is symmetric, or becomes so when the first and last samples of
    a mirrored image count half. Along a short axis SciPy starts a reflected one from an approximation,
    which is not symmetric: there the matrix itself is transposed.
    """
    size = np.shape(y_bar)[axis]
    reflected = mode in ("reflect", "grid-mirror", "nearest")
    if reflected and size < _SHORT:
        matrix = ndimage.spline_filter1d(np.eye(size), order, axis=0, mode=mode)
        return np.moveaxis(np.tensordot(matrix, y_bar, axes=(0, axis)), 0, axis)
    if reflected or mode == "grid-wrap":
        return ndimage.spline_filter1d(y_bar, order, axis=axis, mode=mode)
    rows = np.moveaxis(y_bar, axis, -1)
    weights = end_weights(size)
    filtered = weights * ndimage.spline_filter1d(rows / weights, order, mode=mode)
    return np.moveaxis(filtered, -1, axis)


_SHORT = 40  # from here on the approximation is exact to the last bit


def end_weights(size: int) -> Any:
    """Return ones, and one half at both ends.

    Examples
    --------
    >>> end_weights(3)
    array([0.5, 1. , 0.5])
    """
    weights = np.ones(size)
    weights[[0, -1]] = 0.5
    return weights


def grid_of(shape: tuple[int, ...]) -> Any:
    """Return the coordinates of the samples of an image.

    Examples
    --------
    >>> grid_of((2,))
    array([[0., 1.]])
    """
    return np.indices(shape).astype(float)


def centred_grids(shape: tuple[int, ...]) -> tuple[Any, Any]:
    """Return the coordinates of the samples counted from the centre, and those a quarter turn on.

    Examples
    --------
    >>> centred_grids((1, 3))[0]
    array([[[ 0.,  0.,  0.]],
    <BLANKLINE>
           [[-1.,  0.,  1.]]])
    """
    grid = grid_of(shape) - 0.5 * (np.reshape(shape, (2, 1, 1)) - 1)
    return grid, np.stack([grid[1], -grid[0]])
