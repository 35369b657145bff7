"""Which values may still be read: liveness, from the end of a function to its start.

A name is live after a statement if some way from there reads it before it is bound anew.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from itertools import chain
from typing import Any

import gast

from tapeless.tree.body import Body
from tapeless.tree.classes import EQUALITY, JUMPS
from tapeless.tree.flow import Backward
from tapeless.tree.name_sets import NameSet, Numbers, bits_of
from tapeless.tree.names import binds, reads
from tapeless.tree.trees import Expr, Stmt, Tree

Removable = Callable[[Stmt, Set[str]], bool]


class Liveness(Backward[NameSet]):
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
        self.numbers: Numbers = {}
        super().__init__(NameSet(0, self.numbers))
        self.removable = removable
        self.known = known or {}  # literals that names hold: the ways that they decide
        self.body = body or Body(function, {})
        self.scoped = self.body.scoped
        self._scoped_bits = bits_of(self.scoped, self.numbers)
        self.entry = self.block(function.body, self.nowhere)

    def live_after(self, s: Stmt) -> NameSet:
        """Return the names that are live after a statement."""
        return self.after.get(s, self.nowhere).joined(self._scoped_bits)

    def live_if_raised(self, s: Stmt) -> NameSet:
        """Return the names that are live where a statement leads if it is interrupted."""
        return self.raised.get(s, self.nowhere)

    def join(self, a: NameSet, b: NameSet) -> NameSet:
        return a.joined(b.bits)

    def simple(self, s: Stmt, state: NameSet) -> NameSet:
        if self.removable is not None and not self.attempts and type(s) not in JUMPS:
            if self.removable(s, state.joined(self._scoped_bits)):
                return state
        read = bits_of(self.body.reads(s), self.numbers)
        bound = bits_of(self.body.bound(s), self.numbers)
        return state.without(bound & ~read).joined(read)

    def test(self, s: Stmt, state: NameSet) -> NameSet:
        return state.joined(bits_of(self.body.reads(s), self.numbers))

    def opening(self, s: Stmt, state: NameSet) -> NameSet:
        heads = [s.iter] if type(s) is gast.For else s.items
        return state.joined(bits_of(chain.from_iterable(map(reads, heads)), self.numbers))

    def item(self, s: Stmt, state: NameSet) -> NameSet:
        bound = bits_of(self.body.bound(s), self.numbers)
        return state.without(bound).joined(bits_of(reads(s.target), self.numbers))

    def caught(self, handler: Tree, state: NameSet) -> NameSet:
        named = binds(handler.name) if handler.name else ()
        read = reads(handler.type) if handler.type else ()
        return state.without(bits_of(named, self.numbers)).joined(bits_of(read, self.numbers))

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
