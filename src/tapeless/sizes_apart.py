"""Which sizes are one number: a symbol stands for it only among what is there at one time.

A size is named by the program point that made it. That name says "the same number" as long as the point
runs once. What a list holds was made by several runs of one point, and a name that keeps what the trip
before made lives beside what this trip makes: there one symbol would stand for several numbers,

    parts = [np.full(k, c) for k in (1, 3)]
    parts[0] * parts[1]                         # of sizes 1 and 3, both `k`

and a cotangent would not be summed over the axis along which its operand was repeated. So what is taken
out of a container, and what is carried into the next trip of a loop, has sizes of its own. Sizes that are
not 1 may keep their names: where two of these meet in one operation they are equal, or it raises.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Set
from dataclasses import replace
from typing import TypeAlias

from tapeless.kinds import Array, Dim, Integer, Kind, Number, Sequence, Size, Sparse, Tuple
from tapeless.kinds import Iterator as IteratorKind

_Place: TypeAlias = tuple[int, ...]


def apart(kind: Kind, point: Hashable) -> Kind:
    """Return the kind of one of the values that a kind stands for: its sizes are its own.

    Parameters
    ----------
    kind
        What is known of each of several values.
    point
        Where one of them is taken.

    Examples
    --------
    >>> n, rows = Size("n"), Size("rows", least=2)
    >>> taken = apart(Array((rows, n, n)), "here")
    >>> taken.dims[0] == rows, taken.dims[1] == n, taken.dims[1] == taken.dims[2]
    (True, False, True)
    """
    return _with_sizes(kind, _Renamed(("taken", point), frozenset()), ())


def carried(kind: Kind, point: Hashable, before: Set[Hashable]) -> Kind:
    """Return the kind of what the next trip of a loop finds: what this one made is not what that one makes.

    Parameters
    ----------
    kind
        What is known of a name at the end of a trip.
    point
        The loop, and the name.
    before
        The symbols of what was there before the loop.

    Examples
    --------
    >>> n, k = Size("n"), Size("k")
    >>> found = carried(Array((n, k)), "loop", {"n"})
    >>> found.dims[0] == n, found.dims[1] == k
    (True, False)
    """
    return _with_sizes(kind, _Renamed(("carried", point), before), ())


class _Renamed:
    """The sizes of a kind that may be 1, each by the place where it is met first."""

    def __init__(self, prefix: tuple[Hashable, ...], known: Set[Hashable]) -> None:
        self.prefix = prefix
        self.known = known
        self.places: dict[Hashable, _Place] = {}

    def __call__(self, dim: Dim, place: _Place) -> Dim:
        if isinstance(dim, int) or not dim.broadcastable or dim.symbol in self.known:
            return dim
        first = self.places.setdefault(dim.symbol, place)
        return replace(dim, symbol=(*self.prefix, first))


def _with_sizes(kind: Kind, size: Callable[[Dim, _Place], Dim], place: _Place) -> Kind:
    """Return a kind with other sizes; the kind itself where none is another."""
    if isinstance(kind, (Array, Sparse)):
        dims = tuple(size(dim, (*place, i)) for i, dim in enumerate(kind.dims))
        return kind if dims == kind.dims else replace(kind, dims=dims)
    if isinstance(kind, Integer) and isinstance(kind.value, Size):
        value = size(kind.value, place)
        return kind if value == kind.value else Integer(value)
    if isinstance(kind, Tuple):
        parts = tuple(_with_sizes(k, size, (*place, i)) for i, k in enumerate(kind.items))
        return kind if parts == kind.items else replace(kind, items=parts)
    if isinstance(kind, (Sequence, IteratorKind)):
        item = _with_sizes(kind.item, size, (*place, 0))
        return kind if item is kind.item else replace(kind, item=item)
    if isinstance(kind, Number) and isinstance(kind.operand, Array):
        operand = _with_sizes(kind.operand, size, place)
        return kind if operand is kind.operand else replace(kind, operand=operand)  # type: ignore[arg-type]
    return kind


def symbols(kind: Kind) -> Iterator[Hashable]:
    """Yield the symbols of the sizes of a kind."""
    if isinstance(kind, Array):
        yield from (dim.symbol for dim in kind.dims if isinstance(dim, Size))
        return
    found: list[Hashable] = []

    def note(dim: Dim, place: _Place) -> Dim:
        if isinstance(dim, Size):
            found.append(dim.symbol)
        return dim

    _with_sizes(kind, note, ())
    yield from found
