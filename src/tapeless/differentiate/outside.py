"""State outside the arguments: globals, captured objects, defaults.

The reverse sweep undoes stores into such state as it undoes all others, and what it undid must not
stay undone: after a derivative the state is as one plain call leaves it. So the function that a user
calls keeps, between its sweeps, what every such array, list, dict or object holds, and gives it back
at the end:

    history_end = history.copy()
    ...                             # the reverse sweep
    history[...] = history_end

What no name leads to (the items of a list outside, a mutable default) is kept by the adjoint memory
where it is first undone. A pullback that a user is given works on a copy of its own instead: see
`held_outside`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import reachable
from tapeless.analysis.facts import Callee
from tapeless.differentiate.plain import argument
from tapeless.differentiate.reverse.state import Sweep
from tapeless.kinds import Region, regions_of, regions_within
from tapeless.regions import is_holder, is_outside
from tapeless.runtime.adjoints import held_by
from tapeless.tree.build import const, filled, name, quote, quote_expression
from tapeless.tree.names import binds_in_block, reads
from tapeless.tree.trees import Stmt, Tree


def note_undone(sweep: Sweep, s: Stmt, owner: Any) -> None:
    """Remember that a store is undone; keep, here, what no name leads to."""
    regions = regions_of(sweep.operand_kind(s, owner))
    sweep.undone |= sweep.facts.with_passed_on(regions)
    if not sweep.module.public and any(is_outside(r) and not paths_to(sweep, r) for r in regions):
        arguments = _of_arguments(regions)
        keeper = _keeping_all(sweep, owner, arguments)
        if not arguments:
            keeper = quote_expression("m.keep(x)", m=sweep.memory_name(), x=owner)
        sweep.out.append(gast.Expr(keeper))


def note_undone_by_call(sweep: Sweep, callee: Callee, split: Any, arguments: list[Any]) -> None:
    """Remember what the reverse sweep of a callee may undo; keep, here, what no name leads to.

    What the callee finds outside itself it keeps; what it is handed is known to be outside here.
    """
    undone = undone_by_call(callee, split)
    sweep.undone |= sweep.facts.with_passed_on(set().union(*undone.values()))
    if sweep.module.public:
        return
    handed = {
        inner
        for inner, outer in undone.items()
        if not is_outside(inner) and any(is_outside(r) and not paths_to(sweep, r) for r in outer)
    }
    for i, (arg, value) in enumerate(zip(arguments, callee.values, strict=True)):
        if reachable([value.kind], callee.heap) & handed:
            outer = [callee.seen_by_caller(r) for r in reachable([value.kind], callee.heap)]
            held = set().union(*outer) & sweep.undone
            passed = argument(sweep, arg, callee, i)
            sweep.out.append(gast.Expr(_keeping_all(sweep, passed, _of_arguments(held))))


def undone_by_call(callee: Callee, split: Any) -> dict[Region, frozenset[Region]]:
    """Return what the reverse sweep of a callee may undo, and what that is for its caller."""
    inside = split.undone
    if inside is None:  # it calls itself
        inside = callee.facts.with_passed_on(callee.facts.stored)
    return {region: callee.seen_by_caller(region) for region in inside}


def paths_to(sweep: Sweep, region: Region) -> list[tuple[Any, Any]]:
    """Return expressions for what is outside, and the objects; none where no name surely leads there."""
    named = sweep.program.outside.get(region[:2], {}).values()
    return [path for entry in named if (path := _path_to(sweep, region, *entry)) is not None]


def _path_to(sweep: Sweep, region: Region, function: Any, tree: Tree, thing: Any) -> Any:
    names = dict.fromkeys(reads(tree))
    called = sweep.splicer.renamed_externals(names, function.externals, set())
    path: Any = filled(tree, called)
    for depth, slot in enumerate(region[2:], start=2):
        if region[:depth] in sweep.module.stored or not isinstance(slot, str) or slot == "*":
            return None
        if isinstance(thing, dict) and slot in thing:
            path, thing = gast.Subscript(path, const(slot), gast.Load()), thing[slot]
        elif slot in (held_by(thing) or {}):
            path, thing = gast.Attribute(path, slot, gast.Load()), getattr(thing, slot)
        else:
            return None
    return path, thing


def _paths_undone(sweep: Sweep) -> list[list[tuple[Any, Any]]]:
    """Return what leads to each region outside in which stores are undone."""
    regions = sorted(filter(is_outside, sweep.undone), key=repr)
    return [paths_to(sweep, region) for region in regions]


def _keeping_what_escapes(sweep: Sweep) -> list[Any]:
    """Keep things that were made here and that state outside holds now, if stores there are undone.

    Arguments that it holds as well stay unchanged, as all arguments do.
    """
    heap = sweep.known.heap
    undone = {r for r in sweep.undone if not is_outside(r)}
    held = {
        region: reachable([v.kind for v in slots.values()], heap) & undone
        for region, slots in heap.items()
        if is_outside(region)
    }
    held = {region: found for region, found in held.items() if found - _of_arguments(found)}
    kept: list[Any] = []
    for root in sorted({region[:2] for region in held}, key=repr):
        inside = set().union(*(found for region, found in held.items() if region[:2] == root))
        for path, _ in paths_to(sweep, root):
            for tree in _holding_things(sweep, root, path):
                kept.append(gast.Expr(_keeping_all(sweep, tree, _of_arguments(inside))))
    return kept


def _holding_things(sweep: Sweep, root: Region, path: Any) -> list[Any]:
    """Return the tree of a thing outside; of a class or module those of what it holds and texts store."""
    if not is_holder(root):
        return [path]
    slots = sweep.known.heap[root].items()
    asked = sweep.runtime("slot")
    return [
        quote_expression("slot(m, key)", slot=asked, m=path, key=const(key))
        for key, value in slots
        if regions_within(value.kind)
    ]


def _keeping_all(sweep: Sweep, tree: Tree, arguments: set[Region]) -> Any:
    """Write the call that keeps what a thing holds, but for what it shares with arguments."""
    keeper: Any = quote_expression("m.keep_all(x)", m=sweep.memory_name(), x=tree)
    keeper.args += _parameters_holding(sweep, arguments)
    return keeper


def _of_arguments(regions: Iterable[Region]) -> set[Region]:
    return {region for region in regions if region[0] == "argument"}


def _parameters_holding(sweep: Sweep, regions: set[Region]) -> list[Any]:
    """Name the parameters through which regions come in."""
    found = []
    for key in sorted({sweep.function.parameters[int(str(region[1]))] for region in regions}):
        if key in binds_in_block(sweep.function.tree.body):
            raise sweep.function.error(
                sweep.function.tree,
                f"'{key}' is stored into, kept outside the function, and bound anew",
                "bind another name",
            )
        found.append(name(key))
    return found


def state_kept(sweep: Sweep) -> tuple[list[Any], list[Any]]:
    """Write what keeps state outside before a reverse sweep, and what gives it back afterwards."""
    start: list[Any] = []
    end: list[Any] = []
    undone = _paths_undone(sweep)
    start += _keeping_what_escapes(sweep)
    by_memory = not all(undone) or bool(start)
    for path, thing in chain.from_iterable(undone):
        if not isinstance(thing, np.ndarray):
            by_memory = True
            start += quote("m.keep(x)", m=sweep.memory_name(), x=path)
            continue
        label = path.attr if type(path) is gast.Attribute else getattr(path, "id", "state")
        kept = sweep.names.fresh(f"{label}_end")
        start += quote("kept = x.copy()", kept=kept, x=path)
        end += quote("x[...] = kept", x=path, kept=kept)
    if by_memory:
        end += quote("m.put_back()", m=sweep.memory_name())
    return start, end
