"""Kinds of places in arrays: the indices at which something is found, and tuples of them."""

from __future__ import annotations

from tapeless.kinds import Array, Dim, Integer, Kind, Sequence, Tuple
from tapeless.ranks import dims_of, dtype_of, literal
from tapeless.rules.results.call import MISSING_ARGUMENT, Call, dtype_argument, shape_literal


def _places(call: Call, *parts: str) -> Array:
    """Return the kind of an array of indices."""
    return Array((call.size("n", *parts),), "i", call.region)


def found(call: Call) -> Kind:
    """Return the kind of the places in the flat array."""
    return _places(call)


def found_by_axis(call: Call) -> Kind:
    """Return the kind of the places, one array for each axis."""
    dims = dims_of(call.first)
    places = _places(call)
    return Tuple((places,) * len(dims)) if dims else Sequence(places)


def found_by_row(call: Call) -> Kind:
    """Return the kind of the places, one row each."""
    dims = dims_of(call.first)
    if not dims:
        return call.unknown
    return Array((call.size("n"), len(dims)), "i", call.region)


def of_grid(call: Call) -> Kind:
    """Return the kind of an open grid of places: for each axis an array that is long there."""
    parts = []
    for i, given in enumerate(call.args):
        dims: list[Dim] = [1] * len(call.args)
        dims[i] = call.size(i)
        code = dtype_of(given) if isinstance(given, Array) else "i"
        parts.append(Array(tuple(dims), "i" if code == "b" else code, call.region))
    return Tuple(tuple(parts))


def of_triangle(call: Call) -> Kind:
    """Return the kind of the places of half a matrix: its rows and columns."""
    return Tuple((_places(call), _places(call)))


def of_diagonal(call: Call) -> Kind:
    if not isinstance(call.argument(0, "n"), Integer):
        return call.unknown
    count = literal(call.argument(1, "ndim")) if len(call.args) > 1 or call.keywords else 2
    places = _places(call)
    return Tuple((places,) * count) if isinstance(count, int) else Sequence(places)


def of_all(call: Call) -> Kind:
    """Return the kind of the places of all entries of a shape, one axis of places first."""
    dims = shape_literal(call.argument(0, "dimensions"), call)
    if dims is None or call.argument(2, "sparse") is not MISSING_ARGUMENT:
        return call.unknown
    return Array((len(dims), *dims), dtype_argument(call) or "i", call.region)


def of_order(call: Call) -> Kind:
    """Return the kind of the order of rows by several keys, each in one axis."""
    keys = call.first
    items = keys.items if isinstance(keys, Tuple) else ()
    flat = bool(items) and all(len(dims_of(item) or ()) == 1 for item in items)
    return _places(call) if flat else call.unknown


def of_flat_index(call: Call) -> Kind:
    """Return the kind of a place in each axis, for one in the flat array."""
    shape = shape_literal(call.argument(1, "shape"), call)
    if not isinstance(call.first, Integer) or shape is None:
        return call.unknown
    return Tuple((Integer(of_numpy=True),) * len(shape))


def flat_index(call: Call) -> Kind:
    given = call.first
    whole = isinstance(given, Tuple) and all(isinstance(item, Integer) for item in given.items)
    return Integer(of_numpy=True) if whole else call.unknown
