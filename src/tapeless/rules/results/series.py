"""Kinds of what is done with polynomials."""

from __future__ import annotations

from dataclasses import replace

from tapeless.kinds import Array, Integer, Kind, List, Real, Tuple
from tapeless.ranks import dims_of, dtype_of, promote
from tapeless.rules.results.call import Call, promoted, shape_literal
from tapeless.rules.results.entrywise import elementwise_kind


def table_of_powers(call: Call) -> Kind:
    x = call.argument(0, "x")
    dims = dims_of(x)
    if dims is None:
        return call.unknown
    code = "f8" if dtype_of(x) in "ib" else dtype_of(x)
    return call.array((*(dims or (1,)), call.size("degree")), code)


def powers(call: Call) -> Kind:
    """Return the kind of Vandermonde's matrix, which is made of integers and the places."""
    made = table_of_powers(call)
    if not isinstance(made, Array):
        return made
    return replace(made, dtype=promote([made.dtype, "f8"], [False, False]))


def coefficients(call: Call) -> Kind:
    """Return the kind of the coefficients that arithmetic of polynomials gives."""
    given = call.args[:2]
    known = given and all(map(_is_one_series, given))
    return one_series(call) if known else call.unknown


def divided(call: Call) -> Kind:
    """Return the kinds of a quotient and of what is left, of which the zeros in front are cut off."""
    if not all(map(_is_one_series, call.args[:2])):
        return Tuple((call.unknown, call.unknown))
    code = promote([promoted(call), "f8"], [False, True])
    return Tuple(
        (call.array((call.size("quotient"),), code), call.array((call.size("rest"),), code))
    )


def _is_one_series(x: Kind) -> bool:
    if isinstance(x, Array):
        return len(x.dims) <= 1
    return isinstance(x, (Real, Integer, List, Tuple))


def one_series(call: Call) -> Kind:
    """Return the kind of the coefficients of one series."""
    return call.array((call.size("n"),), "?")


def several_series(call: Call) -> Kind:
    """Return the kind of the coefficients of series, as many as the first argument holds."""
    dims = dims_of(call.args[0])
    if dims is None:
        return call.unknown
    return call.array(tuple(call.size(axis) for axis in range(max(len(dims), 1))), "?")


def lowest(call: Call) -> Kind:
    """Return the kind of the lowest coefficients, in the shape that the last argument says."""
    dims = shape_literal(call.args[-1], call)
    return call.unknown if dims is None else call.array(dims, "?")


def roots(call: Call) -> Kind:
    """Return the kind of the roots of one polynomial: real coefficients may have complex ones."""
    return call.array((call.size("roots"),), "c?")


def series_value(call: Call) -> Kind:
    """Return the kind of the values of one series: elementwise in its first argument."""
    c = dims_of(call.argument(1, "c"))
    if c is None or len(c) != 1 or call.keywords:
        return call.unknown
    made = elementwise_kind(Call(call.args[:1], {}, call.point, call.region))
    return replace(made, dtype=promoted(call)) if isinstance(made, (Array, Real)) else made
