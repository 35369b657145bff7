"""Kinds of what moves, copies or selects entries of one array.

A result that may share memory with an argument carries the regions of the argument.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tapeless.kinds import (
    UNKNOWN,
    Array,
    Dim,
    Inert,
    Integer,
    Kind,
    Number,
    Real,
    Sequence,
    Tuple,
    regions_of,
    some_number,
)
from tapeless.ranks import (
    REAL_CODE,
    broadcast_dims,
    dims_of,
    dtype_of,
    literal,
    scalar,
    with_real_dtype,
)
from tapeless.rules.results.call import (
    MISSING_ARGUMENT,
    Call,
    KindOf,
    dtype_argument,
    part_of_call,
    shape_literal,
)


def view_of(call: Call, x: Kind, dims: tuple[Dim, ...]) -> Kind:
    """Return the kind of an array in another form; of a number it may be an array of rank 0."""
    if dims or isinstance(x, Array):
        return Array(dims, dtype_of(x), regions_of(x))
    made = some_number(regions_of(x) or call.region, x)
    return replace(made, operand=Real(dtype_of(x))) if isinstance(x, (Real, Integer)) else made


def alias(call: Call) -> Kind:
    """Return the kind of what may share memory with the argument, and of which no more is known."""
    return some_number(regions_of(call.first), call.first)


def reshape(call: Call) -> Kind:
    return _reshaped(call, call.argument(1, "shape"))


def reshape_method(call: Call) -> Kind:
    """Return the kind of an array whose lengths may stand apart: of several each is a number."""
    lengths = call.args[1:]
    if len(lengths) < 2:
        return reshape(call)
    return _reshaped(
        call, Tuple(tuple(a if isinstance(a, Integer) else Integer() for a in lengths))
    )


def _reshaped(call: Call, shape: Kind) -> Kind:
    dims = shape_literal(shape, call)
    return alias(call) if dims is None else view_of(call, call.argument(0, "a"), dims)


def cropped(call: Call) -> Kind:
    """Return the kind of the inner part of an array, of a shape that is given."""
    dims = shape_literal(call.argument(2, "shape"), call)
    return alias(call) if dims is None else view_of(call, call.first, dims)


def fitted(call: Call) -> Kind:
    """Return the kind of an array that is cut, or filled up, to a shape that is given."""
    dims = shape_literal(call.argument(1, "shape"), call)
    made = same_rank(call) if dims is None else call.array(dims, dtype_of(call.first))
    return shared_with(made, call.first)


def flat_view(call: Call) -> Kind:
    return view_of(call, call.first, (call.size("flat"),))


def transpose(call: Call) -> Kind:
    x = call.argument(0, "a")
    dims = dims_of(x)
    if dims is None:
        return alias(call)
    axes_kind = call.argument(1, "axes")
    if len(call.args) > 2:
        axes_kind = Tuple(tuple(call.args[1:]))
    axes = literal(axes_kind)
    if axes is None:
        return view_of(call, x, dims[::-1])
    if isinstance(axes, tuple) and len(axes) == len(dims):
        return view_of(call, x, tuple(dims[a] for a in axes))
    return view_of(call, x, tuple(call.size(i) for i in range(len(dims))))


def swapaxes(call: Call) -> Kind:
    x, i, j = call.first, literal(call.argument(1, "axis1")), literal(call.argument(2, "axis2"))
    dims = dims_of(x)
    if dims is None:
        return alias(call)
    if not isinstance(i, int) or not isinstance(j, int):
        return same_rank_view(call)
    swapped = list(dims)
    swapped[i], swapped[j] = swapped[j], swapped[i]
    return view_of(call, x, tuple(swapped))


def same_rank_view(call: Call) -> Kind:
    dims = dims_of(call.first)
    if dims is None:
        return alias(call)
    return view_of(call, call.first, tuple(call.size(i) for i in range(len(dims))))


def same_shape_view(call: Call) -> Kind:
    x = call.argument(0, "a")
    return some_number(regions_of(x), x) if dims_of(x) is None else x


def seen_anew(call: Call) -> Kind:
    """Return the kind of a view of all entries, of which another dtype may have been asked."""
    same = dtype_argument(call) in (None, dtype_of(call.first)) and len(call.args) < 3
    return same_shape_view(call) if same and "type" not in call.keywords else alias(call)


def same_shape(call: Call) -> Kind:
    x = call.argument(0, "a")
    dims = dims_of(x)
    return call.unknown if dims is None else call.array(dims, dtype_of(x))


def unwrapped(call: Call) -> Kind:
    """Return the kind of an array of the same shape, whose dtype the period may widen."""
    made = same_shape(call)
    return replace(made, dtype="?") if isinstance(made, Array) and made.dtype != "f8" else made


def kept_along(place: int) -> KindOf:
    """Return the kinds of what keeps the shape; with `axis=None`, said so, the array is flat."""

    def kind(call: Call) -> Kind:
        axis = call.argument(place, "axis")
        said = literal(axis) if axis != MISSING_ARGUMENT else 0
        if said is ...:
            return same_rank(call) if isinstance(axis, Integer) else call.unknown
        return flattened(call) if said is None else same_shape(call)

    return kind


def perhaps_complex(call: Call) -> Kind:
    """Return the kind of what stays as it is, or is made complex where its entries ask for it."""
    dims = dims_of(call.first)
    if dims is None:
        return Number(call.region | regions_of(call.first), may_be_complex=True)
    return view_of(call, Array(dims, "c?", call.region | regions_of(call.first)), dims)


def sorted_complex(call: Call) -> Kind:
    """Return the kind of an array of the same shape, of complex numbers."""
    made = same_shape(call)
    complex_of = {"f4": "c16", "c8": "c8", "f8": "c16", "c16": "c16"}
    if isinstance(made, Array):
        return replace(made, dtype=complex_of.get(made.dtype, "c?"))
    return call.unknown_complex


def rounded(call: Call) -> Kind:
    made = same_shape(call)
    return call.unknown if dtype_of(made) == "b" else made  # truths become small floats


def real_part_of(call: Call) -> Kind:
    """Return the kind of the real or imaginary part: a view of an array, and real."""
    x = call.argument(0, "a")
    if isinstance(x, Array):
        return replace(x, dtype=REAL_CODE.get(x.dtype, x.dtype), regions=x.regions | call.region)
    return with_real_dtype(x if isinstance(x, Real) else alias(call))


def taken_along(call: Call) -> Kind:
    """Return the kind of entries at places along an axis; with `axis=None` both are flat."""
    axis = call.argument(2, "axis")
    if axis != MISSING_ARGUMENT and literal(axis) is None:
        return flattened(call)
    return (
        same_rank(call) if axis == MISSING_ARGUMENT or isinstance(axis, Integer) else call.unknown
    )


def new_array(call: Call) -> Kind:
    """Return the kind of a new array of the same shape, also of a number."""
    x = call.argument(0, "a")
    dims = dims_of(x)
    return call.unknown if dims is None else Array(dims, dtype_of(x), call.region)


def padded(call: Call) -> Kind:
    """Return the kind of a new array of other sizes, also of a number."""
    made = same_rank(call)
    return made if isinstance(made, (Array, Number)) else new_array(call)


def copied(call: Call) -> Kind:
    x = call.argument(0, "a")
    dims = dims_of(x)
    return call.unknown if dims is None else call.array_like(x, dims, dtype_of(x))


def unknown_rank(call: Call) -> Kind:
    return call.unknown


def shared_with(made: Kind, x: Kind) -> Kind:
    """Return the kind of a result that may share memory with an argument, or be the argument."""
    if not isinstance(made, (Array, Number)):
        return made
    return replace(made, regions=made.regions | regions_of(x))


def unchanged_by(count: int, position: int, key: str, kind: KindOf) -> KindOf:
    """Return the kinds of what hands its first argument back where an argument has some value."""

    def shared(call: Call) -> Kind:
        given = call.argument(position, key)
        may_be = given != MISSING_ARGUMENT and literal(given) in (count, ...)
        return shared_with(kind(call), call.first) if may_be else kind(call)

    return shared


def conjugated(call: Call) -> Kind:
    """Return the kind of a conjugate: an array is handed back where it is real."""
    x = call.argument(0, "a")
    is_complex = dtype_of(x)[0] == "c" and dtype_of(x) != "c?"
    if isinstance(x, Array) and not x.dims:  # the method hands it back, the function makes a number
        return some_number(regions_of(x) | call.region, x)
    return same_shape(call) if is_complex else shared_with(same_shape(call), x)


def same_rank(call: Call) -> Kind:
    x = call.argument(0, "a")
    dims = dims_of(x)
    if dims is None:
        return call.unknown
    return call.array(tuple(call.size(i) for i in range(len(dims))), dtype_of(x))


def differences(call: Call) -> Kind:
    """Return the kind of differences of neighbours: there is one less along the axis, each time."""
    x, n, axis = call.argument(0, "a"), call.argument(1, "n"), call.argument(2, "axis")
    times = 1 if n == MISSING_ARGUMENT else literal(n)
    at = -1 if axis == MISSING_ARGUMENT else literal(axis)
    known = isinstance(x, Array) and type(times) is type(at) is int and times >= 0
    longer = len(call.args) > 3 or call.keywords.keys() & {"prepend", "append"}
    if not isinstance(x, Array) or not known or longer or not -len(x.dims) <= at < len(x.dims):
        return same_rank(call)
    dims = list(x.dims)
    dims[at] = shortened(dims[at], times)
    return call.array(tuple(dims), dtype_of(x))


def shortened(dim: Dim, cut: int) -> Dim:
    """Return a dimension that a known number is taken off."""
    return max(dim - cut, 0) if isinstance(dim, int) else replace(dim, cut=dim.cut + cut)


def squeeze(call: Call) -> Kind:
    x = call.argument(0, "a")
    axis = literal(call.argument(1, "axis"))
    dims = dims_of(x)
    if dims is None or axis is ...:
        return alias(call)
    if axis is None:
        if any(not isinstance(d, int) and d.broadcastable for d in dims):
            return alias(call)
        return view_of(call, x, tuple(d for d in dims if d != 1))
    if not dims:
        return view_of(call, x, ())
    gone = {a % len(dims) for a in (axis if isinstance(axis, tuple) else (axis,))}
    return view_of(call, x, tuple(d for i, d in enumerate(dims) if i not in gone))


def expand_dims(call: Call) -> Kind:
    x, axis = call.first, literal(call.argument(1, "axis"))
    dims = dims_of(x)
    if dims is None or axis is ... or axis is None:
        return alias(call)
    axes = axis if isinstance(axis, tuple) else (axis,)
    total = len(dims) + len(axes)
    new = {a % total for a in axes}
    rest = iter(dims)
    return view_of(call, x, tuple(1 if i in new else next(rest) for i in range(total)))


def atleast(least: int) -> Callable[[Call], Kind]:
    def kind(call: Call) -> Kind:
        lifted = tuple(_lifted(call, x, least) for x in call.args)
        return lifted[0] if len(lifted) == 1 else Tuple(lifted)

    return kind


def _lifted(call: Call, x: Kind, least: int) -> Kind:
    """Return the kind of an array with as many axes as are asked for."""
    dims = dims_of(x)
    if dims is None:
        return alias(Call([x], {}, call.point, call.region))
    if len(dims) >= least:
        return x
    lifted = (1,) * (least - len(dims)) + dims
    if least == 3 and dims:
        lifted = (*dims, 1) if len(dims) == 2 else (1, *dims, 1)
    return Array(lifted, dtype_of(x), regions_of(x) or call.region)


def broadcast_to(call: Call) -> Kind:
    """Return the kind of a view of a shape that is given."""
    dims = shape_literal(call.argument(1, "shape"), call)
    return alias(call) if dims is None else view_of(call, call.first, dims)


def flattened(call: Call) -> Kind:
    """Return the kind of a copy with one axis."""
    return call.array((call.size("flat"),), dtype_of(call.first))


def different(call: Call) -> Kind:
    """Return the kind of the different entries, in one axis, and of what else is asked for."""
    flags = ("return_index", "return_inverse", "return_counts")
    asked = [literal(call.argument(i, key)) for i, key in enumerate(flags, 1)]
    axis, dims = literal(call.argument(4, "axis")), dims_of(call.first)
    if any(x not in (None, False, True) for x in asked):
        return UNKNOWN
    alone = Call(call.args[:1], {}, call.point, call.region)
    values: Kind = call.unknown if axis is ... else flattened(alone)
    if isinstance(axis, int):
        values = same_rank(alone)
    each: dict[str, Kind] = {key: call.array((call.size(key),), "i") for key in flags}
    each["return_inverse"] = call.array(dims, "i") if dims and axis is None else call.unknown
    extras = [each[key] for key, x in zip(flags, asked, strict=True) if x]
    return Tuple((values, *extras)) if extras else values


def size(call: Call) -> Kind:
    return Integer()


def diag(call: Call) -> Kind:
    x = call.first
    if isinstance(x, Array):
        if len(x.dims) == 1:
            n = x.dims[0] if len(call.args) == 1 and not call.keywords else call.size("n")
            return call.array((n, n), x.dtype)
        if len(x.dims) == 2:
            return Array((call.size("diagonal"),), x.dtype, x.regions)
        return some_number(x.regions, x)
    return call.unknown


def diagonal(call: Call) -> Kind:
    """Return the kind of a view of diagonals: their entries are along the last axis."""
    axes = [literal(call.argument(i + 1, f"axis{i}")) for i in (1, 2)]
    if ... in axes:
        return alias(call)
    return _along(call, *(i if axis is None else axis for i, axis in enumerate(axes)))


def diagonal_of_matrices(call: Call) -> Kind:
    """Return the kind of a view of the diagonals of matrices, which are in the last two axes."""
    return _along(call, -2, -1)


def _along(call: Call, first: int, second: int) -> Kind:
    """Return the kind of a view of the diagonals that two axes have."""
    dims = dims_of(call.first)
    if dims is None or len(dims) < 2:
        return alias(call)
    gone = {first % len(dims), second % len(dims)}
    left = tuple(d for i, d in enumerate(dims) if i not in gone)
    return view_of(call, call.first, (*left, call.size("diagonal")))


def diagflat(call: Call) -> Kind:
    """Return the kind of the matrix that has all entries of an array on a diagonal."""
    n = call.size("n")
    return call.array((n, n), dtype_of(call.first))


def trimmed(call: Call) -> Kind:
    """Return the kind of the inner part of a vector, without what is zero at its ends."""
    dims = dims_of(call.first)
    if dims is None or len(dims) != 1:
        return alias(call)
    return view_of(call, call.first, (call.size("n"),))


def triangle(call: Call) -> Kind:
    x = call.first
    if isinstance(x, Array) and len(x.dims) == 1:
        return call.array(x.dims * 2, x.dtype)
    return same_shape(call)


def trace(call: Call) -> Kind:
    x = call.first
    code = dtype_argument(call, 4) or dtype_of(x)
    return scalar(code) if isinstance(x, Array) and len(x.dims) == 2 else call.unknown


def resize(call: Call) -> Kind:
    dims = shape_literal(call.argument(1, "new_shape"), call)
    return call.unknown if dims is None else call.array(dims, dtype_of(call.first))


def insert(call: Call) -> Kind:
    x, axis = call.argument(0, "arr"), literal(call.argument(3, "axis"))
    dims = dims_of(x)
    if dims is None or axis is ...:
        return call.unknown
    count = 1 if axis is None else len(dims)
    return call.array(tuple(call.size(i) for i in range(count)), dtype_of(x))


def shape(call: Call) -> Kind:
    dims = dims_of(call.first)
    if dims is None:
        return Sequence(Integer())
    return Tuple(tuple(Integer(d) for d in dims))


def broadcast_shape(call: Call) -> Kind:
    """Return the kind of the shape to which shapes broadcast."""
    dims: tuple[Dim, ...] = ()
    for i, given in enumerate(call.args):
        each = shape_literal(given, part_of_call(call, i))
        if each is None:
            return Sequence(Integer())
        dims = broadcast_dims(dims, each)
    return Tuple(tuple(Integer(d) for d in dims))


def ndim(call: Call) -> Kind:
    """Return the kind of a rank: what is no number has none, and a tuple of numbers is a vector."""
    x = call.first
    if isinstance(x, Inert) and x.what in ("None", "str"):
        return Integer(0)
    if isinstance(x, Tuple) and not x.or_none and all(dims_of(item) == () for item in x.items):
        return Integer(1)
    dims = dims_of(x)
    return Integer(None if dims is None else len(dims))


def item(call: Call) -> Kind:
    return scalar(dtype_of(call.first))


def astype(call: Call) -> Kind:
    x = call.first
    dims = dims_of(x)
    return call.unknown if dims is None else call.array_like(x, dims, dtype_argument(call) or "?")
