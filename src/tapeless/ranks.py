"""What the kind of a value says of its rank, shape and dtype.

Only numbers have these: a scalar has rank 0, an array the dimensions of its kind. Where the kind does
not say, the answer is None, or the code "?".
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tapeless.kinds import (
    BOOL,
    Array,
    Count,
    Dim,
    Inert,
    Integer,
    Kind,
    Number,
    Real,
    Regions,
    Size,
    Sparse,
    Tuple,
    count_of,
    is_truth,
    may_be_complex,
    not_one,
)


def scalar(dtype: str) -> Kind:
    """Return the kind of a scalar with a dtype code."""
    if dtype == "i":
        return Integer(of_numpy=True)
    return BOOL if dtype == "b" else Real(dtype)


def may_be_integer(kind: Kind) -> bool:
    """Whether a scalar is an integer or a truth, or is one on some way."""
    exact = isinstance(kind, Integer) or is_truth(kind)
    return exact or isinstance(kind, Real) and kind.may_be_integer


def may_be_truth(kind: Kind) -> bool:
    """Whether a scalar is True or False, or is one of them on some way."""
    mixed = isinstance(kind, Integer) and kind.may_be_truth
    return is_truth(kind) or mixed or isinstance(kind, Real) and kind.may_be_integer


def computed(kind: Kind, region: Regions) -> Kind:
    """Return the kind of what is computed entry by entry: of an array of rank 0 NumPy makes a scalar.

    Examples
    --------
    >>> computed(Array((), "f4"), frozenset())
    Real(dtype='f4', may_be_integer=False)
    """
    if isinstance(kind, Array) and not kind.dims:
        return scalar(kind.dtype)
    return replace(kind, regions=region) if isinstance(kind, (Array, Number)) else kind


def dtype_of(kind: Kind) -> str:
    """Return the dtype code of a number: "?" where it is not known, "c?" where it may be complex."""
    if isinstance(kind, (Array, Real, Sparse)):
        return kind.dtype
    if isinstance(kind, Integer):
        return "i"
    if isinstance(kind, Inert) and kind.what == "bool":
        return "b"
    return "c?" if may_be_complex(kind) else "?"


def literal(kind: Kind) -> Any:
    """Return the value of a kind that has one, None for None; `...` where it is not known."""
    if isinstance(kind, Integer):
        return kind.value if isinstance(kind.value, int) else ...
    if isinstance(kind, Inert):
        if kind.what in ("None", "missing"):
            return None
        return ... if kind.value is None else kind.value
    if isinstance(kind, Tuple):
        values = tuple(literal(item) for item in kind.items)
        return ... if ... in values or kind.or_none else values
    return ...


def dims_of(kind: Kind) -> tuple[Dim, ...] | None:
    """Return the dimensions of a scalar or array, None where the rank is not known."""
    if isinstance(kind, Array):
        return kind.dims
    if isinstance(kind, (Real, Integer)) or is_truth(kind):
        return ()
    return None


def rank(kind: Kind) -> int | None:
    """Return the rank of a number or array, None where it is not known."""
    if isinstance(kind, Array):
        return len(kind.dims)
    if isinstance(kind, (Real, Integer)) or is_truth(kind):
        return 0
    return None


def most_dims(*kinds: Kind) -> int | None:
    """Return how many dimensions some numbers have at most, None where it is not known.

    >>> most_dims(Real(), Array((None, 3))), most_dims(Real(), Number(most_dims=1)), most_dims(Number())
    (2, 1, None)
    """
    found = [kind.most_dims if isinstance(kind, Number) else rank(kind) for kind in kinds]
    return None if None in found else max((n for n in found if n is not None), default=None)


def broadcast_dim(a: Dim, b: Dim) -> Dim:
    """Return the size to which two dimensions broadcast."""
    if a == b or b == 1:
        return a
    if a == 1:
        return b
    if isinstance(a, int):
        return a
    if isinstance(b, int):
        return b
    if not a.broadcastable:
        return a
    if not b.broadcastable:
        return b
    return Size(("broadcast", a, b), count=_count_of_broadcast(a, b))


def _count_of_broadcast(a: Dim, b: Dim) -> Count | None:
    p, q = count_of(a), count_of(b)
    if p is None or q is None:
        return None
    return Count(q.number if p.number == 1 else p.number, p.axes | q.axes)


def broadcast_dims(a: tuple[Dim, ...], b: tuple[Dim, ...]) -> tuple[Dim, ...]:
    """Return the dimensions to which two shapes broadcast."""
    n = max(len(a), len(b))
    a, b = (1,) * (n - len(a)) + a, (1,) * (n - len(b)) + b
    return tuple(broadcast_dim(p, q) for p, q in zip(a, b, strict=True))


def same_dims(a: tuple[Dim, ...] | None, b: tuple[Dim, ...] | None) -> bool:
    """Whether two operands of one elementwise operation provably have the same shape.

    Two dimensions that are both known not to be 1 are equal, or the operation would have raised.
    """
    if a is None or b is None or len(a) != len(b):
        return False
    return all(p == q or (not_one(p) and not_one(q)) for p, q in zip(a, b, strict=True))


def promote(codes: list[str], weak: list[bool]) -> str:
    """Return the dtype code of an operation on operands of which some are Python scalars."""
    strong = [c for c, w in zip(codes, weak, strict=True) if not w] or codes
    if "c?" in codes:
        return "c?"
    if "?" in codes:  # what is computed with a complex number is complex, of whatever precision
        return "c?" if any(c[0] == "c" for c in codes) else "?"
    if any(c[0] == "c" for c in codes):
        return "c8" if {"c8", "f4", "b"}.issuperset(strong) else "c16"
    floats = [c for c in strong if c[0] == "f"]
    if floats:
        if any(c == "i" for c in strong):
            return "f8" if "f8" in floats else "?"
        return max(floats, key=lambda c: int(c[1:]))
    if any(c[0] == "f" for c in codes):
        return "f8"
    return "b" if set(codes) == {"b"} else "i"


REAL_CODE = {"c8": "f4", "c16": "f8", "c?": "f8"}


def with_real_dtype(kind: Kind) -> Kind:
    """Return the kind of the real numbers that come of complex ones, as by `abs`."""
    if isinstance(kind, Number):
        return Number(kind.regions)
    if not isinstance(kind, (Array, Real)):
        return kind
    return replace(kind, dtype=REAL_CODE.get(kind.dtype, kind.dtype))
