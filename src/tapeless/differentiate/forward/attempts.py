"""`try`: the tangents of an attempt, beside what it attempts.

A tangent is computed once its primal is there: where the primal raises, both are what they were. Nor
must a tangent raise what the handler catches, where the primal did not: beside a function with a pole
that the primal touches, such as `math.sqrt` at zero, the tangents of a body move into its `else`.
"""

from __future__ import annotations

import math
from typing import Any

import gast

from tapeless.analysis.exceptions import caught, may_catch
from tapeless.analysis.facts import Callee, Facts
from tapeless.differentiate.forward.writer import TangentWriter
from tapeless.externals import MISSING, is_one_of
from tapeless.kinds import Array
from tapeless.tree.build import at_line_of
from tapeless.tree.classes import LEAVING
from tapeless.tree.endings import raises
from tapeless.tree.names import binds, nodes, reads
from tapeless.tree.trees import Stmt

Poles = set[Any]

_POLES: Poles = {
    math.sqrt,
    math.cbrt,
    math.acos,
    math.asin,
    math.acosh,
    math.hypot,
    math.dist,
    math.pow,
}


def attempt(writer: TangentWriter, s: Stmt) -> list[Any]:
    """Write a `try` and its tangents."""
    outer, writer.attempting = writer.attempting, bool(s.handlers) or writer.attempting
    body = writer.block(s.body)
    writer.attempting = outer
    orelse = writer.block(s.orelse) if s.orelse else []
    if _may_raise_alone(writer, s):
        apart = _tangents_apart(s.body, body)
        if apart is None:
            reason = "the tangent of what is tried here may raise what the handler catches"
            writer.refuse(s, reason, "catch a class that arithmetic does not raise")
        body, late = apart or ([], [])
        orelse = [*late, *orelse]
    handlers = []
    for h in s.handlers:
        block = h.body if raises(h.body) else writer.block(h.body)
        handlers.append(at_line_of(gast.ExceptHandler(h.type, h.name, block), h))
    final = writer.block(s.finalbody) if s.finalbody else []
    return [gast.Try(body, handlers, orelse, final)]


def _may_raise_alone(writer: TangentWriter, s: Stmt) -> bool:
    """Whether a tangent may raise what the handlers catch where its primal does not."""
    classes = caught(writer.function, s.handlers)
    if may_catch((ZeroDivisionError, OverflowError), classes):
        return _touches_pole(writer, s, _POLES)
    return may_catch((ValueError,), classes) and _touches_pole(writer, s, {math.pow})


def _tangents_apart(primal: list[Any], written: list[Any]) -> tuple[list[Any], list[Any]] | None:
    """Return what a body of assignments to names tries, and what comes once all of it went well.

    That is tangents, and what the body ends with that cannot raise: names for what is there already, a jump.
    What a tangent reads must be there still: no name is bound that was read or bound before.
    """
    tried, made = list(primal), {key for s in primal for key in binds(s)}
    while tried and (type(tried[-1]) in LEAVING or _names_again(tried[-1], made)):
        tried.pop()
    own = {id(s) for s in tried}
    late = [s for s in written if id(s) not in own]
    if not tried or len(late) + len(tried) != len(written):
        return None
    bound: set[str] = set()
    read: set[str] = set()
    for s in tried:
        if not _binds_a_name(s):
            return None
        read |= set(reads(s.value))
        if binds(s) & (bound | read):
            return None
        bound |= binds(s)
    tangents = [s for s in late if s not in primal]
    return None if any(binds(s) & read for s in tangents) else (tried, late)


def _binds_a_name(s: Stmt) -> bool:
    return type(s) is gast.Assign and type(s.targets[0]) is gast.Name


def _names_again(s: Stmt, made: set[str]) -> bool:
    """Whether a statement gives another name to what is made by the same body."""
    return _binds_a_name(s) and type(s.value) is gast.Name and s.value.id in made


def _touches_pole(writer: TangentWriter, s: Stmt, poles: Poles) -> bool:
    """Whether what is tried varies and has a value, but no derivative, somewhere."""
    inside = [part for tried in s.body for part in nodes(tried)]
    callees = [writer.known.callees[part] for part in inside if part in writer.known.callees]
    own = any(_has_pole(writer.facts, part, poles) for part in inside)
    return own or any(_reaches_pole(callee, poles, set()) for callee in callees)


def _reaches_pole(callee: Callee, poles: Poles, seen: set[Any]) -> bool:
    if callee.facts in seen:
        return False
    seen.add(callee.facts)
    parts = nodes(callee.function.tree)
    if any(_has_pole(callee.facts, part, poles) for part in parts):
        return True
    return any(_reaches_pole(inner, poles, seen) for inner in callee.facts.callees.values())


def _has_pole(facts: Facts, s: Stmt, poles: Poles) -> bool:
    found = facts.results.get(s)
    if found is None or not found.varied or isinstance(found.kind, Array):
        return False
    for part in nodes(s):
        if type(part) is gast.Call:
            called = facts.object_called(part)
            if called is not MISSING and is_one_of(called, poles):
                return True
        op = getattr(part, "op", None)
        if type(op) is gast.Pow:
            power = part.value if type(part) is gast.AugAssign else part.right
            number = getattr(power, "value", None)
            if not (isinstance(number, (int, float)) and number >= 1):
                return True
    return False
