"""Kinds of eigenvalues and eigenvectors of sparse arrays."""

from __future__ import annotations

from tapeless.kinds import Array, Dim, Integer, Kind, Sparse, Tuple
from tapeless.ranks import dtype_of, literal
from tapeless.rules.results.call import MISSING_ARGUMENT, Call, length


def eigenpairs(call: Call) -> Kind:
    """Return the kind of some eigenvalues and eigenvectors, or of eigenvalues alone."""
    a, asked = call.argument(0, "A"), literal(call.argument(9, "return_eigenvectors"))
    if not isinstance(a, Array | Sparse) or asked not in (None, True, False):
        return call.unknown
    code = dtype_of(a) if dtype_of(a) in ("f4", "f8", "c8", "c16") else "?"
    count = _count(call)
    values = call.array((count,), {"c8": "f4", "c16": "f8"}.get(code, code))
    return values if asked is False else Tuple((values, call.array((a.dims[0], count), code)))


def _count(call: Call) -> Dim:
    k = call.argument(1, "k")
    return length(Integer(6) if k == MISSING_ARGUMENT else k, call, "k")


def of_found_values(call: Call) -> Kind:
    """Return the kind of eigenvalues that were found."""
    return _copied(call, 2)


def of_found_pairs(call: Call) -> Kind:
    """Return the kind of eigenvalues and eigenvectors that were found."""
    return Tuple((_copied(call, 2), _copied(call, 3)))


def _copied(call: Call, place: int) -> Kind:
    x = call.args[place]
    return call.array(x.dims, x.dtype) if isinstance(x, Array) else call.unknown


def beside(call: Call) -> Kind:
    """Return the kind of what is solved beside eigenvectors: like the right-hand side."""
    g = call.argument(4, "g")
    return call.array(g.dims, g.dtype) if isinstance(g, Array) else call.unknown
