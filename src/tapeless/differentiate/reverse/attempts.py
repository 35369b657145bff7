"""`try`, mirrored.

The forward sweep attempts what its author attempts, and notes which handler took over. The reverse sweep
reverses that handler, or the body and its `else` where none did. Nothing of an interrupted body is
reversed: it may have been interrupted anywhere. That is right where nothing lives on of what the body
did before, which is so of a body whose last statement alone binds what is read later. Where something
does live on, the body is cut behind it, and `reached` says how many of the segments were done:

    raised = False
    try:                                    # reverse sweep
        y = table[key] * x                  if raised:
    except KeyError:                            ...
        raised = True                       else:
        y = x                                   x_bar = y_bar * table[key]

What cannot be cut so is refused. `finally` always runs, after all ways through the body, so it is reversed
first, always.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.differentiate.reverse.branches import branch_of, settle_small
from tapeless.differentiate.reverse.interrupted import segments_of
from tapeless.differentiate.reverse.jumps import ended_in, guarded_rest, zeros_of
from tapeless.differentiate.reverse.mirrored import (
    Branch,
    Continuation,
    Finally,
    Mirrored,
    MirroredBody,
    MirroredTry,
    Step,
    inverted,
    reverse_sweep,
)
from tapeless.differentiate.reverse.state import Sweep
from tapeless.tree.build import assign, const, name, quote_expression
from tapeless.tree.endings import own_jumps, raises
from tapeless.tree.names import binds_in_block
from tapeless.tree.trees import Stmt


def mirror_try(sweep: Sweep, s: Stmt) -> list[Mirrored]:
    """Reverse a `try`: what `finally` does first, then the way that was taken."""
    if s.finalbody:
        return _do_finally(sweep, s)
    segments = segments_of(sweep, s)
    outer = sweep.out
    settled, start = settle_small(sweep, [s]), sweep.adjoints.snapshot()
    bound = set(sweep.bound)
    ways, ends = [], []
    for way in (None, *s.handlers):
        sweep.adjoints.restore(start)
        sweep.bound, sweep.out = set(), []
        last = segments[-1]
        ways.append(_tried(sweep, s, last) if way is None else branch_of(sweep, way.body))
        ends.append(sweep.adjoints.snapshot())
    made = _chosen(sweep, s, ways, ends)
    _reverse_segments(sweep, made, segments[:-1])
    made.lead = settled
    sweep.bound = bound - binds_in_block([s])
    sweep.out = outer
    return [made]


def _tried(sweep: Sweep, s: Stmt, last: list[Stmt]) -> list[Mirrored]:
    """Write both sweeps of the end of the body, and of what follows it where it was not interrupted."""
    orelse = s.orelse
    jumping = gast.If(const(True), s.body, [])
    if orelse and own_jumps(jumping):
        after = [guarded_rest(sweep, jumping, orelse)]
    else:
        after = branch_of(sweep, orelse)
    return [MirroredBody(s, branch_of(sweep, last)), *after]


def _reverse_segments(sweep: Sweep, attempt: MirroredTry, segments: list[list[Stmt]]) -> None:
    """Reverse what the body did before it was interrupted, as far as it came: `reached` says how far."""
    if not segments:
        return
    s, reached = attempt.statement, sweep.names.fresh("reached")
    sweep.reached.add(reached)
    made: list[Continuation] = []
    for number in range(len(segments), 0, -1):
        before = sweep.adjoints.snapshot()
        sweep.bound, sweep.out = set(), []
        body = branch_of(sweep, segments[number - 1])
        end: list[Any] = []
        first, last = segments[number - 1][0], segments[number - 1][-1]
        needed = sweep.adjoints.merge_skipped(before, end, sweep.bound_before(first))
        sweep.out = []
        lead = zeros_of(sweep, needed, sweep.bound_after(last))
        test = quote_expression("k >= n", k=reached, n=const(number))
        body.append(Step(s, [assign(reached, const(number))]))
        made.insert(0, Continuation(s, test, body, lead, end))
    attempt.segments = made
    attempt.body = [*made, *attempt.body]
    attempt.before = [*attempt.before, assign(reached, const(0))]


def _chosen(sweep: Sweep, s: Stmt, ways: list[list[Mirrored]], ends: list[Any]) -> MirroredTry:
    """Choose in the reverse sweep between the ways that come out of a `try`."""
    numbers = [i for i, h in enumerate(s.handlers, 1) if not raises(h.body)]
    sweep.adjoints.restore(ends[0])
    if not numbers:
        return MirroredTry(s, [Branch(s, const(False), const(False), [], ways[0])], ways)
    raised = sweep.names.fresh("raised")
    tests = _told_by_end(sweep, s, numbers)
    made: list[Mirrored] = ways[0]
    for i in reversed(numbers):
        marked = name(raised) if len(numbers) == 1 else _is_number(raised, i)
        test = tests.get(i, marked)
        merged = sweep.adjoints.merge_branches(
            ends[i], sweep.adjoints.snapshot(), sweep.bound_before(s)
        )
        made = [Branch(s, test, test, ways[i], made, [], merged)]
    attempt = MirroredTry(s, made, ways)
    if not tests and reverse_sweep(made):
        one = len(numbers) == 1
        attempt.mark = raised
        attempt.before = [assign(raised, const(False if one else 0))]
        for i in numbers:
            mark = assign(raised, const(True if one else i))
            ways[i].insert(0, Step(s.handlers[i - 1], [mark]))
    return attempt


def _told_by_end(sweep: Sweep, s: Stmt, numbers: list[int]) -> dict[int, Any]:
    """Return tests of which handler took over by where the trip ended, if that always tells."""
    if not sweep.loops:
        return {}
    found = {i: ended_in(sweep, s.handlers[i - 1].body) for i in numbers}
    if None not in found.values():
        return found
    tried = ended_in(sweep, [*s.body, *s.orelse])
    return {numbers[0]: inverted(tried)} if tried is not None and len(numbers) == 1 else {}


def _is_number(key: str, number: int) -> Any:
    return quote_expression("k == n", k=key, n=const(number))


def _do_finally(sweep: Sweep, s: Stmt) -> list[Mirrored]:
    jumps = [j for part in s.finalbody for j in own_jumps(part)]
    if jumps:
        reason = "a jump out of `finally` swallows whatever exception is on its way"
        sweep.refuse(jumps[0], reason, "move it behind the `try`, or write `except`")
    final = branch_of(sweep, s.finalbody)
    return [Finally(s, [MirroredBody(s, branch_of(sweep, s.body)), MirroredBody(s, final)])]
