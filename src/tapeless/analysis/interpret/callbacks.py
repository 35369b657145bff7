"""Functions that are given to code which is not looked into: it may call them, with anything.

What such a function changes besides its own names is changed at a moment that the text does not tell.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import gast

from tapeless.analysis.abstract import NOTHING, Value
from tapeless.analysis.facts import Callee
from tapeless.analysis.function_values import is_bound, is_told
from tapeless.analysis.interpret.binding import bind_arguments, default_values
from tapeless.analysis.interpret.call_sites import Argument, CallSite, captured_in
from tapeless.analysis.interpret.changes_by_customs import (
    changed_by,
    changed_by_text,
    made_to_vary,
    note_changes,
    reached_from,
)
from tapeless.analysis.interpret.state import Interpreter, StoredRegions
from tapeless.analysis.interpret.summaries import NeverReturnsError, call_core
from tapeless.analysis.interpret.unseen import let_hold_anything
from tapeless.errors import TapelessError
from tapeless.kinds import (
    UNKNOWN,
    Function,
    Instance,
    Kind,
    Region,
    Tuple,
    functions_in,
    is_number,
    regions_of,
)
from tapeless.protocol.authors import author_of
from tapeless.ranks import literal
from tapeless.runtime.memory import owner_of_memory
from tapeless.tree.function import CoreFunction


def note_callbacks(interpreter: Interpreter, values: Iterable[Value]) -> None:
    """Note what functions among some values store into: the present statement may call them."""
    values = list(values)
    callbacks = _callbacks_among(interpreter, [v for v in values if not is_number(v.kind)])
    if callbacks:
        interpreter.callbacks[interpreter.statement] = [
            thing for each in callbacks for thing in reached_from(interpreter, each.function.value)
        ]
    regions = _changed_by_any(interpreter, callbacks)
    if not regions:
        return
    met = [v for v in interpreter.env.values() if regions_of(v.kind) & regions]
    vary: set[Region] = set()
    if any(map(interpreter.holds_varied, [*values, *met])):
        vary = vary.union(*(_made_to_vary(interpreter, each) for each in callbacks))
    note_changes(interpreter, regions, vary)


def changed_by_callbacks(interpreter: Interpreter, values: Iterable[Value]) -> set[Region]:
    """Return the regions that functions among some values store into when they are called."""
    return _changed_by_any(interpreter, _callbacks_among(interpreter, values))


def _changed_by_any(interpreter: Interpreter, callbacks: list[Callback]) -> set[Region]:
    return set().union(*(_changed_by(interpreter, callback) for callback in callbacks))


def _callbacks_among(interpreter: Interpreter, values: Iterable[Value]) -> list[Callback]:
    """List the functions that some values are, or hold."""
    kinds = [v.kind for v in values]
    held = [interpreter.heap.get(region, {}) for region in interpreter.held_by(kinds)]
    kinds += [v.kind for slots in held for v in slots.values()]
    return [found for kind in kinds for found in callbacks_in(interpreter, kind)]


@dataclass(frozen=True)
class Callback:
    """A function that somebody may call, and values that it is always given."""

    function: Function
    values: tuple[Value, ...] = ()
    named: tuple[tuple[str, Value], ...] = ()


def callbacks_in(interpreter: Interpreter, kind: Kind) -> list[Callback]:
    """List the functions that a value is, may be or holds in a tuple."""
    if is_bound(kind) and is_told(kind):
        function, held, labels = kind.items
        own = [Value(k) for k in held.items]  # type: ignore[attr-defined]
        return _given(callbacks_in(interpreter, function), own, list(literal(labels)))
    if isinstance(kind, Tuple):
        return [found for item in kind.items for found in callbacks_in(interpreter, item)]
    if isinstance(kind, Instance):
        own = [Value(kind)]
        methods = (inspect.getattr_static(o.cls, "__call__", None) for o in kind.alternatives)
        found = [Callback(Function(m)) for m in methods if isinstance(m, types.FunctionType)]
        return _given(found, own, [])
    found = [Callback(function) for function in functions_in(kind)]
    return [part for each in found for part in _opened(interpreter, each)]


def _opened(interpreter: Interpreter, callback: Callback) -> list[Callback]:
    """Take apart a method and a `functools.partial` outside: the function, and the values of its own."""
    value: Any = callback.function.value
    if isinstance(value, types.MethodType):
        function, own, keys = value.__func__, [value.__self__], []
    elif isinstance(value, functools.partial):
        function, own, keys = value.func, [*value.args, *value.keywords.values()], [*value.keywords]
    else:
        return [callback]
    values = [Value(_kind_outside(interpreter, x)) for x in own]
    return _given(_opened(interpreter, Callback(Function(function))), values, keys)


def _given(callbacks: list[Callback], own: list[Value], keys: list[str]) -> list[Callback]:
    """Return functions further values, the last of them by name."""
    first = len(own) - len(keys)
    named = tuple(zip(keys, own[first:], strict=True))
    return [
        Callback(each.function, (*each.values, *own[:first]), (*each.named, *named))
        for each in callbacks
    ]


def _kind_outside(interpreter: Interpreter, thing: Any) -> Kind:
    return interpreter.abstract(thing, ("external", id(owner_of_memory(thing))))


def _changed_by(interpreter: Interpreter, callback: Callback) -> set[Region]:
    core = core_of(interpreter, callback.function)
    if core is None and not isinstance(callback.function.value, types.FunctionType):
        return set()
    callee = core and called_with_anything(interpreter, callback, core)
    if callee:
        return changed_by(callee)
    own = [*callback.values, *(value for _, value in callback.named)]
    own += [interpreter.env.get(c, NOTHING) for c in callback.function.captured]
    outside = changed_by_text(reached_from(interpreter, callback.function.value))
    kinds = [*(v.kind for v in own), *(_kind_outside(interpreter, x) for x in outside)]
    return interpreter.held_by(kinds)


def _made_to_vary(interpreter: Interpreter, callback: Callback) -> set[Region]:
    """Return the regions into which a function may store what varies, where it is given what does."""
    core = core_of(interpreter, callback.function)
    callee = core and called_with_anything(interpreter, callback, core, varied=True)
    if callee:
        return made_to_vary(callee)
    regions = _changed_by(interpreter, callback)
    let_hold_anything(interpreter, regions)
    return regions


def called_with_anything(
    interpreter: Interpreter, callback: Callback, core: CoreFunction, varied: bool = False
) -> Callee | None:
    """Return a function as code that is not looked into may call it; None where that is not known."""
    function, named = callback.function, dict(callback.named)
    positional = [p.id for p in [*core.tree.args.posonlyargs, *core.tree.args.args]]
    free = [p for p in positional if p not in core.captured][len(callback.values) :]
    needed = [p for p in free if p not in default_values(core) and p not in named]
    values = [*callback.values, *[Value(UNKNOWN, varied)] * len(needed)]
    site = CallSite(
        interpreter.statement,
        tuple(Argument(None, value) for value in values),
        {key: Argument(None, value) for key, value in named.items()},
    )
    if bind_arguments(core, site) is None:
        return None
    before = interpreter.stored, interpreter.varied, interpreter.unseen, interpreter.callees
    interpreter.stored, interpreter.varied = StoredRegions(), set(interpreter.varied)
    interpreter.unseen, interpreter.callees = {}, {}
    try:
        call_core(interpreter, core, site, captured_in(interpreter.env, function.captured))
        return interpreter.callees.get(interpreter.statement)
    except (TapelessError, NeverReturnsError):
        return None
    finally:
        interpreter.stored, interpreter.varied, interpreter.unseen, interpreter.callees = before


def core_of(interpreter: Interpreter, function: Function) -> CoreFunction | None:
    """Return a function of the user's in the core language; None for what only looks, or cannot be read."""
    value: Any = function.value
    if isinstance(value, CoreFunction):
        return value
    if type(value) is gast.FunctionDef:
        return interpreter.program.cores.get(value)
    if not isinstance(value, types.FunctionType):
        return None
    try:
        return interpreter.program.core(author_of(value) or value)
    except TapelessError:
        return None
