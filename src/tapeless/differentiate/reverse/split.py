"""The split derivative of a function: its two sweeps as two functions.

    y, saved = f_fwd(x)
    ...
    x_bar = f_rev(saved, y_bar)

`f_fwd` is the function as it is written, with saves, and every `return` of it hands over what the
reverse sweep reads besides: a plain tuple. `f_rev` takes that tuple, the cotangent of the result and the
shadows of what the caller also sees; it returns the cotangents of the other parameters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gast

from tapeless.analysis.abstract import Value, reachable
from tapeless.analysis.facts import Facts, calls_itself
from tapeless.differentiate.module import Module
from tapeless.differentiate.replay import asked_in, observe
from tapeless.differentiate.reverse.accumulate import Adjoint, Holds
from tapeless.differentiate.reverse.changed_in_place import refuse_changed
from tapeless.differentiate.reverse.compute_once import compute_once
from tapeless.differentiate.reverse.few_states import keep_few_states
from tapeless.differentiate.reverse.giving import contribute, without_parts
from tapeless.differentiate.reverse.hand_over import HandOver, nothing_yet, state_order
from tapeless.differentiate.reverse.held_outside import with_outside_handed_over
from tapeless.differentiate.reverse.interrupted_saves import clear_interrupted, refuse_unbalanced
from tapeless.differentiate.reverse.jumps import Trip, drop_unread_ends
from tapeless.differentiate.reverse.mirrored import Mirrored, Step, forward_sweep, reverse_sweep
from tapeless.differentiate.reverse.mixed_names import check_names
from tapeless.differentiate.reverse.record import Recorder
from tapeless.differentiate.reverse.rematerialize import rematerialize_cheap_values
from tapeless.differentiate.reverse.run import ReverseRun
from tapeless.differentiate.reverse.saves import Saves
from tapeless.differentiate.reverse.share_computed import share_computed_values
from tapeless.differentiate.reverse.state import Sweep
from tapeless.differentiate.reverse.taking import shadow_of
from tapeless.differentiate.splits import Split
from tapeless.differentiate.verify import check_versions
from tapeless.kinds import Array, Dict, Integer, Kind, List, Real, regions_of
from tapeless.regions import is_outside
from tapeless.tree.build import assign, at_line_of, name, quote_expression
from tapeless.tree.endings import own_jumps
from tapeless.tree.function import CoreFunction, make_function
from tapeless.tree.liveness import live_in
from tapeless.tree.names import Names, binds, reads
from tapeless.tree.trees import Stmt


@dataclass
class Written:
    """Both sweeps of a function, with saves."""

    sweep: Sweep
    forward: list[Any]
    reverse: list[Any]
    returns: list[Any]
    at: str


def write_sweeps(
    module: Module, function: CoreFunction, facts: Facts, prepare: Any, conclude: Any
) -> Written:
    """Write both sweeps of a function's body and put the saves in.

    `conclude` writes what the reverse sweep ends with. It reads the parameters, which the body may
    have bound anew, and so is recorded like all the rest: what is saved is decided last.
    """
    names = Names(function.names() | module.names.taken)
    sweep = ReverseRun(function, facts, module, names)
    check_names(sweep)
    returns = [j for s in function.tree.body for j in own_jumps(s)]
    at = names.fresh("at")
    trip = Trip(None, at, "")
    trip.numbers = {r: i for i, r in enumerate(returns)}
    sweep.loops.append(trip)
    prepare(sweep)
    body = sweep.block(function.tree.body)
    sweep.out = []
    conclude(sweep)
    items: list[Mirrored] = [Step(None, [], sweep.out), *body]
    forward = forward_sweep(items)
    primals = set(function.parameters).union(*(binds(s) for s in forward))
    same: dict[str, str] = {}
    if not module.for_higher_order:
        same = compute_once(sweep, items)
        share_computed_values(sweep, items)
    asked = asked_in(items) if module.journal is not None else {}
    if not module.for_higher_order:
        rematerialize_cheap_values(sweep, items, same)
    saving = Saves(primals, names, counts=frozenset(sweep.reached))
    Recorder(saving).record(items)
    unread = drop_unread_ends(items)
    check_versions(sweep, items, saving.counts)
    keep_few_states(sweep, items, saving)
    stacks = [*(stack for stack in sweep.outer_stacks if stack not in unread), *saving.stacks]
    refuse_unbalanced(sweep, forward_sweep(items), set(stacks), False)
    if module.journal is not None:
        observe(sweep, items, primals, asked)
    forward, reverse = forward_sweep(items), reverse_sweep(items)
    refuse_changed(sweep, reverse)
    if module.for_higher_order:
        clear_interrupted(sweep, forward, set(), set(stacks))
    start = [assign(stack, gast.List([], gast.Load())) for stack in dict.fromkeys(stacks)]
    unbound = saving.unset(forward, set(function.parameters)) | sweep.read_unbound
    unset = [assign(key, nothing_yet(sweep)) for key in sorted(unbound)]
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
        sweep.seed = lambda s, r: seed_return(s, r, name(y_bar), split.seed_apart)

    def conclude(sweep: Sweep) -> None:
        results = [cotangent_handed_back(sweep, split, i, parameters, kinds) for i in split.values]
        if results:
            whole = results[0] if len(results) == 1 else gast.Tuple(results, gast.Load())
            sweep.out.append(at_line_of(gast.Return(whole), function.tree))

    written = write_sweeps(module, function, facts, prepare, conclude)
    sweep, split.undone = written.sweep, written.sweep.undone
    split.undoes_result = bool(split.undone & reachable([facts.returned.kind], facts.heap))
    reverse = written.reverse if split.memory else making_memory(sweep, written.reverse)
    shadow_names = [sweep.bar(parameters[i], kinds[parameters[i]]) for i in split.shadows]
    if split.memory:
        shadow_names.append(sweep.memory_name())
    saved = sweep.names.fresh("saved")
    bound = set(parameters).union({written.at}, *(binds(s) for s in written.forward))
    state = bound & live_in(reverse).entry - {saved, y_bar, *shadow_names}
    if module.for_higher_order:
        clear_interrupted(sweep, written.forward, state, set())
    outside: set[str] = set()
    if module.public:
        reverse, named, outside = with_outside_handed_over(sweep, reverse)
        written.forward[:0] = named
        state |= outside
        split.foreign = any(may_change(sweep, values, key) for key in state - {written.at})
    handing = _handing_over(written, facts, state)
    forward = handing.write(written.forward, {*parameters, *outside})
    reverse = [handing.unpacked(saved), *reverse] if handing.ordered else reverse
    incoming = [saved, y_bar, *shadow_names]
    module.add(make_function(split.forward, parameters, forward, function), sweep)
    module.add(make_function(split.reverse, incoming, reverse or [gast.Pass()], function), sweep)


def _handing_over(written: Written, facts: Facts, state: set[str]) -> HandOver:
    """Return the writer of the returns of a forward sweep that hands over some names."""
    sweep = written.sweep
    within_itself = sweep.module.for_higher_order and calls_itself(facts)
    ordered, numbers = state_order(state, written.at), sweep.loops[0].numbers
    return HandOver(ordered, written.at, numbers, nothing_yet(sweep), as_list=within_itself)


def may_change(sweep: Sweep, values: tuple[Value, ...], key: str) -> bool:
    """Whether somebody else may change what a name holds at the end of the forward sweep."""
    facts = sweep.known.facts
    kinds = {env[key].kind for env in facts.before.values() if key in env}
    kinds |= {v.kind for s, v in facts.results.items() if key in binds(s)}
    if not kinds:
        return True
    outside = [v.kind for r, slots in facts.heap.items() if is_outside(r) for v in slots.values()]
    seen = reachable([facts.returned.kind, *(v.kind for v in values), *outside], facts.heap)
    return not all(
        isinstance(kind, (Real, Integer))
        or isinstance(kind, Array)
        and bool(kind.regions)
        and all(r[0] == "made" and r not in seen for r in kind.regions)
        for kind in kinds
    )


def cotangent_handed_back(
    sweep: Sweep, split: Split, i: int, parameters: list[str], kinds: dict[str, Kind]
) -> Any:
    """Return what `f_rev` returns for a parameter, and note whether it is seen by nothing else."""
    key, position = parameters[i], split.values.index(i)
    bar = sweep.bar(key, kinds[key])
    sweep.adjoints.primals[bar] = key, kinds[key]
    if sweep.adjoints.holds(bar) is Holds.NOTHING:
        split.fresh[position] = True
        return sweep.adjoints.zero_of(key, kinds[key])
    sweep.adjoints.materialize(bar)
    split.fresh[position] = sweep.adjoints.holds(bar) is Holds.OWNED
    return name(bar)


def seed_return(sweep: Sweep, s: Stmt, y_bar: Any, apart: bool) -> None:
    """Hand the cotangent of the result on to the name that is returned.

    Where the result is an argument, or a part of one, a caller inside has one cotangent for both:
    it is there already, unless the seed is `apart`.
    """
    if type(s.value) is not gast.Name:
        return
    value = sweep.value(s, s.value.id)
    kind = value.kind
    held = reachable([kind], sweep.known.heap) if apart else set()
    if not value.varied and not held & sweep.known.varied:
        return
    parts = sweep.module.parts_of_result(sweep.function, sweep.facts, s) if apart else None
    mirrored = sweep.has_shadow(kind) and not sweep.in_memory(kind)
    if isinstance(kind, (List, Dict)) and mirrored:
        parts = None  # `contribute` asks for them
    if parts is not None and type(y_bar) is gast.Name:
        y_bar = without_parts(sweep, s, s.value.id, y_bar, parts)
        if parts.inside:
            return
    if sweep.has_shadow(kind):
        if sweep.in_memory(kind):
            entering = sweep.known.before[sweep.function.tree.body[0]]
            known = frozenset().union(*(regions_of(v.kind) for v in entering.values()))
            if regions_of(kind) <= known and not apart:
                return
            place = shadow_of(sweep, s, s.value.id)
            adder = sweep.runtime("add_to")
            call = quote_expression("f(x, g)", f=adder, x=place, g=y_bar)
            sweep.out.append(gast.Expr(call))
            return
        root = s.value.id
        while root in sweep.shadows.paths:
            root = next(iter(reads(sweep.shadows.paths[root])))
        if root in sweep.function.parameters and not apart:
            return
        if s.value.id not in sweep.shadows.paths:
            contribute(sweep, s, s.value.id, Adjoint(y_bar), False)
            return
    contribute(sweep, s, s.value.id, Adjoint(y_bar), False)
