"""Which axes a cotangent is summed over, where the kinds tell.

What was broadcast was repeated, so its cotangent is the sum over the copies (NumPy's rules of broadcasting
read backwards): over the leading axes that an operand does not have, and over those where it has size 1.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.kinds import Dim, not_one
from tapeless.tree.build import const, quote_expression
from tapeless.tree.trees import Expr


def sum_over_broadcast(g: Expr, dims: tuple[Dim, ...], operand: tuple[Dim, ...], numpy: str) -> Any:
    """Write the sum of a cotangent over the axes along which an operand was broadcast.

    Parameters
    ----------
    g
        The cotangent.
    dims, operand
        The dimensions of the cotangent and of the operand.
    numpy
        What NumPy is called.

    Returns
    -------
    An expression; None where a dimension of the operand may be 1 where the cotangent has more.

    Examples
    --------
    >>> from tapeless.kinds import Size
    >>> n, g = Size("n", least=2), gast.Name("g", gast.Load(), None, None)
    >>> for operand in [(n, 1), (n,), (1, 1)]:
    ...     print(gast.unparse(sum_over_broadcast(g, (n, n), operand, "np")))
    np.sum(g, axis=1, keepdims=True)
    np.sum(g, axis=0)
    np.sum(g, axis=(0, 1), keepdims=True)
    >>> print(gast.unparse(sum_over_broadcast(g, (n,), (1, n), "np")))
    g[None]
    >>> k = Size("k")  # which may be 1
    >>> sum_over_broadcast(g, (n, k), (k,), "np") is None, sum_over_broadcast(g, (n,), (k,), "np")
    (False, None)
    """
    leading = len(dims) - len(operand)
    if leading < 0:  # a store drops leading axes of one entry
        inner = sum_over_broadcast(g, dims, operand[-leading:], numpy)
        return None if inner is None or not dims else _with_axes_before(inner, -leading)
    if any(
        d != full and d != 1 and not not_one(d)
        for d, full in zip(operand, dims[leading:], strict=True)
    ):
        return None
    ones = [i for i, d in enumerate(operand) if d == 1 and dims[leading + i] != 1]
    if leading:
        axes = _as_axes(list(range(leading)))
        g = quote_expression("np.sum(g, axis=a)", np=numpy, g=g, a=axes)
    if ones:
        g = quote_expression("np.sum(g, axis=a, keepdims=True)", np=numpy, g=g, a=_as_axes(ones))
    return g


def _with_axes_before(g: Expr, count: int) -> Expr:
    """Write an array with a number of axes of one entry before its own."""
    added = [const(None) for _ in range(count)]
    index = added[0] if len(added) == 1 else gast.Tuple(added, gast.Load())
    return gast.Subscript(g, index, gast.Load())


def _as_axes(axes: list[int]) -> Expr:
    """Write axes as NumPy's functions take them: a number, or a tuple of some."""
    made = [const(axis) for axis in axes]
    return made[0] if len(made) == 1 else gast.Tuple(made, gast.Load())
