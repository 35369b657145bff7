"""What a function of loops returns: numbers, and arrays that it made.

Nobody stores into what a whole function returns. What a part of one returns, other statements go on with: a
view that is copied here would no longer be a view there. So a part returns only arrays that nothing else
stands for, and an argument as a whole, which its caller has already.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import gast

from tapeless.joins import is_tuple
from tapeless.kinds import Kind, Tuple
from tapeless.lower.loops import GIVEN, Returned
from tapeless.lower.refused import NotLowered
from tapeless.lower.state import State
from tapeless.lower.values import Array, Items, Known, Number, Value, axis


def returned(
    state: State, value: Value, kind: Kind, env: Mapping[str, Value], names: Sequence[str] = ()
) -> Returned:
    """Say what the outermost function returns, of some kind.

    `env` says what its names stand for; and `names` are those that it returns, if it returns such.
    """
    lists = list(_lists(value, kind))
    if lists:
        raise _refused(state, "a result that is a list, or of a class of tuples", lists, env)
    if state.is_part:
        items = list(_items(value))
        shared = _not_apart(state, items)
        if shared:
            refusal = _refused(state, "a result that something else may stand for", shared, env)
            named = zip(names, items, strict=True) if len(names) == len(items) else ()
            refusal.unbound |= {name for name, x in named if any(x is y for y in shared)}
            raise refusal
    return _returned(state, value)


def names_in(tree: Any) -> list[str]:
    """Return the names of which a tuple consists; none where it holds anything else."""
    parts = tree.elts if isinstance(tree, gast.Tuple) else [tree]
    return [p.id for p in parts] if all(isinstance(p, gast.Name) for p in parts) else []


def _refused(
    state: State, reason: str, values: Sequence[Value], env: Mapping[str, Value]
) -> NotLowered:
    """Say that the names which stand for some values cannot come out of loops."""
    refusal = state.refused(reason)
    refusal.unbound = frozenset(k for k, found in env.items() if any(found == x for x in values))
    return refusal


def _returned(state: State, value: Value) -> Returned:
    if isinstance(value, Items):
        return Returned(tuple(_returned(state, item) for item in value.items))
    if isinstance(value, Number) and value.sort != "bool":
        return Returned(value.expr, value.sort)
    if isinstance(value, Known) and value.value is None:
        return Returned(None)
    if not isinstance(value, Array):
        raise state.refused("a result that is no number, array or tuple of such")
    if state.is_part and _is_whole_argument(state, value):
        return Returned(value.base, f"{GIVEN}{state.program.parameters.index(str(value.base))}")
    if not value.fresh:
        value = _own_memory(state, value)
    return Returned(value.base, value.dtype)


def _own_memory(state: State, value: Array) -> Array:
    """Return a copy of a view of what the function made; what it was given is not returned."""
    if value.base is None or value.base in state.program.parameters:
        raise state.refused("a result that shares memory with an argument")
    return state.copied(value)


def _lists(value: Value, kind: Kind) -> Iterator[Value]:
    """List the items that would be returned as tuples and are none."""
    if not isinstance(value, Items):
        return
    if isinstance(kind, Tuple) and kind.cls is tuple and len(kind.items) == len(value.items):
        for item, of in zip(value.items, kind.items, strict=True):
            yield from _lists(item, of)
    elif isinstance(kind, Tuple) or not is_tuple(kind):
        yield value


def _is_whole_argument(state: State, value: Array) -> bool:
    """Whether an array is all of one that was given, with the same axes."""
    program = state.program
    key = value.base
    if key not in program.parameters or key in state.outside:
        return False
    every = tuple(map(axis, range(len(value.dims))))
    return value.axes == every and value.dims == program.arrays[key]


def _not_apart(state: State, items: Sequence[Value]) -> list[Value]:
    """List the items of a part's result of which it is not known that nothing else stands for them."""
    arrays = [x for x in items if isinstance(x, Array) and not _is_whole_argument(state, x)]
    standing = [_standing_for(state, x) for x in arrays]
    groups = Counter(standing)
    given = {*state.program.given, *state.outside}
    shared: list[Value] = [
        x
        for x, blocks in zip(arrays, standing, strict=True)
        if not x.fresh or groups[blocks] > 1 or blocks & given
    ]
    return shared + [x for x in items if not isinstance(x, Array) and not _is_plain(x)]


def _is_plain(x: Value) -> bool:
    """Whether it is None, or a number of which it is known of what class it is."""
    return isinstance(x, Number) and x.sort not in ("bool", "either") or x == Known(None)


def _items(value: Value) -> Iterator[Value]:
    if isinstance(value, Items):
        for item in value.items:
            yield from _items(item)
    else:
        yield value


def _standing_for(state: State, x: Array) -> frozenset[str]:
    """Return the blocks that may hold the same array as one: copies of each other, one way or the other."""
    near: dict[str, set[str]] = {}
    for base, copies in state.copies.carried_on.items():
        for copy in copies:
            near.setdefault(base, set()).add(copy)
            near.setdefault(copy, set()).add(base)
    reached = [x.base] if x.base is not None else []
    for base in reached:
        reached += [other for other in near.get(base, ()) if other not in reached]
    return frozenset(reached)
