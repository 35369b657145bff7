"""Kinds of what splits, picks, repeats and extends arrays along an axis."""

from __future__ import annotations

from dataclasses import replace

from tapeless.kinds import (
    NONE,
    UNKNOWN,
    Array,
    Dim,
    Integer,
    Kind,
    Number,
    Real,
    Sequence,
    Tuple,
    count_of,
    is_number,
    is_truth,
    regions_of,
    some_number,
)
from tapeless.ranks import dims_of, dtype_of, literal, promote, scalar
from tapeless.rules.results.call import MISSING_ARGUMENT, Call, KindOf, length, promoted
from tapeless.rules.results.entrywise import elementwise_kind
from tapeless.rules.results.joins import array_of_items, joined
from tapeless.rules.results.reductions import reduced


def new_sizes(call: Call, rank: int) -> tuple[Dim, ...]:
    """Return dimensions of which nothing is known."""
    return tuple(call.size(i) for i in range(rank))


def pieces(call: Call) -> Kind:
    """Return the kind of the list of the pieces of an array, which are views."""
    dims, regions = dims_of(call.first), regions_of(call.first)
    if dims is None:
        return Sequence(some_number(regions, call.first), may_be_list=True)
    piece = Array(new_sizes(call, len(dims)), dtype_of(call.first), regions)
    return Sequence(piece, may_be_list=True)


def slices(call: Call) -> Kind:
    """Return the kind of the tuple of the slices of an array along an axis, which are views."""
    dims, axis = dims_of(call.first), literal(call.keywords.get("axis", Integer(0)))
    regions = regions_of(call.first) | call.region
    if not dims:
        return Sequence(some_number(regions, call.first))
    left = new_sizes(call, len(dims) - 1) if axis != 0 else dims[1:]
    return Sequence(Array(left, dtype_of(call.first), regions))


def summed_between(call: Call) -> Kind:
    """Return the kind of sums between places along an axis."""
    dims = dims_of(call.first)
    return call.array(new_sizes(call, len(dims)), dtype_of(call.first)) if dims else call.unknown


def listed(call: Call) -> Kind:
    """Return the kind of the entries of an array as nested lists of Python numbers."""
    if not isinstance(call.first, (Array, Integer, Real)):
        return UNKNOWN
    code = dtype_of(call.first)
    kind = scalar("f8" if code.startswith("f") else code)
    for _ in dims_of(call.first) or ():
        kind = Sequence(kind, may_be_list=True)
    return kind


def along_axis(place: int) -> KindOf:
    """Return the kinds of what changes the size of one axis; with no axis the array is flat."""

    def kind(call: Call) -> Kind:
        dims, axis = dims_of(call.first), call.argument(place, "axis")
        if literal(axis) is None:
            return call.array(new_sizes(call, 1), dtype_of(call.first))
        if not dims or not isinstance(axis, Integer):
            return call.unknown
        return call.array(new_sizes(call, len(dims)), dtype_of(call.first))

    return kind


def appended(call: Call) -> Kind:
    """Return the kind of an array with more at its end."""
    dims, axis = dims_of(call.first), literal(call.argument(2, "axis"))
    given = [call.first, call.argument(1, "values")]
    code = promote([dtype_of(kind) for kind in given], [False] * 2)
    if axis is None:
        return call.array(new_sizes(call, 1), code)
    return call.array(new_sizes(call, len(dims)), code) if dims else call.unknown


def picked(call: Call) -> Kind:
    """Return the kind of entries at some places: of an axis, or of the flat array."""
    x, axis = call.first, call.argument(2, "axis")
    given = Call([call.argument(1, "indices")], {}, call.point, call.region)
    of, dims = dims_of(array_of_items(given)), dims_of(x)
    if of is None:
        return call.unknown
    if literal(axis) is None:
        return call.array(of, dtype_of(x))
    if not dims or not isinstance(axis, Integer):
        return call.unknown
    at = axis.value % len(dims) if isinstance(axis.value, int) else None
    new = new_sizes(call, len(dims) - 1 + len(of))
    return call.array(new if at is None else (*dims[:at], *of, *dims[at + 1 :]), dtype_of(x))


