"""What the bodies of custom gradients change of objects and of state outside.

    @custom_gradient
    def solve(b):
        history.append(np.sum(b))       changes `history`
        ...

Such a body is run as it is: its stores are no statements that the reverse sweep could undo one by one.
So its call counts as one that stores, unseen, into what it changes.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import gast

from tapeless.analysis.abstract import NOTHING
from tapeless.analysis.facts import Callee
from tapeless.analysis.interpret.state import Interpreter
from tapeless.analysis.reached import functions_reached, places_rebound
from tapeless.externals import MISSING, resolve
from tapeless.kinds import Region, differentiable, functions_in, regions_of
from tapeless.rules.stores import method_stores
from tapeless.runtime.memory import owner_of_memory
from tapeless.source.texts import Text, text_of
from tapeless.tree.classes import SLOTS
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import binds_in_block, nodes, parameters
from tapeless.tree.trees import Tree


def changed_by(callee: Callee) -> set[Region]:
    """Return the regions, as the caller names them, into which a callee stores."""
    inside = callee.stores_outside_itself
    return {outer for region in inside for outer in callee.seen_by_caller(region)}


def made_to_vary(callee: Callee) -> set[Region]:
    """Return the regions, as the caller names them, into which a callee stores what varies."""
    varied = {outer for region in callee.facts.varied for outer in callee.seen_by_caller(region)}
    return changed_by(callee) & varied


def note_changes(interpreter: Interpreter, changed: set[Region], varied: set[Region]) -> None:
    """Note that the present statement may store into regions, and into which of them what varies."""
    if changed:
        interpreter.stored |= changed
        interpreter.varied |= varied
        interpreter.unseen.setdefault(interpreter.statement, set()).update(changed)


def note_changes_by_text(interpreter: Interpreter, author: Any, varied: bool) -> None:
    """Note what a body changes that cannot be interpreted, as far as its text shows it."""
    for thing in changed_by_text(reached_from(interpreter, author)):
        kind = interpreter.abstract(thing, ("external", id(owner_of_memory(thing))))
        changed = set(regions_of(kind))
        held = [v.kind for r in changed for v in interpreter.heap.get(r, {}).values()]
        carries = varied and any(map(differentiable, [kind, *held]))
        note_changes(interpreter, changed, changed if carries else set())


def reached_from(interpreter: Interpreter, author: Any) -> list[Any]:
    """List the things outside from which a function reaches all others: itself, or what a local one names."""
    met, todo, found = set(), [author], []
    while todo:
        author = todo.pop()
        core = interpreter.program.cores.get(author) if _is_local(author) else author
        if not isinstance(core, CoreFunction):
            found += [author] if callable(author) else []
        elif core not in met:
            met.add(core)
            kinds = [interpreter.env.get(key, NOTHING).kind for key in core.captured]
            todo += [inner.value for kind in kinds for inner in functions_in(kind)]
            places = [p for p in nodes(core.tree) if type(p) in (gast.Name, gast.Attribute)]
            found += [thing for thing in map(core.resolve, places) if thing is not MISSING]
    return found


def _is_local(author: Any) -> bool:
    return type(author) is gast.FunctionDef


def changed_by_text(start: Any) -> Iterator[Any]:
    """Return the things outside that the texts of the functions store into which a thing reaches.

    What a name stands for that is bound anew may have been changed before: `shared += [x]`.
    """
    for function in functions_reached(start):
        text = text_of(function)
        if text is not None:
            yield from changed_in(text, nodes(text.tree))
    found = (place.value for place in places_rebound(start))
    yield from (thing for thing in found if thing is not MISSING)


def changed_in(text: Text, parts: Iterable[Any]) -> Iterator[Any]:
    """Return the things outside that parts of a text store into."""
    local = binds_in_block(text.tree.body) | set(parameters(text.tree))
    for part in parts:
        found = changed_place(part, lambda place: resolve(place, text.externals, local))
        if found is not None and found[1] is not MISSING:
            yield found[1]


def changed_place(part: Tree, resolved: Callable[[Any], Any]) -> tuple[Any, Any] | None:
    """Return what a part of a text changes in place: the expression, and what it stands for."""
    place: Any = None
    if type(part) in SLOTS:
        place = None if type(part.ctx) is gast.Load else part.value
    elif type(part) is gast.Call and type(part.func) is gast.Attribute:
        place = part.func.value if method_stores(part.func.attr) else None
    if place is None:
        return None
    thing = resolved(place)
    calls_code = type(part) is gast.Call and isinstance(thing, (types.ModuleType, type))
    return None if calls_code else (place, thing)
