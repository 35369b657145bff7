"""Kinds of what functions of `scipy.special` return."""

from __future__ import annotations

from dataclasses import replace

from tapeless.kinds import NONE, Array, Kind, Real, Tuple
from tapeless.ranks import dims_of, dtype_of, literal
from tapeless.rules.results.call import MISSING_ARGUMENT, Call, KindOf
from tapeless.rules.results.entrywise import elementwise_kind
from tapeless.rules.results.reductions import float_reduced


def special_function(call: Call) -> Kind:
    """Return the kind of a special function of several arguments.

    Beside a number single precision may be widened: many of SciPy's functions look for a loop in
    double precision first.
    """
    made = elementwise_kind(call)
    if isinstance(made, (Array, Real)) and made.dtype in ("f4", "c8"):
        if {dtype_of(x) for x in call.args} != {made.dtype}:
            return replace(made, dtype="?")
    return made


def several(count: int) -> KindOf:
    """Tell the kinds of what returns some results for the same arguments."""

    def kind(call: Call) -> Kind:
        return Tuple((special_function(call),) * count)

    return kind


def complex_function(call: Call) -> Kind:
    """Return the kind of a function that is complex for real arguments, too."""
    made = special_function(call)
    if isinstance(made, (Array, Real)):
        return replace(made, dtype="c16" if made.dtype == "f8" else "c?")
    return call.unknown_complex


def array_function(call: Call) -> Kind:
    """Return the kind of a function that NumPy's own are made of: of numbers it may give an array."""
    made = special_function(call)
    if not isinstance(made, Array):
        return call.unknown
    return replace(made, dtype="?") if made.dtype in ("f4", "c8") else made


def normalized(call: Call) -> Kind:
    """Return the kind of what is normalized along an axis."""
    x = call.argument(0, "x")
    dims = dims_of(x)
    if not dims:
        return call.unknown
    return call.array(dims, "f8" if dtype_of(x) in "ib" else dtype_of(x))


def log_of_sum(call: Call) -> Kind:
    """Return the kind of logarithms of sums along an axis, with their signs if these are asked for."""
    found = _log_of_sum(call)
    asked = literal(call.argument(4, "return_sign"))
    return Tuple((found, found)) if asked is True else found


def _log_of_sum(call: Call) -> Kind:
    summed = call.argument(0, "a")
    weights = call.argument(2, "b")
    if weights not in (NONE, MISSING_ARGUMENT):
        summed = elementwise_kind(Call([summed, weights], {}, call.point, call.region))
    given = [summed, call.argument(1, "axis")]
    return float_reduced(Call(given, _given(call, 3, "keepdims"), call.point, call.region))


def _given(call: Call, position: int, key: str) -> dict[str, Kind]:
    """Return an argument by its keyword, if it is given."""
    found = call.argument(position, key)
    return {} if found == MISSING_ARGUMENT else {key: found}
