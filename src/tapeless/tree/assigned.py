"""Which names are surely bound where control comes to a statement, and where it leaves it.

    for k in range(n):
        y = k * x           before it `y` is not surely bound, after it it is
    z = y                   nor here: the loop may make no trip

This is Java's *definite assignment*: what is bound on every way. A place that control cannot come to
counts as if everything were bound there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import gast

from tapeless.tree.names import binds, binds_in_block, nodes


@dataclass
class Assigned:
    """The names that are surely bound before and after each statement of a block.

    Examples
    --------
    >>> [loop, last] = gast.parse("for k in range(3):\\n    y = k\\nz = y").body
    >>> found = assigned([loop, last], {"x"})
    >>> sorted(found.before[last]), sorted(found.after[loop.body[0]])
    (['x'], ['k', 'x', 'y'])
    """

    everything: frozenset[str]
    before: dict[Any, frozenset[str]] = field(default_factory=dict)
    after: dict[Any, frozenset[str]] = field(default_factory=dict)
    breaks: list[frozenset[str]] = field(default_factory=list)

    def block(self, block: Iterable[Any], bound: frozenset[str]) -> frozenset[str]:
        """Walk a block; give what is bound at its end."""
        for s in block:
            self.before[s] = bound
            bound = self.after[s] = self.statement(s, bound)
        return bound

    def statement(self, s: Any, bound: frozenset[str]) -> frozenset[str]:
        if isinstance(s, gast.Return | gast.Raise | gast.Break | gast.Continue):
            if isinstance(s, gast.Break):
                self.breaks.append(bound)
            return self.everything
        if isinstance(s, gast.If):
            return self.block(s.body, bound) & self.block(s.orelse, bound)
        if isinstance(s, gast.For | gast.While):
            return self.loop(s, bound)
        if isinstance(s, gast.With):
            return self.block(s.body, bound.union(*(binds(item) for item in s.items)))
        if isinstance(s, gast.Try):
            done = self.block(s.orelse, self.block(s.body, bound))
            for handler in s.handlers:
                caught = binds(handler.name) if handler.name else set()
                done &= self.block(handler.body, bound | caught) - caught
            return done | self.block(s.finalbody, bound)
        if isinstance(s, gast.Delete):
            return bound - binds(s)
        return bound | binds(s)

    def loop(self, s: Any, bound: frozenset[str]) -> frozenset[str]:
        deleted = set().union(*(binds(p) for p in nodes(s) if isinstance(p, gast.Delete)))
        head = bound - deleted
        outer, self.breaks = self.breaks, []
        self.block(s.body, head | binds(s.target) if isinstance(s, gast.For) else head)
        breaks, self.breaks = self.breaks, outer
        endless = isinstance(s, gast.While) and isinstance(s.test, gast.Constant) and s.test.value
        end = self.everything if endless else self.block(s.orelse, head)
        return end.intersection(*breaks)


def assigned(block: list[Any], bound: Iterable[str]) -> Assigned:
    """Find what is surely bound before and after each statement of a function's body."""
    entering = frozenset(bound)
    found = Assigned(entering | binds_in_block(block))
    found.block(block, entering)
    return found
