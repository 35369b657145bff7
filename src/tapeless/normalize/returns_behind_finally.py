"""A `return` above a `finally` comes behind it.

Python computes what is returned, runs the `finally`, and leaves. Once the value has a name this is said
by the text itself: what the `finally` changes is changed after the value was computed, and before it is
returned.

    try:                        returned = False
        if x > 0.0:             try:
            return x * y            if x > 0.0:
        y = x                           result = x * y
    finally:              ->            returned = True
        y += 1.0                    else:
    return y                            y = x
                                finally:
                                    y += 1.0
                                if returned:
                                    return result
                                return y

What follows a `return` is left out: it becomes the other branch, or asks whether anything is returned;
a loop is left by `break`.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.tree.build import assign, at_line_of, const, name, quote
from tapeless.tree.classes import LOOPS
from tapeless.tree.endings import always_leaves, blocks_of, falls_through, own_jumps
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, nodes
from tapeless.tree.transform import Transformer


def returns_behind_finally(function: CoreFunction) -> CoreFunction:
    """Return from a function behind the `finally` blocks that run first.

    Examples
    --------
    >>> from tapeless.source.printer import unparse
    >>> from tapeless.source.reader import parse_function
    >>> tree = parse_function('''
    ... def f(xs, log):
    ...     try:
    ...         for x in xs:
    ...             if x > 1.0:
    ...                 return x * x
    ...         return 0.0
    ...     finally:
    ...         log.append(xs)''')
    >>> print(unparse(returns_behind_finally(CoreFunction(tree)).tree).strip())
    def f(xs, log):
        returned = False
        try:
            for x in xs:
                if x > 1.0:
                    result = x * x
                    returned = True
                    break
            if not returned:
                result = 0.0
                returned = True
        finally:
            log.append(xs)
        return result
    """
    if not any(type(part) is gast.Try and part.finalbody for part in nodes(function.tree)):
        return function
    mover = _Mover(Names(function.names()))
    return function.with_body(mover.listed(function.tree.body))


class _Mover(Transformer):
    def __init__(self, names: Names) -> None:
        self.names = names

    def visit_Try(self, tree: gast.Try) -> Any:
        self.generic_visit(tree)
        if not tree.finalbody or not _returns(tree) or any(map(_returns, tree.finalbody)):
            return tree
        leaving = _Leaving(self.names.fresh("result"), self.names.fresh("returned"))
        made = leaving.attempt(tree)
        back: Any = gast.Return(name(leaving.result))
        if falls_through([tree]):
            back = gast.If(name(leaving.returned), [back], [])
        whole = [assign(leaving.returned, const(False)), made, back]
        return [at_line_of(s, tree) for s in whole]


class _Leaving:
    """Leaves the body of one `try` with a result, instead of returning it.

    Attributes
    ----------
    result, returned : str
        The names of what is returned, and of whether it is.
    """

    def __init__(self, result: str, returned: str) -> None:
        self.result = result
        self.returned = returned

    def kept(self, s: Any) -> list[Any]:
        """Bind what a `return` returns."""
        value = const(None) if s.value is None else s.value
        made = [assign(self.result, value), assign(self.returned, const(True))]
        return [at_line_of(part, s) for part in made]

    def block(self, block: list[Any]) -> list[Any]:
        """Write a block that goes on at its end where it would have returned."""
        made: list[Any] = []
        for i, s in enumerate(block):
            if type(s) is gast.Return:
                return [*made, *self.kept(s)]
            if not _returns(s):
                made.append(s)
                continue
            rest = block[i + 1 :]
            if type(s) is gast.If and always_leaves(s.body):
                return [*made, self.branch(s, s.body, [*s.orelse, *rest])]
            if type(s) is gast.If and always_leaves(s.orelse):
                return [*made, self.branch(s, [*s.body, *rest], s.orelse)]
            return [*made, self.statement(s), *self.behind(rest)]
        return made

    def branch(self, s: Any, body: list[Any], orelse: list[Any]) -> Any:
        return at_line_of(gast.If(s.test, self.block(body), self.block(orelse)), s)

    def behind(self, rest: list[Any]) -> list[Any]:
        """Write what is done only if nothing was returned before it."""
        rest = self.block(rest)
        if not rest:
            return []
        test = gast.UnaryOp(gast.Not(), name(self.returned))
        return [at_line_of(gast.If(test, rest, []), rest[0])]

    def attempt(self, s: gast.Try) -> gast.Try:
        """Write a `try` in which nothing returns, but in its `finally`."""
        returns = any(map(_returns, s.body))
        orelse = self.behind(s.orelse) if returns else self.block(s.orelse)
        handlers = [gast.ExceptHandler(h.type, h.name, self.block(h.body)) for h in s.handlers]
        made = gast.Try(self.block(s.body), handlers, orelse, s.finalbody)
        return at_line_of(made, s)

    def statement(self, s: Any) -> Any:
        if type(s) is gast.If:
            return self.branch(s, s.body, s.orelse)
        if type(s) in LOOPS:
            s.body = self.in_loop(s.body)
            s.orelse = self.block(s.orelse)
            return s
        if type(s) is gast.Try:
            return self.attempt(s)
        s.body = self.block(s.body)
        return s

    def in_loop(self, block: list[Any]) -> list[Any]:
        """Write a block of a loop: the loop is left where the function would have returned."""
        made: list[Any] = []
        for s in block:
            if type(s) is gast.Return:
                return [*made, *self.kept(s), at_line_of(gast.Break(), s)]
            made.append(s)
            if not _returns(s):
                continue
            if type(s) in LOOPS:
                s.body, s.orelse = self.in_loop(s.body), self.in_loop(s.orelse)
                made += quote("if r:\n    break", r=self.returned)
                continue
            for inner in blocks_of(s):
                inner[:] = self.in_loop(inner)
        return made


def _returns(s: Any) -> bool:
    """Whether a statement may return from the function."""
    return any(type(jump) is gast.Return for jump in own_jumps(s))
