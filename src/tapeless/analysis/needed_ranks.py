"""What must hold of the rank of a value, and how that is joined where ways meet.

    UNREAD          nothing reads the value from here on
    Rank(1)         it has rank 1, or there is no scalar result
    Rank(1, False)  it has rank 1 or is not read, according to the way that control takes
    Parts, Items    what holds of the items of a tuple, of each item of a list
    Sizes()         a shape, of which single sizes are read
    COMPARED        it is compared with others in a test, whatever its rank
    None            it is read, and may be of any rank

Where control comes along one way, both what is needed here and what is needed later holds: the sure one of
two wins. Where one of two ways is taken only what both say holds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Rank:
    """The rank that a value has, and whether it counts trips: an integer.

    If this is not `sure`, it holds where the entries of the value are read at all.
    """

    number: int
    sure: bool = True
    counts: bool = False


@dataclass(frozen=True)
class Parts:
    """What must hold of the items of a tuple."""

    items: tuple[Any, ...]


@dataclass(frozen=True)
class Items:
    """What must hold of each item of a list."""

    item: Any


@dataclass(frozen=True)
class Sizes:
    """A shape of which single sizes are read."""


@dataclass(frozen=True)
class Unread:
    """What must hold of what nothing reads: nothing."""


@dataclass(frozen=True)
class Compared:
    """What must hold of what is compared only: nothing, whatever is computed with it otherwise."""


UNREAD = Unread()
COMPARED = Compared()
Needed = Rank | Parts | Items | Sizes | Compared | Unread | None


def unsure(needed: Needed) -> Needed:
    """Return what must hold of a value on a way on which it is perhaps not read.

    Examples
    --------
    >>> unsure(Parts((Rank(1), None)))
    Parts(items=(Rank(number=1, sure=False, counts=False), None))
    """
    if isinstance(needed, Parts):
        return Parts(tuple(map(unsure, needed.items)))
    if isinstance(needed, Items):
        return Items(unsure(needed.item))
    return replace(needed, sure=False) if isinstance(needed, Rank) else needed


def on_either(a: Needed, b: Needed) -> Needed:
    """Return what must hold of a value where one of two ways leads on.

    Examples
    --------
    >>> on_either(Rank(1), UNREAD), on_either(Rank(1), Rank(0))
    (Rank(number=1, sure=False, counts=False), None)
    """
    if UNREAD in (a, b):
        return unsure(b if a == UNREAD else a)
    if COMPARED in (a, b):
        return unsure(b if a == COMPARED else a)
    if isinstance(a, Rank) and isinstance(b, Rank) and a.number == b.number:
        return Rank(a.number, a.sure and b.sure, a.counts and b.counts)
    if isinstance(a, Parts) and isinstance(b, Parts) and len(a.items) == len(b.items):
        return Parts(tuple(map(on_either, a.items, b.items)))
    if isinstance(a, Items) and isinstance(b, Items):
        return Items(on_either(a.item, b.item))
    return a if a == b else None


def on_both(a: Needed, b: Needed) -> Needed:
    """Return what must hold of a value that is read twice on one way.

    Examples
    --------
    >>> on_both(Rank(1), None), on_both(Rank(1, sure=False), None)
    (Rank(number=1, sure=True, counts=False), None)
    """
    if UNREAD in (a, b) or a == b:
        return b if a == UNREAD else a
    if COMPARED in (a, b):
        return b if a == COMPARED else a
    if isinstance(a, Rank) and isinstance(b, Rank) and a.number == b.number:
        return Rank(a.number, a.sure or b.sure, a.counts or b.counts)
    if isinstance(a, Parts) and isinstance(b, Parts) and len(a.items) == len(b.items):
        return Parts(tuple(map(on_both, a.items, b.items)))
    if None not in (a, b):
        return None
    one = b if a is None else a
    return one if isinstance(one, Rank) and one.sure else None
