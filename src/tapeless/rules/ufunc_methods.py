"""The methods of ufuncs: `reduce`, `accumulate`, `reduceat` and `at` of those that have partials.

A ufunc of two arguments is applied along an axis, one slice after the other. So its methods are loops,
and the loops are differentiated in their place. Sums, products and extremes along an axis are written as
`np.sum` and its like instead (`specialize/array_calls.py`), and what has a better formula has a rule.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import tapeless.rules.ufuncs  # noqa: F401  # which declares what has partials
from tapeless.errors import GradientError
from tapeless.rules.arguments import as_given
from tapeless.rules.declare import find_rule, register_gradient, written_out
from tapeless.rules.reasons import no_derivative
from tapeless.rules.results import parts, reductions
from tapeless.runtime import expand_reduced, real_part, reduceat_bar

_SPELLED_OUT = {
    "reduce": (np.add, np.multiply, np.maximum, np.minimum, np.logaddexp),
    "accumulate": (np.add, np.multiply),
    "reduceat": (np.add,),
    "at": (np.add, np.subtract),
}

# NumPy's loops of these for wide registers do not read again what they have just written.
_OF_THE_PROCESSOR = (np.power, np.arctan2)


def slices_along(array: Any, axis: Any) -> Any:
    """Return the slices that a reduction combines, one after the other, in the first axis."""
    if axis is None:
        return np.ravel(array)
    if not isinstance(axis, tuple):
        return np.moveaxis(array, axis, 0)
    moved = np.moveaxis(array, axis, tuple(range(len(axis))))
    count = math.prod(np.shape(moved)[: len(axis)])
    return np.reshape(moved, (count, *np.shape(moved)[len(axis) :]))


def reduce_by(ufunc: Any) -> Callable[..., Any]:
    """Return `ufunc.reduce` as a loop."""

    def reduced_by(
        array: Any, axis: Any = 0, dtype: None = None, out: None = None, keepdims: Any = False,
        initial: Any = None, where: Any = None,
    ) -> Any:  # fmt: skip
        rows = slices_along(array, axis)
        y = rows[0] if initial is None else ufunc(initial, rows[0])
        if where is not None:
            chosen = slices_along(np.broadcast_to(where, np.shape(array)), axis)
            y = np.where(chosen[0], y, initial)
            for i in range(1, len(rows)):
                y = np.where(chosen[i], ufunc(y, rows[i]), y)
        else:
            for i in range(1, len(rows)):
                y = ufunc(y, rows[i])
        if keepdims:
            axes = tuple(range(np.ndim(array))) if axis is None else axis
            return np.expand_dims(y, axes)
        return y

    return reduced_by


def accumulate_by(ufunc: Any) -> Callable[..., Any]:
    """Return `ufunc.accumulate` as a loop."""

    def accumulated_by(array: Any, axis: Any = 0, dtype: None = None, out: None = None) -> Any:
        rows = np.moveaxis(array, axis, 0)
        y = rows[0]
        ys = [y]
        for i in range(1, len(rows)):
            y = ufunc(y, rows[i])
            ys.append(y)
        return np.moveaxis(np.stack(ys), 0, axis)

    return accumulated_by


def reduceat_by(ufunc: Any) -> Callable[..., Any]:
    """Return `ufunc.reduceat` as a loop."""

    def reduced_at(
        array: Any, indices: Any, axis: Any = 0, dtype: None = None, out: None = None
    ) -> Any:
        rows = np.moveaxis(array, axis, 0)
        ends = [*indices[1:], len(rows)]
        pieces = []
        for i, end in zip(indices, ends, strict=True):
            y = rows[i]
            for k in range(i + 1, end):
                y = ufunc(y, rows[k])
            pieces.append(y)
        return np.moveaxis(np.stack(pieces), 0, axis)

    return reduced_at


def binary_at(ufunc: Any) -> Callable[..., Any]:
    """Return `ufunc.at` of two arguments as a loop of stores."""

    def applied_at(a: Any, indices: Any, b: Any) -> None:
        places = np.asarray(indices)
        if np.ndim(a) != 1 or np.ndim(places) != 1:
            raise GradientError(
                "the method `at` of a ufunc is differentiated for arrays of rank 1",
                fix="write the stores as a loop",
            )
        values = np.broadcast_to(b, np.shape(places))
        for i in range(len(places)):
            a[places[i]] = ufunc(a[places[i]], values[i])

    return applied_at


def unary_at(ufunc: Any) -> Callable[..., Any]:
    """Return `ufunc.at` of one argument as a loop of stores."""

    def applied_at(a: Any, indices: Any) -> None:
        places = np.asarray(indices)
        if np.ndim(a) != 1 or np.ndim(places) != 1:
            raise GradientError(
                "the method `at` of a ufunc is differentiated for arrays of rank 1",
                fix="write the stores as a loop",
            )
        for i in range(len(places)):
            a[places[i]] = ufunc(a[places[i]])

    return applied_at


def _write_out(ufunc: Any) -> None:
    """Let loops stand for the methods of a ufunc that are not spelled out in another way."""
    made: dict[str, Callable[[Any], Callable[..., Any]]] = {"at": unary_at}
    if ufunc.nin == 2:
        made = {
            "reduce": reduce_by,
            "accumulate": accumulate_by,
            "reduceat": reduceat_by,
            "at": binary_at,
        }
    for method, make in made.items():
        if method == "reduce" and ufunc in _OF_THE_PROCESSOR:
            no_derivative("its value depends on the processor", ufunc.reduce)
        elif ufunc not in _SPELLED_OUT.get(method, ()):
            written_out(getattr(ufunc, method), make(ufunc))


for _ufunc in dict.fromkeys(f for f in vars(np).values() if isinstance(f, np.ufunc)):
    _rule = find_rule(_ufunc)
    if _rule is not None and _rule.form == "elementwise" and _ufunc.nin <= 2:
        _write_out(_ufunc)


@register_gradient(np.logaddexp.reduce, kind=reductions.reduced_first)
def logaddexp_reduce(
    array: Any, /, axis: Any = 0, dtype: None = None, out: None = None, keepdims: Any = False,
    initial: Any = None, where: Any = None,
) -> Any:  # fmt: skip
    """Here y = log sum exp a, so dy = sum exp(a - y) da."""
    given = as_given(initial=initial, where=where)
    y = np.logaddexp.reduce(array, axis=axis, keepdims=keepdims, **given)

    def grad(y_bar: Any) -> Any:
        share = np.exp(array - expand_reduced(y, axis, keepdims))
        chosen = share if where is None else np.where(where, share, 0.0)
        array_bar = expand_reduced(y_bar, axis, keepdims) * chosen
        if initial is None:
            return array_bar, None, None, None, None, None, None
        return array_bar, None, None, None, None, np.sum(y_bar * np.exp(initial - y)), None

    def jvp(array_dot: Any, initial_dot: Any = 0.0) -> Any:
        share = np.exp(array - expand_reduced(y, axis, keepdims))
        chosen = share if where is None else np.where(where, share, 0.0)
        y_dot = np.sum(real_part(chosen * array_dot), axis=axis, keepdims=keepdims)
        return y_dot if initial is None else y_dot + np.exp(initial - y) * initial_dot

    return y, grad, jvp


@register_gradient(np.add.reduceat, kind=parts.summed_between, linear=True)
def add_reduceat(array: Any, /, indices: Any, axis: Any = 0) -> Any:
    """The cotangent of a sum goes to all of its slices."""
    y = np.add.reduceat(array, indices, axis=axis)
    shape = np.shape(array)

    def grad(y_bar: Any) -> Any:
        return reduceat_bar(y_bar, indices, shape, axis), None, None

    return y, grad
