"""Reverse mode, statement by statement: which function writes the sweeps of which statement.

A block is gone through last statement first. What follows a statement that may jump is reversed only
where no jump was taken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from tapeless.differentiate.custom.marks import unmarked
from tapeless.differentiate.reverse import variables
from tapeless.differentiate.reverse.attempts import mirror_try
from tapeless.differentiate.reverse.augmented import reverse_augmented
from tapeless.differentiate.reverse.branches import mirror_branch, mirror_with
from tapeless.differentiate.reverse.calls import bound_items
from tapeless.differentiate.reverse.jumps import guarded_rest, may_jump, mirror_jump, mirror_return
from tapeless.differentiate.reverse.loops import mirror_loop
from tapeless.differentiate.reverse.mirrored import Mirrored, Step
from tapeless.differentiate.reverse.state import Sweep
from tapeless.differentiate.reverse.statements import STATEMENTS
from tapeless.differentiate.unreached import end_behind
from tapeless.differentiate.unseen import undo_unseen
from tapeless.tree.build import at_line_of
from tapeless.tree.trees import Stmt

BLOCKS: dict[type, Callable[[Any, Stmt], list[Mirrored]]] = {
    gast.If: mirror_branch,
    gast.For: mirror_loop,
    gast.While: mirror_loop,
    gast.With: mirror_with,
    gast.Try: mirror_try,
    gast.Break: mirror_jump,
    gast.Continue: mirror_jump,
    gast.Return: mirror_return,
    gast.AugAssign: reverse_augmented,
}


class ReverseRun(Sweep):
    """Writes both sweeps of one function, last statement first."""

    def block(self, statements: list[Stmt]) -> list[Mirrored]:
        """Write both sweeps of a block, last statement first."""
        made: list[Mirrored] = []
        for i, s in enumerate(statements):
            if may_jump(s) and i + 1 < len(statements):
                made = [guarded_rest(self, s, statements[i + 1 :])]
                statements = statements[: i + 1]
                break
        for s in reversed(statements):
            end = end_behind(self, s)
            made = [Step(s, [s, *end])] if end else [*self.item(s), *made]
        return made

    def item(self, statement: Stmt) -> list[Mirrored]:
        """Write both sweeps of one statement, and the undo of what it may do unseen."""
        if statement in self.unreached:
            return [Step(statement, [statement])]
        undo, made = undo_unseen(self, statement), self.seen(statement)
        if undo is None:
            return made
        if len(made) > 1 or not isinstance(made[0], Step):
            return [undo, *made]
        made[0].forward = [*undo.forward, *made[0].forward]
        made[0].reverse = [*made[0].reverse, *undo.reverse]
        return made

    def seen(self, statement: Stmt) -> list[Mirrored]:
        """Write both sweeps of one statement."""
        statement = unmarked(self, statement)
        if self.adds_to_log(statement):
            return [Step(statement, [statement])]
        if variables.assigned_owner(self, statement) is not None and not self.is_assignment(
            statement
        ):
            return self.items(variables.expanded_assignment(self, statement))
        reads, statement = variables.with_values_read(self, statement)
        if reads:
            return self.items([*reads, statement])
        spread = bound_items(self, statement)
        if spread and statement is not self.spreading:
            outer, self.spreading = self.spreading, statement
            made = self.items([*spread, statement])
            self.spreading = outer
            return made
        mirror = BLOCKS.get(type(statement))
        if mirror is not None:
            return mirror(self, statement)
        outer, self.out = self.out, []
        self.surely_bound = self.bound_after(statement)
        forward = STATEMENTS[type(statement)](self, statement)
        step = Step(statement, [statement] if forward is None else forward, self.out)
        for made in [*step.forward, *step.reverse]:
            at_line_of(made, statement)
        self.out, self.surely_bound = outer, None
        return [step]

    def items(self, statements: list[Stmt]) -> list[Mirrored]:
        """Write both sweeps of what replaces one statement: bindings of new names, and the rest."""
        for s in statements[:-1]:
            if type(s) is gast.Assign:
                self.definitions.setdefault(s.targets[0].id, [s])
        made: list[Mirrored] = []
        for s in reversed(statements):
            made = [*self.item(s), *made]
        return made
