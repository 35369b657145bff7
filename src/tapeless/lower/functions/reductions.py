"""Sums, products and extrema along axes.

NumPy adds up the numbers of an axis in blocks; so do the loops, in blocks of their own: the results are
not the same to the last bit, and the error of a sum of n numbers has the bound that `blocks.py` tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import tapeless.lower.arithmetic as arithmetic
import tapeless.lower.masked as masked
from tapeless.lower.affine import Affine
from tapeless.lower.functions.registry import lowers
from tapeless.lower.functions.shaping import array, count_of, flag, float_dtype, integers
from tapeless.lower.loops import Call, Num, Op, Whole
from tapeless.lower.precision import FLOATS, precision_of, sort_of
from tapeless.lower.state import State
from tapeless.lower.values import Array, Known, Number, Value, number, whole, with_axis

_NONE = Known(None)
_NO = number(False)


def _along(
    state: State,
    x: Value,
    axis: Value,
    keepdims: Value,
    how: str,
    start: float,
    dtype: Value = _NONE,
) -> Value:
    if isinstance(x, Number) and axis == dtype == _NONE and not flag(state, keepdims):
        return _of_number(state, x)
    x = array(state, x)
    wanted = float_dtype(state, dtype, "f4" if x.dtype == "f4" else "f8")
    if x.dtype == "i" or x.dtype == "b" and (dtype == _NONE or wanted != "f8"):
        raise state.refused("a reduction of an array of integers or truth values")
    if x.dtype in FLOATS and wanted != x.dtype:
        raise state.refused("a reduction in another precision")
    axes = integers(state, axis, len(x.dims))
    if how in ("max", "min"):
        _not_empty(state, x, axes)
    made: Any = state.reduced(x, axes, how, Num(start))
    if flag(state, keepdims):
        return _with_axes(state, made, sorted(axes))
    return made  # type: ignore[no-any-return]


def _of_number(state: State, x: Number) -> Number:
    """Return what a number is that is reduced: one of NumPy's."""
    if x.is_whole or x.sort == "bool":
        raise state.refused("a reduction of an integer or truth value")
    return Number(x.expr, sort_of(precision_of(x)))


def _not_empty(state: State, x: Array, axes: Sequence[int]) -> None:
    for k in axes:
        state.extents.demand_positive(x.dims[k] - 1)


def _with_axes(state: State, made: Any, axes: Sequence[int]) -> Value:
    if isinstance(made, Number):
        return state.uniform(made, (Affine(1),) * len(axes))
    for k in axes:
        made = with_axis(made, k)
    return made  # type: ignore[no-any-return]


@lowers(np.sum, np.ndarray.sum)
def total(
    state: State, x: Value, axis: Value = _NONE, dtype: Value = _NONE, *, keepdims: Value = _NO
) -> Value:
    """Return sums; of truth values how many are true."""
    if isinstance(x, Array) and x.dtype == "b" and (axis, dtype, keepdims) == (_NONE, _NONE, _NO):
        return Number(Whole(masked.count(state, x)), "np int")
    return _along(state, x, axis, keepdims, "+", 0.0, dtype)


@lowers(np.count_nonzero)
def count_nonzero(state: State, x: Value) -> Value:
    """Return how many truth values are true."""
    x = array(state, x)
    if x.dtype != "b":
        raise state.refused("`np.count_nonzero` of what are no truth values")
    return whole(masked.count(state, x))


@lowers(np.prod, np.ndarray.prod)
def product(state: State, x: Value, axis: Value = _NONE, *, keepdims: Value = _NO) -> Value:
    """Return products."""
    return _along(state, x, axis, keepdims, "*", 1.0)


@lowers(np.max, np.ndarray.max)
def largest(state: State, x: Value, axis: Value = _NONE, *, keepdims: Value = _NO) -> Value:
    """Return the largest entries, NaN where there is one."""
    return _along(state, x, axis, keepdims, "max", -np.inf)


@lowers(np.min, np.ndarray.min)
def smallest(state: State, x: Value, axis: Value = _NONE, *, keepdims: Value = _NO) -> Value:
    """Return the smallest entries, NaN where there is one."""
    return _along(state, x, axis, keepdims, "min", np.inf)


@lowers(np.mean, np.ndarray.mean)
def mean(state: State, x: Value, axis: Value = _NONE, *, keepdims: Value = _NO) -> Value:
    """Return means: sums divided by counts."""
    if isinstance(x, Number):
        return _along(state, x, axis, keepdims, "+", 0.0)
    x = array(state, arithmetic.of_floats(state, x))
    axes = integers(state, axis, len(x.dims))
    _not_empty(state, x, axes)
    made = _along(state, x, axis, keepdims, "+", 0.0)
    entries = count_of([x.dims[k] for k in axes])
    count = Number(Call("float", (entries,)), "py")
    if isinstance(made, Number):
        return arithmetic.of_numbers(state, "Div", made, count)
    return state.pointwise(lambda p, q: Op("/", (p, q)), [made, count])


@lowers(np.vdot)
def vdot(state: State, a: Value, b: Value) -> Value:
    """Return the sum of the products of entries."""
    a, b = array(state, a), array(state, b)
    if len(a.dims) != len(b.dims) or a.dtype != b.dtype or a.dtype not in FLOATS:
        raise state.refused("`np.vdot` of arrays that are not alike")
    for p, q in zip(a.dims, b.dims, strict=True):
        if Affine(1) in (p, q) and p != q:
            raise state.refused("`np.vdot` of arrays that are not alike")
        state.demand_equal(p, q)
    products = state.pointwise(lambda p, q: Op("*", (p, q)), [a, b])
    return state.reduced(products, range(len(a.dims)), "+", Num(0.0))
