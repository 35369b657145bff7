"""What custom gradients change at a time that a derivative does not keep to.

A `grad` runs in the reverse sweep, or beside its function in forward mode, and never in a plain call.
What it stores into counts nothing for the function, unless the function reads it: that is refused. And
a `global` that the body of a custom gradient binds anew is bound once, as in a plain call; a function
that reads that name by itself would be read for the value of today.
"""

from __future__ import annotations

import dis
import inspect
import types
from dataclasses import dataclass
from typing import Any

import gast

from tapeless.analysis.abstract import Known
from tapeless.analysis.facts import Body, Callee, Facts, facts_within
from tapeless.analysis.function_values import is_bound
from tapeless.analysis.interpret.callbacks import Callback, called_with_anything, core_of
from tapeless.analysis.interpret.changes_by_customs import changed_by, changed_in
from tapeless.analysis.interpret.run import Interpretation
from tapeless.analysis.logs import named_in_grad, read_by, regions_of_name, rules_within
from tapeless.analysis.reached import (
    attributes_bound_by,
    functions_reached,
    places_rebound,
    rebound_by,
)
from tapeless.analysis.repeatable import (
    attributes_read,
    attributes_stored,
    head_of,
    is_stored,
    statements_of,
)
from tapeless.externals import MISSING, External
from tapeless.kinds import Function, Instance, Kind, Region, Tuple
from tapeless.regions import is_outside
from tapeless.runtime.memory import owner_of_memory
from tapeless.sorts import is_plain_object
from tapeless.source.reader import codes_within
from tapeless.source.texts import text_of
from tapeless.specialize.program import AnalysedProgram
from tapeless.tree.names import functions_within, nodes
from tapeless.tree.trees import Stmt, Tree


@dataclass(frozen=True)
class _Changes:
    """What a `grad` stores into: memory, and attributes of the objects among it."""

    regions: frozenset[Region]
    attributes: frozenset[str] = frozenset()
    objects: frozenset[Region] = frozenset()


def check_custom_calls(root: Facts, program: AnalysedProgram) -> None:
    """Refuse what a custom gradient changes, and what its derivative would find at the wrong time.

    Raises
    ------
    GradientError
        If a function reads what a `grad` stores into, or a name that a custom gradient binds anew.
    """
    everywhere = facts_within(root)
    calls = [(facts, s, body) for facts in everywhere for s, body in facts.custom_calls.items()]
    bodies = [f for *_, body in calls if body.callee for f in facts_within(body.callee.facts)]
    for facts, s, body in calls:
        label = str(getattr(body.author, "__name__", getattr(body.author, "name", "?")))
        what = f"the custom gradient '{label}'"
        read = [*_rebound_and_read(body.start, everywhere), *_rebound_and_read_in_grads(body.start)]
        _check_names(facts, s, what, read)
        _check_attributes(facts, s, what, body.start, everywhere)
        changes = _changed_by_grads(body, program)
        _check_unread(facts, s, label, changes, [*everywhere, *bodies], program.known)
    for facts in everywhere:
        for s, functions in facts.callbacks.items():
            what = "a function that may be called here"
            _check_names(facts, s, what, _rebound_and_read(functions, everywhere))
            _check_attributes(facts, s, what, functions, everywhere)
    for facts, s, rule in rules_within(everywhere):
        label = getattr(rule.primal, "__name__", "?")
        changes = _changes_by_text(rule.function, program.known)
        _check_unread(facts, s, label, changes, [*everywhere, *bodies], program.known)


def _check_unread(
    facts: Facts, s: Stmt, label: str, changes: _Changes, everywhere: list[Facts], known: Known
) -> None:
    """Refuse the call of a statement if what its `grad` changes is read anywhere."""
    for each in everywhere if changes.regions else ():
        read = _read_of(each, changes, known)
        if read is not None:
            raise facts.function.error(
                s, f"the gradient function of '{label}' changes {read}, which is read "
                "where it is differentiated",
                "change it in the function itself, which runs once",
            )  # fmt: skip


# Names outside


