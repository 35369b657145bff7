"""Calls of custom gradients: their bodies are run, and never differentiated.

The body is interpreted for the kind of the value that it returns. It may not store into its arguments,
for nothing would undo it; and it may read Variables whose gradients are asked for. What it changes of
objects and of state outside counts as changed unseen: where it is read elsewhere it is kept and put back
as a whole.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Sequence
from typing import Any

import gast

from tapeless.analysis.abstract import Value, variable_region
from tapeless.analysis.facts import Body, Callee
from tapeless.analysis.interpret.call_sites import Argument, CallSite
from tapeless.analysis.interpret.changes_by_customs import (
    changed_by,
    made_to_vary,
    note_changes,
    note_changes_by_text,
    reached_from,
)
from tapeless.analysis.interpret.state import Interpreter, StoredRegions
from tapeless.analysis.interpret.summaries import call_core
from tapeless.analysis.reached import variables_reached
from tapeless.errors import TapelessError
from tapeless.kinds import (
    GRAD,
    HASHABLE,
    SOMETHING,
    UNKNOWN,
    Function,
    Instance,
    Kind,
    Region,
    Tuple,
    differentiable,
    moving,
    regions_of,
)
from tapeless.tree.function import CoreFunction
from tapeless.variables import is_variable


def call_custom(
    interpreter: Interpreter, custom: Any, site: CallSite, captured: Sequence[Argument] = ()
) -> Value:
    """Interpret a call of a custom gradient: its body is run, and never differentiated."""
    values, start = site.values, reached_from(interpreter, custom)
    varied = any(v.varied for v in site.given)
    stored, interpreter.stored = (
        interpreter.stored,
        StoredRegions(),
    )  # what its body does is not undone
    regions, interpreter.varied = interpreter.varied, set()
    try:
        core = interpreter.program.core(custom)
        interpreter.program.bodies.add(core.written_as)
        constant = [Argument(a.tree, _constant(a.value)) for a in captured]
        made = call_core(interpreter, core, site.passing(_constant), constant)
    except TapelessError:
        interpreter.callees.pop(interpreter.statement, None)
        interpreter.custom_calls[interpreter.statement] = Body(None, custom, start)
        note_changes_by_text(interpreter, custom, varied)
        return Value(UNKNOWN, reads_variables(interpreter, custom, None, values, regions) or varied)
    finally:
        interpreter.stored, interpreter.varied = stored, regions
    callee = interpreter.callees.pop(interpreter.statement, None)
    interpreter.custom_calls[interpreter.statement] = Body(callee, custom, start)
    varied = reads_variables(interpreter, custom, callee, values, regions) or varied
    if callee is None or not isinstance(made.kind, Tuple) or len(made.kind.items) < 2:
        return Value(UNKNOWN, varied)
    _refuse_stores(interpreter, callee)
    changed = changed_by(callee)
    if changed:
        vary = _made_to_vary(interpreter, changed, core, site, captured) if varied else set()
        note_changes(interpreter, changed, vary)
    returned = [v.kind for s, v in callee.facts.results.items() if type(s) is gast.Return]
    last_two = [k for kind in returned if isinstance(kind, Tuple) for k in kind.items[-2:]]
    has_jvp = len(made.kind.items) == 3 and all(isinstance(k, Function) for k in last_two)
    if len(made.kind.items) == 2 or has_jvp:
        kind = made.kind.items[0]
        if varied:
            _refuse_plain_objects(interpreter, callee.function.name, kind)
            _let_vary(interpreter, kind)
        return Value(UNKNOWN if kind in (SOMETHING, HASHABLE) else kind, varied)
    if varied:
        _let_vary(interpreter, made.kind)
    return Value(Tuple((*made.kind.items[:-1], GRAD)), varied)


def _constant(value: Value) -> Value:
    return Value(moving(value.kind))


def _made_to_vary(
    interpreter: Interpreter,
    changed: set[Region],
    core: CoreFunction,
    site: CallSite,
    captured: Sequence[Argument],
) -> set[Region]:
    """Return the regions, among those that a body changes, into which it stores what varies."""
    kept = interpreter.stored, interpreter.varied, interpreter.heap, interpreter.callees
    interpreter.stored, interpreter.varied = StoredRegions(), set()
    interpreter.heap = {r: dict(slots) for r, slots in kept[2].items()}
    interpreter.callees = dict(kept[3])
    try:
        call_core(interpreter, core, site, captured)
        return changed & made_to_vary(interpreter.callees[interpreter.statement])
    except TapelessError:
        return changed
    finally:
        interpreter.stored, interpreter.varied, interpreter.heap, interpreter.callees = kept


def _refuse_plain_objects(interpreter: Interpreter, label: str, kind: Kind) -> None:
    """Refuse a result whose cotangent would be an object of a class that says no fields."""
    slots = [
        v.kind for r in interpreter.held_by([kind]) for v in interpreter.heap.get(r, {}).values()
    ]
    for part in [kind, *slots]:
        if not isinstance(part, Instance) or is_variable(part):
            continue
        if not all(dataclasses.is_dataclass(each.cls) for each in part.alternatives):
            if not part.cls.__module__.startswith("tapeless."):
                interpreter.refuse_here(
                    f"the custom gradient '{label}' returns an object of class "
                    f"{part.cls.__name__}, which says no fields",
                    "return a dataclass, a tuple or an array",
                )


def _let_vary(interpreter: Interpreter, kind: Kind) -> None:
    """Note that all that can be reached from a result that varies does: which part is not known."""
    held = interpreter.held_by([kind])
    interpreter.varied |= held
    for region in held:
        for key, slot in list(interpreter.heap.get(region, {}).items()):
            interpreter.put(frozenset([region]), key, Value(slot.kind, differentiable(slot.kind)))


def reads_variables(
    interpreter: Interpreter,
    custom: Any,
    callee: Callee | None,
    values: list[Value],
    varied: set[Region],
) -> bool:
    """Note that a custom gradient may read Variables that are asked for; any, if not known."""
    if getattr(custom, "__passes_through__", False):
        return False
    asked = {variable_region(v) for v in interpreter.program.wrt_variables}
    objects = [v.kind for v in values if not is_variable(v.kind)]
    read = asked
    if callee is not None:
        read = asked & (callee.facts.varied | interpreter.held_by(objects))
    elif isinstance(custom, types.FunctionType) and UNKNOWN not in objects:
        reached = {variable_region(v) for v in variables_reached(custom)}
        read = asked & (reached | interpreter.held_by(objects))
    if asked:
        read |= _held_variables(interpreter, objects) & varied
    varied |= read
    interpreter.read_by_customs |= read
    if read:
        interpreter.reading.add(interpreter.statement)
    return bool(read)


def _held_variables(interpreter: Interpreter, objects: list[Kind]) -> set[Region]:
    """Return the regions of Variables in objects: a callee names them by the parameter they come by."""
    held = interpreter.held_by(objects)
    kinds = [v.kind for r in held for v in interpreter.heap.get(r, {}).values()]
    return {r for kind in kinds if is_variable(kind) for r in regions_of(kind)}


def _refuse_stores(interpreter: Interpreter, callee: Callee) -> None:
    """Refuse a custom gradient that stores into its arguments: nothing would undo it."""
    for parameter, value in zip(callee.function.parameters, callee.values, strict=True):
        changed = bool(regions_of(value.kind) & callee.facts.stored)
        if changed and not isinstance(value.kind, Instance):
            interpreter.refuse_here(
                f"the custom gradient '{callee.function.name}' stores into its argument "
                f"'{parameter}'",
                "work on a copy of it",
            )
