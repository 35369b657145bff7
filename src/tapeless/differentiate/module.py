"""A module of derivatives: the function asked for, and the split derivatives that it calls.

Where a function is differentiated as a whole its two sweeps stand in one function; where it is called
by another, or returns from within a loop, it is split: `f_fwd` returns the value and what must be
kept, a plain tuple; `f_rev` takes that tuple and the cotangent. A split derivative is made once for all
callers that pass the same kinds.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any

import gast

from tapeless.analysis.abstract import Heap, Value, variable_region
from tapeless.analysis.cuts import Cuts, State, cuts_of
from tapeless.analysis.effects import Effects
from tapeless.analysis.facts import Callee, Facts, frozen
from tapeless.analysis.function_values import holds_bound
from tapeless.analysis.recorded import Recorder
from tapeless.differentiate.accumulate import Adjoint, Holds
from tapeless.differentiate.control_flow import Trip, _own_jumps
from tapeless.differentiate.items import forward_sweep, reverse_sweep
from tapeless.differentiate.outside import outside_undone, undone_by_call, with_state_kept
from tapeless.differentiate.redo import redo_cheap_values
from tapeless.differentiate.reverse import Sweep
from tapeless.differentiate.shadows import Shadows, definitions, held_regions, shadows_of
from tapeless.differentiate.writer import Writer
from tapeless.kinds import (
    UNKNOWN,
    Array,
    Items,
    Kind,
    Number,
    Real,
    Region,
    differentiable,
    is_container,
    is_outside,
    regions_of,
    regions_within,
)
from tapeless.source.externals import Externals
from tapeless.source.printer import comment
from tapeless.tree.build import (
    assign,
    at_line_of,
    const,
    fill,
    name,
    quote_expression,
    target,
)
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, all_names, binds, reads
from tapeless.variables import Variable, identifier_of

_HIDDEN: Region = ("hidden",)  # what is in the memory and seen by callees alone
_MOST_ROUNDS = 12  # of asking the functions that call each other; after that every cotangent is cut


@dataclass
class Split:
    """The split derivative of a function for given kinds: its names and its protocol.

    Attributes
    ----------
    forward, reverse
        The names of the two functions.
    shadows
        Positions of the parameters whose shadows `reverse` receives.
    values
        Positions of the parameters whose cotangents `reverse` returns.
    fresh
        Which of these are seen by nothing else.
    result_active
        Whether `reverse` reads the cotangent of the result.
    memory
        Whether `reverse` receives the caller's adjoint memory.
    undoes
        Whether `reverse` undoes stores into what the caller sees.
    undone
        The regions, as the function names them, in which it does; None while it is being written.
    """

    forward: str
    reverse: str
    shadows: list[int] = field(default_factory=list)
    values: list[int] = field(default_factory=list)
    fresh: list[bool] = field(default_factory=list)
    result_active: bool = True
    memory: bool = False
    undoes: bool = False
    undone: set[Region] | None = None


@dataclass
class Module:
    """The derivative functions written so far, and the names that they use.

    Attributes
    ----------
    units
        Whether custom gradients stay marked with their rules, for higher orders.
    """

    effects: Effects
    units: bool = False
    names: Names = field(default_factory=lambda: Names(()))
    splits: dict[Hashable, Split | None] = field(default_factory=dict)
    tangents: dict[Hashable, Any] = field(default_factory=dict)
    functions: list[Any] = field(default_factory=list)
    externals: Externals = field(default_factory=dict)
    told: dict[Facts, set[Region]] = field(default_factory=dict)
    found_shadows: dict[Facts, Shadows] = field(default_factory=dict)
    memory: dict[Hashable, frozenset[Region]] = field(default_factory=dict)
    known: dict[str, tuple[frozenset[str], dict[str, Kind], frozenset[int]]] = field(
        default_factory=dict
    )
    pullbacks: dict[Hashable, Any] = field(default_factory=dict)
    cut: set[Any] = field(default_factory=set)

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
        self.cut = {s for tree in trees for s in gast.walk(tree) if isinstance(s, gast.stmt)}

    def shadows(self, function: CoreFunction, facts: Facts) -> Shadows:
        """Say where the adjoint of each mutable thing of a function lives."""
        if facts not in self.found_shadows:
            self.found_shadows[facts] = shadows_of(function, facts)
        return self.found_shadows[facts]

    def seen_from(self, function: CoreFunction, facts: Facts, callee: Callee) -> Callee:
        """Give a callee with what its caller knows: what is stored into, or held and not told apart.

        Both sides must keep the adjoint of a thing alike. A list in a slot whose adjoint the caller asks
        from the adjoint memory counts as stored into: the callee then asks there, too.
        """
        if facts not in self.told:
            memory = self.shadows(function, facts).in_memory
            self.told[facts] = facts.stored | (memory & held_regions(facts))
        return stored_into(callee, self.told[facts])

    def memory_regions(self, function: CoreFunction, facts: Facts) -> frozenset[Region]:
        """Give the regions whose adjoints some callee asks from the adjoint memory."""
        found: set[Region] = set()
        for callee in facts.callees.values():
            callee = self.seen_from(function, facts, callee)
            for region in self.memory_of(callee):
                found |= callee.seen_by_caller(region)
        hidden = {r for r in found - _regions_met(facts) if not is_outside(r)}
        return frozenset(found - hidden) | (frozenset([_HIDDEN]) if hidden else frozenset())

    def memory_of(self, callee: Callee) -> frozenset[Region]:
        """Give the regions of a callee whose adjoints are in the adjoint memory.

        There is one memory for all functions of a derivative: what one of them asks for is asked
        for by its callers. Of functions that call each other it is the least set that agrees.
        """
        if _key(callee) not in self.memory:
            self.find_memory(callee)
        return self.memory[_key(callee)]

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
        """Give the split derivative of a callee, as its caller sees it, written on first demand.

        Returns
        -------
        None where the callee does nothing that would have to be reversed.
        """
        key = _key(callee)
        if key in self.splits:
            return self.splits[key]
        facts, values = callee.facts, callee.values
        entering = _entering(values, callee.heap)
        stored = bool(facts.stored & entering)
        varied = any(v.varied for v in values) or bool(facts.varied)
        varied = varied or any(v.varied for slots in callee.heap.values() for v in slots.values())
        if not varied and not stored and not holds_bound(facts.returned.kind):
            self.splits[key] = None
            return None
        label = callee.function.name.strip("_") or "function"
        self.names.taken |= callee.function.names()
        split = Split(self.names.fresh(f"{label}_fwd"), self.names.fresh(f"{label}_rev"))
        split.undoes = stored
        split.memory = bool(self.memory_of(callee))
        returned = facts.returned
        split.result_active = (
            returned.varied or bool(regions_of(returned.kind) & facts.varied)
        ) and differentiable(returned.kind)
        self.splits[key] = split
        self.protocol(split, callee)
        write_split(self, callee.function, facts, values, split)
        return split

    def protocol(self, split: Split, callee: Callee) -> None:
        """Decide how each parameter's adjoint crosses the call."""
        memory = self.memory_of(callee)
        defined = definitions(callee.function)
        for i, (key, value) in enumerate(
            zip(callee.function.parameters, callee.values, strict=True)
        ):
            kind = value.kind
            varied = value.varied or bool(regions_of(kind) & callee.facts.varied)
            if not differentiable(kind) or not varied:
                continue
            if regions_of(kind) & memory:
                continue
            if is_container(kind) or (
                isinstance(kind, Array | Number)
                and len(defined[key]) == 1
                and (callee.facts.is_stored(kind) or self.reads_in_part(callee, key, set()))
            ):
                split.shadows.append(i)
            else:
                split.values.append(i)
                split.fresh.append(False)

    def reads_in_part(self, callee: Callee, key: str, seen: set[Any]) -> bool:
        """Say whether a function reads parts of an array that a parameter holds."""
        if (callee.function, key) in seen:
            return False
        seen.add((callee.function, key))
        for part in gast.walk(callee.function.tree):
            owner = None
            if isinstance(part, gast.Subscript):
                owner = part.value
            elif isinstance(part, gast.For):
                owner = part.iter
            if isinstance(owner, gast.Name) and owner.id == key:
                return True
        for inner in callee.facts.callees.values():
            for position, arg in enumerate(inner.arguments):
                if isinstance(arg, gast.Name) and arg.id == key:
                    parameter = inner.function.parameters[position]
                    if self.reads_in_part(inner, parameter, seen):
                        return True
        return False

    # Writing

    def add(self, function: Any, sweep: Writer) -> None:
        """Take a function into the module."""
        self.add_text(function, sweep.function.externals)
        own = sweep.function.own_names | getattr(sweep, "spliced_names", set())
        self.known[function.name] = own, kinds_of_names(sweep), sweep.function.returning

    def add_text(self, function: Any, externals: Externals) -> None:
        """Take a function into the module; a name that means something else here is renamed."""
        self.known[function.name] = frozenset(all_names(function)), {}, frozenset()
        renaming: dict[str, str] = {}
        used = set(reads(function))
        for key, external in externals.items():
            if key not in used:
                continue
            present = self.externals.get(key)
            if present is None:
                self.externals[key] = external
            elif present != external and present.value is not external.value:
                fresh = self.names.fresh(key)
                self.externals[fresh] = external
                renaming[key] = fresh
        fill(function, renaming)
        self.functions.append(function)


