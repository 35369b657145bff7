"""What has a tangent: all that varies at any time, what holds it, and what it holds.

A mutable thing that varies at any time has a tangent from the start, and so has everything that it may
be reached from: a store through one name must be seen through all. The regions say which these are. Where
nothing is stored into what is outside, that has no tangent, whatever holds it.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.analysis.abstract import Value
from tapeless.analysis.facts import Callee, Facts, call_key
from tapeless.externals import External, constant
from tapeless.kinds import (
    Array,
    Kind,
    Number,
    Region,
    differentiable,
    is_container,
    regions_of,
    regions_within,
)
from tapeless.regions import is_holder, is_outside
from tapeless.rules.traits import SOMETIMES, traits_of_callee
from tapeless.runtime.memory import owner_of_memory
from tapeless.specialize.program import AnalysedProgram
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import nodes, reads


def regions_with_tangent(
    facts: Facts, values: tuple[Value, ...], known: frozenset[Region] = frozenset()
) -> frozenset[Region]:
    """Return the regions of all that varies at any time, what holds it and what it holds.

    Parameters
    ----------
    facts, values
        What is known of a function and of its parameters.
    known
        Regions that have tangents in its caller.
    """
    found = set(facts.varied) | known
    seen = [v for _, v in facts.met]
    for value in [*seen, *facts.results.values(), facts.returned, *values]:
        if value.varied and differentiable(value.kind):
            found |= regions_within(value.kind)
    held = {
        region: [v for v in slots.values() if differentiable(v.kind)]
        for region, slots in facts.heap.items()
    }
    changed = True
    while changed:
        before = len(found)
        for region, slots in held.items():
            if region not in found and any(
                v.varied or regions_within(v.kind) & found for v in slots
            ):
                found.add(region)
            if region in found:
                for v in slots:
                    found |= regions_within(v.kind)
        changed = len(found) != before
    lists = [v.kind for v in [*seen, *values] if v.varied and is_container(v.kind)]
    if any(map(is_outside, known.union(facts.varied, *map(regions_of, lists)))):
        return frozenset(found)
    return frozenset(r for r in found if not is_outside(r))


def seen_regions(facts: Facts) -> set[Region]:
    """Return the regions of all values that a function ever sees."""
    found = {*regions_within(facts.returned.kind), *facts.heap, *facts.stored}
    for env in facts.before.values():
        for value in env.values():
            found |= regions_within(value.kind)
    for value in facts.results.values():
        found |= regions_within(value.kind)
    return found


def escaping_regions(facts: Facts, values: tuple[Value, ...]) -> frozenset[Region]:
    """Return the regions that the caller of a function may see."""
    found = set(regions_within(facts.returned.kind))
    for value in values:
        found |= regions_within(value.kind)
    for slots in facts.heap.values():
        for value in slots.values():
            found |= regions_within(value.kind)
    return frozenset(found)


def depends_on_layout(function: CoreFunction, facts: Facts, seen: set[Any] | None = None) -> bool:
    """Whether the memory layout of an array may decide what shares memory with it."""
    seen = set() if seen is None else seen
    if function in seen:
        return False
    seen.add(function)
    for part in nodes(function.tree):
        if type(part) is gast.Call:
            known = traits_of_callee(part.func, facts.object_called(part))
            if known.view in SOMETIMES:
                return True
    return any(depends_on_layout(c.function, c.facts, seen) for c in facts.callees.values())


def is_container_or_array(kind: Kind) -> bool:
    """Whether a value can be changed in place."""
    return is_container(kind) or isinstance(kind, (Array, Number))


# By identity: things that are neither arguments nor local, how a function names them
Outside = dict[int, tuple[str, External]]


def things_outside(
    function: CoreFunction, facts: Facts, regions: frozenset[Region], program: AnalysedProgram,
    seen: set[Any] | None = None,
) -> Outside:  # fmt: skip
    """Find what a function, and what it calls, names outside itself and gives a tangent to.

    What it calls is asked as it is when its own tangent is written: both must agree.
    """
    seen = set() if seen is None else seen
    seen.add((function, regions))
    found: Outside = {}
    for key in sorted(set(reads(gast.Module(function.tree.body, []))) - function.local):
        external = function.externals.get(key)
        if external is None:
            continue
        _, region = program.known.get(id(owner_of_memory(external.value)), (None, None))
        if region in regions:
            found.setdefault(id(external.value), (key, external))
    for region in filter(is_holder, sorted(regions, key=repr)):
        owner, label = program.holder(region)
        found.setdefault(id(owner), (label, constant(owner, label)))
    for callee in facts.callees.values():
        inner = last_facts(program, callee)
        own = regions_with_tangent(inner, callee.values, known_to(callee, regions))
        if (callee.function, own) not in seen:
            found = things_outside(callee.function, inner, own, program, seen) | found
    return found


def known_to(callee: Callee, regions: frozenset[Region]) -> frozenset[Region]:
    """Return those of a callee's regions that have tangents in its caller."""
    inside = {r for r, outer in callee.regions.items() if outer & regions}
    outside = {r for r in regions if r[0] in ("external", "attributes")} - inside
    if outside:
        inside |= outside & seen_regions(callee.facts)
    return frozenset(inside)


def last_facts(program: AnalysedProgram, callee: Callee) -> Facts:
    """Return what is known of a callee in the end: in a recursion, by its last round."""
    key = call_key(callee.function, callee.values, callee.heap)
    found: Facts = program.found.get(key, callee.facts)
    return found
