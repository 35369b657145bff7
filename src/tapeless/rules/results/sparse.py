"""Kinds of sparse arrays, and of what is computed with them."""

from __future__ import annotations

from dataclasses import replace

from tapeless.kinds import NOWHERE, Array, Dim, Inert, Kind, Real, Sparse
from tapeless.ranks import dims_of, dtype_of, literal, promote, scalar
from tapeless.rules.results.call import MISSING_ARGUMENT, Call, shape_literal

FLAT = ("csr", "csc", "coo")
STORED_INTO = {"lil", "dok"}  # the formats of which no other shares the entries
_RANKS = {**dict.fromkeys(FLAT, 1), "dia": 2, "bsr": 3}  # of the array of entries


def truth(call: Call) -> Kind:
    """Return whether a value is a sparse array, where its kind tells."""
    return Inert("bool", isinstance(call.first, Sparse))


def order_kept(call: Call) -> Kind:
    """Return whether the entries of a sparse array are known to keep their order when transposed."""
    return Inert("bool", isinstance(call.first, Sparse) and call.first.format in FLAT)


def compressed(call: Call) -> Kind:
    """Return whether a sparse array is known to keep its entries by row or by column."""
    return Inert("bool", isinstance(call.first, Sparse) and call.first.format in FLAT[:2])


def _code(*kinds: Kind) -> str:
    return promote([dtype_of(kind) for kind in kinds], [isinstance(kind, Real) for kind in kinds])


def _dims(kind: Kind) -> tuple[Dim, ...] | None:
    return kind.dims if isinstance(kind, Sparse) else dims_of(kind)


# Sparse results


def alike(call: Call) -> Kind:
    """Return the kind of a sparse array like the first argument, with entries of its own."""
    return _like(call.first, call)


def rebuilt(call: Call) -> Kind:
    """Return the kind of a sparse array like the first argument, of the entries that come second."""
    made, data = alike(call), call.argument(1, "data")
    known = isinstance(made, Sparse) and isinstance(data, Array)
    return replace(made, dtype=dtype_of(data)) if known else made  # type: ignore[call-arg]


def rebuilt_like(call: Call) -> Kind:
    """Return the kind of a sparse array like the first argument, with places of its own."""
    x, dense = call.first, call.argument(1, "dense")
    if not isinstance(x, Sparse) or not isinstance(dense, Array):
        return call.unknown
    return replace(x, dtype=dtype_of(dense), regions=call.region)


def copied(call: Call) -> Kind:
    """Return the kind of a sparse array like the first argument, in its dtype."""
    x = call.first
    return replace(x, regions=call.region) if isinstance(x, Sparse) else call.unknown


def left_factor(call: Call) -> Kind:
    """Return the kind of the first factor of a product, or of an array by rows of its entries."""
    return _perhaps_by_rows(call.first, call)


def right_factor(call: Call) -> Kind:
    """Return the kind of the second factor of a product, or of an array by rows of its entries."""
    return _perhaps_by_rows(call.argument(1, "b"), call)


def _perhaps_by_rows(x: Kind, call: Call) -> Kind:
    if not isinstance(x, Sparse):
        return call.unknown
    return replace(x, format="csr" if x.format == "csr" else "", regions=x.regions | call.region)


def like_sparse(call: Call) -> Kind:
    """Return the kind of a sparse array like the second argument, with entries of its own."""
    return _like(call.argument(1, "a"), call)


def _like(x: Kind, call: Call) -> Kind:
    if not isinstance(x, Sparse):
        return call.unknown
    return replace(x, dtype=_code(*call.args), regions=call.region)


def scaled(call: Call) -> Kind:
    """Return the kind of a sparse array times a number: by row and by column in the same format."""
    return _in_known_format(alike(call))


def scaled_by(call: Call) -> Kind:
    """Return the kind of a number times a sparse array."""
    return _in_known_format(like_sparse(call))


def _in_known_format(x: Kind) -> Kind:
    known = isinstance(x, Sparse) and x.format in FLAT[:2]
    return x if known or not isinstance(x, Sparse) else replace(x, format="")


def moved(call: Call) -> Kind:
    """Return the kind of a sparse array that may share its entries with the first argument."""
    x = call.first
    return replace(x, regions=x.regions | call.region) if isinstance(x, Sparse) else call.unknown


def transposed(call: Call) -> Kind:
    x = moved(call)
    form = {"csr": "csc", "csc": "csr"}
    if not isinstance(x, Sparse):
        return x
    return replace(x, dims=x.dims[::-1], format=form.get(x.format, x.format))


