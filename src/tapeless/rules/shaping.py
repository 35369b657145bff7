"""Shaping: functions that move, copy, drop or join entries without computing with them.

Each entry of the value is an entry of an argument, or a constant. So the Jacobian is a matrix of
zeros and ones, its transpose sends each cotangent to the place that its entry came from, and adds
up where an entry was copied. Nothing but shapes is kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.errors import GradientError
from tapeless.rules.arguments import as_given
from tapeless.rules.declare import register_gradient
from tapeless.rules.results import shapes
from tapeless.rules.traits import traits
from tapeless.runtime import inverse_axes, opposite, reshaped_like, transpose

_OTHER_ORDER = "the order of the entries depends on how the array lies in memory"

# Shapes of one array

traits(np.ndarray.flat, view="always")


@register_gradient(np.ndarray.view, kind=shapes.seen_anew, view="always", linear=True)
def ndarray_view(self: Any, dtype: Any = None, type: Any = None) -> Any:
    """The same entries in the same memory; what their bytes mean for another dtype is not followed."""
    y = self.view() if dtype is None else self.view(dtype)
    if y.dtype != self.dtype or type is not None:
        raise GradientError(
            "a view of another dtype, or of another class, is not differentiated",
            fix="take x.astype(dtype), which converts the numbers",
        )

    def grad(y_bar: Any) -> Any:
        return y_bar, None, None

    return y, grad


@register_gradient(np.reshape, kind=shapes.reshape, view="sometimes", moves=True, linear=True)
def np_reshape(a: Any, /, shape: Any, order: Any = "C", *, copy: Any = None) -> Any:
    """The cotangent is read in the same order."""
    if order not in ("C", "F"):
        raise GradientError(_OTHER_ORDER, fix='pass order="C" or order="F"')
    y = np.reshape(a, shape, order=order, **as_given(copy=copy))
    a_shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        if order == "C":
            return np.reshape(y_bar, a_shape), None, None, None
        return np.reshape(y_bar, a_shape, order=order), None, None, None

    return y, grad


@register_gradient(
    np.ndarray.reshape, kind=shapes.reshape_method, view="sometimes", moves=True, linear=True
)
def array_reshape(a: Any, /, *shape: Any, order: Any = "C", copy: Any = None) -> Any:
    """As `np.reshape`, with the lengths as separate arguments too."""
    if order not in ("C", "F"):
        raise GradientError(_OTHER_ORDER, fix='pass order="C" or order="F"')
    y = a.reshape(*shape, order=order, **as_given(copy=copy))
    a_shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        if len(shape) == 1:
            return np.reshape(y_bar, a_shape, order=order), None, None, None
        return (np.reshape(y_bar, a_shape, order=order), *(None,) * len(shape), None, None)

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


@register_gradient(
    (np.ndarray.mT, np.matrix_transpose, np.linalg.matrix_transpose),
    kind=shapes.same_rank_view, view="always",
)  # fmt: skip
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

    def grad(y_bar: Any) -> Any:
        if len(arys) == 1:
            return np.reshape(y_bar, np.shape(arys[0]))
        bars = reshaped_like(y_bar, arys)
        return (*bars,)

    return y, grad


@register_gradient(np.atleast_2d, kind=shapes.atleast(2), view="always", linear=True)
def np_atleast_2d(*arys: Any) -> Any:
    """The cotangents take the shapes of the arrays."""
    y = np.atleast_2d(*arys)

    def grad(y_bar: Any) -> Any:
        if len(arys) == 1:
            return np.reshape(y_bar, np.shape(arys[0]))
        bars = reshaped_like(y_bar, arys)
        return (*bars,)

    return y, grad


@register_gradient(np.atleast_3d, kind=shapes.atleast(3), view="always", linear=True)
def np_atleast_3d(*arys: Any) -> Any:
    """The cotangents take the shapes of the arrays."""
    y = np.atleast_3d(*arys)

    def grad(y_bar: Any) -> Any:
        if len(arys) == 1:
            return np.reshape(y_bar, np.shape(arys[0]))
        bars = reshaped_like(y_bar, arys)
        return (*bars,)

    return y, grad


# Entries in another order


@register_gradient(np.roll, kind=shapes.new_array, moves=True, linear=True)
def np_roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """The cotangent rolls back."""
    y = np.roll(a, shift, axis=axis)

    def grad(y_bar: Any) -> Any:
        return np.roll(y_bar, opposite(shift), axis=axis), None, None

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
