"""Copies of entries: broadcasts, windows, tiles, repetitions and rims.

Each entry of the value is a copy of an entry of the argument, or a constant. The cotangents of all copies
are added up where they came from: by summing axes where whole axes were repeated, by their places elsewhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.errors import GradientError
from tapeless.rules.declare import register_gradient
from tapeless.rules.results import joins, parts, shapes
from tapeless.runtime import (
    add_at,
    crop,
    ends_bar,
    flat_places,
    pad_bar,
    pad_dot,
    repeat_bar,
    rims_of,
    sum_to_shape,
    summed_like,
    tile_bar,
)


@register_gradient(np.broadcast_to, kind=shapes.broadcast_to, view="always", linear=True)
def np_broadcast_to(array: Any, shape: Any, subok: Any = False) -> Any:
    """Each entry collects the cotangents of its copies."""
    y = np.broadcast_to(array, shape)
    array_shape = np.shape(array)

    def grad(y_bar: Any) -> Any:
        return sum_to_shape(y_bar, array_shape), None, None

    return y, grad


@register_gradient(
    np.lib.stride_tricks.sliding_window_view, kind=parts.windows, view="always", linear=True
)
def np_sliding_window_view(x: Any, window_shape: Any, axis: Any = None) -> Any:
    """Each entry collects the cotangents of all windows that show it."""
    y = np.lib.stride_tricks.sliding_window_view(x, window_shape, axis)
    shape = np.shape(x)

    def grad(y_bar: Any) -> Any:
        places = np.lib.stride_tricks.sliding_window_view(flat_places(shape), window_shape, axis)
        return add_at(y_bar, places, shape), None, None

    return y, grad


@register_gradient(
    np.broadcast_arrays, kind=joins.broadcast_together, view="always", takes_sequences=True,
    linear=True,
)  # fmt: skip
def np_broadcast_arrays(*args: Any) -> Any:
    """Each entry collects the cotangents of its copies."""
    y = np.broadcast_arrays(*args)

    def grad(*y_bars: Any) -> Any:
        bars = summed_like(y_bars, args)
        return (*bars,)

    return y, grad


@register_gradient(np.tile, kind=parts.tiled, linear=True)
def np_tile(A: Any, reps: Any) -> Any:
    """The cotangents of the tiles are summed."""
    y = np.tile(A, reps)
    shape = np.shape(A)

    def grad(y_bar: Any) -> Any:
        return tile_bar(y_bar, shape, reps), None

    return y, grad


@register_gradient((np.repeat, np.ndarray.repeat), kind=parts.along_axis(2), linear=True)
def np_repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    """Each entry collects the cotangents of its copies."""
    y = np.repeat(a, repeats, axis=axis)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        return repeat_bar(y_bar, shape, repeats, axis), None, None

    return y, grad


PAD_MODES = (
    "constant", "edge", "reflect", "symmetric", "wrap", "linear_ramp", "maximum", "minimum", "mean",
    "median", "empty",
)  # fmt: skip


@register_gradient(np.pad, kind=shapes.padded)
def np_pad(
    array: Any, pad_width: Any, mode: Any = "constant", *, constant_values: Any = 0,
    stat_length: Any = None, end_values: Any = 0, reflect_type: Any = "even",
) -> Any:  # fmt: skip
    """The rim is one constant, or copies of entries, found by padding their places, or linear in them."""
    if mode not in PAD_MODES:
        raise GradientError(
            "np.pad with a function that fills the rim has no gradient",
            fix="name a mode, or store into the rim of an array of zeros",
        )
    if mode == "constant":
        y = np.pad(array, pad_width, mode=mode, constant_values=constant_values)
    elif mode == "linear_ramp":
        y = np.pad(array, pad_width, mode=mode, end_values=end_values)
    elif mode in ("reflect", "symmetric"):
        y = np.pad(array, pad_width, mode=mode, reflect_type=reflect_type)
    elif mode in ("maximum", "minimum", "mean", "median"):
        y = np.pad(array, pad_width, mode=mode, stat_length=stat_length)
    else:
        y = np.pad(array, pad_width, mode=mode)
    shape = np.shape(array)

    def grad(y_bar: Any) -> Any:
        if mode == "empty" or mode == "constant" and isinstance(constant_values, int):
            return crop(y_bar, pad_width, shape), None, None, None, None, None, None
        if mode == "constant" and np.ndim(constant_values) == 0:
            array_bar = crop(y_bar, pad_width, shape)
            rest = np.sum(y_bar) - np.sum(array_bar)
            return array_bar, None, None, rest, None, None, None
        if mode == "constant":
            values_bar = ends_bar(y_bar, shape, pad_width, mode, constant_values)
            return crop(y_bar, pad_width, shape), None, None, values_bar, None, None, None
        if mode in ("edge", "reflect", "symmetric", "wrap") and reflect_type == "even":
            places = np.pad(flat_places(shape), pad_width, mode=mode)
            return add_at(y_bar, places, shape), None, None, None, None, None, None
        array_bar = pad_bar(y_bar, array, pad_width, mode, stat_length, reflect_type)
        if mode == "linear_ramp" and not isinstance(end_values, int):
            values_bar = ends_bar(y_bar, shape, pad_width, mode, end_values)
            return array_bar, None, None, None, None, values_bar, None
        return array_bar, None, None, None, None, None, None

    def jvp(array_dot: Any, constant_values_dot: Any = 0, end_values_dot: Any = 0) -> Any:
        if mode in ("constant", "empty"):
            return np.pad(array_dot, pad_width, constant_values=constant_values_dot)
        if mode == "linear_ramp":
            return np.pad(array_dot, pad_width, mode=mode, end_values=end_values_dot)
        if mode in ("edge", "reflect", "symmetric", "wrap") and reflect_type == "even":
            return np.pad(array_dot, pad_width, mode=mode)
        return pad_dot(array_dot, array, pad_width, mode, stat_length, reflect_type)

    return y, grad, jvp


@register_gradient(crop, kind=shapes.cropped, view="always", linear=True)
def runtime_crop(g: Any, pad_width: Any, shape: Any) -> Any:
    """What was cut off had no part in it."""
    y = crop(g, pad_width, shape)

    def grad(y_bar: Any) -> Any:
        return np.pad(y_bar, pad_width), None, None

    return y, grad


@register_gradient(pad_bar, linear=True)
def runtime_pad_bar(
    y_bar: Any, array: Any, pad_width: Any, mode: Any, stat_length: Any, reflect_type: Any
) -> Any:
    """Padding is its transpose; which entries are chosen is constant."""
    array_bar = pad_bar(y_bar, array, pad_width, mode, stat_length, reflect_type)

    def grad(g: Any) -> Any:
        y_bar_bar = pad_dot(g, array, pad_width, mode, stat_length, reflect_type)
        return y_bar_bar, None, None, None, None, None

    return array_bar, grad


@register_gradient(pad_dot, linear=True)
def runtime_pad_dot(
    array_dot: Any, array: Any, pad_width: Any, mode: Any, stat_length: Any, reflect_type: Any
) -> Any:
    """The transpose of padding; which entries are chosen is constant."""
    y_dot = pad_dot(array_dot, array, pad_width, mode, stat_length, reflect_type)

    def grad(g: Any) -> Any:
        array_dot_bar = pad_bar(g, array, pad_width, mode, stat_length, reflect_type)
        return array_dot_bar, None, None, None, None, None

    return y_dot, grad


@register_gradient(ends_bar, linear=True)
def runtime_ends_bar(y_bar: Any, shape: Any, pad_width: Any, mode: Any, values: Any) -> Any:
    """The rims of an array of zeros that the values give."""
    bar = ends_bar(y_bar, shape, pad_width, mode, values)

    def grad(g: Any) -> Any:
        return rims_of(g, shape, pad_width, mode), None, None, None, None

    return bar, grad


@register_gradient(rims_of, linear=True)
def runtime_rims_of(values: Any, shape: Any, pad_width: Any, mode: Any) -> Any:
    """Each end collects the cotangents of its rim."""
    y = rims_of(values, shape, pad_width, mode)

    def grad(y_bar: Any) -> Any:
        return ends_bar(y_bar, shape, pad_width, mode, values), None, None, None

    return y, grad
