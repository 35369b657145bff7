"""Joining, splitting, repeating and rearranging, backwards.

A piece of the result gets the same piece of the cotangent; what was repeated gets the sum of what its
copies get.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from tapeless.runtime.adjoints import full
from tapeless.runtime.broadcasting import sum_to_shape
from tapeless.runtime.selection import (
    add_at,
    flat_places,
    put_at,
)


def transpose(a: Any) -> Any:
    """Swap the last two axes: the transpose of a matrix, or of each of a stack of matrices."""
    if np.ndim(a) == 2:
        return a.T
    return np.swapaxes(a, -1, -2)


def opposite(shift: Any) -> Any:
    """Return how far to roll back what was rolled by `shift`, which may be one for each axis.

    Examples
    --------
    >>> opposite(2), opposite((1, -1))
    (-2, array([-1,  1]))
    """
    if isinstance(shift, int):
        return -shift
    return np.negative(shift)


def inverse_axes(axes: Any) -> Any:
    """Return the permutation of axes that undoes ``np.transpose(x, axes)``.

    Examples
    --------
    >>> inverse_axes((1, -1, 0))
    (2, 0, 1)
    """
    order = normalize_axis_tuple(axes, len(axes))
    return tuple(order.index(i) for i in range(len(order)))


def shapes_of(arrays: Any) -> list[tuple[int, ...]]:
    """Return the shape of each array of a sequence."""
    return [np.shape(x) for x in arrays]


def reshaped_like(parts: Any, arrays: Any) -> list[Any]:
    """Give each of some arrays the shape of another; 0.0 stands for zeros.

    Examples
    --------
    >>> reshaped_like([np.ones((1, 1)), 0.0], [2.0, np.ones(2)])
    [array(1.), array([0., 0.])]
    """
    return [
        np.reshape(g, np.shape(x)) if np.size(g) == np.size(x) else np.zeros(np.shape(x))
        for g, x in zip(parts, arrays, strict=True)
    ]


def summed_like(parts: Any, arrays: Any) -> list[Any]:
    """Sum each of some arrays to the shape of another, from which it was broadcast.

    Examples
    --------
    >>> summed_like([np.ones((2, 3))], [np.zeros(3)])
    [array([2., 2., 2.])]
    """
    return [sum_to_shape(g, np.shape(x)) for g, x in zip(parts, arrays, strict=True)]


def spread_like(parts: Any, arrays: Any) -> list[Any]:
    """Broadcast each of some arrays to the shape of another.

    Examples
    --------
    >>> spread_like([np.zeros(2)], [np.ones((2, 2))])
    [array([[0., 0.],
           [0., 0.]])]
    """
    return [np.broadcast_to(g, np.shape(x)) for g, x in zip(parts, arrays, strict=True)]


def dtype_of_all(arrays: Any) -> Any:
    """Return the dtype that the arrays of a sequence have in common.

    Examples
    --------
    >>> dtype_of_all([np.ones(2), [1]])
    dtype('float64')
    """
    return np.result_type(*[np.asarray(x) for x in arrays])


def split_like(g: Any, shapes: Any, sizes: Any, axis: int) -> list[Any]:
    """Cut `g` along `axis` into pieces of the given sizes, and give each its shape.

    Examples
    --------
    >>> split_like(np.arange(3.0), [(2,), ()], [2, 1], 0)
    [array([0., 1.]), array(2.)]
    """
    pieces = np.split(g, np.cumsum(sizes)[:-1], axis=axis)
    return [np.reshape(piece, shape) for piece, shape in zip(pieces, shapes, strict=True)]


def concatenate_bars(y_bar: Any, arrays: Any, axis: Any = 0) -> list[Any]:
    """Return the cotangents of the arrays in ``np.concatenate(arrays, axis)``.

    Examples
    --------
    >>> concatenate_bars(np.array([1.0, 2.0, 3.0]), [np.zeros(2), np.zeros(1)])
    [array([1., 2.]), array([3.])]
    """
    shapes = shapes_of(arrays)
    if axis is None:
        return split_like(y_bar, shapes, [math.prod(shape) for shape in shapes], 0)
    return split_like(y_bar, shapes, [shape[axis] for shape in shapes], axis)


def stack_bars(y_bar: Any, arrays: Any, axis: int = 0) -> list[Any]:
    """Return the cotangents of the arrays in ``np.stack(arrays, axis)``."""
    return list(np.moveaxis(y_bar, axis, 0))


def stacked_bars(y_bar: Any, arrays: Any, axis: int = 0) -> Any:
    """Return the cotangent of the array, or those of the arrays, in ``np.stack(arrays, axis)``."""
    if isinstance(arrays, np.ndarray):
        return np.moveaxis(y_bar, axis, 0)
    return stack_bars(y_bar, arrays, axis)


def held_like(bars: list[Any], arrays: Any) -> Any:
    """Return the cotangents of arrays that may be the rows of one array: then that of this array.

    Examples
    --------
    >>> held_like([np.ones(2)], np.zeros((1, 2))), held_like([np.ones(2)], [np.zeros(2)])
    (array([[1., 1.]]), [array([1., 1.])])
    """
    if isinstance(arrays, np.ndarray):
        return np.stack(bars)
    return bars


def vstack_bars(y_bar: Any, arrays: Any) -> list[Any]:
    """Return the cotangents of the arrays in ``np.vstack(arrays)``."""
    shapes = shapes_of(arrays)
    return split_like(y_bar, shapes, [s[0] if len(s) > 1 else 1 for s in shapes], 0)


def hstack_bars(y_bar: Any, arrays: Any) -> list[Any]:
    """Return the cotangents of the arrays in ``np.hstack(arrays)``."""
    shapes, axis = shapes_of(arrays), 0 if np.ndim(y_bar) == 1 else 1
    return split_like(y_bar, shapes, [s[axis] if len(s) > 0 else 1 for s in shapes], axis)


def dstack_bars(y_bar: Any, arrays: Any) -> list[Any]:
    """Return the cotangents of the arrays in ``np.dstack(arrays)``."""
    shapes = shapes_of(arrays)
    return split_like(y_bar, shapes, [s[2] if len(s) > 2 else 1 for s in shapes], 2)


def column_stack_bars(y_bar: Any, arrays: Any) -> list[Any]:
    """Return the cotangents of the arrays in ``np.column_stack(arrays)``."""
    shapes = shapes_of(arrays)
    return split_like(y_bar, shapes, [s[1] if len(s) > 1 else 1 for s in shapes], 1)


def rim_widths(pad_width: Any, rank: int) -> list[tuple[int, int]]:
    """Return how many entries are put before and after, for each axis.

    Examples
    --------
    >>> rim_widths({-1: (1, 2)}, 2), rim_widths(3, 1)
    ([(0, 0), (1, 2)], [(3, 3)])
    """
    if not isinstance(pad_width, dict):
        return [(int(a), int(b)) for a, b in np.broadcast_to(pad_width, (rank, 2))]
    widths = [(0, 0)] * rank
    for axis, width in pad_width.items():
        before, after = np.broadcast_to(width, 2)
        widths[axis] = int(before), int(after)
    return widths


def crop(g: Any, pad_width: Any, shape: tuple[int, ...]) -> Any:
    """Cut away what `np.pad` has put around an array of this shape.

    Examples
    --------
    >>> crop(np.arange(5.0), (2, 1), (2,))
    array([2., 3.])
    """
    widths = rim_widths(pad_width, len(shape))
    return g[tuple(slice(start, start + n) for (start, _), n in zip(widths, shape, strict=True))]


def tile_bar(y_bar: Any, shape: tuple[int, ...], reps: Any) -> Any:
    """Return the cotangent of an array of this shape in ``np.tile(array, reps)``."""
    counts = (reps,) if np.ndim(reps) == 0 else tuple(reps)
    rank = max(len(counts), len(shape))
    counts = (1,) * (rank - len(counts)) + counts
    sizes = (1,) * (rank - len(shape)) + shape
    blocks = [n for pair in zip(counts, sizes, strict=True) for n in pair]
    summed = tuple(range(0, 2 * rank, 2))
    return np.reshape(np.sum(np.reshape(y_bar, blocks), axis=summed), shape)


def repeat_bar(y_bar: Any, shape: tuple[int, ...], repeats: Any, axis: Any = None) -> Any:
    """Return the cotangent of an array of this shape in ``np.repeat(array, repeats, axis)``."""
    if isinstance(repeats, int) and axis is None:
        return np.reshape(np.sum(np.reshape(y_bar, (math.prod(shape), repeats)), axis=1), shape)
    return add_at(y_bar, np.repeat(flat_places(shape), repeats, axis=axis), shape)


def diagonal_bar(
    y_bar: Any, shape: tuple[int, ...], offset: int = 0, axis1: int = 0, axis2: int = 1
) -> Any:
    """Return the cotangent of an array of this shape in ``np.diagonal(array, offset, ...)``.

    Examples
    --------
    >>> diagonal_bar(np.array([1.0, 2.0]), (2, 3), 1)
    array([[0., 1., 0.],
           [0., 0., 2.]])
    """
    return put_at(y_bar, np.diagonal(flat_places(shape), offset, axis1, axis2), shape)


def diag_bar(y_bar: Any, shape: tuple[int, ...], k: int = 0) -> Any:
    """Return the cotangent of a vector or a matrix of this shape in ``np.diag(array, k)``.

    Examples
    --------
    >>> diag_bar(np.array([[1.0, 2.0], [3.0, 4.0]]), (2,))
    array([1., 4.])
    """
    if len(shape) == 1:
        return np.diag(y_bar, k)
    return diagonal_bar(y_bar, shape, k)


def trace_bar(
    y_bar: Any, shape: tuple[int, ...], offset: int = 0, axis1: int = 0, axis2: int = 1
) -> Any:
    """Return the cotangent of an array of this shape in ``np.trace(array, offset, ...)``."""
    eye = np.eye(shape[axis1], shape[axis2], offset, dtype=np.result_type(y_bar))
    if len(shape) == 2 and axis1 == 0 and axis2 == 1:
        return y_bar * eye
    axes = normalize_axis_tuple((axis1, axis2), len(shape))
    return np.moveaxis(np.expand_dims(y_bar, (-2, -1)) * eye, (-2, -1), axes)


def split_bar(y_bars: Any, shape: tuple[int, ...], indices_or_sections: Any, axis: int) -> Any:
    """Return the cotangent of an array of this shape in ``np.split(array, ...)``.

    The pieces' cotangents are joined; or added up, where the places to split at do not increase,
    so that the pieces overlap.
    """
    if isinstance(indices_or_sections, int):
        return np.concatenate(y_bars, axis=axis)
    joined = np.concatenate(y_bars, axis=axis)
    if np.shape(joined) == shape:
        return joined
    places = np.array_split(flat_places(shape), indices_or_sections, axis=axis)
    return add_at(joined, np.concatenate(places, axis=axis), shape)


def join_like(pieces: Any, shape: tuple[int, ...], sizes: Any, axis: int) -> Any:
    """Join pieces along `axis` to one array of this shape: the transpose of `split_like`.

    A piece that nothing has reached is the number 0.
    """
    before, after = shape[:axis], shape[axis:][1:]
    return np.concatenate(
        [whole_piece(p, (*before, n, *after)) for p, n in zip(pieces, sizes, strict=True)],
        axis=axis,
    )


def whole_piece(piece: Any, shape: tuple[int, ...]) -> Any:
    """Bring a piece to its shape: a number stands for an array that is the same everywhere."""
    return np.broadcast_to(piece, shape) if np.ndim(piece) == 0 else np.reshape(piece, shape)


def block_depth(arrays: Any) -> int:
    """Count how deep the lists of `np.block` are nested."""
    return 1 + block_depth(arrays[0]) if isinstance(arrays, list) else 0


def block_bars(y_bar: Any, arrays: Any) -> Any:
    """Return the cotangents of the arrays in ``np.block(arrays)``, in the same nest of lists.

    Examples
    --------
    >>> block_bars(np.array([1.0, 2.0, 3.0]), [np.zeros(2), 0.0])
    [array([1., 2.]), array(3.)]
    """
    return cut_block(y_bar, arrays, block_depth(arrays))


def whole_blocks(bars: Any, arrays: Any) -> Any:
    """Return a nest of lists of cotangents, each at the full shape of its array.

    Examples
    --------
    >>> whole_blocks([0.0, [np.ones(2)]], [np.zeros(1), [np.zeros(2)]])
    [array([0.]), [array([1., 1.])]]
    """
    if not isinstance(arrays, list) or isinstance(bars, float):
        return full(bars, arrays)
    return [whole_blocks(part, item) for part, item in zip(bars, arrays, strict=True)]


def cut_block(y_bar: Any, part: Any, depth: int) -> Any:
    """Cut what belongs to a part of a block along the axis that its depth says."""
    if not isinstance(part, list):
        return np.reshape(y_bar, np.shape(part))
    sizes = [block_length(item, depth) for item in part]
    pieces = np.split(y_bar, np.cumsum(sizes)[:-1], axis=-depth)
    return [cut_block(g, item, depth - 1) for g, item in zip(pieces, part, strict=True)]


def block_length(part: Any, depth: int) -> int:
    """Return the length of a part of a block along an axis, counted from the last."""
    while isinstance(part, list):
        part = part[0]
    return int(np.shape(part)[-depth]) if np.ndim(part) >= depth else 1


def block_diagonal_bars(y_bar: Any, blocks: Any) -> list[Any]:
    """Cut the blocks out of the cotangent of a block-diagonal matrix.

    Examples
    --------
    >>> block_diagonal_bars(np.array([[1.0, 2.0], [3.0, 4.0]]), (0.0, np.zeros(1)))
    [array(1.), array([4.])]
    """
    bars, row, column = [], 0, 0
    for block in blocks:
        shape = np.shape(block)
        height, width = (1, 1, *shape)[-2:]
        piece = y_bar[row : row + height, column : column + width]
        bars.append(np.reshape(piece, shape))
        row, column = row + height, column + width
    return bars


def insert_places(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    """Return where the entries of ``np.insert(arr, obj, values, axis)`` come from.

    Flat places in `arr` from 0 upwards; flat places in `values` from -1 downwards.

    Examples
    --------
    >>> insert_places(np.zeros(3), 1, np.zeros(2))
    array([ 0, -1, -2,  1,  2])
    """
    inserted = ~flat_places(np.shape(values))
    return np.insert(flat_places(np.shape(arr)), obj, inserted, axis=axis)


def trimmed_from(filt: Any, trim: str) -> int:
    """Count the zeros that `np.trim_zeros` cuts off at the front.

    Examples
    --------
    >>> trimmed_from(np.array([0.0, 0.0, 1.0, 0.0]), "fb")
    2
    """
    present = np.flatnonzero(filt)
    return int(present[0]) if "f" in trim.lower() and len(present) else 0
