"""Signs that are written out: Python's grammar has no negative literals, but a minus before a literal."""

from __future__ import annotations

import gast

from tapeless.tree.trees import Expr


def is_negated(tree: Expr) -> bool:
    """Whether an expression is another one, its `operand`, with a minus in front.

    Examples
    --------
    >>> [is_negated(gast.parse(text, mode="eval").body) for text in ("-x", "-1", "+x", "y - x")]
    [True, True, False, False]
    """
    return type(tree) is gast.UnaryOp and type(tree.op) is gast.USub


def integer(tree: Expr) -> int | None:
    """Return an integer that is written out, perhaps with a minus; None for anything else.

    Examples
    --------
    >>> [integer(gast.parse(text, mode="eval").body) for text in ("2", "-1", "2.0", "n")]
    [2, -1, None, None]
    """
    if is_negated(tree):
        inner = integer(tree.operand)
        return None if inner is None else -inner
    plain = type(tree) is gast.Constant and type(tree.value) is int
    return tree.value if plain else None