def flat(call: Call) -> Kind:
    """Return the kind of what has one axis, whatever it is made of."""
    return call.array(new_sizes(call, 1), dtype_of(call.first))


def window(call: Call) -> Kind:
    """Return the kind of a window of real weights, of a length that is given."""
    return call.array((length(call.first, call, 0),), "f8")


def common(call: Call) -> Kind:
    """Return the kind of what is in two sets, where it is not asked where it stands in them."""
    return call.unknown if call.keywords else call.array(new_sizes(call, 1), promoted(call))


def stacked_deep(call: Call) -> Kind:
    """Return the kind of arrays that are joined along their third axis."""
    made = joined(call, 1)
    if not isinstance(made, Array):
        return call.unknown
    return call.array(new_sizes(call, max(3, len(made.dims))), made.dtype)


def tiled(call: Call) -> Kind:
    dims, counts = dims_of(call.first), call.argument(1, "reps")
    by_axis = len(counts.items) if isinstance(counts, Tuple) else 1
    if dims is None or not isinstance(counts, (Integer, Tuple)):
        return call.unknown
    rank = max(len(dims), by_axis)
    return Array(new_sizes(call, rank), dtype_of(call.first), call.region)


def windows(call: Call) -> Kind:
    """Return the kind of the windows that slide over an array, which are views."""
    dims, shape = dims_of(call.first), call.argument(1, "window_shape")
    more = len(shape.items) if isinstance(shape, Tuple) else 1
    if dims is None or not isinstance(shape, (Integer, Tuple)):
        return call.unknown
    return Array(new_sizes(call, len(dims) + more), dtype_of(call.first), regions_of(call.first))


def slopes(call: Call) -> Kind:
    """Return the kind of differences between neighbours, along one axis or along each."""
    dims = dims_of(call.first)
    if not dims:
        return UNKNOWN  # an array, or a list of several
    made = call.array(dims, _code_of(call.args[:1]))
    axis = call.keywords.get("axis")
    if len(dims) == 1 or isinstance(axis, Integer):
        return made
    return call.unknown if axis is not None else Sequence(made, may_be_list=True)


def filtered(call: Call) -> Kind:
    """Return the kind of the convolution of two arrays with one axis each."""
    of_items = [Call([kind], {}, call.point, call.region) for kind in call.args[:2]]
    kinds = [array_of_items(each) for each in of_items]
    ranks = [dims_of(kind) for kind in kinds]
    if any(dims is None or len(dims) > 1 for dims in ranks) or len(ranks) < 2:
        return call.unknown
    return call.array(new_sizes(call, 1), promote([dtype_of(kind) for kind in kinds], [False] * 2))


def interpolated(call: Call) -> Kind:
    """Return the kind of values between given ones: one for each place that is asked for."""
    dims, code = dims_of(call.first), dtype_of(call.argument(2, "fp"))
    return call.unknown if dims is None else call.array(dims, code if code[0] == "c" else "f8")


def polynomial(call: Call) -> Kind:
    """Return the kind of the values of a polynomial whose coefficients are in one axis."""
    coefficients = dims_of(call.first)
    made = elementwise_kind(Call(call.args[1:2], {}, call.point, call.region), False)
    if coefficients is None or len(coefficients) != 1 or isinstance(made, Number):
        return call.unknown
    if isinstance(made, Integer) or is_truth(made):
        return scalar(promoted(call))
    return replace(made, dtype=promoted(call)) if isinstance(made, (Array, Real)) else made


def coefficients(call: Call) -> Kind:
    """Return the kind of the coefficients of a polynomial that fits values in one axis."""
    values = dims_of(call.argument(1, "y"))
    plain = len(call.args) <= 3 and set(call.keywords) <= {"x", "y", "deg", "w", "rcond"}
    if not plain or values is None or len(values) != 1:
        return call.unknown
    return call.array(new_sizes(call, 1), promote([promoted(call), "f8"], [False, False]))


