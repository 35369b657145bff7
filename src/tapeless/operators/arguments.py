"""What arguments a derivative is refused for, before it is written or run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeless.errors import GradientError
from tapeless.loading import Built
from tapeless.operators.target import Target
from tapeless.runtime.sparse import is_sparse
from tapeless.sorts import (
    CONTAINERS,
    Sort,
    parts_of,
    plain_form,
    sort_of,
    variables_within,
)
from tapeless.variables import Variable

_INDEPENDENT = (
    Sort.NUMBER, Sort.INTEGER, Sort.ARRAY, Sort.SPARSE, Sort.VARIABLE, *CONTAINERS,
)  # fmt: skip


def check_independent(target: Target, name: str, value: Any) -> None:
    """Refuse an argument that has no derivative."""
    reason = None
    if isinstance(value, np.ndarray) and value.dtype.kind not in "fc":
        reason = f"an array of {value.dtype}, which has no derivative", f"pass {name}.astype(float)"
    elif is_sparse(value) and value.dtype.kind not in "fc":
        reason = (
            f"a sparse array of {value.dtype}, which has no derivative",
            f"pass {name}.astype(float)",
        )
    elif sort_of(value) not in _INDEPENDENT:
        reason = f"{_named_class(value)}, which has no derivative", "choose another with wrt="
    if reason is not None:
        raise GradientError(f"'{name}' of '{target.label}' is {reason[0]}", fix=reason[1],
                            **target.location)  # fmt: skip


def check_held(target: Target, name: str, value: Any) -> None:
    """Refuse an argument that holds numbers which no derivative reaches."""
    for part, path in parts_of(value, name):
        if sort_of(part) is not Sort.FOREIGN or isinstance(part, int):
            continue
        what = f"{_named_class(part)}, which says itself what its operators mean"
        fix = f"pass {plain_form(type(part), path)}"
        if type(part) is np.ndarray:
            what, fix = f"an array of {part.dtype}, which has no derivative", "pass floats"
        raise GradientError(f"'{path}' of '{target.label}' is {what}", fix=fix, **target.location)


def _named_class(value: Any) -> str:
    """Name the class of a value, with its article."""
    label = type(value).__name__
    return f"an {label}" if label[0] in "aeiouAEIOU" else f"a {label}"


def checked_variables(variables: Any) -> tuple[Variable, ...] | None:
    """Check what was given as `variables=`."""
    if variables is None:
        return None
    if isinstance(variables, Variable) or not isinstance(variables, (list, tuple)):
        raise GradientError(
            f"variables= takes a list, not a {type(variables).__name__}", fix="write variables=[w]"
        )
    for variable in variables:
        if not isinstance(variable, Variable):
            raise GradientError(
                f"variables= takes tl.Variable objects, not a {type(variable).__name__}",
                fix="make it a tl.Variable, or a parameter of the function",
            )
        if variable.dtype.kind not in "fc":
            raise GradientError(
                f"{variable!r} holds {variable.dtype}, which has no derivative",
                fix="make it of floats",
            )
    return tuple(variables)


def check_variables(
    target: Target, wrt: Sequence[str], variables: Sequence[Variable], arguments: Any
) -> None:
    """Refuse one Variable in two places with respect to which a derivative is taken."""
    names = target.signature.parameters
    places = [a for n, a in zip(names, arguments, strict=True) if n in wrt]
    given = [*variables_within(places), *variables]
    if len({id(v) for v in given}) < len(given):
        raise GradientError(
            "a Variable stands in two places of what the derivative is taken of",
            fix="name it once: as an argument, or in variables=",
        )


def check_aliases(built: Built, arguments: Any) -> None:
    """Refuse one stored-into thing that comes in by two places of the arguments."""
    from tapeless.analysis.abstract import mutable_places

    stored = built.derivative.stored_places
    places = [p for i, x in enumerate(arguments) for p in mutable_places(x, ("argument", i))]
    for i, (region, thing) in enumerate(places):
        if region in stored:
            for j, (_, other) in enumerate(places):
                if i != j and _are_one(thing, other):
                    what = (
                        "an array" if isinstance(thing, np.ndarray) else f"a {type(thing).__name__}"
                    )
                    raise GradientError(
                        f"{what} that is stored into is passed in two places of the arguments",
                        fix="pass a copy in one of them",
                    )


def _are_one(a: Any, b: Any) -> bool:
    """Whether two things are one, or share memory."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return bool(np.may_share_memory(a, b) and np.shares_memory(a, b))
    return a is b


def check_defaults(built: Built, arguments: Any, target: Target) -> None:
    """Refuse a default that the function changes: a derivative gives its arguments back unchanged."""
    parameters = list(target.signature.parameters.values())
    for i in sorted(built.derivative.stored & set(range(len(parameters)))):
        default = parameters[i].default
        mutable = not isinstance(default, (int, float, complex, str, tuple, type(None)))
        if mutable and arguments[i] is default:
            raise GradientError(
                f"'{target.label}' changes the default of its parameter '{parameters[i].name}'",
                fix=f"pass '{parameters[i].name}', or make it inside the function",
                **target.location,
            )
