"""A `return` within a loop comes behind it, where it is the only way out but the loop's end.

    for v in x:                        for v in x:
        if v > 1.0:                        if v > 1.0:
            return v * v       ->              break
    return 0.0                         else:
                                           return 0.0
                                       return v * v

What is returned is computed by the names that the last trip bound, so it needs no place within the loop: its
reverse stands before that of the loop, and not in each trip of it, under the question whether the function
returned there.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.tree.build import at_line_of
from tapeless.tree.classes import LOOPS
from tapeless.tree.endings import always_leaves, breaks, falls_through, own_jumps
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import nodes


def returns_behind_loops(function: CoreFunction) -> CoreFunction:
    """Return from behind the loops of a function, where a loop is left by one `return` only.

    Examples
    --------
    >>> from tapeless.source.printer import unparse
    >>> from tapeless.source.reader import parse_function
    >>> tree = parse_function('''
    ... def f(x, tol):
    ...     while True:
    ...         y, x = x, 0.5 * (x + 2.0 / x)
    ...         if abs(x - y) < tol:
    ...             return x''')
    >>> print(unparse(returns_behind_loops(CoreFunction(tree)).tree).strip())
    def f(x, tol):
        while True:
            y, x = x, 0.5 * (x + 2.0 / x)
            if abs(x - y) < tol:
                break
        return x
    """
    if not any(type(part) in LOOPS for part in nodes(function.tree)):
        return function
    return function.with_body(_block(function.tree.body))


def _block(block: list[Any]) -> list[Any]:
    """Move the returns of the loops of a block, and of the branches in it, behind them."""
    for i, s in enumerate(block):
        if type(s) is gast.If:
            s.body, s.orelse = _block(s.body), _block(s.orelse)
        found = _only_return(s) if type(s) in LOOPS else None
        if found is None:
            continue
        comes_out = falls_through([s])
        rest = [*s.orelse, *block[i + 1 :]] if comes_out else s.orelse
        if comes_out and not always_leaves(rest):
            continue
        _replace(s.body, found)
        s.orelse = _block(rest)
        return [*block[:i], s, found]
    return block


def _only_return(loop: Any) -> Any:
    """Return the statement by which a loop is left, but at its end; None where there are others.

    One that stands in a `with` or `try`, or in another loop, has its place there.
    """
    if breaks(loop.body):
        return None
    [found, *more] = [jump for s in loop.body for jump in own_jumps(s, True)] or [None]
    return found if not more and any(found is s for s in _in_branches(loop.body)) else None


def _in_branches(block: list[Any]) -> list[Any]:
    """List the statements of a block and of the branches in it."""
    found = list(block)
    for s in block:
        if type(s) is gast.If:
            found += _in_branches(s.body) + _in_branches(s.orelse)
    return found


def _replace(block: list[Any], found: Any) -> None:
    """Leave the loop where it returned."""
    for i, s in enumerate(block):
        if s is found:
            block[i] = at_line_of(gast.Break(), s)
        elif type(s) is gast.If:
            _replace(s.body, found)
            _replace(s.orelse, found)
