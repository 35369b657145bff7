"""Calls within a `try` that an exception may break off after they stored something.

    def push(rows, v):
        rows.append(v)
        if v < 0.0:
            raise ValueError

A function that is broken off returns nothing, so its forward sweep hands nothing over by which its reverse
sweep would know how far it came. Its statements in the place of the call are parts of the `try` around.
"""

from __future__ import annotations

from collections.abc import Iterator

import gast

from tapeless.analysis.facts import Callee, Facts
from tapeless.tree.classes import LOOPS, SLOTS
from tapeless.tree.endings import taking_over
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import nodes
from tapeless.tree.trees import Stmt, Tree


def broken_off(function: CoreFunction, facts: Facts) -> frozenset[Stmt]:
    """Return the statements in attempts whose calls store what varies, and may raise then."""
    attempts = [part for part in nodes(function.tree) if type(part) is gast.Try]
    inside = [s for part in attempts if taking_over(part) for b in part.body for s in nodes(b)]
    called = [(s, facts.callees[s]) for s in inside if s in facts.callees]
    return frozenset(s for s, callee in called if _changes(callee, facts) and _raises_late(callee))


def _changes(callee: Callee, facts: Facts) -> bool:
    """Whether a call stores into what varies in its caller."""
    stored = map(callee.seen_by_caller, callee.stores_outside_itself)
    return bool(frozenset().union(*stored) & facts.varied)


def _raises_late(callee: Callee, seen: frozenset[Facts] = frozenset()) -> bool:
    """Whether a function raises by a `raise` of its own, or of what it calls, behind a store."""
    facts, body = callee.facts, callee.function.tree.body
    if facts in seen:
        return False
    inner = [facts.callees[s] for b in body for s in nodes(b) if s in facts.callees]
    if any(_raises_late(each, seen | {facts}) for each in inner):
        return True
    stored = False
    for s in (part for b in body for part in _with_loops_twice(b)):
        called = facts.callees.get(s)
        raised = type(s) is gast.Raise or called is not None and _raises(called, seen | {facts})
        if stored and raised:
            return True
        stored = stored or _stores(s) or called is not None and bool(called.stores_outside_itself)
    return False


def _raises(callee: Callee, seen: frozenset[Facts]) -> bool:
    """Whether a function holds a `raise`, or calls one that does."""
    facts = callee.facts
    if facts in seen:
        return False
    parts = [part for b in callee.function.tree.body for part in nodes(b)]
    inner = (facts.callees[s] for s in parts if s in facts.callees)
    return any(type(s) is gast.Raise for s in parts) or any(
        _raises(each, seen | {facts}) for each in inner
    )


def _with_loops_twice(s: Stmt) -> Iterator[Tree]:
    """Go through a statement and those in it, in the order of the text; through those of a loop once more."""
    for part in nodes(s):
        yield part
        if type(part) in LOOPS:
            yield from nodes(part)


def _stores(s: Tree) -> bool:
    """Whether a statement stores into something, or calls a method that may."""
    if type(s) is gast.Expr:
        return type(s.value) is gast.Call and type(s.value.func) is gast.Attribute
    places = s.targets if type(s) in (gast.Assign, gast.Delete) else [getattr(s, "target", None)]
    return type(s) is gast.AugAssign or any(type(place) in SLOTS for place in places)
