"""Reductions and running products along axes, backwards.

The cotangent of what was reduced is repeated along the axes that are gone. Of an extreme, the entries
that attain it share the cotangent evenly. Products of all the others are made without dividing, so that
zeros do no harm.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple


def unreduce(g: Any, shape: tuple[int, ...], axis: Any = None, keepdims: bool = False) -> Any:
    """Spread the cotangent of a sum over the shape of what was summed (a read-only view).

    Examples
    --------
    >>> unreduce(np.array([1.0, 2.0]), (2, 3), 1)
    array([[1., 1., 1.],
           [2., 2., 2.]])
    """
    if len(shape) == 0:
        return g
    return np.broadcast_to(expand_reduced(g, axis, keepdims), shape)


def expand_reduced(y: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Put back the axes that a reduction dropped, so that `y` broadcasts against its operand.

    Examples
    --------
    >>> expand_reduced(np.array([1.0, 2.0]), 1)
    array([[1.],
           [2.]])
    """
    if axis is None or keepdims:
        return y
    return np.expand_dims(y, axis)


def reduced_size(shape: tuple[int, ...], axis: Any = None) -> int:
    """Count the entries that a reduction over `axis` combines into one.

    Examples
    --------
    >>> reduced_size((2, 3, 4), (0, -1))
    8
    """
    if axis is None and len(shape) == 1:
        return shape[0]
    if axis is None:
        return math.prod(shape)
    if isinstance(axis, int):
        return shape[axis]
    return math.prod(shape[i] for i in normalize_axis_tuple(axis, len(shape)))


def share_ties(hit: Any, axis: Any, dtype: Any) -> Any:
    """Divide one unit equally among the true entries along `axis`.

    Examples
    --------
    >>> share_ties(np.array([True, False, True]), None, float)
    array([0.5, 0. , 0.5])
    """
    return hit / np.sum(hit, axis=axis, keepdims=True, dtype=dtype)


