"""Kinds of parts of sparse arrays."""

from __future__ import annotations

from dataclasses import replace

from tapeless.kinds import Array, Dim, Inert, Integer, Kind, List, Sequence, Sparse, Tuple
from tapeless.ranks import dims_of, dtype_of, scalar
from tapeless.rules.results.call import Call


def triangle(call: Call) -> Kind:
    """Return the kind of a triangle of a sparse array, in the format COO."""
    x = call.first
    if not isinstance(x, Sparse):
        return call.unknown
    return replace(x, format="coo", regions=call.region)


def item(call: Call) -> Kind:
    """Return the kind of what an index takes out of a sparse array, which has two dimensions."""
    x, ranks = call.first, _ranks(call.argument(1, "index"))
    if not isinstance(x, Sparse) or ranks is None:
        return call.unknown
    if ranks == (0, 0):
        return scalar(x.dtype)
    if all(rank not in (0, None) for rank in ranks):
        return _of_pairs(call, x, max(rank or 0 for rank in ranks))
    if 0 in ranks and not x.is_matrix:
        return call.unknown  # of one dimension
    form = x.format if x.format in ("csr", "csc") else ""
    sizes: tuple[Dim, ...] = tuple(1 if rank == 0 else call.size(i) for i, rank in enumerate(ranks))
    return replace(x, dims=sizes, format=form, regions=call.region)


def _of_pairs(call: Call, x: Sparse, rank: int) -> Kind:
    """Return the kind of the entries at rows and columns that are given in arrays of some rank."""
    if rank == 2:
        form = x.format if x.format in ("csr", "csc") else ""
        return replace(x, dims=(call.size(0), call.size(1)), format=form, regions=call.region)
    return call.unknown if x.is_matrix else call.array((call.size(),), x.dtype)


def _ranks(index: Kind) -> tuple[int | None, ...] | None:
    """Return of how many dimensions the index of each axis is, None for a slice; None if not known."""
    parts = index.items if isinstance(index, Tuple) else (index,)
    ranks: list[int | None] = []
    for part in parts:
        if part == Inert("slice"):
            ranks.append(None)
        elif isinstance(part, Integer):
            ranks.append(0)
        elif isinstance(part, (List, Sequence, Tuple)):
            ranks.append(1)
        elif isinstance(part, Array) and len(dims_of(part) or ()) in (1, 2):
            ranks.append(len(part.dims))
        else:
            return None
    while len(ranks) < 2:
        ranks.append(None)
    masked = len(parts) == 1 and ranks[0] == 2  # by a mask of the shape of the array
    return None if len(ranks) > 2 or masked else tuple(ranks)


def entries_in_item(call: Call) -> Kind:
    """Return the kind of the entries of an item, or of its values where it is dense."""
    made = item(Call([call.first, call.argument(2, "index")], {}, call.point, call.region))
    given = dtype_of(call.argument(1, "data"))
    if isinstance(made, Sparse):
        return call.array((call.size(),), given)
    if isinstance(made, Array):
        return replace(made, dtype=given)
    return made if made == call.unknown else scalar(given)