def kinds_of_names(sweep: Writer) -> dict[str, Kind]:
    """Give the kind of each name that has one kind wherever it is bound, adjoints included."""
    found: dict[str, Kind] = {}
    for env in sweep.facts.before.values():
        for key, value in env.items():
            kind = found.setdefault(key, value.kind)
            if kind != value.kind:
                found[key] = UNKNOWN
    for statement, value in sweep.facts.results.items():
        if isinstance(statement, gast.Assign) and isinstance(statement.targets[0], gast.Name):
            key = statement.targets[0].id
            if found.setdefault(key, value.kind) != value.kind:
                found[key] = UNKNOWN
    adjoints = getattr(sweep, "adjoints", None)  # forward mode has none
    primals = {} if adjoints is None else adjoints.primals
    return found | {bar: found.get(primal, UNKNOWN) for bar, (primal, _) in primals.items()}


def stored_into(callee: Callee, stored_by_caller: set[Region]) -> Callee:
    """Show a callee what is stored into elsewhere: both sides must keep its adjoint alike."""
    facts = callee.facts
    known = set(facts.heap) | _entering(callee.values, callee.heap)
    for value in [*facts.results.values(), facts.returned]:
        known |= _entering((value,), {})
    more = {r for r in known if callee.seen_by_caller(r) & stored_by_caller}
    if more <= facts.stored:
        return callee
    return replace(callee, facts=replace(facts, stored=facts.stored | more))


