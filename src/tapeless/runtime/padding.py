"""Rims around arrays, backwards.

`np.pad` pads one axis after the other, so the corners come of rims. Along one axis a rim is linear in the
array and in the values at its ends, with the matrix that padding the identity gives; the greatest, the least
and the middle entries are linear, too, while it stays the same entries that are chosen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.runtime.broadcasting import sum_to_shape
from tapeless.runtime.reductions import median_share, share_ties
from tapeless.runtime.shapes import rim_widths

_CHOSEN = {"maximum": np.max, "minimum": np.min}


def pad_bar(
    y_bar: Any, array: Any, pad_width: Any, mode: str, stat_length: Any = None,
    reflect_type: Any = "even",
) -> Any:  # fmt: skip
    """Return the cotangent of the array in ``np.pad(array, pad_width, mode)``.

    Examples
    --------
    >>> pad_bar(np.array([1.0, 1.0, 1.0, 1.0]), np.array([3.0, 5.0]), 1, "maximum")
    array([1., 3.])
    """
    g = y_bar
    partials = partials_by_axis(array, pad_width, mode, stat_length, reflect_type)
    for axis in reversed(range(np.ndim(array))):
        g = _apply_along(partials[axis], g, axis, True)
    return g


def pad_dot(
    array_dot: Any, array: Any, pad_width: Any, mode: str, stat_length: Any = None,
    reflect_type: Any = "even",
) -> Any:  # fmt: skip
    """Apply the derivative of ``np.pad(array, pad_width, mode)`` in the array."""
    g = array_dot
    partials = partials_by_axis(array, pad_width, mode, stat_length, reflect_type)
    for axis in range(np.ndim(array)):
        g = _apply_along(partials[axis], g, axis, False)
    return g


def partials_by_axis(
    array: Any, pad_width: Any, mode: Any, stat_length: Any, reflect_type: Any
) -> list[Any]:
    """Return the partials of padding along each axis, after the axes before it were padded."""
    options: dict[str, Any] = {}
    if stat_length is not None:
        options["stat_length"] = stat_length
    if reflect_type != "even":
        options["reflect_type"] = reflect_type
    widths = rim_widths(pad_width, np.ndim(array))
    padded, found = array, []
    for axis, width in enumerate(widths):
        found.append(rim_partials(padded, axis, widths, mode, options))
        alone = [width if i == axis else (0, 0) for i in range(len(widths))]
        padded = np.pad(padded, alone, mode=mode, **options)
    return found


def rim_partials(x: Any, axis: int, widths: Any, mode: Any, options: dict[str, Any]) -> Any:
    """Return a matrix for each row along an axis: from its entries to those with the rim.

    It has one more axis than `x`, in front, or is one matrix for all rows.
    """
    n, (before, after) = np.shape(x)[axis], widths[axis]
    if mode not in (*_CHOSEN, "median"):
        pairs = {
            key: _of_axis(value, axis, len(widths))
            for key, value in options.items()
            if key == "stat_length"
        }
        if "reflect_type" in options:
            pairs["reflect_type"] = options["reflect_type"]
        return np.pad(np.eye(n), ((before, after), (0, 0)), mode=mode, **pairs)
    rows = np.moveaxis(x, axis, -1)
    lengths = _of_axis(options.get("stat_length"), axis, len(widths))[0]
    first, last = (n if k is None else min(int(k), n) for k in lengths)
    start = np.zeros(np.shape(rows))
    start[..., :first] = _share_of(mode, rows[..., :first])
    end = np.zeros(np.shape(rows))
    end[..., n - last :] = _share_of(mode, rows[..., n - last :])
    inner = np.broadcast_to(
        np.expand_dims(np.eye(n), tuple(range(1, np.ndim(x)))), (n, *rows.shape)
    )
    rims = [
        np.broadcast_to(part, (count, *rows.shape))
        for part, count in ((start, before), (end, after))
    ]
    return np.concatenate([rims[0], inner, rims[1]])


def _share_of(mode: str, rows: Any) -> Any:
    if mode == "median":
        return median_share(rows, -1)
    return share_ties(rows == _CHOSEN[mode](rows, axis=-1, keepdims=True), -1, float)


def _apply_along(partials: Any, g: Any, axis: int, transposed: bool) -> Any:
    """Multiply the rows of `g` along an axis by one matrix, or each by its own."""
    rows = np.moveaxis(g, axis, 0)
    kept = partials.astype(np.result_type(g))
    if np.ndim(kept) == 2:
        moved = np.tensordot(np.transpose(kept) if transposed else kept, rows, axes=1)
    elif transposed:
        moved = np.moveaxis(np.sum(kept * np.expand_dims(rows, -1), axis=0), -1, 0)
    else:
        moved = np.sum(kept * np.moveaxis(rows, 0, -1), axis=-1)
    return np.moveaxis(moved, 0, axis)


def ends_bar(y_bar: Any, shape: Any, pad_width: Any, mode: str, values: Any) -> Any:
    """Return the cotangents of the values at the ends of rims: of constant rims, or of linear ramps."""
    widths = rim_widths(pad_width, len(shape))
    found = np.zeros((len(shape), 2), dtype=np.result_type(y_bar))
    g = y_bar
    for axis in reversed(range(len(shape))):
        n, width = shape[axis], widths[axis]
        rows = np.moveaxis(g, axis, 0)
        for side in (0, 1):
            weights = _weights_of_end(n, width, mode, side).astype(found.dtype)
            found[axis, side] = np.sum(np.tensordot(weights, rows, axes=1))
        matrix = rim_partials(np.zeros(n), 0, [width], mode, {})
        g = _apply_along(matrix, g, axis, True)
    return shaped_as(sum_to_shape(found, np.shape(values)), values)


def rims_of(values: Any, shape: Any, pad_width: Any, mode: Any) -> Any:
    """Return the rims of an array of zeros that the values at the ends give."""
    widths = rim_widths(pad_width, len(shape))
    if mode == "constant":
        return np.pad(np.zeros(shape, np.result_type(values)), widths, constant_values=values)
    return np.pad(
        np.zeros(shape, np.result_type(values)), widths, mode="linear_ramp", end_values=values
    )


def shaped_as(bar: Any, values: Any) -> Any:
    """Return a cotangent as lists and tuples nested like the values."""
    if isinstance(values, (tuple, list)):
        return type(values)(shaped_as(part, value) for part, value in zip(bar, values, strict=True))
    return bar


def _weights_of_end(n: int, width: tuple[int, int], mode: str, side: int) -> Any:
    """Return what the value at one end adds to each entry of a row."""
    unit = (1.0, 0.0) if side == 0 else (0.0, 1.0)
    if mode == "constant":
        return np.pad(np.zeros(n), width, mode="constant", constant_values=unit)
    return np.pad(np.zeros(n), width, mode="linear_ramp", end_values=unit)


def _of_axis(value: Any, axis: int, rank: int) -> Any:
    """Return what is said of one axis, as the first of the two axes of a matrix."""
    if value is None:
        return ((None, None), (None, None))
    pair = tuple(np.broadcast_to(value, (rank, 2))[axis])
    return (pair, pair)
