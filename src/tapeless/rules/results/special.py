"""Kinds of what functions of `scipy.special` return."""

from __future__ import annotations

from dataclasses import replace

from tapeless.kinds import Array, Kind, Real, Tuple
from tapeless.ranks import dims_of, dtype_of
from tapeless.rules.results.call import Call, KindOf
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
    """Return the kind of logarithms of sums along an axis."""
    given = {"a": call.argument(0, "a"), "axis": call.argument(1, "axis")}
    keywords = {k: v for k, v in call.keywords.items() if k == "keepdims"}
    if len(call.args) > 2 or not set(call.keywords) <= {"a", "axis", "keepdims"}:
        return call.unknown
    return float_reduced(Call(list(given.values()), keywords, call.point, call.region))