def _regions_met(facts: Facts) -> set[Region]:
    """Give the regions of all that a function sees."""
    kinds = {v.kind for env in facts.before.values() for v in env.values()}
    kinds |= {v.kind for v in facts.results.values()} | {facts.returned.kind}
    kinds |= {v.kind for slots in facts.heap.values() for v in slots.values()}
    return set(facts.heap).union(*(regions_within(kind) for kind in kinds))


def _key(callee: Callee) -> Hashable:
    stored = frozenset(callee.facts.stored)
    return (callee.function, callee.values, frozen(callee.heap), stored)


def _entering(values: tuple[Value, ...], heap: Heap) -> set[Region]:
    found: set[Region] = set(heap)
    for value in values:
        found |= regions_within(value.kind)
    for slots in heap.values():
        for value in slots.values():
            found |= regions_within(value.kind)
    return found


@dataclass
class Written:
    """Both sweeps of a function, with saves."""

    sweep: Sweep
    forward: list[Any]
    reverse: list[Any]
    returns: list[Any]
    at: str


def write_sweeps(module: Module, function: CoreFunction, facts: Facts, prepare: Any) -> Written:
    """Write both sweeps of a function's body and put the saves in."""
    names = Names(function.names() | module.names.taken)
    sweep = Sweep(function, facts, module, names)
    returns = [j for s in function.tree.body for j in _own_jumps(s)]
    at = names.fresh("at")
    trip = Trip(None, at, "")
    trip.numbers = {r: i for i, r in enumerate(returns)}
    sweep.loops.append(trip)
    prepare(sweep)
    items = sweep.block(function.tree.body)
    forward = forward_sweep(items)
    primals = set(function.parameters).union(*(binds(s) for s in forward))
    if not module.units:
        redo_cheap_values(sweep, items)
    recorder = Recorder(primals, names)
    recorder.record(items)
    forward, reverse = forward_sweep(items), reverse_sweep(items)
    stacks = [*sweep.outer_stacks, *recorder.stacks]
    start = [assign(stack, gast.List([], gast.Load())) for stack in dict.fromkeys(stacks)]
    unset = [assign(key, const(None)) for key in sorted(set(recorder.unset))]
    return Written(sweep, [*unset, *start, *forward], reverse, returns, at)


