"""Kinds of solutions of linear systems with sparse arrays."""

from __future__ import annotations

from dataclasses import replace

from tapeless.kinds import Inert, Integer, Kind, Opaque, Sparse, Tuple
from tapeless.ranks import dims_of, dtype_of, promote
from tapeless.rules.results.call import Call

FACTORS = Opaque("factors")  # what `splu` makes: an object of `SuperLU`, which is not loaded here


def factors(call: Call) -> Kind:
    """Return the kind of the factors of a sparse array, which only solve."""
    return FACTORS


def _solution(call: Call, a: Kind, b: Kind) -> Kind:
    dims = dims_of(b)
    if dims is None:
        return call.unknown
    return call.array(dims, promote([dtype_of(a), dtype_of(b)], [False, False]))


def like_right_side(call: Call) -> Kind:
    """Return the kind of a solution: like the right-hand side, the third argument."""
    return _solution(call, call.argument(1, "a"), call.argument(2, "b"))


def like_right_side_of_two(call: Call) -> Kind:
    """Return the kind of a solution: like the right-hand side, after the array."""
    return _solution(call, call.argument(0, "A"), call.argument(1, "b"))


def one_column(call: Call) -> Kind:
    """Return whether a sparse array is known to have one column."""
    return Inert("bool", isinstance(call.first, Sparse) and call.first.dims[1:] == (1,))


def sparse_solution(call: Call) -> Kind:
    """Return the kind of a sparse solution: of the class of the array, with the columns of the other."""
    a, b = call.argument(1, "a"), call.argument(2, "b")
    if not isinstance(a, Sparse) or not isinstance(b, Sparse):
        return call.unknown
    code = promote([a.dtype, b.dtype], [False, False])
    return replace(a, dims=b.dims, dtype=code, regions=call.region)


def like_second(call: Call) -> Kind:
    """Return the kind of a solution: like the right-hand side, the second argument."""
    rhs = call.argument(1, "rhs")
    return _solution(call, rhs, rhs)


def solution_and_flag(call: Call) -> Kind:
    """Return the kind of a solution and what tells whether it was found."""
    return Tuple((_solution(call, call.argument(0, "A"), call.argument(1, "b")), Integer()))
