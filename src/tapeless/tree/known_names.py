"""What is known of names until they are bound anew: which repeat others, which hold constants.

Whatever an analysis knows of a name it forgets where the name is bound; it tells what a statement
teaches. What is known where ways meet is what all of them know.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeVar

import gast

from tapeless.tree.blocks import bound
from tapeless.tree.flow import Forward
from tapeless.tree.names import binds
from tapeless.tree.trees import Stmt, Tree

Fact = TypeVar("Fact")


class KnownNames(Forward[dict[str, Fact]]):
    """Follow what is known of names, from the start of a block to its end.

    Examples
    --------
    >>> class Negated(KnownNames[bool]):
    ...     def learnt(self, s, state):
    ...         return {s.targets[0].id: isinstance(s.value, gast.UnaryOp)}
    >>> Negated().block(gast.parse("y = -x\\nif y:\\n    z = -y\\nelse:\\n    z = y").body, {})
    {'y': True}
    """

    def learnt(self, s: Stmt, state: dict[str, Fact]) -> dict[str, Fact]:
        """Return what is known after a statement that was not known before."""
        raise NotImplementedError

    def same(self, a: Fact, b: Fact) -> bool:
        """Whether two ways know the same of a name."""
        return bool(a == b)

    def without(self, state: dict[str, Fact], names: Collection[str]) -> dict[str, Fact]:
        """Return what is known once some names are bound anew."""
        if state.keys().isdisjoint(names):
            return state
        return {key: fact for key, fact in state.items() if key not in names}

    def bound(self, s: Stmt) -> Collection[str]:
        """Return the names that a statement, without its blocks, binds for sure."""
        return bound(s)

    def join(self, a: dict[str, Fact], b: dict[str, Fact]) -> dict[str, Fact]:
        return {key: fact for key, fact in a.items() if key in b and self.same(fact, b[key])}

    def simple(self, s: Stmt, state: dict[str, Fact]) -> dict[str, Fact]:
        known, more = self.without(state, self.bound(s)), self.learnt(s, state)
        return known | more if more else known

    def item(self, s: Stmt, state: dict[str, Fact]) -> dict[str, Fact]:
        return self.without(state, self.bound(s))

    def opening(self, s: Stmt, state: dict[str, Fact]) -> dict[str, Fact]:
        managers = s.items if type(s) is gast.With else []
        return self.without(state, set().union(*map(binds, managers)))

    def caught(self, handler: Tree, state: dict[str, Fact]) -> dict[str, Fact]:
        return self.without(state, binds(handler.name) if handler.name else ())

    handled = caught
