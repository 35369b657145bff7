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
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import gast

from tapeless.analysis.repeatable import added_to
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
    reverse_sweep,
)
from tapeless.tree.assigned import Assigned
from tapeless.tree.build import assign, name, name_tuple, quote, target
from tapeless.tree.endings import always_leaves, own_jumps
from tapeless.tree.liveness import live_in
from tapeless.tree.names import Names, binds, binds_in_block, reads


@dataclass
class Recorder:
    """Puts saves and restores into the items of a function.

    Attributes
    ----------
    primals
        The names of the forward sweep.
    names
        Gives fresh names for stacks and second versions.
    stacks
        The stacks made, to be emptied at the start of the forward sweep.
    copies
        The names made to keep the values of others.
    counts
        Names that are asked for by their last value only.
    """

    primals: set[str]
    names: Names
    stacks: list[str] = field(default_factory=list)
    copies: set[str] = field(default_factory=set)
    inserting: bool = False
    depth: int = 0
    loops_around: int = 0
    counts: frozenset[str] = frozenset()
    kept_in_names: list[str] = field(default_factory=list)

    def record(self, items: list[Mirrored]) -> list[Mirrored]:
        """Insert all saves of a function's body."""
        self.inserting = True
        self.block(items, set())
        return items

    def needed(self, statements: Iterable[Any]) -> set[str]:
        """Collect the primal names that reverse statements read."""
        found: set[str] = set()
        bound: set[str] = set()
        for statement in statements:
            found |= set(reads(statement)) - bound
            if isinstance(statement, gast.AugAssign) and isinstance(statement.target, gast.Name):
                found.add(statement.target.id)
            if isinstance(statement, gast.Assign):
                bound |= binds(statement)
        return found & self.primals

    # Blocks

    def block(self, items: list[Mirrored], live: set[str]) -> set[str]:
        """Walk forward; `live` are names whose value some reverse statement before needs."""
        for item in items:
            live = getattr(self, f"do_{type(item).__name__}")(item, live)
        return live

    def do_Step(self, item: Step, live: set[str]) -> set[str]:
        wanted = self.needed(item.reverse)
        bound = set().union(*(binds(s) for s in item.forward)) if item.forward else set()
        operands = wanted - bound
        live = live | operands
        lost = sorted((live & bound) - self.counts)
        if lost and self.inserting:
            saves, restores = self.save(lost)
            item.forward = [*saves, *item.forward]
            item.reverse = [*item.reverse, *restores]
        return (live - bound) | (wanted & bound)

    def do_Branch(self, item: Branch, live: set[str]) -> set[str]:
        if is_idle(item) and not is_passed_by(item):
            return self.as_one_step(item, live)
        after = self.block(item.body, live | self.needed(item.ends[0]))
        after |= self.block(item.orelse, live | self.needed(item.ends[1]))
        return after | self.needed(item.lead) | self.needed([gast.Expr(item.reverse_test)])

    def as_one_step(self, item: Branch | Loop, live: set[str]) -> set[str]:
        """Save before what has nothing to reverse all that it may overwrite.

        Its test need not be known in the reverse sweep then, nor how many trips were made.
        """
        bound = set().union(*(binds(s) for s in forward_sweep([item])))
        lost = sorted((live & bound) - self.counts)
        if lost and self.inserting:
            saves, restores = self.save(lost)
            item.before = [*saves, *item.before]
            item.reverse = [*item.reverse, *restores]
        return (live - bound) | self.needed(item.lead)

    def do_Continuation(self, item: Continuation, live: set[str]) -> set[str]:
        after = live | self.block(item.body, live | self.needed(item.end))
        return after | self.needed(item.lead) | self.needed([gast.Expr(item.reverse_test)])

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
            saves, restores = self.save(lost)
            item.before = [*saves, *item.before]
            item.reverse = [*item.reverse, *restores]
        made = len(self.kept_in_names)
        depth, self.depth = self.depth, 0
        self.loops_around += depth
        after = self.block(item.body, live - bound)
        if isinstance(item, MirroredTry):
            _save_on_each_way(item.body, item)
        self.loops_around -= depth
        self.depth = depth
        lead = item.lead if isinstance(item, MirroredTry) else []
        return after | set(self.kept_in_names[made:]) | self.needed(lead)

    # Loops

    def do_Loop(self, item: Loop, live: set[str]) -> set[str]:
        live = live | self.needed(item.reverse)
        if is_idle(item):
            return self.block(item.orelse, self.as_one_step(item, live))
        forward = forward_sweep([item])
        bound = binds(forward[-1])
        s = item.statement
        carried = bound & live_in([*forward_sweep(item.body), *item.forward_end]).entry
        carried -= binds(s.target) if isinstance(s, gast.For) else set()
        targets = item.rebinds
        local = bound - carried - targets
        lost = sorted(live & (local | targets))
        if lost and self.inserting:
            saves, restores = self.save(lost)
            item.before = [*saves, *item.before]
            item.reverse = [*item.reverse, *restores]
        live = live - local - targets
        inserting, self.inserting = self.inserting, False
        self.depth += 1
        head = set(live)
        while True:
            end = self.body(item, set(head))
            grown = head | (end - local - targets)
            if grown == head:
                break
            head = grown
        self.inserting = inserting
        made = len(self.kept_in_names)
        end = self.body(item, set(head))
        local |= set(self.kept_in_names[made:])
        again = targets & binds_in_block(
            forward_sweep(item.body)
        )  # the header gives the first value
        kept = sorted(end & (local | again))
        if kept and inserting:
            self.keep(item, kept)
        self.depth -= 1
        after = head | (end - local - targets)
        if item.header is not None:
            after |= self.needed([gast.Expr(item.header.iter)])
        after |= self.needed(item.lead)
        return self.block(item.orelse, after)

    def body(self, item: Loop, live: set[str]) -> set[str]:
        live = live | self.needed(item.end)
        end = self.block(item.body, live)
        return end | self.needed(item.start)

    def keep(self, item: Loop, kept: list[str]) -> None:
        """Save names that are local to a loop's body by their value."""
        if _first_jump(item.body) is None:
            kept = self.keep_in_branches(item.body, kept)
            if kept:
                saves, restores = self.save(kept)
                item.forward_end = [*item.forward_end, *saves]
                item.start = [*item.start, *restores]
            return
        item.start = [*item.start, *self.keep_in_block(item.body, kept)]

    def keep_in_block(self, items: list[Mirrored], kept: list[str]) -> list[Any]:
        """Save names where control may leave a block, and at its end.

        A save stands at the last place before a jump; what is bound after that place is saved
        again, in the part of the block that binds it.

        Returns
        -------
        What restores the names when the reverse sweep of the block starts.
        """
        kept = self.keep_in_branches(items, kept)
        jump = _first_jump(items)
        before, after = (items, []) if jump is None else (items[:jump], items[jump:])
        asked = self.needed(reverse_sweep(before))
        early = [k for k in kept if k in asked or self.asks(after, k)]
        rebound: set[str] = set()
        for item in after:
            rebound |= set().union(*(binds(s) for s in forward_sweep([item])))
            again = [k for k in kept if k in rebound and k in self.needed(reverse_sweep([item]))]
            self.keep_after_jump(items, item, again)
        if not early:
            return []
        saves, restores = self.save(early)
        items.insert(len(before), Step(None, saves))
        return restores

    def keep_after_jump(self, items: list[Mirrored], item: Mirrored, kept: list[str]) -> None:
        """Save names that an item which may jump, or one before it, binds."""
        if not kept:
            return
        if isinstance(item, Step):
            saves, restores = self.save(kept)
            item.forward = [*item.forward, *saves]
            item.reverse = [*restores, *item.reverse]
        elif isinstance(item, Loop):
            rest = next((r for r in items if isinstance(r, Continuation)), None)
            saves, restores = self.save(kept)
            leaves = any(map(own_jumps, forward_sweep(item.orelse)))
            if rest is not None and not leaves:
                rest.body.insert(0, Step(None, saves, restores))
                return
            position = next(i for i, other in enumerate(items) if other is item)
            items.insert(position + 1, Step(None, saves))
            _save_at_returns(item.body, saves)
            _save_at_jumps(item.orelse, saves)
            item.lead = [*restores, *item.lead]
        else:
            if isinstance(item, MirroredTry) and item.mark in kept:
                if any(map(own_jumps, forward_sweep([item]))):
                    self.keep_mark(item, item.mark)
                    kept = [k for k in kept if k != item.mark]
            blocks = [item.body, item.orelse] if isinstance(item, Branch) else [item.body]
            for block in blocks:
                own = [k for k in kept if k in self.needed(reverse_sweep(block))]
                if own:
                    block.append(Step(None, [], self.keep_in_block(block, own)))

    def keep_mark(self, item: MirroredTry, mark: str) -> None:
        """Save which handler took over on each way, before it may jump."""
        saves, restores = self.save([mark])
        body, *handlers = item.ways
        for way in handlers:
            if mark in binds_in_block(forward_sweep(way[:1])):
                way.insert(1, Step(None, copy.deepcopy(saves)))
        _save_at_jumps(body, saves)
        if not always_leaves(forward_sweep(body)):
            body.append(Step(None, copy.deepcopy(saves)))
        item.body.append(Step(None, [], restores))

    def asks(self, items: list[Mirrored], key: str) -> bool:
        """Whether the reverse sweep of items reads what a name held before them."""
        for item in items:
            if isinstance(item, Step):
                bound = set().union(*(binds(s) for s in item.forward))
                if key not in bound and key in self.needed(item.reverse):
                    return True
            elif isinstance(item, Loop):
                own = any(key in binds(s) for s in forward_sweep([item]))
                if not own and key in self.needed(reverse_sweep([item])):
                    return True
            else:
                if key in self.needed(_own_reverse(item)) or self.asks(item.body, key):
                    return True
                if isinstance(item, Branch) and self.asks(item.orelse, key):
                    return True
            if key in Assigned(forward_sweep([item]), ()).end:
                return False
        return False

    def keep_in_branches(self, items: list[Mirrored], kept: list[str]) -> list[str]:
        """Save at the end of a branch what is bound and needed there only; give the rest."""
        rest = list(kept)
        for item in items:
            if not isinstance(item, Branch):
                continue
            others = [i for i in items if i is not item]
            for arm, other in ((item.body, item.orelse), (item.orelse, item.body)):
                own = [n for n in rest if not _mentions([*others, *other], n) and _mentions(arm, n)]
                own = [n for n in own if n not in reads(item.test)]
                if own and _first_jump(arm) is None:
                    inner = self.keep_in_branches(arm, own)
                    rest = [n for n in rest if n not in own]
                    if inner:
                        saves, restores = self.save(inner)
                        arm.append(Step(None, saves, restores))
        return rest

    # Saves

    def save(self, kept: list[str]) -> tuple[list[Any], list[Any]]:
        """Make the statements that save names and those that restore them."""
        if not self.depth:
            saves, restores = [], []
            for key in kept:
                old = self.names.fresh(key)
                self.copies.add(old)
                saves.append(assign(old, name(key)))
                restores.append(assign(key, name(old)))
                if self.loops_around:
                    self.primals.add(old)
                    self.kept_in_names.append(old)
            return saves, restores
        stack = self.names.fresh("saved")
        self.stacks.append(stack)
        if len(kept) == 1:
            push = quote("stack.append(x)", stack=stack, x=kept[0])
            return push, [assign(kept[0], quote("stack.pop()", stack=stack)[0].value)]
        push = quote("stack.append(x)", stack=stack, x=name_tuple(kept))
        pop = gast.Assign(
            [gast.Tuple([target(k) for k in kept], gast.Store())],
            quote("stack.pop()", stack=stack)[0].value,
            None,
        )
        return push, [pop]

    def unset(self, forward: list[Any], bound: set[str]) -> list[str]:
        """List the names that a forward sweep may save before it binds them."""
        before = Assigned(forward, bound).before
        exposed = (self.saved_in(s) - known for s, known in before.items())
        return sorted(self.primals.intersection(set().union(*exposed)))

    def saved_in(self, s: Any) -> set[str]:
        """Return the names that a statement saves."""
        if isinstance(s, gast.Assign) and binds(s) <= self.copies:
            return set(reads(s))
        if isinstance(s, gast.Expr) and added_to(s) in self.stacks:
            return set(reads(s)) - set(self.stacks)
        return set()


