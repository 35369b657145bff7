"""Every return of a forward sweep hands over what the reverse sweep reads.

A name that is not bound on every way to a return starts as None. A `finally` runs after what is
returned was computed: where it binds what is handed over, a return above it hands over a list, into
which the `finally` puts it.

    try:                            at, trips, state = None, None, []
        if x > 0.0:                 try:
            return y                    if x > 0.0:
    finally:                  ->            at = 0
        trips = ...                         return y, state
    return z                        finally:
                                        trips = ...
                                        state.append((at, trips))
                                    return z, [(1, trips)]
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.differentiate.reverse.interrupted_saves import statements_in
from tapeless.tree.build import assign, at_line_of, const, name, quote, quote_expression, target
from tapeless.tree.classes import COMPOUND
from tapeless.tree.endings import ends_in_jump, own_jumps
from tapeless.tree.names import Names, binds, binds_in_block
from tapeless.tree.trees import Stmt


def state_order(state: set[str], at: str) -> list[str]:
    """Order the names that a split derivative hands over: where it returned comes first."""
    return [*([at] if at in state else []), *sorted(state - {at})]


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
    names : Names
        The names of the function, for the lists that a `finally` fills.

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
    >>> handing = HandOver(["at", "v"], "at", {first: 0, second: 1}, Names({"at", "v", "x", "y"}))
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

    def __init__(self, ordered: list[str], at: str, numbers: dict[Any, int], names: Names) -> None:
        self.ordered = ordered
        self.at = at
        self.numbers = numbers
        self.names = names
        self.unset: set[str] = set()
        self.filled: list[str] = []
        self.late: str | None = None
        self.in_list = False

    def write(self, forward: list[Any], known: set[str]) -> list[Any]:
        """Write the body of a forward sweep; `known` are the names that it starts with."""
        attempts = [s for s in statements_in(forward) if type(s) is gast.Try]
        self.in_list = any(self.fills_later(s) for s in attempts)
        written, _ = self.block(forward, set(known))
        lists = [assign(key, gast.List([], gast.Load())) for key in self.filled]
        return [*(assign(key, const(None)) for key in sorted(self.unset)), *lists, *written]

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
        at = const(self.numbers[s])
        asked = self.at in self.ordered
        if self.late is not None:
            marked = [assign(self.at, at)] if asked else []
            return [*marked, gast.Return(_pair(s.value, name(self.late)))]
        kept = self.handed_over(bound | {self.at})
        if asked:
            kept[self.ordered.index(self.at)] = at
        state: Any = gast.Tuple(kept, gast.Load())
        if self.in_list:
            state = gast.List([state], gast.Load())
        return [gast.Return(_pair(s.value, state))]

    def unpacked(self, saved: str) -> Any:
        """Write the statement with which the reverse sweep takes what is handed over."""
        place = gast.Tuple([target(key) for key in self.ordered], gast.Store())
        held = quote_expression("saved[0]", saved=saved) if self.in_list else name(saved)
        return gast.Assign([place], held, None)

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
        fills = self.fills_later(s)
        if fills:
            self.late = self.names.fresh("state")
            self.filled.append(self.late)
        body, after = self.block(s.body, bound)
        orelse, after = self.block(s.orelse, after)
        handlers = []
        for handler in s.handlers:
            handled, other = self.block(handler.body, bound)
            after = after if ends_in_jump(handler.body) else after & other
            handlers.append(gast.ExceptHandler(handler.type, handler.name, handled))
        final, bound = self.block(s.finalbody, bound | after if s.handlers else bound)
        if fills:
            kept = gast.Tuple(self.handed_over(bound - {self.at}), gast.Load())
            final += quote("state.append(kept)", state=self.late, kept=kept)
            self.late = None
        return at_line_of(gast.Try(body, handlers, orelse, final), s), bound | after

    def fills_later(self, s: Stmt) -> bool:
        """Whether a return in a `try` comes before its `finally` binds what is handed over."""
        returns = any(type(jump) is gast.Return for jump in own_jumps(s))
        return self.late is None and returns and bool(binds_in_block(s.finalbody) & {*self.ordered})


def _pair(value: Any, state: Any) -> Any:
    return gast.Tuple([value, state], gast.Load())
