"""Kinds of what gives one number, or a pair of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tapeless.kinds import (
    BOOL,
    INTEGER_LIMITS,
    NONE,
    REAL_LIMITS,
    Array,
    Dict,
    Inert,
    Integer,
    Kind,
    List,
    Number,
    Real,
    Sequence,
    Tuple,
    regions_of,
)
from tapeless.ranks import dims_of
from tapeless.rules.results.call import Call, KindOf


def real_number(call: Call) -> Kind:
    return Real()


def namespace(call: Call) -> Kind:
    """Return the kind of the module that has the functions of arrays."""
    return Inert("module", np)


def double(call: Call) -> Kind:
    """Return the kind of a number in double precision; of an array it is an array."""
    dims = dims_of(call.first) if call.args else ()
    return _perhaps_the_same(call, call.unknown if dims is None else call.array(dims))


def _perhaps_the_same(call: Call, made: Kind) -> Kind:
    """Return the kind of an array that is the given one itself if that has its dtype already."""
    if not isinstance(made, (Array, Number)):
        return made
    return replace(made, regions=made.regions.union(*map(regions_of, call.args[:1])))


def complex_number(code: str) -> KindOf:
    """Return the kinds of complex numbers of a dtype; of an array it is an array."""

    def kind(call: Call) -> Kind:
        dims = dims_of(call.first) if call.args else ()
        if dims is None:
            return _perhaps_the_same(call, call.unknown_complex)
        return _perhaps_the_same(call, call.array(dims, code))

    return kind


def complex_scalar(call: Call) -> Kind:
    """Return the kind of one of Python's complex numbers."""
    return Real("c16")


def single(call: Call) -> Kind:
    """Return the kind of a number in single precision; of an array it is an array."""
    scalar = dims_of(call.first) == ()
    return Real("f4") if scalar else _perhaps_the_same(call, call.unknown)


def whole_number(call: Call) -> Kind:
    return Integer()


def truth(call: Call) -> Kind:
    return BOOL


def scalarness(call: Call) -> Kind:
    """Decide whether a value is a number, a truth value or a string, where the kind tells.

    Examples
    --------
    >>> number, array = (Call([kind], {}, 0, frozenset()) for kind in (Real(), Array(())))
    >>> scalarness(number).value, scalarness(array).value
    (True, False)
    """
    kind = call.first
    if (
        isinstance(kind, (Real, Integer))
        or isinstance(kind, Inert)
        and kind.what in ("str", "bool")
    ):
        return Inert("bool", True)
    container = isinstance(kind, (Sequence, List, Dict, Tuple)) and not getattr(
        kind, "or_none", False
    )
    return Inert("bool", False) if container or isinstance(kind, Array) or kind == NONE else BOOL


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
    known = dims is not None and len(dims) == 2 and one
    return Integer(of_numpy=True) if known else call.unknown
