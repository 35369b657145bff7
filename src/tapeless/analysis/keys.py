"""What is known of the keys of a dict whose slots they name.

A key that is written out is the name of its slot. Of another it may be known what it is, a text, a number,
or a tuple of such: its slot is named by that, so that a loop over the keys finds places of an array.

    field = {(i, j): u[i, j] for i in range(n) for j in range(n)}
    for place, value in field.items():
        out[place] = value                  # `place` is a pair of integers: a number is stored
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

from tapeless.kinds import BOOL, SOMETHING, STR, Inert, Integer, Kind, Real, Tuple, Unreached
from tapeless.ranks import literal

_NOT_KNOWN = ("*", "?")
_DEPTH = 3  # of tuples within tuples: what grows in a loop must have an end


@dataclass(frozen=True)
class AnyKey:
    """Names the slot for all keys of a kind; of one that is not reached there is none yet."""

    kind: Kind


def slot_for_key(kind: Kind) -> Hashable:
    """Return the slot of a dict for what is stored at a key.

    Examples
    --------
    >>> slot_for_key(Inert("str", "w")), slot_for_key(Kind())
    ('w', '?')
    >>> slot_for_key(Tuple((Integer(), Integer(1)))) == AnyKey(Tuple((Integer(), Integer())))
    True
    """
    known = literal(kind)
    if known is not ... and known is not None:
        return known
    plain = plain_key(kind)
    return "?" if plain is None else AnyKey(plain)


def is_any_key(slot: Hashable) -> bool:
    """Whether a slot is that of keys that are not written out."""
    return slot == "?" or isinstance(slot, AnyKey)


def plain_key(kind: Kind, depth: int = _DEPTH) -> Kind | None:
    """Return what a key is, be it one or another; None where too little is known of it.

    Examples
    --------
    >>> plain_key(Inert("str", "w")) == STR, plain_key(Kind()) is None
    (True, True)
    """
    if isinstance(kind, Tuple) and depth and not kind.or_none:
        items = [plain_key(item, depth - 1) for item in kind.items]
        known = tuple(item for item in items if item is not None)
        return Tuple(known, kind.cls) if len(known) == len(items) else None
    if isinstance(kind, Integer):
        return replace(kind, value=None)
    if isinstance(kind, Inert) and kind.what in (STR.what, BOOL.what):
        return Inert(kind.what)
    return kind if isinstance(kind, (Real, Unreached)) else None


def kind_of_key(slot: Any) -> Kind:
    """Return what a key is that is kept in a slot.

    Examples
    --------
    >>> kind_of_key((1, "up")) == Tuple((Integer(), STR))
    True
    """
    if isinstance(slot, AnyKey):
        return slot.kind
    if isinstance(slot, tuple):
        return Tuple(tuple(map(kind_of_key, slot)), type(slot))
    if slot in _NOT_KNOWN:
        return SOMETHING
    kinds: dict[type, Kind] = {str: STR, int: Integer(), bool: BOOL, float: Real()}
    return kinds.get(type(slot), SOMETHING)
