"""Sums and products of all entries up to each, and `sum`: one loop over the entries, in their order."""

from __future__ import annotations

import functools

import numpy as np

import tapeless.lower.arithmetic as arithmetic
import tapeless.lower.cotangents as cotangents
import tapeless.lower.listed as listed
import tapeless.runtime as runtime
from tapeless.lower.affine import Affine, symbol
from tapeless.lower.functions.reductions import total
from tapeless.lower.functions.registry import lowers
from tapeless.lower.functions.shaping import array, broadcast_to, integers
from tapeless.lower.loops import Assign, Expr, Loop, Num, Op, Stmt, Store, Var, Whole, cell_of
from tapeless.lower.precision import FLOATS, cast, sort_of
from tapeless.lower.state import State
from tapeless.lower.values import (
    Array,
    Cotangents,
    Items,
    Known,
    Number,
    Stack,
    Value,
    number,
    whole,
)

_NONE, _FIRST = Known(None), number(0)


@lowers(np.cumsum, np.ndarray.cumsum)
def sums(state: State, x: Value, axis: Value = _NONE) -> Value:
    """Return the sums of the entries up to each."""
    return _running(state, x, axis, "+", Num(0.0))


@lowers(np.cumprod, np.ndarray.cumprod)
def products(state: State, x: Value, axis: Value = _NONE) -> Value:
    """Return the products of the entries up to each."""
    return _running(state, x, axis, "*", Num(1.0))


def _running(state: State, x: Value, axis: Value, sign: str, start: Num) -> Value:
    x = array(state, x)
    axes = integers(state, axis, len(x.dims))
    if len(axes) != 1 or x.dtype not in FLOATS:
        raise state.refused("running sums or products along no axis, or of what are no floats")
    (along,) = axes
    made = state.made(x.dims, x.dtype)
    others = [dim for k, dim in enumerate(x.dims) if k != along]
    so_far, place = state.fresh("so_far"), state.fresh("_i")
    state.mutable.add(so_far)
    begin = cast(start, None, x.dtype)

    def body(index: tuple[Affine, ...]) -> list[Stmt]:
        here = (*index[:along], symbol(place), *index[along:])
        step: Expr = Op(sign, (Var(so_far), x.at(here)))
        inner: list[Stmt] = [
            Assign(so_far, step, line=state.line),
            Store(cell_of(made.at(here)), Var(so_far), line=state.line),
        ]
        loop = Loop(place, Affine(), x.dims[along], inner, line=state.line, made=False)
        return [Assign(so_far, begin), loop]

    state.over(others, body)
    return made


@lowers(runtime.cumprod_bar)
def products_bar(state: State, g: Value, x: Value, y: Value, axis: Value = _FIRST) -> Value:
    """Return the cotangent of running products, by Horner's rule from the end: nothing is divided."""
    g, x, y = (array(state, z) for z in (g, x, y))
    (along,) = integers(state, axis, len(x.dims))
    if {g.dtype, x.dtype, y.dtype} != {x.dtype} or x.dtype not in FLOATS:
        raise state.refused("the cotangent of running products of several precisions")
    g = array(state, broadcast_to(state, g, Items(tuple(map(whole, x.dims)))))
    made = state.made(x.dims, x.dtype)
    others = [dim for k, dim in enumerate(x.dims) if k != along]
    tail, later, place = state.fresh("tail"), state.fresh("later"), state.fresh("_i")
    state.mutable |= {tail, later}
    zero, one = (cast(Num(value), None, x.dtype) for value in (0.0, 1.0))

    def body(index: tuple[Affine, ...]) -> list[Stmt]:
        def at(z: Array, k: Affine) -> Expr:
            return z.at((*index[:along], k, *index[along:]))

        here = symbol(place)
        is_first = Op("==", (Whole(here), Whole(Affine())))
        before = Op("if", (is_first, one, at(y, here - 1)))
        inner: list[Stmt] = [
            Assign(tail, Op("+", (at(g, here), Var(later)))),
            Store(cell_of(at(made, here)), Op("*", (before, Var(tail)))),
            Assign(later, Op("*", (at(x, here), Var(tail)))),
        ]
        for s in inner:
            s.line = state.line
        last = x.dims[along] - 1
        return [Assign(later, zero), Loop(place, last, Affine(-1), inner, -1, made=False)]

    state.over(others, body)
    return made


@lowers(sum)
def added(state: State, xs: Value) -> Value:
    """Return the sum of the items of a list, of the entries of a vector or of the rows of an array."""
    if isinstance(xs, Items) and xs.items:
        return functools.reduce(lambda a, b: arithmetic.binary(state, "Add", a, b), xs.items)
    if isinstance(xs, Cotangents):
        x = cotangents.rows_of(state, xs)
    else:
        x = listed.rows_of(state, xs) if isinstance(xs, Stack) else array(state, xs)
    if len(x.dims) != 1:
        return total(state, x, _FIRST)
    if x.dtype not in FLOATS:
        raise state.refused("a sum of what are no floats")
    name, place = state.fresh(), state.fresh("_i")
    state.mutable.add(name)
    state.emit(Assign(name, cast(Num(0.0), None, x.dtype)))
    step = Assign(name, Op("+", (Var(name), x.at((symbol(place),)))), line=state.line)
    state.emit(Loop(place, Affine(), x.dims[0], [step], made=False))
    state.mutable.discard(name)  # from here on nobody binds it
    item = xs.items[0] if isinstance(xs, Stack) else None
    if isinstance(xs, Cotangents):
        return Number(Var(name), "either" if x.dtype == "f8" else sort_of(x.dtype))
    return Number(Var(name), item.sort if isinstance(item, Number) else sort_of(x.dtype))


@lowers(runtime.cotangents_of_sum)
def cotangents_of_sum(state: State, g: Value, xs: Value) -> Value:
    """Return the cotangent of a sum, as often as there are items."""
    if isinstance(g, Number) and isinstance(xs, Array) and len(xs.dims) == 1:
        return Array(None, (), xs.dims, xs.dtype, uniform=state.frozen(g, "t").expr)
    if isinstance(g, Number) and isinstance(xs, Items):
        return Items((state.frozen(g, "t"),) * len(xs.items))
    if isinstance(g, Array) and isinstance(xs, Array):
        return broadcast_to(state, g, Items(tuple(map(whole, xs.dims))))
    if isinstance(xs, Cotangents) and isinstance(g, (Array, Number)):
        rows = cotangents.rows_of(state, xs)
        return cotangents.of_rows(
            state, array(state, broadcast_to(state, g, Items(tuple(map(whole, rows.dims)))))
        )
    if isinstance(xs, Stack) and xs.items and _is_alike(state, g, xs.items[0]):
        return listed.copies_of(state, g, xs)
    raise state.refused("the cotangents of a sum of things that are not alike")


def _is_alike(state: State, a: Value, b: Value) -> bool:
    same = state.extents.canonical
    if isinstance(a, Array) and isinstance(b, Array):
        return list(map(same, a.dims)) == list(map(same, b.dims))
    return isinstance(a, Number) and isinstance(b, Number)
