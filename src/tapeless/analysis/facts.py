"""What is known of a function, and of the functions that it calls.

Facts are found once for what is known of the parameters, and returned: nothing is attached to the tree.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import compress
from operator import is_not
from typing import Any

from tapeless.analysis.abstract import (
    NOTHING,
    Heap,
    Slots,
    Value,
    is_adjoint_memory,
    reachable,
)
from tapeless.analysis.calls import Called
from tapeless.analysis.function_values import holds_bound
from tapeless.kinds import (
    NOWHERE,
    Array,
    Instance,
    Kind,
    Number,
    Region,
    Regions,
    alternatives_within,
    differentiable,
    is_container,
    regions_of,
    regions_within,
)
from tapeless.regions import is_mirror, is_outside, made_by_call, mirror_of, mirrored_by
from tapeless.runtime import class_shown
from tapeless.tree.classes import ASSIGNMENTS
from tapeless.tree.function import CoreFunction
from tapeless.tree.trees import Expr, Stmt

Environment = dict[str, Value]
Bindings = Mapping[str, Value]
Met = tuple[str, Value]
# Facts only ever grow, and few steps at a time, so that rounds end by themselves. What still grows then
# grows without end (a function that is wrapped anew in every trip), and is refused.
MOST_ROUNDS = 200


@dataclass(frozen=True, eq=False)
class Callee:
    """A user's function as it is called at one place.

    Attributes
    ----------
    function
        The function in the core language.
    values
        What is known of its parameters, captured names included, in terms of its own regions.
    heap
        What the regions of its parameters hold.
    arguments
        The expressions passed for the parameters, one each.
    facts
        What was found about it for these values.
    again
        Whether its forward sweep runs again in the reverse sweep, with nothing kept.
    stays_generator
        Whether it was written with `yield` and gives an iterator, not the list of what it yields.
    """

    function: CoreFunction
    values: tuple[Value, ...]
    heap: Heap
    arguments: tuple[Any, ...]
    facts: Facts
    regions: dict[Region, Regions]
    point: Hashable = None
    again: bool = False
    stays_generator: bool = False

    @property
    def entering(self) -> set[Region]:
        """The regions of its parameters, in its own terms, and of what they hold."""
        held = [v.kind for slots in self.heap.values() for v in slots.values()]
        kinds = [*(v.kind for v in self.values), *held]
        return set(self.heap).union(*map(regions_within, kinds))

    @property
    def is_given_memory(self) -> bool:
        """Whether it is given an adjoint memory: it can reach the adjoints of all that it is given."""
        return any(is_adjoint_memory(value.kind) for value in self.values)

    @property
    def stores_outside_itself(self) -> set[Region]:
        """The regions, in its own terms, that it stores into and that others see: it undoes them.

        In an adjoint memory that it is given others see the adjoints of all that they gave it.
        """
        entering = self.entering
        if self.is_given_memory:
            entering |= {r for r in self.facts.stored if mirrored_by(r) in entering}
        own = self.facts.stored - self.facts.stored_elsewhere
        return {r for r in own if r in entering or is_outside(r)}

    @functools.cached_property
    def seen_outside(self) -> set[Region]:
        """The regions, in its own terms, that something outside can reach: its own memory is gone."""
        facts = self.facts
        met = {*facts.heap, *facts.stored, *facts.varied}
        seen = set(self.regions)
        seen |= {r for r in met if is_outside(r)}
        grown = -1
        while len(seen) > grown:
            grown = len(seen)
            held = [value.kind for r in seen for value in facts.heap.get(r, {}).values()]
            seen |= reachable([facts.returned.kind, *held], facts.heap)
            seen |= {r for r in met if mirrored_by(r) in seen}
        return seen

    def seen_by_caller(self, region: Region) -> Regions:
        """Return the caller's regions for a region of the callee."""
        if is_mirror(region):
            inside: Region = region[1]  # type: ignore[assignment]
            mirrors = frozenset(mirror_of(r) for r in self.seen_by_caller(inside))
            return self.regions.get(region, NOWHERE) | mirrors
        if region in self.regions:
            return self.regions[region]
        if is_outside(region):
            return frozenset([region])
        if region not in self.seen_outside:
            return NOWHERE  # nobody outside can name it: another thing may have the name that it would get
        return frozenset([made_by_call(region, self.point)])


