"""Sums that add to what a place holds: `b.x = b.x + g + h`."""

from __future__ import annotations

import gast

from tapeless.tree.build import as_load
from tapeless.tree.trees import Expr, Stmt


def terms_added(s: Stmt) -> list[Expr] | None:
    """List the terms that an assignment adds to its place, after what that holds; None for any other.

    Examples
    --------
    >>> terms = terms_added(gast.parse("b.x = b.x + g + h").body[0])
    >>> [term.id for term in terms], terms_added(gast.parse("b.x = g + b.x").body[0])
    (['g', 'h'], None)
    """
    if type(s) is not gast.Assign or len(s.targets) != 1:
        return None
    terms: list[Expr] = []
    left = s.value
    while type(left) is gast.BinOp and type(left.op) is gast.Add:
        terms.insert(0, left.right)
        left = left.left
        if gast.dump(left) == gast.dump(as_load(s.targets[0])):
            return terms
    return None
