"""Kinds of what is interpolated."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from tapeless.kinds import Array, Dim, Integer, Kind, Real, Tuple
from tapeless.ranks import dims_of
from tapeless.rules.results.call import Call


def like_second(call: Call) -> Kind:
    """Return the kind of integers, one for each place: of the second argument."""
    dims = dims_of(call.argument(1, "z"))
    if dims is None:
        return call.unknown
    return Array(dims, "i", call.region) if dims else Integer(of_numpy=True)


def spline(call: Call) -> Kind:
    """Return the kind of a value for each place: its dimensions, and those of one value."""
    values, places = dims_of(call.argument(2, "values")), dims_of(call.argument(3, "z"))
    if values is None or places is None:
        return call.unknown
    return call.array((*places, *values[1:]), "f8")


def triangles(call: Call) -> Kind:
    places = dims_of(call.argument(1, "z"))
    if places is None:
        return Tuple((call.unknown,) * 4)
    one, size = places[:-1], places[-1]
    return Tuple(
        (
            Array(one, "b", call.region),
            Array((*one, call.size("corners")), "i", call.region),
            Array((*one, size, size), "f8", call.region),
            Array((*one, size), "f8", call.region),
        )
    )


def spline_at(call: Call) -> Kind:
    """Return the kind of a number for each place, or of several, which the coefficients tell."""
    places, one = dims_of(call.argument(1, "x")), _dims_of_one(call)
    if places is None or one is None:
        return call.unknown
    return call.array((*places, *one), "f8")


def table_at(call: Call) -> Kind:
    """Return the kind of a number for each place, or of several where the table is of such."""
    places, table = dims_of(call.argument(1, "x")), getattr(call.first, "value", None)
    values: Any = getattr(table, "y", None)
    one = isinstance(table, interpolate.UnivariateSpline) or np.ndim(values) == 1
    if not places or not one:
        return call.unknown
    return call.array(places, "f8")


def _dims_of_one(call: Call) -> tuple[Dim, ...] | None:
    """Return the dimensions of one value of a spline that is known itself, None for another."""
    spline = getattr(call.first, "value", None)
    if isinstance(spline, interpolate.BSpline):
        return tuple(np.shape(spline.c)[1:])
    if isinstance(spline, interpolate.PPoly):
        return tuple(np.shape(spline.c)[2:])
    return None


def four_numbers(call: Call) -> Kind:
    return Tuple((Real(),) * 4)


def knots(call: Call) -> Kind:
    return call.array((call.size("knots"),), "f8")


def weights_on(call: Call) -> Kind:
    dims = dims_of(call.argument(1, "weights"))
    return call.unknown if dims is None else call.array(dims, "f8")


def weights(call: Call) -> Kind:
    """Return the kind of coefficients: as many as the values that are given, or the other way round."""
    dims = dims_of(call.argument(2, "y"))
    return call.unknown if dims is None else call.array(dims, "f8")