@dataclass(frozen=True, eq=False)
class Body:
    """What is known of the body of a custom gradient at a call.

    Attributes
    ----------
    callee
        The body as a callee; None where it cannot be interpreted.
    author
        The function that its author wrote.
    start
        The things outside from which it reaches all others.
    """

    callee: Callee | None
    author: Any
    start: Sequence[Any] = ()


@dataclass(frozen=True, eq=False)
class Facts:
    """What is known about a function for given kinds of its parameters.

    Attributes
    ----------
    before
        For each statement, what each name may be when control comes to it.
    met
        Each name with each thing that it may be before some statement.
    results
        For each statement that evaluates something, what it may be.
    callees
        For each statement that calls a user's function, which and how.
    calls
        For each call, what it means.
    heap
        What the slots of each region may hold.
    displays
        The items of lists that are written out and that nothing changes, each by itself; or the keys of
        dicts, in their order.
    stored
        Regions that are stored into.
    stored_at_keys
        Dicts among them that keep the keys that they were written out with.
    stored_elsewhere
        Those of them that callers alone store into.
    custom_calls
        For each statement that calls a custom gradient, what is known of its body.
    callbacks
        For each statement that gives functions to what may call them, these functions.
    returned
        What the function returns.
    by_value
        Bindings that stand for a Variable here and for an array there: they get its value.
    reading
        Statements that call a custom gradient which may read Variables that are asked for.
    varied
        Regions that hold what varies.
    function
        The function, as it is spelled for these kinds.
    raises_varied
        Whether an exception may carry what varies out of it.
    unseen
        For each statement that calls what is not looked into, the memory that it may store into.
    changes_unknown
        Whether a call that is not looked into may change something of which nothing is known, not even where
        it lives.
    outside
        The state outside the arguments that it, or one that it calls, meets.
    together
        Sets of regions that a name or slot, here or in a callee, lives in one of: what one of them is
        counts for all.
    """

    before: Mapping[Stmt, Bindings]
    results: Mapping[Stmt, Value]
    callees: Mapping[Stmt, Callee]
    heap: Slots
    stored: Set[Region]
    returned: Value
    varied: Set[Region] = frozenset()
    by_value: frozenset[str] = frozenset()
    reading: Set[Stmt] = frozenset()
    function: Any = None
    raises_varied: bool = False
    displays: Mapping[Region, tuple[Value, ...]] = field(default_factory=dict)
    unseen: Mapping[Stmt, Set[Region]] = field(default_factory=dict)
    stored_at_keys: frozenset[Region] = frozenset()
    stored_elsewhere: frozenset[Region] = frozenset()
    calls: Mapping[Expr, Called] = field(default_factory=dict)
    custom_calls: Mapping[Stmt, Body] = field(default_factory=dict)
    callbacks: Mapping[Stmt, Any] = field(default_factory=dict)
    changes_unknown: bool = False
    outside: frozenset[Region] = frozenset()
    together: frozenset[Regions] = frozenset()
    met: Sequence[Met] = ()

    def kind(self, statement: Stmt, name: str) -> Kind:
        """Return the kind of a name as control comes to a statement."""
        return self.before.get(statement, {}).get(name, NOTHING).kind

    def object_called(self, tree: Expr) -> Any:
        """Return the object that a call calls; by the text alone in what was not interpreted here."""
        called = self.calls.get(tree)
        return self.function.resolve(tree.func) if called is None else called.found

    @functools.cached_property
    def makes_stand_ins(self) -> bool:
        """Whether it, or what it calls, makes objects that stand for those that its author made."""
        values = [v for facts in facts_within(self) for v in facts.results.values()]
        return self.leaves_bound or any(is_stand_in(v.kind) for v in values)

    @functools.cached_property
    def leaves_bound(self) -> bool:
        """Whether a function with values of its own outlasts it: such as a method, in an attribute."""
        kept = [v.kind for slots in self.heap.values() for v in slots.values()]
        return any(map(holds_bound, [self.returned.kind, *kept]))

    def is_stored(self, kind: Kind) -> bool:
        """Whether memory that a value may live in is stored into."""
        return bool(regions_of(kind) & self.stored)

    def with_passed_on(self, regions: Set[Region]) -> Set[Region]:
        """Add the regions of what counts as a copy of an array that lives in one of some regions."""
        found, grown = set(regions), True
        passed = [(s, self.results[s].kind) for s in self.function.settled if s in self.results]
        while passed and grown:
            added = {
                region
                for s, kind in passed
                if regions_of(self.kind(s, s.value.id)) & found
                for region in regions_of(kind)
            }
            grown = not added <= found
            found |= added
        return found

    def has_shadow(self, kind: Kind) -> bool:
        """Whether what a value is may change: it has a shadow rather than a value adjoint."""
        return is_container(kind) or (isinstance(kind, (Array, Number)) and self.is_stored(kind))

    def carries_derivative(self, value: Value) -> bool:
        """Whether a value varies, or memory that it may live in holds what does."""
        varied = value.varied or bool(regions_of(value.kind) & self.varied)
        return varied and differentiable(value.kind)


