"""Branches, loops and jumps, mirrored.

A branch is reversed by the same branch, decided by the same test where its operands are still what they
were, by a kept answer where they are not. A loop is reversed over the same items backwards. A jump
stays as written in the forward sweep; each trip of a loop with jumps keeps one number that says where
it ended, and what follows a statement that may jump is reversed only where no jump was taken.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import gast

from tapeless.analysis.abstract import reachable
from tapeless.analysis.lengths import same_length
from tapeless.analysis.special_methods import asks_what_stores
from tapeless.differentiate.reverse.accumulate import Holds
from tapeless.differentiate.reverse.changed_sets import reads_changed_sets
from tapeless.differentiate.reverse.mirrored import (
    Branch,
    Continuation,
    Loop,
    Mirrored,
    MirroredWith,
    Step,
    TripEnds,
    inverted,
    is_idle,
    reverse_sweep,
)
from tapeless.differentiate.reverse.parts import add_to_item
from tapeless.differentiate.reverse.state import Sweep
from tapeless.kinds import (
    RANGE,
    UNKNOWN,
    Array,
    Dict,
    Inert,
    Integer,
    Kind,
    List,
    Number,
    Real,
    Sequence,
    Tuple,
    is_container,
    regions_of,
)
from tapeless.rules.stores import method_stores
from tapeless.tree.build import (
    add_in_place,
    assign,
    const,
    filled,
    name,
    quote,
    quote_expression,
    target,
)
from tapeless.tree.endings import always_leaves, own_jumps
from tapeless.tree.names import binds, binds_in_block, nodes, reads
from tapeless.tree.truths import is_truth
from tapeless.variables import ASSIGNING


@dataclass
class Trip:
    """A loop that is being reversed: where its trips can end."""

    statement: Any
    end: str
    ends: str
    numbers: dict[Any, int] = field(default_factory=dict)


# Jumps


def may_jump(statement: Any) -> bool:
    """Whether control may leave the block at a statement other than by its end."""
    return not isinstance(statement, gast.Return | gast.Break | gast.Continue) and bool(
        own_jumps(statement)
    )


def guarded_rest(sweep: Sweep, s: Any, rest: list[Any]) -> Mirrored:
    """Reverse what follows a statement that may jump, where no jump was taken."""
    jumps = own_jumps(s)
    trip = sweep.loops[-1]
    numbers = sorted(trip.numbers[j] for j in jumps)
    before = sweep.adjoints.snapshot()
    outer, sweep.out = sweep.out, []
    bound, sweep.bound = set(sweep.bound), set()
    body = sweep.block(rest)
    end: list[Any] = []
    needed = sweep.adjoints.merge_skipped(before, end, sweep.bound_before(rest[0]))
    sweep.bound = bound - binds_in_block(rest)
    sweep.out = []
    lead = zeros_of(sweep, needed, sweep.bound_after(rest[-1]))
    sweep.out = outer
    return Continuation(s, _ended_nowhere(trip, numbers), body, lead, end)


def _ended_nowhere(trip: Trip, numbers: list[int]) -> Any:
    if len(numbers) == 1:
        return quote_expression("e != n", e=trip.end, n=const(numbers[0]))
    items = gast.Tuple([const(n) for n in numbers], gast.Load())
    return quote_expression("e not in n", e=trip.end, n=items)


def zeros_of(sweep: Sweep, needed: list[str], bound: frozenset[str] | None) -> list[Any]:
    """Write the zeros that adjoints start from before what may be skipped, where names are `bound`."""
    return [sweep.adjoints.zeroed(bar, bound) for bar in needed]


def do_Break(sweep: Sweep, s: Any) -> list[Mirrored]:
    """A jump says where the trip ended."""
    return [Step(s, [*_end_of_trip(sweep, s), s])]


def do_Continue(sweep: Sweep, s: Any) -> list[Mirrored]:
    """A jump says where the trip ended."""
    return [Step(s, [*_end_of_trip(sweep, s), s])]


def _end_of_trip(sweep: Sweep, s: Any) -> list[Any]:
    trip = sweep.loops[-1]
    return [quote("ends.append(n)", ends=trip.ends, n=const(trip.numbers[s]))[0]]


def do_Return(sweep: Sweep, s: Any) -> list[Mirrored]:
    """A return inside loops says so to each of them; the seed goes to what is returned."""
    outer, sweep.out = sweep.out, []
    marks = [
        quote("ends.append(n)", ends=trip.ends, n=const(trip.numbers[s]))[0]
        for trip in reversed(sweep.loops)
        if s in trip.numbers and trip.statement is not None
    ]
    sweep.give_seed(s)
    step = Step(s, [*marks, s], sweep.out)
    sweep.out = outer
    return [step]


# Branches


def do_If(sweep: Sweep, s: Any) -> list[Mirrored]:
    """Reverse an `if`."""
    outer = sweep.out
    settled, start = settle_small(sweep, [s]), sweep.adjoints.snapshot()
    sweep.out = []
    bound = set(sweep.bound)
    sweep.bound = set()
    body = branch_of(sweep, s.body)
    yes = sweep.adjoints.snapshot()
    sweep.adjoints.restore(start)
    sweep.bound = set()
    orelse = branch_of(sweep, s.orelse)
    no = sweep.adjoints.snapshot()
    ends = sweep.adjoints.merge_branches(yes, no, sweep.bound_before(s))
    sweep.bound = bound - binds_in_block([s])
    sweep.out = outer
    made = Branch(s, s.test, None, body, orelse, settled, ends)
    if is_idle(made):
        made.reverse_test = s.test
        return [made]
    test = _test_by_end(sweep, s)
    if test is not None:
        made.reverse_test = test
        return [made]
    if can_be_redone(sweep, s, s.test):
        made.reverse_test = s.test
        return [made]
    kept = sweep.names.fresh("c")
    made.test = name(kept)
    made.reverse_test = name(kept)
    return [Step(s, [assign(kept, _truth_of(sweep, s))]), made]


def _truth_of(sweep: Sweep, s: Any) -> Any:
    """Write the test of a branch so that its answer can be kept: what it is asked of may change."""
    kind = sweep.operand_kind(s, s.test)
    is_bool = isinstance(kind, Inert) and kind.what == "bool"
    if is_bool or isinstance(kind, Real | Integer) or is_truth(s.test):
        return s.test
    return quote_expression("bool(c)", c=s.test)


def branch_of(sweep: Sweep, statements: list[Any]) -> list[Mirrored]:
    """Write both sweeps of a branch; one that control never comes to, by the kinds, is as it was."""
    if statements and statements[0] not in sweep.known.before:
        return [Step(s, [s]) for s in statements]
    return list(sweep.block(statements))


def settle_small(sweep: Sweep, statements: list[Any]) -> list[Any]:
    """Before a branch, bring to full shape the small adjoints that it touches."""
    outer, sweep.out = sweep.out, []
    touched = set().union(*(set(reads(s)) | binds(s) for s in statements))
    calls = [sweep.known.callees.get(part) for s in statements for part in nodes(s)]
    passed = [arg for c in calls if c is not None for arg in c.arguments]  # captured names, too
    touched |= {key for arg in passed if isinstance(arg, gast.AST) for key in reads(arg)}
    for key in list(touched):
        while key in sweep.shadows.paths:
            key = next(iter(reads(sweep.shadows.paths[key])))
            touched.add(key)
    for bar in sorted(sweep.adjoints.small):
        primal, _ = sweep.adjoints.primals[bar]
        if primal in touched:
            sweep.adjoints.materialize(bar)
    made, sweep.out = sweep.out, outer
    return made


def _test_by_end(sweep: Sweep, s: Any) -> Any:
    """A branch that always jumps is known by where the trip ended."""
    if not sweep.loops:
        return None
    trip = sweep.loops[-1]
    for block, positive in ((s.body, True), (s.orelse, False)):
        if block and isinstance(block[-1], gast.Break | gast.Continue | gast.Return):
            numbers = sorted(trip.numbers[j] for b in block for j in own_jumps(b))
            others = [j for b in (s.orelse if positive else s.body) for j in own_jumps(b)]
            if others:
                return None
            test = _ended_nowhere(trip, numbers)
            return inverted(test) if positive else test
    return None


def ended_in(sweep: Sweep, block: list[Any]) -> Any:
    """Write the test of whether a trip ended in a block that always jumps; None if it may not."""
    jumps = [j for s in block for j in own_jumps(s)]
    if not jumps or not always_leaves(block):
        return None
    trip = sweep.loops[-1]
    return inverted(_ended_nowhere(trip, sorted(trip.numbers[j] for j in jumps)))


def can_be_redone(sweep: Sweep, s: Any, test: Any) -> bool:
    """Whether a test has the same answer in the reverse sweep."""
    for part in nodes(test):
        if isinstance(part, gast.Call) and isinstance(part.func, gast.Attribute):
            owner = sweep.operand_kind(s, part.func.value)
            if is_container(owner):
                return False
        if isinstance(part, gast.Attribute) and is_container(sweep.operand_kind(s, part.value)):
            return False
    if reads_changed_sets(sweep, [test]) or asks_what_stores(s, sweep.known.facts):
        return False
    for key in dict.fromkeys(reads(test)):
        if key not in sweep.function.local:
            found = sweep.operand_kind(s, name(key))
            if key in sweep.function.externals and _may_change(sweep, found):
                return False
            continue
        if len(sweep.definitions.get(key, [])) > 1 or _is_of_handler(sweep, key):
            return False
        kind = sweep.value(s, key).kind
        if _may_change(sweep, kind) and not _asks_class_only(test, key):
            return False
        if sweep.depth and not _is_steady(sweep, key):
            return False
    return True


def _may_change(sweep: Sweep, kind: Kind) -> bool:
    """Whether a value, or what it holds, may be stored into."""
    held = reachable([kind], sweep.known.heap) | regions_of(kind)
    return bool(held & sweep.facts.stored or (kind == UNKNOWN and sweep.facts.stored))


def _is_of_handler(sweep: Sweep, key: str) -> bool:
    """Whether a name is a caught exception's: it is unbound where the handler ends."""
    return any(isinstance(part, gast.ExceptHandler) for part in sweep.definitions.get(key, []))


