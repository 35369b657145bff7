"""Every return of a forward sweep hands over what the reverse sweep reads.

A name that is not bound on every way to a return starts as None, or as a mark that says so.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.differentiate.reverse.state import Sweep
from tapeless.tree.build import assign, at_line_of, const, name, target, unshared
from tapeless.tree.classes import COMPOUND
from tapeless.tree.endings import ends_in_jump
from tapeless.tree.names import binds
from tapeless.tree.trees import Expr, Stmt


def state_order(state: set[str], at: str) -> list[str]:
    """Order the names that a split derivative hands over: where it returned comes first."""
    return [*([at] if at in state else []), *sorted(state - {at})]


def nothing_yet(sweep: Sweep) -> Any:
    """Return what a name starts with that is not bound on every way.

    Who differentiates the text again is told by the mark that nothing computes with it: of a None it
    could not know.
    """
    return name(sweep.runtime("ABSENT")) if sweep.module.for_higher_order else const(None)


class HandOver:
    """Writes the returns of one forward sweep.

    Parameters
    ----------
    ordered : list of str
        The names that are handed over.
    at : str
        The one among them, if the reverse sweep asks, that says which return was taken.
    numbers : dict
        The number of each return.
    nothing : expression
        What a name starts with that is not bound on every way to a return.
    as_list : bool
        Whether it is a list: of what holds what was handed over within it, the text is differentiated.

    Examples
    --------
    >>> from tapeless.source.printer import unparse
    >>> tree = gast.parse('''
    ... def f(x):
    ...     if x < 0.0:
    ...         y = -x
    ...         return y
    ...     v = x * x
    ...     return v
    ... ''').body[0]
    >>> first, second = tree.body[0].body[-1], tree.body[-1]
    >>> handing = HandOver(["at", "v"], "at", {first: 0, second: 1}, gast.Constant(None, None))
    >>> tree.body = handing.write(tree.body, {"x"})
    >>> print(unparse(tree), end="")
    def f(x):
        v = None
        if x < 0.0:
            y = -x
            return y, (0, v)
        v = x * x
        return v, (1, v)
    """

    def __init__(
        self,
        ordered: list[str],
        at: str,
        numbers: dict[Any, int],
        nothing: Expr,
        as_list: bool = False,
    ) -> None:
        self.ordered = ordered
        self.at = at
        self.numbers = numbers
        self.nothing = nothing
        self.form = gast.List if as_list else gast.Tuple
        self.unset: set[str] = set()

    def write(self, forward: list[Any], known: set[str]) -> list[Any]:
        """Write the body of a forward sweep; `known` are the names that it starts with."""
        written, _ = self.block(forward, set(known))
        return [*(assign(key, unshared(self.nothing)) for key in sorted(self.unset)), *written]

    def block(self, block: list[Any], bound: set[str]) -> tuple[list[Any], set[str]]:
        """Write a block, and return the names that are bound behind it."""
        made: list[Any] = []
        for s in block:
            if type(s) is gast.Return:
                made += self.returned(s, bound)
                continue
            if type(s) in COMPOUND:
                s, bound = getattr(self, f"do_{type(s).__name__}")(s, bound)
            else:
                bound = bound | binds(s)
            made.append(s)
        return made, bound

    def handed_over(self, bound: set[str]) -> list[Any]:
        self.unset.update(key for key in self.ordered if key not in bound)
        return [name(key) for key in self.ordered]

    def returned(self, s: Stmt, bound: set[str]) -> list[Any]:
        kept = self.handed_over(bound | {self.at})
        if self.at in self.ordered:
            kept[self.ordered.index(self.at)] = const(self.numbers[s])
        state = self.form(kept, gast.Load())
        return [gast.Return(gast.Tuple([s.value, state], gast.Load()))]

    def unpacked(self, saved: str) -> Any:
        """Write the statement with which the reverse sweep takes what is handed over."""
        place = gast.Tuple([target(key) for key in self.ordered], gast.Store())
        return gast.Assign([place], name(saved), None)

    def do_If(self, s: Stmt, bound: set[str]) -> tuple[Any, set[str]]:
        body, yes = self.block(s.body, bound)
        orelse, no = self.block(s.orelse, bound)
        yes = yes if not ends_in_jump(s.body) else no
        no = no if not ends_in_jump(s.orelse) else yes
        return at_line_of(gast.If(s.test, body, orelse), s), bound | (yes & no)

    def do_For(self, s: Stmt, bound: set[str]) -> tuple[Any, set[str]]:
        body, _ = self.block(s.body, bound | binds(s.target))
        orelse, _ = self.block(s.orelse, bound)
        made = gast.For(s.target, s.iter, body, orelse, None)
        return gast.copy_location(made, s), bound

    def do_While(self, s: Stmt, bound: set[str]) -> tuple[Any, set[str]]:
        body, _ = self.block(s.body, bound)
        orelse, _ = self.block(s.orelse, bound)
        return gast.While(s.test, body, orelse), bound

    def do_With(self, s: Stmt, bound: set[str]) -> tuple[Any, set[str]]:
        entered = set().union(*(binds(item) for item in s.items))
        body, bound = self.block(s.body, bound | entered)
        return gast.With(s.items, body, None), bound

    def do_Try(self, s: Stmt, bound: set[str]) -> tuple[Any, set[str]]:
        body, after = self.block(s.body, bound)
        orelse, after = self.block(s.orelse, after)
        handlers = []
        for handler in s.handlers:
            handled, other = self.block(handler.body, bound)
            after = after if ends_in_jump(handler.body) else after & other
            handlers.append(gast.ExceptHandler(handler.type, handler.name, handled))
        final, bound = self.block(s.finalbody, bound | after if s.handlers else bound)
        return at_line_of(gast.Try(body, handlers, orelse, final), s), bound | after
