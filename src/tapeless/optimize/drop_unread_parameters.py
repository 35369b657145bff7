"""A reverse half is not handed what it does not read.

    def init_rev(y_bar, self_bar, bars):            def init_rev(self_bar):
        return self_bar.q                   ->          return self_bar.q

    x_bar = init_rev(None, s_bar, AdjointMemory())  x_bar = init_rev(s_bar)

A call is split before its reverse half is written: cotangents of results that nothing depends on, and the
adjoint memory, cross it whether they are read in the end or not. The state stays, which both halves know.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from tapeless.runtime import AdjointMemory
from tapeless.tree.blocks import is_supported
from tapeless.tree.classes import ATOMS
from tapeless.tree.names import nodes
from tapeless.tree.trees import Expr, Tree


def drop_unread_parameters(
    functions: dict[str, Any], first: dict[str, int], resolve: Callable[[Any], Any]
) -> None:
    """Drop parameters of reverse halves that these do not read, where no call computes them.

    Parameters
    ----------
    functions
        The definitions of a module by name; they are changed.
    first
        The reverse halves, with the places of their first parameters that may be dropped.
    resolve
        Gives the object that a dotted name stands for.

    Examples
    --------
    >>> from tapeless.source.printer import unparse
    >>> made = {f.name: f for f in gast.parse('''
    ... def g_rev(saved, y_bar, x_bar):
    ...     x_bar.p = 0.0
    ...
    ... def f_rev(saved, y_bar, x_bar):
    ...     g_rev(saved, y_bar, x_bar)
    ...
    ... def h_grad(x, x_bar):
    ...     f_rev((x,), 1.0, x_bar)
    ... ''').body}
    >>> drop_unread_parameters(made, {"g_rev": 1, "f_rev": 1}, lambda tree: None)
    >>> for function in made.values():
    ...     print(unparse(function), end="")
    def g_rev(saved, x_bar):
        x_bar.p = 0.0
    def f_rev(saved, x_bar):
        g_rev(saved, x_bar)
    def h_grad(x, x_bar):
        f_rev((x,), x_bar)
    """
    if not all(map(is_supported, functions.values())):
        return
    again = True
    while again:
        dropped = [_drop(functions, key, first[key], resolve) for key in first if key in functions]
        again = any(dropped)


def _drop(functions: dict[str, Any], key: str, first: int, resolve: Callable[[Any], Any]) -> bool:
    """Drop the parameters of one function that it does not read; tell whether there were any."""
    function = functions[key]
    given = function.args.args
    parts = [part for f in functions.values() for part in nodes(f)]
    calls = [p for p in parts if type(p) is gast.Call and getattr(p.func, "id", None) == key]
    mentions = sum(type(p) is gast.Name and p.id == key for p in parts)
    if mentions != len(calls) or not all(_is_plain(call, len(given)) for call in calls):
        return False
    named = {p.id for s in function.body for p in nodes(s) if type(p) is gast.Name}
    unread = [
        i
        for i, parameter in enumerate(given)
        if i >= first
        and parameter.id not in named
        and all(_computes_nothing(call.args[i], resolve) for call in calls)
    ]
    for i in reversed(unread):
        for args in [given, *(call.args for call in calls)]:
            del args[i]
    return bool(unread)


def _is_plain(call: Expr, count: int) -> bool:
    """Whether a call hands over so many things, one after the other."""
    starred = any(type(arg) is gast.Starred for arg in call.args)
    return len(call.args) == count and not call.keywords and not starred


def _computes_nothing(arg: Tree, resolve: Callable[[Any], Any]) -> bool:
    """Whether an argument is a name, a number, or an adjoint memory that is made for the call."""
    if type(arg) is gast.Call:
        return not arg.args and not arg.keywords and resolve(arg.func) is AdjointMemory
    return type(arg) in ATOMS
