"""Calls of functions in the core language, through summaries.

The callee is interpreted for what is known of its arguments, in regions of its own, once for all calls
that look alike. What it returns, stores into and makes vary is then said in terms of the caller.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import gast

from tapeless.analysis.abstract import (
    NOTHING,
    Heap,
    Value,
    any_slot,
    is_adjoint_memory,
    literal_kind,
)
from tapeless.analysis.facts import Callee, Facts
from tapeless.analysis.interpret.binding import Default, Passed, bind_arguments, expression_of
from tapeless.analysis.interpret.call_sites import Argument, CallSite
from tapeless.analysis.interpret.class_values import keep_of_classes
from tapeless.analysis.interpret.closures import open_closures, passed_on, sealed
from tapeless.analysis.interpret.items import item_of
from tapeless.analysis.interpret.renaming import UNLIKE, Renaming
from tapeless.analysis.interpret.state import Interpreter
from tapeless.analysis.interpret.unseen import note_changed_among, note_unseen
from tapeless.analysis.interpret.written_out import note_texts, told_by_callee, told_to_callee
from tapeless.analysis.repeatable import logs_of
from tapeless.analysis.tuples import tuple_of
from tapeless.errors import TapelessError, refused_at
from tapeless.kinds import (
    UNKNOWN,
    Dict,
    Integer,
    Iterator,
    Memory,
    Region,
    regions_of,
)
from tapeless.tree.function import CoreFunction

_GONE: Region = ("gone",)  # memory of callees that nothing else can reach
_OUTSIDE: Region = ("outside",)  # holds what varies outside the arguments


class NeverReturnsError(Exception):
    """A recursive call of which no way back is known yet: what follows it is not reached yet."""


def call_core(
    interpreter: Interpreter,
    core: CoreFunction,
    site: CallSite,
    captured: Sequence[Argument] = (),
    again: bool = False,
) -> Value:
    """Interpret a call of a function in the core language."""
    bound = bind_arguments(core, site)
    if bound is None:
        met = [*site.given, *(argument.value for argument in captured)]
        note_unseen(interpreter, met)
        return Value(UNKNOWN, any(map(interpreter.holds_varied, met)))
    tree, first = site.tree, site.arguments[0].tree if site.arguments else None
    passed = [*map(expression_of, bound), *(argument.tree for argument in captured)]
    incoming = [argument_value(interpreter, core, b, i) for i, b in enumerate(bound)]
    captured_values = [argument.value for argument in captured]
    incoming = [passed_on(interpreter, v) for v in [*incoming, *captured_values]]
    if isinstance(first, gast.Name) and first.id == interpreter.uninitialized:
        core = interpreter.program.initializing(core)
    core, extra = open_closures(interpreter, core, incoming)
    incoming = [replace(v, varied=interpreter.is_varied(v)) for v in incoming]
    incoming = interpreter.program.widened(core, incoming)
    passed += [gast.Name(c, gast.Load(), None, None) for c in extra]
    line = getattr(interpreter.statement, "lineno", None)
    with refused_at(interpreter.function.filename, line):
        facts, renaming, inner, heap = _summary(interpreter, core, incoming)
    if facts.changes_unknown:
        note_changed_among(interpreter, incoming)
    _refuse_changed_defaults(interpreter, core, bound, inner, facts)
    if again:
        logs = logs_of(facts.function.tree, facts)
        facts = replace(facts, stored=facts.stored - logs, varied=facts.varied - logs)
    callee = interpreter.callees[interpreter.statement] = Callee(
        facts.function, inner, heap, tuple(passed), facts, renaming.originals(),
        interpreter.point(tree), again,
    )  # fmt: skip
    if facts.returned == NOTHING and not facts.before:
        raise NeverReturnsError
    if core.yields and facts.returned == NOTHING:
        iterator = _endless(interpreter, core, facts, [*incoming, *captured_values])
    else:
        result = _come_back(interpreter, callee, renaming)
        if not core.yields or interpreter.holds_varied(result):
            return result
        iterator = Value(Iterator(item_of(interpreter, result, Integer(), tree).kind))
    interpreter.callees[interpreter.statement] = replace(callee, stays_generator=True)
    return iterator


def _refuse_changed_defaults(
    interpreter: Interpreter,
    core: CoreFunction,
    bound: list[Passed],
    inner: tuple[Value, ...],
    facts: Facts,
) -> None:
    """Refuse a default into which a call puts what varies: the next one would find it there."""
    for parameter, passed, value in zip(core.parameters, bound, inner, strict=False):
        changed = regions_of(value.kind) & facts.stored & facts.varied
        if isinstance(passed, Default) and changed:
            interpreter.refuse_here(
                f"'{core.name}' changes the default of its parameter '{parameter}'",
                f"pass '{parameter}', or make it inside the function",
            )


def _summary(
    interpreter: Interpreter, core: CoreFunction, incoming: list[Value]
) -> tuple[Facts, Renaming, tuple[Value, ...], Heap]:
    """Interpret a function for what it gets, and for the state outside that it meets as it is now.

    What it meets is found by interpreting it. One that does not meet what was changed is the same for
    all callers.
    """
    program = interpreter.program
    keep_of_classes(interpreter, incoming)
    changed = interpreter.changed_outside()
    shared = changed & program.meeting.get(core, frozenset())
    while True:
        renaming = renaming_of(interpreter, shared)
        inner, heap = renaming.arguments(incoming)
        if any(is_adjoint_memory(v.kind) for v in inner):
            memory = Value(Memory(renaming.varied_mirrors()))
            inner = tuple(memory if is_adjoint_memory(v.kind) else v for v in inner)
        try:
            heap |= varied_outside(interpreter, shared) | told_to_callee(interpreter, renaming)
            facts = program.analyse(core, inner, heap)
            met = facts.outside
        except TapelessError:
            if shared == changed:
                raise
            met = changed  # it may do with what the state is now
        if met & changed <= shared:
            break
        shared |= met & changed
        program.meeting[core] = program.meeting.get(core, frozenset()) | shared
    return facts, renaming, inner, heap


def varied_outside(interpreter: Interpreter, shared: frozenset[Region]) -> Heap:
    """Say to a callee which state outside varies by itself, and not by what its slots hold."""
    varied = shared & interpreter.varied
    if not varied:
        return {}
    known = list(interpreter.program.known.values())
    things = {region: thing for thing, region in known if region in varied}
    kinds = {region: interpreter.abstract(thing, region) for region, thing in things.items()}
    return {_OUTSIDE: {region: Value(kind, True) for region, kind in kinds.items()}}


def _endless(
    interpreter: Interpreter, core: CoreFunction, facts: Facts, given: list[Value]
) -> Value:
    """Return what a generator without an end may be: an iterator, of which no list can be made.

    What carries a derivative is reached once the loop over it is written in its steps.
    """
    if any(map(interpreter.holds_varied, given)) or facts.stored & facts.varied:
        return NOTHING
    key = core.tree.body[0].targets[0].id
    kinds = {env[key].kind for env in facts.before.values() if key in env}
    regions = frozenset(r for kind in kinds for r in regions_of(kind))
    return Value(Iterator(any_slot(facts.heap, regions, "yielded").kind))


def argument_value(
    interpreter: Interpreter, core: CoreFunction, passed: Passed, position: int
) -> Value:
    """Return what is known of what a parameter gets."""
    if isinstance(passed, list):
        return tuple_of(argument.value for argument in passed)
    if isinstance(passed, dict):
        made = Dict(frozenset([("keywords", core.name, interpreter.point(interpreter.statement))]))
        for key, argument in passed.items():
            interpreter.put(made.regions, key, argument.value)
        note_texts(interpreter, made, list(passed))
        return Value(made, any(argument.value.varied for argument in passed.values()))
    if isinstance(passed, Default) and isinstance(passed.value, (str, bool)):
        return Value(literal_kind(passed.value))
    if isinstance(passed, Default):
        return Value(interpreter.abstract(passed.value, ("default", core.name, position)))
    return passed.value


def renamed_arguments(
    interpreter: Interpreter, given: list[Value]
) -> tuple[tuple[Value, ...], Heap]:
    """Return what a callee is given, and what it finds in there, by its own names for the regions."""
    keep_of_classes(interpreter, given)
    return renaming_of(interpreter).arguments(given)


def renaming_of(interpreter: Interpreter, shared: frozenset[Region] = frozenset()) -> Renaming:
    """Return the names that a callee has for the regions of this function."""
    heap = {
        region: {slot: sealed(interpreter, value) for slot, value in slots.items()}
        for region, slots in interpreter.heap.items()
    }
    return Renaming(heap, interpreter.varied, shared)


def _come_back(interpreter: Interpreter, callee: Callee, renaming: Renaming) -> Value:
    """Take over what the callee did to the heap, in terms of the caller's regions."""
    facts, seen, point = callee.facts, callee.seen_outside, callee.point
    left = callee.heap.get(UNLIKE, {}).keys() - facts.stored  # each is as it was
    for region in sorted((seen & set(facts.heap)) - left, key=repr):
        owners = renaming.back(frozenset([region]), point)
        slots = facts.heap[region].items() if owners else ()
        held = [(slot, renaming.value_back(v, point, (region, slot))) for slot, v in slots]
        for owner in owners:
            for slot, value in held:
                interpreter.put(frozenset([owner]), slot, value)
            interpreter.heap.setdefault(owner, {})
    told_by_callee(interpreter, callee, renaming)
    stored = frozenset(facts.stored & seen)
    interpreter.stored |= renaming.back(stored - facts.stored_at_keys, point)
    interpreter.stored.add_at_keys(renaming.back(stored & facts.stored_at_keys, point))
    if facts.stored - seen:
        interpreter.stored.add(_GONE)  # what a call keeps for its reverse sweep may hold it
    interpreter.varied |= renaming.back(frozenset(facts.varied & seen), point)
    return renaming.value_back(facts.returned, point, ("returned",))
