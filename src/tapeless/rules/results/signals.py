"""Kinds of signals and images: arrays, of floats whatever they were made of.

What SciPy is given as an array it returns as an array, so a result of known rank is known to be one.
"""

from __future__ import annotations

from tapeless.kinds import Integer, Kind, Tuple
from tapeless.ranks import dims_of, dtype_of, literal, promote
from tapeless.rules.results.call import Call, KindOf, shape_literal


def _floating(*kinds: Kind) -> str:
    """Return the dtype of floats that arrays of these have in common."""
    code = promote([dtype_of(kind) for kind in kinds], [False] * len(kinds))
    return "f8" if code in ("i", "b") else code


def like(position: int, name: str) -> KindOf:
    """Tell the kind of an array of floats with the shape of an argument."""

    def kind(call: Call) -> Kind:
        x = call.argument(position, name)
        dims = dims_of(x)
        return call.array(dims, _floating(x)) if dims else call.unknown

    return kind


def double_like(position: int, name: str) -> KindOf:
    """Tell the kind of an array in double precision with the shape of an argument."""

    def kind(call: Call) -> Kind:
        x = call.argument(position, name)
        dims, code = dims_of(x), promote([dtype_of(x), "f8"], [False, False])
        return call.array(dims, code) if dims else call.unknown

    return kind


def of_rank(position: int, name: str) -> KindOf:
    """Tell the kind of an array of floats with as many axes as an argument."""

    def kind(call: Call) -> Kind:
        x = call.argument(position, name)
        dims = dims_of(x)
        if not dims:
            return call.unknown
        return call.array(tuple(call.size(i) for i in range(len(dims))), _floating(x))

    return kind


def filtered(call: Call) -> Kind:
    """Return the kind of what `lfilter` returns: a signal, and a state where one is given."""
    b, a, x = (call.argument(i, name) for i, name in enumerate(("b", "a", "x")))
    dims = dims_of(x)
    if not dims:
        return call.unknown
    signal = call.array(dims, _floating(b, a, x))
    if literal(call.argument(4, "zi")) is None:
        return signal
    return Tuple((signal, call.array(tuple(call.size("z", i) for i in range(len(dims))), "?")))


def filtered_by_sections(call: Call) -> Kind:
    """Return the kind of what `sosfilt` returns."""
    sos, x = call.argument(0, "sos"), call.argument(1, "x")
    dims = dims_of(x)
    if not dims:
        return call.unknown
    signal = call.array(dims, _floating(sos, x))
    if literal(call.argument(3, "zi")) is None:
        return signal
    state = tuple(call.size("z", i) for i in range(len(dims) + 1))
    return Tuple((signal, call.array(state, "?")))


def convolved(call: Call) -> Kind:
    """Return the kind of a convolution of two arrays of one rank."""
    a, b = call.argument(0, "in1"), call.argument(1, "in2")
    dims = dims_of(a) or dims_of(b)
    if not dims:
        return call.unknown
    code = promote([dtype_of(a), dtype_of(b)], [False, False])
    return call.array(tuple(call.size(i) for i in range(len(dims))), code)


def analytic(call: Call) -> Kind:
    """Return the kind of a complex signal with as many axes as the first argument."""
    dims = dims_of(call.first)
    if not dims:
        return call.unknown_complex
    return call.array(tuple(call.size(i) for i in range(len(dims))), "c?")


def parts_of(call: Call) -> Kind:
    """Return the kind of the segments of a signal: one axis more."""
    dims = dims_of(call.first)
    if not dims:
        return call.unknown
    return call.array((*dims[:-1], call.size(0), call.size(1)), dtype_of(call.first))


def joined_segments(call: Call) -> Kind:
    """Return the kind of the sum of segments: one axis less."""
    dims = dims_of(call.first)
    if dims is None or len(dims) < 2:
        return call.unknown
    return call.array((*dims[:-2], call.size(0)), dtype_of(call.first))


def window_and_size(call: Call) -> Kind:
    """Return the kind of the weights of a segment, and of how many they are."""
    return Tuple((call.array((call.size("window"),)), Integer()))


def vector(call: Call) -> Kind:
    return call.array((call.size("n"),))


def two_vectors(call: Call) -> Kind:
    """Return the kind of the coefficients of a filter, those of `x` and those of `y`."""
    return Tuple((call.array((call.size("b"),)), call.array((call.size("a"),))))


def designed(position: int) -> KindOf:
    """Tell the kind of a filter in the form that the argument `output` says."""

    def kind(call: Call) -> Kind:
        form = literal(call.argument(position, "output"))
        if form == "sos":
            return call.array((call.size("sections"), 6))
        return two_vectors(call) if form in (None, "ba") else call.unknown

    return kind


def pairs(call: Call) -> Kind:
    """Return the kind of two numbers for each of the rows of a first argument."""
    return call.array((call.size(0), 2))


def rows_in_double(call: Call) -> Kind:
    """Return the kind of one row of weights for each place of a window."""
    return call.array((call.size("places"), call.size("weights")))


def weights(call: Call) -> Kind:
    """Return the kind of the weights of a filter, with the dtype of the first argument."""
    return call.array((call.size("weights"),), _floating(call.first))


# Images


def three_like_first(call: Call) -> Kind:
    """Return the kind of two arrays of floats and one of integers, of the shape of the first."""
    dims = dims_of(call.first)
    if not dims:
        return Tuple((call.unknown,) * 3)
    return Tuple((call.array(dims), call.array(dims), call.array(dims, "i")))


def places_of_points(call: Call) -> Kind:
    """Return the kind of places around points: of their shape, with an axis more."""
    dims = dims_of(call.first)
    return call.array((*dims[1:], call.size("around")), "i") if dims else call.unknown


def mapped_points(call: Call) -> Kind:
    """Return the kind of the values at points: of their shape."""
    dims = dims_of(call.argument(1, "coordinates"))
    if not dims or len(dims) < 2:
        return call.unknown
    return call.array(dims[1:], _floating(call.first))


def coordinates(call: Call) -> Kind:
    """Return the kind of the coordinates of the samples of an image of this shape."""
    shape = call.first
    if not isinstance(shape, Tuple):
        return call.unknown
    sizes = shape_literal(shape, call)
    return call.array((len(shape.items), *sizes)) if sizes is not None else call.unknown


def places_and_shares(call: Call) -> Kind:
    """Return the kind of places and shares around each sample of an image."""
    dims = dims_of(call.first)
    if not dims:
        return Tuple((call.unknown, call.unknown))
    around = (*dims, call.size("around"))
    return Tuple((call.array(around, "i"), call.array(around)))


def two_grids(call: Call) -> Kind:
    """Return the kind of coordinates, twice."""
    return Tuple((coordinates(call), coordinates(call)))
