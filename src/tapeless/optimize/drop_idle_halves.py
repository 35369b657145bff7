"""A reverse half in which nothing is left to do is not called.

A call is split where the callee may pass a derivative on. What it computes may turn out to be a number
of trips or a comparison, and its reverse sweep to be empty.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.tree.blocks import all_blocks, is_supported
from tapeless.tree.classes import ATOMS
from tapeless.tree.comments import is_comment
from tapeless.tree.names import nodes
from tapeless.tree.trees import Stmt, Tree


def drop_idle_halves(functions: dict[str, Any], reverse: list[str]) -> dict[str, Any]:
    """Drop the reverse halves that do nothing, and the calls of them.

    Parameters
    ----------
    functions
        The definitions of a module by name; they are changed.
    reverse
        The names of the reverse halves.

    Returns
    -------
    The definitions that are left.

    Examples
    --------
    >>> from tapeless.source.printer import unparse
    >>> made = {f.name: f for f in gast.parse('''
    ... def g_rev(saved, y_bar, x_bar):
    ...     pass
    ...
    ... def f_rev(saved, y_bar, x_bar):
    ...     g_rev(saved, y_bar, x_bar)
    ...     x_bar += y_bar
    ... ''').body}
    >>> for function in drop_idle_halves(made, ["f_rev", "g_rev"]).values():
    ...     print(unparse(function), end="")
    def f_rev(saved, y_bar, x_bar):
        x_bar += y_bar
    """
    idle = {key for key in reverse if key in functions and _does_nothing(functions[key])}
    if not idle or not all(is_supported(f) for f in functions.values()):
        return functions
    for function in functions.values():
        for block in all_blocks(function.body):
            if any(_only_calls(s, idle) for s in block):
                block[:] = [s for s in block if not _only_calls(s, idle)] or [gast.Pass()]
    named = {p.id for f in functions.values() for p in nodes(f) if type(p) is gast.Name}
    left = {key: f for key, f in functions.items() if key not in idle - named}
    return left if len(left) == len(functions) else drop_idle_halves(left, reverse)


def _does_nothing(function: Tree) -> bool:
    return all(isinstance(s, gast.Pass) or is_comment(s) for s in function.body)


def _only_calls(s: Stmt, idle: set[str]) -> bool:
    """Whether a statement is a call of one of some functions with names and numbers."""
    call = s.value if type(s) is gast.Expr else None
    if not isinstance(call, gast.Call) or getattr(call.func, "id", None) not in idle:
        return False
    return all(type(arg) in ATOMS for arg in call.args)
