"""The writer of one function's tangent: its state, and names and zeros of tangents.

Statements and expressions are functions of this state, each in the file of its construct.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NoReturn

import gast

from tapeless.analysis.abstract import NOTHING, Value
from tapeless.analysis.cuts import masks_of, operation_of, selects
from tapeless.analysis.facts import Facts
from tapeless.analysis.interpret.class_values import as_object
from tapeless.differentiate.forward.regions import (
    escaping_regions,
    is_container_or_array,
    regions_with_tangent,
)
from tapeless.differentiate.guards import cut_tangents, cuts, unbounded_tangents
from tapeless.differentiate.module import Module
from tapeless.differentiate.writer import Writer
from tapeless.externals import MISSING
from tapeless.kinds import (
    Array,
    Function,
    Inert,
    Instance,
    Integer,
    Kind,
    Real,
    Region,
    Sparse,
    differentiable,
    is_truth,
    regions_within,
)
from tapeless.regions import is_holder
from tapeless.tree.build import call, const, name, quote_expression
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names
from tapeless.tree.trees import Stmt, Tree


class TangentWriter(Writer, ABC):
    """Writes the tangent statements of one function.

    Attributes
    ----------
    regions
        The regions that have tangents.
    tracked
        The names that have tangents.
    """

    def __init__(
        self, module: Module, function: CoreFunction, facts: Facts, values: tuple[Value, ...],
        root: bool, known: frozenset[Region] = frozenset(),
    ) -> None:  # fmt: skip
        names = Names(function.names() | module.names.taken)
        super().__init__(function, facts, module, names, {})
        self.root = root
        self.unbounded = unbounded_tangents(function, facts, root)
        self.masks = masks_of(function, facts)
        given_cut = not root and module.root is not None and cuts(module.root, module.cutting)
        self.cut_tangents = cut_tangents(function, facts, self.masks, module.cutting, given_cut)
        self.regions = regions_with_tangent(facts, values, known)
        self.escaping = escaping_regions(facts, values)
        self.attempting = False  # whether what is written next may be interrupted and caught
        self.external_dots: dict[int, str] = {}
        self.result_active = differentiable(facts.returned.kind) and self.varies(facts.returned)
        self.tracked = self.names_with_tangent(values)
        for key in dict.fromkeys([*function.parameters, *sorted(self.tracked)]):
            if key in self.tracked:
                self.dot(key)

    # What has a tangent

    def varies(self, value: Value) -> bool:
        """Whether a value has a tangent."""
        return differentiable(value.kind) and bool(
            value.varied or regions_within(value.kind) & self.regions
        )

    def names_with_tangent(self, values: tuple[Value, ...]) -> set[str]:
        found = {k for k, v in zip(self.function.parameters, values, strict=True) if self.varies(v)}
        found |= {key for key, value in self.known.met if self.varies(value)}
        for s, value in self.known.results.items():
            if type(s) is gast.Assign and type(s.targets[0]) is gast.Name:
                if self.varies(value):
                    found.add(s.targets[0].id)
            elif type(s) is gast.AugAssign and type(s.target) is gast.Name:
                if self.varies(value):
                    found.add(s.target.id)
        return found

    def value(self, statement: Stmt, key: str) -> Value:
        """Return what is known of a name as control comes to a statement."""
        found = self.known.before.get(statement, {}).get(key, NOTHING)
        if found is NOTHING and key not in self.function.local:
            found = self.splicer.evaluate(name(key), {})
        found = Value(as_object(found.kind, self.module.holders), found.varied)
        return Value(found.kind, self.varies(found))

    def is_active(self, statement: Stmt, tree: Tree) -> bool:
        """Whether an operand has a tangent that may not be zero."""
        if type(tree) is gast.Starred:
            return self.is_active(statement, tree.value)
        if type(tree) is gast.Subscript:  # an item of a starred argument
            return self.is_active(statement, tree.value)
        if type(tree) is gast.Attribute:
            if self.function.resolve(tree) is MISSING:
                return False
            value = self.splicer.evaluate(tree, {})
            if self.varies(value) and is_container_or_array(value.kind):
                self.refuse_stored_outside(statement, tree)
            return False
        return type(tree) is gast.Name and self.value(statement, tree.id).varied

    # Expressions of tangents

    def dot(self, key: str) -> str:
        """Return the name of the tangent of a name."""
        if key not in self.dots:
            self.dots[key] = self.names.fresh(f"{key}_dot")
        return self.dots[key]

    def tangent(self, s: Stmt, tree: Tree) -> Any:
        """Write the tangent of an operand; None where it has none."""
        if not self.is_active(s, tree):
            return None
        if type(tree) is gast.Starred:
            return gast.Starred(self.tangent(s, tree.value), gast.Load())
        if type(tree) is gast.Subscript:
            return gast.Subscript(self.tangent(s, tree.value), tree.slice, gast.Load())
        outside = tree.id not in self.function.local and tree.id in self.function.externals
        if outside:  # and not a name that was made for the value of a Variable
            return name(self.external_dot(s, tree.id))
        held = self.known.before.get(s, {}).get(tree.id, NOTHING)
        holder = id(getattr(held.kind, "value", None))  # of a local name for a class
        return name(self.external_dots.get(holder) or self.dot(tree.id))

    def tangent_or_zero(self, s: Stmt, tree: Tree) -> Any:
        """Write the tangent of an operand, zero where it has none."""
        found = self.tangent(s, tree)
        return self.zero(tree, self.operand_kind(s, tree)) if found is None else found

    def zero(self, tree: Tree, kind: Kind) -> Any:
        """Write the zero tangent of a value."""
        if isinstance(kind, (Real, Integer)) or is_truth(kind):
            return const(0.0)
        if isinstance(kind, Array) and kind.dtype[0] in "fc":
            return quote_expression("np.zeros_like(x)", np=self.numpy, x=tree)
        if isinstance(kind, Sparse):
            return quote_expression("np.zeros_like(x.data)", np=self.numpy, x=tree)
        if isinstance(kind, Function) or (isinstance(kind, Inert) and kind.what in ("None", "str")):
            return const(None)
        if type(tree) is gast.Constant:
            return const(0.0 if isinstance(tree.value, (int, float, complex)) else None)
        if isinstance(kind, Instance) and any(map(is_holder, kind.regions)):
            return self._zero_of_holder(tree, kind)
        return call(name(self.runtime("zero_tangent")), tree)

    def _zero_of_holder(self, tree: Tree, kind: Instance) -> Any:
        """Write the zero tangent of what a class or module holds, as far as it varies.

        `record_of(total=0.0, rows=np.zeros_like(Count.rows))`: an attribute that is not there yet has none.
        """
        owner = self.function.externals[tree.id].value
        slots = {k: v for region in kind.regions for k, v in self.known.heap[region].items()}
        zeros = [
            gast.keyword(key, self.zero(gast.Attribute(tree, key, gast.Load()), value.kind))
            for key, value in slots.items()
            if key in vars(owner)
        ]
        return gast.Call(name(self.runtime("record_of")), [], zeros)

    def external_dot(self, s: Stmt, key: str) -> str:
        """Return the tangent of a thing outside the function, which one call of the root owns."""
        thing = self.function.externals[key].value
        if id(thing) not in self.external_dots:
            self.refuse(
                s,
                f"'{key}', which is neither an argument nor local, is stored into and varies",
                "pass it as an argument",
            )
        return self.external_dots[id(thing)]

    def refuse_stored_outside(self, s: Stmt, tree: Tree) -> NoReturn:
        """Refuse what varies in a thing of a module or a class, whose tangent nothing owns."""
        self.refuse(
            s,
            f"what {self.spelled(tree, 'this')} holds is stored into and varies",
            "pass it as an argument",
        )

    # Blocks

    @abstractmethod
    def block(self, statements: list[Any]) -> list[Any]:
        """Write a block with its tangent statements."""

    def is_cut_here(self, s: Stmt, tree: Tree) -> bool:
        """Whether a statement may cut a tangent that may be infinite."""
        if type(tree) is not gast.Name or tree.id not in self.unbounded:
            return False
        value = operation_of(s)
        return value is not None and selects(self.function, self.masks, value, tree.id)
