"""Arrays that begin as one number."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import tapeless.lower.arithmetic as arithmetic
import tapeless.lower.cotangents as cotangents
import tapeless.lower.listed as listed
import tapeless.lower.shadows as shadows
import tapeless.runtime as runtime
from tapeless.lower.affine import Affine
from tapeless.lower.functions.registry import lowers
from tapeless.lower.functions.shaping import _sizes, array, float_dtype
from tapeless.lower.loops import Call, Expr, Num, Op, Stmt, Store, Whole, cell_of
from tapeless.lower.precision import FLOATS, number_in
from tapeless.lower.state import State
from tapeless.lower.values import (
    Array,
    Cotangents,
    Items,
    Known,
    Maybe,
    Number,
    Stack,
    Value,
    axis,
    axis_key,
    number,
)

_NONE = Known(None)
_FIFTY, _YES, _FIRST = number(50), number(True), number(0)
_XY, _IJ = Known("xy"), Known("ij")
SORTS = ("py", "np", "f4", "either")


def filled(state: State, dims: Value, value: Number, dtype: Value = _NONE) -> Array:
    """Return an array of one number."""
    sizes = _sizes(state, dims)
    if not sizes:
        raise state.refused("an array without axes")
    result = state.made(sizes, float_dtype(state, dtype))
    state.store(result, value)
    return result


def _like(state: State, x: Value, value: Number, dtype: Value) -> Array:
    x = array(state, x)
    found = float_dtype(state, dtype, x.dtype)
    if found not in FLOATS:
        raise state.refused("an array of another dtype than float64 and float32")
    if not x.dims:
        raise state.refused("an array without axes")
    result = state.made(x.dims, found)
    state.store(result, value)
    return result


@lowers(np.zeros)
def zeros(state: State, shape: Value, dtype: Value = _NONE) -> Value:
    """Return an array of zeros."""
    return filled(state, shape, number(0.0), dtype)


@lowers(np.ones)
def ones(state: State, shape: Value, dtype: Value = _NONE) -> Value:
    """Return an array of ones."""
    return filled(state, shape, number(1.0), dtype)


@lowers(np.empty)
def empty(state: State, shape: Value, dtype: Value = _NONE) -> Value:
    """Return an array of which nothing is said: here of zeros."""
    return filled(state, shape, number(0.0), dtype)


@lowers(np.full)
def full(state: State, shape: Value, fill_value: Value, dtype: Value = _NONE) -> Value:
    """Return an array of one number."""
    if not isinstance(fill_value, Number) or fill_value.sort not in SORTS:
        raise state.refused("`np.full` with what is no float")
    single = Known(np.float32) if fill_value.sort == "f4" and dtype == _NONE else dtype
    return filled(state, shape, fill_value, single)


@lowers(np.zeros_like, np.empty_like)
def zeros_like(state: State, x: Value, dtype: Value = _NONE) -> Value:
    """Return zeros of the same shape."""
    if isinstance(x, Number) and x.sort in SORTS:
        raise state.refused("`np.zeros_like` of a number")
    return _like(state, x, number(0.0), dtype)


@lowers(np.ones_like)
def ones_like(state: State, x: Value, dtype: Value = _NONE) -> Value:
    """Return ones of the same shape."""
    return _like(state, x, number(1.0), dtype)


@lowers(runtime.full)
def full_cotangent(state: State, g: Value, x: Value) -> Value:
    """Return a cotangent in the shape of a value."""
    if isinstance(g, (Array, Items)) and type(g) is type(x):
        return g
    if isinstance(g, Number) and isinstance(x, Number):
        return g
    if isinstance(g, Number) and g.sort == "py" and isinstance(x, Array) and x.dtype in FLOATS:
        return _like(state, x, g, _NONE)
    raise state.refused("a cotangent that is not of the shape of its value")


@lowers(runtime.add_to)
def add_to(state: State, bars: Value, g: Value) -> Value:
    """Add cotangents to those in a list, or to an array."""
    if isinstance(bars, Cotangents):
        cotangents.add(state, bars, g)
    elif isinstance(bars, Array):
        state.store(bars, arithmetic.of_floats(state, g), "+")
    else:
        raise state.refused("cotangents that are added to what is no list of them and no array")
    return _NONE


@lowers(runtime.check_scalar)
def check_scalar(state: State, y: Value) -> Value:
    """See that a result is a number; where it is none the NumPy text runs, and says so."""
    if not isinstance(y, Number) or y.sort == "bool":
        raise state.refused("the gradient of a result that is no number")
    return _NONE


@lowers(runtime.as_in_place)
def as_in_place(state: State, t: Value, value: Value) -> Value:
    """Return what a number or array is after it was updated: an array keeps its shape and dtype."""
    if isinstance(t, Number) and isinstance(value, (Number, Array)):
        return value
    if not isinstance(t, Array) or not isinstance(value, Array) or t.dtype != value.dtype:
        raise state.refused("an update in place of what is no number and no array alike")
    if list(map(state.extents.canonical, t.dims)) != list(map(state.extents.canonical, value.dims)):
        raise state.refused("an update in place of an array by one of another shape")
    return value


@lowers(runtime.zeros)
def zero_adjoint(state: State, x: Value) -> Value:
    """Return the zero adjoint of a value."""
    if isinstance(x, Maybe):
        return replace(x, value=zero_adjoint(state, x.value))
    if isinstance(x, Items):
        return Items(tuple(zero_adjoint(state, item) for item in x.items))
    if isinstance(x, Array) and x.dims and x.dtype in FLOATS:
        return _like(state, x, number(0.0), _NONE)
    if isinstance(x, Number) and x.sort in ("py", "np", "either"):
        return number(0.0)
    if x != _NONE:
        raise state.refused("the adjoint of what is no number and no array of floats")
    return _NONE


@lowers(runtime.add)
def add(state: State, a: Value, b: Value) -> Value:
    """Add two adjoints of one value, of which neither is changed."""
    if _is_zero(a):
        return copied(state, b)
    if _is_zero(b):
        return a
    if isinstance(a, Items) and isinstance(b, Items) and len(a.items) == len(b.items):
        return Items(tuple(add(state, p, q) for p, q in zip(a.items, b.items, strict=True)))
    return arithmetic.binary(state, "Add", a, b)


def _is_zero(x: Value) -> bool:
    return x == _NONE or isinstance(x, Number) and arithmetic.literal(x) == 0.0


@lowers(runtime.AdjointMemory)
def adjoint_memory(state: State) -> Value:
    """Return adjoints that are found by memory."""
    return shadows.begun(state)


@lowers(np.linspace)
def linspace(
    state: State, start: Value, stop: Value, num: Value = _FIFTY, endpoint: Value = _YES
) -> Value:
    """Return numbers at equal distances, of which the last is `stop` itself."""
    if not isinstance(start, Number) or not isinstance(stop, Number) or endpoint != _YES:
        raise state.refused("`np.linspace` between what are no numbers, or without its end")
    count = state.form(num, "a size")
    state.extents.demand_positive(count - 2)
    first, last = (state.frozen(arithmetic.as_double(x), "t") for x in (start, stop))
    made, whole_step = state.made((count,)), Op("-", (last.expr, first.expr))
    step = state.frozen(Number(Op("/", (whole_step, _float(count - 1))), "np"), "step")

    def body(index: tuple[Affine, ...]) -> list[Stmt]:
        between = Op("+", (Op("*", (_float(index[0]), step.expr)), first.expr))
        is_last = Op("==", (Whole(index[0]), Whole(count - 1)))
        return [Store(cell_of(made.at(index)), Op("if", (is_last, last.expr, between)))]

    state.over((count,), body)
    return made


@lowers(runtime.interval_bar)
def interval_bar(state: State, g: Value, weights: Value, end: Value, axis: Value = _FIRST) -> Value:
    """Return the cotangent of one end of `np.linspace`, whose points give it weights."""
    g, weights = array(state, g), array(state, weights)
    if not isinstance(end, Number) or axis != _FIRST or g.dtype != "f8" or len(g.dims) != 1:
        raise state.refused("the cotangent of an end that is no number")
    products = state.pointwise(lambda p, q: Op("*", (p, q)), [g, weights])
    return state.reduced(products, [0], "+", Num(0.0))


def _float(form: Affine) -> Expr:
    return Call("float", (Whole(form),))


@lowers(np.meshgrid)
def meshgrid(state: State, x: Value, y: Value, *, indexing: Value = _XY) -> Value:
    """Return the coordinates of the points of a grid."""
    x, y = array(state, x), array(state, y)
    if len(x.dims) != 1 or len(y.dims) != 1 or indexing not in (_XY, _IJ):
        raise state.refused("`np.meshgrid` of other than two vectors")
    across = int(indexing == _XY)
    dims = (*y.dims, *x.dims) if across else (*x.dims, *y.dims)
    views = (_along(x, across, dims), _along(y, 1 - across, dims))
    return Items(tuple(map(state.copied, views)))


@lowers(runtime.meshgrid_bar)
def meshgrid_bar(state: State, bars: Value, xs: Value, indexing: Value = _XY) -> Value:
    """Return the cotangents of two vectors, one sum over each grid."""
    if not isinstance(bars, Items) or len(bars.items) != 2 or indexing not in (_XY, _IJ):
        raise state.refused("the cotangents of a grid of other than two vectors")
    summed = (0, 1) if indexing == _XY else (1, 0)
    grids = [array(state, g) for g in bars.items]
    return Items(
        tuple(state.reduced(g, [k], "+", Num(0.0)) for g, k in zip(grids, summed, strict=True))
    )


def _along(x: Array, k: int, dims: tuple[Affine, ...]) -> Array:
    """Return a vector that is repeated along another axis than axis `k`."""
    return replace(
        x, axes=tuple(form.put({axis_key(0): axis(k)}) for form in x.axes), dims=dims, fresh=False
    )


@lowers(np.full_like)
def full_like(state: State, x: Value, fill_value: Value, dtype: Value = _NONE) -> Value:
    """Return one number in the shape of an array."""
    if not isinstance(fill_value, Number):
        raise state.refused("`np.full_like` with what is no number")
    return _like(state, x, arithmetic.as_float(fill_value), dtype)


@lowers(runtime.array_bar)
def array_bar(state: State, g: Value, x: Value) -> Value:
    """Return the cotangent of what an array was made of, in its structure."""
    if isinstance(x, Stack) and x.items:
        return listed.parts_of(state, array(state, g), x)
    if isinstance(x, Cotangents):
        return cotangents.of_rows(state, array(state, g))
    if isinstance(x, Items):
        g = array(state, g)
        state.demand_equal(g.dims[0], Affine(len(x.items)))
        rows = [_row(g, k) for k in range(len(x.items))]
        return Items(
            tuple(array_bar(state, row, item) for row, item in zip(rows, x.items, strict=True))
        )
    if isinstance(x, Number) and isinstance(g, Array) and not g.dims:
        sort = "py" if x.sort == "bool" or x.is_whole else x.sort
        if (g.dtype == "f4") != (sort == "f4"):
            raise state.refused("the cotangent of a number in another precision")
        return Number(g.at(()), sort)
    if isinstance(x, Array) and isinstance(g, Array) and len(x.dims) == len(g.dims):
        return g
    raise state.refused("the cotangent of an array that is made of other things than numbers")


def _row(x: Array, k: int) -> Array:
    put = {axis_key(0): Affine(k)} | {axis_key(i): axis(i - 1) for i in range(1, len(x.dims))}
    return replace(x, axes=tuple(form.put(put) for form in x.axes), dims=x.dims[1:], fresh=False)


@lowers(runtime.copied)
def copied(state: State, g: Value) -> Value:
    """Return an adjoint whose containers and arrays are its own."""
    if isinstance(g, Items):
        return type(g)(tuple(copied(state, item) for item in g.items))
    return state.copied(g) if isinstance(g, Array) else g


@lowers(runtime.as_gradient)
def as_gradient(state: State, g: Value, x: Value) -> Value:
    """Return an adjoint in the shape and precision of its primal, in memory of its own."""
    if isinstance(x, Items):
        parts: list[Value] = [_NONE] * len(x.items)
        if isinstance(g, Items) and len(g.items) == len(x.items):
            parts = list(g.items)
        return Items(tuple(as_gradient(state, p, q) for p, q in zip(parts, x.items, strict=True)))
    if isinstance(x, Known) and (x.value is None or isinstance(x.value, str)):
        return _NONE
    if isinstance(x, Array) and x.dtype not in FLOATS:
        return _NONE
    if isinstance(x, Number) and x.sort not in SORTS:
        return _NONE
    if g == _NONE:
        g = number(0.0)
    if isinstance(x, Array) and isinstance(g, (Array, Number)):
        made = state.made(x.dims, x.dtype)
        state.fill(made, arithmetic.of_floats(state, g))
        return made
    if isinstance(x, Number) and isinstance(g, Number) and x.sort != "either":
        single = x.sort == "f4"
        return Number(number_in(arithmetic.as_float(g), "f4" if single else "f8"), x.sort)
    raise state.refused("the adjoint of what is no number and no array")
