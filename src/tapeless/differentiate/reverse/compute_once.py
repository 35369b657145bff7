"""What the author's statements compute twice is computed once, and kept once.

    y = b * (1.0 - np.exp(-x)) + c * np.exp(-x)      ->      e = np.exp(-x)
                                                             y = b * (1.0 - e) + c * e

That is of functions that work entry by entry, within one block. What has one number there has one value:
numbers are given to names where they are bound, and to what is computed, by the numbers of its operands.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import gast
import numpy as np

from tapeless.differentiate.reverse.mirrored import (
    Mirrored,
    Step,
    blocks_of,
    forward_sweep,
    reverse_sweep,
)
from tapeless.differentiate.reverse.state import Sweep
from tapeless.kinds import Array, Integer, Real
from tapeless.tree.blocks import binds_one_name
from tapeless.tree.build import assign, at_line_of, filled, name
from tapeless.tree.classes import ATOMS, COMPUTED
from tapeless.tree.names import binds, reads


def compute_once(sweep: Sweep, items: list[Mirrored]) -> dict[str, str]:
    """Bind names of the tool's to other names where both are bound to the same call; return which."""
    found = [each for block in blocks_of(items) for each in _repeated(sweep, block)]
    same: dict[str, str] = {}
    if not found:
        return same
    kept = Counter(n for s in reverse_sweep(items) for n in reads(s))
    for block, item, first in found:
        key = item.statement.targets[0].id
        steps = [step for step in _steps(block) if step.reverse]
        if kept[key] == sum(reads(r).count(key) for step in steps for r in step.reverse):
            for step in steps:
                step.reverse[:] = [filled(r, {key: name(first)}) for r in step.reverse]
            item.forward = [at_line_of(assign(key, name(first)), item.statement)]
            same[key] = first
    return same


def _steps(block: list[Mirrored]) -> Iterator[Step]:
    for inner in blocks_of(block):
        for item in inner:
            if isinstance(item, Step):
                yield item


@dataclass
class _Numbers:
    """The numbers of the values that names hold at one place in a block."""

    fresh: Iterator[int] = field(default_factory=count)
    held: dict[str, int] = field(default_factory=dict)
    computed: dict[Hashable, int] = field(default_factory=dict)
    holder: dict[int, str] = field(default_factory=dict)

    def of_atom(self, atom: Any) -> Hashable:
        if type(atom) is gast.Constant:
            return repr(atom.value)
        return self.held.setdefault(atom.id, next(self.fresh))

    def bind(self, key: str, meaning: Hashable = None) -> None:
        """Give a name the number of what it is bound to."""
        if meaning is None:
            self.held[key] = next(self.fresh)
        else:
            self.held[key] = self.computed.setdefault(meaning, next(self.fresh))


def _repeated(sweep: Sweep, block: list[Mirrored]) -> Iterator[tuple[list[Mirrored], Step, str]]:
    """Yield the steps of a block that repeat a call, and the name that holds what it gave."""
    steps = [item for item in block if isinstance(item, Step) and _is_call(sweep, item.statement)]
    called = Counter(gast.unparse(item.statement.value.func) for item in steps)
    if not called or max(called.values()) < 2:
        return
    numbers = _Numbers()
    for item in block:
        if not isinstance(item, Step) or (meaning := _meaning(sweep, item, numbers)) is None:
            for key in set().union(*map(binds, forward_sweep([item]))):
                numbers.bind(key)
            continue
        s: Any = item.statement
        key = s.targets[0].id
        numbers.bind(key, meaning)
        if not _is_call(sweep, s) or len(sweep.definitions.get(key, ())) != 1:
            continue
        first = numbers.holder.setdefault(numbers.held[key], key)
        if first != key and key not in sweep.function.own_names and _is_used_up(sweep, block, s):
            yield block, item, first


def _is_call(sweep: Sweep, s: Any) -> bool:
    """Whether a statement binds a name to what a function of numbers, or of entries, gives."""
    if not binds_one_name(s):
        return False
    call = s.value
    if type(call) is not gast.Call or call.keywords or any(type(a) not in ATOMS for a in call.args):
        return False
    found = sweep.function.resolve(call.func)
    by_entry = isinstance(found, np.ufunc) and found.nout == 1 and len(call.args) == found.nin
    return by_entry or getattr(found, "__module__", "") == math.__name__


def _meaning(sweep: Sweep, item: Step, numbers: _Numbers) -> Hashable:
    """Return what a step computes, in numbers; None where that may be anything or changed in place."""
    s = item.statement
    if (
        item.forward != [s]
        or type(s) is not gast.Assign
        or len(s.targets) != 1
        or type(s.targets[0]) is not gast.Name
    ):
        return None
    value = s.value
    if _is_call(sweep, s):
        operation, operands = sweep.function.resolve(value.func), value.args
    elif type(value) is gast.UnaryOp:
        operation, operands = type(value.op), [value.operand]
    elif type(value) is gast.BinOp:
        operation, operands = type(value.op), [value.left, value.right]
    else:
        return None
    if any(type(o) not in ATOMS for o in operands):
        return None  # a literal with a sign
    kinds = [sweep.result(s).kind, *(sweep.operand_kind(s, o) for o in operands)]
    if not all(isinstance(kind, (Real, Integer, Array)) for kind in kinds):
        return None
    if any(map(sweep.facts.is_stored, kinds)):
        return None
    return operation, tuple(map(numbers.of_atom, operands))


def _is_used_up(sweep: Sweep, block: list[Mirrored], s: Any) -> bool:
    """Whether what a name holds is a number, or only computed with: nobody gets an array twice."""
    if not isinstance(sweep.result(s).kind, Array):
        return True
    key = s.targets[0].id
    return all(
        type(r) is gast.Assign and (type(r.value) in COMPUTED or _is_call(sweep, r))
        for r in forward_sweep(block)
        if key in reads(r)
    )
