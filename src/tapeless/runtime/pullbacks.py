"""Custom gradients as forward mode and higher orders see them.

The tangent of a value whose rule gives `grad` alone is the transpose of `grad`: its products with unit
cotangents.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from tapeless.runtime.adjoints import (
    AdjointRecord,
    zeros,
)


def value_and_pullback(function: Any, *args: Any, **keywords: Any) -> tuple[Any, Any]:
    """Call a function that returns its value and `grad`, last, and take the two apart."""
    returned = function(*args, **keywords)
    return (returned[0] if len(returned) == 2 else returned), returned[-1]


def transpose_grad(grad: Any, y: Any, tangents: tuple[Any, ...]) -> Any:
    """Return the tangent of `y` from the `grad` of its rule, which is linear in its upstream.

    Each entry of the tangent is the inner product of the tangents of the arguments with what
    `grad` makes of the unit cotangent of that entry; so `grad` runs once for each entry of `y`.

    Parameters
    ----------
    grad
        Maps the cotangent of `y`, or one for each item of a tuple `y`, to those of the arguments.
    y
        The value.
    tangents
        The tangents of the arguments, None for those that are constant.

    Examples
    --------
    >>> float(transpose_grad(lambda g: (3.0 * g, g * np.ones(2)), 1.0, (2.0, np.array([1.0, 5.0]))))
    12.0
    """
    separate = isinstance(y, tuple) and _takes_several(grad)

    def slope(upstream: Any) -> Any:
        returned = grad(*upstream) if separate else grad(upstream)
        several = isinstance(returned, (tuple, list))
        bare = isinstance(tangents[0], (tuple, list)) and several and len(returned) != 1
        if len(tangents) == 1 and (bare or not several):
            returned = (returned,)
        total = 0.0
        for g, x_dot in zip(returned, tangents, strict=False):
            total = total + _inner(g, x_dot)
        return total

    return _along_units(y, zeros_of_value(y), slope)


def _takes_several(grad: Any) -> bool:
    kinds = [p.kind for p in inspect.signature(grad).parameters.values()]
    named = [k for k in kinds if k in (k.POSITIONAL_ONLY, k.POSITIONAL_OR_KEYWORD)]
    return len(named) > 1 or any(k is k.VAR_POSITIONAL for k in kinds)


def zeros_of_value(y: Any) -> Any:
    """Return a zero cotangent of the types of a value: its tuples stay tuples."""
    if isinstance(y, tuple):
        return tuple(zeros_of_value(item) for item in y)
    if isinstance(y, list):
        return [zeros_of_value(item) for item in y]
    if isinstance(y, dict):
        return {key: zeros_of_value(item) for key, item in y.items()}
    return zeros(y)


def _along_units(y: Any, zero: Any, slope: Any) -> Any:
    """Replace each number in a structure by `slope` of the structure with a unit there."""
    if isinstance(y, np.ndarray):
        if zero is None:
            return None
        made = np.zeros_like(y)
        for index in np.ndindex(y.shape):
            unit = np.zeros_like(y)
            unit[index] = 1.0
            made[index] = slope(unit)
        return made
    if isinstance(y, (tuple, list)):
        found = [
            _along_units(
                item, part, lambda u, i=i: slope(type(zero)([*zero[:i], u, *zero[i + 1 :]]))
            )
            for i, (item, part) in enumerate(zip(y, zero, strict=True))
        ]
        return tuple(found) if isinstance(y, tuple) else found
    if isinstance(y, dict):
        return {
            key: _along_units(item, zero[key], lambda u, key=key: slope({**zero, key: u}))
            for key, item in y.items()
        }
    return None if zero is None else slope(type(y)(1.0) if isinstance(y, np.generic) else 1.0)


def _inner(g: Any, x_dot: Any) -> Any:
    if g is None or x_dot is None:
        return 0.0
    if isinstance(x_dot, dict):
        return sum(_inner(g[key], item) for key, item in x_dot.items())
    if isinstance(x_dot, (list, tuple)):
        return sum(_inner(part, item) for part, item in zip(g, x_dot, strict=True))
    if isinstance(x_dot, AdjointRecord):
        return sum(_inner(getattr(g, key), item) for key, item in vars(x_dot).items())
    product = np.sum(g * x_dot)
    return float(product) if isinstance(x_dot, float) and isinstance(g, float) else product


def unit(value: Any, rule: Any, *args: Any, **kwargs: Any) -> Any:
    """Return `value`, which is what the custom gradient `rule` returns for these arguments.

    The call marks the value in text that is differentiated again: its derivative is the rule's.
    """
    return value
