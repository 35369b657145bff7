"""What the reverse sweep needs of the forward sweep, and where it is kept.

In the reverse sweep the user's names are rewound: at each point they hold what they held at that
point of the forward sweep. A name must be saved where it is about to be overwritten and some earlier
statement's adjoint still reads the old value (the *to be recorded* analysis of Hascoet, Naumann and
Pascual, 2005). In a loop, a name that is local to the body is saved by its value at the end of the
body; a loop-carried one by its old value, just before it is overwritten.

    h = np.tanh(w @ x + u @ h)    ->    saved.append(h); h = np.tanh(w @ x + u @ h)
"""

from __future__ import annotations

import copy

import gast

from tapeless.differentiate.reverse.keep import keep
from tapeless.differentiate.reverse.mirrored import (
    Branch,
    Continuation,
    Finally,
    Loop,
    Mirrored,
    MirroredBody,
    MirroredTry,
    MirroredWith,
    Step,
    forward_sweep,
    is_idle,
)
from tapeless.differentiate.reverse.saves import Saves
from tapeless.tree.classes import LOOPS
from tapeless.tree.endings import own_jumps
from tapeless.tree.liveness import live_in
from tapeless.tree.names import binds, binds_in_block


class Recorder:
    """Puts saves and restores into the items of a function.

    Attributes
    ----------
    saving
        Makes them.
    inserting
        Whether they are put in, or just what is live is found.
    """

    def __init__(self, saving: Saves) -> None:
        self.saving = saving
        self.inserting = False

    def record(self, items: list[Mirrored]) -> list[Mirrored]:
        """Insert all saves of a function's body."""
        self.inserting = True
        self.block(items, set())
        return items

    def block(self, items: list[Mirrored], live: set[str]) -> set[str]:
        """Walk forward; `live` are names whose value some reverse statement before needs."""
        for item in items:
            live = getattr(self, f"do_{type(item).__name__}")(item, live)
        return live

    def do_Step(self, item: Step, live: set[str]) -> set[str]:
        wanted = self.saving.needed(item.reverse)
        bound = set().union(*(binds(s) for s in item.forward)) if item.forward else set()
        operands = wanted - bound
        live = live | operands
        lost = sorted((live & bound) - self.saving.counts)
        if lost and self.inserting:
            saves, restores = self.saving.save(lost)
            item.forward = [*saves, *item.forward]
            item.reverse = [*item.reverse, *restores]
        return (live - bound) | (wanted & bound)

    def do_Branch(self, item: Branch, live: set[str]) -> set[str]:
        if is_idle(item) and not is_passed_by(item):
            return self.as_one_step(item, live)
        needed = self.saving.needed
        after = self.block(item.body, live | needed(item.ends[0]))
        after |= self.block(item.orelse, live | needed(item.ends[1]))
        return after | needed(item.lead) | needed([gast.Expr(item.reverse_test)])

    def as_one_step(self, item: Branch | Loop, live: set[str]) -> set[str]:
        """Save before what has nothing to reverse all that it may overwrite.

        Its test need not be known in the reverse sweep then, nor how many trips were made.
        """
        bound = set().union(*(binds(s) for s in forward_sweep([item])))
        lost = sorted((live & bound) - self.saving.counts)
        if lost and self.inserting:
            saves, restores = self.saving.save(lost)
            item.before = [*saves, *item.before]
            item.reverse = [*item.reverse, *restores]
        return (live - bound) | self.saving.needed(item.lead)

    def do_Continuation(self, item: Continuation, live: set[str]) -> set[str]:
        needed = self.saving.needed
        after = live | self.block(item.body, live | needed(item.end))
        return after | needed(item.lead) | needed([gast.Expr(item.reverse_test)])

    def do_MirroredWith(self, item: MirroredWith, live: set[str]) -> set[str]:
        return self.block(item.body, live)

    def do_MirroredBody(self, item: MirroredBody, live: set[str]) -> set[str]:
        return self.block(item.body, live)

    def do_MirroredTry(self, item: MirroredTry, live: set[str]) -> set[str]:
        return self.attempted(item, live)

    def do_Finally(self, item: Finally, live: set[str]) -> set[str]:
        return self.attempted(item, live)

    def attempted(self, item: MirroredTry | Finally, live: set[str]) -> set[str]:
        """Save before a `try` what it may lose; what is saved in it is kept in names.

        A stack that an interrupted body had pushed to would no longer match the reverse sweep. A loop
        around the `try` saves these names as it saves others.
        """
        bound = set().union(*(binds(s) for s in forward_sweep([item])))
        lost = sorted(live & bound)
        if lost and self.inserting:
            saves, restores = self.saving.save(lost)
            item.before = [*saves, *item.before]
            item.reverse = [*item.reverse, *restores]
        made = len(self.saving.kept_in_names)
        depth, self.saving.depth = self.saving.depth, 0
        self.saving.loops_around += depth
        after = self.block(item.body, live - bound)
        if isinstance(item, MirroredTry):
            _save_on_each_way(item.body, item)
        self.saving.loops_around -= depth
        self.saving.depth = depth
        lead = item.lead if isinstance(item, MirroredTry) else []
        return after | set(self.saving.kept_in_names[made:]) | self.saving.needed(lead)

    def do_Loop(self, item: Loop, live: set[str]) -> set[str]:
        live = live | self.saving.needed(item.reverse)
        if is_idle(item):
            return self.block(item.orelse, self.as_one_step(item, live))
        forward = forward_sweep([item])
        bound = binds(forward[-1])
        s = item.statement
        carried = bound & live_in([*forward_sweep(item.body), *item.forward_end]).entry
        carried -= binds(s.target) if type(s) is gast.For else set()
        targets = item.rebinds
        local = bound - carried - targets
        lost = sorted(live & (local | targets))
        if lost and self.inserting:
            saves, restores = self.saving.save(lost)
            item.before = [*saves, *item.before]
            item.reverse = [*item.reverse, *restores]
        live = live - local - targets
        inserting, self.inserting = self.inserting, False
        self.saving.depth += 1
        head = set(live)
        while True:
            end = self.body(item, set(head))
            grown = head | (end - local - targets)
            if grown == head:
                break
            head = grown
        self.inserting = inserting
        made = len(self.saving.kept_in_names)
        end = self.body(item, set(head))
        local |= set(self.saving.kept_in_names[made:])
        again = targets & binds_in_block(
            forward_sweep(item.body)
        )  # the header gives the first value
        kept = sorted(end & (local | again))
        if kept and inserting:
            keep(self.saving, item, kept)
        self.saving.depth -= 1
        after = head | (end - local - targets)
        if item.header is not None:
            after |= self.saving.needed([gast.Expr(item.header.iter)])
        after |= self.saving.needed(item.lead)
        return self.block(item.orelse, after)

    def body(self, item: Loop, live: set[str]) -> set[str]:
        live = live | self.saving.needed(item.end)
        end = self.block(item.body, live)
        return end | self.saving.needed(item.start)


