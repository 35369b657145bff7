"""Arrays that begin as one number."""

from __future__ import annotations

import numpy as np

from tapeless import runtime
from tapeless.lower.functions.registry import lowers
from tapeless.lower.functions.shaping import _sizes, array, is_float
from tapeless.lower.state import State
from tapeless.lower.values import Array, Known, Number, Value, number

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
    if isinstance(g, Array) and isinstance(x, Array) and g.dims == x.dims:
        return g
    if isinstance(g, Number) and isinstance(x, Number):
        return g
    raise state.refused("a cotangent that is not of the shape of its value")
