"""What functions mean for entries that a mask selects: functions of entries, reductions, sizes, copies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tapeless.lower.arithmetic as arithmetic
import tapeless.lower.masked as masked
import tapeless.runtime as runtime
from tapeless.lower.affine import Affine
from tapeless.lower.functions.reductions import largest, smallest, total
from tapeless.lower.functions.reductions import product as product_of
from tapeless.lower.functions.registry import Meaning, is_entrywise
from tapeless.lower.functions.shaping import array, flag, float_dtype, integers
from tapeless.lower.loops import Op, Whole
from tapeless.lower.state import State
from tapeless.lower.values import Array, Known, Masked, Number, Value, number, whole

_NONE = Known(None)
_NO = number(False)


def applied_to_selected(
    state: State, found: Any, meaning: Meaning | None, args: list[Value], keywords: dict[str, Value]
) -> Value:
    """Call a function with entries that a mask selects."""
    if meaning is not None and is_entrywise(meaning):
        return masked.lifted(state, lambda *given: meaning(state, *given, **keywords), args)
    known = _MEANINGS.get(found)
    if known is None or keywords.keys() - {"axis", "keepdims", "dtype"}:
        raise state.refused(
            "a function of the entries that a mask selects, which is not known in loops"
        )
    return known(state, *args, **keywords)


def _reduced(meaning: Meaning, start: float, is_of_any: bool = True) -> Meaning:
    """Return a reduction, over all that is selected or along its first axis."""

    def reduce(
        state: State, x: Value, axis: Value = _NONE, *, keepdims: Value = _NO, dtype: Value = _NONE
    ) -> Value:
        assert isinstance(x, Masked)
        if not is_of_any:
            _demand_some(state, masked.count(state, x.mask))
        if x.values.dtype == "b" and dtype == _NONE:
            raise state.refused("a reduction of truth values that a mask selects")
        if x.values.dtype != "b" and float_dtype(state, dtype, x.values.dtype) != x.values.dtype:
            raise state.refused("a reduction in another precision")
        floats = array(state, arithmetic.of_floats(state, x.values, float_dtype(state, dtype)))
        x = Masked(floats if x.values.dtype == "b" else x.values, x.mask)
        rank, kept = len(x.mask.dims), flag(state, keepdims)
        if axis == _NONE:
            made = meaning(state, masked.filled(state, x, start))
            ones = (Affine(1),) * (len(x.values.dims) - rank + 1)
            return state.uniform(made, ones) if kept and isinstance(made, Number) else made
        axes = integers(state, axis, len(x.values.dims) - rank + 1)
        if rank != 1 or 0 not in axes:
            raise state.refused("a reduction along an axis of what a mask selects")
        return meaning(state, masked.filled(state, x, start), axis, keepdims=keepdims)

    return reduce


def _demand_some(state: State, count: Affine) -> None:
    some = Op("<", (Whole(Affine()), Whole(count)))
    state.check(some, "ValueError", "nothing is selected")


sum_of_selected = _reduced(total, 0.0)


def mean_of_selected(state: State, x: Value, axis: Value = _NONE) -> Value:
    """Return the mean of what is selected."""
    assert isinstance(x, Masked)
    count = masked.count(state, x.mask)
    _demand_some(state, count)
    size: Value = arithmetic.as_float(whole(count))
    if axis == _NONE and len(x.mask.dims) < len(x.values.dims):
        raise state.refused("the mean of rows that a mask selects")
    return arithmetic.binary(state, "Div", sum_of_selected(state, x, axis), size)


def length_of_selected(state: State, x: Value) -> Value:
    """Return how many entries are selected."""
    assert isinstance(x, Masked)
    return whole(masked.count(state, x.mask))


def size_of_selected(state: State, x: Value) -> Value:
    """Return how many numbers are selected."""
    assert isinstance(x, Masked)
    if len(x.mask.dims) < len(x.values.dims):
        raise state.refused("the number of entries in rows that a mask selects")
    return length_of_selected(state, x)


def copy_of_selected(state: State, x: Value) -> Value:
    """Return a copy, which what is selected is already."""
    return x


def full_of_selected(value: float) -> Meaning:
    """Return what fills an array with a number in the shape of what is selected."""

    def fill(state: State, x: Value) -> Value:
        assert isinstance(x, Masked)
        return Masked(state.copied(state.uniform(number(value), x.values.dims)), x.mask)

    return fill


def unbroadcast_selected(state: State, g: Value, x: Value) -> Value:
    """Return the sum over the axes along which something was broadcast to what is selected."""
    if isinstance(g, Masked) and isinstance(x, Masked):
        return masked.lifted(state, lambda p, q: p, [g, x])
    if isinstance(g, Masked) and isinstance(x, Number):
        return sum_of_selected(state, g)
    if isinstance(g, Masked) and isinstance(x, Array) and len(g.mask.dims) == 1:
        if len(x.dims) == len(g.values.dims) - 1:
            return sum_of_selected(state, g, number(0))
    raise state.refused("the cotangent of something that was broadcast to what is selected")


def full_cotangent_of_selected(state: State, g: Value, x: Value) -> Value:
    """Return a cotangent in the shape of what is selected."""
    if isinstance(g, Masked) and isinstance(x, Masked):
        return g
    if isinstance(g, Number) and isinstance(x, Masked) and g.sort == "py":
        return Masked(state.copied(state.uniform(g, x.values.dims)), x.mask)
    raise state.refused("a cotangent that is not of the shape of what is selected")


def inner_product_of_selected(state: State, a: Value, b: Value) -> Value:
    """Return the sum of the products of two selections of numbers."""
    if not all(
        isinstance(x, Masked) and len(x.values.dims) == len(x.mask.dims) == 1 for x in (a, b)
    ):
        raise state.refused("a product of matrices whose rows a mask selects")
    return sum_of_selected(state, arithmetic.binary(state, "Mult", a, b))


_MEANINGS: dict[Any, Callable[..., Value]] = {
    np.sum: sum_of_selected, np.ndarray.sum: sum_of_selected,
    np.mean: mean_of_selected, np.ndarray.mean: mean_of_selected,
    np.max: _reduced(largest, -np.inf, False), np.ndarray.max: _reduced(largest, -np.inf, False),
    np.min: _reduced(smallest, np.inf, False), np.ndarray.min: _reduced(smallest, np.inf, False),
    np.prod: _reduced(product_of, 1.0), np.ndarray.prod: _reduced(product_of, 1.0),
    len: length_of_selected, np.size: size_of_selected, np.shape: masked.shape,
    np.array: copy_of_selected, np.copy: copy_of_selected, np.ndarray.copy: copy_of_selected,
    runtime.copied: copy_of_selected, runtime.unbroadcast: unbroadcast_selected,
    runtime.full: full_cotangent_of_selected,
    np.zeros_like: full_of_selected(0.0), np.ones_like: full_of_selected(1.0),
    np.dot: inner_product_of_selected, np.matmul: inner_product_of_selected,
}  # fmt: skip
