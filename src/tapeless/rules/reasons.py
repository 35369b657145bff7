"""What is known of things that have no rule: why they have no derivative, or what they mean in a text."""

from __future__ import annotations

from typing import Any

from tapeless.rules.declare import find_rule
from tapeless.rules.on_demand import load_built_in

_NO_DERIVATIVE: dict[Any, dict[str, str]] = {}
_UNDERSTOOD: dict[Any, str] = {}


def no_derivative(reason: str, *fns: Any, parameter: str = "") -> None:
    """Say why callables have no derivative, or none in one of their parameters."""
    for fn in fns:
        _NO_DERIVATIVE.setdefault(fn, {})[parameter] = reason


def understood(meaning: str, *things: Any) -> None:
    """Say what is known of things that stand in the text of a program, and have no rule of their own."""
    for thing in things:
        _UNDERSTOOD[thing] = meaning


def meaning_of(thing: Any) -> str | None:
    """Return what was said of a thing that has no rule of its own, None where nothing was."""
    load_built_in()
    try:
        return _UNDERSTOOD.get(thing)
    except TypeError:
        return None


def reason_without(fn: Any, parameter: str = "") -> str | None:
    """Return the reason why a callable has no derivative, None where none was given."""
    find_rule(fn)
    try:
        return _NO_DERIVATIVE.get(fn, {}).get(parameter)
    except TypeError:
        return None
