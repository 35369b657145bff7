"""Which values may still be read: liveness, statement by statement, from the end to the start.

A name is live after a statement if some way from there reads it before it is bound anew. In a loop the
end of the body comes before its start again, so its body is gone through until nothing is added; what
is live only grows, and there are no more names than the function has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from tapeless.tree.blocks import RUNNING_ON, Block, is_errstate, may_bind
from tapeless.tree.body import Body
from tapeless.tree.endings import blocks_of
from tapeless.tree.names import nodes, reads

Removable = Callable[[Any, frozenset[str]], bool]


class Liveness:
    """The names whose values may be read after each statement.

    A statement that `removable` accepts, given what is live after it, counts as not there: so a
    counter that is only counted is not live.
    """

    def __init__(
        self,
        function: Any,
        removable: Removable | None = None,
        known: dict[str, Any] | None = None,
        body: Body | None = None,
    ) -> None:
        self.removable = removable
        self.known = known or {}  # literals that names hold: the ways that they decide
        self.body = body or Body(function, {})
        self.scoped = self.body.scoped
        self._after: dict[int, frozenset[str]] = {}
        self.handlers: dict[int, frozenset[str]] = {}  # what is live as they take over
        self.entry = self._block(function.body, frozenset(), frozenset(), frozenset())

    def after(self, statement: Any) -> frozenset[str]:
        """Return the names that are live after a statement."""
        return self._after.get(id(statement), frozenset()) | self.scoped

    def reads(self, s: Any) -> frozenset[str]:
        """Return the names that a statement, without its blocks, reads."""
        return self.body.reads(s)

    def bound(self, s: Any) -> frozenset[str]:
        """Return the names that a statement, without its blocks, binds for sure when it runs."""
        return self.body.bound(s)

    def _block(
        self, block: Block, out: frozenset[str], brk: frozenset[str], cont: frozenset[str]
    ) -> frozenset[str]:
        for statement in reversed(block):
            self._after[id(statement)] = out
            out = self._statement(statement, out, brk, cont)
        return out

    def _statement(
        self, s: Any, out: frozenset[str], brk: frozenset[str], cont: frozenset[str]
    ) -> frozenset[str]:
        if type(s) in RUNNING_ON:
            if self.removable is not None and self.removable(s, out | self.scoped):
                return out
            return (out - self.bound(s)) | self.reads(s)
        if isinstance(s, gast.Return | gast.Raise):
            return self.reads(s)
        if isinstance(s, gast.Break):
            return brk
        if isinstance(s, gast.Continue):
            return cont
        if isinstance(s, gast.If):
            ways = [self._block(s.body, out, brk, cont), self._block(s.orelse, out, brk, cont)]
            truth = self._truth(s.test)
            taken = ways[0] | ways[1] if truth is None else ways[0] if truth else ways[1]
            return taken | self.reads(s)
        if isinstance(s, gast.For | gast.While):
            return self._loop(s, out, brk, cont)
        if is_errstate(s):
            return self._block(s.body, out, brk, cont) | self.reads(s)
        if isinstance(s, gast.Try | gast.With):
            return self._attempt(s, out, brk, cont)
        return out | self.reads(s)

    def _truth(self, test: Any) -> bool | None:
        """Decide a test by the literals that are known."""
        if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
            truth = self._truth(test.operand)
            return None if truth is None else not truth
        if isinstance(test, gast.Name) and test.id in self.known:
            return bool(self.known[test.id])
        if isinstance(test, gast.Compare) and isinstance(test.left, gast.Name):
            [op, *more], other = test.ops, test.comparators[0]
            if test.left.id in self.known and isinstance(other, gast.Constant) and not more:
                same = bool(self.known[test.left.id] == other.value)
                if isinstance(op, gast.Eq | gast.NotEq):
                    return same if isinstance(op, gast.Eq) else not same
        return None

    def _attempt(
        self, s: Any, out: frozenset[str], brk: frozenset[str], cont: frozenset[str]
    ) -> frozenset[str]:
        """An exception may come anywhere in the body: what then is read is live all through it.

        No statement in it counts as not there: that it raises may be its point.
        """
        removable, self.removable = self.removable, None
        raised: frozenset[str] = frozenset()
        after = out
        if isinstance(s, gast.With):
            heads = [part for item in s.items for part in reads(item)]
            raised = out | (self.reads(s) & frozenset(heads))  # a manager may swallow the exception
        else:
            if s.finalbody:
                raised = self._block(s.finalbody, frozenset(), brk, cont)
                after = out = brk = cont = self._block(s.finalbody, out | brk | cont, brk, cont)
            for handler in s.handlers:
                entry = self._block(handler.body, out, brk, cont)
                caught = frozenset(may_bind(handler.name or gast.Pass()))
                self.handlers[id(handler)] = entry - caught
                raised |= self.handlers[id(handler)] | frozenset(reads(handler.type or gast.Pass()))
            after = self._block(s.orelse, out, brk, cont)
        start = self._block(s.body, after, brk, cont)
        for inner in (part for block in blocks_of(s) for part in block):
            for part in nodes(inner):
                if id(part) in self._after:
                    self._after[id(part)] |= raised
        self.removable = removable
        return start | raised

    def _loop(
        self, s: Any, out: frozenset[str], brk: frozenset[str], cont: frozenset[str]
    ) -> frozenset[str]:
        orelse = self._block(s.orelse, out, brk, cont)
        target = self.bound(s)
        read = self.reads(s)
        own = read & frozenset(reads(s.target if isinstance(s, gast.For) else s.test))
        head = orelse | own
        while True:
            found = head | (self._block(s.body, head, out, head) - target)
            if found == head:
                break
            head = found
        return head | (read & frozenset(reads(s.iter))) if isinstance(s, gast.For) else head
