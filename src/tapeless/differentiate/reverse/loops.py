"""Loops, mirrored.

A loop is reversed over the same items backwards (`headers.py`), with a body in which every trip finds the
adjoints in one state: that is found by writing the body until nothing more has to be zeroed before it.
The `else` of a loop that may be left is moved behind it, under a flag.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.differentiate.reverse.accumulate import Holds
from tapeless.differentiate.reverse.branches import settle_small
from tapeless.differentiate.reverse.conditions import tests_of_jumps
from tapeless.differentiate.reverse.giving import contribute
from tapeless.differentiate.reverse.headers import Header
from tapeless.differentiate.reverse.jumps import (
    Trip,
    behind_returns,
    drop_marks,
    mark_ends,
    zeros_of,
)
from tapeless.differentiate.reverse.mirrored import Branch, Loop, Mirrored, Step, is_idle
from tapeless.differentiate.reverse.state import Sweep
from tapeless.differentiate.reverse.taking import take_cotangent
from tapeless.differentiate.unreached import has_no_trips, without_trips
from tapeless.kinds import is_container
from tapeless.tree.build import add_in_place, assign, const, name
from tapeless.tree.classes import BREAKING
from tapeless.tree.endings import own_jumps
from tapeless.tree.names import binds_in_block
from tapeless.tree.trees import Stmt


def mirror_loop(sweep: Sweep, s: Stmt) -> list[Mirrored]:
    """Reverse a `for` over the same items backwards, a `while` in as many trips as were made."""
    if has_no_trips(sweep, s):
        return [Step(s, [without_trips(sweep, s)]), *sweep.block(s.orelse)]
    jumps = [j for part in s.body for j in own_jumps(part)]
    trip = Trip(s, sweep.names.fresh("end"), sweep.names.fresh("ends"))
    trip.numbers = {j: i for i, j in enumerate(jumps, 1)}
    trip.tests = tests_of_jumps(sweep, s, jumps)
    for outer in sweep.loops:
        for j in jumps:
            if type(j) is gast.Return:
                outer.numbers.setdefault(j, len(outer.numbers) + 1)
    outer_out, sweep.out = sweep.out, []
    bound = set(sweep.bound)
    leaves = any(type(j) in BREAKING for j in jumps)
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
    returns = [j for j in jumps if type(j) is gast.Return]
    return [Step(s, [assign(flag, const(False))]), *items, behind_returns(sweep, orelse, returns)]


def _give_frozen_back(sweep: Sweep, s: Stmt, loop: Loop) -> None:
    """Before a loop, the adjoint of what it iterates over goes to the name that its body rebinds."""
    sweep.out = []
    for fresh, old in loop.frozen.items():
        kind = sweep.value(s, fresh).kind
        y = None if sweep.has_shadow(kind) else take_cotangent(sweep, s, fresh, kind)
        if y is not None:
            contribute(sweep, s, old, y, False)
    loop.reverse = [*loop.reverse, *sweep.out]
    sweep.out = []


def _else_of(sweep: Sweep, s: Stmt, leaves: bool) -> Any:
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


def _with_counter(sweep: Sweep, s: Stmt, loop: Loop, trip: Trip) -> list[Mirrored]:
    """Add what counts the trips and says where they ended."""
    if is_idle(loop):
        drop_marks(loop.body, trip.ends)
        return [loop]
    if trip.numbers:
        mark_ends(sweep, s, loop, trip)
    if loop.counter is None:
        return [loop]
    loop.body = [Step(s, [add_in_place(loop.counter, const(1))]), *loop.body]
    return [Step(s, [assign(loop.counter, const(0))]), loop]


def _reversed_body(sweep: Sweep, s: Stmt, trip: Trip, jumps: list[Stmt]) -> Loop:
    """Reverse a loop's body in the state in which every trip finds the adjoints."""
    settled = settle_small(sweep, [s])
    entry = sweep.adjoints.snapshot()
    saved = (set(sweep.names.taken), dict(sweep.bars), dict(sweep.function.externals), sweep.memory)
    needed: list[str] = []
    shared: set[str] = set()
    owned: set[str] = set()
    made_own_before = sweep.adjoints.made_own
    while True:
        sweep.adjoints.restore(entry)
        sweep.out = []
        _own_shadows(sweep, owned)
        copies, sweep.out = sweep.out, []
        sweep.adjoints.made_own = set()
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
        copied = _shadows_made_own(sweep, start)
        if not more and not grown and copied <= owned:
            break
        needed += more
        shared |= grown
        owned |= copied
        sweep.names.taken = saved[0] | set(sweep.function.externals)
        sweep.bars = dict(saved[1])
    sweep.adjoints.made_own |= made_own_before | owned
    loop.end = [*loop.end, *zeroed]
    sweep.out = []
    lead = [*settled, *copies, *zeros_of(sweep, needed, sweep.bound_after(s)), *places]
    loop.lead = lead
    sweep.out = []
    return loop


def _own_shadows(sweep: Sweep, bars: set[str]) -> None:
    """Copy, before a loop, what its trips write to in place: not in each of them."""
    for bar in sorted(bars):
        sweep.adjoints.ensure_owned(bar)


def _shadows_made_own(sweep: Sweep, start: Any) -> set[str]:
    """Return the adjoints of containers that were shared before a block, and copied in it."""
    shared = {bar for bar, holds in start[0].items() if holds is Holds.SHARED}
    kinds = {bar: sweep.adjoints.primals[bar][1] for bar in shared & sweep.adjoints.made_own}
    return {bar for bar, kind in kinds.items() if is_container(kind)}


def _one_body(sweep: Sweep, s: Stmt, trip: Trip, jumps: list[Stmt]) -> tuple[Loop, list[Any]]:
    sweep.loops.append(trip)
    sweep.depth += 1
    outer_places = dict(sweep.item_places)
    sweep.bound = set()
    leaves = any(type(j) in BREAKING for j in jumps)
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
    if type(s) is gast.For:
        statement = gast.copy_location(gast.For(s.target, header.iter, s.body, s.orelse, None), s)
    loop = Loop(statement, body, header.tree, header.start, end)
    loop.rebinds = header.rebinds
    loop.before = list(header.before)
    loop.frozen = dict(header.frozen)
    loop.counter = header.trips
    return loop, header.lead
