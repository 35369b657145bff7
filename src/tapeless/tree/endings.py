"""How a block ends: whether control can come out at its end.

    if x > 0:                 comes out: where x <= 0 nothing returns
        return x

A function whose body comes out at the end returns None without saying so.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.tree.classes import DEFINITIONS, JUMPS, LOOP_JUMPS, LOOPS, SIMPLE
from tapeless.tree.trees import Stmt, Tree


def falls_through(block: list[Any]) -> bool:
    """Whether control may come out at the end of a block, as far as its text tells.

    Examples
    --------
    >>> falls_through(gast.parse("if x:\\n    y = 1\\nelse:\\n    raise ValueError").body)
    True
    >>> falls_through(gast.parse("while True:\\n    x = f(x)").body)
    False
    """
    return not any(_never_completes(statement) for statement in block)


def ends_in_jump(block: list[Any]) -> bool:
    """Whether the last statement of a block is a jump."""
    return bool(block) and type(block[-1]) in JUMPS


def always_leaves(block: list[Any]) -> bool:
    """Whether a block ends in jumps, on every way through its last statement."""
    if ends_in_jump(block):
        return True
    last = block[-1] if block else None
    if isinstance(last, gast.With):
        return always_leaves(last.body)
    if isinstance(last, gast.Try):
        normal = always_leaves(last.body) or always_leaves(last.orelse)
        handled = normal and all(always_leaves(handler.body) for handler in last.handlers)
        return handled or always_leaves(last.finalbody)
    return isinstance(last, gast.If) and always_leaves(last.body) and always_leaves(last.orelse)


def raises(block: list[Stmt]) -> bool:
    """Whether a block only ever ends in an exception."""
    jumps = [j for s in block for j in own_jumps(s)]
    return not jumps and always_leaves(block)


def taking_over(attempt: Tree) -> list[Tree]:
    """List the handlers of a `try` after which the program may go on."""
    return [handler for handler in attempt.handlers if not raises(handler.body)]


def _never_completes(s: Stmt) -> bool:
    if type(s) in JUMPS:
        return True
    if type(s) is gast.If:
        return not (falls_through(s.body) or falls_through(s.orelse))
    if type(s) is gast.With:
        return not falls_through(s.body)
    if type(s) is gast.Assert:
        return type(s.test) is gast.Constant and not s.test.value
    if type(s) is gast.While:
        endless = type(s.test) is gast.Constant and bool(s.test.value)
        return not breaks(s.body) and (endless or not falls_through(s.orelse))
    if type(s) is gast.For:
        return not breaks(s.body) and not falls_through(s.orelse)
    if type(s) is gast.Try:
        return not falls_through(s.finalbody) or not (
            (falls_through(s.body) and falls_through(s.orelse))
            or any(falls_through(handler.body) for handler in s.handlers)
        )
    if type(s) is gast.Match:
        return _is_exhaustive(s) and not any(falls_through(case.body) for case in s.cases)
    return False


def breaks(block: list[Any]) -> bool:
    """Whether a loop's own `break` stands in a block."""
    for s in block:
        if type(s) is gast.Break:
            return True
        if type(s) in DEFINITIONS:
            continue
        if type(s) in LOOPS:
            if breaks(s.orelse):
                return True
            continue
        if any(breaks(inner) for inner in blocks_of(s)):
            return True
    return False


def blocks_of(s: Stmt) -> list[list[Any]]:
    """List the blocks of a statement: bodies, other branches, handlers, cases."""
    found = [getattr(s, field, None) or [] for field in ("body", "orelse", "finalbody")]
    found += [part.body for part in [*getattr(s, "handlers", []), *getattr(s, "cases", [])]]
    return [block for block in found if block]


def behind(block: list[Any], statement: Stmt) -> list[Any] | None:
    """List what may run behind a statement that stands in a block; None where it stands elsewhere.

    Of a loop around it that is all of the loop.
    """
    for i, s in enumerate(block):
        if s is statement:
            return block[i + 1 :]
        inner = [found for b in blocks_of(s) if (found := behind(b, statement)) is not None]
        if inner:
            return [*([s] if type(s) in LOOPS else inner[0]), *block[i + 1 :]]
    return None


def own_jumps(statement: Stmt, inside_loop: bool = False) -> list[Any]:
    """List the jumps in a statement that leave the block around it."""
    if type(statement) is gast.Return:
        return [statement]
    if type(statement) in LOOP_JUMPS:
        return [] if inside_loop else [statement]
    if type(statement) in SIMPLE or type(statement) is gast.FunctionDef:
        return []
    loop = type(statement) in LOOPS
    found: list[Any] = []
    for block in blocks_of(statement) if isinstance(statement, gast.stmt) else []:
        for part in block:
            found += own_jumps(part, inside_loop or (loop and block is statement.body))
    return found


def _is_exhaustive(s: gast.Match) -> bool:
    last = s.cases[-1]
    wildcard = type(last.pattern) is gast.MatchAs and last.pattern.pattern is None
    return wildcard and last.guard is None
