"""Kinds of what makes arrays of a shape, and of positions in arrays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tapeless.joins import as_array
from tapeless.kinds import UNKNOWN, Array, Dim, Integer, Kind, Size, Tuple
from tapeless.ranks import broadcast_dims, dims_of, dtype_of, literal, promote
from tapeless.rules.results.call import (
    MISSING_ARGUMENT,
    Call,
    dtype_argument,
    length,
    part_of_call,
    shape_literal,
)
from tapeless.rules.results.shapes import shortened


def filled(call: Call) -> Kind:
    dims = shape_literal(call.argument(0, "shape"), call)
    code = dtype_argument(call) or "f8"
    return call.unknown if dims is None else Array(dims, code, call.region)


def numbered(call: Call) -> Kind:
    """Return the kind of the places of the entries of an array of a shape that is given."""
    dims = shape_literal(call.first, call)
    return call.unknown if dims is None else Array(dims, "i", call.region)


def full(call: Call) -> Kind:
    dims = shape_literal(call.argument(0, "shape"), call)
    code = dtype_argument(call, 2) or dtype_of(call.argument(1, "fill_value"))
    return call.unknown if dims is None else Array(dims, code, call.region)


def like(call: Call, position: int = 1) -> Kind:
    x = as_array(call.argument(0, "a"))
    dims = dims_of(x)
    if len(call.args) > position + 3 or "shape" in call.keywords:
        dims = shape_literal(call.argument(position + 3, "shape"), call)
    if dims is None:
        return call.unknown
    return Array(dims, dtype_argument(call, position) or dtype_of(x), call.region)


def full_like(call: Call) -> Kind:
    return like(call, 2)


def tangent_of_array(call: Call) -> Kind:
    """Return the kind of a tangent of the array that is the second argument: its shape, in floats."""
    y = call.argument(1, "y")
    if not isinstance(y, Array):
        return call.unknown
    return Array(y.dims, "f8" if y.dtype in "ib" else y.dtype, call.region)


def added_up(call: Call) -> Kind:
    """Return the kind of values put, or added up, at places of zeros of a shape."""
    dims = shape_literal(call.argument(2, "shape"), call)
    if dims is None:
        return call.unknown
    return Array(dims, dtype_of(call.argument(0, "g")), call.region)


def eye(call: Call) -> Kind:
    n = shape_literal(call.argument(0, "N"), call) or (call.size("n"),)
    m = call.argument(1, "M")
    columns = n if literal(m) is None else shape_literal(m, part_of_call(call, 1))
    columns = columns or (call.size("m"),)
    code = dtype_argument(Call([], call.keywords, call.point, call.region))
    return Array((n[0], columns[0]), code or "f8", call.region)


def arange(call: Call) -> Kind:
    if call.keywords:
        return Array((call.size("n"),), dtype_argument(call, 3) or "?", call.region)
    whole = all(isinstance(a, Integer) for a in call.args)
    if whole and len(call.args) == 1:
        return Array((length(call.first, call, "n"),), "i", call.region)
    known = all(dtype_of(a) in ("f8", "i") for a in call.args)
    counted = whole and len(call.args) == 2
    count = _between(call) if counted else call.size("n")
    return Array((count,), "i" if whole else "f8" if known else "?", call.region)


def _between(call: Call) -> Dim:
    """Return how many integers there are from one up to another."""
    start, stop = call.args
    first, last = literal(start), length(stop, call, "n")
    known = isinstance(first, int) and first >= 0 and isinstance(stop, Integer)
    return shortened(last, first) if known else call.size("n")


def _dtype_of_ends(ends: list[Kind]) -> str:
    """Return the dtype of numbers between two: beside single precision it is that of both."""
    codes = {dtype_of(end) for end in ends}
    if "f4" in codes:
        return "f4" if codes <= {"f4", "i"} else "?"
    return promote(["f8", *codes], [False] * (len(codes) + 1))


def linspace(call: Call) -> Kind:
    ends = [call.argument(0, "start"), call.argument(1, "stop")]
    with_step = _with_step(call)
    if with_step is not False:
        return Tuple((call.unknown, call.unknown)) if with_step is True else UNKNOWN
    shapes, axis = [dims_of(end) for end in ends], _axis_of_steps(call)
    if shapes[0] is None or shapes[1] is None or axis is None:
        return call.unknown
    beside = broadcast_dims(shapes[0], shapes[1])
    steps = _steps(call)
    code = dtype_argument(call, 5) or _dtype_of_ends(ends)
    place = axis % (len(beside) + 1)
    return Array((*beside[:place], steps, *beside[place:]), code, call.region)


def _steps(call: Call) -> Dim:
    """Return how many numbers lie between two ends: 50 where it is not said."""
    given = call.argument(2, "num")
    return 50 if given == MISSING_ARGUMENT else length(given, call, "n")


def _axis_of_steps(call: Call) -> int | None:
    """Return the axis along which numbers are spaced, None where it is not known."""
    given = call.argument(6, "axis")
    axis = 0 if given == MISSING_ARGUMENT else literal(given)
    return axis if isinstance(axis, int) else None


def _with_step(call: Call) -> Any:
    """Whether the distance of the numbers is asked for, too; `...` where it is not known."""
    given = call.argument(4, "retstep")
    return False if given == MISSING_ARGUMENT else literal(given)


def spaced(call: Call) -> Kind:
    """Return the kind of numbers between two scalars, equal in their ratios."""
    ends = [call.argument(0, "start"), call.argument(1, "stop")]
    plain = set(call.keywords) <= {"start", "stop", "num", "endpoint", "base"}
    plain = plain and len(call.args) <= 5 and dims_of(call.argument(4, "base")) in ((), None)
    if not plain or any(dims_of(end) != () for end in ends):
        return call.unknown
    code = _dtype_of_ends(ends)
    return Array((_steps(call),), "?" if code == "f4" else code, call.region)


def frequencies(call: Call) -> Kind:
    """Return the kind of the frequencies of a transform, both negative and positive."""
    return _spaced_by_one_number(call, length(call.argument(0, "n"), call, "n"))


def half_frequencies(call: Call) -> Kind:
    """Return the kind of the frequencies of a transform of real numbers."""
    n = length(call.argument(0, "n"), call, "n")
    half: Dim = n // 2 + 1 if isinstance(n, int) else call.size("half")
    if isinstance(n, Size) and not n.broadcastable:
        half = replace(call.size("half"), least=(n.least - n.cut) // 2 + 1)
    return _spaced_by_one_number(call, half)


def _spaced_by_one_number(call: Call, count: Dim) -> Kind:
    """Return the kind of frequencies: of one sample spacing they are in one axis."""
    spacing = [call.argument(1, "d")] if len(call.args) > 1 or "d" in call.keywords else []
    if not isinstance(call.argument(0, "n"), Integer) or any(dims_of(d) != () for d in spacing):
        return call.unknown
    return Array((count,), "f8", call.region)


def quadrature(call: Call) -> Kind:
    """Return the kind of the nodes and weights of a rule of quadrature."""
    of_degree = Array((length(call.first, call, "n"),), "f8", call.region)
    return Tuple((of_degree, of_degree))


def table(call: Call) -> Kind:
    """Return the kind of a table made from an array, in its dtype."""
    return Array((call.size("rows"), call.size("columns")), dtype_of(call.first), call.region)


def whole_table(call: Call) -> Kind:
    """Return the kind of a table of whole numbers."""
    return Array((call.size("rows"), call.size("columns")), "i", call.region)
