"""Rules of the functions that make, convert and copy arrays.

Most of what makes an array makes constants. The rest is linear in the numbers that it is made of:
`np.array` of a nest of lists gathers numbers, so its cotangent is taken apart into the same nest;
a conversion of dtype converts the cotangent back; `np.linspace` weighs its two ends. Such a rule
keeps shapes and dtypes, never entries. A conversion to integers jumps: its derivative is zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.rules.declare import built_in_zero, importable_as, register_gradient, written_out
from tapeless.rules.results import creation, entrywise, joins, parts, places, scalars, shapes
from tapeless.rules.traits import traits
from tapeless.runtime import (
    array_bar,
    array_dot,
    as_in_place,
    beside_ends,
    cast,
    double_bar,
    if_inexact,
    interval_bar,
    meshgrid_bar,
    reshaped_like,
    tangent_in,
    unbroadcast,
)

# Constants

built_in_zero(np.zeros, np.ones, np.empty, kind=creation.filled)
built_in_zero(np.zeros_like, np.ones_like, kind=creation.like, total=True, asks_form=(0,))
built_in_zero(np.empty_like, kind=creation.like, asks_form=(0,))
built_in_zero(np.eye, np.identity, kind=creation.eye)
built_in_zero(np.tri, kind=creation.eye)
traits(np.hanning, np.hamming, np.blackman, np.bartlett, np.kaiser, kind=parts.window)
built_in_zero(np.bartlett, np.blackman, np.hamming, np.hanning)
built_in_zero(
    np.polynomial.legendre.leggauss, np.polynomial.chebyshev.chebgauss,
    np.polynomial.hermite.hermgauss, np.polynomial.hermite_e.hermegauss,
    np.polynomial.laguerre.laggauss, kind=creation.quadrature,
)  # fmt: skip


# Arrays of given numbers

traits(np.asarray_chkfinite, view="sometimes")


@register_gradient(np.array, kind=joins.array, view="if asked", takes_sequences=True, recasts=True)
def np_array(
    object: Any, dtype: Any = None, *, copy: Any = True, order: Any = "K", subok: Any = False,
    ndmin: Any = 0,
) -> Any:  # fmt: skip
    y = np.array(object, dtype=dtype, copy=copy, order=order, subok=subok, ndmin=ndmin)
    kept = y.dtype

    def grad(y_bar: Any) -> Any:
        seed = y_bar if dtype is None else if_inexact(y_bar, kept)
        given = seed if ndmin == 0 else np.reshape(seed, np.shape(object))
        return array_bar(given, object), None, None, None, None, None

    def jvp(object_dot: Any) -> Any:
        if ndmin == 0:
            return array_dot(object_dot, y)
        within = array_dot(object_dot, np.reshape(y, np.shape(object)))
        return np.reshape(within, np.shape(y))

    return y, grad, jvp


@register_gradient(
    np.asarray, kind=joins.asarray, view="sometimes", takes_sequences=True, recasts=True
)
@register_gradient(np.asanyarray, kind=joins.asarray, view="sometimes", takes_sequences=True)
def np_asarray(
    a: Any, dtype: Any = None, order: Any = None, *, device: Any = None, copy: Any = None
) -> Any:
    y = np.asarray(a, dtype=dtype, order=order, copy=copy)
    kept = y.dtype

    def grad(y_bar: Any) -> Any:
        if dtype is None:
            return array_bar(y_bar, a), None, None, None, None
        return array_bar(if_inexact(y_bar, kept), a), None, None, None, None

    def jvp(a_dot: Any) -> Any:
        return array_dot(a_dot, y)

    return y, grad, jvp


@register_gradient(
    np.ascontiguousarray, kind=joins.contiguous, view="sometimes", takes_sequences=True
)
@register_gradient(np.asfortranarray, view="sometimes")
def np_ascontiguousarray(a: Any, dtype: Any = None) -> Any:
    y = np.ascontiguousarray(a, dtype=dtype)  # of rank 1 for a number
    kept = y.dtype

    def grad(y_bar: Any) -> Any:
        return array_bar(np.reshape(if_inexact(y_bar, kept), np.shape(a)), a), None

    def jvp(a_dot: Any) -> Any:
        return array_dot(a_dot, y)

    return y, grad, jvp


@register_gradient(np.require, kind=joins.contiguous, view="sometimes", recasts=True)
def np_require(a: Any, dtype: Any = None, requirements: Any = None) -> Any:
    y = np.require(a, dtype, requirements)
    kept = y.dtype

    def grad(y_bar: Any) -> Any:
        return array_bar(np.reshape(if_inexact(y_bar, kept), np.shape(a)), a), None, None

    def jvp(a_dot: Any) -> Any:
        return array_dot(a_dot, y)

    return y, grad, jvp


@register_gradient(np.copy, kind=shapes.new_array, recasts=True)
def np_copy(a: Any, order: Any = "K") -> Any:
    y = np.copy(a, order)

    def grad(y_bar: Any) -> Any:
        return array_bar(y_bar, a), None

    def jvp(a_dot: Any) -> Any:
        return array_dot(a_dot, y)

    return y, grad, jvp


@register_gradient(np.ndarray.copy, kind=shapes.copied, recasts=True)
def ndarray_copy(self: Any, order: Any = "C") -> Any:
    y = self.copy(order)

    def grad(y_bar: Any) -> Any:
        return y_bar, None

    def jvp(self_dot: Any) -> Any:
        return self_dot

    return y, grad, jvp


# Conversions of dtype


@register_gradient(np.ndarray.astype, kind=shapes.astype, view="if asked", recasts=True)
def ndarray_astype(
    self: Any, dtype: Any, order: Any = "K", casting: Any = "unsafe", subok: Any = True,
    copy: Any = True,
) -> Any:  # fmt: skip
    y = self.astype(dtype, order, casting, subok, copy)
    given, kept = self.dtype, y.dtype

    def grad(y_bar: Any) -> Any:
        return cast(if_inexact(y_bar, kept), given), None, None, None, None, None

    def jvp(self_dot: Any) -> Any:
        return array_dot(self_dot, y)

    return y, grad, jvp


@register_gradient(np.astype, kind=shapes.astype, view="if asked", recasts=True)
def np_astype(x: Any, dtype: Any, /, *, copy: Any = True, device: Any = None) -> Any:
    y = np.astype(x, dtype, copy=copy)
    given, kept = x.dtype, y.dtype

    def grad(y_bar: Any) -> Any:
        return cast(if_inexact(y_bar, kept), given), None, None, None

    def jvp(x_dot: Any) -> Any:
        return array_dot(x_dot, y)

    return y, grad, jvp


@register_gradient(as_in_place, kind=entrywise.kept_in_place, recasts=True, shows=(1,))
def runtime_as_in_place(t: Any, value: Any) -> Any:
    """An array keeps its shape and its dtype, and takes the entries."""
    y = as_in_place(t, value)

    def grad(y_bar: Any) -> Any:
        return None, y_bar

    def jvp(value_dot: Any) -> Any:
        return value_dot

    return y, grad, jvp


@register_gradient(np.float64, kind=scalars.double, view="sometimes", recasts=True, linear=True)
def np_float64(value: Any = 0, /) -> Any:
    y = np.float64(value)

    def grad(y_bar: Any) -> Any:
        return double_bar(y_bar, value)

    return y, grad


def _register_number(cls: Any, recasts: bool, kind: Any = None) -> None:
    """Register the rule of a class that makes a number of a number."""

    @importable_as(f"np_{cls.__name__}")
    @register_gradient(cls, kind=kind, view="sometimes", linear=True, recasts=recasts)
    def np_number(value: Any = 0, /) -> Any:
        y = cls(value)

        def grad(y_bar: Any) -> Any:
            return array_bar(y_bar, value)

        return y, grad


_register_number(np.float32, True, scalars.single)
_register_number(np.float16, True)
_register_number(np.longdouble, True)
_register_number(np.complex128, False, scalars.complex_number("c16"))
_register_number(np.complex64, False, scalars.complex_number("c8"))
_register_number(np.clongdouble, False, scalars.complex_number("c?"))


@register_gradient(np.asarray_chkfinite, kind=joins.asarray, view="sometimes", takes_sequences=True)
def np_asarray_chkfinite(a: Any, dtype: Any = None) -> Any:
    y = np.asarray_chkfinite(a, dtype=dtype)

    def grad(y_bar: Any) -> Any:
        return array_bar(y_bar, a), None

    def jvp(a_dot: Any) -> Any:
        return array_dot(a_dot, y)

    return y, grad, jvp


def np_ndarray(shape: Any, dtype: Any = float) -> Any:
    """An array of which the entries are stored later."""
    return np.empty(shape, dtype=dtype)


written_out(np.ndarray, np_ndarray, always=True)


# Arrays filled with one number


@register_gradient(np.full, kind=creation.full)
def np_full(shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C") -> Any:
    y = np.full(shape, fill_value, dtype, order)
    kept = y.dtype

    def grad(y_bar: Any) -> Any:
        if dtype is None:
            return None, unbroadcast(y_bar, fill_value), None, None
        return None, unbroadcast(if_inexact(y_bar, kept), fill_value), None, None

    def jvp(fill_value_dot: Any) -> Any:
        return np.full(shape, if_inexact(fill_value_dot, kept))

    return y, grad, jvp


@register_gradient(np.full_like, kind=creation.full_like, selects=True, asks_form=(0,))
def np_full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: Any = "K", subok: Any = True,
    shape: Any = None, *, device: Any = None,
) -> Any:  # fmt: skip
    y = np.full_like(a, fill_value, dtype, order, subok, shape)
    kept = y.dtype

    def grad(y_bar: Any) -> Any:
        fill_value_bar = unbroadcast(if_inexact(y_bar, kept), fill_value)
        return None, fill_value_bar, None, None, None, None, None

    def jvp(fill_value_dot: Any) -> Any:
        return np.full(y.shape, if_inexact(fill_value_dot, kept))

    return y, grad, jvp


# Equally spaced numbers


@register_gradient(np.arange, kind=creation.arange, distinct=True)
def np_arange(
    start_or_stop: Any, /, stop: Any = None, step: Any = 1, dtype: Any = None, *,
    device: Any = None,
) -> Any:  # fmt: skip
    y = np.arange(start_or_stop, stop, step, dtype=dtype)
    kept = y.dtype

    def grad(y_bar: Any) -> Any:
        seed = y_bar if dtype is None else if_inexact(y_bar, kept)
        step_bar = np.sum(seed * np.arange(len(y_bar)))
        return None if stop is None else np.sum(seed), None, step_bar, None, None

    def jvp(start_or_stop_dot: Any, step_dot: Any = 0.0) -> Any:
        start_dot = 0.0 if stop is None else start_or_stop_dot
        y_dot = start_dot + step_dot * np.arange(len(y))
        return y_dot if dtype is None else tangent_in(y_dot, kept)

    return y, grad, jvp


@register_gradient(np.linspace, kind=creation.linspace)
def np_linspace(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, retstep: Any = False,
    dtype: Any = None, axis: Any = 0,
) -> Any:  # fmt: skip
    y = np.linspace(start, stop, num, endpoint, retstep, dtype, axis)
    kept = y[0].dtype if retstep else y.dtype

    def grad(*y_bars: Any) -> Any:
        y_bar = y_bars[0] if dtype is None else if_inexact(y_bars[0], kept)
        t = np.linspace(0.0, 1.0, num, endpoint)
        start_bar = interval_bar(y_bar, 1.0 - t, start, axis)
        stop_bar = interval_bar(y_bar, t, stop, axis)
        if not retstep:
            return start_bar, stop_bar, None, None, None, None, None
        rate_bar = y_bars[1] / (num - 1 if endpoint else num)
        start_bar = start_bar - unbroadcast(rate_bar, start)
        return start_bar, stop_bar + unbroadcast(rate_bar, stop), None, None, None, None, None

    def jvp(start_dot: Any, stop_dot: Any) -> Any:
        moved = np.linspace(start_dot, stop_dot, num, endpoint, axis=axis)
        y_dot = moved if dtype is None else tangent_in(moved, kept)
        if not retstep:
            return y_dot
        return y_dot, (stop_dot - start_dot) / (num - 1 if endpoint else num)

    return y, grad, jvp


@register_gradient(np.logspace, kind=creation.spaced)
def np_logspace(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, base: Any = 10.0,
    dtype: Any = None, axis: Any = 0,
) -> Any:  # fmt: skip
    """Here y = base^e, where e is evenly spaced; bases in an array stand beside the ends."""
    y = np.logspace(start, stop, num, endpoint, base, dtype, axis)
    kept = y.dtype
    bases = base if np.ndim(base) == 0 else beside_ends(base, start, stop, axis)
    first = start if np.ndim(base) == 0 else start + np.zeros_like(base)

    def grad(y_bar: Any) -> Any:
        seed = y_bar if dtype is None else if_inexact(y_bar, kept)
        t = np.linspace(0.0, 1.0, num, endpoint)
        exponent = np.linspace(first, stop, num, endpoint, axis=axis)
        exponent_bar = seed * y * np.log(bases).astype(y.dtype)
        start_bar = interval_bar(exponent_bar, 1.0 - t, start, axis)
        stop_bar = interval_bar(exponent_bar, t, stop, axis)
        base_bar = np.reshape(unbroadcast(seed * y * exponent / bases, bases), np.shape(base))
        return start_bar, stop_bar, None, None, base_bar, None, None

    def jvp(start_dot: Any, stop_dot: Any, base_dot: Any = 0.0) -> Any:
        exponent = np.linspace(first, stop, num, endpoint, axis=axis)
        first_dot = start_dot if np.ndim(base) == 0 else start_dot + np.zeros_like(base)
        exponent_dot = np.linspace(first_dot, stop_dot, num, endpoint, axis=axis)
        bases_dot = base_dot if np.ndim(base) == 0 else beside_ends(base_dot, start, stop, axis)
        y_dot = y * (np.log(bases) * exponent_dot + exponent / bases * bases_dot)
        return y_dot if dtype is None else tangent_in(y_dot, kept)

    return y, grad, jvp


@register_gradient(np.geomspace, kind=creation.spaced)
def np_geomspace(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, dtype: Any = None, axis: Any = 0
) -> Any:
    y = np.geomspace(start, stop, num, endpoint, dtype, axis)
    kept = y.dtype

    def grad(y_bar: Any) -> Any:
        seed = y_bar if dtype is None else if_inexact(y_bar, kept)
        t = np.linspace(0.0, 1.0, num, endpoint)
        start_bar = interval_bar(seed * y, 1.0 - t, start, axis) / start
        stop_bar = interval_bar(seed * y, t, stop, axis) / stop
        return start_bar, stop_bar, None, None, None, None

    def jvp(start_dot: Any, stop_dot: Any) -> Any:
        y_dot = y * np.linspace(start_dot / start, stop_dot / stop, num, endpoint, axis=axis)
        return y_dot if dtype is None else tangent_in(y_dot, kept)

    return y, grad, jvp


@register_gradient(np.fft.fftfreq, kind=creation.frequencies)
def fft_fftfreq(n: Any, d: Any = 1.0) -> Any:
    y = np.fft.fftfreq(n, d)

    def grad(y_bar: Any) -> Any:
        return None, -np.sum(y_bar * y) / d

    def jvp(d_dot: Any) -> Any:
        return -d_dot * y / d

    return y, grad, jvp


@register_gradient(np.fft.rfftfreq, kind=creation.half_frequencies)
def fft_rfftfreq(n: Any, d: Any = 1.0) -> Any:
    y = np.fft.rfftfreq(n, d)

    def grad(y_bar: Any) -> Any:
        return None, -np.sum(y_bar * y) / d

    def jvp(d_dot: Any) -> Any:
        return -d_dot * y / d

    return y, grad, jvp


# Grids


@register_gradient(np.ix_, kind=places.of_grid, view="always")
def np_ix_(*args: Any) -> Any:
    """Each array of the grid has the entries of one that is given; a mask gives places."""
    y = np.ix_(*args)

    def grad(*y_bars: Any) -> Any:
        bars = reshaped_like(y_bars, args)
        return (*bars,)

    def jvp(*args_dot: Any) -> Any:
        return reshaped_like(args_dot, y)

    return y, grad, jvp


@register_gradient(np.meshgrid, kind=joins.meshgrid)
def np_meshgrid(*xi: Any, copy: Any = True, sparse: Any = False, indexing: Any = "xy") -> Any:
    y = np.meshgrid(*xi, copy=copy, sparse=sparse, indexing=indexing)

    def grad(*y_bar: Any) -> Any:
        bars = meshgrid_bar(y_bar, xi, indexing)
        return (*bars, None, None, None)

    def jvp(*xi_dot: Any) -> Any:
        return np.meshgrid(*xi_dot, copy=copy, sparse=sparse, indexing=indexing)

    return tuple(y), grad, jvp


# What the gradients of these rules call, for derivatives of higher order


@register_gradient(array_bar, linear=True)
def runtime_array_bar(g: Any, x: Any) -> Any:
    y = array_bar(g, x)

    def grad(y_bar: Any) -> Any:
        return array_dot(y_bar, g), None

    return y, grad


@register_gradient(array_dot, linear=True, kind=creation.tangent_of_array)
def runtime_array_dot(x_dot: Any, y: Any) -> Any:
    y_dot = array_dot(x_dot, y)
    kept = y.dtype

    def grad(y_dot_bar: Any) -> Any:
        return array_bar(if_inexact(y_dot_bar, kept), x_dot), None

    return y_dot, grad


@register_gradient(cast, linear=True)
def runtime_cast(g: Any, dtype: Any) -> Any:
    y = cast(g, dtype)
    given = np.result_type(g)

    def grad(y_bar: Any) -> Any:
        return cast(y_bar, given), None

    return y, grad


@register_gradient(meshgrid_bar, linear=True)
def runtime_meshgrid_bar(bars: Any, xs: Any, indexing: Any = "xy") -> Any:
    y = meshgrid_bar(bars, xs, indexing)

    def grad(y_bar: Any) -> Any:
        grids = np.meshgrid(*y_bar, indexing=indexing, sparse=True)
        return [np.broadcast_to(g, b.shape) for g, b in zip(grids, bars, strict=True)], None, None

    return y, grad
