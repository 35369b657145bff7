"""Kinds of what broadcasts its arguments and computes each entry by itself."""

from __future__ import annotations

from dataclasses import replace

from tapeless.joins import join, join_dtypes, may_stay_scalar
from tapeless.kinds import (
    BOOL,
    NONE,
    SOMETHING,
    Array,
    Dim,
    Integer,
    Kind,
    Number,
    Real,
    Tuple,
    is_number,
)
from tapeless.ranks import (
    broadcast_dims,
    dims_of,
    dtype_of,
    may_be_integer,
    most_dims,
    promote,
    with_real_dtype,
)
from tapeless.rules.results.call import Call


def elementwise_kind(call: Call, integers_become_floats: bool = True) -> Kind:
    """Return the kind of an operation that broadcasts its arguments."""
    numbers = [a for a in call.args if is_number(a)]
    if len(numbers) < len(call.args) or not numbers:
        return call.unknown
    shapes = [_dims_beside(call, a) for a in numbers]
    codes = [dtype_of(a) for a in numbers]
    weak = [isinstance(a, (Real, Integer)) and dtype_of(a) in ("f8", "i", "c16") for a in numbers]
    dtype = promote(codes, weak)
    if dtype in "ib" and integers_become_floats:
        dtype = "f8"
    dims: tuple[Dim, ...] = ()
    for shape in shapes:
        if shape is None:
            unknown = call.unknown
            scalar = may_stay_scalar(numbers)
            return replace(unknown, is_scalar_on_a_way=scalar, most_dims=most_dims(*numbers))
        dims = broadcast_dims(dims, shape)
    made = call.array(dims, dtype)
    stay = not integers_become_floats and all(map(may_be_integer, numbers))
    return replace(made, may_be_integer=True) if isinstance(made, Real) and stay else made


def _dims_beside(call: Call, kind: Kind) -> tuple[Dim, ...] | None:
    """Return the dimensions of an operand, of which it may lack some where another one has as many.

    >>> call = Call([Number(most_dims=1), Array((3, 4))], {}, "here", frozenset())
    >>> [len(_dims_beside(call, kind)) for kind in call.args]
    [1, 2]
    """
    most = most_dims(kind)
    if not isinstance(kind, Number) or most is None:
        return dims_of(kind)
    ranks = [len(k.dims) for k in call.args if isinstance(k, Array)]
    is_less = max(ranks, default=0) >= max(most, 1)
    return tuple(call.size(axis - most) for axis in range(most)) if is_less else None


def keeping_integers(call: Call) -> Kind:
    """Return the kind of an operation that makes integers of integers."""
    return elementwise_kind(call, False)


def in_double(call: Call) -> Kind:
    """Return the kind of what is computed in double precision at least."""
    made = elementwise_kind(call)
    if not isinstance(made, (Array, Real)):
        return made
    return replace(made, dtype=promote([made.dtype, "f8"], [False, False]))


def in_array(call: Call) -> Kind:
    """Return the kind of what is an array, of a number, too."""
    made = elementwise_kind(call)
    return Array((), made.dtype, call.region) if isinstance(made, Real) else made


def mantissas_and_exponents(call: Call) -> Kind:
    """Return the kind of two results, of which the second are integers."""
    made = elementwise_kind(call)
    if not isinstance(made, (Array, Real)):
        return Tuple((made, SOMETHING))
    exponents = replace(made, dtype="i") if isinstance(made, Array) else Integer()
    return Tuple((made, exponents))


def whole_and_rest(call: Call) -> Kind:
    """Return the kind of a whole quotient and of what is left."""
    made = keeping_integers(call)
    return Tuple((made, made))


def fraction_and_whole(call: Call) -> Kind:
    """Return the kind of both parts of numbers."""
    made = elementwise_kind(call)
    return Tuple((made, made))


def clipped(call: Call) -> Kind:
    """Return the kind of what is kept between bounds, of which one may be None."""
    given = [*call.args, *call.keywords.values()]
    bounded = [kind for kind in given if kind != NONE]
    return elementwise_kind(Call(bounded, {}, call.point, call.region), False)


def kept_in_place(call: Call) -> Kind:
    """Return the kind of a number or array of which the entries were computed anew."""
    old, new = call.args
    if isinstance(new, Array):
        return replace(new, dtype=join_dtypes(new.dtype, dtype_of(old) or "?"), regions=call.region)
    if isinstance(new, Number) or isinstance(old, (Real, Integer)):
        return replace(new, regions=call.region) if isinstance(new, Number) else new
    return join(new, Array((), dtype_of(new), call.region), call.point)


def magnitude(call: Call) -> Kind:
    """Return the kind of absolute values: real, and integers of integers."""
    return with_real_dtype(elementwise_kind(call, False))


def real_elementwise(call: Call) -> Kind:
    """Return the kind of an operation that gives real numbers."""
    return with_real_dtype(elementwise_kind(call))


def of_first(call: Call) -> Kind:
    """Return the kind of real numbers computed from the first argument alone."""
    return with_real_dtype(elementwise_kind(Call(call.args[:1], {}, call.point, call.region)))


def truths(call: Call) -> Kind:
    made = elementwise_kind(call)
    if isinstance(made, Array):
        return replace(made, dtype="b")
    return BOOL if isinstance(made, Real) else SOMETHING


# Those that say: the result has the shape to which all arguments are broadcast.
BROADCASTING = frozenset(
    {elementwise_kind, keeping_integers, in_double, magnitude, real_elementwise, truths}
)