def median_share(a: Any, axis: Any = None) -> Any:
    """Return the partials of the median: one half each to the two entries in the middle.

    Examples
    --------
    >>> median_share(np.array([4.0, 1.0, 2.0, 9.0]))
    array([0.5, 0. , 0.5, 0. ])
    """
    if np.size(a) == 0:
        return np.zeros_like(a)
    axes = normalize_axis_tuple(range(np.ndim(a)) if axis is None else axis, np.ndim(a))
    kept = np.moveaxis(a, axes, tuple(range(-len(axes), 0)))
    size = reduced_size(np.shape(a), axes)
    rows = np.sort(np.reshape(kept, (*np.shape(kept)[: np.ndim(a) - len(axes)], size)), axis=-1)
    lower = np.expand_dims(rows[..., (size - 1) // 2], axes)
    upper = np.expand_dims(rows[..., size // 2], axes)
    dtype = np.result_type(a)
    return 0.5 * (share_ties(a == lower, axis, dtype) + share_ties(a == upper, axis, dtype))


def product_of_others(x: Any, axis: Any = None) -> Any:
    """For each entry the product of all the others along `axis`: right where entries are 0.

    Examples
    --------
    >>> product_of_others(np.array([2.0, 0.0, 5.0]))
    array([ 0., 10.,  0.])
    """
    if np.ndim(x) == 0:
        return np.ones_like(x)[()]
    if axis is None:
        return np.reshape(product_of_others_last(np.ravel(x)), np.shape(x))
    if isinstance(axis, int):
        return np.swapaxes(product_of_others_last(np.swapaxes(x, axis, -1)), axis, -1)
    axes = normalize_axis_tuple(axis, np.ndim(x))
    if len(axes) == 0:
        return np.ones_like(x)
    ends = tuple(range(-len(axes), 0))
    moved = np.moveaxis(x, axes, ends)
    rows = np.reshape(moved, (*moved.shape[: -len(axes)], reduced_size(np.shape(x), axes)))
    return np.moveaxis(np.reshape(product_of_others_last(rows), moved.shape), ends, axes)


def product_of_others_last(x: Any) -> Any:
    """For each entry the product of what stands before it times that of what stands after it."""
    one = np.ones_like(x[..., :1])
    before = np.concatenate([one, np.cumprod(x[..., :-1], axis=-1)], axis=-1)
    after = np.concatenate([one, np.cumprod(x[..., :0:-1], axis=-1)], axis=-1)
    return before * after[..., ::-1]


def reverse_cumsum(g: Any, axis: int = 0) -> Any:
    """Sum from each entry to the end: the transpose of `cumsum`.

    Examples
    --------
    >>> reverse_cumsum(np.array([1.0, 2.0, 3.0]))
    array([6., 5., 3.])
    """
    return np.flip(np.cumsum(np.flip(g, axis), axis=axis), axis)


def cumprod_bar(y_bar: Any, x: Any, y: Any, axis: int = 0) -> Any:
    """Transpose the derivative of ``y = np.cumprod(x, axis)``.

    ``dy[k] / dx[i] = y[k] / x[i]`` for ``i <= k``. Where a product is 0 the sum over `k` is done by
    Horner's rule, ``tail[i] = y_bar[i] + x[i + 1] * tail[i + 1]``, without dividing.
    """
    if np.all(y != 0):
        return reverse_cumsum(y_bar * y, axis) / x
    rows = np.moveaxis(x, axis, 0)
    rows_bar = np.moveaxis(y_bar, axis, 0)
    before = np.concatenate([np.ones_like(rows[:1]), np.moveaxis(y, axis, 0)[:-1]])
    tail = np.zeros_like(rows[0])
    tails = []
    for i in range(len(rows) - 1, -1, -1):
        if i < len(rows) - 1:
            tail = rows[i + 1] * tail
        tail = rows_bar[i] + tail
        tails.append(tail)
    return np.moveaxis(before * np.stack(tails[::-1]), 0, axis)


def cumprod_dot(x_dot: Any, x: Any, y: Any, axis: int = 0) -> Any:
    """Apply the derivative of ``y = np.cumprod(x, axis)``: right where entries are 0."""
    if np.all(y != 0):
        return y * np.cumsum(x_dot / x, axis=axis)
    rows = np.moveaxis(x, axis, 0)
    rows_dot = np.moveaxis(x_dot, axis, 0)
    before = np.concatenate([np.ones_like(rows[:1]), np.moveaxis(y, axis, 0)[:-1]])
    total = np.zeros_like(rows[0])
    totals = []
    for i in range(len(rows)):
        total = total * rows[i] + before[i] * rows_dot[i]
        totals.append(total)
    return np.moveaxis(np.stack(totals), 0, axis)


def align_weights(weights: Any, shape: tuple[int, ...], axis: Any) -> Any:
    """Shape the weights of `np.average` so that they broadcast against the averaged array."""
    if np.shape(weights) == shape:
        return weights
    axes = normalize_axis_tuple(axis, len(shape))
    kept = [n if i in axes else 1 for i, n in enumerate(shape)]
    return np.reshape(np.transpose(weights, np.argsort(axes)), kept)


def align_weights_bar(g: Any, weights_shape: tuple[int, ...], axis: Any) -> Any:
    """Transpose `align_weights`: sum over the other axes, back to the order of the weights."""
    if np.shape(g) == weights_shape:
        return g
    axes = normalize_axis_tuple(axis, np.ndim(g))
    others = tuple(i for i in range(np.ndim(g)) if i not in axes)
    return np.transpose(np.sum(g, axis=others), np.argsort(np.argsort(axes)))


def tangent_in(y_dot: Any, dtype: Any) -> Any:
    """Return a tangent in the dtype of its value: zero where that is a whole number, which jumps.

    Examples
    --------
    >>> tangent_in(np.float64(1.5), np.dtype(np.float32)), tangent_in(np.float64(1.5), np.dtype(int))
    (np.float32(1.5), np.float64(0.0))
    """
    if dtype.kind in "iub":
        return 0.0 * y_dot
    return y_dot.astype(dtype)


def shares_of_extreme(
    a: Any, y: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, where: Any = None
) -> tuple[Any, Any]:
    """Return the equal shares of those that attain an extreme: of the entries, and of `initial`.

    Examples
    --------
    >>> shares_of_extreme(np.array([1.0, 3.0, 3.0]), np.float64(3.0), initial=3.0)
    (array([0.        , 0.33333333, 0.33333333]), array([0.33333333]))
    """
    top = y if keepdims or axis is None else np.expand_dims(y, axis)
    hit = a == top
    if where is not None:
        hit = hit & where
    count = np.sum(hit, axis=axis, keepdims=True, dtype=y.dtype)
    if initial is None:
        return hit / count, 0.0 * count
    started = top == np.asarray(initial).astype(y.dtype)
    return hit / (count + started), started / (count + started)


def scaled_deviations(a: Any, axis: Any, mean: Any, where: Any, lost: Any) -> Any:
    """Return the deviations of the chosen entries from their mean, over how many count.

    Examples
    --------
    >>> scaled_deviations(np.array([1.0, 3.0, 9.0]), None, None, [True, True, False], 0)
    array([-0.5,  0.5,  0. ])
    """
    chosen = np.broadcast_to(where, np.shape(a))
    middle = np.mean(a, axis=axis, keepdims=True, where=chosen) if mean is None else mean
    difference = np.where(chosen, a - middle, 0.0)
    count = np.sum(chosen, axis=axis, keepdims=True, dtype=np.real(difference).dtype) - lost
    return difference / count


def missing_in(a: Any, where: Any) -> Any:
    """Return which entries are not numbers, or not chosen.

    Examples
    --------
    >>> missing_in(np.array([1.0, np.nan, 3.0]), [False, True, True])
    array([ True,  True, False])
    """
    return np.isnan(a) | np.logical_not(where)


def reduceat_bar(g: Any, indices: Any, shape: tuple[int, ...], axis: int = 0) -> Any:
    """Transpose ``np.add.reduceat(x, indices, axis)``: each sum gives its cotangent to its slices.

    Examples
    --------
    >>> reduceat_bar(np.array([1.0, 5.0]), [1, 3], (4,))
    array([0., 1., 1., 5.])
    """
    rows = np.moveaxis(g, axis, 0)
    count = shape[axis]
    x_bar = np.zeros((count, *np.shape(rows)[1:]), dtype=g.dtype)
    for k in range(len(rows)):
        end = indices[k + 1] if k + 1 < len(rows) else count
        x_bar[indices[k] : max(end, indices[k] + 1)] += rows[k]
    return np.moveaxis(x_bar, 0, axis)
