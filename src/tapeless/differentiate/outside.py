"""State outside the arguments: globals, captured objects, defaults.

The reverse sweep undoes stores into such state as it undoes all others, and what it undid must not
stay undone: after a derivative the state is as one plain call leaves it. So the function that a user
calls keeps, between its sweeps, what every such array, list, dict or object holds, and gives it back
at the end:

    history_end = history.copy()
    ...                             # the reverse sweep
    history[...] = history_end

What no name leads to (the items of a list outside, a mutable default) is kept by the adjoint memory
where it is first undone.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

import gast
import numpy as np

from tapeless.kinds import Region, is_outside, regions_of
from tapeless.runtime.adjoints import held_by
from tapeless.tree.build import const, filled, quote, quote_expression


def note_undone(sweep: Any, s: Any, owner: Any) -> None:
    """Remember that a store is undone; keep, here, what no name leads to."""
    regions = regions_of(sweep.operand_kind(s, owner))
    sweep.undone |= regions
    if any(is_outside(r) and not paths_to(sweep, r) for r in regions):
        sweep.out.append(gast.Expr(quote_expression("m.keep(x)", m=sweep.memory_name(), x=owner)))


def undone_by_call(callee: Any, split: Any) -> set[Region]:
    """Give what the reverse sweep of a callee may undo, as its caller sees it."""
    inside = callee.facts.stored if split.undone is None else split.undone  # None: it calls itself
    return {outer for region in inside for outer in callee.seen_by_caller(region)}


def paths_to(sweep: Any, region: Region) -> list[tuple[Any, Any]]:
    """Give expressions for what is outside, and the objects; none where no name surely leads there."""
    named = sweep.effects.outside.get(region[:2], {}).values()
    return [path for entry in named if (path := _path_to(sweep, region, *entry)) is not None]


def _path_to(sweep: Any, region: Region, function: Any, tree: Any, thing: Any) -> Any:
    path: Any = filled(tree, sweep.splicer.renamed_externals(tree, function.externals, set()))
    for depth, slot in enumerate(region[2:], start=2):
        if region[:depth] in sweep.facts.stored or not isinstance(slot, str) or slot == "*":
            return None
        if isinstance(thing, dict) and slot in thing:
            path, thing = gast.Subscript(path, const(slot), gast.Load()), thing[slot]
        elif slot in (held_by(thing) or {}):
            path, thing = gast.Attribute(path, slot, gast.Load()), getattr(thing, slot)
        else:
            return None
    return path, thing


def outside_undone(sweep: Any) -> list[tuple[Any, Any]]:
    """Give expressions for the state outside in which stores are undone, and the objects."""
    return list(chain.from_iterable(_paths_undone(sweep)))


def _paths_undone(sweep: Any) -> list[list[tuple[Any, Any]]]:
    """Give what leads to each region outside in which stores are undone."""
    regions = sorted(filter(is_outside, sweep.undone), key=repr)
    return [paths_to(sweep, region) for region in regions]


def with_state_kept(
    sweep: Any, reverse: list[Any], after_forward: list[Any] | None = None
) -> list[Any]:
    """Put around a reverse sweep what keeps state outside and gives it back.

    A pullback finds the state as the forward sweep left it, whatever happened to it since: what keeps
    it is added to `after_forward`.
    """
    start: list[Any] = []
    end: list[Any] = []
    undone = _paths_undone(sweep)
    by_memory = not all(undone)
    for path, thing in chain.from_iterable(undone):
        if not isinstance(thing, np.ndarray):
            by_memory = True
            start += quote("m.keep(x)", m=sweep.memory_name(), x=path)
            continue
        label = path.attr if isinstance(path, gast.Attribute) else getattr(path, "id", "state")
        kept = sweep.names.fresh(f"{label}_end")
        if after_forward is None:
            start += quote("kept = x.copy()", kept=kept, x=path)
            end += quote("x[...] = kept", x=path, kept=kept)
        else:
            now = sweep.names.fresh(f"{label}_now")
            after_forward += quote("kept = x.copy()", kept=kept, x=path)
            start += quote("now = x.copy()", now=now, x=path)
            start += quote("x[...] = kept", x=path, kept=kept)
            end += quote("x[...] = now", x=path, now=now)
    if by_memory:
        end += quote("m.put_back()", m=sweep.memory_name())
    return [*start, *reverse, *end]
