"""Calls of `functools.singledispatch`: which function serves an object is told by its class.

    @functools.singledispatch
    def energy(part, x): ...

    @energy.register
    def _(part: Spring, x): ...

What `singledispatch` returns asks its `dispatch` for the class of the first argument, and calls what it gets.
"""

from __future__ import annotations

import types
from dataclasses import dataclass
from typing import Any

from tapeless.analysis.abstract import Value
from tapeless.analysis.interpret.call_sites import CallSite
from tapeless.analysis.interpret.state import Interpreter
from tapeless.cache import watch
from tapeless.externals import External
from tapeless.kinds import Function, Functions


@dataclass(frozen=True)
class _Serving:
    """The function that serves a class, looked up like a name in a module."""

    dispatch: Any
    cls: type

    def get(self, key: str, missing: Any) -> Any:
        """Return the function that serves the class now."""
        return self.dispatch(self.cls)


def call_of_dispatch(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret the look-up of the function that serves a class; None for any other call."""
    if not _dispatches(found) or len(site.values) != 1:
        return None
    kind = site.values[0].kind
    classes = [kind] if isinstance(kind, Function) else [*getattr(kind, "choices", ())]
    if not classes or not all(isinstance(each.value, type) for each in classes):
        return None
    for each in classes:
        serving = _Serving(found, each.value)
        interpreter.program.watched.append(watch(External(serving, found.__name__)))
    choices = frozenset(Function(found(each.value)) for each in classes)
    return Value(next(iter(choices)) if len(choices) == 1 else Functions(choices))


def _dispatches(found: Any) -> bool:
    """Whether a function is the `dispatch` within what `singledispatch` returned."""
    plain = isinstance(found, types.FunctionType) and found.__module__ == "functools"
    return plain and found.__qualname__ == "singledispatch.<locals>.dispatch"
