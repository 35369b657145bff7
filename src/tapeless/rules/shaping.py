"""Shaping: functions that move, copy, drop or join entries without computing with them.

Each entry of the value is an entry of an argument, or a constant. So the Jacobian is a matrix of
zeros and ones, its transpose sends each cotangent to the place that its entry came from, and adds
up where an entry was copied. Nothing but shapes is kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.errors import GradientError
from tapeless.rules.declare import register_gradient, zero_gradient
from tapeless.rules.results import joins, shapes
from tapeless.rules.traits import traits
from tapeless.runtime import (
    add_at,
    block_bars,
    column_stack_bars,
    concatenate_bars,
    crop,
    diagonal_bar,
    dstack_bars,
    flat_places,
    hstack_bars,
    insert_places,
    inverse_axes,
    join_like,
    put_at,
    repeat_bar,
    shapes_of,
    split_bar,
    split_like,
    stack_bars,
    sum_to_shape,
    tile_bar,
    trace_bar,
    transpose,
    trimmed_from,
    vstack_bars,
)

_OTHER_ORDER = "the order of the entries depends on how the array lies in memory"

# Shapes of one array

traits(np.ndarray.flat, np.ndarray.view, view="always")


@register_gradient(np.reshape, kind=shapes.reshape, view="sometimes", moves=True, linear=True)
def np_reshape(a: Any, /, shape: Any, order: Any = "C") -> Any:
    """The cotangent is read in the same order."""
    if order not in ("C", "F"):
        raise GradientError(_OTHER_ORDER, fix='pass order="C" or order="F"')
    y = np.reshape(a, shape, order=order)
    a_shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        if order == "C":
            return np.reshape(y_bar, a_shape), None, None
        return np.reshape(y_bar, a_shape, order=order), None, None

    return y, grad


@register_gradient(
    np.ndarray.reshape, kind=shapes.reshape, view="sometimes", moves=True, linear=True
)
def array_reshape(a: Any, /, *shape: Any, order: Any = "C") -> Any:
    """As `np.reshape`, with the lengths as separate arguments too."""
    if order not in ("C", "F"):
        raise GradientError(_OTHER_ORDER, fix='pass order="C" or order="F"')
    y = a.reshape(*shape, order=order)
    a_shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        if len(shape) == 1:
            return np.reshape(y_bar, a_shape, order=order), None, None
        return (np.reshape(y_bar, a_shape, order=order), *(None,) * len(shape), None)

    return y, grad


@register_gradient(
    (np.ravel, np.ndarray.ravel), kind=shapes.flat_view, view="sometimes", moves=True, linear=True
)
def np_ravel(a: Any, order: Any = "C") -> Any:
    """The cotangent takes the array's shape again."""
    if order not in ("C", "F"):
        raise GradientError(_OTHER_ORDER, fix='pass order="C" or order="F"')
    y = np.ravel(a, order=order)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        if order == "C":
            return np.reshape(y_bar, shape), None
        return np.reshape(y_bar, shape, order=order), None

    return y, grad


@register_gradient(np.ndarray.flatten, kind=shapes.flattened, moves=True, linear=True)
def array_flatten(a: Any, order: Any = "C") -> Any:
    """As `ravel`, always a copy."""
    if order not in ("C", "F"):
        raise GradientError(_OTHER_ORDER, fix='pass order="C" or order="F"')
    y = a.flatten(order=order)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        if order == "C":
            return np.reshape(y_bar, shape), None
        return np.reshape(y_bar, shape, order=order), None

    return y, grad


@register_gradient(np.transpose, kind=shapes.transpose, view="always", moves=True, linear=True)
def np_transpose(a: Any, axes: Any = None) -> Any:
    """The cotangent's axes go back to where they came from."""
    y = np.transpose(a, axes)

    def grad(y_bar: Any) -> Any:
        if axes is None:
            return np.transpose(y_bar), None
        return np.transpose(y_bar, inverse_axes(axes)), None

    return y, grad


@register_gradient(
    np.ndarray.transpose, kind=shapes.transpose, view="always", moves=True, linear=True
)
def array_transpose(a: Any, /, *axes: Any) -> Any:
    """As `np.transpose`, with the axes as separate arguments too."""
    y = a.transpose(*axes)

    def grad(y_bar: Any) -> Any:
        if len(axes) == 0:
            return np.transpose(y_bar)
        if len(axes) == 1 and axes[0] is None:
            return np.transpose(y_bar), None
        if len(axes) == 1 and np.ndim(axes[0]) == 1:
            return np.transpose(y_bar, inverse_axes(axes[0])), None
        return (np.transpose(y_bar, inverse_axes(axes)), *(None,) * len(axes))

    return y, grad