def _asks_class_only(test: Any, key: str) -> bool:
    """Whether a test reads nothing of a name but its class, which no store changes."""
    of_class = [
        part
        for part in nodes(test)
        if isinstance(part, gast.Call) and getattr(part.func, "id", "") == "type"
    ]
    asked = [reads(arg) for part in of_class for arg in part.args]
    return reads(test).count(key) == asked.count([key])


def _is_steady(sweep: Sweep, key: str) -> bool:
    """Whether a name is a parameter or bound by the header of a loop."""
    [definition] = sweep.definitions.get(key, [None])
    return definition is None or isinstance(definition, gast.For)


def do_With(sweep: Sweep, s: Any) -> list[Mirrored]:
    """Reverse a `with` block: inside the same context where that says how to compute."""
    calls = [item.context_expr for item in s.items if isinstance(item.context_expr, gast.Call)]
    found = [sweep.function.resolve(called.func) for called in calls]
    known = [(getattr(f, "__module__", ""), getattr(f, "__name__", "")) for f in found]
    again = len(found) == len(s.items) and all(k in _SILENCING for k in known)
    return [MirroredWith(s, sweep.block(s.body), again)]


_SILENCING = {("numpy", "errstate"), ("warnings", "catch_warnings"), ("contextlib", "nullcontext")}


