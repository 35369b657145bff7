"""What `grad` returns: one structure for each parameter of `f`, or the flat list of all leaves.

Whichever fits is meant. Every gradient is brought to the shape and dtype of its argument; what cannot be is
an error that names the function and the parameter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tapeless.errors import GradientError
from tapeless.protocol.authors import Input, Key, function_behind, location_of
from tapeless.protocol.structures import (
    has_derivative,
    leaves_of,
    part_at,
    parts_of,
    rebuilt,
    with_leaves,
)
from tapeless.tree.endings import falls_through
from tapeless.variables import Variable


def refuse_implicit_none(label: str, grad: Any) -> None:
    """Refuse None from a `grad` whose text may end without `return`; an explicit None is a zero.

    Raises
    ------
    GradientError
        If the text of `grad` can be read and has a way through without a return statement.
    """
    from tapeless.source.texts import text_of

    function = function_behind(grad)
    text = None if function is None else text_of(function)
    if text is not None and falls_through(text.tree.body):
        raise GradientError(
            f"grad function of '{label}' ended without a return statement",
            fix="return the gradients; an explicit None where there is none",
            **location_of(function),
        )


def read_gradients(label: str, returned: Any, inputs: list[Input], wrt: tuple[Key, ...]) -> Any:
    """Return the gradients of the parameters that stand at `wrt` in the call, fitted to their values.

    Raises
    ------
    GradientError
        If their number, structure, shape or dtype is not that of the parameters.
    """
    matched = match_gradients(label, returned, inputs, wrt)
    by_key = {
        i.key: fit_gradient(g, i.value, label, i.name)
        for i, g in zip(inputs, matched, strict=True)
        if i.key in wrt
    }
    return tuple(by_key.get(key) for key in wrt)


def match_gradients(
    label: str, returned: Any, inputs: list[Input], wrt: tuple[Key, ...]
) -> list[Any]:
    """Tell the gradients that `grad` returned apart: one structure for each parameter."""
    values = [i.value for i in inputs]
    if len(inputs) == 1 and fits(returned, values[0]):
        return [returned]
    if not isinstance(returned, (list, tuple)):
        if len(inputs) == 1:
            raise _structure_error(label, returned, inputs[0])
        returned = [] if not inputs and returned is None else [returned]
    given = list(returned)
    while len(given) > len(inputs) and given[-1] is None:
        given.pop()
    if len(given) == len(inputs) and all(map(fits, given, values)):
        return given
    needed = len(inputs)
    while needed and may_be_left_out(inputs[needed - 1], wrt):
        needed -= 1
    for count in range(len(inputs), needed - 1, -1):
        rest = [None] * (len(inputs) - count)
        if len(given) == count and all(map(fits, given, values[:count])):
            return given + rest
        leaves = list(returned)
        size = sum(len(leaves_of(v)) for v in values[:count])
        while len(leaves) > size and leaves[-1] is None:
            leaves.pop()
        if len(leaves) == size:
            flat = [with_leaves(v, leaves) for v in values[:count]]
            if all(map(fits, flat, values[:count])):
                return flat + rest
    if len(given) == len(inputs):
        wrong = next(i for i, g in zip(inputs, given, strict=True) if not fits(g, i.value))
        raise _structure_error(label, given[inputs.index(wrong)], wrong)
    raise count_error(label, len(given), [i.name for i in inputs])


def may_be_left_out(entry: Input, wrt: tuple[Key, ...]) -> bool:
    """Whether the gradient of a trailing parameter may be missing."""
    if not has_derivative(entry.value):
        return True
    return entry.optional and entry.key not in wrt


def fits(g: Any, x: Any) -> bool:
    """Whether a gradient has the structure of a value; None stands for zero anywhere."""
    if g is None or not has_derivative(x):
        return True
    parts = parts_of(x)
    if parts is None:
        return parts_of(g) is None
    if isinstance(x, Mapping):
        if not isinstance(g, Mapping) or set(g) != set(x):
            return False
    elif isinstance(x, (list, tuple)):
        if not isinstance(g, (list, tuple)) or len(g) != len(x):
            return False
    elif not all(hasattr(g, str(key)) for key, _ in parts):
        return False
    return all(fits(part_at(g, key), part) for key, part in parts)


def fit_gradient(g: Any, x: Any, label: str, parameter: str) -> Any:
    """Bring one gradient to the shape and dtype of its argument.

    Parameters
    ----------
    g
        What `grad` returned for it; None for zero. A gradient of the shape that `x` was broadcast
        to is summed back.
    x
        The argument: a number, an array, or a structure of them.
    label, parameter
        The names of the custom gradient and of its parameter, for messages.

    Raises
    ------
    GradientError
        If `g` is not numeric, is complex for a real argument, or has another shape.

    Examples
    --------
    >>> fit_gradient(np.ones((2, 3)), np.zeros(3, np.float32), "f", "x")
    array([2., 2., 2.], dtype=float32)
    """
    if isinstance(x, Variable):
        x = x.held
    if type(g) is np.ndarray and type(x) is np.ndarray:
        if g.shape == x.shape and g.dtype == x.dtype:
            return g
    parts = parts_of(x)
    if parts is not None:
        if g is None:
            return _adjoint(x, {k: fit_gradient(None, v, label, parameter) for k, v in parts})
        if not fits(g, x):
            raise _structure_error(label, g, Input(parameter, x, None, False))
        return _adjoint(x, {k: fit_gradient(part_at(g, k), v, label, parameter) for k, v in parts})
    if isinstance(x, (bool, np.bool_, str)) or x is None or not is_numeric(x):
        return None
    if isinstance(g, (tuple, list)) and len(g) == 1:
        [g] = g
    if g is None:
        g = 0.0 if np.ndim(x) == 0 else np.zeros_like(x)
    if not is_numeric(g):
        raise GradientError(
            f"grad function of '{label}' returned a {type(g).__name__} for '{parameter}'",
            fix="return a number or an array, or None where there is no gradient",
        )
    return _cast(_summed_back(g, x, label, parameter), x, label, parameter)


def _adjoint(x: Any, parts: dict[Any, Any]) -> Any:
    """Make the adjoint of a structure from those of its parts: of an object, a record."""
    from tapeless.runtime import record_of

    if isinstance(x, (Mapping, list, tuple)):
        return rebuilt(x, parts)
    return record_of(**parts)


def fit_structure(g: Any, x: Any, label: str, parameter: str) -> Any:
    """Bring the gradients of a structure to the shapes and dtypes of its parts."""
    return fit_gradient(g, x, label, parameter)


def unfitted(y_bar: Any, g: Any) -> Any:
    """Return the cotangent of a structure of gradients from that of the fitted one.

    Examples
    --------
    >>> unfitted([np.ones(2), 2.0], (np.zeros((3, 2)), 0.0))[0].shape
    (3, 2)
    """
    from tapeless.runtime import record_of

    parts = parts_of(g)
    if parts is None:
        return np.broadcast_to(y_bar, np.shape(g)) if is_numeric(g) else None
    untouched = isinstance(y_bar, float)
    made = {k: unfitted(0.0 if untouched else part_at(y_bar, k), v) for k, v in parts}
    if isinstance(g, Mapping):
        return made
    return list(made.values()) if isinstance(g, (list, tuple)) else record_of(**made)


def is_numeric(x: Any) -> bool:
    """Whether a value is a number or an array of numbers."""
    if isinstance(x, (np.ndarray, np.generic)):
        return x.dtype.kind in "biufcO"
    return isinstance(x, (int, float, complex))


def _summed_back(g: Any, x: Any, label: str, parameter: str) -> Any:
    shape, wanted = np.shape(g), np.shape(x)
    if shape == wanted:
        return g
    from tapeless.runtime import sum_to_shape

    try:
        broadcasts = np.broadcast_shapes(shape, wanted) == shape
    except ValueError:
        broadcasts = False
    if not broadcasts:
        raise GradientError(
            f"grad function of '{label}' returned shape {shape} for '{parameter}' of shape {wanted}",
            fix="return a gradient of the shape of its argument",
        )
    return sum_to_shape(np.asarray(g), wanted)


def _cast(g: Any, x: Any, label: str, parameter: str) -> Any:
    dtype = np.asarray(x).dtype
    if dtype.kind in "biu":
        dtype = np.dtype(float)
    if np.iscomplexobj(g) and dtype.kind == "f":
        raise GradientError(
            f"grad function of '{label}' returned dtype {np.asarray(g).dtype} for real "
            f"'{parameter}' ({dtype})",
            fix="return the real part",
        )
    if isinstance(x, np.ndarray):
        return np.asarray(g).astype(dtype, copy=False)
    if isinstance(x, np.inexact):
        return dtype.type(g)
    return g if isinstance(g, (float, complex)) else dtype.type(g)


def count_error(label: str, returned: int, names: list[str]) -> GradientError:
    """Say that `grad` returned another number of gradients than `f` has parameters."""
    return GradientError(
        f"grad function of '{label}' returned {counted(returned, 'gradient')}, expected "
        f"{len(names)} ({', '.join(names)}); use None for arguments without one",
        fix="return one gradient for each parameter, or pass what the others belong to as an argument",
    )


def check_gradient_count(returned: Any, label: str, names: list[str]) -> None:
    """Make sure that `grad` returned one gradient for each of the parameters named.

    Examples
    --------
    >>> check_gradient_count((1.0, 2.0), "f", ["a", "b"])
    """
    count = len(returned) if isinstance(returned, (tuple, list)) else 1
    if count != len(names):
        raise count_error(label, count, names)


def counted(n: int, what: str) -> str:
    """Write a number of things: `1 output`, `2 outputs`."""
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _structure_error(label: str, g: Any, entry: Input) -> GradientError:
    return GradientError(
        f"grad function of '{label}' returned {_outline(g)} for '{entry.name}', expected "
        f"{_outline(entry.value)}",
        fix="return the structure of the argument, or the flat list of its leaves",
    )


def _outline(tree: Any) -> str:
    if isinstance(tree, Mapping):
        keys = [repr(key) for key, _ in parts_of(tree) or ()]
        return "{" + ", ".join(keys) + "}"
    if isinstance(tree, (list, tuple)) and not hasattr(tree, "_fields"):
        return f"a {type(tree).__name__} of {counted(len(tree), 'item')}"
    return f"a {type(tree).__name__}"
