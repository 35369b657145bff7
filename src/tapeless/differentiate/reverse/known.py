"""What a sweep knows of the names of its function: what they hold, and where their adjoints are.

An adjoint has a name, is part of another one, or is asked from the adjoint memory. Names that surely are
bound, and of the same shape, can be asked for shapes in place of what is dead.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Any

import gast

from tapeless.analysis.abstract import NOTHING, Value, any_slot, reachable
from tapeless.analysis.cuts import masks_of, operation_of, selects
from tapeless.analysis.facts import Facts
from tapeless.analysis.interpret.class_values import as_object
from tapeless.analysis.sums_above_one import sums_above_one
from tapeless.differentiate.guards import has_poles, selected_in, unbounded_cotangents
from tapeless.differentiate.reverse.accumulate import Adjoints
from tapeless.differentiate.reverse.shadows import Shadows
from tapeless.differentiate.writer import Writer
from tapeless.joins import join
from tapeless.kinds import (
    UNREACHED,
    Array,
    Dict,
    Instance,
    Kind,
    Real,
    Regions,
    differentiable,
    is_container,
    is_number,
    regions_of,
)
from tapeless.tree.assigned import Assigned
from tapeless.tree.build import name
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, binds, nodes, reads
from tapeless.tree.trees import Stmt, Tree


class Known(Writer):
    """What the sweeps of one function know, and have named so far.

    Attributes
    ----------
    function, facts
        The function and what is known about it.
    adjoints
        What each adjoint holds at the present point of the reverse sweep.
    out
        The reverse statements written so far in the present block.
    undone
        The regions in which the reverse sweep undoes stores.
    unreached
        The statements that control never comes to.
    """

    def __init__(self, function: CoreFunction, facts: Facts, module: Any, names: Names) -> None:
        super().__init__(function, facts, module, names, module.externals)
        found: Shadows = module.shadows(function, facts)
        self.shadows = replace(found, paths=dict(found.paths))  # a loop adds names of its own
        self.regions_in_memory: Regions = module.regions_in_memory(function, facts)
        self.definitions = dict(function.definitions)
        self.assigned = Assigned(function.tree.body, function.parameters)
        self.unreached = self.assigned.before.keys() - facts.before.keys()
        self.adjoints = Adjoints(self)
        self.bars: dict[str, str] = {}
        self.bound: set[str] = set()
        self.surely_bound: frozenset[str] | None = None  # behind the statement being reversed
        self.read_unbound: set[str] = set()  # names of which a zero is read that may not be bound
        self.owned_when_taken = False  # whether nothing else held what was taken last
        self.depth = 0
        self.memory: str | None = None
        self.loops: list[Any] = []
        self.outer_stacks: list[str] = []
        self.seed: Any = None
        self.item_places: dict[str, Any] = {}
        self.undone: set[Any] = set()
        self.counters: set[str] = set()
        self.spread: dict[Any, list[Any]] = {}  # what binds the items that a call spreads
        self.spreading: Any = None
        self.reached: set[str] = set()  # names that count the segments of a `try` that were done
        self.spliced_names: set[str] = set()  # of custom gradients, as their authors wrote them

    def bar(self, primal: str, kind: Kind | None = None) -> str:
        """Return the name of the adjoint of a name."""
        asked = kind is not None and self.has_shadow_in_memory(kind)
        key = memory_key(primal) if asked else primal
        if key not in self.bars:
            self.bars[key] = self.names.fresh(f"{primal}_bar")
        found = self.bars[key]
        if kind is not None:
            self.adjoints.primals[found] = primal, kind
        return found

    @functools.cached_property
    def kinds_everywhere(self) -> dict[str, Kind]:
        """The kind of whatever each name holds before any statement of the function."""
        found: dict[str, Kind] = {}
        for key, value in self.known.met:
            found[key] = join(found.get(key, UNREACHED), value.kind, key)
        return found

    def twin(self, key: str) -> str:
        """Return what is known to have the shape and dtype of a temporary, or the temporary.

        A parameter is preferred, then what was bound first: the temporary itself may be dead. What is
        bound after the temporary need not be there any more where the reverse sweep asks.
        """
        _, kind = self.adjoints.primals.get(self.bars.get(key, ""), ("", Kind()))
        if key in self.function.own_names or not isinstance(kind, Array):
            return key
        entering = self.known.before.get(self.function.tree.body[0], {})
        known = [(p, entering.get(p, NOTHING).kind) for p in self.function.parameters]
        known += [
            (s.targets[0].id, self.known.results[s].kind)
            for s in takewhile(partial(self.binds_no, key), self.function.tree.body)
            if type(s) is gast.Assign
            and type(s.targets[0]) is gast.Name
            and s in self.known.results
        ]
        for other, found in known:
            alike = isinstance(found, Array) and (found.dims, found.dtype) == (
                kind.dims,
                kind.dtype,
            )
            if alike and len(self.definitions[other]) == 1:
                return other
        return key

    def binds_no(self, key: str, statement: Stmt) -> bool:
        """Whether a statement, with all in it, leaves a name as it is."""
        made = self.definitions.get(key, [])
        parts = [statement] if type(statement) is gast.Assign else nodes(statement)
        return all(part not in made for part in parts)

    @functools.cached_property
    def bound_to(self) -> Callable[[Any], Any]:
        """Give the expression that a name always stands for; the name where it may hold others."""
        return always_bound(self.function, self.facts)

    def of_same_shape(self, key: str, kind: Kind, bound: frozenset[str]) -> str | None:
        """Return a name that surely is bound, by one statement, to an array of the shape of another.

        What several statements bind may be of one shape here and of another there.
        """
        if not isinstance(kind, Array) or len(self.definitions.get(key, [])) != 1:
            return None
        entering = self.known.before.get(self.function.tree.body[0], {})
        for other in [*self.function.parameters, *sorted(bound)]:
            [definition, *more] = self.definitions.get(other, [None])
            found = self.known.results.get(definition, entering.get(other, NOTHING)).kind
            if other not in bound or more or not isinstance(found, Array):
                continue
            if (found.dims, found.dtype) == (kind.dims, kind.dtype):
                return other
        return None

    def bound_before(self, s: Stmt) -> frozenset[str] | None:
        """Return the names that surely are bound before a statement; None for one of the tool's own."""
        return self.assigned.before.get(s)

    def is_unbound_before(self, key: str, s: Stmt) -> bool:
        """Whether a local name is bound on no way to a statement."""
        env = self.known.before.get(s)
        return env is not None and key in self.function.local and key not in env

    def bound_after(self, s: Stmt) -> frozenset[str] | None:
        """Return the names that surely are bound after a statement; None for one of the tool's own."""
        return self.assigned.after.get(s)

    def memory_name(self) -> str:
        """Return the name of the adjoint memory."""
        if self.memory is None:
            self.memory = self.names.fresh("bars")
        return self.memory

    def varies(self, value: Value) -> bool:
        """Whether a value carries a derivative."""
        return self.known.facts.carries_derivative(value)

    def value(self, statement: Stmt, key: str) -> Value:
        """Return what is known of a name as control comes to a statement."""
        found = self.known.before.get(statement, {}).get(key, NOTHING)
        if found is NOTHING and key in self.function.externals:
            found = self.splicer.evaluate(name(key), {})
        found = Value(as_object(found.kind, self.module.holders), found.varied)
        return Value(found.kind, self.varies(found))

    def is_active(self, statement: Stmt, tree: Tree) -> bool:
        """Whether an operand carries a derivative at a statement, or holds what does."""
        if type(tree) is not gast.Name:
            return False
        value = self.value(statement, tree.id)
        if value.varied or not is_container(value.kind):
            return value.varied
        return bool(reachable([value.kind], self.known.heap) & self.known.facts.varied)

    def is_cut(self, s: Stmt) -> bool:
        """Whether the cotangent of what a statement binds may hold zeros that something cut."""
        return s in self.module.cut or self.has_shadow(self.result(s).kind)

    def selects_before_pole(self, s: Stmt, key: str) -> bool:
        """Whether a statement selects of an operand, and the cotangent of the result may be infinite."""
        value = operation_of(s)
        if type(value) not in (gast.Call, gast.BinOp) or not binds(s) & self.unbounded:
            return False
        if type(value) is gast.BinOp and type(value.op) is gast.Mult:
            if self.selected & (set(reads(value)) - {key}):
                return True
        return selects(self.function, self.masks, value, key)

    @functools.cached_property
    def unbounded(self) -> set[str]:
        """The names whose cotangents may be infinite."""
        root, known = self.module.root, self.module.poles
        given = root is None or root.facts is self.facts or not has_poles(root, always_bound, known)
        return unbounded_cotangents(self.function, self.facts, always_bound, known, given)

    @functools.cached_property
    def above_one(self) -> frozenset[Any]:
        """The expressions that are known to be sums of at least one."""
        return sums_above_one(self.function, self.facts)

    @functools.cached_property
    def masks(self) -> set[str]:
        """The names that hold nothing but what comparisons give."""
        return masks_of(self.function, self.facts)

    @functools.cached_property
    def selected(self) -> set[str]:
        """The names of what was selected, which may hold zeros whatever it was selected from."""
        return selected_in(self.function)

    def is_untyped(self, kind: Kind) -> bool:
        """Whether nothing is promised of a number or of entries: they may be integers, by mistake."""
        return isinstance(kind, (Real, Array)) and kind.dtype == "?" and self.module.given.nothing

    def may_be_integers(self, kind: Kind) -> bool:
        """Whether an array may hold integers on some way, among promises: its adjoint is of floats."""
        untyped = isinstance(kind, Array) and kind.dtype == "?"
        return untyped and not self.module.given.nothing

    def has_shadow(self, kind: Kind) -> bool:
        """Whether values of a kind have a shadow rather than a value adjoint."""
        return self.facts.has_shadow(kind)

    def in_memory(self, kind: Kind) -> bool:
        """Whether the adjoint of a thing is asked from the adjoint memory."""
        return bool(regions_of(kind) & self.regions_in_memory)

    def has_shadow_in_memory(self, kind: Kind) -> bool:
        """Whether a thing that may change has its adjoint in the adjoint memory."""
        return self.has_shadow(kind) and self.in_memory(kind)

    def is_logged(self, kind: Kind) -> bool:
        """Whether what a store overwrites is kept, to be put back in the reverse sweep."""
        return bool(regions_of(kind))

    def slots_are_numbers(self, kind: Kind) -> bool:
        """Whether the slots of a container hold numbers or things without derivative only."""
        slot = any_slot(self.known.heap, regions_of(kind), "slots").kind
        if isinstance(kind, (Instance, Dict)):
            held = [v.kind for r in regions_of(kind) for v in self.known.heap.get(r, {}).values()]
            return all(is_number(k) or not differentiable(k) for k in held)
        return is_number(slot) or not differentiable(slot)


def memory_key(primal: str) -> str:
    """Return the key of the name by which the memory's adjoint of a name is known."""
    return f"{primal} in memory"


def always_bound(function: CoreFunction, facts: Facts) -> Callable[[Any], Any]:
    """Return what gives the expression that a name of a function always stands for, or the name."""
    defined = function.definitions

    def bound_to(tree: Any) -> Any:
        [definition, *more] = defined.get(tree.id, [None])
        if more or type(definition) is not gast.Assign or definition not in facts.results:
            return tree
        stored = facts.is_stored(facts.results[definition].kind)
        return tree if stored or type(definition.targets[0]) is not gast.Name else definition.value

    return bound_to
