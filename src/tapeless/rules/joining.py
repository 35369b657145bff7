"""Joining and splitting arrays, and putting entries in or taking them out.

The cotangent of what was joined is cut into the pieces, and the cotangents of pieces are joined. Nothing
but shapes is kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.errors import GradientError
from tapeless.rules.declare import importable_as, register_gradient
from tapeless.rules.results import joins, parts, shapes
from tapeless.runtime import (
    add_at,
    block_bars,
    column_stack_bars,
    concatenate_bars,
    dstack_bars,
    dtype_of_all,
    flat_places,
    held_like,
    hstack_bars,
    insert_places,
    put_at,
    split_bar,
    stacked_bars,
    trimmed_from,
    vstack_bars,
)


@register_gradient(np.concatenate, kind=joins.concatenate, takes_sequences=True, linear=True)
def np_concatenate(
    arrays: Any, /, axis: Any = 0, *, dtype: Any = None, casting: Any = "same_kind"
) -> Any:
    """The cotangent is cut into the pieces that were joined."""
    y = np.concatenate(arrays, axis=axis, dtype=dtype, casting=casting)
    given = dtype_of_all(arrays)

    def grad(y_bar: Any) -> Any:
        if dtype is not None:
            y_bar = y_bar.astype(given)
        return held_like(concatenate_bars(y_bar, arrays, axis), arrays), None, None, None

    return y, grad


@register_gradient(np.stack, kind=joins.stack, takes_sequences=True, linear=True)
def np_stack(arrays: Any, axis: Any = 0, *, dtype: Any = None, casting: Any = "same_kind") -> Any:
    """The cotangent is cut along the new axis."""
    y = np.stack(arrays, axis=axis, dtype=dtype, casting=casting)
    given = dtype_of_all(arrays)

    def grad(y_bar: Any) -> Any:
        if dtype is not None:
            y_bar = y_bar.astype(given)
        return stacked_bars(y_bar, arrays, axis), None, None, None

    return y, grad


def _register_joined(join: Any, cut: Any, kind: Any) -> None:
    """Register the rule of a function that joins along one axis; `cut` takes the pieces out."""

    @importable_as(f"np_{join.__name__}")
    @register_gradient(join, kind=kind, takes_sequences=True, linear=True)
    def np_joined(tup: Any) -> Any:
        y = join(tup)

        def grad(y_bar: Any) -> Any:
            return held_like(cut(y_bar, tup), tup)

        return y, grad


def _register_joined_as(join: Any, cut: Any, kind: Any) -> None:
    """As `_register_joined`, of a function that may be told the dtype of what it makes."""

    @importable_as(f"np_{join.__name__}")
    @register_gradient(join, kind=kind, takes_sequences=True, linear=True)
    def np_joined(tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Any:
        y = join(tup, dtype=dtype, casting=casting)
        given = dtype_of_all(tup)

        def grad(y_bar: Any) -> Any:
            if dtype is not None:
                y_bar = y_bar.astype(given)
            return held_like(cut(y_bar, tup), tup), None, None

        return y, grad


for _join in {np.vstack, vars(np).get("row_stack", np.vstack)}:  # which goes out of use
    _register_joined_as(_join, vstack_bars, joins.vstack)
_register_joined_as(np.hstack, hstack_bars, joins.hstack)
_register_joined(np.column_stack, column_stack_bars, joins.vstack)
_register_joined(np.dstack, dstack_bars, parts.stacked_deep)


@register_gradient(np.append, kind=parts.appended, linear=("arr", "values"))
def np_append(arr: Any, values: Any, axis: Any = None) -> Any:
    """The cotangent is cut where the values were appended."""
    y = np.append(arr, values, axis=axis)
    arr_shape = np.shape(arr)
    values_shape = np.shape(values)
    size = np.size(arr)

    def grad(y_bar: Any) -> Any:
        if axis is None:
            before = np.reshape(y_bar[:size], arr_shape)
            return before, np.reshape(y_bar[size:], values_shape), None
        bars = concatenate_bars(y_bar, (arr, values), axis)
        return bars[0], bars[1], None

    return y, grad


@register_gradient(np.delete, kind=parts.along_axis(2), selects=True, linear=True)
def np_delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    """What was deleted has no influence."""
    y = np.delete(arr, obj, axis=axis)
    shape = np.shape(arr)

    def grad(y_bar: Any) -> Any:
        return put_at(y_bar, np.delete(flat_places(shape), obj, axis=axis), shape), None, None

    return y, grad


@register_gradient(np.split, kind=parts.pieces, view="always", selects=True, linear=True)
def np_split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    """The cotangents of the pieces are joined."""
    y = np.split(ary, indices_or_sections, axis=axis)
    shape = np.shape(ary)

    def grad(y_bar: Any) -> Any:
        return split_bar(y_bar, shape, indices_or_sections, axis), None, None

    return y, grad


@register_gradient(np.array_split, kind=parts.pieces, view="always", selects=True, linear=True)
def np_array_split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    """The cotangents of the pieces are joined."""
    y = np.array_split(ary, indices_or_sections, axis=axis)
    shape = np.shape(ary)

    def grad(y_bar: Any) -> Any:
        return split_bar(y_bar, shape, indices_or_sections, axis), None, None

    return y, grad


@register_gradient(np.vsplit, kind=parts.pieces, view="always", selects=True, linear=True)
def np_vsplit(ary: Any, indices_or_sections: Any) -> Any:
    """The cotangents of the pieces are joined."""
    y = np.vsplit(ary, indices_or_sections)
    shape = np.shape(ary)

    def grad(y_bar: Any) -> Any:
        return split_bar(y_bar, shape, indices_or_sections, 0), None

    return y, grad


@register_gradient(np.hsplit, kind=parts.pieces, view="always", selects=True, linear=True)
def np_hsplit(ary: Any, indices_or_sections: Any) -> Any:
    """The cotangents of the pieces are joined."""
    y = np.hsplit(ary, indices_or_sections)
    axis = 0 if np.ndim(ary) == 1 else 1
    shape = np.shape(ary)

    def grad(y_bar: Any) -> Any:
        return split_bar(y_bar, shape, indices_or_sections, axis), None

    return y, grad


@register_gradient(np.dsplit, kind=parts.pieces, view="always", selects=True, linear=True)
def np_dsplit(ary: Any, indices_or_sections: Any) -> Any:
    """The cotangents of the pieces are joined."""
    y = np.dsplit(ary, indices_or_sections)
    shape = np.shape(ary)

    def grad(y_bar: Any) -> Any:
        return split_bar(y_bar, shape, indices_or_sections, 2), None

    return y, grad


if hasattr(np, "unstack"):  # since NumPy 2.1

    @register_gradient(np.unstack, kind=parts.slices, view="always", selects=True, linear=True)
    def np_unstack(x: Any, /, *, axis: Any = 0) -> Any:
        """The cotangents of the slices are stacked."""
        y = np.unstack(x, axis=axis)

        def grad(y_bar: Any) -> Any:
            return np.stack(y_bar, axis=axis), None

        return y, grad


@register_gradient(np.block, kind=joins.block, takes_sequences=True, linear=True)
def np_block(arrays: Any) -> Any:
    """The cotangent is cut into the pieces that were joined."""
    y = np.block(arrays)

    def grad(y_bar: Any) -> Any:
        return block_bars(y_bar, arrays)

    return y, grad


@register_gradient(np.insert, kind=shapes.insert, linear=("arr", "values"))
def np_insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    """Each cotangent goes to where its entry came from; values that were repeated collect theirs."""
    y = np.insert(arr, obj, values, axis=axis)

    def grad(y_bar: Any) -> Any:
        places = insert_places(arr, obj, values, axis)
        arr_bar = np.reshape(y_bar[places >= 0], np.shape(arr))
        values_bar = add_at(y_bar[places < 0], ~places[places < 0], np.shape(values))
        return arr_bar, None, values_bar, None

    return y, grad


@register_gradient(np.resize, kind=shapes.resize, selects=True, linear=True)
def np_resize(a: Any, new_shape: Any) -> Any:
    """The entries in order, again and again: each collects the cotangents of its copies."""
    y = np.resize(a, new_shape)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        return add_at(y_bar, np.resize(flat_places(shape), new_shape), shape), None

    return y, grad


@register_gradient(np.trim_zeros, kind=shapes.trimmed, view="always", selects=True)
def np_trim_zeros(filt: Any, trim: Any = "fb") -> Any:
    """What was trimmed has no influence: it counts as a constant zero."""
    if np.ndim(filt) != 1:
        raise GradientError(
            "np.trim_zeros is differentiated for one dimension", fix="trim it by indices"
        )
    y = np.trim_zeros(filt, trim)
    shape = np.shape(filt)
    start = trimmed_from(filt, trim)

    def grad(y_bar: Any) -> Any:
        return put_at(y_bar, np.arange(start, start + len(y_bar)), shape), None

    def jvp(filt_dot: Any) -> Any:
        return filt_dot[start : start + len(y)]

    return y, grad, jvp
