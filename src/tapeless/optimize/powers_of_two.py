"""Powers of two among the factors of a product are gathered: to multiply by one rounds nothing.

    0.5 * k * (2.0 * x)   ->   k * x
    0.001 * (2.0 * w)     ->   0.002 * w

Scaling by a power of two is exact (IEEE 754), so where it happens in a product does not matter, but for
numbers at the ends of the range.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import gast

from tapeless.tree.build import const, unshared
from tapeless.tree.trees import Expr


def gather_powers_of_two(tree: Expr, is_float: Callable[[Expr], bool]) -> Any:
    """Write a product with one literal instead of several, if all but one are powers of two.

    Parameters
    ----------
    tree
        A product; it is not changed.
    is_float
        Whether an expression gives floating-point numbers for sure, so that `1.0 *` can be left out.

    Returns
    -------
    The shorter product; None where there is none.

    Examples
    --------
    >>> def gathered(text):
    ...     made = gather_powers_of_two(gast.parse(text).body[0].value, lambda tree: True)
    ...     return made and gast.unparse(made).strip()
    >>> gathered("0.5 * k * (2.0 * x)"), gathered("a * 0.3 * (4.0 * b)"), gathered("0.1 * (0.3 * w)")
    ('k * x', 'a * 1.2 * b', None)
    """
    literals = [f for f in _factors(tree) if type(f) is gast.Constant]
    if len(literals) < 2 or not all(type(f.value) is float for f in literals):
        return None
    others = [f for f in literals if abs(math.frexp(f.value)[0]) != 0.5]
    if len(others) > 1:
        return None
    kept = others[0] if others else literals[0]
    value = math.prod(f.value for f in literals)
    if value == 0.0 or not math.isfinite(value):
        return None
    if value == 1.0:
        made = _without(tree, literals)
        return made if made is not None and is_float(made) else None
    dropped = [f for f in literals if f is not kept]
    return _put(_without(tree, dropped), kept, value)


def _factors(tree: Expr) -> list[Any]:
    if type(tree) is gast.BinOp and type(tree.op) is gast.Mult:
        return [*_factors(tree.left), *_factors(tree.right)]
    return [tree]


def _without(tree: Expr, dropped: list[Any]) -> Any:
    """Return a product without some of its factors; None if none is left."""
    if any(tree is factor for factor in dropped):
        return None
    if type(tree) is not gast.BinOp or type(tree.op) is not gast.Mult:
        return tree
    left, right = _without(tree.left, dropped), _without(tree.right, dropped)
    if left is None or right is None:
        return right if left is None else left
    return gast.BinOp(left, tree.op, right)


def _put(tree: Expr, literal: Expr, value: float) -> Any:
    """Return a product with another number in the place of a literal."""
    if tree is literal:
        return const(value)
    if type(tree) is not gast.BinOp or type(tree.op) is not gast.Mult:
        return unshared(tree)
    return gast.BinOp(_put(tree.left, literal, value), tree.op, _put(tree.right, literal, value))
