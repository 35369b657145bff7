"""A set that was written out is written out again.

    lock = day in set([2, 3])      ->      lock = day in {2, 3}

Its items were put into a list, which is one value, for what comes before.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.optimize.context import Context
from tapeless.tree.names import nodes
from tapeless.tree.transform import Replacer
from tapeless.tree.trees import Tree


def show_sets(function: gast.FunctionDef, context: Context) -> None:
    """Write sets that are made of lists that are written out as sets that are.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(day):
    ...     return day in set([2, 3]) or day in set([])
    ... ''').body[0]
    >>> show_sets(function, Context(lambda tree: set if tree.id == "set" else None))
    >>> print(unparse(function), end="")
    def f(day):
        return day in {2, 3} or day in set([])
    """
    made = {
        id(part): gast.Set(part.args[0].elts)
        for part in nodes(function)
        if type(part) is gast.Call and context.resolve(part.func) is set and _lists_items(part)
    }
    if made:
        Replacer(made).visit(function)


def _lists_items(call: Tree) -> bool:
    """Whether a call is given nothing but a list that is written out, and not empty: `{}` is a dict."""
    items: Any = call.args[0] if len(call.args) == 1 else None
    return type(items) is gast.List and bool(items.elts)
