"""Divisors that are no zero, whatever the numbers in them, rounded and with underflow.

A positive literal plus what is not below zero is at least the literal. A product, an exponential or a root
may underflow. What is not a number is no zero.
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from tapeless.externals import is_one_of
from tapeless.optimize.context import Context
from tapeless.tree.build import is_same_tree
from tapeless.tree.signs import is_negated
from tapeless.tree.trees import Expr

_NOT_BELOW_ZERO = (abs, np.abs, np.exp, np.exp2, np.cosh, np.sqrt, np.square)
_CONVERSIONS = (float, np.float64)


def is_never_zero(tree: Expr, context: Context) -> bool:
    """Whether an expression of doubles is no zero.

    Examples
    --------
    >>> context = Context(lambda tree: {"np.exp": np.exp}.get(gast.unparse(tree).strip()))
    >>> texts = ["2.0", "1.0 + x * x", "np.exp(x) + 1.0", "np.exp(x)", "1.0 + x", "1.0 - x * x"]
    >>> [is_never_zero(gast.parse(text).body[0].value, context) for text in texts]
    [True, True, True, False, False, False]
    """
    tree = _unconverted(tree, context)
    if is_negated(tree):
        return is_never_zero(tree.operand, context)
    return (type(tree) is gast.Constant and bool(tree.value)) or _is_positive(tree, context)


def _is_positive(tree: Expr, context: Context) -> bool:
    tree = _unconverted(tree, context)
    if type(tree) is gast.BinOp and type(tree.op) is gast.Add:
        sides = (tree.left, tree.right), (tree.right, tree.left)
        return any(_is_positive(p, context) and _is_not_below_zero(q, context) for p, q in sides)
    return type(tree) is gast.Constant and type(tree.value) in (int, float) and tree.value > 0


def _is_not_below_zero(tree: Expr, context: Context) -> bool:
    """Whether an expression is zero or more, or not a number."""
    tree = _unconverted(tree, context)
    if type(tree) is gast.Constant:
        return type(tree.value) in (int, float) and bool(tree.value >= 0)
    if type(tree) is gast.Call:
        return is_one_of(context.resolve(tree.func), _NOT_BELOW_ZERO)
    if type(tree) is not gast.BinOp:
        return False
    if type(tree.op) is gast.Pow:
        return type(tree.right) is gast.Constant and tree.right.value == 2
    if type(tree.op) is gast.Mult and is_same_tree(tree.left, tree.right):
        return True
    plain = type(tree.op) in (gast.Add, gast.Mult)
    return plain and all(_is_not_below_zero(p, context) for p in (tree.left, tree.right))


def _unconverted(tree: Expr, context: Context) -> Any:
    """Return what is made Python's or NumPy's number; anything else as it is."""
    while type(tree) is gast.Call and len(tree.args) == 1:
        if not is_one_of(context.resolve(tree.func), _CONVERSIONS):
            break
        tree = tree.args[0]
    return tree
