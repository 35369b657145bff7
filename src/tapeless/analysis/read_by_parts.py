"""Arrays in slots of which functions that are called in loops read parts: their adjoints need one buffer.

    def step(self, k):                      for k in range(n):
        self.level += self.path[k]              walker.step(k)

Each call adds to one entry of the adjoint of `walker.path`. Made anew by each call it would cost the size of
the array every time, so it is kept where that of an array is kept which is stored into.
"""

from __future__ import annotations

from collections.abc import Iterator

import gast

from tapeless.analysis.facts import Callee, Facts
from tapeless.kinds import Array, Number, Region, is_outside, regions_of
from tapeless.tree.classes import LOOPS
from tapeless.tree.names import nodes
from tapeless.tree.trees import Stmt, Tree


def read_by_parts(facts: Facts) -> frozenset[Region]:
    """Return the regions of arrays in slots of which calls in loops read parts.

    What a name may be a number beside has no place in a buffer for sure.
    """
    return frozenset(_read_below(facts, False, ())) - _beside_numbers(facts)


def _beside_numbers(facts: Facts) -> frozenset[Region]:
    kinds = {value.kind for _, value in facts.met}
    return frozenset().union(*(regions_of(k) for k in kinds if isinstance(k, Number)))


def _read_below(facts: Facts, repeated: bool, around: tuple[Facts, ...]) -> Iterator[Region]:
    """Yield what the callees of a function read by parts, in its own terms."""
    looped = {part for loop in _loops(facts.function.tree) for part in nodes(loop)}
    for s, callee in facts.callees.items():
        inside = callee.facts
        again = repeated or s in looped or inside in around
        if inside in around:
            continue
        found = {*_read_below(inside, again, (*around, facts))}
        found |= {*_read_here(callee)} if again else set()
        for region in found - facts.stored - _beside_numbers(inside):
            yield from (r for r in callee.seen_by_caller(region) if not is_outside(r))


def _loops(tree: Tree) -> list[Stmt]:
    return [part for part in nodes(tree) if type(part) in LOOPS]


def _read_here(callee: Callee) -> Iterator[Region]:
    """Yield the regions of arrays in slots, not made here, of which a function reads parts."""
    slots = [value.kind for held in callee.heap.values() for value in held.values()]
    held = {r for kind in slots if isinstance(kind, Array) for r in regions_of(kind)}
    for s in callee.facts.before if held else ():
        for part in nodes(s):
            if type(part) is gast.Subscript and type(part.value) is gast.Name:
                yield from held & regions_of(callee.facts.kind(s, part.value.id))
