"""Kinds of sparse arrays as they are made."""

from __future__ import annotations

from typing import Any

from tapeless.kinds import (
    Array,
    Dim,
    Integer,
    Kind,
    List,
    Sequence,
    Sparse,
    Tuple,
    regions_within,
)
from tapeless.ranks import dtype_of, literal
from tapeless.rules.results.call import MISSING_ARGUMENT, Call, KindOf, item_kind, shape_literal


def made(cls: Any) -> KindOf:
    """Return the kind of what a class of sparse arrays makes of its arguments."""
    form, is_matrix = cls.__name__[:3], cls.__name__.endswith("matrix")

    def kind_of_made(call: Call) -> Kind:
        given = call.argument(0, "arg1")
        if isinstance(given, Sparse):
            return Sparse(given.dims, given.dtype, form, is_matrix, given.regions | call.region)
        entries = given.items[0] if isinstance(given, Tuple) and given.items else given
        listed = isinstance(entries, (List, Sequence, Tuple))  # of which a new array is made
        regions = call.region if listed else call.region | regions_within(entries)
        return Sparse(_dims(call, given), _code(given), form, is_matrix, regions)

    return kind_of_made


def _dims(call: Call, given: Kind) -> tuple[Dim, ...]:
    dims = shape_literal(call.argument(1, "shape"), call)
    if (
        dims is None
        and isinstance(given, Tuple)
        and all(isinstance(k, Integer) for k in given.items)
    ):
        dims = shape_literal(given, call)
    if dims is None and isinstance(given, Array):
        dims = given.dims
    return dims if dims is not None and len(dims) == 2 else (call.size(0), call.size(1))


def _code(given: Kind) -> str:
    if isinstance(given, Tuple) and all(isinstance(k, Integer) for k in given.items):
        return "f8"
    return dtype_of(given.items[0] if isinstance(given, Tuple) and given.items else given)


def constant(*, is_matrix: bool) -> KindOf:
    """Return the kind of what makes a constant sparse array, such as an identity."""

    def kind_of_constant(call: Call) -> Kind:
        label = literal(call.keywords.get("format", MISSING_ARGUMENT))
        form = label if isinstance(label, str) else ""
        return Sparse((call.size(0), call.size(1)), "f8", form, is_matrix, call.region)

    return kind_of_constant


def of_diagonal(call: Call) -> Kind:
    """Return the kind of a sparse array of one diagonal, given its class and the diagonal."""
    name, d = getattr(getattr(call.first, "value", None), "__name__", ""), call.argument(1, "d")
    size = call.size()
    return Sparse((size, size), dtype_of(d), "dia", name.endswith("matrix"), call.region)


def joined(call: Call) -> Kind:
    """Return the kind of what is made of blocks: a matrix, if all of them are."""
    given = call.first
    if isinstance(given, Tuple):
        return _made_of(call, given.items)
    item = item_kind(given, call)
    return call.unknown if item is None else _made_of(call, (item,))


def kronecker(call: Call) -> Kind:
    """Return the kind of a product of two sparse arrays: a matrix, if both are."""
    return _made_of(call, (call.argument(0, "A"), call.argument(1, "B")))


def _made_of(call: Call, parts: tuple[Kind, ...]) -> Kind:
    sparse = [part for part in parts if isinstance(part, Sparse)]
    if len(sparse) < len(parts) or not sparse:
        return call.unknown
    is_matrix = all(part.is_matrix for part in sparse)
    return Sparse((call.size(0), call.size(1)), "?", "", is_matrix, call.region)


def pairs(call: Call) -> Kind:
    """Return the kind of an array with a row for each entry of one sparse array."""
    return call.array((call.size(0), call.size(1)), dtype_of(call.argument(1, "data")))
