"""What `grad` is called with: as many upstreams as it can take.

It may take one for each leaf of the value, one for each top-level output, one for the whole, or all of them
by the keyword `upstream`. Each is a private copy at full shape and dtype.
"""

from __future__ import annotations

import inspect
import types
from typing import Any

import numpy as np

from tapeless.errors import GradientError
from tapeless.protocol.gradients import counted
from tapeless.protocol.structures import part_at, parts_of, rebuilt


def accepted(grad: Any) -> tuple[int, float, bool]:
    """Return how many upstreams `grad` takes, at least and at most, and whether by `upstream=`."""
    if type(grad) is types.FunctionType and not hasattr(grad, "__wrapped__"):
        return _accepted_by_code(grad.__code__, len(grad.__defaults__ or ()))
    try:
        parameters = list(inspect.signature(grad).parameters.values())
    except (TypeError, ValueError):
        return 0, float("inf"), False
    named = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    named = [p for p in named if p.name != "variables"]
    least = sum(p.default is p.empty for p in named)
    open_ended = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    keyword = any(p.kind is p.KEYWORD_ONLY and p.name == "upstream" for p in parameters)
    return least, float("inf") if open_ended else len(named), keyword


def _accepted_by_code(code: types.CodeType, defaults: int) -> tuple[int, float, bool]:
    """Return the same of a plain function, whose `grad` is new at every call, from its code."""
    count = code.co_argcount
    named = [n for n in code.co_varnames[:count] if n != "variables"]
    required = [n for n in code.co_varnames[: count - defaults] if n != "variables"]
    keywords = code.co_varnames[count : count + code.co_kwonlyargcount]
    open_ended = bool(code.co_flags & inspect.CO_VARARGS)
    most = float("inf") if open_ended else len(named)
    return len(required), most, "upstream" in keywords


def pass_upstreams(
    label: str, grad: Any, y: Any, y_bar: Any, inputs: list[Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments that `grad` is called with: private copies, at full shape and dtype.

    Raises
    ------
    GradientError
        If `grad` can take none of: one upstream per leaf of `y`, one per top-level output, one.
    """
    least, most, keyword = accepted(grad)
    whole = upstream_like(y_bar, y)
    if keyword:
        return inputs if most == float("inf") else [], {"upstream": whole}
    outputs = [whole] if parts_of(y) is None else [part for _, part in parts_of(whole) or ()]
    leaves = upstream_leaves(whole, y)
    for candidate in (leaves, outputs, [whole]):
        if least <= len(candidate) <= most:
            return candidate, {}
    taken = least if least == most or len(leaves) < least else most
    raise GradientError(
        f"grad function of '{label}' takes {counted(int(taken), 'upstream gradient')}, "
        f"'{label}' has {counted(len(leaves), 'output')}",
        fix="take one upstream for each output, or *upstreams",
    )


def upstream_leaves(whole: Any, y: Any) -> list[Any]:
    """List the upstreams of the leaves of `y`: a leaf without derivative has None."""
    parts = parts_of(y)
    if parts is None:
        return [whole]
    found = dict(parts_of(whole) or ())
    return [leaf for key, part in parts for leaf in upstream_leaves(found[key], part)]


def upstream_like(y_bar: Any, y: Any) -> Any:
    """Bring a cotangent to the structure, shapes and dtypes of `y`, sharing memory with nothing.

    Numbers without derivative have zeros, everything else None.

    Examples
    --------
    >>> upstream_like([0.0, None, None], (np.ones(2), 3, "text"))
    (array([0., 0.]), 0, None)
    """
    if isinstance(y, np.ndarray):
        if y.dtype.kind not in "biufcO":
            return None
        made = np.zeros_like(y, subok=False)
        if y.dtype.kind in "fcO" and y_bar is not None:
            made[...] = y_bar
        return made
    parts = parts_of(y)
    if parts is not None:
        untouched = y_bar is None or isinstance(y_bar, float)
        return rebuilt(
            y, {k: upstream_like(None if untouched else part_at(y_bar, k), v) for k, v in parts}
        )
    if isinstance(y, (bool, int, np.integer, np.bool_)):
        return type(y)(0)
    if isinstance(y, np.inexact):
        return y.dtype.type(0.0 if y_bar is None else y_bar)
    if isinstance(y, (float, complex)):
        return type(y)(0.0) if y_bar is None else y_bar
    return None


def takes_variables(grad: Any) -> tuple[bool, bool]:
    """Return whether `grad` accepts `variables=`, and whether it cannot do without."""
    if type(grad) is types.FunctionType and not hasattr(grad, "__wrapped__"):
        if not grad.__code__.co_flags & inspect.CO_VARKEYWORDS:
            arguments = grad.__code__.co_argcount + grad.__code__.co_kwonlyargcount
            if "variables" not in grad.__code__.co_varnames[:arguments]:
                return False, False
    try:
        parameters = inspect.signature(grad).parameters.values()
    except (TypeError, ValueError):
        return False, False
    named = [p for p in parameters if p.name == "variables" and p.kind is not p.POSITIONAL_ONLY]
    named = [p for p in named if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    rest = any(p.kind is p.VAR_KEYWORD for p in parameters)
    return bool(named) or rest, any(p.default is p.empty for p in named)