@register_gradient(np.ndarray.T, kind=shapes.transpose, view="always", linear=True)
def array_T(a: Any) -> Any:
    """All axes in reverse order, which undoes itself."""
    y = a.T

    def grad(y_bar: Any) -> Any:
        return y_bar.T

    return y, grad


@register_gradient(np.ndarray.mT, kind=shapes.same_rank_view, view="always")
@register_gradient((np.matrix_transpose, np.linalg.matrix_transpose), view="always")
def np_matrix_transpose(x: Any, /) -> Any:
    """The last two axes swapped, which undoes itself."""
    y = np.matrix_transpose(x)

    def grad(y_bar: Any) -> Any:
        return transpose(y_bar)

    def jvp(x_dot: Any) -> Any:
        return transpose(x_dot)

    return y, grad, jvp


@register_gradient(
    (np.squeeze, np.ndarray.squeeze), kind=shapes.squeeze, view="always", moves=True, linear=True
)
def np_squeeze(a: Any, axis: Any = None) -> Any:
    """The cotangent takes the array's shape again."""
    y = np.squeeze(a, axis=axis)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        return np.reshape(y_bar, shape), None

    return y, grad


@register_gradient(np.expand_dims, kind=shapes.expand_dims, view="always", moves=True, linear=True)
def np_expand_dims(a: Any, axis: Any) -> Any:
    """The cotangent takes the array's shape again."""
    y = np.expand_dims(a, axis)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        return np.reshape(y_bar, shape), None

    return y, grad


@register_gradient(
    (np.swapaxes, np.ndarray.swapaxes), kind=shapes.swapaxes, view="always", moves=True, linear=True
)
def np_swapaxes(a: Any, axis1: Any, axis2: Any) -> Any:
    """Swapping undoes itself."""
    y = np.swapaxes(a, axis1, axis2)

    def grad(y_bar: Any) -> Any:
        return np.swapaxes(y_bar, axis1, axis2), None, None

    return y, grad


@register_gradient(np.moveaxis, kind=shapes.same_rank_view, view="always", moves=True, linear=True)
def np_moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """The axes move back."""
    y = np.moveaxis(a, source, destination)

    def grad(y_bar: Any) -> Any:
        return np.moveaxis(y_bar, destination, source), None, None

    return y, grad


@register_gradient(np.rollaxis, kind=shapes.same_rank_view, view="always", moves=True, linear=True)
def np_rollaxis(a: Any, axis: Any, start: Any = 0) -> Any:
    """The axis was taken out before `start` was counted, if it stood before it."""
    y = np.rollaxis(a, axis, start)
    rank = np.ndim(a)

    def grad(y_bar: Any) -> Any:
        place = start + rank if start < 0 else start
        landed = place - 1 if axis % rank < place else place
        return np.moveaxis(y_bar, landed, axis), None, None

    return y, grad


@register_gradient(np.atleast_1d, kind=shapes.atleast(1), view="always", linear=True)
def np_atleast_1d(*arys: Any) -> Any:
    """The cotangents take the shapes of the arrays."""
    y = np.atleast_1d(*arys)
    shapes = shapes_of(arys)

    def grad(*y_bars: Any) -> Any:
        if len(shapes) == 1:
            return np.reshape(y_bars[0], shapes[0])
        return tuple(np.reshape(g, shape) for g, shape in zip(y_bars, shapes, strict=True))

    return y, grad


@register_gradient(np.atleast_2d, kind=shapes.atleast(2), view="always", linear=True)
def np_atleast_2d(*arys: Any) -> Any:
    """The cotangents take the shapes of the arrays."""
    y = np.atleast_2d(*arys)
    shapes = shapes_of(arys)

    def grad(*y_bars: Any) -> Any:
        if len(shapes) == 1:
            return np.reshape(y_bars[0], shapes[0])
        return tuple(np.reshape(g, shape) for g, shape in zip(y_bars, shapes, strict=True))

    return y, grad


