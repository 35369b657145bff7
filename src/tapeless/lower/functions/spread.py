"""Variances, norms and traces, which are said in terms of sums, products and extrema."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeless.lower.arithmetic as arithmetic
import tapeless.runtime as runtime
from tapeless.lower.functions.elementwise import absolute, square, where
from tapeless.lower.functions.pieces import diagonal, literal
from tapeless.lower.functions.reductions import largest, mean, smallest, total
from tapeless.lower.functions.registry import applied, lowers, meaning_of
from tapeless.lower.functions.shaping import array, integers, unbroadcast
from tapeless.lower.loops import Expr, Num, Op
from tapeless.lower.precision import FLOATS
from tapeless.lower.state import State
from tapeless.lower.values import Array, Items, Known, Number, Value, number, whole

_NONE = Known(None)
_NO, _YES, _ZERO = number(False), number(True), number(0)


def root(state: State, x: Value) -> Value:
    """Return square roots."""
    meaning = meaning_of(np.sqrt)
    assert meaning is not None
    return applied(state, meaning, [x], {})


@lowers(np.var, np.ndarray.var)
def variance(
    state: State, x: Value, axis: Value = _NONE, *, ddof: Value = _ZERO, keepdims: Value = _NO
) -> Value:
    """Return means of squared distances from the mean."""
    x, less = array(state, x), literal(state, ddof)
    axes = integers(state, axis, len(x.dims))
    if len(axes) != 1 or x.dtype not in FLOATS:
        raise state.refused("a variance along several axes, or of what are no floats")
    away = arithmetic.binary(state, "Sub", x, mean(state, x, axis, keepdims=_YES))
    squares = total(state, square(state, away), axis, keepdims=keepdims)
    degrees = x.dims[axes[0]] - less
    state.extents.demand_positive(degrees - 1)
    return arithmetic.binary(state, "Div", squares, arithmetic.as_float(whole(degrees)))


@lowers(np.std, np.ndarray.std)
def deviation(
    state: State, x: Value, axis: Value = _NONE, *, ddof: Value = _ZERO, keepdims: Value = _NO
) -> Value:
    """Return roots of variances."""
    return root(state, variance(state, x, axis, ddof=ddof, keepdims=keepdims))


@lowers(np.linalg.norm)
def norm(
    state: State, x: Value, ord: Value = _NONE, axis: Value = _NONE, keepdims: Value = _NO
) -> Value:
    """Return norms of vectors, or of all entries."""
    x = array(state, x)
    kind = ord.value if isinstance(ord, Known) else arithmetic.literal(_number(state, ord))
    if x.dtype not in FLOATS or axis == _NONE and len(x.dims) > 1 and kind not in (None, "fro"):
        raise state.refused("a norm of a matrix, or of what are no floats")
    if axis != _NONE and len(integers(state, axis, len(x.dims))) != 1:
        raise state.refused("norms of matrices")
    if kind in _ALONG:
        made: Value = _ALONG[kind](state, absolute(state, x), axis, keepdims=keepdims)
        return made
    if kind not in (None, 2, "fro"):
        raise state.refused("a norm of another order than 1, 2 and infinity")
    return root(state, total(state, square(state, x), axis, keepdims=keepdims))


_ALONG: dict[Any, Any] = {1: total, np.inf: largest, -np.inf: smallest}


def _number(state: State, x: Value) -> Number:
    if not isinstance(x, Number):
        raise state.refused("an option that is no number")
    return x


@lowers(np.ptp)
def reach(state: State, x: Value, axis: Value = _NONE) -> Value:
    """Return the largest minus the smallest entries."""
    return arithmetic.binary(state, "Sub", largest(state, x, axis), smallest(state, x, axis))


@lowers(np.select)
def select(state: State, tests: Value, choices: Value, default: Value = _ZERO) -> Value:
    """Return of several choices the first whose test holds, entry by entry."""
    if not isinstance(tests, Items) or not isinstance(choices, Items) or not tests.items:
        raise state.refused("`np.select` of what are no lists")
    masks = [array(state, x) for x in tests.items]
    values: list[Value] = [*choices.items, default]
    if len(values) != len(masks) + 1 or any(mask.dtype != "b" for mask in masks):
        raise state.refused("`np.select` by what are no truth values")
    whole_ones = [isinstance(x, Number) and x.is_whole for x in values]
    if not all(whole_ones):
        values = arithmetic.of_floats_alike(state, *values)

    def formula(*entries: Expr) -> Expr:
        made = entries[-1]
        for test, value in reversed(list(zip(entries, entries[len(masks) : -1], strict=False))):
            made = Op("if", (test, value, made))
        return made

    return state.pointwise(formula, [*masks, *values], "i" if all(whole_ones) else None)


@lowers(runtime.choice_bars)
def choice_bars(state: State, g: Value, chosen: Value, choices: Value) -> Value:
    """Return for each choice the cotangents of the entries where it was the first."""
    if not isinstance(choices, Items) or not isinstance(g, Array):
        raise state.refused("the cotangents of choices that are no list")
    zero, made = number(0.0), []
    for k, choice in enumerate(choices.items):
        test = arithmetic.compared(state, "Eq", chosen, number(k))
        made.append(unbroadcast(state, where(state, test, g, zero), choice))
    return Items(tuple(made))


@lowers(np.trace, np.ndarray.trace)
def trace(state: State, x: Value) -> Value:
    """Return the sum of a diagonal."""
    return total(state, diagonal(state, x))


@lowers(np.any, np.ndarray.any)
def any_holds(state: State, x: Value) -> Value:
    """Return whether an entry is true."""
    return Number(Op("!=", (_how_many(state, _truths(state, x)), Num(0.0))), "bool")


@lowers(np.all, np.ndarray.all)
def all_hold(state: State, x: Value) -> Value:
    """Return whether all entries are true."""
    others = arithmetic.inverted(state, _truths(state, x))
    return Number(Op("==", (_how_many(state, others), Num(0.0))), "bool")


def _truths(state: State, x: Value) -> Array:
    x = array(state, x)
    if x.dtype != "b":
        raise state.refused("`np.any` or `np.all` of what are no truth values")
    return x


def _how_many(state: State, x: Value) -> Expr:
    found = total(state, x, dtype=Known(np.float64))
    assert isinstance(found, Number)
    return found.expr
