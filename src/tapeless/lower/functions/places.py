"""Functions that take places: sums into entries that an index names, places of extrema."""

from __future__ import annotations

import numpy as np

import tapeless.lower.arithmetic as arithmetic
import tapeless.lower.gather as gather
import tapeless.lower.indexing as indexing
import tapeless.runtime as runtime
from tapeless.lower.affine import Affine, symbol
from tapeless.lower.functions.registry import lowers
from tapeless.lower.functions.shaping import array, integers
from tapeless.lower.functions.stacked import window
from tapeless.lower.loops import (
    Assign,
    Expr,
    If,
    Loop,
    Op,
    Product,
    Stmt,
    Store,
    Var,
    Whole,
    cell_of,
)
from tapeless.lower.precision import FLOATS
from tapeless.lower.state import State
from tapeless.lower.values import Array, Items, Known, Number, Value, number, with_axis

_NONE = Known(None)


@lowers(np.add.at, runtime.scatter_add)
def scatter_add(state: State, a: Value, index: Value, g: Value) -> Value:
    """Add to the entries that an index selects, which may repeat."""
    a = array(state, a)
    if a.dtype not in FLOATS:
        raise state.refused("`np.add.at` on an array of integers or truth values")
    keys = gather.keys_of(state, index)
    g = arithmetic.of_floats(state, g)
    if gather.is_fancy(keys):
        gather.scatter(state, a, keys, g, "+")
    else:
        state.store(indexing.indexed(state, a, keys), g, "+")
    return _NONE


@lowers(runtime.last_writes)
def last_writes(state: State, g: Value, index: Value) -> Value:
    """Return the cotangents of the items of a store: where places repeat, the last one counts."""
    g, keys = array(state, g), gather.keys_of(state, index)
    if g.dtype not in FLOATS:
        raise state.refused("cotangents that are no floats")
    if gather.is_fancy(keys):
        return gather.last_stored(state, g, keys)
    return state.copied(indexing.indexed(state, g, keys))


@lowers(slice)
def slice_of(state: State, start: Value, stop: Value = _NONE, step: Value = _NONE) -> Value:
    """Return a slice of a whole axis."""
    if (start, stop, step) != (_NONE, _NONE, _NONE):
        raise state.refused("`slice` with bounds")
    return Known(slice(None))


@lowers(np.ix_)
def ix(state: State, *args: Value) -> Value:
    """Return vectors of places, each along an axis of its own."""
    made = []
    for k, x in enumerate(args):
        x = array(state, x)
        if len(x.dims) != 1 or x.dtype != "i":
            raise state.refused("`np.ix_` of what is no vector of integers")
        for place in range(len(args)):
            x = x if place == k else with_axis(x, place)
        made.append(x)
    return Items(tuple(made))


@lowers(np.argmin, np.ndarray.argmin)
def argmin(state: State, x: Value, axis: Value = _NONE) -> Value:
    """Return the places of the smallest entries: the first of them, or of what is not a number."""
    return _extremal(state, array(state, x), axis, "<")


@lowers(np.argmax, np.ndarray.argmax)
def argmax(state: State, x: Value, axis: Value = _NONE) -> Value:
    """Return the places of the largest entries: the first of them, or of what is not a number."""
    return _extremal(state, array(state, x), axis, ">")


def _extremal(state: State, x: Array, axis: Value, sign: str) -> Value:
    if axis == _NONE and len(x.dims) != 1 or x.dtype not in FLOATS:
        raise state.refused("the place of an extremum in what is no array of floats along an axis")
    (along,) = integers(state, axis, len(x.dims))
    state.extents.demand_positive(x.dims[along] - 1)
    kept = tuple(d for k, d in enumerate(x.dims) if k != along)
    if not kept:
        return _extremal_of_vector(state, x, sign)
    best, places = state.made(kept, x.dtype), state.made(kept, "i")
    state.over(kept, lambda index: [Store(cell_of(places.at(index)), Whole(Affine()))])
    first = tuple(0 if k == along else None for k in range(len(x.dims)))
    keys: list[indexing.Key] = [number(0) if k == 0 else (None, None, None) for k in first]
    state.fill(best, indexing.indexed(state, x, keys))

    def step(index: tuple[Affine, ...]) -> list[Stmt]:
        own = tuple(form for k, form in enumerate(index) if k != along)
        target, entry = cell_of(best.at(own)), state.fresh("entry")
        test = _is_better(Var(entry), target, sign)
        found: list[Stmt] = [
            Store(target, Var(entry)), Store(cell_of(places.at(own)), Whole(index[along]))
        ]  # fmt: skip
        return [Assign(entry, x.at(index)), If(test, found, [])]

    state.over(x.dims, step)
    return places


def _is_better(entry: Expr, best: Expr, sign: str) -> Expr:
    """Return the test that an entry comes before the best so far: one that is not a number does."""
    is_nan = Op("and", (Op("!=", (entry, entry)), Op("==", (best, best))))
    return Op("or", (Op(sign, (entry, best)), is_nan))


def _extremal_of_vector(state: State, x: Array, sign: str) -> Number:
    """Return the place of the extremum of a vector, one of NumPy's integers."""
    best, where, k, entry = (state.fresh(hint) for hint in ("best", "place", "_i", "entry"))
    bound = {best, where}
    state.mutable |= bound
    state.emit(Assign(best, x.at((Affine(),))))
    state.emit(Assign(where, Whole(Affine())))
    found: list[Stmt] = [Assign(best, Var(entry)), Assign(where, Whole(symbol(k)))]
    step: list[Stmt] = [
        Assign(entry, x.at((symbol(k),))),
        If(_is_better(Var(entry), Var(best), sign), found, []),
    ]
    for s in (*found, *step):
        s.line = state.line
    state.emit(Loop(k, Affine(), x.dims[0], step, made=False))
    state.mutable -= bound  # from here on nobody binds them
    if not state.loops:
        state.lasting.add(where)
    return Number(Var(where), "np int")


@lowers(np.searchsorted)
def searchsorted(state: State, a: Value, v: Value) -> Value:
    """Return where numbers stand in a sorted vector."""
    a, v = array(state, a), array(state, v)
    if len(a.dims) != 1 or len(v.dims) != 1 or {a.dtype, v.dtype} != {"f8"}:
        raise state.refused("`np.searchsorted` of other than two vectors of float64")
    made = state.made(v.dims, "i")
    assert made.base is not None
    state.emit(Product(made.base, "np.searchsorted", (window(state, a), window(state, v))))
    return made
