"""Reverse mode: from a core-language function to its two sweeps.

The reverse sweep applies the transposed Jacobian of each statement, last statement first: for
`y = f(x)` the cotangent of `y` is taken, multiplied by the partial, and added to the adjoint of `x`
(Griewank and Walther, "Evaluating Derivatives", ch. 3). The state of the
sweeps is here; each kind of statement and expression has functions in a file of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import gast

from tapeless.analysis.interpret.class_values import holder_set_in_texts
from tapeless.analysis.repeatable import added_to
from tapeless.differentiate.reverse.known import Known
from tapeless.differentiate.reverse.mirrored import Mirrored
from tapeless.kinds import UNKNOWN, regions_of
from tapeless.regions import UNSEEN, attributes_of, is_outside
from tapeless.tree.build import name
from tapeless.tree.trees import Stmt
from tapeless.variables import is_variable


class Sweep(Known, ABC):
    """Writes both sweeps of one function."""

    @abstractmethod
    def block(self, statements: list[Stmt]) -> list[Mirrored]:
        """Write both sweeps of a block, last statement first."""

    @abstractmethod
    def item(self, statement: Stmt) -> list[Mirrored]:
        """Write both sweeps of one statement, and the undo of what it may do unseen."""

    @abstractmethod
    def items(self, statements: list[Stmt]) -> list[Mirrored]:
        """Write both sweeps of what replaces one statement: bindings of new names, and the rest."""

    def is_assignment(self, s: Stmt) -> bool:
        """Whether a statement is `w.assign(v)` with a name or literal for `v`, and no more."""
        if type(s) is not gast.Expr or s.value.func.attr != "assign" or s.value.keywords:
            return False
        named = type(s.value.func.value) is gast.Name
        return named and not is_variable(self.operand_kind(s, s.value.args[0]))

    def adds_to_log(self, s: Stmt) -> bool:
        """Whether a statement adds to what nothing is computed from: it is not undone."""
        key = added_to(s)
        kind = UNKNOWN if key is None else self.operand_kind(s, name(key))
        regions = regions_of(kind)
        if type(s) is gast.AugAssign and type(s.target) is gast.Attribute:
            holder = holder_set_in_texts(kind, s.target.attr)
            regions = regions or frozenset([UNSEEN if holder is None else attributes_of(holder)])
        return bool(regions - self.facts.stored) and all(map(is_outside, regions))

    def give_seed(self, s: Stmt) -> None:
        """Return the cotangent with which the returned value is seeded."""
        if self.seed is not None:
            self.seed(self, s)
