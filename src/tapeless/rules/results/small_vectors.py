"""Kinds of short vectors taken apart and put together."""

from __future__ import annotations

from tapeless.kinds import Array, Kind, Real, Sequence, Tuple, count_of
from tapeless.ranks import dims_of
from tapeless.rules.results.call import Call


def floats_of(call: Call) -> Kind:
    dims = dims_of(call.first)
    count = count_of(dims[0]) if dims is not None and len(dims) == 1 else None
    return Sequence(Real()) if count is None else Tuple((Real(),) * count.number)


def vector_of(call: Call) -> Kind:
    numbers = call.first
    if not isinstance(numbers, Tuple):
        return Array((call.size("n"),), "f8", call.region)
    return Array((len(numbers.items),), "f8", call.region)


def number(call: Call) -> Kind:
    return Real()
