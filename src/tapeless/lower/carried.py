"""Arrays that are bound anew in the trips of a loop, or in branches: a block of memory holds them in between.

    y = x * 1.0                             y_1[:] = x * 1.0
    for k in range(steps):        ->        for k in range(steps):
        y = y + h * slope(y)                    v[:] = y_1 + h * slope(y_1)
                                                y_1[:] = v

Within a trip a name stands for what it is bound to, so nothing that was read from the old array changes.
Only where a trip ends the new one is copied into the block. A copy has no second name: what is known by
two names, or was saved, must not be stored into on one side of it. `alone` tells whether it is known by
one name; where it is not, a store is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field

from tapeless.lower.affine import Affine
from tapeless.lower.state import State
from tapeless.lower.values import (
    Array,
    Cotangents,
    Items,
    Iterated,
    Listed,
    Masked,
    Maybe,
    Number,
    Stack,
    Value,
)

Env = Mapping[str, Value]


@dataclass
class Carried:
    """The arrays that are carried around one loop.

    Attributes
    ----------
    blocks
        For each name the block that holds its array where a trip begins.
    others
        The other names that are bound in the loop, and what they stand for where it begins.
    live
        The names whose values are read in a later trip, or after the loop.
    """

    blocks: dict[str, Array] = field(default_factory=dict)
    others: dict[str, Value] = field(default_factory=dict)
    live: Set[str] = frozenset()


def begin(
    state: State, env: dict[str, Value], names: Iterable[str], live: Set[str],
    given: Iterable[Value],
) -> Carried:  # fmt: skip
    """Copy the arrays of names that a loop binds anew into blocks of their own; forget names not read."""
    found = Carried(live=live)
    for key in sorted(names):
        value = env.get(key)
        if key not in live:
            env.pop(key, None)
        elif isinstance(value, Array):
            found.blocks[key] = holding(state, key, value)
        elif value is not None:
            found.others[key] = value
    outer = dict(env)
    for key, block in found.blocks.items():
        if not is_alone(state, key, outer, live, given):
            seal_both(state, block, outer[key])
        env[key] = block
    return found


def seal_both(state: State, block: Array, value: Value) -> None:
    """Refuse stores into a block and into what it is a copy of."""
    state.seal(block)
    if isinstance(value, Array) and value.base is not None:
        state.seal(value)


def holding(state: State, key: str, value: Array) -> Array:
    """Make a block for a name, which begins as a copy of an array."""
    made = state.made(value.dims, value.dtype, key)
    assert made.base is not None
    state.lasting.discard(made.base)
    state.note_copy(value, made)
    state.fill(made, value)
    return made


def end_trip(state: State, env: Env, carried: Carried, given: Iterable[Value]) -> None:
    """Copy what names stand for where a trip ends into their blocks, all at once."""
    for key, value in carried.others.items():
        check_same(state, key, value, env.get(key))
    given = list(given)
    held = {block.base for block in carried.blocks.values()}
    moved: dict[str, tuple[Array, Array]] = {}
    for key, block in carried.blocks.items():
        now = env.get(key)
        if now == block:
            continue
        if not isinstance(now, Array):
            raise state.refused(f"`{key}`, which is an array in some trips of a loop only")
        demand_alike(state, key, block, now)
        moved[key] = block, now
        state.note_copy(now, block)
    _seal_shared(state, env, carried, given, moved)
    read = [(block, state.copied(v) if v.base in held else v) for block, v in moved.values()]
    for block, made in read:
        state.fill(block, made)


def _seal_shared(
    state: State, env: Env, carried: Carried, given: list[Value],
    moved: dict[str, tuple[Array, Array]],
) -> None:  # fmt: skip
    """Refuse stores into blocks that get what is known elsewhere, in this trip or in a later one."""
    before = None
    while before != len(state.copies.sealed):
        before = len(state.copies.sealed)
        for key, (block, now) in moved.items():
            if not is_alone(state, key, env, carried.live, given):
                seal_both(state, block, now)


def check_same(state: State, key: str, before: Value, now: Value | None) -> None:
    """Refuse a name that is no array and stands for something else where a trip ends."""
    is_variable = isinstance(now, Number) and isinstance(before, Number) and now.expr == before.expr
    if now != before and not is_variable:
        raise state.refused(f"`{key}`, which is something else in each trip of a loop")


def demand_alike(state: State, key: str, block: Array, value: Array) -> None:
    """Demand that an array has the sizes of the block that it is copied into."""
    if len(value.dims) != len(block.dims) or value.dtype != block.dtype:
        raise state.refused(f"`{key}`, which is an array of another rank or dtype in a loop")
    for mine, theirs in zip(block.dims, value.dims, strict=True):
        if Affine(1) in (mine, theirs) and mine != theirs:
            raise state.refused(f"`{key}`, which is an array of another size in a loop")
        state.demand_equal(mine, theirs)


def is_alone(state: State, key: str, env: Env, live: Set[str], given: Iterable[Value]) -> bool:
    """Whether the array of a name is known by no other name that is read later, and not saved."""
    value = env[key]
    if not isinstance(value, Array) or value.base is None:
        return True
    if (
        value.base in state.program.parameters
        or value.base in state.copies.sealed
        or any(mentions(v, value.base) for v in given)
    ):
        return False
    return not any(
        mentions(other, value.base)
        for name, other in env.items()
        if name != key and (name in live or isinstance(other, (Stack, Listed)))
    )


def mentions(value: Value, base: str) -> bool:
    """Whether a value is, or holds, an array in a block."""
    if isinstance(value, Array):
        return value.base == base
    if isinstance(value, Items):
        return any(mentions(item, base) for item in value.items)
    if isinstance(value, Masked):
        return base in (value.values.base, value.mask.base)
    if isinstance(value, Maybe):
        return mentions(value.value, base)
    if isinstance(value, Iterated):
        return any(mentions(item, base) for item in value.of)
    if isinstance(value, Cotangents):
        return value.block is not None and value.block.base == base
    return isinstance(value, (Stack, Listed)) and any(mentions(v, base) for v in value.items)
