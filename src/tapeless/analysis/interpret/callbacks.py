"""Functions that are given to code which is not looked into: it may call them, with anything.

What such a function changes besides its own names is changed at a moment that the text does not tell.
"""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import gast

from tapeless.analysis.abstract import NOTHING, Value
from tapeless.analysis.interpret.binding import bind_arguments, default_values
from tapeless.analysis.interpret.closures import functions_in
from tapeless.analysis.interpret.summaries import NeverReturnsError, call_core
from tapeless.custom import author_of
from tapeless.errors import TapelessError
from tapeless.kinds import UNKNOWN, Function, Region, regions_of
from tapeless.tree.function import CoreFunction

if TYPE_CHECKING:
    from tapeless.analysis.interpret.interpreter import Interpreter


def note_callbacks(interpreter: Interpreter, values: Iterable[Value]) -> None:
    """Note what functions among some values store into: the present statement may call them."""
    values = list(values)
    regions = changed_by_callbacks(interpreter, values)
    if not regions:
        return
    interpreter.stored |= regions
    met = [v for v in interpreter.env.values() if regions_of(v.kind) & regions]
    if any(map(interpreter.holds_varied, [*values, *met])):
        interpreter.varied |= regions
    interpreter.unseen.setdefault(interpreter.statement, set()).update(regions)


def changed_by_callbacks(interpreter: Interpreter, values: Iterable[Value]) -> set[Region]:
    """Give the regions that functions among some values store into when they are called."""
    functions = [f for v in values for f in functions_in(v.kind)]
    return set().union(*(_changed_by(interpreter, function) for function in functions))


def _changed_by(interpreter: Interpreter, function: Function) -> set[Region]:
    core = _core_of(interpreter, function)
    if core is None:
        return set()
    captured = [interpreter.env.get(c, NOTHING) for c in function.captured]
    defaults = default_values(core)
    positional = [p.id for p in [*core.tree.args.posonlyargs, *core.tree.args.args]]
    needed = [p for p in positional if p not in core.captured and p not in defaults]
    args = [gast.Constant(None, None) for _ in needed]
    if bind_arguments(core, args, {}) is None:
        return interpreter.held_by([v.kind for v in captured])
    before = interpreter.stored, interpreter.varied, interpreter.unseen, interpreter.callees
    interpreter.stored, interpreter.varied = set(), set(interpreter.varied)
    interpreter.unseen, interpreter.callees = {}, {}
    try:
        names = [gast.Name(c, gast.Load(), None, None) for c in function.captured]
        call_core(
            interpreter, core, args, [Value(UNKNOWN)] * len(args), {}, {}, interpreter.statement,
            names, captured,
        )  # fmt: skip
        return interpreter.stored & _seen(interpreter)
    except (TapelessError, NeverReturnsError):
        return interpreter.held_by([v.kind for v in captured])
    finally:
        interpreter.stored, interpreter.varied, interpreter.unseen, interpreter.callees = before


def _seen(interpreter: Interpreter) -> set[Region]:
    """Give the regions that this function knows of: what a callee made for itself is gone."""
    return {r for r in interpreter.stored if r != ("gone",)}


def _core_of(interpreter: Interpreter, function: Function) -> CoreFunction | None:
    """Give a function of the user's in the core language; None for what only looks."""
    value: Any = function.value
    if isinstance(value, CoreFunction):
        return value
    if isinstance(value, gast.FunctionDef):
        return None if value.decorator_list else interpreter.effects.cores[value]
    if not isinstance(value, types.FunctionType) or author_of(value) is not None:
        return None
    try:
        return interpreter.effects.core(value)
    except TapelessError:
        return None
