"""What is cheaper to compute again than to keep.

In a loop each value that the reverse sweep reads costs a push and a pop. A temporary that is a sum or
product of scalars, or an element of something that nobody stores into, is written out again where the
reverse sweep reads it, as long as its operands still hold there what they held.

    v = c * a[i]; saved.append((v, s)); s = s * v      ->      saved.append(s); s = s * (c * a[i])

So are displays of constants, as in `x[:, [1, 0]]`.

An attribute or a slot that was read is read again wherever nothing was stored into its owner since. Nor are
views of an array kept, slices and the transposed one, if the array still is what it was: `p_bar @ f.T.T` is
`p_bar @ f`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import gast

from tapeless.differentiate.reverse.mirrored import (
    Branch,
    Continuation,
    Loop,
    Mirrored,
    Step,
    forward_sweep,
    reverse_sweep,
)
from tapeless.differentiate.reverse.state import Sweep
from tapeless.differentiate.reverse.stored import stored_regions
from tapeless.differentiate.straight_lines import number
from tapeless.kinds import (
    Array,
    Dict,
    Instance,
    Integer,
    List,
    Real,
    Regions,
    Sequence,
    Tuple,
    regions_of,
)
from tapeless.set_in_texts import is_set_in_text
from tapeless.tree.build import filled, name
from tapeless.tree.classes import ATOMS, SLOTS, STORED
from tapeless.tree.names import binds, nodes, reads
from tapeless.tree.trees import Stmt

MOST_READS = 2


def rematerialize_cheap_values(sweep: Sweep, items: list[Mirrored], same: dict[str, str]) -> None:
    """Write cheap values out again in the reverse sweep instead of keeping them.

    Of names that hold the `same` the second is read there.
    """
    mirror = _Mirror(items, same)
    for block, in_loop in _blocks(items, False):
        for item in reversed(list(block)):
            if isinstance(item, Step):
                _redo(sweep, mirror, block, item, in_loop)


class _Mirror:
    """The reverse sweep of a function: what it binds, and how often it reads each name."""

    def __init__(self, items: list[Mirrored], same: dict[str, str]) -> None:
        self.same = {key: name(first) for key, first in same.items()}
        self.places = _names_in_places(items)
        self.targets = _targets(items)
        self.asked = Counter(n for s in reverse_sweep(items) for n in reads(s))

    def replace(self, key: str, value: Any) -> None:
        """Count what is read where each reading of a name was replaced by an expression."""
        times = self.asked.pop(key)
        for n in reads(value):
            self.asked[n] += times


def _blocks(items: list[Mirrored], in_loop: bool) -> list[tuple[list[Mirrored], bool]]:
    found = [(items, in_loop)]
    for item in items:
        if isinstance(item, Step):
            continue
        found += _blocks(item.body, in_loop or isinstance(item, Loop))
        if isinstance(item, (Branch, Loop)):
            found += _blocks(item.orelse, in_loop)
    return found


def _redo(sweep: Sweep, mirror: _Mirror, block: list[Mirrored], item: Step, in_loop: bool) -> None:
    """Replace the readings of what a step binds, if all of them can be."""
    key = _temporary(sweep, item)
    if key is None or not 0 < mirror.asked[key] <= MOST_READS or key in mirror.places:
        return
    s = item.statement
    slot = not sweep.module.public and _reads_slot(sweep, s)
    if not slot and not _is_literal(sweep, s) and not (in_loop and _is_cheap(sweep, s)):
        return
    value = filled(s.value, mirror.same) if mirror.same else s.value
    if _newly_kept(sweep, mirror, value) > 1 or reads_of(item.reverse, key):
        return
    position = next(i for i, other in enumerate(block) if other is item)
    regions = regions_of(sweep.operand_kind(s, value.value)) if slot else frozenset()
    readers: list[list[Any]] = []
    finder = _Readers(sweep, key, set(reads(value)), regions, readers)
    finder.collect(block[position + 1 :], False)
    if sum(len(reads_of(r, key)) for r in readers) != mirror.asked[key]:
        return
    for statements in readers:
        statements[:] = [filled(r, {key: value}) for r in statements]
    mirror.replace(key, value)


def _names_in_places(items: list[Mirrored]) -> set[str]:
    """Collect the names of things that the reverse sweep stores into or binds."""
    found: set[str] = set()
    for s in reverse_sweep(items):
        for part in nodes(s):
            if type(part) in SLOTS and type(part.ctx) in STORED:
                found |= set(reads(part.value))
            elif type(part) is gast.Name and type(part.ctx) is gast.Store:
                found.add(part.id)
    return found


def _reads_slot(sweep: Sweep, s: Stmt) -> bool:
    """Whether a statement reads an attribute of an object or a slot of a container."""
    value = s.value
    if type(value) not in SLOTS or s in sweep.known.callees:
        return False
    if type(value.value) is not gast.Name:
        return False
    kind = sweep.operand_kind(s, value.value)
    if sweep.has_shadow(sweep.result(s).kind):
        return False
    if type(value) is gast.Attribute:
        cls = kind.cls if isinstance(kind, Instance) else None
        return not (cls is None or hasattr(cls, "__getattr__") or is_set_in_text(cls, value.attr))
    return isinstance(kind, (List, Dict)) and type(value.slice) in ATOMS


def _temporary(sweep: Sweep, item: Step) -> str | None:
    """Return the temporary that a step binds, if it is bound there only."""
    s = item.statement
    if type(s) is not gast.Assign or item.forward != [s] or len(s.targets) != 1:
        return None
    place = s.targets[0]
    if type(place) is not gast.Name or place.id in sweep.function.own_names:
        return None
    return place.id if len(sweep.definitions.get(place.id, [])) == 1 else None


def _is_cheap(sweep: Sweep, s: Stmt) -> bool:
    """Whether the value of a statement is one scalar operation, one read, or a view."""
    value = s.value
    if _is_view(sweep, s):
        return True
    if not isinstance(sweep.result(s).kind, (Real, Integer)):
        return False
    if type(value) is gast.Call and sweep.function.resolve(value.func) is abs:
        return isinstance(sweep.operand_kind(s, value.args[0]), (Real, Integer))
    if type(value) is gast.BinOp:
        plain = isinstance(value.op, (gast.Add, gast.Sub, gast.Mult, gast.Div))
        return plain and all(
            isinstance(sweep.operand_kind(s, o), (Real, Integer)) for o in (value.left, value.right)
        )
    if type(value) is gast.UnaryOp:
        return type(value.op) is gast.USub
    if type(value) is gast.Subscript and type(value.value) is gast.Name:
        kind = sweep.operand_kind(s, value.value)
        if not isinstance(kind, (Array, List, Dict, Sequence, Tuple)):
            return False
        if isinstance(kind, (List, Dict)) and not regions_of(kind):
            return False
        return value.value.id in sweep.function.local and not sweep.facts.is_stored(kind)
    return False


def _is_view(sweep: Sweep, s: Stmt) -> bool:
    """Whether a statement looks at an array which nobody stores into: its axes reversed, or slices of it."""
    value = s.value
    if type(value) is gast.Attribute:
        seen = value.attr == "T"
    else:
        seen = type(value) is gast.Subscript and _is_of_slices(value.slice)
    if not seen or type(value.value) is not gast.Name:
        return False
    kind = sweep.operand_kind(s, value.value)
    return isinstance(kind, Array) and not sweep.has_shadow(kind)


def _is_of_slices(index: Any) -> bool:
    """Whether an index is of slices between constants."""
    parts = index.elts if type(index) is gast.Tuple else [index]
    return all(type(part) is gast.Slice and _is_plain(part) for part in parts)


def _is_plain(part: Any) -> bool:
    bounds = (part.lower, part.upper, part.step)
    return all(bound is None or not reads(bound) for bound in bounds)


def _is_literal(sweep: Sweep, s: Stmt) -> bool:
    """Whether a statement displays constants, in a tuple or in a list that nobody changes."""
    value = s.value
    if type(value) not in (gast.Tuple, gast.List) or sweep.facts.is_stored(sweep.result(s).kind):
        return False
    return all(type(item) is gast.Constant or number(item) is not None for item in value.elts)


def _newly_kept(sweep: Sweep, mirror: _Mirror, value: Any) -> int:
    """Count the operands that nothing else in the reverse sweep reads."""
    fixed = {p for p in sweep.function.parameters if len(sweep.definitions[p]) == 1}
    fixed |= {n for n in reads(value) if n not in sweep.function.local}
    return len(set(reads(value)) - fixed - set(mirror.asked) - mirror.targets)


def _targets(items: list[Mirrored]) -> set[str]:
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


@dataclass
class _Readers:
    """Finds the reverse statements that read a name while its value could be read again."""

    sweep: Sweep
    key: str
    operands: set[str]
    regions: Regions
    found: list[list[Any]]

    def collect(self, items: list[Mirrored], changed: bool) -> bool:
        """Go through items in order; return whether the operands may have changed after them."""
        for item in items:
            if isinstance(item, Step):
                changed = changed or self.changes(item)
                bound = set().union(*(binds(s) for s in item.reverse))
                safe = not changed and not self.operands & bound
                if safe and reads_of(item.reverse, self.key):
                    self.found.append(item.reverse)
            elif isinstance(item, Branch):
                yes = self.collect(item.body, changed)
                no = self.collect(item.orelse, changed)
                changed = yes or no
            elif isinstance(item, Continuation):
                changed = self.collect(item.body, changed)
            else:
                changed = changed or self.changes(item)
        return changed

    def changes(self, item: Mirrored) -> bool:
        """Whether an item binds an operand or stores into what is read, itself or by a call.

        What a call stores is known of the statement as it was, not of what the forward sweep makes of it.
        """
        forward = forward_sweep([item])
        if any(self.operands & binds(s) for s in forward):
            return True
        whole = [*forward, *([] if item.statement is None else [item.statement])]
        return bool(self.regions & stored_regions(self.sweep, whole))
