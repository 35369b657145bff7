"""What is local to a trip of a loop, kept by its value where the trip ends.

A trip ends at its end or at a jump, so a save stands at the last place before each jump and at the end.
What is bound and needed in one branch only is saved at the end of that branch.
"""

from __future__ import annotations

import copy

import gast

from tapeless.differentiate.reverse.mirrored import (
    Branch,
    Continuation,
    Loop,
    Mirrored,
    MirroredTry,
    Step,
    forward_sweep,
    reverse_sweep,
)
from tapeless.differentiate.reverse.saves import Saves
from tapeless.tree.assigned import Assigned
from tapeless.tree.classes import LEAVING
from tapeless.tree.endings import always_leaves, own_jumps
from tapeless.tree.names import binds, binds_in_block, reads
from tapeless.tree.trees import Stmt


def keep(saving: Saves, item: Loop, kept: list[str]) -> None:
    """Save names that are local to a loop's body by their value."""
    if _first_jump(item.body) is None:
        kept = _keep_in_branches(saving, item.body, kept)
        if kept:
            saves, restores = saving.save(kept)
            item.forward_end = [*item.forward_end, *saves]
            item.start = [*item.start, *restores]
        return
    item.start = [*item.start, *_keep_in_block(saving, item.body, kept)]


def _keep_in_block(saving: Saves, items: list[Mirrored], kept: list[str]) -> list[Stmt]:
    """Save names where control may leave a block, and at its end.

    A save stands at the last place before a jump; what is bound after that place is saved
    again, in the part of the block that binds it.

    Returns
    -------
    What restores the names when the reverse sweep of the block starts.
    """
    kept = _keep_in_branches(saving, items, kept)
    jump = _first_jump(items)
    before, after = (items, []) if jump is None else (items[:jump], items[jump:])
    asked = saving.needed(reverse_sweep(before))
    early = [k for k in kept if k in asked or _asks(saving, after, k)]
    rebound: set[str] = set()
    for item in after:
        rebound |= set().union(*(binds(s) for s in forward_sweep([item])))
        again = [k for k in kept if k in rebound and k in saving.needed(reverse_sweep([item]))]
        _keep_after_jump(saving, items, item, again)
    if not early:
        return []
    saves, restores = saving.save(early)
    items.insert(len(before), Step(None, saves))
    return restores


def _keep_after_jump(saving: Saves, items: list[Mirrored], item: Mirrored, kept: list[str]) -> None:
    """Save names that an item which may jump, or one before it, binds."""
    if not kept:
        return
    if isinstance(item, Step):
        saves, restores = saving.save(kept)
        item.forward = [*item.forward, *saves]
        item.reverse = [*restores, *item.reverse]
    elif isinstance(item, Loop):
        rest = next((r for r in items if isinstance(r, Continuation)), None)
        saves, restores = saving.save(kept)
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
                _keep_mark(saving, item, item.mark)
                kept = [k for k in kept if k != item.mark]
        blocks = [item.body, item.orelse] if isinstance(item, Branch) else [item.body]
        for block in blocks:
            own = [k for k in kept if k in saving.needed(reverse_sweep(block))]
            if own:
                block.append(Step(None, [], _keep_in_block(saving, block, own)))


def _keep_mark(saving: Saves, item: MirroredTry, mark: str) -> None:
    """Save which handler took over on each way, before it may jump."""
    saves, restores = saving.save([mark])
    body, *handlers = item.ways
    for way in handlers:
        if mark in binds_in_block(forward_sweep(way[:1])):
            way.insert(1, Step(None, copy.deepcopy(saves)))
    _save_at_jumps(body, saves)
    if not always_leaves(forward_sweep(body)):
        body.append(Step(None, copy.deepcopy(saves)))
    item.body.append(Step(None, [], restores))


def _asks(saving: Saves, items: list[Mirrored], key: str) -> bool:
    """Whether the reverse sweep of items reads what a name held before them."""
    for item in items:
        if isinstance(item, Step):
            bound = set().union(*(binds(s) for s in item.forward))
            if key not in bound and key in saving.needed(item.reverse):
                return True
        elif isinstance(item, Loop):
            own = any(key in binds(s) for s in forward_sweep([item]))
            if not own and key in saving.needed(reverse_sweep([item])):
                return True
        else:
            if key in saving.needed(_own_reverse(item)) or _asks(saving, item.body, key):
                return True
            if isinstance(item, Branch) and _asks(saving, item.orelse, key):
                return True
        if key in Assigned(forward_sweep([item]), ()).end:
            return False
    return False


def _keep_in_branches(saving: Saves, items: list[Mirrored], kept: list[str]) -> list[str]:
    """Save at the end of a branch what is bound and needed there only; return the rest."""
    rest = list(kept)
    for item in items:
        if not isinstance(item, Branch):
            continue
        others = [i for i in items if i is not item]
        for arm, other in ((item.body, item.orelse), (item.orelse, item.body)):
            own = [n for n in rest if not _mentions([*others, *other], n) and _mentions(arm, n)]
            own = [n for n in own if n not in reads(item.test)]
            if own and _first_jump(arm) is None:
                inner = _keep_in_branches(saving, arm, own)
                rest = [n for n in rest if n not in own]
                if inner:
                    saves, restores = saving.save(inner)
                    arm.append(Step(None, saves, restores))
    return rest


def _first_jump(items: list[Mirrored]) -> int | None:
    for i, item in enumerate(items):
        if any(map(own_jumps, forward_sweep([item]))):
            return i
    return None


def _mentions(items: list[Mirrored], key: str) -> bool:
    statements = [*forward_sweep(items), *reverse_sweep(items)]
    return any(key in reads(s) or key in binds(s) for s in statements)


def _save_at_returns(items: list[Mirrored], saves: list[Stmt]) -> None:
    """Put saves before every return in a block."""
    for item in items:
        if not isinstance(item, Step):
            _save_at_returns(item.body, saves)
            if isinstance(item, (Branch, Loop)):
                _save_at_returns(item.orelse, saves)
        elif item.forward and type(item.forward[-1]) is gast.Return:
            item.forward = [*item.forward[:-1], *copy.deepcopy(saves), item.forward[-1]]


def _save_at_jumps(items: list[Mirrored], saves: list[Stmt]) -> None:
    """Put saves before everything in a block that leaves it."""
    for item in items:
        if isinstance(item, Loop):
            _save_at_returns(item.body, saves)
            _save_at_jumps(item.orelse, saves)
        elif not isinstance(item, Step):
            _save_at_jumps(item.body, saves)
            if isinstance(item, Branch):
                _save_at_jumps(item.orelse, saves)
        elif item.forward and type(item.forward[-1]) in LEAVING:
            item.forward = [*item.forward[:-1], *copy.deepcopy(saves), item.forward[-1]]


def _own_reverse(item: Mirrored) -> list[Stmt]:
    """List what an item itself adds to the reverse sweeps of its blocks."""
    if isinstance(item, Branch):
        return [*item.lead, gast.Expr(item.reverse_test), *item.ends[0], *item.ends[1]]
    if isinstance(item, Continuation):
        return [*item.lead, gast.Expr(item.reverse_test), *item.end]
    return []