def in_format(call: Call) -> Kind:
    """Return the kind of a sparse array in a format that is asked for."""
    x, label = moved(call), literal(call.argument(1, "format"))
    if not isinstance(x, Sparse):
        return x
    made = replace(x, format=label if isinstance(label, str) else "")
    alone = STORED_INTO & {x.format, made.format} and x.format != made.format
    return replace(made, regions=call.region) if alone else made


def common(call: Call) -> Kind:
    """Return the kind of what is computed of two sparse arrays entry by entry: CSR in most cases."""
    x = _like(call.first, call)
    same = isinstance(x, Sparse) and x.format == "csr"
    return replace(x, format="csr" if same else "") if isinstance(x, Sparse) else x


joined = common


def weighted(call: Call) -> Kind:
    """Return the kind of a sparse array times a dense one, entry by entry."""
    x = _like(call.first, call)
    return replace(x, format="") if isinstance(x, Sparse) else x


def weighted_by(call: Call) -> Kind:
    """Return the kind of a dense array times a sparse one, entry by entry."""
    x = like_sparse(call)
    return replace(x, format="") if isinstance(x, Sparse) else x


# Dense results


def of_adjoint(kind: Kind, key: str) -> Kind:
    """Return the kind of the adjoint or tangent `key` of a value: of a sparse array its entries."""
    return entries(Call([kind], {}, key, NOWHERE)) if isinstance(kind, Sparse) else kind


def entries(call: Call) -> Kind:
    """Return the kind of the array of entries: of rank 1 but for formats with blocks or diagonals."""
    x = call.first
    rank = _RANKS.get(x.format) if isinstance(x, Sparse) else None
    if rank is None or not isinstance(x, Sparse):
        return call.unknown
    regions = x.regions if call.region else NOWHERE
    return Array(tuple(call.size("entries", i) for i in range(rank)), x.dtype, regions)


def entries_of(call: Call) -> Kind:
    """Return the kind of new entries for the places that the first argument stores."""
    x = entries(call)
    return (
        replace(x, dtype=_code(*call.args[1:3]), regions=call.region) if isinstance(x, Array) else x
    )


def like_second(call: Call) -> Kind:
    """Return the kind of an array like the second argument."""
    x = call.argument(1, "g")
    return replace(x, regions=call.region) if isinstance(x, Array) else call.unknown


def entries_like(call: Call) -> Kind:
    """Return the kind of new entries for the places that an array stores, in the dtype of others."""
    x = entries(call)
    given = dtype_of(call.argument(1, "g"))
    return replace(x, dtype=given, regions=call.region) if isinstance(x, Array) else call.unknown


def some_entries(call: Call) -> Kind:
    """Return the kind of an array of some entries, in the dtype of the second argument."""
    return call.array((call.size(),), dtype_of(call.argument(1, "data")))


def of_shape(call: Call) -> Kind:
    """Return the kind of an array of the shape that the third argument says."""
    dims = shape_literal(call.argument(2, "shape"), call)
    return call.unknown if dims is None else call.array(dims, dtype_of(call.argument(1, "data")))


def product(call: Call) -> Kind:
    """Return the kind of the product of two arrays, of which one or both are sparse."""
    a, b = call.args[:2]
    p, q = _dims(a), _dims(b)
    if p is None or q is None:
        return call.unknown
    dims = (*p[:-1], *q[1:])
    if isinstance(a, Sparse) and isinstance(b, Sparse):
        return replace(common(call), dims=dims)  # type: ignore[call-arg]
    return call.array(dims, _code(a, b))


def dense(call: Call) -> Kind:
    """Return the kind of a dense array of the same entries."""
    x = call.first
    return call.array(x.dims, x.dtype) if isinstance(x, Sparse) else call.unknown


def trace(call: Call) -> Kind:
    x = call.first
    return scalar(x.dtype) if isinstance(x, Sparse) else call.unknown


def diagonal(call: Call) -> Kind:
    x = call.first
    return call.array((call.size(),), x.dtype) if isinstance(x, Sparse) else call.unknown


def summed(call: Call) -> Kind:
    """Return the kind of the sum over all places, or along one axis; of a matrix that is a matrix."""
    x, axis = call.first, call.argument(1, "axis")
    if not isinstance(x, Sparse):
        return call.unknown
    if axis == MISSING_ARGUMENT or literal(axis) is None:
        return scalar(x.dtype)
    if x.is_matrix or literal(axis) not in (0, 1, -1, -2):
        return call.unknown
    return call.array((x.dims[1 if literal(axis) in (0, -2) else 0],), x.dtype)