def making_memory(sweep: Sweep, reverse: list[Any]) -> list[Any]:
    """Make the adjoint memory before a reverse sweep that asks for one and is not handed it."""
    if sweep.memory is None:
        return reverse
    maker = sweep.runtime("AdjointMemory")
    return [assign(sweep.memory, quote_expression("m()", m=maker)), *reverse]


def write_split(
    module: Module, function: CoreFunction, facts: Facts, values: tuple[Value, ...], split: Split
) -> None:
    """Write `f_fwd` and `f_rev`."""
    parameters = function.parameters
    kinds = dict(zip(parameters, (v.kind for v in values), strict=True))
    y_bar = ""

    def prepare(sweep: Sweep) -> None:
        nonlocal y_bar
        y_bar = sweep.names.fresh("y_bar")
        for i in split.shadows:
            bar = sweep.bar(parameters[i], kinds[parameters[i]])
            sweep.adjoints.set(bar, Holds.OWNED)
            sweep.adjoints.incoming.add(bar)
        if split.memory:
            sweep.memory_name()
        sweep.seed = lambda s, r: seed_return(s, r, name(y_bar))

    written = write_sweeps(module, function, facts, prepare)
    sweep = written.sweep
    split.undone = sweep.undone
    sweep.out = []
    results = []
    for position, i in enumerate(split.values):
        key = parameters[i]
        bar = sweep.bar(key, kinds[key])
        sweep.adjoints.primals[bar] = key, kinds[key]
        if sweep.adjoints.holds(bar) is Holds.NOTHING:
            results.append(sweep.adjoints.zero_of(key, kinds[key]))
            split.fresh[position] = True
            continue
        sweep.adjoints.materialize(bar)
        split.fresh[position] = sweep.adjoints.holds(bar) is Holds.OWNED
        results.append(name(bar))
    reverse = [*written.reverse, *sweep.out]
    if not split.memory:
        reverse = making_memory(sweep, reverse)
    if results:
        reverse.append(
            gast.Return(results[0] if len(results) == 1 else gast.Tuple(results, gast.Load()))
        )
    shadow_names = [sweep.bar(parameters[i], kinds[parameters[i]]) for i in split.shadows]
    if split.memory:
        shadow_names.append(sweep.memory_name())
    saved = sweep.names.fresh("saved")
    incoming = {saved, y_bar, *shadow_names}
    state = live_at_start(reverse, incoming) & (
        set(parameters) | set().union(*(binds(s) for s in written.forward), {written.at})
    )
    forward = with_state(written, state, parameters)
    ordered = state_order(state, written.at)
    unpack: list[Any] = []
    if len(ordered) == 1:
        place: Any = gast.Tuple([target(ordered[0])], gast.Store())
        unpack = [gast.Assign([place], name(saved), None)]
    elif ordered:
        place = gast.Tuple([target(k) for k in ordered], gast.Store())
        unpack = [gast.Assign([place], name(saved), None)]
    module.add(make_function(split.forward, parameters, forward, function), sweep)
    body = [*unpack, *reverse] or [gast.Pass()]
    module.add(
        make_function(split.reverse, [saved, y_bar, *shadow_names], body, function),
        sweep,
    )


def state_order(state: set[str], at: str) -> list[str]:
    """Order the names that a split derivative hands over: where it returned comes first."""
    return [*([at] if at in state else []), *sorted(state - {at})]


