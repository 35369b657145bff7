"""The table of functions that are known entry by entry."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tapeless.lower.state import State
from tapeless.lower.values import Value

Meaning = Callable[..., Value]
_MEANINGS: dict[Any, Meaning] = {}


_ENTRYWISE: set[Meaning] = set()


def lowers_entrywise(*functions: Any) -> Callable[[Meaning], Meaning]:
    """Register what functions of entries mean: each entry of the result rests on those at its place."""

    def register(meaning: Meaning) -> Meaning:
        _ENTRYWISE.add(meaning)
        return lowers(*functions)(meaning)

    return register


def is_entrywise(meaning: Meaning) -> bool:
    """Whether a function is one of entries."""
    return meaning in _ENTRYWISE


def lowers(*functions: Any) -> Callable[[Meaning], Meaning]:
    """Register what functions mean: called with the state, and the arguments as the user gives them."""

    def register(meaning: Meaning) -> Meaning:
        for function in functions:
            _MEANINGS[function] = meaning
        return meaning

    return register


def meaning_of(function: Any) -> Meaning | None:
    """Return what a function means, None where it is not known."""
    try:
        return _MEANINGS.get(function)
    except TypeError:  # it has no hash
        return None


def applied(state: State, meaning: Meaning, args: list[Value], keywords: dict[str, Value]) -> Value:
    """Call what a function means; arguments that it does not know are refused."""
    try:
        inspect.signature(meaning).bind(state, *args, **keywords)
    except TypeError:
        given = ", ".join(keywords) or f"{len(args)} arguments"
        raise state.refused(f"a call with {given}, which is not known in loops") from None
    return meaning(state, *args, **keywords)