# Loops


def do_While(sweep: Sweep, s: Any) -> list[Mirrored]:
    """Reverse a `while`: as many trips as were made."""
    return _loop(sweep, s)


def do_For(sweep: Sweep, s: Any) -> list[Mirrored]:
    """Reverse a `for` over the same items, backwards."""
    return _loop(sweep, s)


def _loop(sweep: Sweep, s: Any) -> list[Mirrored]:
    jumps = [j for part in s.body for j in own_jumps(part)]
    trip = Trip(s, sweep.names.fresh("end"), sweep.names.fresh("ends"))
    trip.numbers = {j: i for i, j in enumerate(jumps, 1)}
    for outer in sweep.loops:
        for j in jumps:
            if isinstance(j, gast.Return):
                outer.numbers.setdefault(j, len(outer.numbers) + 1)
    outer_out, sweep.out = sweep.out, []
    bound = set(sweep.bound)
    leaves = any(isinstance(j, gast.Break | gast.Return) for j in jumps)
    orelse = _else_of(sweep, s, leaves)
    loop = _reversed_body(sweep, s, trip, jumps)
    _give_frozen_back(sweep, s, loop)
    sweep.bound = bound - binds_in_block([s])
    sweep.out = outer_out
    items = _with_counter(sweep, s, loop, trip)
    if not isinstance(orelse, Branch):
        return [*items, *orelse]
    if is_idle(orelse) and not binds_in_block(s.orelse):
        loop.orelse = orelse.body
        return items
    flag = orelse.test.id
    loop.orelse = [Step(s, [assign(flag, const(True))])]
    return [Step(s, [assign(flag, const(False))]), *items, orelse]