def with_state(written: Written, state: set[str], parameters: list[str]) -> list[Any]:
    """Make every return of the forward sweep hand over what the reverse sweep reads."""
    ordered = state_order(state, written.at)
    unset: set[str] = set()

    def change(block: list[Any], bound: set[str]) -> tuple[list[Any], set[str]]:
        made: list[Any] = []
        for s in block:
            if isinstance(s, gast.Return):
                number = written.sweep.loops[0].numbers[s]
                parts: list[Any] = []
                for key in ordered:
                    if key == written.at:
                        parts.append(const(number))
                        continue
                    if key not in bound:
                        unset.add(key)
                    parts.append(name(key))
                made.append(
                    gast.Return(gast.Tuple([s.value, gast.Tuple(parts, gast.Load())], gast.Load()))
                )
                continue
            if isinstance(s, gast.If):
                body, yes = change(s.body, set(bound))
                orelse, no = change(s.orelse, set(bound))
                made.append(at_line_of(gast.If(s.test, body, orelse), s))
                yes = yes if not _leaves(s.body) else no
                no = no if not _leaves(s.orelse) else yes
                bound = bound | (yes & no)
            elif isinstance(s, gast.For):
                inner = set(bound) | binds(s.target)
                body, _ = change(s.body, inner)
                orelse, _ = change(s.orelse, set(bound))
                made.append(gast.For(s.target, s.iter, body, orelse, None))
            elif isinstance(s, gast.While):
                body, _ = change(s.body, set(bound))
                orelse, _ = change(s.orelse, set(bound))
                made.append(gast.While(s.test, body, orelse))
            elif isinstance(s, gast.With):
                body, bound = change(s.body, bound)
                made.append(gast.With(s.items, body, None))
            else:
                bound = bound | binds(s)
                made.append(s)
        return made, bound

    forward, _ = change(written.forward, set(parameters))
    return [*(assign(key, const(None)) for key in sorted(unset)), *forward]


def _leaves(block: list[Any]) -> bool:
    return bool(block) and isinstance(
        block[-1], gast.Return | gast.Raise | gast.Break | gast.Continue
    )


def live_at_start(block: list[Any], bound: set[str]) -> set[str]:
    """Names that a block may read before it binds them."""
    from tapeless.analysis.recorded import _expose

    exposed: set[str] = set()
    _expose(block, set(bound), exposed)
    return exposed


def make_function(
    label: str, parameters: list[str], body: list[Any], function: CoreFunction
) -> Any:
    """Make a function definition."""
    arguments = gast.arguments(
        [gast.Name(p, gast.Param(), None, None) for p in parameters], [], None, [], [], None, []
    )
    made = gast.FunctionDef(label, arguments, body, [], None, None, [])
    made.lineno = getattr(function.tree, "lineno", 1)
    return made


def seed_return(sweep: Sweep, s: Any, y_bar: Any) -> None:
    """Give the cotangent of the result to the name that is returned."""
    kind = sweep.value(s, s.value.id).kind
    if sweep.has_shadow(kind):
        if sweep.in_memory(kind):
            entering = sweep.facts.before[sweep.function.tree.body[0]]
            known = frozenset().union(*(regions_of(v.kind) for v in entering.values()))
            if regions_of(kind) <= known:
                return  # the caller's own memory holds it
            place = sweep.shadow(s, s.value.id)
            adder = sweep.runtime("add_to")
            call = quote_expression("f(x, g)", f=adder, x=place, g=y_bar)
            sweep.out.append(gast.Expr(call))
            return
        root = s.value.id
        while root in sweep.shadows.paths:
            root = next(iter(reads(sweep.shadows.paths[root])))
        if root in sweep.function.parameters and root != s.value.id:
            return
        if s.value.id in sweep.function.parameters:
            return
        if s.value.id not in sweep.shadows.paths:
            sweep.contribute(s, s.value.id, Adjoint(y_bar), False)
            return
    sweep.contribute(s, s.value.id, Adjoint(y_bar), False)


# The function asked for


@dataclass(frozen=True)
class Request:
    """What is asked for: the independents and what the derivative function returns.

    With `variables` the gradients of these come after the others, in a list; alone, if a bare
    gradient with respect to nothing is asked for.
    """

    wrt: tuple[str, ...]
    bare: bool
    with_value: bool
    has_aux: bool = False
    variables: tuple[Variable, ...] | None = None


