"""What is known while a function is written by the kinds of its operands.

Each construct is a function of this state, in a file of its own; which of them is asked stands in `run`.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from typing import Any, NoReturn

import gast
import numpy as np

from tapeless.analysis.abstract import Value
from tapeless.analysis.facts import Bindings, Facts
from tapeless.analysis.interpret.run import Interpretation
from tapeless.analysis.interpret.special_calls import has_method, visited_by
from tapeless.analysis.program import Program
from tapeless.analysis.raised import Operands
from tapeless.analysis.special_methods import stores_something
from tapeless.externals import External, adopted, constant
from tapeless.kinds import (
    Kind,
)
from tapeless.runtime import items_by_place, items_left
from tapeless.tree.build import as_load, assign, name, slice_call
from tapeless.tree.classes import ATOMS
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, nodes
from tapeless.tree.trees import Expr, Stmt


class Specializer(ABC):
    """Writes one function by the kinds of its operands.

    Attributes
    ----------
    function, facts
        The function as it stands, and what is known of it.
    interpreter
        Tells what an expression is where the present statement stands.
    env, after
        What the names are at the present statement, and what follows it in its block.
    changed
        Whether anything was written in another way.
    iterators
        The names of what `__iter__` gave.
    reads_slots
        Whether all else is written out, so that it is known what is stored into which slots.
    awaits_slots
        Whether something is left that can be written then.
    brought
        The names of functions that are written in place: they say something, as the user's do.
    """

    def __init__(self, function: CoreFunction, facts: Facts, program: Program) -> None:
        self.function = function
        self.facts = facts
        self.interpreter = Interpretation(function, program)
        self.interpreter.heap = {r: dict(slots) for r, slots in facts.heap.items()}
        self.interpreter.varied = set(facts.varied)
        self.interpreter.displays |= facts.displays
        self.interpreter.unseen |= {s: set(regions) for s, regions in facts.unseen.items()}
        self.changed = False
        self.reads_slots = self.awaits_slots = False
        self.brought: set[str] = set()
        self.env: Bindings | None = None
        self.after: list[Any] = []  # what follows the present statement in its block

    @functools.cached_property
    def names(self) -> Names:
        """The names taken in the function."""
        return Names(self.function.names())

    @functools.cached_property
    def iterators(self) -> set[str]:
        """The names of what `__iter__` gave."""
        return {
            part.targets[0].id
            for part in nodes(self.function.tree)
            if type(part) is gast.Assign
            and type(part.targets[0]) is gast.Name
            and getattr(getattr(part.value, "func", None), "attr", "") == "__iter__"
        }

    @functools.cached_property
    def operands(self) -> Operands:
        """What is known of the operands of the function's statements."""
        before = self.facts.before
        return Operands(
            self.facts, lambda s, tree: self.interpreter.eval(tree, dict(before.get(s, {}))).kind
        )

    def kind(self, tree: Expr) -> Kind:
        """Return the kind of an atom: a number may have a sign."""
        if isinstance(tree, (gast.Name, gast.Constant, gast.Attribute, gast.UnaryOp)):
            return self.value(tree).kind
        return Kind()

    def value(self, tree: Expr) -> Value:
        """Return what is known of an expression at the present statement."""
        return self.interpreter.eval(tree, dict(self.env or {}))

    def refuse(self, tree: Expr, reason: str, fix: str) -> NoReturn:
        raise self.function.error(tree, reason, fix)

    def external(self, value: Any) -> str:
        """Return the name by which the function reaches a class, a module or a helper."""
        local = self.function.local
        for key, present in self.function.externals.items():
            if present.value is value and key not in local:
                return key
        around = value.func if isinstance(value, functools.partial) else value
        label = str(getattr(around, "__name__", "f"))
        key = self.names.fresh("np" if value is np else label if label.isidentifier() else "f")
        self.function.externals[key] = constant(value, label)
        return key

    def adopted(self, key: str, outer: External) -> str:
        """Return the name by which the function reaches what another function calls `key`."""
        function = self.function
        return adopted(key, outer, function.externals, function.local, self.names.fresh)

    def called(self, owner: Expr, method: str, args: list[Any], to: str | None) -> list[Stmt]:
        made = gast.Call(gast.Attribute(as_load(owner), method, gast.Load()), args, [])
        return [gast.Expr(made) if to is None else assign(to, made)]

    def items_of(self, owner: Expr, to: str) -> list[Stmt]:
        """Write the list of what an object gives one by one, with no guess of how long it will be."""
        if visited_by(self.kind(owner)) is None:
            return [assign(to, gast.Call(name("list"), [owner], []))]
        key = self.names.fresh("v")
        return [*self.begun(owner, key), assign(to, gast.Call(name("list"), [name(key)], []))]

    def begun(self, owner: Expr, to: str) -> list[Stmt]:
        """Write what Python goes through where it goes through an object, in place of the object."""
        own = isinstance(owner, gast.Name) and owner.id in self.iterators
        if visited_by(self.kind(owner)) == "__iter__" and not own:
            return self.called(owner, "__iter__", [], to)
        rest = items_left if own else items_by_place
        return [assign(to, gast.Call(name(self.external(rest)), [owner], []))]

    def asked_for_length(self, owner: Expr) -> list[Stmt]:
        """Write the call of `__len__` by which Python guesses how long a list will be.

        It stands where what it stores can be seen, and not where it stores nothing.
        """
        kind = self.kind(owner)
        if not has_method(kind, "__len__") or not stores_something(kind.cls, "__len__"):  # type: ignore[attr-defined]
            return []
        return self.called(owner, "__len__", [], self.names.fresh("_"))

    def index(self, tree: Expr) -> tuple[list[Any], Any]:
        """Return an index as an atom."""
        if type(tree) in ATOMS:
            return [], tree
        first: list[Any] = []
        if type(tree) is gast.Tuple:
            parts = [self.index(p) if type(p) is gast.Slice else ([], p) for p in tree.elts]
            first = [s for made, _ in parts for s in made]
            tree = gast.Tuple([part for _, part in parts], gast.Load())
        if type(tree) is gast.Slice:
            tree = slice_call(tree)
        key = self.names.fresh("i")
        return [*first, assign(key, tree)], name(key)

    @abstractmethod
    def block(self, statements: list[Stmt]) -> list[Stmt]:
        """Write statements in order."""

    @abstractmethod
    def inside(self, s: Stmt) -> Stmt:
        """Write the blocks of a compound statement."""
