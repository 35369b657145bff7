"""Calls of the user's functions: plain, with a gradient of their own, or recomputed.

A plain function is read and interpreted. What cannot be read, because it is not written in Python, may
return anything, which varies if an argument does.
"""

from __future__ import annotations

import types
from typing import Any

from tapeless.analysis.abstract import Value
from tapeless.analysis.interpret.call_sites import CallSite
from tapeless.analysis.interpret.closures import unknown_result
from tapeless.analysis.interpret.custom_calls import call_custom
from tapeless.analysis.interpret.state import Interpreter
from tapeless.analysis.interpret.summaries import call_core
from tapeless.analysis.interpret.unseen import may_store, note_unseen
from tapeless.errors import TapelessError
from tapeless.normalize.dataclass_constructors import (
    class_constructed_by,
    fields_passed,
)
from tapeless.protocol.authors import author_of
from tapeless.recompute import recomputed_function
from tapeless.tree.function import CoreFunction


def call_function(
    interpreter: Interpreter, found: Any, site: CallSite, uninitialized: bool = False
) -> Value:
    """Interpret a call of a function of the user's, or of an unknown thing.

    `uninitialized` says that the first argument is an object that has no attribute yet.
    """
    again = recomputed_function(found)
    if again is not None:
        return call_core(interpreter, interpreter.program.core(again), site, again=True)
    custom = author_of(found)
    if custom is not None:
        return call_custom(interpreter, custom, site)
    readable = isinstance(found, types.FunctionType)
    core = _readable_core(interpreter, found, site) if readable else None
    if core is None:
        return unknown_call(interpreter, found, site.given)
    return call_core(
        interpreter, interpreter.program.initializing(core) if uninitialized else core, site
    )


def unknown_call(interpreter: Interpreter, found: Any, given: list[Value]) -> Value:
    """Interpret a call of which nothing is known but what it is given."""
    if may_store(found):
        note_unseen(interpreter, given)
    return unknown_result(interpreter, given)


def _readable_core(interpreter: Interpreter, target: Any, site: CallSite) -> CoreFunction | None:
    """Return a function in the core language; None for one of the tool's own that is not in it."""
    cls = class_constructed_by(target)
    if cls is not None:
        passed = fields_passed(cls, len(site.arguments) - 1, set(site.named))
        return interpreter.program.constructor(cls, passed)
    try:
        return interpreter.program.core(target)
    except TapelessError:
        if str(getattr(target, "__module__", "")).startswith("tapeless."):
            return None
        raise
