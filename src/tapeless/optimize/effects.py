"""What an expression does besides giving a value.

Which memory does a statement read and which does it write? Memory is named by the names that may share it
(`sharing.py`). What may do anything is unknown: it may write to all memory but that of stacks.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import gast

from tapeless.externals import MISSING
from tapeless.optimize.sharing import OUTSIDE, Sharing
from tapeless.optimize.values import is_stack_call
from tapeless.tree.build import name
from tapeless.tree.classes import (
    ATTEMPTS,
    COMPUTED,
    DELAYED,
    FUNCTIONS,
    ITERATIONS,
    SLOTS,
    TESTED,
    YIELDS,
)
from tapeless.tree.names import all_names, children, nodes, reads
from tapeless.tree.trees import Expr, Tree

_OPERATIONS = COMPUTED | {gast.BoolOp}
_ASKING = TESTED | {gast.IfExp, gast.Assert}
_OPENED = frozenset({gast.Starred, gast.FormattedValue})
_OPAQUE = FUNCTIONS | ATTEMPTS | YIELDS


@dataclass
class Touch:
    """What a piece of code does to memory: names whose memory it reads and writes."""

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    unknown: bool = False

    def add(self, other: Touch) -> None:
        """Take in what another piece of code does."""
        self.reads |= other.reads
        self.writes |= other.writes
        self.unknown |= other.unknown


class Effects(Sharing):
    """The effects of the statements of one function, computed from its text as it is."""

    @cached_property
    def taken(self) -> set[str]:
        """The names that a new one must differ from; who makes a name adds it."""
        return all_names(self.function)

    def touch(self, tree: Tree) -> Touch:
        """Find what an expression or a statement, with its blocks, does to memory."""
        made = Touch()
        for part in nodes(tree):
            self._touch_part(part, made)
        return made

    def is_outer(self, key: str) -> bool:
        """Whether a name is looked up outside the function and may be bound anew there."""
        if key in self.values or key in self.parameters or key in self.scoped:
            return False
        found = self.context.resolve(name(key))
        return not (callable(found) or isinstance(found, types.ModuleType))

    def _touch_part(self, part: Tree, made: Touch) -> None:
        if type(part) is gast.Name:
            if type(part.ctx) is gast.Load and self.is_outer(part.id):
                made.reads.add(OUTSIDE)
        elif type(part) is gast.Call:
            self._touch_call(part, made)
        elif type(part) in SLOTS:
            seen = self.seen_through(part.value)
            if type(part) is gast.Subscript:  # an array used as an index is read as well
                made.reads |= {k for n in reads(part.slice) for k in self.seen_through(name(n))}
            if type(part.ctx) is gast.Load:
                if self.context.resolve(part) is MISSING:
                    made.reads |= seen
            else:
                made.writes |= seen or {OUTSIDE}
        elif type(part) is gast.AugAssign:
            if type(part.target) is gast.Name:
                made.writes |= self.seen_through(name(part.target.id))
            made.reads |= self._direct(part.value)
        elif type(part) in _OPERATIONS:
            for child in children(part):
                made.reads |= self._direct(child)
        elif type(part) in ITERATIONS:
            made.reads |= self._direct(part.iter)
        elif type(part) in _ASKING:
            made.reads |= self._direct(part.test)
        elif type(part) in _OPENED:
            made.reads |= self._direct(part.value)
        elif type(part) is gast.Assign:
            if any(type(place) is not gast.Name for place in part.targets):
                made.reads |= self._direct(part.value)
        elif type(part) in _OPAQUE:
            made.unknown = True

    def _direct(self, tree: Tree) -> set[str]:
        return self.seen_through(tree) if isinstance(tree, gast.expr) else set()

    def _touch_call(self, call: Expr, made: Touch) -> None:
        if is_stack_call(call) and call.func.value.id in self.stacks:
            made.reads.add(call.func.value.id)
            made.writes.add(call.func.value.id)
            return
        for argument in [*call.args, *(k.value for k in call.keywords)]:
            made.reads |= self._direct(argument)
        if type(call.func) is gast.Attribute:
            made.reads |= self._direct(call.func.value)
        if self.is_added_at(call):
            made.writes |= self.seen_through(call.args[0])
        elif not self.is_pure_call(call):
            made.unknown = True

    def collide(self, reads: set[str], touch: Touch) -> bool:
        """Whether code that touches memory may change what is read."""
        if not reads:
            return False
        if touch.unknown and any(r not in self.stacks for r in reads):
            return True
        return self.meet(reads, touch.writes)

    def effects_before(self, parts: list[Tree], use: Tree) -> Touch | None:
        """Find what is done to memory by what is evaluated before a use; None if it is not there.

        A use where it may be evaluated never or more than once is not there.
        """
        made = Touch()
        for part in parts:
            for piece in _evaluated(part, use):
                if piece is use:
                    return made
                if piece is None:
                    return None
                if type(piece) is gast.Call:
                    self._touch_call(piece, made)
                elif type(piece) is gast.Lambda:
                    made.unknown = True
        return None


def _evaluated(tree: Tree, use: Tree) -> Iterator[Any]:
    """Walk an expression in order of evaluation, parts before wholes; None: the use is hidden."""
    if type(tree) is gast.IfExp:
        yield from _evaluated(tree.test, use)
        hidden = [tree.body, tree.orelse]
    elif type(tree) is gast.BoolOp:
        yield from _evaluated(tree.values[0], use)
        hidden = tree.values[1:]
    elif type(tree) is gast.Compare and len(tree.ops) > 1:
        yield from _evaluated(tree.left, use)
        yield from _evaluated(tree.comparators[0], use)
        hidden = tree.comparators[1:]
    elif type(tree) in DELAYED:
        hidden = [tree]
    else:
        for child in children(tree):
            yield from _evaluated(child, use)
        yield tree
        return
    for part in hidden:
        for piece in nodes(part):
            if piece is use:
                yield None
            if isinstance(piece, (gast.Call, gast.Lambda)):
                yield piece
    yield tree