def write_gradient(
    module: Module, function: CoreFunction, facts: Facts, values: tuple[Value, ...], heap: Heap,
    request: Request, label: str,
) -> None:  # fmt: skip
    """Write the gradient of a function with a scalar result as one function."""
    parameters = function.parameters
    kinds = dict(zip(parameters, (v.kind for v in values), strict=True))
    module.names.taken |= function.names() | {label}

    def prepare(sweep: Sweep) -> None:
        sweep.seed = lambda s, r: seed_return(s, r, seed_of(request))

    returns = [j for s in function.tree.body for j in _own_jumps(s)]
    one_way = len(returns) == 1 and function.tree.body[-1] is returns[0]
    if not one_way:
        write_through_split(module, function, facts, values, heap, request, label)
        return
    written = write_sweeps(module, function, facts, prepare)
    sweep = written.sweep
    forward = [s for s in written.forward if not isinstance(s, gast.Return)]
    sweep.out = []
    results = [final_adjoint(sweep, key, kinds[key]) for key in request.wrt]
    reverse = making_memory(sweep, with_state_kept(sweep, [*written.reverse, *sweep.out]))
    result = asked_for(sweep, results, request)
    value = returns[0].value
    if request.with_value or request.has_aux:
        if isinstance(value, gast.Name) and value.id in set().union(*(binds(s) for s in reverse)):
            kept = sweep.names.fresh("y")
            forward.append(assign(kept, value))
            value = name(kept)
        result = with_value_or_aux(result, value, request)
    body = [comment("Forward sweep"), *forward, comment("Reverse sweep"), *reverse]
    body.append(gast.Return(result))
    module.add(make_function(label, parameters, body, function), sweep)


def seed_of(request: Request) -> Any:
    """Give the seed of a scalar result, with nothing for what comes beside it."""
    if request.has_aux:
        return gast.List([const(1.0), const(0.0)], gast.Load())
    return const(1.0)


def write_through_split(
    module: Module, function: CoreFunction, facts: Facts, values: tuple[Value, ...], heap: Heap,
    request: Request, label: str,
) -> None:  # fmt: skip
    """Write the gradient of a function that can return in several places by its split derivative."""
    callee = Callee(function, values, heap, tuple(function.parameters), facts, {})
    short = function.name.strip("_") or "function"
    split = Split(module.names.fresh(f"{short}_fwd"), module.names.fresh(f"{short}_rev"))
    split.undoes = True
    module.protocol(split, callee)
    memory = module.memory_of(callee)
    split.memory = bool(memory)
    module.splits[_key(callee)] = split
    write_split(module, function, facts, values, split)
    sweep = Sweep(function, facts, module, Names(function.names() | module.names.taken))
    y, saved = sweep.names.fresh("y"), sweep.names.fresh("saved")
    names = [name(p) for p in function.parameters]
    forward = gast.Assign(
        [gast.Tuple([target(y), target(saved)], gast.Store())],
        gast.Call(name(split.forward), names, []),
        None,
    )
    reverse = call_reverse(sweep, split, values, name(saved), seed_of(request))
    kinds = dict(zip(function.parameters, (v.kind for v in values), strict=True))
    sweep.out = []
    results = [final_adjoint(sweep, key, kinds[key]) for key in request.wrt]
    sweep.undone |= undone_by_call(callee, split)
    reverse = making_memory(sweep, with_state_kept(sweep, [*reverse, *sweep.out]))
    result = asked_for(sweep, results, request)
    result = with_value_or_aux(result, name(y), request)
    body = [forward, *reverse, gast.Return(result)]
    module.add(make_function(label, function.parameters, body, function), sweep)


def asked_for(sweep: Sweep, results: list[Any], request: Request) -> Any:
    """Give what the derivative function returns: gradients of arguments, then of Variables."""
    if request.variables is None:
        return results[0] if request.bare else gast.Tuple(results, gast.Load())
    of_variables = gradients_of_variables(sweep, request.variables)
    if request.bare and not results:
        return of_variables
    result = results[0] if request.bare else gast.Tuple(results, gast.Load())
    return gast.Tuple([result, of_variables], gast.Load())


def gradients_of_variables(sweep: Sweep, variables: tuple[Variable, ...]) -> Any:
    """Write the list of the gradients of Variables, zeros for one that is not read."""
    found = sweep.shadows.in_memory | sweep.forced_memory
    made: list[Any] = []
    for variable in variables:
        label = sweep.splicer.external(variable, identifier_of(variable))
        g: Any = const(0.0)
        if sweep.memory is not None and variable_region(variable) in found:
            g = quote_expression("m[w]", m=sweep.memory, w=label)
        finisher = sweep.runtime("as_gradient")
        made.append(quote_expression("f(g, w)", f=finisher, g=g, w=label))
    return gast.List(made, gast.Load())


