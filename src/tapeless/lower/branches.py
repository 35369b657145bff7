"""What names stand for after a branch: what both ways agree on, and what is copied to one place.

    if x > 0:            if x > 0:
        y = (x, 1)  ->       y_0, y_1 = x, 1
    else:                else:
        y = (t, 2)           y_0, y_1 = t, 2

Arrays that differ are copied into a block, numbers into a variable, and tuples item by item. What is None on
one way only may be used where control came the other way; loops cannot tell that from a type, so a variable
tells it. A name that is bound on one way only is like that, too: where it is used it is checked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import tapeless.lower.carried as carried
from tapeless.lower.loops import Num, Stmt, Var
from tapeless.lower.state import State
from tapeless.lower.values import (
    Array,
    Items,
    Known,
    Masked,
    Maybe,
    Number,
    Value,
    variable,
    zero_like,
)

Env = dict[str, Value]
NONE = Known(None)
UNBOUND = Known(object())


@dataclass(frozen=True)
class Joining:
    """Two ways through a branch that come together.

    Attributes
    ----------
    state
        What was written so far.
    envs
        What names stand for at the end of each way.
    blocks
        What was written on each way.
    live
        The names that are read later.
    given
        What the function was given.
    residual
        The variables of names that are bound more than once.
    """

    state: State
    envs: tuple[Env, Env]
    blocks: tuple[list[Stmt], list[Stmt]]
    live: Set[str]
    given: Sequence[Value]
    residual: Mapping[str, str]

    def joined(self) -> Env:
        """Return what names stand for from here on; those that are not known any more are left out."""
        first, second = self.envs
        made: Env = {}
        for key in sorted(first.keys() & second.keys()):
            p, q = first[key], second[key]
            if p == q:
                made[key] = p
            elif isinstance(p, Number) and isinstance(q, Number) and p.expr == q.expr:
                made[key] = Number(p.expr, self.state.sorts[self.residual[key]])
            elif isinstance(p, Array) and isinstance(q, Array) and key in self.live:
                alone = [
                    self.is_alone(key, env, v) for env, v in zip(self.envs, (p, q), strict=True)
                ]
                made[key] = self.array(key, (p, q), all(alone))
            elif key in self.live:
                made |= self.known(key, self.value(key, p, q))
        for key in sorted((first.keys() ^ second.keys()) & self.live):
            p, q = first.get(key, UNBOUND), second.get(key, UNBOUND)
            made |= self.known(key, self.maybe(key, p, q))
        return made

    def known(self, key: str, value: Value | None) -> Env:
        """Return what a name stands for, if that is known."""
        return {} if value is None else {key: value}

    def is_alone(self, key: str, env: Env, value: Value) -> bool:
        """Whether no name that is read later stands for an array, but one."""
        return carried.is_alone(self.state, key, {**env, key: value}, self.live, self.given)

    def array(self, key: str, values: tuple[Array, Array], alone: bool) -> Array:
        """Copy two arrays to one place.

        Where another name stands for one of them, too, nobody may store into either.
        """
        carried.demand_alike(self.state, key, *values)
        block = self.block(key, values[0])
        for value, written in zip(values, self.blocks, strict=True):
            self.copy(block, value, written, alone)
        return block

    def block(self, key: str, like: Array) -> Array:
        """Make a block before the branch, which holds an array on one way or on both."""
        block = self.state.made(like.dims, like.dtype, key)
        self.state.lasting.discard(str(block.base))
        return block

    def copy(self, block: Array, value: Array, written: list[Stmt], alone: bool) -> None:
        """Copy an array into the block on one way."""
        self.state.note_copy(value, block)
        with self.state.block() as copying:
            self.state.fill(block, value)
        written += copying
        if not alone:
            carried.seal_both(self.state, block, value)

    def value(self, key: str, p: Value, q: Value) -> Value | None:
        """Return what is one of two values that are not the same; None where nothing is known of it."""
        if p == q:
            return p
        if isinstance(p, Items) and isinstance(q, Items) and len(p.items) == len(q.items):
            return self.items(key, p, q)
        if isinstance(p, Number) and isinstance(q, Number):
            return self.number(key, (p, q))
        if isinstance(p, Masked) and isinstance(q, Masked):
            return self.selected(key, p, q)
        if NONE in (p, q) or isinstance(p, Maybe) or isinstance(q, Maybe):
            return self.maybe(key, p, q)
        if isinstance(p, Array) and isinstance(q, Array):
            return self.array(key, (p, q), alone=False)
        return None

    def selected(self, key: str, p: Masked, q: Masked) -> Masked:
        """Copy what masks select to one place."""
        values = self.array(key, (p.values, q.values), alone=False)
        is_one = p.mask == q.mask
        return Masked(values, p.mask if is_one else self.array(key, (p.mask, q.mask), alone=False))

    def items(self, key: str, p: Items, q: Items) -> Value | None:
        """Join two tuples item by item."""
        if type(p) is not type(q):
            return None
        found = [self.value(key, a, b) for a, b in zip(p.items, q.items, strict=True)]
        known = tuple(x for x in found if x is not None)
        return type(p)(known) if len(known) == len(found) else None

    def number(self, key: str, values: tuple[Number, Number]) -> Number | None:
        """Bind a variable to one of two numbers."""
        state = self.state
        if len({x.is_whole for x in values}) > 1 or len({x.sort == "bool" for x in values}) > 1:
            return None
        name = state.fresh(key)
        state.mutable.add(name)
        for value, written in zip(values, self.blocks, strict=True):
            with state.block() as binding:
                state.assign(name, value)
            written += binding
        if not values[0].is_whole:
            state.mutable.discard(name)  # from here on nobody binds it
        return variable(name, state.sorts[name])

    def maybe(self, key: str, p: Value, q: Value) -> Value | None:
        """Return what is None, or not bound, on one way, or may be."""
        state = self.state
        absent = {x.is_unbound for x in (p, q) if isinstance(x, Maybe)}
        absent |= {x == UNBOUND for x in (p, q) if x in (NONE, UNBOUND)}
        inner = [x.value if isinstance(x, Maybe) else x for x in (p, q)]
        if len(absent) > 1:
            return None
        is_both = not any(x in (NONE, UNBOUND) for x in inner)
        found = self.value(key, *inner) if is_both else self.on_one_way(key, inner)
        if found is None:
            return None
        there = state.fresh("is_there")
        state.mutable.add(there)
        for x, written in zip((p, q), self.blocks, strict=True):
            test = x.there if isinstance(x, Maybe) else Num(x not in (NONE, UNBOUND))
            with state.block() as binding:
                state.assign(there, Number(test, "bool"))
            written += binding
        state.mutable.discard(there)
        return Maybe(found, Var(there), absent == {True})

    def on_one_way(self, key: str, values: Sequence[Value]) -> Value | None:
        """Return what is there on one of two ways."""
        state = self.state
        k = int(values[0] in (NONE, UNBOUND))
        value, written = values[k], self.blocks[k]
        if isinstance(value, Array):
            if any(not dim.symbols <= state.extents.entry.keys() for dim in value.dims):
                return None
            block, named = self.block(key, value), self.envs[k].get(key)
            alone = named is value and self.is_alone(key, self.envs[k], value)
            self.copy(block, value, written, alone)
            return block
        if not isinstance(value, Number):
            return None
        zero = zero_like(value)  # which nobody reads
        return self.number(key, (value, zero) if k == 0 else (zero, value))
