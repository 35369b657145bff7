"""Which regions of memory statements store into, and whether anything reads what is stored.

A region that nothing depends on, made here or outside and read by nobody, may hold what an interrupted
body has left in it.
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from tapeless.analysis.repeatable import added_to
from tapeless.differentiate.reverse.state import Sweep
from tapeless.kinds import Region, regions_of
from tapeless.regions import is_outside
from tapeless.rules.stores import method_stores
from tapeless.tree.build import name
from tapeless.tree.classes import ASSIGNMENTS
from tapeless.tree.endings import blocks_of
from tapeless.tree.names import nodes, reads
from tapeless.tree.trees import Stmt, Tree
from tapeless.variables import ASSIGNING


def stored_regions(sweep: Sweep, block: list[Stmt]) -> frozenset[Region]:
    """Collect the regions that the statements of a block store into."""
    found: set[Region] = set()
    for s in block:
        for part in nodes(s):
            if type(part) in ASSIGNMENTS:
                augmented = type(part) is gast.AugAssign
                for place in [part.target] if augmented else part.targets:
                    owner = getattr(place, "value", place if augmented else None)
                    if isinstance(owner, gast.Name):
                        found |= regions_of(sweep.operand_kind(part, name(owner.id)))
            if isinstance(part, (gast.Expr, gast.Assign)) and type(part.value) is gast.Call:
                func = part.value.func
                stores = type(func) is gast.Attribute and (
                    func.attr in ASSIGNING or method_stores(func.attr)
                )
                if stores:
                    found |= regions_of(sweep.operand_kind(part, func.value))
                if type(part) is gast.Expr:
                    for arg in filter(lambda arg: type(arg) is gast.Name, part.value.args):
                        found |= regions_of(sweep.operand_kind(part, arg)) & sweep.facts.stored
            callee = sweep.known.callees.get(part)
            if callee is not None:
                for region in callee.facts.stored:
                    found |= callee.regions.get(region, frozenset([region]))
    return frozenset(found)


def regions_made_in(sweep: Sweep, block: list[Stmt]) -> set[Any]:
    """Return the regions of what is made in a block."""
    inside = {id(part) for s in block for part in nodes(s)}
    tree = sweep.function.tree
    numbers = {i for i, part in enumerate(nodes(tree)) if id(part) in inside}
    results = sweep.known.results.values()
    found = {r for v in results for r in regions_of(v.kind)}
    here = ("made", sweep.function.name)
    return {r for r in found if r[:2] == here and r[2:3] and r[2] in numbers}


def is_idle(sweep: Sweep, region: Region) -> bool:
    """Whether nothing depends on what a region holds, and nobody sees that it is not undone."""
    if region in sweep.known.varied:
        return False
    made_here = region[:2] == ("made", sweep.function.name)
    if not (made_here or _is_outer_container(sweep, region)):
        return False
    return not _is_read(sweep, region)


def _is_outer_container(sweep: Sweep, region: Region) -> bool:
    """Whether a region is a list, dict or object outside that no callee mentions."""
    found = [thing for *_, thing in sweep.program.outside.get(region, {}).values()]
    if not is_outside(region) or not found or any(isinstance(f, np.ndarray) for f in found):
        return False
    seen: set[Any] = set()
    todo = [callee.facts for callee in sweep.known.callees.values()]
    while todo:
        facts = todo.pop()
        if facts in seen:
            continue
        seen.add(facts)
        todo += [callee.facts for callee in facts.callees.values()]
        named = [facts.function.resolve(part) for part in _names_in(facts.function.tree)]
        if any(thing is other for thing in found for other in named):
            return False
    return True


def _is_read(sweep: Sweep, region: Region) -> bool:
    """Whether something other than stores, and `return`, reads what lives in a region."""
    for s in sweep.known.before:
        if type(s) is gast.Return:
            continue
        own = _heads(s) if blocks_of(s) and type(s) is not gast.FunctionDef else [s]
        keys = {key for part in own for key in reads(part)}
        kinds = {key: sweep.operand_kind(s, name(key)) for key in keys}
        holding = {key for key, kind in kinds.items() if region in regions_of(kind)}
        if holding and not (holding == {_stored_owner(s)} and _mentions_once(s, holding)):
            return True
    return False


def _names_in(tree: Tree) -> list[Any]:
    return [part for part in nodes(tree) if type(part) is gast.Name]


def _heads(s: Stmt) -> list[Any]:
    """List what a compound statement itself reads."""
    found = [getattr(s, field, None) for field in ("test", "iter")]
    found += [item.context_expr for item in getattr(s, "items", [])]
    return [part for part in found if part is not None]


def _stored_owner(s: Stmt) -> str | None:
    """Return the name of what a statement stores into, if that is all that it does with it."""
    owner = added_to(s)
    if owner is not None:
        return owner
    place = s.target if type(s) is gast.AugAssign else None
    if type(s) is gast.Assign and type(s.targets[0]) is not gast.Name:
        place = s.targets[0]
    value = getattr(place, "value", None)
    return value.id if isinstance(value, gast.Name) else None


def _mentions_once(s: Stmt, keys: set[str]) -> bool:
    return sum(key in keys for key in reads(s)) == 1
