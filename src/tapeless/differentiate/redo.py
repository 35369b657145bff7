"""What is cheaper to compute again than to keep.

In a loop each value that the reverse sweep reads costs a push and a pop. A temporary that is a sum or
product of scalars, or an element of something that nobody stores into, is written out again where the
reverse sweep reads it, as long as its operands still hold there what they held.

    v = c * a[i]; saved.append((v, s)); s = s * v      ->      saved.append(s); s = s * (c * a[i])
"""

from __future__ import annotations

import copy
from typing import Any

import gast

from tapeless.differentiate.items import (
    Branch,
    Item,
    Loop,
    Rest,
    Step,
    forward_sweep,
    reverse_sweep,
)
from tapeless.kinds import Array, Dict, Integer, Items, List, Real, Sequence, regions_of
from tapeless.tree.build import fill
from tapeless.tree.names import binds, reads

MOST_READS = 2


def redo_cheap_values(sweep: Any, items: list[Item]) -> None:
    """Write cheap values out again in the reverse sweep instead of keeping them."""
    for block in _loop_bodies(items, False):
        for item in reversed(list(block)):
            if isinstance(item, Step):
                _redo(sweep, items, block, item)


def _loop_bodies(items: list[Item], in_loop: bool) -> list[list[Item]]:
    found = [items] if in_loop else []
    for item in items:
        if isinstance(item, Step):
            continue
        found += _loop_bodies(item.body, in_loop or isinstance(item, Loop))
        if isinstance(item, Branch | Loop):
            found += _loop_bodies(item.orelse, in_loop)
    return found


def _redo(sweep: Any, items: list[Item], block: list[Item], item: Step) -> None:
    """Replace the readings of what a step binds, if all of them can be."""
    key = _temporary(sweep, item)
    if key is None or not _is_cheap(sweep, item.statement):
        return
    value = item.statement.value
    total = sum(list(reads(s)).count(key) for s in reverse_sweep(items))
    if not 0 < total <= MOST_READS or _newly_kept(sweep, items, key, value) > 1:
        return
    position = next(i for i, other in enumerate(block) if other is item)
    readers: list[list[Any]] = []
    if list(reads_of(item.reverse, key)):
        return
    _collect(block[position + 1 :], key, set(reads(value)), set(), readers)
    if sum(len(reads_of(r, key)) for r in readers) != total:
        return
    for statements in readers:
        statements[:] = [fill(copy.deepcopy(s), {key: value}) for s in statements]


def _temporary(sweep: Any, item: Step) -> str | None:
    """Give the temporary that a step binds, if it is bound there only."""
    s = item.statement
    if not isinstance(s, gast.Assign) or item.forward != [s] or len(s.targets) != 1:
        return None
    place = s.targets[0]
    if not isinstance(place, gast.Name) or place.id in sweep.function.own_names:
        return None
    return place.id if len(sweep.definitions.get(place.id, [])) == 1 else None


def _is_cheap(sweep: Any, s: Any) -> bool:
    """Say whether the value of a statement is one scalar operation or one read."""
    value = s.value
    if not isinstance(sweep.result(s).kind, Real | Integer):
        return False
    if isinstance(value, gast.BinOp):
        plain = isinstance(value.op, gast.Add | gast.Sub | gast.Mult | gast.Div)
        return plain and all(
            isinstance(sweep.operand_kind(s, o), Real | Integer) for o in (value.left, value.right)
        )
    if isinstance(value, gast.UnaryOp):
        return isinstance(value.op, gast.USub)
    if isinstance(value, gast.Subscript) and isinstance(value.value, gast.Name):
        kind = sweep.operand_kind(s, value.value)
        if not isinstance(kind, Array | List | Dict | Sequence | Items):
            return False
        if isinstance(kind, List | Dict) and not regions_of(kind):
            return False
        return value.value.id in sweep.function.local and not sweep.facts.is_stored(kind)
    return False


def _newly_kept(sweep: Any, items: list[Item], key: str, value: Any) -> int:
    """Count the operands that nothing else in the reverse sweep reads."""
    fixed = {p for p in sweep.function.parameters if len(sweep.definitions[p]) == 1}
    fixed |= {n for n in reads(value) if n not in sweep.function.local}
    asked = {n for s in reverse_sweep(items) for n in reads(s)}
    return len(set(reads(value)) - fixed - asked - _targets(items))


def _targets(items: list[Item]) -> set[str]:
    """Collect the names that reversed loops bind again."""
    found: set[str] = set()
    for item in items:
        if isinstance(item, Loop):
            found |= item.rebinds
        if not isinstance(item, Step):
            found |= _targets(item.body)
    return found


def reads_of(statements: list[Any], key: str) -> list[str]:
    """List the readings of a name in statements."""
    return [n for s in statements for n in reads(s) if n == key]


def _collect(
    items: list[Item], key: str, operands: set[str], changed: set[str], readers: list[list[Any]]
) -> None:
    """Find the reverse statements that read a name while its operands are what they were."""
    for item in items:
        if isinstance(item, Step):
            changed |= set().union(*(binds(s) for s in item.forward))
            bound = set().union(*(binds(s) for s in item.reverse))
            if reads_of(item.reverse, key) and not operands & (changed | bound):
                readers.append(item.reverse)
        elif isinstance(item, Branch):
            yes, no = set(changed), set(changed)
            _collect(item.body, key, operands, yes, readers)
            _collect(item.orelse, key, operands, no, readers)
            changed |= yes | no
        elif isinstance(item, Rest):
            _collect(item.body, key, operands, changed, readers)
        else:
            changed |= set().union(*(binds(s) for s in forward_sweep([item])))
