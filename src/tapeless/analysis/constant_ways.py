"""Names that carry a tangent on one way and are constants on another.

    if Re > 0.0:                 the tangent of Nu is 0.0 where Re is not positive: the root of Nu has
        Nu = c * Re ** 0.8       no derivative at 0, but there it does not depend on anything
    else:
        Nu = 0.0
    h = Nu ** 0.25

Where such a tangent meets a pole, zero is its product with infinity. A loop counts as run: what is summed
up in it starts as a constant, and is none behind it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import gast

from tapeless.tree.classes import ASSIGNMENTS, LOOPS
from tapeless.tree.endings import ends_in_jump
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import binds
from tapeless.tree.trees import Stmt


def constant_on_a_way(function: CoreFunction, varies: Callable[[Stmt], bool]) -> set[str]:
    """Return the names that are bound to what varies on one of two ways, and to constants on the other.

    An object of which an attribute is stored into on one of two ways counts as such.

    Parameters
    ----------
    function
        A function in the core language.
    varies
        Says of a statement that binds names whether these have tangents then.

    Examples
    --------
    >>> from tapeless.source.reader import parse_function
    >>> f = CoreFunction(parse_function('''
    ... def f(x, c):
    ...     s = 0.0
    ...     for v in x:
    ...         if c:
    ...             u = v * v
    ...         else:
    ...             u = 0.0
    ...         s += u
    ...     return s'''))
    >>> sorted(constant_on_a_way(f, lambda s: "0.0" not in gast.dump(s)))
    ['u']
    """
    walk = _Walk(varies)
    walk.block(function.tree.body, {})
    return walk.found


Ways = dict[str, frozenset[bool]]  # whether a name was last bound to what varies, on each way


class _Walk:
    """Goes through blocks, and keeps what is found where ways meet."""

    def __init__(self, varies: Callable[[Stmt], bool]) -> None:
        self.varies = varies
        self.found: set[str] = set()

    def block(self, block: list[Stmt], state: Ways) -> Ways:
        for s in block:
            if type(s) in ASSIGNMENTS:
                state = state | dict.fromkeys(_bound(s), frozenset([self.varies(s)]))
            elif type(s) in LOOPS:
                once = self.block(s.body, state)
                state = self.block(s.orelse, self.block(s.body, _met(state, once)))
            elif type(s) is gast.If:
                state = self.joined([s.body, s.orelse], state)
            elif type(s) is gast.Try:
                handled = [handler.body for handler in s.handlers]
                state = self.joined([[*s.body, *s.orelse], *handled], state)
                state = self.block(s.finalbody, state)
            elif type(s) is gast.With:
                state = self.block(s.body, state)
        return state

    def joined(self, blocks: list[list[Stmt]], state: Ways) -> Ways:
        """Return what is known where the ways through some blocks meet again."""
        ends = [self.block(block, state) for block in blocks if not ends_in_jump(block)]
        if not ends:
            return state
        slots = {key for end in ends for key in end if "." in key}
        kept = dict.fromkeys(slots, frozenset([False]))  # perhaps, where nothing was stored
        behind = functools.reduce(_met, ends := [kept | end for end in ends])
        self.found |= {
            key.partition(".")[0]
            for key, ways in behind.items()
            if len(ways) > 1 and any(end.get(key) != ways for end in ends)
        }
        return behind


def _bound(s: Stmt) -> set[str]:
    """Return the names that a statement binds, and an attribute that it stores into as `owner.key`."""
    target = s.targets[0] if type(s) is gast.Assign else s.target
    if type(target) is gast.Attribute and type(target.value) is gast.Name:
        return {f"{target.value.id}.{target.attr}"}
    return binds(s)


def _met(a: Ways, b: Ways) -> Ways:
    return a | {key: ways | a.get(key, frozenset()) for key, ways in b.items()}