def is_passed_by(item: Branch) -> bool:
    """Whether a branch is the `else` of a loop out of which a jump may lead past it."""
    return type(item.statement) in LOOPS and bool(own_jumps(item.statement))


def _save_on_each_way(items: list[Mirrored], attempt: MirroredTry) -> None:
    """Put what is saved before a choice between the ways through a `try` at the start of each of them.

    The choice is one of the reverse sweep: forward, the handlers are entered from within the body.
    """
    for choice in items:
        ways = _ways_within(choice, attempt.ways)
        if not isinstance(choice, Branch) or not ways:
            continue
        for way in ways if choice.before else []:
            marked = attempt.mark is not None and attempt.mark in binds_in_block(
                forward_sweep(way[:1])
            )
            way.insert(1 if marked else 0, Step(None, copy.deepcopy(choice.before)))
        choice.before = []
        _save_on_each_way(choice.orelse, attempt)


def _ways_within(choice: Mirrored, ways: list[list[Mirrored]]) -> list[list[Mirrored]]:
    """List the ways through a `try` that an item chooses between, if it does."""
    if not isinstance(choice, Branch):
        return []
    found: list[list[Mirrored]] = []
    for arm in (choice.body, choice.orelse):
        itself = [way for way in ways if way is arm]
        found += itself or [way for item in arm for way in _ways_within(item, ways)]
    return found
