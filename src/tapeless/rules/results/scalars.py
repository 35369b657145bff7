"""Kinds of what gives one number, or a pair of them."""

from __future__ import annotations

from dataclasses import replace

from tapeless.kinds import BOOL, INTEGER_LIMITS, NONE, REAL_LIMITS, Integer, Kind, Real, Tuple
from tapeless.ranks import dims_of
from tapeless.rules.results.call import Call, KindOf


def real_number(call: Call) -> Kind:
    return Real()


def double(call: Call) -> Kind:
    """Return the kind of a number in double precision; of an array it is an array."""
    dims = dims_of(call.first) if call.args else ()
    return call.unknown if dims is None else call.array(dims)


def complex_number(code: str) -> KindOf:
    """Return the kinds of complex numbers of a dtype; of an array it is an array."""

    def kind(call: Call) -> Kind:
        dims = dims_of(call.first) if call.args else ()
        if dims is None:
            return replace(call.unknown, may_be_complex=True)
        return call.array(dims, code)

    return kind


def single(call: Call) -> Kind:
    """Return the kind of a number in single precision; of an array it is an array."""
    return Real("f4") if dims_of(call.first) == () else call.unknown


def whole_number(call: Call) -> Kind:
    return Integer()


def truth(call: Call) -> Kind:
    return BOOL


def fraction_and_whole(call: Call) -> Kind:
    return Tuple((Real(), Real()))


def mantissa_and_exponent(call: Call) -> Kind:
    return Tuple((Real(), Integer()))


def real_limits(call: Call) -> Kind:
    return REAL_LIMITS


def integer_limits(call: Call) -> Kind:
    return INTEGER_LIMITS


def of_matrix(call: Call) -> Kind:
    """Return the kind of a whole number that is known of one matrix."""
    dims = dims_of(call.first)
    tolerances = [*call.args[1:], *call.keywords.values()]
    one = all(dims_of(kind) == () or kind == NONE for kind in tolerances)
    return Integer() if dims is not None and len(dims) == 2 and one else call.unknown