@register_gradient(np.atleast_3d, kind=shapes.atleast(3), view="always", linear=True)
def np_atleast_3d(*arys: Any) -> Any:
    """The cotangents take the shapes of the arrays."""
    y = np.atleast_3d(*arys)
    shapes = shapes_of(arys)

    def grad(*y_bars: Any) -> Any:
        if len(shapes) == 1:
            return np.reshape(y_bars[0], shapes[0])
        return tuple(np.reshape(g, shape) for g, shape in zip(y_bars, shapes, strict=True))

    return y, grad


# Copies of entries


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


# Entries in another order


@register_gradient(np.roll, kind=shapes.copied, moves=True, linear=True)
def np_roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """The cotangent rolls back."""
    y = np.roll(a, shift, axis=axis)

    def grad(y_bar: Any) -> Any:
        if isinstance(shift, int):
            return np.roll(y_bar, -shift, axis=axis), None, None
        return np.roll(y_bar, np.negative(shift), axis=axis), None, None

    return y, grad


@register_gradient(np.flip, kind=shapes.same_shape_view, view="always", moves=True, linear=True)
def np_flip(m: Any, axis: Any = None) -> Any:
    """Flipping undoes itself."""
    y = np.flip(m, axis=axis)

    def grad(y_bar: Any) -> Any:
        return np.flip(y_bar, axis=axis), None

    return y, grad


@register_gradient(np.fliplr, kind=shapes.same_shape_view, view="always", moves=True, linear=True)
def np_fliplr(m: Any) -> Any:
    """Flipping undoes itself."""
    y = np.fliplr(m)

    def grad(y_bar: Any) -> Any:
        return np.fliplr(y_bar)

    return y, grad


@register_gradient(np.flipud, kind=shapes.same_shape_view, view="always", moves=True, linear=True)
def np_flipud(m: Any) -> Any:
    """Flipping undoes itself."""
    y = np.flipud(m)

    def grad(y_bar: Any) -> Any:
        return np.flipud(y_bar)

    return y, grad


@register_gradient(np.rot90, kind=shapes.same_rank_view, view="always", moves=True, linear=True)
def np_rot90(m: Any, k: Any = 1, axes: Any = (0, 1)) -> Any:
    """The cotangent turns back."""
    y = np.rot90(m, k, axes)

    def grad(y_bar: Any) -> Any:
        return np.rot90(y_bar, -k, axes), None, None

    return y, grad


# Diagonals and triangles


@register_gradient(np.diag, kind=shapes.diag, view="always", selects=True, linear=True)
def np_diag(v: Any, k: Any = 0) -> Any:
    """Put a vector on a diagonal, or take a diagonal: each undoes the other."""
    y = np.diag(v, k)
    shape = np.shape(v)

    def grad(y_bar: Any) -> Any:
        if len(shape) == 1:
            return np.diag(y_bar, k), None
        return diagonal_bar(y_bar, shape, k), None

    return y, grad


@register_gradient(np.diagflat, linear=True)
def np_diagflat(v: Any, k: Any = 0) -> Any:
    """Put the raveled entries on a diagonal."""
    y = np.diagflat(v, k)
    shape = np.shape(v)

    def grad(y_bar: Any) -> Any:
        return np.reshape(np.diag(y_bar, k), shape), None

    return y, grad


