"""Kinds of what mirrors a value: its adjoint, its tangent, or the gradient that a user is given.

A list of cotangents has the structure of the list that they belong to, and each the shape of its item.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from enum import Enum
from typing import Any

from tapeless.analysis.abstract import Beside, Value
from tapeless.analysis.interpret.state import Interpreter
from tapeless.joins import join
from tapeless.kinds import (
    NONE,
    NOWHERE,
    UNKNOWN,
    UNREACHED,
    Array,
    Dict,
    Inert,
    Instance,
    Integer,
    Kind,
    List,
    Number,
    Real,
    Regions,
    Sequence,
    Sparse,
    Tuple,
    differentiable,
    is_container,
    is_number,
    regions_of,
    some_number,
)
from tapeless.protocol.gradients import fit_structure, unfitted
from tapeless.protocol.upstreams import upstream_like
from tapeless.rules.results.call import Call
from tapeless.rules.results.sparse import entries
from tapeless.runtime import (
    AdjointRecord,
    array_bar,
    block_bars,
    block_diagonal_bars,
    column_stack_bars,
    concatenate_bars,
    copied,
    cross_left_bar,
    cross_right_bar,
    dstack_bars,
    entries_below,
    entries_beside,
    entries_on_diagonal,
    hstack_bars,
    private_tangent,
    reshaped_like,
    spread_like,
    stack_bars,
    summed_like,
    vstack_bars,
    zero_tangent,
    zeros,
)
from tapeless.tree.trees import Tree


def alike(kind: Kind, region: Regions) -> Kind:
    """Return the kind of an array or a number that has the shape of another."""
    if isinstance(kind, Array) and differentiable(kind):
        return Array(kind.dims, kind.dtype, region)
    if isinstance(kind, Number):
        return replace(kind, regions=region)
    if isinstance(kind, Integer):
        return Real()
    return kind if isinstance(kind, Real) else UNKNOWN


class Mirror(Enum):
    """What has the structure of a primal: an adjoint, a tangent, or what a user is given."""

    ADJOINT = "adjoint"
    TANGENT = "tangent"
    GRADIENT = "gradient"


def mirrored(
    interpreter: Interpreter, kind: Kind, region: Regions, mirror: Mirror,
    around: Regions = NOWHERE,
) -> Kind:  # fmt: skip
    """Return the kind of what mirrors a value, itself in `region`, filling the heap.

    What is inside another thing of the same region, one of those `around` it, is not known: there
    may be no end to it.
    """

    def inner(part: Kind, key: Hashable) -> Kind:
        inside: Regions = frozenset(("zeros", r, key) for r in region)
        return mirrored(interpreter, part, inside, mirror, around | regions_of(kind))

    if is_container(kind) and regions_of(kind) & around:
        return UNKNOWN
    if isinstance(kind, Tuple) and mirror is not Mirror.ADJOINT:
        return Tuple(tuple(inner(part, i) for i, part in enumerate(kind.items)), kind.cls)
    if isinstance(kind, Sequence) and mirror is not Mirror.ADJOINT:
        return replace(kind, item=inner(kind.item, "*"))
    if _has_slots(kind):
        return _filled(interpreter, kind, region, mirror, inner)
    if isinstance(kind, (Real, Integer)):
        if isinstance(kind, Integer):
            return NONE if mirror is Mirror.GRADIENT else Real()
        return kind if mirror is not Mirror.ADJOINT or kind.dtype == "f8" else Real("?")
    if isinstance(kind, Sparse):
        return _of_sparse(interpreter, kind, region, mirror)
    return Inert() if isinstance(kind, Inert) else alike(kind, region)


def partly_untouched(interpreter: Interpreter, kind: Kind, region: Regions) -> Kind:
    """Return the kind of an adjoint of which no more is known than what it is one of.

    Each of its parts may be an untouched 0.0.
    """

    def part_of(part: Kind, key: Hashable) -> Kind:
        if isinstance(part, (Real, Integer)):
            return Real("?")
        inside: Regions = frozenset(("zeros", r, key) for r in region)
        return some_number(inside, part) if is_number(part) else UNKNOWN

    return (
        _filled(interpreter, kind, region, Mirror.ADJOINT, part_of) if _has_slots(kind) else UNKNOWN
    )


def _has_slots(kind: Kind) -> bool:
    shared = isinstance(kind, (List, Dict, Instance)) and bool(kind.regions)
    return shared or isinstance(kind, (Tuple, Sequence))


def _filled(
    interpreter: Interpreter, kind: Kind, region: Regions, mirror: Mirror,
    part_of: Callable[[Kind, Hashable], Kind],
) -> Kind:  # fmt: skip
    """Return the kind of what mirrors a container, with what mirrors its parts on the heap."""
    made: Kind = List(region)
    if isinstance(kind, Sequence):
        parts: list[tuple[Hashable, Kind]] = [("*", kind.item)]
    elif isinstance(kind, Tuple):
        parts = list(enumerate(kind.items))
    else:
        assert isinstance(kind, (List, Dict, Instance))
        made = replace(kind, regions=region)
        if isinstance(kind, Instance) and mirror is not Mirror.GRADIENT:
            made = Instance(AdjointRecord, region)
        parts = _slots_of(interpreter, kind, region)
    interpreter.heap.setdefault(next(iter(region)), {})
    for key, part in parts:
        interpreter.put(region, key, Value(part_of(part, key)))
    return made


def _slots_of(
    interpreter: Interpreter, kind: List | Dict | Instance, point: Hashable
) -> list[tuple[Hashable, Kind]]:
    """Return what the slots of a container hold: where it is one of several, of any of them."""
    found: dict[Hashable, Kind] = {}
    for owner in sorted(kind.regions, key=repr):
        for key, value in interpreter.heap.get(owner, {}).items():
            if not isinstance(key, Beside):
                found[key] = join(found.get(key, UNREACHED), value.kind, (point, key))
    return list(found.items())


def _of_sparse(interpreter: Interpreter, kind: Sparse, region: Regions, mirror: Mirror) -> Kind:
    """Return the kind of the gradient of a sparse array, or that of an array of its entries."""
    if mirror is Mirror.GRADIENT:
        return replace(kind, regions=region)
    return replace(entries(Call([kind], {}, "entries", region)), regions=region)  # type: ignore[call-arg]


def mirror_of(place: int, mirror: Mirror) -> Any:
    """What has the structure of an argument."""

    def kind_of_mirror(
        interpreter: Interpreter, call: Call, values: list[Value], tree: Tree
    ) -> Kind:
        return mirrored(interpreter, values[place].kind, call.region, mirror)

    return kind_of_mirror


# Helpers whose result mirrors an argument, by what it is of it

_ADJOINTS: dict[int, tuple[Any, ...]] = {
    0: (copied, zeros, zero_tangent),
    1: (
        array_bar, block_bars, block_diagonal_bars, column_stack_bars, concatenate_bars, cross_left_bar,
        dstack_bars, hstack_bars, reshaped_like, spread_like, stack_bars, summed_like, unfitted,
        vstack_bars,
    ),
    2: (cross_right_bar, entries_below, entries_beside, entries_on_diagonal),
}  # fmt: skip
KINDS_OF_MIRRORS: dict[Any, Any] = {
    private_tangent: mirror_of(1, Mirror.TANGENT),
    fit_structure: mirror_of(1, Mirror.TANGENT),
    upstream_like: mirror_of(1, Mirror.GRADIENT),
} | {
    helper: mirror_of(place, Mirror.ADJOINT)
    for place, helpers in _ADJOINTS.items()
    for helper in helpers
}