_JUMPS = (gast.Return, gast.Break, gast.Continue)


def is_passed_by(item: Branch) -> bool:
    """Whether a branch is the `else` of a loop out of which a jump may lead past it."""
    return isinstance(item.statement, gast.For | gast.While) and bool(own_jumps(item.statement))


def _first_jump(items: list[Mirrored]) -> int | None:
    for i, item in enumerate(items):
        if any(map(own_jumps, forward_sweep([item]))):
            return i
    return None


def _mentions(items: list[Mirrored], key: str) -> bool:
    statements = [*forward_sweep(items), *reverse_sweep(items)]
    return any(key in reads(s) or key in binds(s) for s in statements)


def _save_at_returns(items: list[Mirrored], saves: list[Any]) -> None:
    """Put saves before every return in a block."""
    for item in items:
        if not isinstance(item, Step):
            _save_at_returns(item.body, saves)
            if isinstance(item, Branch | Loop):
                _save_at_returns(item.orelse, saves)
        elif item.forward and isinstance(item.forward[-1], gast.Return):
            item.forward = [*item.forward[:-1], *copy.deepcopy(saves), item.forward[-1]]


def _save_at_jumps(items: list[Mirrored], saves: list[Any]) -> None:
    """Put saves before everything in a block that leaves it."""
    for item in items:
        if isinstance(item, Loop):
            _save_at_returns(item.body, saves)
            _save_at_jumps(item.orelse, saves)
        elif not isinstance(item, Step):
            _save_at_jumps(item.body, saves)
            if isinstance(item, Branch):
                _save_at_jumps(item.orelse, saves)
        elif item.forward and isinstance(item.forward[-1], _JUMPS):
            item.forward = [*item.forward[:-1], *copy.deepcopy(saves), item.forward[-1]]


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


def _own_reverse(item: Mirrored) -> list[Any]:
    """List what an item itself adds to the reverse sweeps of its blocks."""
    if isinstance(item, Branch):
        return [*item.lead, gast.Expr(item.reverse_test), *item.ends[0], *item.ends[1]]
    if isinstance(item, Continuation):
        return [*item.lead, gast.Expr(item.reverse_test), *item.end]
    return []
