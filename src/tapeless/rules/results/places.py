"""Kinds of places in arrays: the indices at which something is found, and tuples of them."""

from __future__ import annotations

from dataclasses import replace

from tapeless.kinds import NOWHERE, Array, Dim, Integer, Kind, Real, Sequence, Tuple, regions_of
from tapeless.ranks import broadcast_dims, dims_of, dtype_of, literal
from tapeless.rules.results.call import MISSING_ARGUMENT, Call, dtype_argument, shape_literal
from tapeless.rules.results.entrywise import elementwise_kind
from tapeless.rules.results.joins import array_of_items


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


def where(call: Call) -> Kind:
    """Return the kind of a choice entry by entry; of a test alone, that of the places where it holds."""
    if len(call.args) != 3:
        return found_by_axis(call)
    made = elementwise_kind(Call(call.args[1:], {}, call.point, call.region), False)
    dims = dims_of(call.first)
    if dims is None:
        return call.unknown
    if isinstance(made, Array):
        return replace(made, dims=broadcast_dims(made.dims, dims))
    if isinstance(made, (Real, Integer)):
        return Array(dims, dtype_of(made), call.region)
    return call.unknown


def found_by_row(call: Call) -> Kind:
    """Return the kind of the places, one row each."""
    dims = dims_of(call.first)
    if not dims:
        return call.unknown
    return Array((call.size("n"), len(dims)), "i", call.region)


def of_grid(call: Call) -> Kind:
    """Return the kind of an open grid: for each axis what is given, along that axis; places for a mask."""
    parts = []
    for i, given in enumerate(call.args):
        dims: list[Dim] = [1] * len(call.args)
        dims[i] = call.size(i)
        code = dtype_of(given) if isinstance(given, Array) else "i"
        seen = NOWHERE if code == "b" else regions_of(given)
        parts.append(Array(tuple(dims), "i" if code == "b" else code, seen | call.region))
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


def of_diagonal_from(call: Call) -> Kind:
    """Return the kind of the places of a diagonal: one array for each axis of what has it."""
    dims = dims_of(call.first)
    return call.unknown if dims is None else Tuple((_places(call),) * len(dims))


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


def of_sorted(call: Call) -> Kind:
    """Return the kind of the places of sorted entries, along an axis or of the flat array."""
    axis = call.argument(1, "axis")
    if axis is not MISSING_ARGUMENT and literal(axis) is None:
        return _places(call)
    dims = _dims_of_items(call.first, call)
    return call.array(dims, "i") if dims and _is_axis(axis) else call.unknown


def _is_axis(axis: Kind) -> bool:
    """Whether an argument that says along which axis, if it is given, is known to be a number."""
    return axis is MISSING_ARGUMENT or isinstance(axis, Integer)


def of_bins(call: Call) -> Kind:
    """Return the kind of the bins into which values fall."""
    dims = _dims_of_items(call.first, call)
    return call.array(dims, "i") if dims else call.unknown


def among_sorted(call: Call) -> Kind:
    """Return the kind of the places in a sorted array: one for each value that is looked for."""
    dims = _dims_of_items(call.argument(1, "v"), call)
    return call.unknown if dims is None else call.array(dims, "i")


def _dims_of_items(given: Kind, call: Call) -> tuple[Dim, ...] | None:
    """Return the dimensions of the array that is made of an argument."""
    return dims_of(array_of_items(Call([given], {}, call.point, call.region)))


def of_flat_index(call: Call) -> Kind:
    """Return the kind of a place in each axis, for one in the flat array."""
    shape = shape_literal(call.argument(1, "shape"), call)
    dims = _dims_of_items(call.first, call)
    if shape is None or dims is None:
        return call.unknown
    place = Array(dims, "i", call.region) if dims else Integer(of_numpy=True)
    return Tuple((place,) * len(shape))


def flat_index(call: Call) -> Kind:
    given = call.first
    whole = isinstance(given, Tuple) and all(isinstance(item, Integer) for item in given.items)
    return Integer(of_numpy=True) if whole else call.unknown