@register_gradient(
    (np.diagonal, np.ndarray.diagonal), kind=shapes.diag, view="always", selects=True, linear=True
)
def np_diagonal(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    """The cotangent goes onto the diagonal."""
    y = np.diagonal(a, offset=offset, axis1=axis1, axis2=axis2)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        return diagonal_bar(y_bar, shape, offset, axis1, axis2), None, None, None

    return y, grad


@register_gradient((np.trace, np.ndarray.trace), kind=shapes.trace, selects=True, linear=True)
def np_trace(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    """The sum of the diagonal: its cotangent times the identity (Giles 2008, 2.2.3)."""
    y = np.trace(a, offset=offset, axis1=axis1, axis2=axis2)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        return trace_bar(y_bar, shape, offset, axis1, axis2), None, None, None

    return y, grad


@register_gradient(np.tril, kind=shapes.triangle, selects=True, linear=True)
def np_tril(m: Any, k: Any = 0) -> Any:
    """What was set to zero has no influence; a vector was first repeated in rows."""
    y = np.tril(m, k)
    rank = np.ndim(m)

    def grad(y_bar: Any) -> Any:
        if rank == 1:
            return np.sum(np.tril(y_bar, k), axis=0), None
        return np.tril(y_bar, k), None

    return y, grad


@register_gradient(np.triu, kind=shapes.triangle, selects=True, linear=True)
def np_triu(m: Any, k: Any = 0) -> Any:
    """What was set to zero has no influence; a vector was first repeated in rows."""
    y = np.triu(m, k)
    rank = np.ndim(m)

    def grad(y_bar: Any) -> Any:
        if rank == 1:
            return np.sum(np.triu(y_bar, k), axis=0), None
        return np.triu(y_bar, k), None

    return y, grad


# Joining and splitting


@register_gradient(np.concatenate, kind=joins.concatenate, takes_sequences=True, linear=True)
def np_concatenate(arrays: Any, /, axis: Any = 0) -> Any:
    """The cotangent is cut into the pieces that were joined."""
    y = np.concatenate(arrays, axis=axis)
    shapes = shapes_of(arrays)
    whole = isinstance(arrays, np.ndarray)

    def grad(y_bar: Any) -> Any:
        if whole:
            return np.stack(concatenate_bars(y_bar, shapes, axis)), None
        return concatenate_bars(y_bar, shapes, axis), None

    return y, grad


@register_gradient(np.stack, kind=joins.stack, takes_sequences=True, linear=True)
def np_stack(arrays: Any, axis: Any = 0) -> Any:
    """The cotangent is cut along the new axis."""
    y = np.stack(arrays, axis=axis)
    whole = isinstance(arrays, np.ndarray)

    def grad(y_bar: Any) -> Any:
        if whole:
            return np.moveaxis(y_bar, axis, 0), None
        if axis == 0:
            return list(y_bar), None
        return stack_bars(y_bar, axis), None

    return y, grad


# np.row_stack is another name of it, which goes out of use
@register_gradient(
    tuple({np.vstack, vars(np).get("row_stack", np.vstack)}),
    kind=joins.vstack,
    takes_sequences=True,
    linear=True,
)
def np_vstack(tup: Any) -> Any:
    """The cotangent is cut into the pieces that were joined."""
    y = np.vstack(tup)
    shapes = shapes_of(tup)
    whole = isinstance(tup, np.ndarray)

    def grad(y_bar: Any) -> Any:
        if whole:
            return np.stack(vstack_bars(y_bar, shapes))
        return vstack_bars(y_bar, shapes)

    return y, grad


@register_gradient(np.hstack, kind=joins.hstack, takes_sequences=True, linear=True)
def np_hstack(tup: Any) -> Any:
    """The cotangent is cut into the pieces that were joined."""
    y = np.hstack(tup)
    shapes = shapes_of(tup)
    whole = isinstance(tup, np.ndarray)

    def grad(y_bar: Any) -> Any:
        if whole:
            return np.stack(hstack_bars(y_bar, shapes))
        return hstack_bars(y_bar, shapes)

    return y, grad


@register_gradient(np.dstack, takes_sequences=True, linear=True)
def np_dstack(tup: Any) -> Any:
    """The cotangent is cut into the pieces that were joined."""
    y = np.dstack(tup)
    shapes = shapes_of(tup)
    whole = isinstance(tup, np.ndarray)

    def grad(y_bar: Any) -> Any:
        if whole:
            return np.stack(dstack_bars(y_bar, shapes))
        return dstack_bars(y_bar, shapes)

    return y, grad


@register_gradient(np.column_stack, kind=joins.vstack, takes_sequences=True, linear=True)
def np_column_stack(tup: Any) -> Any:
    """The cotangent is cut into the pieces that were joined."""
    y = np.column_stack(tup)
    shapes = shapes_of(tup)
    whole = isinstance(tup, np.ndarray)

    def grad(y_bar: Any) -> Any:
        if whole:
            return np.stack(column_stack_bars(y_bar, shapes))
        return column_stack_bars(y_bar, shapes)

    return y, grad


@register_gradient(np.append, linear=("arr", "values"))
def np_append(arr: Any, values: Any, axis: Any = None) -> Any:
    """The cotangent is cut where the values were appended."""
    y = np.append(arr, values, axis=axis)
    arr_shape = np.shape(arr)
    values_shape = np.shape(values)

    def grad(y_bar: Any) -> Any:
        bars = concatenate_bars(y_bar, [arr_shape, values_shape], axis)
        return bars[0], bars[1], None

    return y, grad


@register_gradient(np.delete, selects=True, linear=True)
def np_delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    """What was deleted has no influence."""
    y = np.delete(arr, obj, axis=axis)
    shape = np.shape(arr)

    def grad(y_bar: Any) -> Any:
        return put_at(y_bar, np.delete(flat_places(shape), obj, axis=axis), shape), None, None

    return y, grad


@register_gradient(np.split, view="always", selects=True, linear=True)
def np_split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    """The cotangents of the pieces are joined."""
    y = np.split(ary, indices_or_sections, axis=axis)
    shape = np.shape(ary)

    def grad(y_bar: Any) -> Any:
        return split_bar(y_bar, shape, indices_or_sections, axis), None, None

    return y, grad


@register_gradient(np.array_split, view="always", selects=True, linear=True)
def np_array_split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    """The cotangents of the pieces are joined."""
    y = np.array_split(ary, indices_or_sections, axis=axis)
    shape = np.shape(ary)

    def grad(y_bar: Any) -> Any:
        return split_bar(y_bar, shape, indices_or_sections, axis), None, None

    return y, grad


@register_gradient(np.vsplit, view="always", selects=True, linear=True)
def np_vsplit(ary: Any, indices_or_sections: Any) -> Any:
    """The cotangents of the pieces are joined."""
    y = np.vsplit(ary, indices_or_sections)
    shape = np.shape(ary)

    def grad(y_bar: Any) -> Any:
        return split_bar(y_bar, shape, indices_or_sections, 0), None

    return y, grad


@register_gradient(np.hsplit, view="always", selects=True, linear=True)
def np_hsplit(ary: Any, indices_or_sections: Any) -> Any:
    """The cotangents of the pieces are joined."""
    y = np.hsplit(ary, indices_or_sections)
    axis = 0 if np.ndim(ary) == 1 else 1
    shape = np.shape(ary)

    def grad(y_bar: Any) -> Any:
        return split_bar(y_bar, shape, indices_or_sections, axis), None

    return y, grad


@register_gradient(np.dsplit, view="always", selects=True, linear=True)
def np_dsplit(ary: Any, indices_or_sections: Any) -> Any:
    """The cotangents of the pieces are joined."""
    y = np.dsplit(ary, indices_or_sections)
    shape = np.shape(ary)

    def grad(y_bar: Any) -> Any:
        return split_bar(y_bar, shape, indices_or_sections, 2), None

    return y, grad


if hasattr(np, "unstack"):  # since NumPy 2.1

    @register_gradient(np.unstack, view="always", selects=True, linear=True)
    def np_unstack(x: Any, /, *, axis: Any = 0) -> Any:
        """The cotangents of the pieces are stacked."""
        y = np.unstack(x, axis=axis)

        def grad(*y_bars: Any) -> Any:
            return np.stack(y_bars, axis=axis), None

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


@register_gradient(np.trim_zeros, view="always", selects=True)
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


# Helpers of the gradients above, which the gradients of higher order meet as functions


@register_gradient(put_at, linear=True)
def runtime_put_at(g: Any, index: Any, shape: Any) -> Any:
    """Read the cotangent where `g` was written."""
    y = put_at(g, index, shape)
    g_shape = np.shape(g)

    def grad(y_bar: Any) -> Any:
        return np.reshape(np.take(y_bar, np.ravel(index)), g_shape), None, None

    return y, grad


@register_gradient(add_at, linear=True)
def runtime_add_at(g: Any, index: Any, shape: Any) -> Any:
    """Read the cotangent where `g` was added."""
    y = add_at(g, index, shape)
    g_shape = np.shape(g)

    def grad(y_bar: Any) -> Any:
        return np.reshape(np.take(y_bar, np.ravel(index)), g_shape), None, None

    return y, grad


@register_gradient(split_like, linear=True)
def runtime_split_like(g: Any, shapes: Any, sizes: Any, axis: Any) -> Any:
    """Join the cotangents of the pieces."""
    y = split_like(g, shapes, sizes, axis)
    g_shape = np.shape(g)

    def grad(y_bar: Any) -> Any:
        return join_like(y_bar, g_shape, sizes, axis), None, None, None

    return y, grad


@register_gradient(block_bars, linear=True)
def runtime_block_bars(y_bar: Any, arrays: Any) -> Any:
    """Join the cotangents of the pieces."""
    bars = block_bars(y_bar, arrays)

    def grad(bars_bar: Any) -> Any:
        return np.block(bars_bar), None

    return bars, grad


zero_gradient(insert_places, trimmed_from)