def facts_within(root: Facts) -> list[Facts]:
    """List what is known of a function and of all that it calls."""
    found = {root: None}
    todo = [root]
    while todo:
        inner = [callee.facts for callee in todo.pop().callees.values()]
        new = dict.fromkeys(each for each in inner if each not in found)
        found |= new
        todo += new
    return list(found)


def called_within(function: Any, facts: Facts) -> Iterator[tuple[Any, Facts]]:
    """Walk a function and all that it calls, each once, with what is known of it."""
    found = {(function, facts): None}
    todo = list(found)
    for each in todo:
        yield each
        inner = dict.fromkeys((one.function, one.facts) for one in each[1].callees.values())
        todo += [one for one in inner if one not in found]
        found |= inner


def calls_itself(facts: Facts) -> bool:
    """Whether a function calls itself, perhaps by way of others."""
    inner = [each for callee in facts.callees.values() for each in facts_within(callee.facts)]
    return any(each.function is facts.function for each in inner)


def is_stand_in(kind: Kind) -> bool:
    """Whether an object of this kind stands for one of a class that is not written in Python."""
    objects = kind.alternatives if isinstance(kind, Instance) else []
    return any(class_shown(each.cls) is not each.cls for each in objects)


def binds_nothing(results: Mapping[Stmt, Value], s: Stmt) -> bool:
    """Whether a statement surely raises an error: there is nothing that it could bind."""
    return type(s) in ASSIGNMENTS and results.get(s) == NOTHING


def values_met(before: Mapping[Stmt, Bindings]) -> Iterator[Met]:
    """Walk what each name is before the statements, where it is another value than before the last.

    Most names are before a statement what they were before the one above: no step is made for those.
    """
    last: dict[str, Value] = {}
    for env in before.values():
        for key in list(compress(env, map(is_not, env.values(), map(last.get, env)))):
            last[key] = env[key]
            yield key, env[key]


def regions_together(
    met: Sequence[Met],
    results: Mapping[Stmt, Value],
    heap: Slots,
    callees: Mapping[Stmt, Callee],
) -> frozenset[Regions]:
    """List the sets of regions in one of which some name or slot lives, here or in a callee.

    Of those of a callee only what is met here counts: a callee that calls itself makes things without end.
    """
    kinds = {v.kind for _, v in met}
    kinds |= {v.kind for v in results.values()}
    kinds |= {v.kind for slots in heap.values() for v in slots.values()}
    found = {regions for k in kinds for regions in alternatives_within(k)}
    here = NOWHERE.union(heap, *found)
    for callee in callees.values():
        for group in callee.facts.together:
            found.add(NOWHERE.union(*map(callee.seen_by_caller, group)) & here)
    return frozenset(group for group in found if len(group) > 1)


def stored_together(stored: Set[Region], together: frozenset[Regions]) -> frozenset[Region]:
    """Add the regions that some name or slot may live in beside one that is stored into."""
    found = set(stored)
    grown = True
    while grown:
        grown = False
        for group in together:
            if group & found and not group <= found:
                found |= group
                grown = True
    return frozenset(found)


def frozen(heap: Slots) -> frozenset[Any]:
    """Return a heap as something that can be a key."""
    return frozenset(
        (r, frozenset((slot, v, v.kind.may_be) for slot, v in slots.items()))
        for r, slots in heap.items()
    )


def call_key(function: CoreFunction, values: tuple[Value, ...], heap: Heap) -> tuple[Any, ...]:
    """Return what tells one interpretation of a function from another: all it is known to be given.

    What a value may be among others takes no part in comparing kinds, and does here.
    """
    return function, values, tuple(v.kind.may_be for v in values), frozen(heap)
