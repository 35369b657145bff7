"""Which reads of the user's, that nobody needs, the reverse sweep surely makes again.

    for i in range(n):                      (nothing)
        v = w[i]
        y = y + v * x[i]
    for i in reversed(range(n)):            for i in reversed(range(n)):
        x_bar[i] += w[i]              ->        x_bar[i] += w[i]

Where such a read would raise, so does the one that is left. It is sure to be made if it stands in loops over
the same items, and under no condition.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import gast
import numpy as np

from tapeless.externals import is_one_of
from tapeless.kinds import Array, Instance, Kind, List, Sequence, Tuple
from tapeless.optimize.effects import Effects
from tapeless.runtime import zeros
from tapeless.tree.blocks import all_statements, bound, has_jump, heads, may_bind
from tapeless.tree.build import const, name
from tapeless.tree.classes import ATOMS, COMPREHENSIONS, FUNCTIONS
from tapeless.tree.names import children, reads
from tapeless.tree.trees import Expr, Stmt

_CONDITIONAL = FUNCTIONS | COMPREHENSIONS | {gast.IfExp, gast.BoolOp}
_SIMPLE_INDEX = (gast.BinOp, gast.UnaryOp, gast.Tuple)
_MOST_LOOPS = 4


class MadeAgain:
    """Says which reads of a function are made again, for one state of it."""

    def __init__(self, effects: Effects) -> None:
        self.effects = effects

    def surely(self, s: Stmt) -> bool:
        """Whether what may raise in an assignment of one read or quotient is done again after it."""
        asked = self._asked(s.value)
        if asked is None or id(s) not in self.places:
            return False
        at, loops = self.places[id(s)]
        if not all(self._keeps(key, loops) for key in reads(asked)):
            return False
        wanted = gast.dump(asked)
        return any(
            there > at and self._alike(loops, others) and not self._leaves(at, there)
            for there, others in self.made.get(wanted, ())
        )

    def _asked(self, value: Expr) -> Any:
        """Return the read that may raise, or the divisor of a quotient of numbers; None for anything else."""
        if type(value) is gast.BinOp and type(value.op) is gast.Div:
            atoms = type(value.left) in ATOMS and type(value.right) is gast.Name
            numbers = self.effects.is_scalar(value.left) and self.effects.is_scalar(value.right)
            return _one_over(value.right) if atoms and numbers else None
        kind = self._owner_kind(value)
        if type(value) is gast.Attribute:
            return value if isinstance(kind, Instance) else None
        if type(value) is gast.Subscript and isinstance(kind, (Array, List, Sequence, Tuple)):
            return value if _is_simple(value.slice) else None
        return None

    def _owner_kind(self, value: Expr) -> Kind | None:
        owner: Any = getattr(value, "value", None)
        return self.effects.kind(owner.id) if type(owner) is gast.Name else None

    def _keeps(self, key: str, loops: tuple[Any, ...]) -> bool:
        """Whether a name stands for the same thing again: loops bind it, or one statement; a list stays."""
        if isinstance(self.effects.kind(key), List) and key in self.written:
            return False
        for loop in loops:
            if key in bound(loop):
                return not any(key in may_bind(s) for s in loop.body)
        return self.bindings[key] + (key in self.effects.parameters) <= 1

    def _alike(self, loops: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
        """Whether loops run over the same items, in whatever order, and bind no name to anything else."""
        if len(loops) != len(others):
            return False
        for depth, (a, b) in enumerate(zip(loops, others, strict=True)):
            rebound = {key for s in b.body for key in may_bind(s)} & bound(b)
            if gast.dump(a.target) != gast.dump(b.target) or rebound:
                return False
            if not all(self._keeps(key, loops[:depth]) for key in reads(a.iter)):
                return False
            if gast.dump(self._in_order(a.iter)) != gast.dump(self._in_order(b.iter)):
                return False
        return True

    def _in_order(self, iterable: Expr) -> Any:
        if type(iterable) is gast.Call and self.effects.context.resolve(iterable.func) is reversed:
            return iterable.args[0]
        return iterable

    def _leaves(self, first: int, last: int) -> bool:
        """Whether control may leave the function between two of its statements."""
        return any(has_jump(s) for s in self.effects.function.body[first : last + 1])

    @functools.cached_property
    def bindings(self) -> Counter[str]:
        """How many statements bind each name."""
        return Counter(key for s in all_statements(self.effects.function.body) for key in bound(s))

    @functools.cached_property
    def written(self) -> set[str]:
        """The names whose memory something in the function writes to."""
        touch = [self.effects.touch(s) for s in self.effects.function.body]
        if any(t.unknown for t in touch):
            return {*self.effects.parameters, *self.bindings}
        return {key for t in touch for key in t.writes}

    @functools.cached_property
    def places(self) -> dict[int, tuple[int, tuple[Any, ...]]]:
        """Where the statements under no condition stand: at which of the function's, in which loops."""
        return {
            id(s): (at, loops)
            for at, top in enumerate(self.effects.function.body)
            for s, loops in _under_no_condition(top, ())
        }

    @functools.cached_property
    def made(self) -> dict[str, list[tuple[int, tuple[Any, ...]]]]:
        """Where which reads are made, by their text, and by what numbers are divided."""
        found: dict[str, list[tuple[int, tuple[Any, ...]]]] = {}
        for at, top in enumerate(self.effects.function.body):
            for s, loops in _under_no_condition(top, ()):
                if type(s) is gast.For or not self._is_needed(s):
                    continue
                for tree in (part for head in heads(s) for part in _evaluated(head)):
                    for read in self._reads(tree):
                        found.setdefault(gast.dump(read), []).append((at, loops))
        return found

    def _is_needed(self, s: Stmt) -> bool:
        """Whether a statement binds what something else reads, or stores."""
        if type(s) is not gast.Assign or type(s.targets[0]) is not gast.Name:
            return type(s) is not gast.Expr
        return self.effects.body.mentions[s.targets[0].id] > 1

    def _reads(self, tree: Any) -> Iterator[Any]:
        if type(tree) is gast.BinOp and type(tree.op) is gast.Div:
            yield _one_over(tree.right)
        if type(tree) is gast.Attribute and type(tree.ctx) is gast.Load:
            yield tree
        if type(tree) is gast.Subscript and type(tree.value) is gast.Name:
            owner = self.shaped_like.get(tree.value.id, tree.value.id)
            yield gast.Subscript(name(owner), tree.slice, gast.Load())

    @functools.cached_property
    def shaped_like(self) -> dict[str, str]:
        """Of which arrays names hold the zeros, by name."""
        found = {}
        for part in self.effects.parts(gast.Assign):
            place, call = part.targets[0], part.value
            if type(place) is not gast.Name or self.bindings[place.id] > 1:
                continue
            if type(call) is gast.Call and len(call.args) == 1 and type(call.args[0]) is gast.Name:
                if is_one_of(self.effects.context.resolve(call.func), (np.zeros_like, zeros)):
                    found[place.id] = call.args[0].id
        return found


def _one_over(divisor: Expr) -> Any:
    """Write what raises where a division by a number does."""
    return gast.BinOp(const(1), gast.Div(), divisor)


def _is_simple(index: Expr) -> bool:
    if type(index) in ATOMS:
        return True
    return type(index) in _SIMPLE_INDEX and all(
        _is_simple(part) for part in children(index) if isinstance(part, gast.expr)
    )


def _under_no_condition(s: Any, loops: tuple[Any, ...]) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """Walk the statements that run in each trip of the loops around them."""
    yield s, loops
    if type(s) is gast.For and not s.orelse and len(loops) < _MOST_LOOPS and not has_jump(s):
        for inner in s.body:
            yield from _under_no_condition(inner, (*loops, s))


def _evaluated(tree: Any) -> Iterator[Any]:
    """Walk the parts of an expression that are evaluated for sure."""
    yield tree
    if type(tree) is gast.IfExp:
        yield from _evaluated(tree.test)
    if type(tree) not in _CONDITIONAL:
        for part in children(tree):
            yield from _evaluated(part)
