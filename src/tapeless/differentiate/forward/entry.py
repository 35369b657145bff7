"""What a function is entered with: arguments, and things outside that are stored into.

What it may change of its arguments is copied first, with all that shares memory in it, and so is the
tangent: both are left as they were given.
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import mutable_places
from tapeless.differentiate.forward.regions import depends_on_layout, things_outside
from tapeless.differentiate.forward.writer import TangentWriter
from tapeless.kinds import Array, Kind, Real, Region, Sequence, Sparse, regions_within
from tapeless.tree.build import assign, call, name, quote_expression, target


def entering(writer: TangentWriter, key: str, kind: Kind, given: bool) -> list[Any]:
    """Make what a function may change of its arguments, and their tangents, its own."""
    made: list[Any] = []
    inside = regions_within(kind)
    for region in list(inside):
        inside |= _held_in(writer, region, set())
    stored = bool(inside & writer.facts.stored) or isinstance(kind, Sequence)
    plain = isinstance(kind, (Real, Array, Sparse))
    by_layout = bool(writer.facts.stored) and depends_on_layout(writer.function, writer.facts)
    simple = isinstance(kind, Array) and not by_layout
    plain = plain and not (by_layout and isinstance(kind, Array) and len(kind.dims) > 1)
    if stored and simple:
        made.append(assign(key, quote_expression("x.copy()", x=key)))
    elif stored:
        made.append(assign(key, call(name(writer.runtime("private")), name(key))))
    if given and stored and simple:
        made.append(assign(writer.dot(key), quote_expression("x.copy()", x=writer.dot(key))))
    elif given and (stored or not plain):
        own = call(name(writer.runtime("private_tangent")), name(writer.dot(key)), name(key))
        made.append(assign(writer.dot(key), own))
    elif not given and key in writer.tracked:
        made.append(assign(writer.dot(key), writer.zero(name(key), kind)))
    return made


def externals_at_start(writer: TangentWriter) -> list[Any]:
    """Bind the tangents of things outside that are stored into, here or in what is called."""
    found = things_outside(writer.function, writer.facts, writer.regions, writer.module.program)
    _refuse_shared_memory(writer, [external.value for _, external in found.values()])
    keys: list[str] = []
    for thing, (key, external) in found.items():
        keys.append(writer.splicer.adopt(key, {key: external}))
        writer.external_dots[thing] = writer.dot(keys[-1])
    if _meet([external.value for _, external in found.values()]):
        place = gast.Tuple([target(writer.dot(key)) for key in keys], gast.Store())
        things = gast.Tuple([name(key) for key in keys], gast.Load())
        zeros = call(name(writer.runtime("zero_tangent")), things)
        return [gast.Assign([place], zeros, None)]
    kinds = [writer.splicer.evaluate(name(key), {}).kind for key in keys]
    return [
        assign(writer.dot(key), writer.zero(name(key), kind))
        for key, kind in zip(keys, kinds, strict=True)
    ]


def _mutable_things(values: list[Any]) -> list[dict[int, Any]]:
    """List, for each of some values, what is mutable in it."""
    return [{id(thing): thing for _, thing in mutable_places(value, ())} for value in values]


def _meet(values: list[Any]) -> bool:
    """Whether one thing is, or is held by, two of some values."""
    found = _mutable_things(values)
    return sum(map(len, found)) > len(set().union(*found))


def _refuse_shared_memory(writer: TangentWriter, values: list[Any]) -> None:
    """Arrays outside the function have a tangent each, so they must be one or apart."""
    found: dict[int, Any] = {}
    for things in _mutable_things(values):
        found |= things
    arrays = [thing for thing in found.values() if isinstance(thing, np.ndarray)]
    for i, a in enumerate(arrays):
        if any(np.may_share_memory(a, b) for b in arrays[:i]):
            writer.refuse(
                writer.function.tree,
                "two arrays that are neither arguments nor local, and are stored into, share "
                "memory",
                "use one of them, and slices of it where it is stored into",
            )


def _held_in(writer: TangentWriter, region: Region, seen: set[Region]) -> set[Region]:
    if region in seen:
        return set()
    seen.add(region)
    found: set[Region] = set()
    for value in writer.known.heap.get(region, {}).values():
        inner = regions_within(value.kind)
        found |= inner
        for r in inner:
            found |= _held_in(writer, r, seen)
    return found