def _give_frozen_back(sweep: Sweep, s: Any, loop: Loop) -> None:
    """Before a loop, the adjoint of what it iterates over goes to the name that its body rebinds."""
    sweep.out = []
    for fresh, old in loop.frozen.items():
        kind = sweep.value(s, fresh).kind
        y = None if sweep.has_shadow(kind) else sweep.take(s, fresh, kind)
        if y is not None:
            sweep.contribute(s, old, y, False)
    loop.reverse = [*loop.reverse, *sweep.out]
    sweep.out = []


def _else_of(sweep: Sweep, s: Any, leaves: bool) -> Any:
    """Reverse the `else` of a loop: it always runs, or a flag says whether it did.

    Where it has something to reverse it is moved behind the loop, under the flag: same statements,
    same order.
    """
    sweep.out = []
    if not leaves or not s.orelse:
        items = sweep.block(s.orelse)
        sweep.out = []
        return items
    settled, before = settle_small(sweep, s.orelse), sweep.adjoints.snapshot()
    items = sweep.block(s.orelse)
    end: list[Any] = []
    needed = sweep.adjoints.merge_skipped(before, end, sweep.bound_before(s.orelse[0]))
    flag = sweep.names.fresh("exhausted")
    lead = [*settled, *zeros_of(sweep, needed, sweep.bound_after(s))]
    sweep.out = []
    made = Branch(s, name(flag), name(flag), items, [], lead, (end, []))
    return made


def _with_counter(sweep: Sweep, s: Any, loop: Loop, trip: Trip) -> list[Mirrored]:
    """Add what counts the trips and says where they ended."""
    if is_idle(loop):
        _drop_marks(loop.body, trip.ends)
        return [loop]
    if trip.numbers:
        _mark_ends(sweep, s, loop, trip)
    if loop.counter is None:
        return [loop]
    loop.body = [Step(s, [add_in_place(loop.counter, const(1))]), *loop.body]
    return [Step(s, [assign(loop.counter, const(0))]), loop]


def _mark_ends(sweep: Sweep, s: Any, loop: Loop, trip: Trip) -> None:
    """Let each trip say where it ended; it is seen later whether anything asks."""
    loop.ends = TripEnds(trip.ends, trip.end)
    if not always_leaves(s.body):
        loop.forward_end = [quote("e.append(0)", e=trip.ends)[0]]
    loop.start = [assign(trip.end, quote_expression("e.pop()", e=trip.ends)), *loop.start]
    if sweep.depth or sweep.loops:
        sweep.outer_stacks.append(trip.ends)  # one for all entries, made at the start
    else:
        loop.before = [assign(trip.ends, gast.List([], gast.Load())), *loop.before]


def drop_unread_ends(items: list[Mirrored]) -> set[str]:
    """Take back the marks of trips that nothing in the reverse sweep asks for.

    Returns
    -------
    Their stacks.
    """
    dropped: set[str] = set()
    for item in items:
        if isinstance(item, Step):
            continue
        dropped |= drop_unread_ends(item.body)
        if isinstance(item, Branch | Loop):
            dropped |= drop_unread_ends(item.orelse)
        if isinstance(item, Loop) and item.ends is not None:
            stack, end = item.ends.stack, item.ends.end
            asked = [*item.start, *reverse_sweep(item.body), *item.end]
            if not any(end in reads(s) for s in asked):
                dropped.add(stack)
                item.start = [s for s in item.start if stack not in reads(s)]
                item.before = [s for s in item.before if stack not in binds(s)]
                item.forward_end = [s for s in item.forward_end if stack not in reads(s)]
                _drop_marks(item.body, stack)
    return dropped


def _drop_marks(items: list[Mirrored], ends: str) -> None:
    for item in items:
        if isinstance(item, Step):
            item.forward = [f for f in item.forward if ends not in reads(f)]
        elif isinstance(item, Branch):
            _drop_marks(item.body, ends)
            _drop_marks(item.orelse, ends)
        else:
            _drop_marks(item.body, ends)
            if isinstance(item, Loop):
                _drop_marks(item.orelse, ends)


