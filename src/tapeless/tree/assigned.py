"""Which names are surely bound where control comes to a statement, and where it leaves it.

    for k in range(n):
        y = k * x           before it `y` is not surely bound, after it it is
    z = y                   nor here: the loop may make no trip; behind this line it is, for it was read

This is Java's *definite assignment*: what is bound on every way. A statement that reads a name raises
where the name is not bound, so that behind it the name is. A place that control cannot come to counts
as if everything were bound there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import gast

from tapeless.tree.blocks import every_block
from tapeless.tree.classes import DEFINITIONS, DELAYED
from tapeless.tree.flow import Forward
from tapeless.tree.names import binds, binds_in_block, children
from tapeless.tree.trees import Stmt, Tree

Bound = frozenset[str]


class Assigned(Forward[Bound]):
    """The names that are surely bound in front of and behind each statement of a function's body.

    Parameters
    ----------
    block
        The body.
    entering
        The names that are bound where it starts.

    Examples
    --------
    >>> [loop, last] = gast.parse("for k in range(3):\\n    y = k\\nz = y").body
    >>> found = Assigned([loop, last], {"x"})
    >>> sorted(found.before[last]), sorted(found.after[loop.body[0]])
    (['x'], ['k', 'x', 'y'])
    """

    def __init__(self, block: list[Stmt], entering: Iterable[str]) -> None:
        super().__init__()
        everything = self.everything = frozenset(entering) | binds_in_block(block)
        end = self.block(block, frozenset(entering))
        self.end = everything if end is None else end
        for inner, _ in every_block(block):
            for s in inner:
                self.before.setdefault(s, everything)
                self.after.setdefault(s, everything)

    def join(self, a: Bound, b: Bound) -> Bound:
        return a & b

    def simple(self, s: Stmt, state: Bound) -> Bound:
        if type(s) is gast.Delete:
            return state - binds(s)
        more = (binds(s) | (surely_read(s) & self.everything)) - state
        return state | more if more else state

    def opening(self, s: Stmt, state: Bound) -> Bound:
        return state if type(s) is gast.For else state.union(*map(binds, s.items))

    def item(self, s: Stmt, state: Bound) -> Bound:
        return state | binds(s.target)

    def caught(self, handler: Tree, state: Bound) -> Bound:
        return state | binds(handler.name) if handler.name else state

    def handled(self, handler: Tree, state: Bound) -> Bound:
        return state - binds(handler.name) if handler.name else state


def surely_read(tree: Tree) -> frozenset[str]:
    """Return the names that are read whenever a statement or expression is evaluated to its end.

    Examples
    --------
    >>> sorted(surely_read(gast.parse("u[i] = a if b else (lambda: c)").body[0]))
    ['b', 'i', 'u']
    """
    if type(tree) is gast.Name:
        return frozenset((tree.id,)) if type(tree.ctx) is gast.Load else frozenset()
    if type(tree) in DELAYED | DEFINITIONS:
        return frozenset()
    surely = SURELY_EVALUATED.get(type(tree), children)
    return frozenset().union(*map(surely_read, surely(tree)))


# What is evaluated of an expression that may leave parts of it out.
SURELY_EVALUATED: dict[type, Callable[[Any], Sequence[Any]]] = {
    gast.IfExp: lambda tree: [tree.test],
    gast.BoolOp: lambda tree: tree.values[:1],
    gast.Compare: lambda tree: [tree.left, tree.comparators[0]],
}
