"""Arrays that are put together of pieces of others: shifted, joined, cut to a triangle or a diagonal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

import tapeless.lower.arithmetic as arithmetic
import tapeless.lower.listed as listed
import tapeless.runtime as runtime
from tapeless.lower.affine import Affine
from tapeless.lower.functions.creation import _row
from tapeless.lower.functions.registry import lowers
from tapeless.lower.functions.shaping import _sizes, array, float_dtype, integers, without_axis
from tapeless.lower.indexing import transposed
from tapeless.lower.loops import Call, Expr, Num, Op, Stmt, Store, Whole, cell_of
from tapeless.lower.precision import FLOATS, cast
from tapeless.lower.state import State
from tapeless.lower.values import (
    Array,
    Items,
    Known,
    Number,
    Stack,
    Value,
    axis,
    number,
    whole,
    with_axis,
)
from tapeless.lower.values import axis as place

_NONE = Known(None)
_FIRST, _ONCE, _LAST, _UNIT = number(0), number(1), number(-1), number(1.0)


def literal(state: State, x: Value) -> int:
    """Return an integer that is known now."""
    form = x.form if isinstance(x, Number) else None
    if form is None or not form.is_const:
        raise state.refused("an option that is no literal")
    return form.const


def part(x: Array, along: int, start: Affine, size: Affine) -> Array:
    """Return the view of a stretch of an axis."""
    put = {f"@{along}": axis(along) + start}
    dims = (*x.dims[:along], size, *x.dims[along + 1 :])
    return replace(x, axes=tuple(form.put(put) for form in x.axes), dims=dims, fresh=False)


@lowers(np.roll)
def roll(state: State, x: Value, shift: Value, axis: Value = _NONE) -> Value:
    """Return an array whose entries are shifted, those at the end to the beginning."""
    x = array(state, x)
    if axis == _NONE and len(x.dims) != 1:
        raise state.refused("`np.roll` without an axis")
    axes = integers(state, axis, len(x.dims))
    shifts = shift.items if isinstance(shift, Items) else (shift,) * len(axes)
    for along, by in zip(axes, shifts, strict=True):
        x = _rolled(state, x, along, literal(state, by))
    return x


def _rolled(state: State, x: Array, along: int, by: int) -> Array:
    size = x.dims[along]
    if size.is_const:
        by %= size.const
    if not by:
        return state.copied(x)
    head = Affine(by) if by > 0 else size + by  # what comes from the end
    tail = size - head
    for length in (head, tail):
        state.extents.demand_positive(length)
    made = state.made(x.dims, x.dtype)
    for to, start, length in ((Affine(), tail, head), (head, Affine(), tail)):
        state.fill(part(made, along, to, length), part(x, along, start, length))
    return made


@lowers(np.concatenate)
def concatenate(state: State, parts: Value, axis: Value = _FIRST) -> Value:
    """Return arrays one after the other along an axis."""
    arrays = [array(state, x) for x in _items(state, parts)]
    (along,) = integers(state, axis, len(arrays[0].dims))
    if len({x.dtype for x in arrays}) > 1 or len({len(x.dims) for x in arrays}) > 1:
        raise state.refused("`np.concatenate` of arrays of several ranks or dtypes")
    total = sum((x.dims[along] for x in arrays), Affine())
    dims = (*arrays[0].dims[:along], total, *arrays[0].dims[along + 1 :])
    for x in arrays:
        for k, (mine, theirs) in enumerate(zip(dims, x.dims, strict=True)):
            if k != along:
                state.demand_equal(mine, theirs)
    made = state.made(dims, arrays[0].dtype)
    start = Affine()
    for x in arrays:
        state.fill(part(made, along, start, x.dims[along]), x)
        start = start + x.dims[along]
    return made


@lowers(runtime.concatenate_bars)
def concatenate_bars(state: State, g: Value, arrays: Value, axis: Value = _FIRST) -> Value:
    """Return the parts of a cotangent that belong to some arrays, one after the other."""
    g = array(state, g)
    (along,) = integers(state, axis, len(g.dims))
    start, made = Affine(), []
    for x in _items(state, arrays):
        size = array(state, x).dims[along]
        made.append(part(g, along, start, size))
        start = start + size
    return Items(tuple(made))


@lowers(np.stack)
def stack(state: State, parts: Value, axis: Value = _FIRST) -> Value:
    """Return arrays side by side, along an axis of their own."""
    if isinstance(parts, Stack) and parts.items:
        item = parts.items[0]
        rank = len(item.dims) if isinstance(item, Array) else 0
        return listed.array_of(state, parts, integers(state, axis, rank + 1)[0])
    if all(isinstance(x, Array) and not x.dims for x in _items(state, parts)):
        return _of_entries(state, [array(state, x) for x in _items(state, parts)])
    arrays = [array(state, x) for x in _items(state, parts)]
    (along,) = integers(state, axis, len(arrays[0].dims) + 1)
    widened = Items(tuple(with_axis(x, along) for x in arrays))
    return concatenate(state, widened, number(along))


def _of_entries(state: State, parts: list[Array]) -> Array:
    made = state.made((Affine(len(parts)),), parts[0].dtype)
    if len({x.dtype for x in parts}) > 1:
        raise state.refused("`np.stack` of numbers of several precisions")
    for k, x in enumerate(parts):
        state.emit(Store(cell_of(made.at((Affine(k),))), x.at(())))
    return made


def _items(state: State, parts: Value) -> Sequence[Value]:
    if not isinstance(parts, Items) or not parts.items:
        raise state.refused("arrays that are joined, and are no tuple or list of known length")
    return parts.items


@lowers(runtime.stack_bars)
def stack_bars(state: State, g: Value, arrays: Value, axis: Value = _FIRST) -> Value:
    """Return the parts of a cotangent that belong to some arrays, side by side."""
    g = array(state, g)
    (along,) = integers(state, axis, len(g.dims))
    order = (along, *(k for k in range(len(g.dims)) if k != along))
    g = transposed(g, order)
    if isinstance(arrays, Stack) and arrays.items:
        return listed.parts_of(state, g, arrays)
    count = len(_items(state, arrays))
    state.demand_equal(g.dims[0], Affine(count))
    return Items(tuple(_row(g, k) for k in range(count)))


@lowers(np.hstack)
def hstack(state: State, parts: Value) -> Value:
    """Return vectors one after the other, or matrices side by side."""
    arrays = [_with_axes(state, x, 1) for x in _items(state, parts)]
    return concatenate(state, Items(tuple(arrays)), number(int(len(arrays[0].dims) > 1)))


@lowers(np.vstack)
def vstack(state: State, parts: Value) -> Value:
    """Return arrays one below the other: a vector is a row."""
    return concatenate(state, Items(tuple(_with_axes(state, x, 2) for x in _items(state, parts))))


@lowers(np.column_stack)
def column_stack(state: State, parts: Value) -> Value:
    """Return matrices side by side: a vector is a column."""
    arrays = [array(state, x) for x in _items(state, parts)]
    columns = [x if len(x.dims) > 1 else with_axis(x, 1) for x in arrays]
    return concatenate(state, Items(tuple(columns)), number(1))


@lowers(np.atleast_1d)
def atleast_1d(state: State, x: Value) -> Value:
    """Return an array of one axis at least."""
    return _with_axes(state, x, 1)


@lowers(np.atleast_2d)
def atleast_2d(state: State, x: Value) -> Value:
    """Return an array of two axes at least: a vector is a row."""
    return _with_axes(state, x, 2)


def _with_axes(state: State, x: Value, rank: int) -> Array:
    if isinstance(x, Number):
        return state.uniform(x, (Affine(1),) * rank)
    made = array(state, x)
    while len(made.dims) < rank:
        made = with_axis(made, 0)
    return made


@lowers(runtime.vstack_bars)
def vstack_bars(state: State, g: Value, arrays: Value) -> Value:
    """Return the parts of a cotangent that belong to arrays one below the other."""
    return _cut_up(state, g, arrays, 0, [_with_axes(state, x, 2) for x in _items(state, arrays)])


@lowers(runtime.hstack_bars)
def hstack_bars(state: State, g: Value, arrays: Value) -> Value:
    """Return the parts of a cotangent that belong to vectors one after the other, or matrices beside."""
    along = int(len(array(state, g).dims) > 1)
    parts = [_with_axes(state, x, 1) for x in _items(state, arrays)]
    return _cut_up(state, g, arrays, along, parts)


@lowers(runtime.column_stack_bars)
def column_stack_bars(state: State, g: Value, arrays: Value) -> Value:
    """Return the parts of a cotangent that belong to columns and matrices side by side."""
    own = [array(state, x) for x in _items(state, arrays)]
    return _cut_up(state, g, arrays, 1, [x if len(x.dims) > 1 else with_axis(x, 1) for x in own])


def _cut_up(state: State, g: Value, arrays: Value, along: int, parts: list[Array]) -> Items:
    """Cut a cotangent into parts of the sizes of some arrays, in the shapes that these had before."""
    start, made, g = Affine(), list[Value](), array(state, g)
    for x, widened in zip(_items(state, arrays), parts, strict=True):
        cut = part(g, along, start, widened.dims[along])
        start = start + widened.dims[along]
        if isinstance(x, Number):
            raise state.refused("the cotangent of a number among arrays that are joined")
        if len(array(state, x).dims) < len(cut.dims):
            cut = without_axis(cut, cut.dims.index(Affine(1)))
        made.append(cut)
    return Items(tuple(made))


@lowers(np.flip)
def flip(state: State, x: Value, axis: Value = _NONE) -> Value:
    """Return the view with its entries the other way along axes."""
    x = array(state, x)
    put = {f"@{k}": x.dims[k] - 1 - place(k) for k in integers(state, axis, len(x.dims))}
    return replace(x, axes=tuple(form.put(put) for form in x.axes), fresh=False)


@lowers(np.tile)
def tile(state: State, x: Value, reps: Value) -> Value:
    """Return a vector several times, one after the other."""
    x = array(state, x)
    if len(x.dims) != 1 or literal(state, reps) < 1:
        raise state.refused("`np.tile` of other than a vector")
    return concatenate(state, Items((x,) * literal(state, reps)))


@lowers(np.repeat)
def repeat(state: State, x: Value, repeats: Value) -> Value:
    """Return a vector with each entry several times."""
    x, times = array(state, x), literal(state, repeats)
    if len(x.dims) != 1 or times < 1:
        raise state.refused("`np.repeat` of other than a vector")
    made = state.made((x.dims[0] * times,), x.dtype)
    for k in range(times):
        state.fill(Array(made.base, (place(0) * times + k,), x.dims, x.dtype), x)
    return made


@lowers(np.diff)
def diff(state: State, x: Value, n: Value = _ONCE, axis: Value = _LAST) -> Value:
    """Return the differences of neighbours."""
    x = array(state, x)
    (along,) = integers(state, axis, len(x.dims))
    for _ in range(literal(state, n)):
        size = x.dims[along] - 1
        state.extents.demand_positive(size)
        ends = part(x, along, Affine(1), size), part(x, along, Affine(), size)
        if x.dtype not in FLOATS:
            raise state.refused("`np.diff` of what is not of float64")
        x = state.pointwise(lambda p, q: Op("-", (p, q)), ends)
    return x


@lowers(runtime.diff_bar)
def diff_bar(state: State, g: Value, shape: Value, n: Value = _ONCE, axis: Value = _LAST) -> Value:
    """Return the cotangent of an array in its differences."""
    g, sizes = array(state, g), _sizes(state, shape)
    (along,) = integers(state, axis, len(sizes))
    if literal(state, n) != 1 or g.dtype not in FLOATS:
        raise state.refused("the cotangent of differences of a higher order")
    state.extents.demand_positive(sizes[along] - 2)
    state.demand_equal(sizes[along] - 1, g.dims[along])
    made = state.made(sizes, g.dtype)
    state.fill(made, number(0.0))
    state.fill(part(made, along, Affine(), g.dims[along]), g, "-")
    state.fill(part(made, along, Affine(1), g.dims[along]), g, "+")
    return made


@lowers(*(getattr(np, key) for key in ("trapezoid", "trapz") if hasattr(np, key)))
def trapezoid(
    state: State, y: Value, x: Value = _NONE, dx: Value = _UNIT, axis: Value = _LAST
) -> Value:
    """Return the integral of a function that is linear between its values at some places."""
    y = _vector(state, y, axis)
    size = y.dims[0] - 1
    state.extents.demand_positive(size - 1)
    ends = part(y, 0, Affine(1), size), part(y, 0, Affine(), size)
    heights = state.pointwise(lambda p, q: Op("+", (p, q)), ends)
    width = _widths(state, x, dx, axis)
    areas = state.pointwise(lambda p, q: Op("/", (Op("*", (p, q)), Num(2.0))), [width, heights])
    return state.reduced(areas, [0], "+", Num(0.0))


@lowers(runtime.trapezoid_y_bar)
def trapezoid_y_bar(state: State, g: Value, y: Value, x: Value, dx: Value, axis: Value) -> Value:
    """Return the cotangent of the values of which `np.trapezoid` is the integral."""
    y, width = _vector(state, y, axis), _widths(state, x, dx, axis)
    if not isinstance(g, Number):
        raise state.refused("the cotangents of several integrals")
    size = y.dims[0] - 1
    state.extents.demand_positive(size - 1)
    made = state.made(y.dims, y.dtype)
    state.fill(made, number(0.0))
    half = arithmetic.binary(state, "Mult", number(0.5), g)
    halves = arithmetic.binary(state, "Mult", half, width)
    for start in (Affine(), Affine(1)):
        state.fill(part(made, 0, start, size), halves, "+")
    return made


def _vector(state: State, y: Value, axis: Value) -> Array:
    y = array(state, y)
    if len(y.dims) != 1 or integers(state, axis, 1) != [0] or y.dtype != "f8":
        raise state.refused("`np.trapezoid` of other than a vector of float64")
    return y


def _widths(state: State, x: Value, dx: Value, axis: Value) -> Value:
    return dx if x == _NONE else diff(state, _vector(state, x, axis))


@lowers(np.tril)
def tril(state: State, x: Value, k: Value = _FIRST) -> Value:
    """Return the entries on and below a diagonal, zeros above."""
    return _triangle(state, array(state, x), "<=", literal(state, k))


@lowers(np.triu)
def triu(state: State, x: Value, k: Value = _FIRST) -> Value:
    """Return the entries on and above a diagonal, zeros below."""
    return _triangle(state, array(state, x), ">=", literal(state, k))


def _triangle(state: State, x: Array, sign: str, k: int) -> Array:
    if len(x.dims) < 2 or x.dtype not in FLOATS:
        raise state.refused("a triangle of what is no matrix of float64")
    zero = cast(Num(0.0), None, x.dtype)
    return _by_place(
        state,
        x.dims,
        lambda index: Op(
            "if", (Op(sign, (Whole(index[-1]), Whole(index[-2] + k))), x.at(index), zero)
        ),
        x.dtype,
    )


def _by_place(state: State, dims: tuple[Affine, ...], formula: object, dtype: str = "f8") -> Array:
    """Compute an array from the places of its entries."""
    assert callable(formula)
    made = state.made(dims, dtype)

    def body(index: tuple[Affine, ...]) -> list[Stmt]:
        value: Expr = formula(index)
        return [Store(cell_of(made.at(index)), value)]

    state.over(dims, body)
    return made


@lowers(np.eye, np.identity)
def eye(state: State, n: Value, m: Value = _NONE, k: Value = _FIRST, dtype: Value = _NONE) -> Value:
    """Return a matrix with ones on a diagonal."""
    above = literal(state, k)
    if float_dtype(state, dtype) != "f8":
        raise state.refused("a unit matrix in another precision than double")
    rows = state.form(n, "a size")
    columns = rows if m == _NONE else state.form(m, "a size")

    def entry(index: tuple[Affine, ...]) -> Expr:
        on_it = Op("==", (Whole(index[0] + above), Whole(index[1])))
        return Op("if", (on_it, Num(1.0), Num(0.0)))

    return _by_place(state, (rows, columns), entry)


@lowers(np.diag)
def diag(state: State, x: Value, k: Value = _FIRST) -> Value:
    """Return a diagonal of a matrix, or a square matrix that has a vector there."""
    x = array(state, x)
    if len(x.dims) == 1 and x.dtype in FLOATS:
        size = whole(x.dims[0] + abs(literal(state, k)))
        return diagonal_bar(state, x, Items((size, size)), k)
    return diagonal(state, x, k)


@lowers(np.diagonal, np.ndarray.diagonal)
def diagonal(state: State, x: Value, offset: Value = _FIRST) -> Value:
    """Return the view of a diagonal of a square matrix."""
    x = array(state, x)
    if len(x.dims) != 2 or x.dtype not in FLOATS:
        raise state.refused("a diagonal of what is no matrix of float64")
    state.demand_equal(*x.dims)
    return replace(_diagonal_of(state, x, literal(state, offset)), read_only=True)


def _diagonal_of(state: State, x: Array, k: int) -> Array:
    """Return the view of a diagonal of a square matrix: `k` places to the right of the main one."""
    size = x.dims[0] - abs(k)
    state.extents.demand_positive(size)
    put = {"@0": axis(0) + max(-k, 0), "@1": axis(0) + max(k, 0)}
    axes = tuple(form.put(put) for form in x.axes)
    return replace(x, axes=axes, dims=(size,), fresh=False)


@lowers(runtime.diagonal_bar)
def diagonal_bar(state: State, g: Value, shape: Value, offset: Value = _FIRST) -> Value:
    """Return the cotangent of a matrix in a diagonal."""
    g, sizes = array(state, g), _sizes(state, shape)
    if len(sizes) != 2:
        raise state.refused("a diagonal of a stack of matrices")
    state.demand_equal(*sizes)
    made = state.made(sizes, g.dtype)
    state.fill(made, number(0.0))
    view = _diagonal_of(state, made, literal(state, offset))
    state.demand_equal(view.dims[0], g.dims[0])
    state.fill(view, g)
    return made


@lowers(np.arange)
def arange(state: State, start: Value, stop: Value = _NONE) -> Value:
    """Return the integers from one to below another, as floats where a float says how many."""
    if stop == _NONE and isinstance(start, Number) and not start.is_whole:
        return _floats_below(state, start)
    first = Affine() if stop == _NONE else state.form(start, "a bound")
    size = state.form(start if stop == _NONE else stop, "a size") - first
    made = state.made((size,), "i")
    state.over((size,), lambda index: [Store(cell_of(made.at(index)), Whole(index[0] + first))])
    return made


def _floats_below(state: State, stop: Number) -> Array:
    found = arithmetic.literal(stop)
    if not isinstance(found, float) or not found.is_integer() or found < 1.0:
        raise state.refused("`np.arange` below a float that is no literal, or no integer")
    size = Affine(int(found))
    made = state.made((size,))
    state.over(
        (size,),
        lambda index: [Store(cell_of(made.at(index)), Call("float", (Whole(index[0]),)))],
    )
    return made
