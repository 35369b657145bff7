"""Calls of what `functools.lru_cache` or `functools.cache` made: a function that keeps its results.

What is kept for one derivative is of no use to another, and a plain call must not find it: a call that is
given what varies enters the function behind the cache. Any other call stays as it is, and only what it
returns is found out there. That is shared by all calls that are alike, so no store may go into it.
"""

from __future__ import annotations

from typing import Any

from tapeless.analysis.abstract import Value
from tapeless.analysis.interpret.call_sites import CallSite
from tapeless.analysis.interpret.state import Interpreter
from tapeless.analysis.interpret.stopping import stopped
from tapeless.analysis.interpret.summaries import NeverReturnsError
from tapeless.analysis.interpret.user_calls import call_function, unknown_call
from tapeless.errors import TapelessError
from tapeless.kinds import Region
from tapeless.sorts import CACHED

_KEPT = "kept"


def call_of_cached(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret a call of a function whose results are kept; None for any other."""
    if not isinstance(found, CACHED):
        return None
    given_varied = any(map(interpreter.is_varied, site.given))
    value = call_of_cached_method(interpreter, found, site)
    if not given_varied and not interpreter.holds_varied(value):
        interpreter.callees.pop(interpreter.statement, None)  # not entered: it reads what it kept
    return value


def call_of_cached_method(interpreter: Interpreter, found: Any, site: CallSite) -> Value:
    """Interpret a call of a method whose results are kept: what is entered depends on its object."""
    behind, given_varied = found.__wrapped__, any(map(interpreter.is_varied, site.given))
    try:
        value = call_function(interpreter, behind, site)
    except NeverReturnsError:
        raise
    except TapelessError:
        if given_varied:
            raise
        return unknown_call(interpreter, found, site.given)  # it runs as it is, whatever it does
    if given_varied or interpreter.holds_varied(value):
        return value
    return Value(stopped(interpreter, value.kind, (_KEPT, str(behind.__name__))))


def refuse_stores_into_kept(interpreter: Interpreter) -> None:
    """Refuse a store into what a function keeps for its next call."""
    for region in interpreter.stored:
        keeper = _keeper_of(region)
        if keeper is not None:
            interpreter.refuse_here(
                f"this stores into what '{keeper}' returned, which it keeps for its other calls",
                "copy it first",
            )


def _keeper_of(region: Region) -> str | None:
    """Return the name of the function that keeps what lives in a region; None where none does.

    >>> _keeper_of(("made", 7, ("kept", "grid", ("made", "grid", 3))))
    'grid'
    """
    inner: Any = region
    while isinstance(inner, tuple) and inner[0] == "made" and len(inner) > 2:
        inner = inner[2]
    kept = isinstance(inner, tuple) and inner[0] == _KEPT
    return str(inner[1]) if kept else None