def _reversed_body(sweep: Sweep, s: Any, trip: Trip, jumps: list[Any]) -> Loop:
    """Reverse a loop's body in the state in which every trip finds the adjoints."""
    settled = settle_small(sweep, [s])
    entry = sweep.adjoints.snapshot()
    saved = (set(sweep.names.taken), dict(sweep.bars), dict(sweep.function.externals), sweep.memory)
    needed: list[str] = []
    shared: set[str] = set()
    while True:
        sweep.adjoints.restore(entry)
        for bar in needed:
            sweep.adjoints.set(bar, Holds.OWNED)
        for bar in shared:
            sweep.adjoints.set(bar, Holds.SHARED)
        start = sweep.adjoints.snapshot()
        loop, places = _one_body(sweep, s, trip, jumps)
        zeroed: list[Any] = []
        more = sweep.adjoints.merge_skipped(start, zeroed, sweep.bound_before(s.body[0]))
        grown = {
            bar
            for bar, holds in start[0].items()
            if holds is Holds.OWNED and sweep.adjoints.holds(bar) is Holds.SHARED
        }
        if not more and not grown:
            break
        needed += more
        shared |= grown
        sweep.names.taken = saved[0] | set(sweep.function.externals)
        sweep.bars = dict(saved[1])
    loop.end = [*loop.end, *zeroed]
    sweep.out = []
    lead = [*settled, *zeros_of(sweep, needed, sweep.bound_after(s)), *places]
    loop.lead = lead
    sweep.out = []
    return loop


def _one_body(sweep: Sweep, s: Any, trip: Trip, jumps: list[Any]) -> tuple[Loop, list[Any]]:
    sweep.loops.append(trip)
    sweep.depth += 1
    outer_places = dict(sweep.item_places)
    sweep.bound = set()
    leaves = any(isinstance(j, gast.Break | gast.Return) for j in jumps)
    header = Header(sweep, s, leaves)
    header.enter()
    sweep.out = []
    body = sweep.block(s.body)
    sweep.out = []
    header.give_back()
    end = sweep.out
    sweep.out = []
    sweep.item_places = outer_places
    sweep.depth -= 1
    sweep.loops.pop()
    statement = s
    if isinstance(s, gast.For):
        statement = gast.For(s.target, header.iter, s.body, s.orelse, None)
    loop = Loop(statement, body, header.tree, header.start, end)
    loop.rebinds = header.rebinds
    loop.before = list(header.before)
    loop.frozen = dict(header.frozen)
    loop.counter = header.trips
    return loop, header.lead