def with_value_or_aux(result: Any, y: Any, request: Request) -> Any:
    """Add the value, or what came beside it, to what the gradient function returns."""
    if request.with_value:
        return gast.Tuple([y, result], gast.Load())
    if request.has_aux:
        return gast.Tuple([result, gast.Subscript(y, const(1), gast.Load())], gast.Load())
    return result


def call_reverse(
    sweep: Sweep, split: Split, values: tuple[Value, ...], saved: Any, seed: Any
) -> list[Any]:
    """Write the call of a split derivative's reverse sweep and bind the adjoints."""
    parameters = sweep.function.parameters
    kinds = dict(zip(parameters, (v.kind for v in values), strict=True))
    made: list[Any] = []
    passed: list[Any] = []
    for i in split.shadows:
        bar = sweep.bar(parameters[i], kinds[parameters[i]])
        made.append(assign(bar, sweep.adjoints.zero_of(parameters[i], kinds[parameters[i]])))
        sweep.adjoints.set(bar, Holds.OWNED)
        passed.append(name(bar))
    if split.memory:
        passed.append(name(sweep.memory_name()))
    call = gast.Call(name(split.reverse), [saved, seed, *passed], [])
    bars = [sweep.bar(parameters[i], kinds[parameters[i]]) for i in split.values]
    for bar, fresh in zip(bars, split.fresh, strict=True):
        sweep.adjoints.set(bar, Holds.OWNED if fresh else Holds.SHARED)
    if len(bars) == 1:
        made.append(assign(bars[0], call))
    elif bars:
        made.append(gast.Assign([gast.Tuple([target(b) for b in bars], gast.Store())], call, None))
    else:
        made.append(gast.Expr(call))
    return made


def write_pullback(
    module: Module, function: CoreFunction, facts: Facts, values: tuple[Value, ...], heap: Heap,
    label: str, variables: tuple[Variable, ...] | None = None,
) -> None:  # fmt: skip
    """Write the function that returns the value and a pullback that can run any number of times.

    Both sweeps work on private copies of what is stored into: nothing of the caller's moves.
    """
    callee = Callee(function, values, heap, tuple(function.parameters), facts, {})
    short = function.name.strip("_") or "function"
    module.names.taken |= function.names() | {label}
    split = Split(module.names.fresh(f"{short}_fwd"), module.names.fresh(f"{short}_rev"))
    module.protocol(split, callee)
    split.memory = bool(module.memory_of(callee))
    module.splits[_key(callee)] = split
    write_split(module, function, facts, values, split)
    sweep = Sweep(function, facts, module, Names(function.names() | module.names.taken))
    parameters = function.parameters
    stored = [
        p
        for p, v in zip(parameters, values, strict=True)
        if _entering((v,), {}) and (_reached((v,), heap) & facts.stored)
    ]
    y, saved, y_bar = (sweep.names.fresh(n) for n in ("y", "saved", "y_bar"))
    body: list[Any] = []
    if stored:
        place = gast.Tuple([target(p) for p in stored], gast.Store())
        copier = sweep.runtime("private")
        copies = gast.Call(name(copier), [gast.Tuple([name(p) for p in stored], gast.Load())], [])
        body.append(gast.Assign([place], copies, None))
    names = [name(p) for p in parameters]
    body.append(
        gast.Assign(
            [gast.Tuple([target(y), target(saved)], gast.Store())],
            gast.Call(name(split.forward), names, []),
            None,
        )
    )
    sweep.undone |= undone_by_call(callee, split)
    inner = pullback_body(sweep, split, values, saved, y_bar, body, variables)
    pullback = make_function("pullback", [y_bar], inner, function)
    result: Any = name(y)
    if facts.stored and regions_of(facts.returned.kind) or is_container(facts.returned.kind):
        copier = sweep.runtime("private")
        result = gast.Call(name(copier), [name(y)], [])
    elif isinstance(facts.returned.kind, Items):
        result = gast.Call(name(sweep.runtime("private")), [name(y)], [])
    body += [pullback, gast.Return(gast.Tuple([result, name("pullback")], gast.Load()))]
    module.add(make_function(label, parameters, body, function), sweep)


