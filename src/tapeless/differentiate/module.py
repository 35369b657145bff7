"""A module of derivatives: the function asked for, and the split derivatives that it calls.

Where a function is differentiated as a whole its two sweeps stand in one function; where it is called
by another, or returns from within a loop, it is split: `f_fwd` returns the value and what must be
kept, a plain tuple; `f_rev` takes that tuple and the cotangent. A split derivative is made once for all
callers that pass the same kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any

import gast

from tapeless.analysis.abstract import Value, reachable
from tapeless.analysis.cuts import Cuts, State, cuts_of
from tapeless.analysis.facts import Callee, Facts, call_key, stored_together
from tapeless.analysis.function_values import leaves_bound
from tapeless.analysis.private import Private, private_names
from tapeless.analysis.program import Program
from tapeless.analysis.read_by_grads import Reader
from tapeless.differentiate.guards import Poles
from tapeless.differentiate.release import release
from tapeless.differentiate.reverse.seeds import MixtureError, Parts, parts_in_memory
from tapeless.differentiate.reverse.shadows import Shadows, held_regions, shadows_of
from tapeless.differentiate.splits import Split, decide_crossings
from tapeless.differentiate.writer import Writer
from tapeless.errors import GradientError
from tapeless.externals import Externals
from tapeless.joins import join
from tapeless.journal import Journal
from tapeless.kinds import (
    UNKNOWN,
    Array,
    Kind,
    Region,
    differentiable,
    regions_of,
    regions_within,
)
from tapeless.regions import is_outside, mirror_of, mirrored_by
from tapeless.rules.results.sparse import of_adjoint
from tapeless.tree.build import fill
from tapeless.tree.endings import own_jumps
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, all_names, binds, nodes, reads
from tapeless.tree.trees import Stmt

_HIDDEN: Region = ("hidden",)  # what is in the memory and seen by callees alone
_MOST_ROUNDS = 12  # of asking the functions that call each other; after that every cotangent is cut


@dataclass(frozen=True)
class Given:
    """What is known of the arguments of a derivative that their kinds do not say.

    Attributes
    ----------
    converted
        The parameters that get scalars other than Python's floats: their gradients are converted.
    integers
        The independents that are integers, or hold some that count as real numbers.
    nothing
        Whether there are no arguments: their kinds are what annotations promise.
    """

    converted: frozenset[str] = frozenset()
    integers: frozenset[str] = frozenset()
    nothing: bool = False


@dataclass
class Module:
    """The derivative functions written so far, and the names that they use.

    Attributes
    ----------
    stored
        The regions into which the function, or one that it calls, stores.
    holders
        Those of the attributes of classes and modules, where what they hold varies.
    writer
        What writes a split derivative.
    units
        Whether custom gradients stay marked with their rules, for higher orders.
    public
        Whether anything may happen between the two sweeps: the second one is a pullback that a user
        is given. Then it reads nothing but what the first one handed over.
    filenames
        For each function, the file that its lines are of.
    given
        What is known of the arguments that kinds do not say.
    journal
        What compares both sweeps while they run; None but in a replay.
    items
        For each function, the names of items of tuples that its author named.
    private
        For each function, its names for arrays that nothing else reads while it runs.
    primals
        For each function, what it is a derivative of.
    dots
        For each function, its names of tangents.
    readers
        The rules of the user's that reverse sweeps run.
    handed
        The places outside of which reverse sweeps are handed what they hold.
    root
        The function that is differentiated; it calls the others.
    """

    program: Program
    stored: frozenset[Region]
    writer: Callable[[Module, CoreFunction, Facts, tuple[Value, ...], Split], None]
    holders: frozenset[Region] = frozenset()
    for_higher_order: bool = False
    journal: Journal | None = None
    public: bool = False
    names: Names = field(default_factory=lambda: Names(()))
    splits: dict[Hashable, Split | None] = field(default_factory=dict)
    tangents: dict[Hashable, Any] = field(default_factory=dict)
    plain: dict[Hashable, str] = field(default_factory=dict)
    functions: list[Any] = field(default_factory=list)
    externals: Externals = field(default_factory=dict)
    told: dict[Facts, set[Region]] = field(default_factory=dict)
    found_shadows: dict[Facts, Shadows] = field(default_factory=dict)
    memory: dict[Hashable, frozenset[Region]] = field(default_factory=dict)
    known: dict[str, tuple[frozenset[str], dict[str, Kind], frozenset[int]]] = field(
        default_factory=dict
    )
    items: dict[str, frozenset[str]] = field(default_factory=dict)
    private: dict[str, Private] = field(default_factory=dict)
    primals: dict[str, Any] = field(default_factory=dict)
    dots: dict[str, frozenset[str]] = field(default_factory=dict)
    pullbacks: dict[Hashable, Any] = field(default_factory=dict)
    filenames: dict[str, str] = field(default_factory=dict)
    cut: set[Any] = field(default_factory=set)
    cutting: dict[Facts, bool] = field(default_factory=dict)
    poles: Poles = field(default_factory=dict)
    changing: dict[Hashable, bool] = field(default_factory=dict)
    given: Given = field(default_factory=Given)
    readers: list[Reader] = field(default_factory=list)
    handed: set[tuple[int, str]] = field(default_factory=set)
    root: Callee | None = None

    # Facts across calls

    def find_cuts(self, root: Callee, seed: State) -> None:
        """Find the statements of all functions whose cotangents may hold zeros that something cut.

        A function is asked once more whenever a caller is found that passes a cut seed, or what is
        known of the parameters of a function that it calls has changed.
        """
        found: dict[Hashable, Cuts] = {}
        asked = {_key(root): (root, seed)}

        def known_in(caller: Callee) -> Any:
            def parameters_of(inner: Callee) -> list[State | None]:
                known = found.get(_key(self.seen_from(caller.function, caller.facts, inner)))
                return [State.FULL] * len(inner.values) if known is None else known.parameters

            return parameters_of

        for _ in range(_MOST_ROUNDS):
            before = {key: cuts.parameters for key, cuts in found.items()}
            seeds = {key: state for key, (_, state) in asked.items()}
            for key, (callee, state) in list(asked.items()):
                found[key] = cuts_of(callee.function, callee.facts, state, known_in(callee))
                for called, needed in found[key].calls:
                    inner = self.seen_from(callee.function, callee.facts, called)
                    _, present = asked.get(_key(inner), (inner, needed))
                    worst = State.CUT if State.CUT in (needed, present) else State.FULL
                    asked[_key(inner)] = inner, worst
            settled = before == {key: cuts.parameters for key, cuts in found.items()}
            if settled and seeds == {key: state for key, (_, state) in asked.items()}:
                self.cut = set().union(*(cuts.statements for cuts in found.values()))
                return
        trees = [callee.function.tree for callee, _ in asked.values()]
        self.cut = {s for tree in trees for s in nodes(tree) if isinstance(s, gast.stmt)}

    def shadows(self, function: CoreFunction, facts: Facts) -> Shadows:
        """Return where the adjoint of each mutable thing of a function lives."""
        if facts not in self.found_shadows:
            self.found_shadows[facts] = shadows_of(function, facts)
        return self.found_shadows[facts]

    def seen_from(self, function: CoreFunction, facts: Facts, callee: Callee) -> Callee:
        """Restate a callee with what its caller knows: what is stored into, held, or not told apart.

        Both sides must keep the adjoint of a thing alike. A list in a slot whose adjoint the caller asks
        from the adjoint memory counts as stored into: the callee then asks there, too.
        """
        if facts not in self.told:
            held = held_regions(facts)
            memory = self.shadows(function, facts).in_memory
            self.told[facts] = set(facts.stored) | (memory & held)
            while more := (self.memory_regions(function, facts) & held) - self.told[facts]:
                self.told[facts] |= more  # what one callee asks the memory for, others do
        return stored_into(callee, self.told[facts])

    def memory_regions(self, function: CoreFunction, facts: Facts) -> frozenset[Region]:
        """Return the regions whose adjoints some callee asks from the adjoint memory."""
        found: set[Region] = set()
        for callee in facts.callees.values():
            callee = self.seen_from(function, facts, callee)
            for region in () if self.has_own_memory(callee) else self.memory_of(callee):
                found |= callee.seen_by_caller(region) or {_HIDDEN}
        hidden = {r for r in found - _regions_met(facts) if not is_outside(r)}
        return frozenset(found - hidden) | (frozenset([_HIDDEN]) if hidden else frozenset())

    def regions_in_memory(self, function: CoreFunction, facts: Facts) -> frozenset[Region]:
        """Return the regions whose adjoints a function, or some callee, asks from the memory."""
        return self.shadows(function, facts).in_memory | self.memory_regions(function, facts)

    def memory_of(self, callee: Callee) -> frozenset[Region]:
        """Return the regions of a callee whose adjoints are in the adjoint memory.

        There is one memory for all functions of a derivative: what one of them asks for is asked
        for by its callers. Of functions that call each other it is the least set that agrees.
        """
        if _key(callee) not in self.memory:
            self.find_memory(callee)
        return self.memory[_key(callee)]

    def has_own_memory(self, callee: Callee) -> bool:
        """Whether a function that is run again makes an adjoint memory each time, and lets it go.

        All that has its adjoint there is made inside and left by nobody.
        """
        return callee.again and self.made_in_memory(callee) == self.memory_of(callee)

    def made_in_memory(self, callee: Callee) -> frozenset[Region]:
        """Return the regions in the adjoint memory that a callee makes, and that nobody else sees."""
        left = reachable([callee.facts.returned.kind], callee.facts.heap)
        seen = callee.entering | left | regions_within(callee.facts.returned.kind)
        found = (r for r in self.memory_of(callee) if not is_outside(mirrored_by(r)))
        return frozenset(r for r in found if r not in seen)

    def find_memory(self, root: Callee) -> None:
        """Find the regions in the adjoint memory for a function and all that it calls."""
        reached: dict[Hashable, Callee] = {}
        todo = [root]
        while todo:
            callee = todo.pop()
            key = _key(callee)
            if key in self.memory:
                continue
            reached[key] = callee
            self.memory[key] = self.shadows(callee.function, callee.facts).in_memory
            inner = callee.facts.callees.values()
            todo += [self.seen_from(callee.function, callee.facts, called) for called in inner]
        grown = True
        while grown:
            grown = False
            for key, callee in reached.items():
                found = self.memory[key] | self.memory_regions(callee.function, callee.facts)
                grown = grown or found != self.memory[key]
                self.memory[key] = found

    # Split derivatives

    def split(self, callee: Callee) -> Split | None:
        """Return the split derivative of a callee, as its caller sees it, written on first demand.

        Returns
        -------
        None where the callee does nothing that would have to be reversed.
        """
        key = _key(callee)
        if key in self.splits:
            return self.splits[key]
        facts, values = callee.facts, callee.values
        stored = bool(callee.stores_outside_itself)
        varied = any(v.varied for v in values) or bool(facts.varied)
        varied = varied or any(v.varied for slots in callee.heap.values() for v in slots.values())
        if (
            not varied
            and not stored
            and not leaves_bound(facts.returned.kind, callee.heap, facts.heap)
        ):
            self.splits[key] = None
            return None
        returned = facts.returned
        result_active = (
            returned.varied or bool(regions_of(returned.kind) & facts.varied)
        ) and differentiable(returned.kind)
        return self.write_split(callee, undoes=stored, result_active=result_active)

    def write_outer_split(self, callee: Callee, undoes: bool) -> Split:
        """Write the split derivative for a caller outside, whose seed is apart from what comes in.

        Calls of the function by itself share it unless that makes a difference.
        """
        function, facts = callee.function, callee.facts
        returns = [j for s in function.tree.body for j in own_jumps(s) if j in facts.before]
        results = [s for s in returns if type(s.value) is gast.Name]
        found = {r for s in results for r in regions_of(facts.kind(s, s.value.id))}
        apart = bool(found & callee.entering) or any(map(is_outside, found))
        apart = apart or any(self.parts_of_result(function, facts, s) is not None for s in results)
        return self.write_split(callee, undoes, seed_apart=apart)

    def parts_of_result(self, function: CoreFunction, facts: Facts, s: Stmt) -> Parts | None:
        """Return which parts of what a `return` returns have their adjoints in the adjoint memory."""
        memory = self.regions_in_memory(function, facts)
        kind = facts.kind(s, s.value.id)
        try:
            if kind == UNKNOWN:  # it may be a list or a number: what it was bound to is known
                bound = [v.kind for d, v in facts.results.items() if s.value.id in binds(d)]
                if reachable(bound, facts.heap) & memory:
                    raise MixtureError
            return parts_in_memory(facts, memory, kind)
        except MixtureError as mixture:
            place = function.tree if getattr(s, "lineno", None) is None else s
            reason = f"what is returned {mixture.reason}"
            raise function.error(place, reason, mixture.fix, GradientError) from None

    def write_split(
        self, callee: Callee, undoes: bool, result_active: bool = True, seed_apart: bool = False
    ) -> Split:
        """Write the split derivative of a callee, which may call itself."""
        label = callee.function.name.strip("_") or "function"
        self.names.taken |= callee.function.names()
        split = Split(self.names.fresh(f"{label}_fwd"), self.names.fresh(f"{label}_rev"))
        split.undoes, split.result_active, split.seed_apart = undoes, result_active, seed_apart
        split.memory = bool(self.memory_of(callee)) and not self.has_own_memory(callee)
        if not seed_apart:
            self.splits[_key(callee)] = split
        decide_crossings(split, callee, self.memory_of(callee))
        self.writer(self, callee.function, callee.facts, callee.values, split)
        return split

    # Writing

    def add(self, function: Any, sweep: Writer) -> None:
        """Take a function into the module."""
        self.add_text(function, sweep.function.externals, sweep.function.filename)
        own = sweep.function.own_names | getattr(sweep, "spliced_names", set())
        self.known[function.name] = own, kinds_of_names(sweep), sweep.function.returning
        self.private[function.name] = private_names(sweep.known.facts)
        self.items[function.name] = sweep.function.items
        self.primals[function.name] = sweep.function.tree
        self.dots[function.name] = frozenset(sweep.dots.values())

    def add_text(self, function: Any, externals: Externals, filename: str) -> None:
        """Take a function into the module; a name that means something else here is renamed."""
        externals = release(function, externals)
        self.filenames[function.name] = filename
        self.known[function.name] = frozenset(all_names(function)), {}, frozenset()
        renaming: dict[str, str] = {}
        used = set(reads(function))
        for key, external in externals.items():
            if key not in used:
                continue
            present = self.externals.get(key)
            if present is None and key not in self.plain.values():
                self.externals[key] = external
            elif present is None or not present.is_same(external):
                fresh = self.names.fresh(key)
                self.externals[fresh] = external
                renaming[key] = fresh
        fill(function, renaming)
        self.functions.append(function)


def kinds_of_names(sweep: Writer) -> dict[str, Kind]:
    """Return the kind of each name that has one kind wherever it is bound, adjoints included."""
    found: dict[str, Kind] = {}
    for key, value in sweep.known.met:
        found[key] = _one_kind(found.get(key, value.kind), value.kind, key)
    for statement, value in sweep.known.results.items():
        if type(statement) is gast.Assign and type(statement.targets[0]) is gast.Name:
            key = statement.targets[0].id
            found[key] = _one_kind(found.get(key, value.kind), value.kind, key)
    adjoints = getattr(sweep, "adjoints", None)  # forward mode has none
    primals = {} if adjoints is None else adjoints.primals
    of_primal = {bar: found.get(primal, UNKNOWN) for bar, (primal, _) in primals.items()}
    return found | {bar: of_adjoint(kind, bar) for bar, kind in of_primal.items()}


def _one_kind(a: Kind, b: Kind, key: str) -> Kind:
    """Return what is known of a name that is of one of two kinds: arrays of one rank may differ in size."""
    if a == b:
        return a
    arrays = isinstance(a, Array) and isinstance(b, Array)
    if arrays and (len(a.dims), a.dtype) == (len(b.dims), b.dtype):  # type: ignore[attr-defined]
        return join(a, b, ("name", key))
    return UNKNOWN


def stored_into(callee: Callee, stored_by_caller: set[Region]) -> Callee:
    """Show a callee what is stored into elsewhere: both sides must keep its adjoint alike.

    One that is given an adjoint memory can reach the adjoints of all that it is given; perhaps it only
    hands them on.
    """
    facts = callee.facts
    known = _regions_met(facts) | callee.entering
    if callee.is_given_memory:
        known |= {mirror_of(region) for region in known}
    more = {r for r in known if callee.seen_by_caller(r) & stored_by_caller} - facts.stored
    if not more:
        return callee
    stored = stored_together(facts.stored | more, facts.together)
    elsewhere = facts.stored_elsewhere | (stored - facts.stored)
    return replace(callee, facts=replace(facts, stored=stored, stored_elsewhere=elsewhere))


def _regions_met(facts: Facts) -> set[Region]:
    """Return the regions of all that a function sees."""
    kinds = {v.kind for _, v in facts.met}
    kinds |= {v.kind for v in facts.results.values()} | {facts.returned.kind}
    kinds |= {v.kind for slots in facts.heap.values() for v in slots.values()}
    return set(facts.heap).union(*(regions_within(kind) for kind in kinds))


def _key(callee: Callee) -> Hashable:
    stored = frozenset(callee.facts.stored)
    return (*call_key(callee.function, callee.values, callee.heap), stored)
