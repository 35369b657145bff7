"""Arrays that begin as one number."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import tapeless.lower.arithmetic as arithmetic
import tapeless.lower.shadows as shadows
import tapeless.runtime as runtime
from tapeless.lower.affine import Affine
from tapeless.lower.functions.registry import lowers
from tapeless.lower.functions.shaping import _sizes, array, is_float
from tapeless.lower.state import State
from tapeless.lower.values import Array, Items, Known, Number, Value, axis, axis_key, number

_NONE = Known(None)


def filled(state: State, dims: Value, value: Number, dtype: Value = _NONE) -> Array:
    """Return an array of one number."""
    if dtype != _NONE and not is_float(dtype):
        raise state.refused("an array of another dtype than float64")
    sizes = _sizes(state, dims)
    if not sizes:
        raise state.refused("an array without axes")
    result = state.made(sizes)
    state.store(result, value)
    return result


def _like(state: State, x: Value, value: Number, dtype: Value) -> Array:
    x = array(state, x)
    if x.dtype != "f8" and not is_float(dtype) or dtype != _NONE and not is_float(dtype):
        raise state.refused("an array of another dtype than float64")
    if not x.dims:
        raise state.refused("an array without axes")
    result = state.made(x.dims)
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
    if not isinstance(fill_value, Number) or fill_value.sort not in ("py", "np", "either"):
        raise state.refused("`np.full` with what is no float")
    return filled(state, shape, fill_value, dtype)


@lowers(np.zeros_like, np.empty_like)
def zeros_like(state: State, x: Value, dtype: Value = _NONE) -> Value:
    """Return zeros of the same shape."""
    if isinstance(x, Number) and x.sort in ("py", "np", "either"):
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
    if isinstance(g, Number) and g.sort == "py" and isinstance(x, Array) and x.dtype == "f8":
        return _like(state, x, g, _NONE)
    raise state.refused("a cotangent that is not of the shape of its value")


@lowers(runtime.AdjointMemory)
def adjoint_memory(state: State) -> Value:
    """Return adjoints that are found by memory."""
    return shadows.begun(state)


@lowers(np.full_like)
def full_like(state: State, x: Value, fill_value: Value, dtype: Value = _NONE) -> Value:
    """Return one number in the shape of an array."""
    if not isinstance(fill_value, Number):
        raise state.refused("`np.full_like` with what is no number")
    return _like(state, x, arithmetic.as_float(fill_value), dtype)


@lowers(runtime.array_bar)
def array_bar(state: State, g: Value, x: Value) -> Value:
    """Return the cotangent of what an array was made of, in its structure."""
    if isinstance(x, Items):
        g = array(state, g)
        state.demand_equal(g.dims[0], Affine(len(x.items)))
        rows = [_row(g, k) for k in range(len(x.items))]
        return Items(
            tuple(array_bar(state, row, item) for row, item in zip(rows, x.items, strict=True))
        )
    if isinstance(x, Number) and isinstance(g, Array) and not g.dims:
        sort = "py" if x.sort == "bool" or x.is_whole else x.sort
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
        return Items(tuple(copied(state, item) for item in g.items))
    return state.copied(g) if isinstance(g, Array) else g