class Header:
    """The header of a reversed loop: how its items are visited again."""

    def __init__(self, sweep: Sweep, s: Any, leaves: bool) -> None:
        self.sweep = sweep
        self.s = s
        self.trips = sweep.names.fresh("trips") if leaves or isinstance(s, gast.While) else None
        self.start: list[Any] = []
        self.before: list[Any] = []
        self.frozen: dict[str, str] = {}
        self.lead: list[Any] = []
        self.rebinds: set[str] = set()
        self.elements: list[tuple[str, Any, Any]] = []
        self.index: str | None = None
        self.tree: Any = None
        self.kept: list[Any] = []
        self.iter: Any = getattr(s, "iter", None)

    def enter(self) -> None:
        """Work out the header and how the targets are bound in the reverse body."""
        s = self.s
        if isinstance(s, gast.While):
            self.count()
            return
        self.freeze()
        self.kept = self.passive_parts(s.target, self.iter)
        if self.kept and self.trips is None and self.can_be_indexed(self.iter):
            self.trips = self.sweep.names.fresh("trips")
        if not self.can_be_indexed(self.iter) or self.items_change(s.target, self.iter):
            if self.keyed(s):
                return
            if self.trips is None:
                self.trips = self.sweep.names.fresh("trips")
            self.count()
            return
        if self.plain_range() or self.backwards():
            return
        self.index = self.sweep.names.fresh("k")
        self.sweep.counters.add(self.index)
        self.bind(s.target, self.iter, name(self.index))
        length = self.length(self.iter)
        count = name(self.trips) if self.trips else length
        last = quote_expression("n - 1", n=count)
        self.tree = gast.For(
            target(self.index), quote_expression("range(a, -1, -1)", a=last), [], [], None
        )
        self.rebinds |= binds(s.target) - self.bound_by_kept(s.target, self.iter)

    def freeze(self) -> None:
        """Return a name of its own to what the header iterates over, if the body rebinds it."""
        changed = binds_in_block(self.s.body) | binds(self.s.target)
        lost = dict.fromkeys(
            n for n in reads(self.iter) if n in changed and n in self.sweep.function.local
        )
        env = self.sweep.known.before.get(self.s, {})
        holes = {old: self.sweep.names.fresh(old) for old in lost}
        for old, fresh in holes.items():
            self.before.append(assign(fresh, name(old)))
            self.frozen[fresh] = old
            if old in env:
                self.sweep.known.learn_name(self.s, fresh, env[old])
            self.sweep.shadows.paths[fresh] = name(old)
            self.sweep.definitions[fresh] = [self.s]
        self.iter = filled(self.iter, holes)

    def count(self) -> None:
        """Make as many trips as were made forward; the items were kept."""
        self.tree = gast.For(
            target(self.sweep.names.fresh("_")),
            quote_expression("range(n)", n=self.trips or "trips"),
            [],
            [],
            None,
        )
        if isinstance(self.s, gast.For) and self.carries(self.s.target, self.iter):
            self.sweep.refuse(
                self.s,
                "items that carry a derivative come from an iterable that cannot be visited again",
                "iterate over a list, tuple, dict or array",
            )

    def carries(self, place: Any, tree: Any) -> bool:
        """Whether items of an iterable carry a derivative."""
        return any(self.is_active(t) for t in binds(place))

    def is_active(self, key: str) -> bool:
        first = self.s.body[0] if self.s.body else None
        return bool(self.sweep.value(first, key).varied)

    def kind(self, tree: Any) -> Kind:
        return self.sweep.operand_kind(self.s, tree)

    def passive_parts(self, place: Any, tree: Any) -> list[Any]:
        """List what stands beside active items in `zip` or `enumerate` and cannot be visited again.

        Its items carry no derivative: those that the reverse body reads are kept.
        """
        called = getattr(getattr(tree, "func", None), "id", None)
        if not isinstance(place, gast.Tuple) or called not in ("zip", "enumerate"):
            return []
        places = place.elts[1:] if called == "enumerate" else place.elts
        found = []
        for part, inner in zip(tree.args, places, strict=False):
            deeper = self.passive_parts(inner, part)
            visited = self.can_be_indexed(part) and not self.items_change(inner, part)
            if deeper:
                found += deeper
            elif not visited and not self.carries(inner, part):
                found.append(part)
        return found

    def bound_by_kept(self, place: Any, tree: Any) -> set[str]:
        """Return the names that are bound to items of what cannot be visited again."""
        if any(tree is part for part in self.kept):
            return set(binds(place))
        if not isinstance(place, gast.Tuple) or not isinstance(tree, gast.Call):
            return set()
        places = place.elts[1:] if getattr(tree.func, "id", "") == "enumerate" else place.elts
        pairs = zip(places, tree.args, strict=False)
        return set().union(*(self.bound_by_kept(inner, part) for inner, part in pairs))

    def plain_range(self) -> bool:
        """A range is reversed as a range, and passive items in a reversed iteration."""
        s = self.s
        called = getattr(getattr(self.iter, "func", None), "id", None)
        if called == "range":
            iterable = self.iter
            if self.trips:
                iterable = quote_expression("r[:n]", r=self.iter, n=self.trips)
            self.tree = gast.For(
                s.target, quote_expression("reversed(r)", r=iterable), [], [], None
            )
            self.rebinds |= binds(s.target)
            return True
        simple = isinstance(self.iter, gast.Name) and isinstance(
            self.kind(self.iter), Array | List | Sequence
        )
        if simple and isinstance(s.target, gast.Name) and not self.is_active(s.target.id):
            iterable = (
                quote_expression("r[:n]", r=self.iter, n=self.trips) if self.trips else self.iter
            )
            self.tree = gast.For(
                s.target, quote_expression("reversed(r)", r=iterable), [], [], None
            )
            self.rebinds |= binds(s.target)
            return True
        return False

    def backwards(self) -> bool:
        """What is iterated from its end is visited again from its start."""
        if self.trips is not None:
            return False
        parts = _reversed_parts(self.iter)
        if not parts or not all(map(self.is_visited_alike, parts)):
            return False
        if len(parts) > 1 and not same_length(self.sweep.function.tree, parts):
            return False
        places = self.s.target.elts if isinstance(self.s.target, gast.Tuple) else [self.s.target]
        if len(places) != len(parts) or not all(isinstance(p, gast.Name) for p in places):
            return False
        whole = parts[0] if len(parts) == 1 else gast.Call(name("zip"), parts, [])
        active = [
            (p.id, part) for p, part in zip(places, parts, strict=True) if self.is_active(p.id)
        ]
        self.tree = gast.For(self.s.target, whole, [], [], None)
        if active:
            self.index = index = self.sweep.names.fresh("k")
            self.sweep.counters.add(index)
            place = gast.Tuple([target(index), self.s.target], gast.Store())
            self.tree = gast.For(place, gast.Call(name("enumerate"), [whole], []), [], [], None)
            for key, part in active:
                self.element(key, part, name(index))
        self.rebinds |= binds(self.s.target)
        return True

    def is_visited_alike(self, tree: Any) -> bool:
        """Whether iterating over something gives the items that its indices give."""
        if isinstance(tree, gast.Call):
            return True
        return isinstance(tree, gast.Name) and isinstance(self.kind(tree), Array | List | Sequence)

    def keyed(self, s: Any) -> bool:
        """A dict is visited again by its reversed items, or keys where the body stores into it."""
        tree = self.iter
        method = None
        if isinstance(tree, gast.Call) and isinstance(tree.func, gast.Attribute):
            method, owner = tree.func.attr, tree.func.value
        else:
            owner = tree
        if self.trips or not isinstance(self.kind(owner), Dict):
            return False
        if method == "items" and isinstance(s.target, gast.Tuple):
            key, value = s.target.elts[0].id, s.target.elts[1].id
        elif method == "values" and isinstance(s.target, gast.Name):
            key, value = self.sweep.names.fresh("key"), s.target.id
        elif method in (None, "keys"):
            iterable = quote_expression("reversed(d)", d=owner)
            self.tree = gast.For(s.target, iterable, [], [], None)
            self.rebinds |= binds(s.target)
            return True
        else:
            return False
        place: Any = gast.Tuple([target(key), target(value)], gast.Store())
        iterable = quote_expression("reversed(d.items())", d=owner)
        if self.stored_in_body(self.kind(owner)):
            place, iterable = target(key), quote_expression("reversed(d)", d=owner)
        self.tree = gast.For(place, iterable, [], [], None)
        self.rebinds |= binds(place)
        self.element(value, owner, name(key))
        return True

    def can_be_indexed(self, tree: Any) -> bool:
        """Whether the items can be visited again by an index."""
        if any(tree is part for part in self.kept):
            return True
        if isinstance(tree, gast.Call) and isinstance(tree.func, gast.Name):
            called = tree.func.id
            if called in ("enumerate", "reversed"):
                return self.can_be_indexed(tree.args[0])
            if called == "zip":
                return all(self.can_be_indexed(part) for part in tree.args)
            return called == "range"
        if isinstance(tree, gast.Constant):
            return isinstance(tree.value, str)
        if not isinstance(tree, gast.Name | gast.Attribute):
            return False
        if self.kind(tree) in (Inert("str"), RANGE):
            return True
        return isinstance(self.kind(tree), Array | List | Sequence | Number) or _is_items(
            self.kind(tree)
        )

    def items_change(self, place: Any, tree: Any) -> bool:
        """Whether items may be overwritten in the iterated thing while it is iterated."""
        if any(tree is part for part in self.kept):
            return False
        if isinstance(tree, gast.Call) and isinstance(tree.func, gast.Name):
            return tree.func.id != "range" and any(
                self.items_change(place, part) for part in tree.args
            )
        kind = self.kind(tree)
        rows = isinstance(kind, Array) and len(kind.dims) > 1
        return not rows and self.stored_in_body(kind)

    def stored_in_body(self, kind: Kind) -> bool:
        """Whether the body stores into what a value may live in."""
        return bool(regions_of(kind) & stored_regions(self.sweep, self.s.body))

    def length(self, tree: Any) -> Any:
        """Write the number of items of an iterable."""
        if isinstance(tree, gast.Call):
            called = tree.func.id
            if called in ("enumerate", "reversed"):
                return self.length(tree.args[0])
            if called == "zip":
                lengths = [self.length(part) for part in tree.args]
                if len(lengths) == 1:
                    return lengths[0]
                return gast.Call(name("min"), lengths, [])
        return quote_expression("len(x)", x=tree)

    def bind(self, place: Any, tree: Any, index: Any) -> None:
        """Bind the targets to the item at an index."""
        if any(tree is part for part in self.kept):
            return
        called = getattr(tree.func, "id", None) if isinstance(tree, gast.Call) else None
        if called == "enumerate" and isinstance(place, gast.Tuple):
            start = tree.args[1] if len(tree.args) > 1 else None
            start = next((k.value for k in tree.keywords if k.arg == "start"), start)
            counted = index if start is None else gast.BinOp(index, gast.Add(), start)
            self.start.append(assign(place.elts[0].id, counted))
            self.bind(place.elts[1], tree.args[0], index)
            return
        if called == "zip" and isinstance(place, gast.Tuple):
            for item, part in zip(place.elts, tree.args, strict=True):
                self.bind(item, part, index)
            return
        if called == "reversed":
            length = self.length(tree.args[0])
            back = quote_expression("n - 1 - k", n=length, k=index)
            self.bind(place, tree.args[0], back)
            return
        if called == "range":
            simple = len(tree.args) == 1
            value = index if simple else gast.Subscript(tree, index, gast.Load())
            self.start.append(assign(place.id, value))
            return
        if called is not None or isinstance(place, gast.Tuple):
            self.sweep.refuse(
                self.s,
                "what this loop unpacks cannot be reversed",
                "write `for item in ...` and unpack `item` in the body",
            )
        self.element(place.id, tree, index)
        self.start.append(assign(place.id, gast.Subscript(tree, index, gast.Load())))

    def element(self, key: str, owner: Any, index: Any) -> None:
        """Remember that a target is an item of a sequence, at an index."""
        if not self.is_active(key) or not isinstance(owner, gast.Name):
            return
        self.elements.append((key, owner, index))
        first = self.s.body[0]
        kind = self.sweep.value(first, key).kind
        owner_kind = self.kind(owner)
        nested = is_container(kind) and is_container(owner_kind)
        if nested and not self.sweep.in_memory(kind):
            shadow = self.sweep.buffer(self.s, owner.id)
            self.lead += self.sweep.out
            self.sweep.out = []
            self.sweep.item_places[key] = gast.Subscript(shadow, index, gast.Load())

    def give_back(self) -> None:
        """At the end of the reverse body the adjoints of the targets go to the items."""
        sweep = self.sweep
        for key, owner, index in self.elements:
            first = self.s.body[0]
            kind = sweep.value(first, key).kind
            if key in sweep.item_places or (sweep.has_shadow(kind) and sweep.in_memory(kind)):
                continue
            if sweep.has_shadow(kind):
                sweep.refuse(
                    self.s, "rows that are stored into come from an array of unknown origin",
                    "index the array in the body",
                )  # fmt: skip
            y = sweep.take(self.s, key, kind)
            if y is None:
                continue
            add_to_item(sweep, self.s, owner.id, index, y, key)
        for key in binds(self.s.target) if isinstance(self.s, gast.For) else ():
            sweep.forget(key)


