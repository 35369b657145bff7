"""Jumps, mirrored.

A jump stays as written in the forward sweep. Each trip of a loop with jumps keeps one number that says
where it ended, and what follows a statement that may jump is reversed only where no jump was taken. The
numbers are the reverse sweep's alone: where nothing in it asks for them, they are not kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import gast

from tapeless.differentiate.reverse.mirrored import (
    Branch,
    Continuation,
    Loop,
    Mirrored,
    Step,
    TripEnds,
    inverted,
    reverse_sweep,
)
from tapeless.differentiate.reverse.state import Sweep
from tapeless.tree.build import assign, const, quote, quote_expression
from tapeless.tree.classes import LEAVING
from tapeless.tree.endings import always_leaves, own_jumps
from tapeless.tree.names import binds, binds_in_block, reads
from tapeless.tree.trees import Stmt


@dataclass
class Trip:
    """A loop that is being reversed: where its trips can end.

    `tests` are those of its statements that jump, where the reverse sweep can ask them again.
    """

    statement: Stmt
    end: str
    ends: str
    numbers: dict[Any, int] = field(default_factory=dict)
    tests: dict[Stmt, Any] = field(default_factory=dict)


def may_jump(statement: Stmt) -> bool:
    """Whether control may leave the block at a statement other than by its end."""
    return type(statement) not in LEAVING and bool(own_jumps(statement))


def guarded_rest(sweep: Sweep, s: Stmt, rest: list[Stmt]) -> Mirrored:
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
    lead = zeros_of(sweep, needed, sweep.bound_before(s))  # where a jump was taken it binds nothing
    sweep.out = outer
    test = _asked_again(trip, s) or _ended_nowhere(trip, numbers)
    return Continuation(s, test, body, lead, end)


def behind_returns(sweep: Sweep, orelse: Branch, returns: list[Stmt]) -> Mirrored:
    """Reverse what a loop's `else` holds only where the loop has not ended the trip around it.

    Its flag is kept where the trip goes on. A function that returns hands its flags back itself.
    """
    trip = sweep.loops[-1] if sweep.loops else None
    if not returns or trip is None or trip.statement is None:
        return orelse
    test = _ended_nowhere(trip, sorted(trip.numbers[j] for j in returns))
    lead, orelse.lead = orelse.lead, []
    return Continuation(orelse.statement, test, [orelse], lead)


def _asked_again(trip: Trip, s: Stmt) -> Any:
    """Write the test of whether a branch did not jump, where it can be asked again."""
    if s not in trip.tests:
        return None
    test = trip.tests[s]
    return inverted(test) if any(own_jumps(part) for part in s.body) else test


def _ended_nowhere(trip: Trip, numbers: list[int]) -> Any:
    if len(numbers) == 1:
        return quote_expression("e != n", e=trip.end, n=const(numbers[0]))
    items = gast.Tuple([const(n) for n in numbers], gast.Load())
    return quote_expression("e not in n", e=trip.end, n=items)


def zeros_of(sweep: Sweep, needed: list[str], bound: frozenset[str] | None) -> list[Any]:
    """Write the zeros that adjoints start from before what may be skipped, where names are `bound`."""
    return [sweep.adjoints.zeroed(bar, bound) for bar in needed]


def mirror_jump(sweep: Sweep, s: Stmt) -> list[Mirrored]:
    """Let a `break` or `continue` say where the trip ended."""
    return [Step(s, [_end_of_trip(sweep.loops[-1], s), s])]


def _end_of_trip(trip: Trip, jump: Stmt) -> Stmt:
    return quote("ends.append(n)", ends=trip.ends, n=const(trip.numbers[jump]))[0]


def mirror_return(sweep: Sweep, s: Stmt) -> list[Mirrored]:
    """Let a `return` say to all loops around it where it is; the seed goes to what is returned."""
    outer, sweep.out = sweep.out, []
    marks = [
        _end_of_trip(trip, s)
        for trip in reversed(sweep.loops)
        if s in trip.numbers and trip.statement is not None
    ]
    sweep.give_seed(s)
    step = Step(s, [*marks, s], sweep.out)
    sweep.out = outer
    return [step]


def test_by_end(sweep: Sweep, s: Stmt) -> Any:
    """A branch that always jumps is known by where the trip ended."""
    if not sweep.loops:
        return None
    trip = sweep.loops[-1]
    if s in trip.tests:
        return trip.tests[s]
    for block, positive in ((s.body, True), (s.orelse, False)):
        if block and type(block[-1]) in LEAVING:
            numbers = sorted(trip.numbers[j] for b in block for j in own_jumps(b))
            others = [j for b in (s.orelse if positive else s.body) for j in own_jumps(b)]
            if others:
                return None
            test = _ended_nowhere(trip, numbers)
            return inverted(test) if positive else test
    return None


def ended_in(sweep: Sweep, block: list[Stmt]) -> Any:
    """Write the test of whether a trip ended in a block that always jumps; None if it may not."""
    jumps = [j for s in block for j in own_jumps(s)]
    if not jumps or not always_leaves(block):
        return None
    trip = sweep.loops[-1]
    return inverted(_ended_nowhere(trip, sorted(trip.numbers[j] for j in jumps)))


def mark_ends(sweep: Sweep, s: Stmt, loop: Loop, trip: Trip) -> None:
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
        if isinstance(item, (Branch, Loop)):
            dropped |= drop_unread_ends(item.orelse)
        if isinstance(item, Loop) and item.ends is not None:
            stack, end = item.ends.stack, item.ends.end
            asked = [*item.start, *reverse_sweep(item.body), *item.end]
            if not any(end in reads(s) for s in asked):
                dropped.add(stack)
                item.start = [s for s in item.start if stack not in reads(s)]
                item.before = [s for s in item.before if stack not in binds(s)]
                item.forward_end = [s for s in item.forward_end if stack not in reads(s)]
                drop_marks(item.body, stack)
    return dropped


def drop_marks(items: list[Mirrored], ends: str) -> None:
    """Keep no number of where the trips of a loop ended."""
    for item in items:
        if isinstance(item, Step):
            item.forward = [f for f in item.forward if ends not in reads(f)]
        elif isinstance(item, Branch):
            drop_marks(item.body, ends)
            drop_marks(item.orelse, ends)
        else:
            drop_marks(item.body, ends)
            if isinstance(item, Loop):
                drop_marks(item.orelse, ends)
