"""Variances, norms and traces, which are said in terms of sums, products and extrema."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeless.lower.arithmetic as arithmetic
from tapeless.lower.functions.elementwise import absolute, square
from tapeless.lower.functions.pieces import diagonal, literal
from tapeless.lower.functions.reductions import largest, mean, smallest, total
from tapeless.lower.functions.registry import applied, lowers, meaning_of
from tapeless.lower.functions.shaping import array, integers
from tapeless.lower.loops import Expr, Num, Op
from tapeless.lower.precision import FLOATS
from tapeless.lower.state import State
from tapeless.lower.values import Array, Known, Number, Value, number, whole

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