def _reached(values: tuple[Value, ...], heap: Heap) -> set[Region]:
    found: set[Region] = set()
    todo = list(_entering(values, {}))
    while todo:
        region = todo.pop()
        if region not in found:
            found.add(region)
            todo += [r for v in heap.get(region, {}).values() for r in _entering((v,), {})]
    return found


def pullback_body(
    sweep: Sweep, split: Split, values: tuple[Value, ...], saved: str, y_bar: str,
    forward: list[Any], variables: tuple[Variable, ...] | None = None,
) -> list[Any]:  # fmt: skip
    """Write the body of a pullback: it reads a private copy of what the forward sweep kept."""
    parameters = sweep.function.parameters
    copier = sweep.runtime("private" if sweep.facts.stored else "fresh_stacks")
    shared = [path for path, _ in outside_undone(sweep)]
    kept = sweep.names.fresh("kept")
    made: list[Any] = []
    if split.memory:
        inner = {p: sweep.names.fresh(p) for p in parameters}
        place = gast.Tuple([target(kept), *(target(inner[p]) for p in parameters)], gast.Store())
        everything = gast.Tuple([name(saved), *(name(p) for p in parameters)], gast.Load())
        made.append(gast.Assign([place], gast.Call(name(copier), [everything, *shared], []), None))
    else:
        made.append(assign(kept, gast.Call(name(copier), [name(saved), *shared], [])))
    reverse = call_reverse(sweep, split, values, name(kept), name(y_bar))
    sweep.out = []
    results = []
    for key, value in zip(parameters, values, strict=True):
        if not differentiable(value.kind) or not value.varied:
            results.append(const(None))
            continue
        result = final_adjoint(sweep, key, value.kind)
        results.append(result)
    made += making_memory(sweep, with_state_kept(sweep, [*reverse, *sweep.out], forward))
    if split.memory:
        made = [made[0], *(fill(s, inner) for s in made[1:])]
        results = [fill(r, inner) for r in results]
    bars: Any = gast.Tuple(results, gast.Load())
    if variables is not None:
        bars = gast.Tuple([bars, gradients_of_variables(sweep, variables)], gast.Load())
    return [*made, gast.Return(bars)]


def holds_in_memory(sweep: Sweep, kind: Kind) -> bool:
    """Say whether anything that an argument holds has its adjoint in the adjoint memory."""
    found = _reached((Value(kind),), sweep.facts.heap)
    return bool(found & (sweep.shadows.in_memory | sweep.forced_memory))


def final_adjoint(sweep: Sweep, key: str, kind: Kind) -> Any:
    """Give the gradient of an argument: full, of its structure and dtype, seen by nothing else."""
    bar = sweep.bar(key, kind)
    sweep.adjoints.primals[bar] = key, kind
    if is_container(kind) or not isinstance(kind, Real | Array | Number):
        finisher = sweep.runtime("as_gradient")
        if not differentiable(kind):
            return const(None)
        if sweep.adjoints.holds(bar) is Holds.NOTHING:
            place = const(0.0)
        else:
            place = name(bar)
        if sweep.memory is not None and holds_in_memory(sweep, kind):
            return quote_expression("f(g, x, m)", f=finisher, g=place, x=key, m=sweep.memory)
        return quote_expression("f(g, x)", f=finisher, g=place, x=key)
    if sweep.has_shadow(kind) and sweep.in_memory(kind):
        sweep.out.append(assign(bar, quote_expression("m[x]", m=sweep.memory_name(), x=key)))
        sweep.adjoints.set(bar, Holds.OWNED)
    holds = sweep.adjoints.holds(bar)
    if holds is Holds.NOTHING:
        return sweep.adjoints.zero_of(key, kind)
    if holds is Holds.BROADCASTS:
        return sweep.adjoints.full(key, sweep.adjoints.small[bar])
    if isinstance(kind, Real):
        exact = kind.dtype in ("f8", "c16")
        return (
            name(bar)
            if exact
            else quote_expression("f(g, x)", f=sweep.runtime("as_gradient"), g=bar, x=key)
        )
    if isinstance(kind, Array) and kind.dtype not in ("f8", "c16"):
        return quote_expression("f(g, x)", f=sweep.runtime("as_gradient"), g=bar, x=key)
    if holds is Holds.SHARED:
        return quote_expression("np.array(g)", np=sweep.numpy, g=bar)
    return name(bar)
