"""The state of the interpreter of one function.

It is what every name may be at the present statement, what the slots of regions hold, which regions
are stored into and which vary. Statements and expressions are functions of this state, each in the
file of its construct; which of them is asked stands in `run`.
"""

from __future__ import annotations

import functools
import types
from abc import ABC, abstractmethod
from collections.abc import Hashable, Set
from typing import Any, NoReturn, Self

import gast

from tapeless.analysis.abstract import (
    NOTHING,
    Abstraction,
    Heap,
    Value,
    join_values,
    put_into,
    reachable,
    region_outside,
    slot_of,
)
from tapeless.analysis.facts import Body, Callee, Environment, Met, frozen
from tapeless.analysis.interpret.call_sites import CallSite
from tapeless.analysis.program import Program
from tapeless.details import Outside, Places
from tapeless.errors import TapelessError
from tapeless.externals import MISSING
from tapeless.kinds import (
    UNKNOWN,
    Function,
    Kind,
    List,
    Region,
    Regions,
    differentiable,
    regions_of,
    regions_within,
)
from tapeless.regions import is_outside
from tapeless.runtime.memory import owner_of_memory
from tapeless.tree.classes import DOTTED
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import bound_for_good, nodes
from tapeless.tree.trees import Expr, Stmt, Tree


class StoredRegions(set[Region]):
    """The memory that is stored into; and how, as far as it matters for the keys of a dict.

    Attributes
    ----------
    otherwise
        What is stored into in any other way than at a key that is there already.
    """

    def __init__(self) -> None:
        super().__init__()
        self.otherwise: set[Region] = set()

    def __ior__(self, regions: Set[Region]) -> Self:  # type: ignore[override, misc]
        self.otherwise |= regions
        self.update(regions)
        return self

    def add(self, region: Region) -> None:
        self.otherwise.add(region)
        super().add(region)

    def add_at_keys(self, regions: Set[Region]) -> None:
        """Note a store that leaves the keys of a dict, and their order, as they are."""
        self.update(regions)


