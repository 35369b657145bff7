"""Properties that an expression asks on its way are called before it.

    y = np.zeros(self.count)   ->   v = self.count; y = np.zeros(v)

What calls nothing else of the user's may stand as it is, with the property in it. Once the call of the
property is entered, it needs a statement of its own.
"""

from __future__ import annotations

import copy
from typing import Any

import gast

from tapeless.specialize.state import Specializer
from tapeless.specialize.stores import calls_on_reading
from tapeless.tree.build import assign, name, unshared
from tapeless.tree.names import nodes
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Stmt


def properties_first(specializer: Specializer, s: Stmt) -> list[Any] | None:
    """Call the properties inside of an expression before it; None where there are none."""
    value = getattr(s, "value", None)
    if value is None or type(value) is gast.Attribute:
        return None
    asking = _Asking(specializer)
    changed = copy.copy(s)
    changed.value = asking.visit(unshared(value))
    return [*asking.made, changed] if asking.made else None


class _Asking(Transformer):
    """Gives names to the properties that an expression asks for."""

    def __init__(self, specializer: Specializer) -> None:
        self.specializer = specializer
        self.made: list[Any] = []
        self.perhaps = False

    def visit_Attribute(self, tree: Expr) -> Any:
        if not calls_on_reading(self.specializer, tree):
            return self.generic_visit(tree)
        if self.perhaps:
            reason = "a property is asked for in a part that may not be evaluated"
            self.specializer.refuse(tree, reason, "give it a name in a line before")
        key = self.specializer.names.fresh("v")
        self.made.append(assign(key, tree))
        return name(key)

    def visit_IfExp(self, tree: Expr) -> Any:
        """Write a choice of which a part asks for a property as an `if`: the other part is not evaluated."""
        if not self.is_asked_within(tree):
            return tree
        test, key = self.visit(tree.test), self.specializer.names.fresh("v")
        outer, arms = self.made, []
        for part in (tree.body, tree.orelse):
            self.made = []
            value = self.visit(part)
            arms.append([*self.made, assign(key, value)])
        self.made = [*outer, gast.If(test, *arms)]
        return name(key)

    def visit_BoolOp(self, tree: Expr) -> Any:
        outer, self.perhaps = self.perhaps, True
        made = self.generic_visit(tree)
        self.perhaps = outer
        return made

    def is_asked_within(self, tree: Expr) -> bool:
        """Whether a part of an expression asks for a property."""
        read = [part for part in nodes(tree) if type(part) is gast.Attribute]
        return any(calls_on_reading(self.specializer, part) for part in read)
