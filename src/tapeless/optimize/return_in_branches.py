"""A forward sweep returns where its author returned."""

from __future__ import annotations

from typing import Any

import gast

from tapeless.optimize.context import Context
from tapeless.tree.blocks import leaves
from tapeless.tree.build import unshared


def return_in_branches(function: gast.FunctionDef, context: Context) -> gast.FunctionDef:
    """Put the last return into the branches of an `if` that returned early.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f_fwd(x):
    ...     if x < 0:
    ...         y = x
    ...     else:
    ...         y = x * x
    ...     return y, (x,)
    ... ''').body[0]
    >>> context = Context(returning=frozenset([3]))
    >>> print(unparse(return_in_branches(function, context)), end="")
    def f_fwd(x):
        if x < 0:
            y = x
            return y, (x,)
        y = x * x
        return y, (x,)
    """
    function.body = _returning(function.body, context)
    return function


def _returning(block: list[Any], context: Context) -> list[Any]:
    if len(block) < 2:
        return block
    branch, last = block[-2:]
    if type(last) is not gast.Return or type(branch) is not gast.If:
        return block
    if getattr(branch, "lineno", None) not in context.returning:
        return block
    yes, no = (
        arm if leaves(arm) else _returning([*arm, unshared(last)], context)
        for arm in (branch.body, branch.orelse)
    )
    made = gast.If(branch.test, yes, [])
    made.lineno = branch.lineno
    return [*block[:-2], made, *no]
