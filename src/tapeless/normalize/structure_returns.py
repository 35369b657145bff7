"""Early returns outside loops become branches with one return at the end.

What follows an `if` that returns runs only where it did not return, so it belongs to the other
branch: same statements, same order. A function that is differentiated as a whole then has one way
out, and its two sweeps stand in one function. A return inside a loop cannot be written so; neither
can one that would put what follows into two branches.

    if x < 0:                     if x < 0:
        return -x        ->           y = -x
    return x * x                  else:
                                      y = x * x
                                  return y
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast

from tapeless.tree.build import assign, at_line_of, name
from tapeless.tree.classes import ENDING
from tapeless.tree.endings import own_jumps
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, nodes

MOST_RETURNS = 3


def structure_returns(function: CoreFunction, most: int = MOST_RETURNS) -> CoreFunction:
    """Return a function with one return at its end, where it has few returns and they allow it.

    Parameters
    ----------
    function
        A function of the core language.
    most
        The number of returns above which it stays as it is.

    Examples
    --------
    >>> from tapeless.source.printer import unparse
    >>> tree = gast.parse('''
    ... def f(x):
    ...     if x < 0.0:
    ...         return x
    ...     v = x * x
    ...     return v
    ... ''').body[0]
    >>> print(unparse(structure_returns(CoreFunction(tree)).tree), end="")
    def f(x):
        if x < 0.0:
            y = x
        else:
            v = x * x
            y = v
        return y
    """
    body = function.tree.body
    returns = _count_returns(body)
    nested = any(type(part) is gast.FunctionDef for s in body for part in nodes(s))
    attempted = returns == 1 and type(body[-1]) is not gast.Return and _ends_in_try(body)
    if nested or not (1 < returns <= most or attempted):
        return function
    result = Names(function.names()).fresh("y")
    structured = _with_one_exit(body, result)
    if structured is None:
        return function
    made = function.with_body([*structured, gast.Return(name(result))])
    return replace(made, returning=_lines_that_return(body))


def _lines_that_return(block: list[Any]) -> frozenset[int]:
    return frozenset(
        part.lineno
        for statement in block
        for part in nodes(statement)
        if type(part) is gast.If and hasattr(part, "lineno") and _count_returns([part])
    )


def _count_returns(block: list[Any]) -> int:
    return sum(type(jump) is gast.Return for s in block for jump in own_jumps(s))


def _with_one_exit(block: list[Any], result: str) -> list[Any] | None:
    """Write a block at the end of a function so that it binds the result instead of returning it."""
    for i, statement in enumerate(block):
        rest = block[i + 1 :]
        if type(statement) is gast.Return:
            value = statement.value
            if value is None:
                return None
            return [*block[:i], at_line_of(assign(result, value), statement)]
        if type(statement) is gast.Raise:
            return block[: i + 1]
        if not _count_returns([statement]):
            continue
        if not isinstance(statement, (gast.If, gast.Try)):
            return None
        one_exit = _try_with_one_exit if type(statement) is gast.Try else _branch_with_one_exit
        branch = one_exit(statement, rest, result)
        return None if branch is None else [*block[:i], branch]
    return None


def _branch_with_one_exit(statement: gast.If, rest: list[Any], result: str) -> gast.If | None:
    arms = []
    followed = 0
    for arm in (statement.body, statement.orelse):
        always_leaves = _always_leaves(arm)
        followed += not always_leaves
        arms.append(_with_one_exit(arm if always_leaves else [*arm, *rest], result))
    if followed > 1 or arms[0] is None or arms[1] is None:
        return None
    return at_line_of(gast.If(statement.test, arms[0], arms[1]), statement)


def _try_with_one_exit(statement: gast.Try, rest: list[Any], result: str) -> gast.Try | None:
    """What follows a `try` goes into `else`, or into the one handler that comes out at its end.

    Nothing but the body itself is under the handlers, and nothing may be added to it.
    """
    body, orelse = statement.body, statement.orelse
    if _count_returns(body):
        if not _always_leaves(body):
            return None
        body = _with_one_exit(body, result)
        arms = []
    elif statement.finalbody:
        return None
    else:
        arms = [orelse]
    arms += [handler.body for handler in statement.handlers]
    if body is None or sum(not _always_leaves(arm) for arm in arms) > 1:
        return None
    made = [_with_one_exit(a if _always_leaves(a) else [*a, *rest], result) for a in arms]
    if None in made:
        return None
    if len(arms) > len(statement.handlers):
        orelse = made.pop(0) or []
    handlers = [
        at_line_of(gast.ExceptHandler(h.type, h.name, block), h)
        for h, block in zip(statement.handlers, made, strict=True)
    ]
    return at_line_of(gast.Try(body, handlers, orelse, statement.finalbody), statement)


def _ends_in_try(block: list[Any]) -> bool:
    return any(type(s) is gast.Try and _count_returns([s]) for s in block)


def _always_leaves(block: list[Any]) -> bool:
    last = block[-1] if block else None
    if type(last) in ENDING:
        return True
    if isinstance(last, gast.Try):
        ways = [[*last.body, *last.orelse], *(handler.body for handler in last.handlers)]
        return all(map(_always_leaves, ways))
    return isinstance(last, gast.If) and _always_leaves(last.body) and _always_leaves(last.orelse)
