"""Names of memory on both sides of a call.

A function is interpreted once for all calls that look alike. So a callee cannot name the memory that
it is given as its caller does: it names each region by the parameter it comes in by. Regions that one
value may live in together become one. What the callee found is then said again in the names of the
caller, and memory that the callee made is named after the call.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from tapeless.analysis.abstract import NOTHING, Heap, Value, put_into
from tapeless.kinds import (
    NOWHERE,
    UNKNOWN,
    Array,
    Dim,
    Function,
    Integer,
    Iterator,
    Kind,
    Number,
    Region,
    Regions,
    Sequence,
    Size,
    Tuple,
    regions_of,
    regions_within,
)
from tapeless.regions import is_mirror, is_outside, made_by_call, mirror_of
from tapeless.sizes import least

Place = tuple[Hashable, ...]
# The slots of this region are the regions that stand for things with other slots each.
UNLIKE: Region = ("unlike",)


class Renaming:
    """The caller's regions as a callee sees them: named by the parameter they come in by.

    State outside the arguments that is `shared` is found by its own name on both sides.
    """

    def __init__(
        self, heap: Heap, varied: set[Region], shared: frozenset[Region] = frozenset()
    ) -> None:
        self.heap = heap
        self.varied = varied
        self.shared = shared
        self.forward: dict[Region, Region] = {}
        self.backward: dict[Region, set[Region]] = {}
        self.size_symbols: dict[Hashable, Hashable] = {}
        self.made_symbols: dict[Hashable, Hashable] = {}
        self.todo: list[Region] = []
        self.merges = 0
        # where those arguments may live of which a callee knows nothing
        self.unnamed: Regions = NOWHERE

    def arguments(self, values: Iterable[Value]) -> tuple[tuple[Value, ...], Heap]:
        """Return what is passed, and what can be reached from it, as the callee names it.

        Where an argument may live in the regions of two others, these become one: all is named anew.
        """
        given = list(values)
        self.forward |= {r: r for r in self.shared}
        self.backward |= {r: {r} for r in self.shared}
        self.todo += sorted(self.shared, key=repr)
        while True:
            merges = self.merges
            inner = tuple(self.value(v, i) for i, v in enumerate(given))
            heap = self.renamed_heap()
            if merges == self.merges:
                return inner, heap
            self.todo = sorted(self.forward, key=repr)

    def value(self, value: Value, position: int) -> Value:
        found = Value(self.kind(value.kind, ("parameter", position)), value.varied)
        return found

    def kind(self, kind: Kind, wish: Region) -> Kind:
        if isinstance(kind, Tuple):
            parts = tuple(self.kind(k, (*wish, i)) for i, k in enumerate(kind.items))
            moved = {i for i in kind.still if regions_within(kind.items[i]) & self.varied}
            return replace(kind, items=parts, still=kind.still - moved)
        if isinstance(kind, (Sequence, Iterator)):
            return replace(kind, item=self.kind(kind.item, (*wish, "*")))
        regions = regions_of(kind)
        if isinstance(kind, Array):
            dims = tuple(self.dim(d, (*wish, i)) for i, d in enumerate(kind.dims))
            kind = kind if dims == kind.dims else replace(kind, dims=dims)
        if isinstance(kind, Number) and isinstance(kind.operand, Array):
            kind = replace(kind, operand=self.kind(kind.operand, wish))  # type: ignore[arg-type]
        if isinstance(kind, Integer):
            return Integer(self.number(kind.value, wish), kind.of_numpy)
        if not regions:
            self.unnamed |= kind.among
            return replace(kind, among=NOWHERE) if kind.among else kind
        others = regions - self.shared
        renamed = frozenset([self.region(others, wish)]) if others else others
        return _living_in(kind, renamed | (regions & self.shared))

    def number(self, value: Dim | None, wish: Hashable) -> Dim | None:
        """Return what a callee knows of an integer: what it equals, or that it is more than 1.

        The number that a caller writes is one of many: the callee is the same for all that are like it.
        One that is less than another is any, or a recursion that counts down would not be alike in any
        two of its calls.
        """
        if isinstance(value, Size):
            return None if value.cut else self.dim(value, wish)
        if value is None or value < 2:
            return None
        return self.dim(Size(_Written(value), least=least(value)), wish)

    def dim(self, dim: Any, wish: Hashable) -> Any:
        if isinstance(dim, int):
            return dim
        symbol = self.size_symbols.setdefault(dim.symbol, ("size", wish))
        return replace(dim, symbol=symbol)

    def region(self, regions: Regions, wish: Region) -> Region:
        """Name the one region that some of the caller's are for the callee.

        What may be an adjoint in memory is named after what it is the adjoint of.
        """
        present = sorted({self.forward[r] for r in regions if r in self.forward}, key=repr)
        chosen = present[0] if present else wish
        mirrored: set[Any] = {r[1] for r in regions if is_mirror(r)}
        mirrored = mirrored.union(*(self.backward[c[1]] for c in present if is_mirror(c)))  # type: ignore[index]
        if mirrored:
            chosen = mirror_of(self.region(frozenset(mirrored), ("mirrored", *wish)))
            present = sorted({self.forward[r] for r in regions if r in self.forward}, key=repr)
        for other in present:
            self.merge(other, chosen)
        for r in regions:
            if r not in self.forward:
                self.todo.append(r)
            self.forward[r] = chosen
            self.backward.setdefault(chosen, set()).add(r)
        return chosen

    def merge(self, other: Region, chosen: Region) -> None:
        """Let what is named one way be named another way, and its adjoints after it."""
        if other == chosen or other not in self.backward:
            return
        self.merges += 1
        for r in self.backward.pop(other):
            self.forward[r] = chosen
            self.backward.setdefault(chosen, set()).add(r)
        self.merge(mirror_of(other), mirror_of(chosen))

    def renamed_heap(self) -> Heap:
        made: Heap = {}
        while self.todo:
            outer = self.todo.pop()
            region = self.forward[outer]
            for slot, value in self.heap.get(outer, {}).items():
                kind = self.kind(value.kind, self.held(region, slot))
                varied = value.varied or bool(regions_of(value.kind) & self.varied)
                slots = made.setdefault(region, {})
                put_into(slots, slot, Value(kind, varied), (region, slot))
            if outer in self.heap:
                made.setdefault(region, {})
            mirror = mirror_of(outer)
            if mirror in self.heap or mirror in self.varied:
                self.region(frozenset([mirror]), mirror_of(region))
        for region, regions in self.backward.items():
            if self.is_unlike(regions):
                made.setdefault(UNLIKE, {})[region] = NOTHING
        return made

    def is_unlike(self, regions: Iterable[Region]) -> bool:
        """Whether a callee sees things as one that have other slots each, or may have."""
        shapes = {frozenset(self.heap.get(r, {})) for r in regions}
        return len(shapes) > 1 or not self.heap.get(UNLIKE, {}).keys().isdisjoint(regions)

    def held(self, region: Region, slot: Hashable) -> Region:
        """Wish a name for what a slot holds.

        What state outside holds now is not what it held first; what an adjoint holds is no adjoint of
        what that is the adjoint of.
        """
        apart = region in self.shared or is_mirror(region)
        return ("held", *region, slot) if apart else (*region, slot)

    def varied_mirrors(self) -> Regions:
        """Return the adjoints in memory that vary, of what the callee knows."""
        return frozenset(self.forward[r] for r in self.varied if is_mirror(r) and r in self.forward)

    def originals(self) -> dict[Region, Regions]:
        return {region: frozenset(outer) for region, outer in self.backward.items()}

    def back(self, regions: Regions, point: Hashable) -> set[Region]:
        found: set[Region] = set()
        for region in regions:
            if region in self.backward:
                found |= self.backward[region]
            if is_mirror(region):
                found |= {mirror_of(r) for r in self.back(frozenset([region[1]]), point)}  # type: ignore[list-item]
            elif region in self.backward:
                pass
            elif is_outside(region):
                found.add(region)
            else:
                found.add(made_by_call(region, point))
        return found

    def value_back(self, value: Value, point: Hashable, place: Place) -> Value:
        """Return what a callee found at a place, in the names of the caller at the point of the call."""
        return Value(self.kind_back(value.kind, point, place), value.varied)

    def kind_back(self, kind: Kind, point: Hashable, place: Place) -> Kind:
        if isinstance(kind, Function) and kind.captured:
            return UNKNOWN  # its captured names are out of reach here
        if isinstance(kind, Tuple):
            parts = enumerate(kind.items)
            return replace(
                kind, items=tuple(self.kind_back(k, point, (*place, i)) for i, k in parts)
            )
        if isinstance(kind, (Sequence, Iterator)):
            return replace(kind, item=self.kind_back(kind.item, point, (*place, "*")))
        if isinstance(kind, Array):
            dims = tuple(self.dim_back(d, point, (*place, i)) for i, d in enumerate(kind.dims))
            kind = kind if dims == kind.dims else replace(kind, dims=dims)
        if isinstance(kind, Number) and isinstance(kind.operand, Array):
            kind = replace(kind, operand=self.kind_back(kind.operand, point, place))  # type: ignore[arg-type]
        if isinstance(kind, Integer) and isinstance(kind.value, Size):
            return Integer(self.dim_back(kind.value, point, place), kind.of_numpy)
        if kind.among:
            return replace(kind, among=frozenset(self.back(kind.among, point)))
        regions = regions_of(kind)
        if not regions:
            given = type(kind) is Kind and self.unnamed  # it may be what the callee was given
            return replace(kind, among=self.unnamed) if given else kind
        return _living_in(kind, frozenset(self.back(regions, point)))

    def dim_back(self, dim: Any, point: Hashable, place: Place) -> Any:
        """Return a size in the names of the caller: one that the callee made by where it is met first."""
        if isinstance(dim, int):
            return dim
        for outer, inner in self.size_symbols.items():
            if inner == dim.symbol:
                return _size_of(dim, outer)
        first = self.made_symbols.setdefault(dim.symbol, place)
        return replace(dim, symbol=("callee", point, first))


def _living_in(kind: Kind, regions: Regions) -> Kind:
    """Return the kind of a thing that lives in certain regions."""
    if regions == regions_of(kind):
        return kind
    return replace(kind, regions=regions)  # type: ignore[call-arg]


@dataclass(frozen=True)
class _Written:
    """The symbol of a number that a caller wrote."""

    number: int


def _size_of(dim: Size, symbol: Hashable) -> Dim:
    """Return a callee's size in terms of the caller's symbol."""
    if isinstance(symbol, _Written):
        return max(symbol.number - dim.cut, 0)
    return replace(dim, symbol=symbol)
