"""Where a copy matters: it is updated, returned or kept, or what it is a copy of is.

    c_bar = --a_bar
    c_bar += g
    d_bar = a_bar + c_bar      # what is added to `c_bar` is not added to `a_bar`

`1.0 * x` and `--x` have the value of `x`, and memory of their own. What is returned has it as well if it is
returned once, and nothing else shares it.
"""

from __future__ import annotations

from collections import Counter

import gast

from tapeless.optimize.effects import Effects
from tapeless.tree.blocks import stored_names
from tapeless.tree.classes import SLOTS
from tapeless.tree.trees import Expr, Stmt


class NeededCopies:
    """The classes of names that are updated in place, returned or kept somewhere in a function."""

    def __init__(self, effects: Effects) -> None:
        self.effects = effects
        self.updated: set[str] = set()
        self.returned: Counter[str] = Counter()
        classes = gast.AugAssign, gast.Subscript, gast.Attribute, gast.Return, gast.Call
        for part in effects.parts(*classes):
            self._look_at(part)

    def may_name_again(self, s: Stmt, value: Expr) -> bool:
        """Whether a statement may bind its names to a value instead of to a copy of it."""
        if type(s) is not gast.Assign or any(type(place) is not gast.Name for place in s.targets):
            return False
        # neither the copy nor what it would become another name of may be updated
        own, others = {place.id for place in s.targets}, self.effects.seen_through(value)
        roots = {self.effects.root(key) for key in own | others}
        returned = sum(self.returned[root] for root in roots)
        if roots & self.updated or returned > 1:
            return False
        if returned and others:
            if not all(map(self.effects.alone, others)):
                return False
            self.returned.update(roots)  # nothing else becomes another name of it
        return True

    def _look_at(self, part: Expr) -> None:
        effects = self.effects
        if type(part) is gast.AugAssign:
            self._keep(stored_names(part.target) or effects.seen_through(part.target))
        elif type(part) in SLOTS:
            if type(part.ctx) is gast.Store:
                self._keep(effects.seen_through(part.value))
        elif type(part) is gast.Return and part.value is not None:
            for item in part.value.elts if type(part.value) is gast.Tuple else [part.value]:
                self.returned.update({effects.root(key) for key in effects.seen_through(item)})
        elif type(part) is gast.Call and not effects.is_pure_call(part):
            for argument in part.args[:1] if effects.is_added_at(part) else part.args:
                self._keep(effects.seen_through(argument))

    def _keep(self, names: set[str]) -> None:
        self.updated |= {self.effects.root(key) for key in names}
