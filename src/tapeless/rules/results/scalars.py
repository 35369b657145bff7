"""Kinds of what gives one number, or a pair of them."""

from __future__ import annotations

from tapeless.kinds import BOOL, INTEGER_LIMITS, NONE, REAL_LIMITS, Integer, Kind, Real, Tuple
from tapeless.ranks import dims_of
from tapeless.rules.results.call import Call


def real_number(call: Call) -> Kind:
    return Real()


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
