"""Expressions whose value is their truth: comparisons, negations, and what `and` and `or` make of them.

The value of any other test may be a list or an object, whose truth is another once it has changed.
"""

from __future__ import annotations

import gast

from tapeless.tree.signs import is_negated
from tapeless.tree.trees import Expr, Tree


def decided(test: Expr) -> bool | None:
    """Return what a test gives whatever happens; None for one that may give either.

    Examples
    --------
    >>> import gast
    >>> [decided(gast.parse(text, mode="eval").body) for text in ("1", "-0.5", "not None", "x")]
    [True, True, True, None]
    """
    if type(test) is gast.UnaryOp and type(test.op) is gast.Not:
        truth = decided(test.operand)
        return None if truth is None else not truth
    if is_negated(test):
        test = test.operand  # a number with a sign
    return bool(test.value) if type(test) is gast.Constant else None


def is_truth(tree: Tree) -> bool:
    """Whether an expression gives a truth, whatever its operands are.

    Examples
    --------
    >>> import gast
    >>> [is_truth(gast.parse(text, mode="eval").body) for text in ("x > 0", "not a", "a and not b")]
    [True, True, False]
    """
    if type(tree) is gast.BoolOp:
        return all(is_truth(part) for part in tree.values)
    return type(tree) is gast.Compare or (type(tree) is gast.UnaryOp and type(tree.op) is gast.Not)
