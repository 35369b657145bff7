"""Whether a test has the same answer when it is asked again in the reverse sweep.

It has if all that it reads is still what it was: names bound once, outside loops or by their headers,
and things that nothing stores into. A number that each trip of a loop binds once costs no more to keep than
the answer, and mostly is kept anyway: where each jump of a loop depends on such a number, no trip need say
where it ended.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.analysis.abstract import reachable
from tapeless.analysis.interpret.class_values import holder_set_in_texts
from tapeless.analysis.special_methods import asks_what_stores
from tapeless.differentiate.reverse.changed_in_place import reads_changed
from tapeless.differentiate.reverse.state import Sweep
from tapeless.kinds import UNKNOWN, Integer, Kind, Real, is_container, regions_of
from tapeless.tree.build import filled, name
from tapeless.tree.classes import ATOMS
from tapeless.tree.endings import always_leaves, own_jumps
from tapeless.tree.names import nodes, reads
from tapeless.tree.trees import Expr, Stmt


def can_be_redone(sweep: Sweep, s: Stmt, test: Expr) -> bool:
    """Whether a test has the same answer in the reverse sweep."""
    for part in nodes(test):
        if type(part) is gast.Call and type(part.func) is gast.Attribute:
            owner = sweep.operand_kind(s, part.func.value)
            if is_container(owner):
                return False
        if type(part) is gast.Attribute:
            owner = sweep.operand_kind(s, part.value)
            if is_container(owner) or holder_set_in_texts(owner, part.attr) is not None:
                return False  # what is stored into a class or module is not undone
    if reads_changed(sweep, [test]) or asks_what_stores(s, sweep.known.facts):
        return False
    for key in dict.fromkeys(reads(test)):
        if key not in sweep.function.local:
            found = sweep.operand_kind(s, name(key))
            if key in sweep.function.externals and _may_change(sweep, found):
                return False
            continue
        if len(sweep.definitions.get(key, [])) > 1 or _is_of_handler(sweep, key):
            return False
        kind = sweep.value(s, key).kind
        if _may_change(sweep, kind) and not _asks_class_only(test, key):
            return False
        if sweep.depth and not _is_steady(sweep, key):
            return False
    return True


def _may_change(sweep: Sweep, kind: Kind) -> bool:
    """Whether a value, or what it holds, may be stored into."""
    held = reachable([kind], sweep.known.heap) | regions_of(kind)
    return bool(held & sweep.facts.stored or (kind == UNKNOWN and sweep.facts.stored))


def _is_of_handler(sweep: Sweep, key: str) -> bool:
    """Whether a name is a caught exception's: it is unbound where the handler ends."""
    return any(type(part) is gast.ExceptHandler for part in sweep.definitions.get(key, []))


def _asks_class_only(test: Expr, key: str) -> bool:
    """Whether a test reads nothing of a name but its class, which no store changes."""
    of_class = [
        part
        for part in nodes(test)
        if type(part) is gast.Call and getattr(part.func, "id", "") == "type"
    ]
    asked = [reads(arg) for part in of_class for arg in part.args]
    return reads(test).count(key) == asked.count([key])


def _is_steady(sweep: Sweep, key: str) -> bool:
    """Whether a name is a parameter or bound by the header of a loop."""
    [definition] = sweep.definitions.get(key, [None])
    return definition is None or type(definition) is gast.For


def tests_of_jumps(sweep: Sweep, loop: Any, jumps: list[Stmt]) -> dict[Stmt, Any]:
    """Return, for each `if` of a loop that jumps, the test to ask again; nothing if some cannot be asked."""
    found: dict[Stmt, Any] = {}
    left = set(jumps)
    for s in loop.body:
        jumping = set(own_jumps(s))
        if not jumping:
            continue
        test = _asked_of_one_number(sweep, loop, s) if type(s) is gast.If else None
        if test is None or any(type(j) is gast.Return for j in jumping):
            return {}
        found[s] = test
        left -= jumping
    return {} if left else found


def _asked_of_one_number(sweep: Sweep, loop: Any, s: Any) -> Any:
    """Return the test of a branch that jumps on one of its ways, if it takes one number of the trip."""
    ways = [way for way in (s.body, s.orelse) if any(own_jumps(part) for part in way)]
    if len(ways) != 1 or not always_leaves(ways[0]):
        return None
    test, kept = s.test, set()
    for _ in range(_MOST_STEPS):
        parts = {key: _bound_in_trip(sweep, loop, s, key) for key in dict.fromkeys(reads(test))}
        written = {
            key: part.value
            for key, part in parts.items()
            if part is not None and _is_one_operation(sweep, part)
        }
        kept = {key for key, part in parts.items() if part is not None}
        if not written:
            break
        test = filled(test, written)
    steady = filled(test, {key: gast.Constant(0.0, None) for key in kept})
    if len(kept) > 1 or not all(_is_a_number(sweep, s, key) for key in kept):
        return None
    return test if can_be_redone(sweep, s, steady) else None


_MOST_STEPS = 4  # from what is asked back to the number of which it is asked


def _bound_in_trip(sweep: Sweep, loop: Any, s: Stmt, key: str) -> Any:
    """Return the one statement that binds a name, if it stands before another in the body of a loop."""
    [first, *more] = sweep.definitions.get(key) or [None]
    before = loop.body[: next(i for i, part in enumerate(loop.body) if part is s)]
    return first if not more and any(part is first for part in before) else None


def _is_one_operation(sweep: Sweep, s: Any) -> bool:
    """Whether a statement computes a temporary from numbers, which costs no more than to keep it."""
    place: Any = s.targets[0] if type(s) is gast.Assign else None
    if type(place) is not gast.Name or place.id in sweep.function.own_names:
        return False
    parts = nodes(s.value)
    if type(s.value) is gast.Call:
        if sweep.function.resolve(s.value.func) is not abs:
            return False
        parts = [part for arg in s.value.args for part in nodes(arg)]
    elif type(s.value) not in (gast.BinOp, gast.UnaryOp):
        return False
    operands = [part for part in parts if type(part) in ATOMS]
    return all(
        isinstance(sweep.operand_kind(s, part), (Real, Integer)) or type(part) is gast.Constant
        for part in operands
    )


def _is_a_number(sweep: Sweep, s: Stmt, key: str) -> bool:
    return isinstance(sweep.value(s, key).kind, (Real, Integer))