def integrated(call: Call) -> Kind:
    """Return the kind of an integral along one axis, the last if no other is said."""
    axis = call.argument(3, "axis")
    if literal(axis) is ... or not _is_integral_of_one(call):
        return call.unknown
    keywords = {"axis": axis if isinstance(axis, Integer) else Integer(-1)}
    places = call.argument(1, "x")
    code = _code_of([call.first, places] if is_number(places) else call.args[:1])
    return reduced(Call(call.args[:1], keywords, call.point, call.region), code)


def _is_integral_of_one(call: Call) -> bool:
    """Whether places along the axis, or one distance, give the array that is integrated no axes."""
    places, distance = call.argument(1, "x"), call.argument(2, "dx")
    along = places in (NONE, MISSING_ARGUMENT) or len(dims_of(places) or ((), ())) == 1
    return along and (distance == MISSING_ARGUMENT or dims_of(distance) == ())


def crossed(call: Call) -> Kind:
    """Return the kind of the products of vectors of three components."""
    ranks = [dims_of(kind) for kind in call.args[:2]]
    if call.keywords or len(call.args) != 2 or None in ranks:
        return call.unknown
    last = [dims[-1] for dims in ranks if dims]
    known = [count for count in map(count_of, last) if count is not None and count.number == 3]
    if len(last) < 2 or not known:
        return call.unknown  # of two components the product is a number
    call.axes = min((count.axes for count in known), key=len)
    return elementwise_kind(call, False)


def kron(call: Call) -> Kind:
    ranks = [dims_of(kind) for kind in call.args[:2]]
    if any(dims is None for dims in ranks) or len(ranks) < 2:
        return call.unknown
    rank = max(len(dims or ()) for dims in ranks)
    return call.array(new_sizes(call, rank), promoted(call))


def chained(call: Call) -> Kind:
    """Return the kind of a product of several matrices, of which the outer ones may be vectors."""
    given = call.first
    if not isinstance(given, Tuple) or len(given.items) < 2:
        return call.unknown
    shapes = [dims_of(item) for item in given.items]
    if any(dims is None for dims in shapes):
        return call.unknown
    rows, columns = (shapes[0] or ())[:-1], (shapes[-1] or ())[1:]
    codes = [dtype_of(item) for item in given.items]
    return call.array((*rows, *columns), promote(codes, [False] * len(codes)))


def mixed(call: Call) -> Kind:
    """Return the kind of entries of several arrays, chosen by conditions."""
    parts: list[Kind] = []
    for kind in (call.argument(0, "condlist"), call.argument(1, "choicelist")):
        if not isinstance(kind, (Tuple, Sequence)):
            return call.unknown
        parts += kind.items if isinstance(kind, Tuple) else [kind.item]
    made = elementwise_kind(Call(parts, {}, call.point, call.region), False)
    if not isinstance(made, Array) or made.dtype[0] == "c":
        return call.unknown
    return replace(made, dtype="?")


def _code_of(given: list[Kind]) -> str:
    """Return the dtype of what is computed from arrays, of which integers become floats."""
    codes = [dtype_of(kind) for kind in given if is_number(kind)]
    code = promote(codes, [False] * len(codes)) if codes else "?"
    return "f8" if code in "ib" else code


def compressed(position: int) -> KindOf:
    """Return the kinds of what is left of an array along an axis, or of all its entries."""

    def kind(call: Call) -> Kind:
        x, axis = call.args[position], literal(call.argument(2, "axis"))
        dims = dims_of(x)
        if dims is None or not (axis is None or isinstance(axis, int)):
            return call.unknown
        if axis is None:
            return call.array((call.size("left"),), dtype_of(x))
        left = {axis % len(dims): call.size("left")} if dims else {}
        return call.array(tuple(left.get(i, d) for i, d in enumerate(dims)), dtype_of(x))

    return kind


def extracted(call: Call) -> Kind:
    """Return the kind of the entries of an array at which a condition holds."""
    x = call.argument(1, "arr")
    return call.array((call.size("left"),), dtype_of(x)) if is_number(x) else call.unknown