def _reversed_parts(tree: Any) -> list[Any]:
    """Return `[x, y]` for `zip(reversed(x), reversed(y))`, of names and ranges; else nothing."""
    called = getattr(getattr(tree, "func", None), "id", None)
    if called == "zip" and not tree.keywords:
        found = [_reversed_parts(part) for part in tree.args]
        single = all(len(part) == 1 for part in found)
        return [part for [part] in found] if single and len(found) > 1 else []
    if called != "reversed" or len(tree.args) != 1:
        return []
    inner = tree.args[0]
    is_range = getattr(getattr(inner, "func", None), "id", None) == "range"
    return [inner] if is_range or isinstance(inner, gast.Name) else []


def stored_regions(sweep: Sweep, block: list[Any]) -> frozenset[Any]:
    """Collect the regions that the statements of a block store into."""
    found: set[Any] = set()
    for s in block:
        for part in nodes(s):
            if isinstance(part, gast.Assign | gast.AugAssign):
                places = part.targets if isinstance(part, gast.Assign) else [part.target]
                for place in places:
                    owner = getattr(
                        place, "value", place if isinstance(part, gast.AugAssign) else None
                    )
                    if isinstance(owner, gast.Name):
                        kind = sweep.operand_kind(part, name(owner.id))
                        found |= regions_of(kind)
            if isinstance(part, gast.Expr | gast.Assign) and isinstance(part.value, gast.Call):
                func = part.value.func
                stores = isinstance(func, gast.Attribute) and (
                    func.attr in ASSIGNING or method_stores(func.attr)
                )
                if stores:
                    found |= regions_of(sweep.operand_kind(part, func.value))
                if isinstance(part, gast.Expr):
                    for arg in filter(lambda arg: isinstance(arg, gast.Name), part.value.args):
                        found |= regions_of(sweep.operand_kind(part, arg)) & sweep.facts.stored
            callee = sweep.known.callees.get(part)
            if callee is not None:
                for region in callee.facts.stored:
                    found |= callee.regions.get(region, frozenset([region]))
    return frozenset(found)


def _is_items(kind: Kind) -> bool:
    return isinstance(kind, Tuple)