def _check_names(facts: Facts, s: Stmt, what: str, rebound: list[External]) -> None:
    """Refuse the call of a statement if a name that is bound anew by it is read."""
    for place in rebound:
        name = "the global" if isinstance(place.owner, dict) else "the name"
        raise facts.function.error(
            s, f"{what} binds {name} `{place.key}` anew, which is read where it is differentiated",
            f"keep it in a list or in an attribute: `state.{place.key} = ...`",
        )  # fmt: skip


def _check_attributes(
    facts: Facts, s: Stmt, what: str, start: Any, everywhere: list[Facts]
) -> None:
    """Refuse the call of a statement if an attribute of a module or class that it binds anew is read."""
    bound = {key for function in functions_reached(start) for key in attributes_bound_by(function)}
    for key in sorted(bound):
        if any(_reads_attribute(each, key) for each in everywhere):
            raise facts.function.error(
                s, f"{what} may bind the attribute `{key}` of a module or class anew, which is read "
                "where it is differentiated",
                f"keep it in a list or in an attribute of an object: `state.{key} = ...`",
            )  # fmt: skip


def _reads_attribute(facts: Facts, key: str) -> bool:
    """Whether a function reads an attribute of a module or a class, perhaps through an object."""
    for s in statements_of(facts.function.tree):
        for part in nodes(head_of(s)):
            if type(part) is gast.Attribute and part.attr == key:
                owner = facts.function.resolve(part.value)
                if isinstance(owner, (types.ModuleType, type)):
                    return True
                if type(part.value) is gast.Name and s in facts.before:
                    if _is_of_class(facts, facts.kind(s, part.value.id), key):
                        return True
    return False


def _is_of_class(facts: Facts, kind: Kind, key: str) -> bool:
    """Whether an attribute of an object may be one that its class has, other than a function."""
    if not isinstance(kind, Instance):
        return False
    slots = [facts.heap.get(region, {}) for region in kind.regions]
    held = [inspect.getattr_static(each.cls, key, MISSING) for each in kind.alternatives]
    data = [v for v in held if v is not MISSING and not hasattr(v, "__get__")]
    return bool(data) and not all(key in found for found in slots)


def _rebound_and_read(start: Any, everywhere: list[Facts]) -> list[External]:
    """List the names that functions reached from a thing bind anew, and any function reads."""
    rebound = places_rebound(start)
    return [p for p in rebound if any(_reads_name(each, p.key, p.owner) for each in everywhere)]


def _rebound_and_read_in_grads(start: Any) -> list[External]:
    """List the globals that a custom gradient binds anew, and a function defined in it reads."""
    return [
        place
        for function in functions_reached(start)
        for place in rebound_by(function)
        if isinstance(place.owner, dict)
        and any(_loads(code, place.key) for code in codes_within(function.__code__))
    ]


def _loads(code: types.CodeType, key: str) -> bool:
    found = (i for i in dis.get_instructions(code) if i.argval == key)
    return any(i.opname.startswith("LOAD") for i in found)


def _reads_name(facts: Facts, key: str, owner: Any) -> bool:
    """Whether a function reads a name of a module or scope, by itself or through the module."""
    external = facts.function.externals.get(key)
    by_name = external is not None and external.owner is owner
    for part in nodes(facts.function.tree):
        if by_name and type(part) is gast.Name and part.id == key:
            return True
        if type(part) is gast.Attribute and part.attr == key:
            module = facts.function.resolve(part.value)
            if isinstance(module, types.ModuleType) and vars(module) is owner:
                return True
    return False


# What a `grad` stores into


def _changed_by_grads(body: Body, program: AnalysedProgram) -> _Changes:
    """Find what the functions that a custom gradient returns beside its value store into."""
    callee = body.callee
    found = None if callee is None else _grads_called(callee, program)
    if callee is None or found is None:
        return _changes_by_text(body.author, program.known)
    inside = {r for each in found for r in changed_by(each)}
    entering = {r for r in inside if r in callee.entering or is_outside(r)}
    attributes = {key for each in found for key in attributes_stored(each.facts)}
    regions = {outer for r in entering for outer in callee.seen_by_caller(r)}
    return _Changes(frozenset(regions), frozenset(attributes), _objects(callee, program.known))


