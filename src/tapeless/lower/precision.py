"""In which precision NumPy computes: single where all floats are, and Python's numbers follow.

    y = x * 0.5        ->        y[i] = x[i] * np.float32(0.5)

A number of Python's takes the precision of the arrays beside it; a number or array of another precision, or
of integers, makes the result double. Numba would compute a product of a single and a double number in
double precision, so what follows is cast where it stands, and constants are written in single precision.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tapeless.lower.loops import Call, Expr, Num, Op, rebuilt
from tapeless.lower.refused import NotLowered
from tapeless.lower.values import Array, Number, Sort, Value

FLOATS = ("f8", "f4")
_STRONG: dict[str, str] = {"np": "f8", "f4": "f4", "np int": "i", "either": "either"}
_SORTS: dict[str, Sort] = {"f8": "np", "f4": "f4", "i": "np int", "b": "bool"}


def sort_of(dtype: str) -> Sort:
    """Return the sort of a number that is an entry of an array."""
    return _SORTS[dtype]


def demanded(x: Value) -> str | None:
    """Return the dtype that an operand demands of a result; None of Python's numbers."""
    if isinstance(x, Array):
        return x.dtype
    return _STRONG.get(x.sort) if isinstance(x, Number) else None


def of_operands(operands: Iterable[Value]) -> str:
    """Return the precision of what is computed from operands.

    Examples
    --------
    >>> of_operands([Number(Num(0.5), "py"), Number(Num(0.5), "f4")])
    'f4'
    >>> of_operands([Number(Num(0.5), "np"), Number(Num(0.5), "f4")])
    'f8'
    """
    found = {demanded(x) for x in operands}
    if "f4" not in found or found & {"f8", "i"}:
        return "f8"
    if "either" in found:
        raise NotLowered("a number of Python's or NumPy's beside one in single precision")
    return "f4"


def precision_of(x: Number) -> str:
    """Return the dtype of an array that is filled with a number."""
    return "f4" if x.sort == "f4" else "f8"


def cast(e: Expr, dtype: str | None, to: str) -> Expr:
    """Return an entry, or a number, in a precision."""
    if isinstance(e, Num) and to == "f4":
        return Num(float(e.value), single=True)
    if dtype == to or dtype in (None, "either") and to == "f8":
        return e
    if dtype == "b":
        return Op("if", (e, cast(Num(1.0), None, to), cast(Num(0.0), None, to)))
    if dtype == "i" and to == "f8":
        return Call("float", (e,))
    return Call("np.float32" if to == "f4" else "np.float64", (e,))


def number_in(x: Number, to: str) -> Expr:
    """Return a number in a precision."""
    return cast(x.expr, demanded(x), to)


def with_single_constants(e: Expr) -> Expr:
    """Return a formula whose constants are in single precision."""

    def change(part: Expr) -> Expr:
        if isinstance(part, Num) and type(part.value) is float:
            return Num(part.value, single=True)
        return part

    return rebuilt(e, change)


def is_exact(e: Expr) -> bool:
    """Whether a literal is the same number in single precision.

    Examples
    --------
    >>> is_exact(Num(0.5)), is_exact(Num(0.1))
    (True, False)
    """
    return isinstance(e, Num) and float(np.float32(e.value)) == e.value
