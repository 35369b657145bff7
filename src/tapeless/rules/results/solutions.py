"""Kinds of what solvers find."""

from __future__ import annotations

from tapeless.kinds import BOOL, STR, Array, Integer, Kind, Real, Tuple
from tapeless.rules.results.call import Call
from tapeless.rules.results.shapes import same_shape


def vector(call: Call) -> Kind:
    return Array((call.size(0),), "f8", call.region)


def vector_found(call: Call) -> Kind:
    """Return the kind of a vector, a flag, a status, a message and a count."""
    return Tuple((vector(call), BOOL, Integer(), STR, Integer()))


def vector_found_and_free(call: Call) -> Kind:
    """Return the kind of what `vector_found` says, and of flags for the entries of the vector."""
    flags = Array((call.size(0),), "b", call.region)
    return Tuple((vector(call), BOOL, Integer(), STR, Integer(), flags))


def vector_and_counts(call: Call) -> Kind:
    """Return the kind of a vector, a flag, a status, a message and two counts."""
    return Tuple((vector(call), BOOL, Integer(), STR, Integer(), Integer()))


def vector_and_covariance(call: Call) -> Kind:
    size = call.size(0)
    matrix = Array((size, size), "f8", call.region)
    return Tuple((Array((size,), "f8", call.region), matrix))


def number_and_counts(call: Call) -> Kind:
    """Return the kind of a number, a flag, a status, a message and two counts."""
    return Tuple((Real(), BOOL, Integer(), STR, Integer(), Integer()))


def root_found(call: Call) -> Kind:
    """Return the kind of a number, a flag and two counts."""
    return Tuple((Real(), BOOL, Integer(), Integer()))


def vector_and_flags(call: Call) -> Kind:
    return Tuple((vector(call), Array((call.size(0),), "b", call.region)))


def vector_and_status(call: Call) -> Kind:
    return Tuple((vector(call), Integer()))


def like_start(call: Call) -> Kind:
    """Return the kind of what has the shape of the second argument."""
    start = call.argument(1, "x0")
    if isinstance(start, Integer):
        return Real()
    return same_shape(Call([start], {}, call.point, call.region))


def places_and_weights(call: Call) -> Kind:
    """Return the kind of a value, its error, and the places and weights of a quadrature."""
    points = Array((call.size("points"),), "f8", call.region)
    return Tuple((Real(), Real(), points, points))


def number_and_error(call: Call) -> Kind:
    return Tuple((Real(), Real()))


def values_and_weights(call: Call) -> Kind:
    """Return the kind of an array or number, its error, and places and weights of a quadrature."""
    points = Array((call.size("points"),), "f8", call.region)
    return Tuple((call.unknown, Real(), points, points))


def tableau(call: Call) -> Kind:
    """Return the kind of a matrix and two vectors."""
    n = call.size("stages")
    rows = Array((n, n), "f8", call.region)
    return Tuple((rows, Array((n,), "f8", call.region), Array((n,), "f8", call.region)))


def grid_of_ivp(call: Call) -> Kind:
    steps = call.size("steps")
    times = Array((call.size("times"),), "f8", call.region)
    values = Array((call.size("values"), call.size("times")), "f8", call.region)
    shares = Array((steps,), "f8", call.region)
    asked = Array((call.size("times"),), "i", call.region)
    return Tuple((shares, asked, times, values, Integer(), STR, Integer()))


def grid_of_odeint(call: Call) -> Kind:
    steps = call.size("steps")
    values = Array((call.size("times"), call.size("values")), "f8", call.region)
    asked = Array((call.size("times"),), "i", call.region)
    return Tuple((Array((steps,), "f8", call.region), asked, values))


def interpolant(call: Call) -> Kind:
    """Return the kind of weights of slopes, one column for each power."""
    return Array((call.size("slopes"), call.size("powers")), "f8", call.region)