def _grads_called(callee: Callee, program: AnalysedProgram) -> list[Callee] | None:
    """Return the functions that a body returns beside its value, as they are called; None if unknown."""
    facts = callee.facts
    found: list[Callee] = []
    for s in (s for s, v in facts.results.items() if type(s) is gast.Return):
        kind = facts.results[s].kind
        items = kind.items if isinstance(kind, Tuple) else ()
        if not items or not isinstance(items[-1], Function) or any(map(is_bound, items)):
            return None
        interpreter = Interpretation(callee.function, program)
        interpreter.heap = {region: dict(slots) for region, slots in facts.heap.items()}
        interpreter.statement, interpreter.env = s, dict(facts.before[s])
        for function in (item for item in items if isinstance(item, Function)):
            core = core_of(interpreter, function)
            called = None
            if core is not None:
                called = called_with_anything(interpreter, Callback(function), core)
            if called is None:
                return None
            found.append(called)
    return found


def _changes_by_text(author: Any, known: Known) -> _Changes:
    """Return what the text of a `grad` stores into, and of all it reaches: attributes of any object."""
    if not isinstance(author, types.FunctionType):
        return _Changes(frozenset())
    own = text_of(author)
    inner = [] if own is None else functions_within(own.tree)
    parts = [part for each in inner for part in nodes(each)]
    things = [] if own is None else list(changed_in(own, parts))
    for text in map(text_of, functions_reached(named_in_grad(author))):
        inside = [] if text is None else nodes(text.tree)
        parts += inside
        things += [] if text is None else changed_in(text, inside)
    attributes = {p.attr for p in parts if type(p) is gast.Attribute and is_stored(p)}
    objects = {region for thing, region in known.values() if is_plain_object(thing)}
    ids = {id(owner_of_memory(thing)) for thing in things}
    regions = {region for key, (_, region) in known.items() if key in ids}
    return _Changes(frozenset(regions | objects), frozenset(attributes), frozenset(objects))


def _objects(callee: Callee, known: Known) -> frozenset[Region]:
    """Return the regions of objects that a callee is given, as its caller names them, and outside."""
    held = [v for slots in callee.heap.values() for v in slots.values()]
    kinds = [v.kind for v in (*callee.values, *held) if isinstance(v.kind, Instance)]
    given = {outer for kind in kinds for r in kind.regions for outer in callee.seen_by_caller(r)}
    return frozenset(given) | {r for thing, r in known.values() if is_plain_object(thing)}


def _read_of(facts: Facts, changes: _Changes, known: Known) -> str | None:
    """Spell what a function reads of what a `grad` stores into, other than in adding to it."""
    tree = facts.function.tree
    grads = {id(s) for d in functions_within(tree) for s in statements_of(d)}
    plain, objects = changes.regions - changes.objects, changes.regions & changes.objects
    for s in statements_of(tree):
        if id(s) in grads or s in facts.custom_calls:
            continue
        parts = [(part, _regions_of(part, s, facts, known)) for part in nodes(head_of(s))]
        taken = {id(part.value): part for part, _ in parts if _is_read(part, changes.attributes)}
        callee = facts.callees.get(s)
        inside = callee is not None and changes.attributes & attributes_read(callee.facts)
        read = [part for part, found in parts if found & objects and (id(part) in taken or inside)]
        if read or plain & read_by(s, facts, known):
            read += [part for part, found in parts if found & plain]
            shown = [facts.function.spelled(taken.get(id(p), p), "state") for p in read]
            return shown[0] if shown else "state"
    return None


def _is_read(part: Tree, attributes: frozenset[str]) -> bool:
    taken = type(part) is gast.Attribute and type(part.ctx) is gast.Load
    return taken and part.attr in attributes


def _regions_of(tree: Tree, s: Stmt, facts: Facts, known: Known) -> set[Region]:
    """Return the memory that a name, or an attribute of something outside, stands for."""
    if type(tree) is gast.Name:
        return regions_of_name(tree.id, s, facts, known)
    thing = facts.function.resolve(tree) if type(tree) is gast.Attribute else MISSING
    found = None if thing is MISSING else known.get(id(owner_of_memory(thing)))
    return set() if found is None else {found[1]}
