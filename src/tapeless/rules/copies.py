"""Copies of entries: broadcasts, windows, tiles, repetitions and rims.

Each entry of the value is a copy of an entry of the argument, or a constant. The cotangents of all copies
are added up where they came from: by summing axes where whole axes were repeated, by their places elsewhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.errors import GradientError
from tapeless.rules.declare import register_gradient
from tapeless.rules.results import shapes
from tapeless.runtime import (
    add_at,
    crop,
    flat_places,
    repeat_bar,
    shapes_of,
    sum_to_shape,
    tile_bar,
)


@register_gradient(np.broadcast_to, kind=shapes.broadcast_to, view="always", linear=True)
def np_broadcast_to(array: Any, shape: Any) -> Any:
    """Each entry collects the cotangents of its copies."""
    y = np.broadcast_to(array, shape)
    array_shape = np.shape(array)

    def grad(y_bar: Any) -> Any:
        return sum_to_shape(y_bar, array_shape), None

    return y, grad


@register_gradient(
    np.lib.stride_tricks.sliding_window_view, kind=shapes.alias, view="always", linear=True
)
def np_sliding_window_view(x: Any, window_shape: Any, axis: Any = None) -> Any:
    """Each entry collects the cotangents of all windows that show it."""
    y = np.lib.stride_tricks.sliding_window_view(x, window_shape, axis)
    shape = np.shape(x)

    def grad(y_bar: Any) -> Any:
        places = np.lib.stride_tricks.sliding_window_view(flat_places(shape), window_shape, axis)
        return add_at(y_bar, places, shape), None, None

    return y, grad


@register_gradient(np.broadcast_arrays, view="always", takes_sequences=True, linear=True)
def np_broadcast_arrays(*args: Any) -> Any:
    """Each entry collects the cotangents of its copies."""
    y = np.broadcast_arrays(*args)
    shapes = shapes_of(args)

    def grad(*y_bars: Any) -> Any:
        if len(shapes) == 1:
            return sum_to_shape(y_bars[0], shapes[0])
        return tuple(sum_to_shape(g, shape) for g, shape in zip(y_bars, shapes, strict=True))

    return y, grad


@register_gradient(np.tile, linear=True)
def np_tile(A: Any, reps: Any) -> Any:
    """The cotangents of the tiles are summed."""
    y = np.tile(A, reps)
    shape = np.shape(A)

    def grad(y_bar: Any) -> Any:
        return tile_bar(y_bar, shape, reps), None

    return y, grad


@register_gradient((np.repeat, np.ndarray.repeat), linear=True)
def np_repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    """Each entry collects the cotangents of its copies."""
    y = np.repeat(a, repeats, axis=axis)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        return repeat_bar(y_bar, shape, repeats, axis), None, None

    return y, grad


@register_gradient(np.pad, kind=shapes.same_rank)
def np_pad(array: Any, pad_width: Any, mode: Any = "constant", *, constant_values: Any = 0) -> Any:
    """The rim is either one constant or copies of entries, found by padding their places."""
    if mode not in ("constant", "edge", "reflect", "symmetric", "wrap"):
        raise GradientError(
            f"np.pad with mode={mode!r} has no gradient",
            fix='use "constant", "edge", "reflect", "symmetric" or "wrap"',
        )
    if isinstance(pad_width, dict) or np.ndim(constant_values) != 0:
        raise GradientError(
            "np.pad is differentiated for widths in a tuple and one constant",
            fix="write the widths as ((before, after), ...), and pad one axis after the other",
        )
    if mode == "constant":
        y = np.pad(array, pad_width, constant_values=constant_values)
    else:
        y = np.pad(array, pad_width, mode=mode)
    shape = np.shape(array)

    def grad(y_bar: Any) -> Any:
        if mode == "constant" and isinstance(constant_values, int):
            return crop(y_bar, pad_width, shape), None, None, None
        if mode == "constant":
            array_bar = crop(y_bar, pad_width, shape)
            return array_bar, None, None, np.sum(y_bar) - np.sum(array_bar)
        places = np.pad(flat_places(shape), pad_width, mode=mode)
        return add_at(y_bar, places, shape), None, None, None

    def jvp(array_dot: Any, constant_values_dot: Any = 0) -> Any:
        if mode == "constant":
            return np.pad(array_dot, pad_width, constant_values=constant_values_dot)
        return np.pad(array_dot, pad_width, mode=mode)

    return y, grad, jvp
