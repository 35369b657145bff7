"""Kinds of what is done with polynomials."""

from __future__ import annotations

from tapeless.kinds import Integer, Kind
from tapeless.ranks import dims_of, dtype_of
from tapeless.rules.results.call import Call
from tapeless.rules.results.entrywise import elementwise_kind


def table_of_powers(call: Call) -> Kind:
    x = call.argument(0, "x")
    dims = dims_of(x)
    if dims is None:
        return call.unknown
    code = "f8" if dtype_of(x) in "ib" else dtype_of(x)
    return call.array((*(dims or (1,)), call.size("degree")), code)


def coefficients(call: Call) -> Kind:
    """Return the kind of the coefficients that arithmetic of polynomials gives."""
    ranks = [dims_of(x) for x in call.args if not isinstance(x, Integer)]
    if any(dims is None or len(dims) != 1 for dims in ranks) or not ranks:
        return call.unknown
    return call.array((call.size("n"),), "?")


def roots(call: Call) -> Kind:
    """Return the kind of the roots of one polynomial: real coefficients may have complex ones."""
    return call.array((call.size("roots"),), "c?")


def series_value(call: Call) -> Kind:
    """Return the kind of the values of one series: elementwise in its first argument."""
    c = dims_of(call.argument(1, "c"))
    if c is None or len(c) != 1 or call.keywords:
        return call.unknown
    return elementwise_kind(Call(call.args[:1], {}, call.point, call.region))
