"""A branch whose test is decided is what stands on the side that is taken.

    c = not None           ->   y = 2.0 * x
    if c:
        y = 2.0 * x

A name that is bound to what is decided is bound to the truth value, which is then read in its place.
"""

from __future__ import annotations

import gast

from tapeless.optimize.context import Context
from tapeless.tree.blocks import all_blocks, all_statements
from tapeless.tree.build import const
from tapeless.tree.trees import Stmt
from tapeless.tree.truths import decided, is_truth


def take_decided_branches(function: gast.FunctionDef, context: Context) -> bool:
    """Write the side that is taken in the place of the branch.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(x):
    ...     if not None:
    ...         x = 2.0 * x
    ...     if False:
    ...         x = 1.0
    ...     return x
    ... ''').body[0]
    >>> take_decided_branches(function, Context())
    True
    >>> print(unparse(function), end="")
    def f(x):
        x = 2.0 * x
        return x
    """
    changed = False
    for s in all_statements(function.body):
        if type(s) is gast.Assign and is_truth(s.value):
            truth = decided(s.value)
            if truth is not None:
                changed = True
                s.value = const(truth)
    for block in list(all_blocks(function.body)):
        if any(_is_decided(s) for s in block):
            changed = True
            block[:] = [part for s in block for part in _taken(s)] or [gast.Pass()]
    return changed


def _is_decided(s: Stmt) -> bool:
    return type(s) is gast.If and decided(s.test) is not None


def _taken(s: Stmt) -> list[Stmt]:
    if not _is_decided(s):
        return [s]
    return list(s.body if decided(s.test) else s.orelse)
