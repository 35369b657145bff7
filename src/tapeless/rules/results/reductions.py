"""Kinds of what sums up the entries along axes, at once or running along them."""

from __future__ import annotations

from dataclasses import replace

from tapeless.kinds import Array, Inert, Integer, Kind, Tuple, is_number, not_one
from tapeless.ranks import (
    broadcast_dims,
    dims_of,
    dtype_of,
    literal,
    promote,
    scalar,
    with_real_dtype,
)
from tapeless.rules.results.call import MISSING_ARGUMENT, Call, dtype_argument
from tapeless.runtime.statistics import ONE_ROW_IS_TURNED


def reduced(call: Call, dtype: str | None = None) -> Kind:
    """Return the kind of a reduction over `axis` with `keepdims`."""
    if len(call.args) > 2:
        return call.unknown  # what comes third differs
    x = call.argument(0, "a")
    dims = dims_of(x)
    axis = literal(call.argument(1, "axis"))
    keepdims = literal(call.keywords.get("keepdims", Inert("None")))
    asked = dtype_argument(Call([], call.keywords, call.point, call.region))
    code = asked or dtype or dtype_of(x)
    if axis is None and not keepdims:
        return scalar(code)
    one = isinstance(call.argument(1, "axis"), Integer)
    if axis is ... and dims and (keepdims is True or (one and not keepdims)):
        rank = len(dims) if keepdims else len(dims) - 1
        return call.array(tuple(map(call.size, range(rank))), code)
    if axis is ...:
        return replace(call.unknown, is_scalar_on_a_way=True)
    if dims is None or keepdims is ...:
        return call.unknown
    axes = range(len(dims)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if any(not -len(dims) <= a < len(dims) for a in axes):
        return call.unknown
    gone = {a % len(dims) for a in axes}
    if keepdims:
        return call.array(tuple(1 if i in gone else d for i, d in enumerate(dims)), code)
    return call.array(tuple(d for i, d in enumerate(dims) if i not in gone), code)


def summed(call: Call) -> Kind:
    """Return the kind of a sum or a product over `axis`: truths are counted."""
    return reduced(call, _counted(dtype_of(call.argument(0, "a"))))


def _counted(code: str) -> str:
    return "i" if code == "b" else code


def reduced_first(call: Call) -> Kind:
    """Return the kind of a reduction along the first axis, if no other is said."""
    axis = call.argument(1, "axis")
    keywords = {**call.keywords, "axis": Integer(0) if axis is MISSING_ARGUMENT else axis}
    if len(call.args) > 2:
        return call.unknown
    return float_reduced(Call(call.args[:1], keywords, call.point, call.region))


def float_reduced(call: Call) -> Kind:
    code = dtype_of(call.argument(0, "a"))
    return reduced(call, "f8" if code in "ib" else code)


def real_reduced(call: Call) -> Kind:
    """Return the kind of a moment of even order: it is real."""
    mean = call.keywords.get("mean")
    if mean is None:
        return with_real_dtype(float_reduced(call))
    given, rest = dims_of(call.first), {k: v for k, v in call.keywords.items() if k != "mean"}
    around = dims_of(mean)
    if given is None or around is None or not given:
        return call.unknown
    code = promote([dtype_of(call.first), dtype_of(mean)], [False, False])
    spread = Array(broadcast_dims(given, around), code)
    return with_real_dtype(
        float_reduced(Call([spread, *call.args[1:]], rest, call.point, call.region))
    )


def average(call: Call) -> Kind:
    weights = call.argument(2, "weights")
    if len(call.args) > 3:
        return call.unknown
    codes = [dtype_of(call.argument(0, "a")), *([dtype_of(weights)] if is_number(weights) else [])]
    code = promote(["f8" if code in "ib" else code for code in codes], [False] * len(codes))
    known = literal(weights) is None or is_number(weights)
    rest = {key: kind for key, kind in call.keywords.items() if key != "returned"}
    along = Call(call.args[:2], rest, call.point, call.region)
    mean = reduced(along, code if known else "?")
    returned = literal(call.argument(3, "returned"))
    if returned in (None, False):
        return mean
    return Tuple((mean, mean)) if returned is True else call.unknown


def index_reduced(call: Call) -> Kind:
    return reduced(call, "i")


def truth_reduced(call: Call) -> Kind:
    return reduced(call, "b")


def cumulative(call: Call) -> Kind:
    x, axis = call.argument(0, "a"), call.argument(1, "axis")
    dims, said = dims_of(x), None if axis == MISSING_ARGUMENT else literal(axis)
    code = dtype_argument(call, 2) or _counted(dtype_of(x))
    if said is None and (dims is None or len(dims) != 1) or dims == ():
        return call.array((call.size("flat"),), code)
    if dims is None or said is ... and not isinstance(axis, Integer) and len(dims) > 1:
        return call.unknown
    return call.array(dims, code)


def running(call: Call) -> Kind:
    """Return the kind of running sums and products, which may begin with that of nothing."""
    x = call.first
    dims = dims_of(x)
    if not dims:
        return call.unknown
    asked = dtype_argument(Call([], call.keywords, call.point, call.region))
    return call.array(tuple(call.size(i) for i in range(len(dims))), asked or _counted(dtype_of(x)))


def quantile(call: Call) -> Kind:
    """Return the kind of quantiles: those of one place are reduced as by the median, others come first."""
    places = dims_of(call.argument(1, "q"))
    if places is None or len(call.args) > 3:
        return call.unknown
    keywords = {k: v for k, v in call.keywords.items() if k in ("axis", "keepdims")}
    made = float_reduced(Call([call.first, *call.args[2:]], keywords, call.point, call.region))
    dims = dims_of(made)
    if not (places or dims) and "weights" in call.keywords:
        return call.unknown  # weighted, one quantile is an array without axes
    if not places or dims is None:
        return made if not places else call.unknown
    of_places = dtype_of(call.argument(1, "q"))
    codes = [dtype_of(made), "f8" if of_places in "ib" else of_places]
    return call.array((*places, *dims), promote(codes, [False, False]))


def covariance(call: Call) -> Kind:
    """Return the kind of the covariances of several rows; of one row they are a number."""
    x, others = call.first, call.keywords.keys() - {"fweights", "aweights", "bias", "ddof"}
    dims = dims_of(x)
    code = "c16" if dtype_of(x)[0] == "c" else "f8"
    if (
        not dims
        or len(call.args) > 1
        or others - {"rowvar"}
        or "rowvar" in others
        and len(dims) < 2
    ):
        return _joint_covariance(call, code)
    rows = literal(call.keywords["rowvar"]) if others else True
    if len(dims) < 2 or not isinstance(rows, bool) or not not_one(dims[0 if rows else 1]):
        return call.unknown
    if not rows and not ONE_ROW_IS_TURNED and not not_one(dims[0]):
        return call.unknown
    return call.array((dims[0 if rows else 1],) * 2, code)


def _joint_covariance(call: Call, code: str) -> Kind:
    """Return the kind of the covariances of two vectors, or of the rows of two arrays."""
    pair = [dims_of(arg) for arg in call.args]
    if call.keywords or len(pair) != 2 or not all(pair):
        return call.unknown
    if any(dtype_of(arg)[0] == "c" for arg in call.args):
        code = "c16"
    several = any(dims is not None and len(dims) > 1 for dims in pair)
    rows = call.size("rows") if several else 2
    return call.array((rows, rows), code)


def bincount(call: Call) -> Kind:
    weights = call.argument(1, "weights")
    weighted = weights != MISSING_ARGUMENT and literal(weights) is not None
    return call.array((call.size("n"),), "f8" if weighted else "i")


def histogram(call: Call) -> Kind:
    """Return the kinds of counts, or of shares in a density, and of the edges."""
    weights, density = call.argument(4, "weights"), call.argument(3, "density")
    code, edges = "i", _dtype_of_edges(call)
    if is_number(weights):
        of = dtype_of(weights)
        code = {"i": "f8", "b": "f8"}.get(of, of)
    if density != MISSING_ARGUMENT and literal(density) not in (None, False):
        code = promote([code, edges, "f8"], [False, False, True]) if edges == "f8" else "?"
    return Tuple((call.array((call.size("n"),), code), call.array((call.size("edges"),), edges)))


def _dtype_of_edges(call: Call) -> str:
    """Return the code of the edges of bins: given ones are kept, others lie between floats."""
    bins, ends = call.argument(1, "bins"), call.argument(2, "range")
    if isinstance(bins, Array):
        return bins.dtype
    between = [dtype_of(x) for x in (call.first, ends) if is_number(x)]
    doubles = between and all(code in ("f8", "i", "b") for code in between)
    return "f8" if doubles else "?"
