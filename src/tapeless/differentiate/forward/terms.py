"""Terms of tangents, written as one would by hand.

A partial of 1 is left out, a minus stands in front of its product, and a sum with a negative term is
a difference.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.differentiate.reverse.accumulate import is_one, product
from tapeless.tree.classes import MULTIPLICATIVE
from tapeless.tree.signs import is_negated
from tapeless.tree.trees import Expr, Tree


def as_term(partial: Expr, dot: Expr, first: bool) -> Any:
    """Write a partial times a tangent as one would by hand."""
    if is_one(partial):
        return dot
    if is_negated(partial):
        return minus(as_term(partial.operand, dot, first))
    if type(partial) is gast.Constant and partial.value == -1.0:
        return minus(dot)
    if first or (type(partial) is gast.BinOp and type(partial.op) is gast.Div):
        return product(dot, partial)
    return gast.BinOp(partial, gast.Mult(), dot)


def minus(tree: Tree) -> Any:
    """Write the negative of a term; a minus stands in front of a product."""
    positive = _without_minus(tree)
    return gast.UnaryOp(gast.USub(), tree) if positive is None else positive


def _without_minus(tree: Tree) -> Any:
    """Return the term without the minus in front of it; None where there is none."""
    if is_negated(tree):
        return tree.operand
    if type(tree) is gast.BinOp and type(tree.op) in MULTIPLICATIVE:
        left = _without_minus(tree.left)
        return None if left is None else gast.BinOp(left, tree.op, tree.right)
    return None


def summed(a: Any, b: Any) -> Any:
    """Write `a + b`, or `a - c` where b is -c."""
    positive = _without_minus(b)
    if positive is None:
        return gast.BinOp(a, gast.Add(), b)
    return gast.BinOp(a, gast.Sub(), positive)
