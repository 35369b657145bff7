"""Which values may still be read: liveness, from the end of a function to its start.

A name is live after a statement if some way from there reads it before it is bound anew.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from tapeless.tree.body import Body
from tapeless.tree.classes import EQUALITY, JUMPS
from tapeless.tree.flow import Backward
from tapeless.tree.names import binds, reads
from tapeless.tree.trees import Expr, Stmt, Tree

Live = frozenset[str]
Removable = Callable[[Stmt, Live], bool]


class Liveness(Backward[Live]):
    """The names whose values may be read after each statement.

    A statement that `removable` accepts, given what is live after it, counts as not there: so a
    counter that is only counted is not live. In a `try` none does: that it raises may be its point.
    """

    def __init__(
        self,
        function: Tree,
        removable: Removable | None = None,
        known: dict[str, Any] | None = None,
        body: Body | None = None,
    ) -> None:
        super().__init__(frozenset())
        self.removable = removable
        self.known = known or {}  # literals that names hold: the ways that they decide
        self.body = body or Body(function, {})
        self.scoped = self.body.scoped
        self.entry = self.block(function.body, frozenset())

    def live_after(self, s: Stmt) -> Live:
        """Return the names that are live after a statement."""
        live = self.after.get(s, frozenset())
        return live | self.scoped if self.scoped else live

    def join(self, a: Live, b: Live) -> Live:
        if len(a) < len(b):
            a, b = b, a
        return a if a is b or b <= a else a | b

    def simple(self, s: Stmt, state: Live) -> Live:
        if self.removable is not None and not self.attempts and type(s) not in JUMPS:
            if self.removable(s, state | self.scoped if self.scoped else state):
                return state
        read = self.body.reads(s)
        lost = (self.body.bound(s) & state) - read
        if not lost:
            return state if read <= state else state | read
        made = set(state)  # copied whole: as many names as saves wait for the reverse sweep
        made -= lost
        made |= read
        return frozenset(made)

    def test(self, s: Stmt, state: Live) -> Live:
        return state | self.body.reads(s)

    def opening(self, s: Stmt, state: Live) -> Live:
        return state.union(*map(reads, [s.iter] if type(s) is gast.For else s.items))

    def item(self, s: Stmt, state: Live) -> Live:
        return (state - self.body.bound(s)) | frozenset(reads(s.target))

    def caught(self, handler: Tree, state: Live) -> Live:
        named = binds(handler.name) if handler.name else set()
        return (state - named) | frozenset(reads(handler.type) if handler.type else ())

    def truth(self, test: Expr) -> bool | None:
        """Decide a test by the literals that are known."""
        if type(test) is gast.UnaryOp and type(test.op) is gast.Not:
            truth = self.truth(test.operand)
            return None if truth is None else not truth
        if type(test) is gast.Name and test.id in self.known:
            return bool(self.known[test.id])
        if type(test) is gast.Compare and type(test.left) is gast.Name:
            [op, *more], other = test.ops, test.comparators[0]
            if test.left.id in self.known and type(other) is gast.Constant and not more:
                same = bool(self.known[test.left.id] == other.value)
                if type(op) in EQUALITY:
                    return same if type(op) is gast.Eq else not same
        return super().truth(test)


def live_in(block: list[Stmt], removable: Removable | None = None) -> Liveness:
    """Return what is live in a block behind which nothing is read.

    Examples
    --------
    >>> block = gast.parse("if c:\\n    y = x\\nz = y").body
    >>> sorted(live_in(block).entry)
    ['c', 'x', 'y']
    """
    return Liveness(gast.FunctionDef("block", None, block, [], None, None, []), removable)
