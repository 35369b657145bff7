"""Saves and restores, as statements.

Outside loops a value is kept by a name of its own, in a loop by a stack: what was saved last is restored
first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import gast

from tapeless.analysis.repeatable import added_to
from tapeless.tree.assigned import Assigned
from tapeless.tree.build import assign, name, name_tuple, quote, target
from tapeless.tree.names import Names, binds, reads
from tapeless.tree.trees import Stmt


@dataclass
class Saves:
    """Makes the saves and restores of a function.

    Attributes
    ----------
    primals
        The names of the forward sweep.
    names
        Returns fresh names for stacks and second versions.
    stacks
        The stacks made, to be emptied at the start of the forward sweep.
    copies
        The names made to keep the values of others.
    depth, loops_around
        How many loops are around; how many around a `try`, in which values are kept in names.
    counts
        Names that are asked for by their last value only.
    kept_in_names
        The names made so within loops.
    """

    primals: set[str]
    names: Names
    stacks: list[str] = field(default_factory=list)
    copies: set[str] = field(default_factory=set)
    depth: int = 0
    loops_around: int = 0
    counts: frozenset[str] = frozenset()
    kept_in_names: list[str] = field(default_factory=list)

    def needed(self, statements: Iterable[Stmt]) -> set[str]:
        """Collect the primal names that reverse statements read."""
        found: set[str] = set()
        bound: set[str] = set()
        for statement in statements:
            found |= set(reads(statement)) - bound
            if type(statement) is gast.AugAssign and type(statement.target) is gast.Name:
                found.add(statement.target.id)
            if type(statement) is gast.Assign:
                bound |= binds(statement)
        return found & self.primals

    def save(self, kept: list[str]) -> tuple[list[Stmt], list[Stmt]]:
        """Make the statements that save names and those that restore them."""
        if not self.depth:
            saves, restores = [], []
            for key in kept:
                old = self.names.fresh(key)
                self.copies.add(old)
                saves.append(assign(old, name(key)))
                restores.append(assign(key, name(old)))
                if self.loops_around:
                    self.primals.add(old)
                    self.kept_in_names.append(old)
            return saves, restores
        stack = self.names.fresh("saved")
        self.stacks.append(stack)
        if len(kept) == 1:
            push = quote("stack.append(x)", stack=stack, x=kept[0])
            return push, [assign(kept[0], quote("stack.pop()", stack=stack)[0].value)]
        push = quote("stack.append(x)", stack=stack, x=name_tuple(kept))
        pop = gast.Assign(
            [gast.Tuple([target(k) for k in kept], gast.Store())],
            quote("stack.pop()", stack=stack)[0].value,
            None,
        )
        return push, [pop]

    def unset(self, forward: list[Stmt], bound: set[str]) -> set[str]:
        """Collect the names that a forward sweep may save before it binds them."""
        before = Assigned(forward, bound).before
        exposed = (self.saved_in(s) - known for s, known in before.items())
        return self.primals.intersection(set().union(*exposed))

    def saved_in(self, s: Stmt) -> set[str]:
        """Return the names that a statement saves."""
        if type(s) is gast.Assign and binds(s) <= self.copies:
            return set(reads(s))
        if type(s) is gast.Expr and added_to(s) in self.stacks:
            return set(reads(s)) - set(self.stacks)
        return set()
