"""What a loop saves for another: lists become rows of blocks.

A list that a loop appends to once in every trip, and that another loop over the same range, or over the
list itself, empties in the other direction, needs no list: what trip number t saves is row t. A number is
kept in an array of one axis, an array in one of one axis more. A view of memory that is still there is
not copied; it stays the place in memory that it is.
"""

from __future__ import annotations

from tapeless.lower.affine import Affine, symbol
from tapeless.lower.loops import Cell, Store, Var
from tapeless.lower.state import State
from tapeless.lower.values import (
    Array,
    Items,
    Known,
    Number,
    Span,
    Stack,
    Value,
    axis,
    axis_key,
)


def push(state: State, stack: Stack, value: Value, trip: tuple[str, Span] | None) -> None:
    """Save what a trip of a loop keeps."""
    if trip is None or stack.depth != len(state.loops) - 1:
        raise state.refused("a list that is not filled once in every trip of one loop")
    var, span = trip
    if stack.filled_by is not None and stack.filled_by != (var, span) or stack.taken:
        raise state.refused("a list that is filled in several places")
    stack.filled_by, stack.span = trip, span
    length = span.length
    state.extents.demand_positive(length)
    row = span.place(symbol(var))
    stack.items.append(_kept(state, stack, value, length, row))
    if len(stack.items) > 1:
        raise state.refused("a list that is filled in several places")


def _kept(state: State, stack: Stack, value: Value, length: Affine, row: Affine) -> Value:
    """Write a value into a row, and return what it is in terms of the number of the row."""
    if isinstance(value, Items):
        return Items(tuple(_kept(state, stack, v, length, row) for v in value.items))
    if isinstance(value, Known):
        return value
    place = symbol(stack.place)
    if isinstance(value, Number):
        if state.is_stable(value.expr) and not _depends_on_loops(state, value):
            return value
        dtype = {"int": "i", "np int": "i", "bool": "b"}.get(value.sort, "f8")
        hint = value.expr.name if isinstance(value.expr, Var) else stack.name
        rows = _rows(state, hint, (length,), dtype)
        state.emit(Store(Cell(rows, (row,)), value.expr))
        return Number(Cell(rows, (place,)), value.sort)
    if not isinstance(value, Array):
        raise state.refused("a list that holds lists")
    if value.base is None or value.base in state.lasting:
        return _lasting(state, value)
    rows = _rows(state, value.base, (length, *value.dims), value.dtype)
    shifted = tuple(map(axis, range(len(value.dims))))
    state.store(Array(rows, (row, *shifted), value.dims, value.dtype), value)
    return Array(rows, (place, *shifted), value.dims, value.dtype)


def _depends_on_loops(state: State, value: Number) -> bool:
    form = value.form
    if form is not None:
        return not form.symbols <= state.extents.entry.keys()
    return not state.is_lasting(value.expr)


def _lasting(state: State, value: Array) -> Array:
    """Return a view of memory that is there before and after the loop, if its place is known then."""
    forms = [form for form in (*value.axes, *value.dims)]
    symbols = frozenset[str]().union(*(form.symbols for form in forms))
    own = {axis_key(k) for k in range(len(value.dims))}
    if not symbols - own <= state.extents.entry.keys():
        raise state.refused("a view saved in a loop whose place depends on the loop")
    if value.uniform is not None and not state.is_lasting(value.uniform):
        raise state.refused("a repeated number saved in a loop")
    return value


def _rows(state: State, hint: str, dims: tuple[Affine, ...], dtype: str) -> str:
    for dim in dims:
        if not dim.symbols <= state.extents.entry.keys():
            raise state.refused("an array saved in a loop whose size depends on the loop")
    made = state.made(dims, dtype, f"{state.renamed.get(hint, hint)}_saved")
    assert made.base is not None
    return made.base


def at_row(state: State, value: Value, place: str, row: Affine) -> Value:
    """Return what was saved in a row."""
    if isinstance(value, Items):
        return Items(tuple(at_row(state, v, place, row) for v in value.items))
    put = {place: row}
    if isinstance(value, Number):
        if isinstance(value.expr, Cell):
            cell = Cell(value.expr.array, tuple(form.put(put) for form in value.expr.index))
            return state.frozen(Number(cell, value.sort), "saved")
        return value
    if isinstance(value, Array):
        axes = tuple(form.put(put) for form in value.axes)
        return Array(value.base, axes, value.dims, value.dtype, False, value.uniform)
    return value


def taken_whole(state: State, stack: Stack) -> Span:
    """Return the range of rows of a list that a loop visits from its end."""
    if stack.span is None or stack.taken:
        raise state.refused("a list that is visited, and not filled once by one loop")
    stack.taken += 1
    return Span(Affine(), stack.span.length)


def pop(state: State, stack: Stack, trip: tuple[str, Span] | None) -> Value:
    """Take back what the last trip saved: the loop runs as the one that saved it, the other way."""
    if trip is None or stack.span is None or stack.depth != len(state.loops) - 1:
        raise state.refused("a list that is not emptied once in every trip of one loop")
    var, span = trip
    same = span.reversed == stack.span or span == stack.span.reversed
    if not same or stack.taken:
        raise state.refused("a list that is not emptied by a loop like the one that filled it")
    stack.taken += 1
    row = stack.span.place(symbol(var))
    return at_row(state, stack.items[0], stack.place, row)
