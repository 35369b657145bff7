"""The interpreter of one function: its state, and the run until nothing changes.

The state is what every name may be at the present statement, what the slots of regions hold, which
regions are stored into and which vary. Statements and expressions are functions of this state, each in
the file of its construct.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, NoReturn

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
    variable_region,
)
from tapeless.analysis.facts import (
    MOST_ROUNDS,
    Body,
    Callee,
    Environment,
    Facts,
    frozen,
    regions_together,
    stored_together,
)
from tapeless.analysis.interpret.closures import sealed
from tapeless.analysis.interpret.construction import still_bare
from tapeless.analysis.interpret.expressions import EXPRESSIONS
from tapeless.analysis.interpret.statements import STATEMENTS
from tapeless.analysis.interpret.stopping import refuse_stores_into_stopped
from tapeless.analysis.interpret.summaries import NeverReturnsError
from tapeless.analysis.interpret.variables import is_mixture
from tapeless.kinds import (
    UNKNOWN,
    Function,
    Kind,
    Memory,
    Region,
    Regions,
    differentiable,
    is_outside,
    regions_of,
    regions_within,
)
from tapeless.runtime.memory import owner_of_memory
from tapeless.source.externals import MISSING
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import nodes, reads

if TYPE_CHECKING:
    from tapeless.analysis.effects import Effects


class Interpreter:
    """Runs one function on kinds, and keeps what it finds on the way."""

    def __init__(self, function: CoreFunction, effects: Effects) -> None:
        self.function = function
        self.effects = effects
        self.local = function.local
        self.heap: Heap = {}
        self.given: set[Region] = set()
        self.stored: set[Region] = set()
        self.varied: set[Region] = set()
        self.before: dict[Any, Environment] = {}
        self.results: dict[Any, Value] = {}
        self.callees: dict[Any, Callee] = {}
        self.returned = NOTHING
        self.externals: dict[str, Value] = {}
        self.places: dict[Any, int] = {part: i for i, part in enumerate(nodes(function.tree))}
        self.loops: list[tuple[list[Environment], list[Environment]]] = []
        self.attempts: list[list[Environment]] = []
        self.carried = False
        self.statement: Any = None
        self.env: Environment = {}
        self.by_value: set[str] = set()
        self.reading: set[Any] = set()
        self.unseen: dict[Any, set[Region]] = {}
        self.customs: dict[Any, Body] = {}
        self.read_by_customs: set[Region] = set()
        self.bare: str | None = None

    def run(self, values: tuple[Value, ...], heap: Heap) -> Facts:
        """Interpret the body until nothing changes; give the facts."""
        names = self.function.parameters
        self.heap = {r: dict(slots) for r, slots in heap.items()}
        self.given = set(heap)
        for value in [*values, *(v for slots in heap.values() for v in slots.values())]:
            if value.varied:
                self.varied |= regions_of(value.kind)
            if isinstance(value.kind, Memory):
                self.varied |= value.kind.varied
        asked = {variable_region(v) for v in self.effects.asked}
        self.varied |= asked
        for _ in range(MOST_ROUNDS):
            state = self.state()
            self.bare = names[0] if self.function.initializes else None
            environment = {**self.itself(), **dict(zip(names, values, strict=True))}
            self.block(self.function.tree.body, environment)
            if state == self.state():
                break
        else:
            raise self.function.error(
                self.function.tree,
                f"what '{self.function.name}' makes grows with every trip of its loops, as far as "
                "its text tells",
                "write it with arrays",
            )
        met = self.met_regions()
        self.varied -= asked - met
        self.heap = {
            region: {slot: sealed(self, value) for slot, value in slots.items()}
            for region, slots in self.heap.items()
        }
        together = regions_together(self.before, self.results, self.heap, self.callees)
        return Facts(
            self.before, self.results, self.callees, self.heap,
            stored_together(self.stored, together),
            self.returned, self.varied, frozenset(self.by_value),
            self.reading, self.function, self.raises_varied(), self.unseen,
            customs=self.customs,
            outside=self.outside(met), together=together,
        )  # fmt: skip

    def state(self) -> Hashable:
        """Give what grows until the facts no longer change."""
        stored, varied = frozenset(self.stored), frozenset(self.varied)
        return frozen(self.heap), stored, varied, frozenset(self.by_value)

    def met_regions(self) -> set[Region]:
        """Give the regions of all names, results, slots and callees."""
        kinds = {v.kind for slots in self.heap.values() for v in slots.values()}
        kinds |= {v.kind for env in self.before.values() for v in env.values()}
        kinds |= {v.kind for v in self.results.values()}
        found = {r for kind in kinds for r in regions_within(kind)} | self.read_by_customs
        found |= set(self.heap)
        return found.union(*(callee.facts.varied for callee in self.callees.values()))

    def outside(self, met: set[Region]) -> frozenset[Region]:
        """Give the state outside the arguments that is met, here or in a callee."""
        inner = (callee.facts.outside for callee in self.callees.values())
        return frozenset(filter(is_outside, met)).union(*inner)

    def changed_outside(self) -> frozenset[Region]:
        """Give the state outside that is not what it was at first, here or where this is called."""
        changed = self.stored | self.varied | self.given
        return frozenset(r for r in changed if is_outside(r) and r[0] != "variable")

    def raises_varied(self) -> bool:
        """Say whether what varies is handed to an exception, here or in a callee."""
        return self.carried or any(c.facts.raises_varied for c in self.callees.values())

    def itself(self) -> Environment:
        """Bind the name of a local function, which its body may call."""
        definition = self.function.definition
        if definition is None:
            return {}
        known = self.effects.cores.get(definition, self.function)
        return {definition.name: Value(Function(definition, known.captured))}

    def block(self, statements: list[Any], env: Environment | None) -> Environment | None:
        """Run statements in order; None is the environment of what is not reached."""
        for statement in statements:
            if env is None:
                break
            self.before[statement] = dict(env)
            for states in self.attempts:
                states.append(env)
            self.statement = statement
            self.env = env
            try:
                env = STATEMENTS[type(statement)](self, statement, dict(env))
            except NeverReturnsError:
                env = None
            self.statement = statement
            self.bare = still_bare(self, statement)
            refuse_stores_into_stopped(self)
        return env

    def merge(self, a: Environment | None, b: Environment | None, at: Any) -> Environment | None:
        """Give what the names may be where two ways meet."""
        if a is None or b is None:
            return b if a is None else a
        place = self.places[at]
        merged = {}
        for key in {**a, **b}:
            if is_mixture(a.get(key, NOTHING).kind, b.get(key, NOTHING).kind):
                self.by_value.add(key)
            merged[key] = join_values(a.get(key, NOTHING), b.get(key, NOTHING), (place, key))
        return merged

    def put(self, regions: Regions, slot: Hashable, value: Value) -> None:
        """Add to what a slot of each of these regions may hold."""
        slot = slot_of(slot, value.kind)
        for region in regions:
            put_into(self.heap.setdefault(region, {}), slot, value, (region, slot))

    def place(self, tree: Any) -> Hashable:
        """Name a place in the program: the tree, or the statement it was made for."""
        return self.places.get(tree, self.places.get(self.statement, -1))

    def fresh(self, tree: Any) -> Regions:
        """Give the region of what is made at a place."""
        return frozenset([("made", self.function.name, self.place(tree))])

    def is_varied(self, value: Value) -> bool:
        """Say whether a value varies, or the memory that it may live in does."""
        return value.varied or bool(regions_of(value.kind) & self.varied)

    def eval(self, tree: Any, env: Environment) -> Value:
        """Interpret an expression; one that the core language does not say is unknown."""
        evaluate = EXPRESSIONS.get(type(tree))
        if evaluate is None:
            met = [env[key] for key in reads(tree) if key in env]
            return Value(UNKNOWN, any(map(self.holds_varied, met)))
        found = evaluate(self, tree, env)
        if not differentiable(found.kind):
            return Value(found.kind)
        return Value(found.kind, self.is_varied(found))

    def external(self, tree: Any, key: str) -> Value:
        """Give what is known of a global, or of an attribute of one."""
        if key not in self.externals:
            found = self.function.resolve(tree)
            if found is MISSING:
                self.externals[key] = Value(UNKNOWN)
            else:
                by_name: Region = ("external", id(owner_of_memory(found)))
                self.externals[key] = Value(self.abstract(found, by_name))
                region = region_outside(self.effects.known, found, by_name)
                if isinstance(tree, gast.Name | gast.Attribute):
                    names = self.effects.outside.setdefault(region, {})
                    names.setdefault(id(found), (self.function, tree, found))
        known = self.externals[key]
        return Value(known.kind, differentiable(known.kind) and self.is_varied(known))

    def abstract(self, value: Any, region: Region) -> Kind:
        """Give the kind of something outside the arguments."""
        effects = self.effects
        return Abstraction(self.heap, asked=effects.asked, known=effects.known)(value, region)

    def refuse_here(self, reason: str, fix: str) -> NoReturn:
        """Raise an error that points to the present statement."""
        self.refuse(self.statement, reason, fix)

    def refuse(self, tree: Any, reason: str, fix: str) -> NoReturn:
        """Raise an error that points to a tree, or to the present statement."""
        placed = tree if getattr(tree, "lineno", None) else self.statement
        raise self.function.error(placed, reason, fix)

    def held_by(self, kinds: list[Kind]) -> set[Region]:
        """Give all regions that can be reached from containers and objects."""
        return reachable(kinds, self.heap)

    def holds_varied(self, value: Value) -> bool:
        """Say whether a value varies, or anything that can be reached from it does."""
        if self.is_varied(value):
            return True
        regions = self.held_by([value.kind])
        return bool(regions & self.varied) or any(
            slot.varied for region in regions for slot in self.heap.get(region, {}).values()
        )