class Interpreter(ABC):
    """Runs one function on kinds, and keeps what it finds on the way."""

    def __init__(self, function: CoreFunction, program: Program) -> None:
        self.function = function
        self.program = program
        self.local = function.local
        self.heap: Heap = {}
        self.given: set[Region] = set()
        self.stored = StoredRegions()
        self.varied: set[Region] = set()
        self.before: dict[Any, Environment] = {}
        self.results: dict[Any, Value] = {}
        self.callees: dict[Any, Callee] = {}
        self.called: dict[Expr, tuple[Stmt, Any, Kind]] = {}
        self.returned = NOTHING
        self.points: dict[Any, int] = {part: i for i, part in enumerate(nodes(function.tree))}
        self.externals: dict[str, Value] = {}
        self.loops: list[tuple[list[Environment], list[Environment]]] = []
        self.attempts: list[list[Environment]] = []
        self.carried = False
        self.statement: Any = None
        self.env: Environment = {}
        self.by_value: set[str] = set()
        self.reading: set[Any] = set()
        self.unseen: dict[Any, set[Region]] = {}
        self.changes_unknown = False
        self.refused: dict[Any, TapelessError] = {}
        self.custom_calls: dict[Any, Body] = {}
        self.callbacks: dict[Any, list[Any]] = {}
        self.read_by_customs: set[Region] = set()
        self.uninitialized: str | None = None
        self.displays: dict[Region, tuple[Value, ...] | None] = {}  # None: of several lengths

    @abstractmethod
    def block(self, statements: list[Any], env: Environment | None) -> Environment | None:
        """Run statements in order; None is the environment of what is not reached."""

    @abstractmethod
    def merge(self, a: Environment | None, b: Environment | None, at: Any) -> Environment | None:
        """Return what the names may be where two ways meet."""

    @abstractmethod
    def call_method(self, owner: Value, site: CallSite) -> Value:
        """Interpret a call of a method of a value, which the site spells out."""

    @abstractmethod
    def eval(self, tree: Tree, env: Environment) -> Value:
        """Interpret an expression; one that the core language does not say is unknown."""

    def state(self) -> Hashable:
        """Return what grows until the facts no longer change."""
        stored, varied = frozenset(self.stored), frozenset(self.varied)
        displays, otherwise = frozenset(self.displays.items()), frozenset(self.stored.otherwise)
        return frozen(self.heap), stored, otherwise, varied, frozenset(self.by_value), displays

    def met_regions(self, named: list[Met]) -> set[Region]:
        """Return the regions of all names, results, slots and callees."""
        kinds = {v.kind for slots in self.heap.values() for v in slots.values()}
        kinds |= {v.kind for _, v in named}
        kinds |= {v.kind for v in self.results.values()}
        found = {r for kind in kinds for r in regions_within(kind)} | self.read_by_customs
        found |= set(self.heap)
        return found.union(*(callee.facts.varied for callee in self.callees.values()))

    def outside(self, met: set[Region]) -> frozenset[Region]:
        """Return the state outside the arguments that is met, here or in a callee."""
        inner = (callee.facts.outside for callee in self.callees.values())
        return frozenset(filter(is_outside, met)).union(*inner)

    def changed_outside(self) -> frozenset[Region]:
        """Return the state outside that is not what it was at first, here or where this is called."""
        changed = self.stored | self.varied | self.given
        return frozenset(r for r in changed if is_outside(r) and r[0] != "variable")

    def raises_varied(self) -> bool:
        """Whether what varies is handed to an exception, here or in a callee."""
        return self.carried or any(c.facts.raises_varied for c in self.callees.values())

    @functools.cached_property
    def settled(self) -> frozenset[str]:
        """The names that are bound once and for all; what a custom gradient returns is not changed."""
        if self.function.written_as in self.program.bodies:
            return frozenset()
        own = bound_for_good(self.function.tree).difference(self.function.captured)
        return own | self.program.settled_around.get(self.function.definition, frozenset())

    @functools.cached_property
    def has_loops(self) -> bool:
        """Whether the function goes through something with `for`."""
        return any(type(part) is gast.For for part in nodes(self.function.tree, nested=False))

    def itself(self) -> Environment:
        """Bind the name of a local function, which its body may call."""
        definition = self.function.definition
        if definition is None:
            return {}
        known = self.program.cores.get(definition, self.function)
        return {definition.name: Value(Function(definition, known.captured))}

    def put(self, regions: Regions, slot: Hashable, value: Value) -> None:
        """Add to what a slot of each of these regions may hold."""
        slot = slot_of(slot, value.kind)
        for region in regions:
            put_into(self.heap.setdefault(region, {}), slot, value, (region, slot))

    def point(self, tree: Tree) -> Hashable:
        """Name a program point: the tree, or the statement it was made for."""
        return self.points.get(tree, self.points.get(self.statement, -1))

    def fresh(self, tree: Tree) -> Regions:
        """Return the region of what is made at a program point."""
        return frozenset([("made", self.function.name, self.point(tree))])

    def is_varied(self, value: Value) -> bool:
        """Whether a value varies, or the memory that it may live in does."""
        return value.varied or bool(regions_of(value.kind) & self.varied)

    def external(self, tree: Tree, key: str) -> Value:
        """Return what is known of a global, or of an attribute of one."""
        return self.known_outside(self.function.resolve(tree), tree, key)

    def known_outside(self, found: Any, tree: Tree, key: str) -> Value:
        """Return what is known of an object outside the function, which an expression stands for."""
        if key not in self.externals:
            if found is MISSING:
                self.externals[key] = Value(UNKNOWN)
            else:
                by_name: Region = ("external", id(owner_of_memory(found)))
                places = self.places_outside(tree)
                self.externals[key] = Value(self.abstract(found, by_name, places))
                region = region_outside(self.program.known, found, by_name)
                if type(tree) in DOTTED:
                    names = self.program.outside.setdefault(region, {})
                    names.setdefault(id(found), (self.function, tree, found))
        known = self.externals[key]
        return Value(known.kind, differentiable(known.kind) and self.is_varied(known))

    def places_outside(self, tree: Tree) -> Places | None:
        """Return where that stands which a name, or an attribute of a module or class, says."""
        if type(tree) is gast.Attribute:
            owner = self.function.resolve(tree.value)
            if isinstance(owner, types.ModuleType):
                return frozenset([Outside.of(vars(owner), tree.attr)])
            return frozenset([Outside.of(owner, tree.attr)]) if isinstance(owner, type) else None
        found = self.function.externals.get(tree.id) if type(tree) is gast.Name else None
        if found is None or found.owner is None:
            return None
        return frozenset([Outside.of(found.owner, found.key)])

    def abstract(self, value: Any, region: Region, places: Places | None = None) -> Kind:
        """Return the kind of something outside the arguments, which may stand at known places."""
        program = self.program
        return Abstraction(self.heap, asked=program.wrt_variables, known=program.known)(
            value, region, places=places
        )

    def refuse_here(self, reason: str, fix: str) -> NoReturn:
        """Raise an error that points to the present statement."""
        self.refuse(self.statement, reason, fix)

    def refuse(self, tree: Tree, reason: str, fix: str) -> NoReturn:
        """Raise an error that points to a tree, or to the present statement."""
        placed = tree if getattr(tree, "lineno", None) else self.statement
        raise self.function.error(placed, reason, fix)

    def displayed(self, kind: Kind) -> tuple[Value, ...] | None:
        """Return the items of a list that was written out and that nothing is stored into, each by itself."""
        if not isinstance(kind, List) or len(kind.regions) != 1:
            return None
        [region] = kind.regions
        return None if region in self.changed_regions() else self.displays.get(region)

    def unchanged_displays(self) -> dict[Region, tuple[Value, ...]]:
        """Return the items of lists, and the keys of dicts, that were written out and stay as they are."""
        changed = self.stored.otherwise.union(*self.unseen.values())
        found = self.displays.items()
        return {r: values for r, values in found if values is not None and r not in changed}

    def changed_regions(self) -> set[Region]:
        """Return the regions that are stored into, or may be by what is not looked into."""
        return self.stored.union(*self.unseen.values())

    def note_display(self, regions: Regions, values: list[Value], point: Hashable) -> None:
        """Remember the items of a list that is written out, joined with those of the trip before."""
        [region] = regions
        known = self.displays.get(region, tuple(values))
        if known is None or len(known) != len(values):
            self.displays[region] = None
            return
        pairs = enumerate(zip(known, values, strict=True))
        self.displays[region] = tuple(join_values(a, b, (point, i)) for i, (a, b) in pairs)

    def held_by(self, kinds: list[Kind]) -> set[Region]:
        """Return all regions that can be reached from containers and objects."""
        return reachable(kinds, self.heap)

    def holds_varied(self, value: Value) -> bool:
        """Whether a value varies, or anything that can be reached from it does."""
        if self.is_varied(value):
            return True
        regions = self.held_by([value.kind])
        return bool(regions & self.varied) or any(
            slot.varied for region in regions for slot in self.heap.get(region, {}).values()
        )
