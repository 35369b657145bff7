"""What the forward sweep computed is not computed again.

The derivative of a sine is a cosine. Where the author's statements have computed it of the same operand,
and nothing was bound anew in between, the reverse sweep reads that; where they compute it further down,
they do so earlier, and both sweeps read the same.

    s = np.sin(x)                               c = np.cos(x)
    y = a * s                                   s = np.sin(x)
    c = np.cos(x)                       ->      y = a * s
    ...                                         ...
    x_bar += s_bar * np.cos(x)                  x_bar += s_bar * c

A function of NumPy that works entry by entry has no effect and raises nothing, so it may be called earlier in
the same block.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
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
from tapeless.tree.build import name
from tapeless.tree.classes import ATOMS
from tapeless.tree.names import binds, nodes, reads
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Stmt

Meaning = Callable[[Any], Hashable]


@dataclass
class _Computed:
    """A name, what it is bound to, where in its block, and whether that raises nothing, whatever it is of."""

    key: str
    statement: Stmt
    operands: set[str]
    at: Step
    total: bool


def share_computed_values(sweep: Sweep, items: list[Mirrored]) -> None:
    """Read in the reverse sweep what the forward sweep has computed, or will, in the same block."""

    def meaning(call: Any) -> Hashable:
        """Return what tells apart what calls compute; None for what may be more than a number."""
        if type(call) is not gast.Call or call.keywords or not call.args:
            return None
        if any(type(a) not in ATOMS for a in call.args):
            return None
        found = sweep.function.resolve(call.func)
        if not isinstance(found, np.ufunc) and getattr(found, "__module__", "") != math.__name__:
            return None
        return found, tuple(getattr(a, "id", None) or repr(a.value) for a in call.args)

    for block in blocks_of(items):
        _share(sweep, block, meaning)


def _share(sweep: Sweep, block: list[Mirrored], meaning: Meaning) -> None:
    computed: dict[Hashable, list[_Computed]] = {}
    for item in block:
        found = _computed(sweep, item, meaning) if isinstance(item, Step) else None
        if found is not None:
            computed.setdefault(meaning(item.statement.value), []).append(found)
    if not computed:
        return
    for item in list(block):
        if not isinstance(item, Step) or not item.reverse:
            continue
        calls = [part for r in item.reverse for part in nodes(r) if type(part) is gast.Call]
        for sought in dict.fromkeys(map(meaning, calls)):  # in the order of the text
            for each in computed.get(sought, ()):
                if each.at is not item and _is_there(block, item, each):
                    reader = _Reader(meaning, sought, each.key)
                    item.reverse[:] = [reader.visit(r) for r in item.reverse]
                    break


def _computed(sweep: Sweep, item: Step, meaning: Meaning) -> _Computed | None:
    """Return what a step computes, if it does nothing else and nobody stores into that."""
    s = item.statement
    if type(s) is not gast.Assign or item.forward != [s] or type(s.targets[0]) is not gast.Name:
        return None
    if meaning(s.value) is None:
        return None
    operands = {n for a in s.value.args for n in reads(a)}
    if s.targets[0].id in operands or not operands <= sweep.function.local:
        return None
    kinds = [sweep.result(s).kind, *(sweep.operand_kind(s, a) for a in s.value.args)]
    plain = all(isinstance(kind, (Real, Integer, Array)) for kind in kinds)
    if not plain or any(getattr(kind, "dtype", "f")[0] not in "fcib" for kind in kinds):
        return None
    if any(map(sweep.facts.is_stored, kinds)):
        return None
    total = isinstance(sweep.function.resolve(s.value.func), np.ufunc)
    return _Computed(s.targets[0].id, s, operands, item, total)


def _is_there(block: list[Mirrored], item: Step, each: _Computed) -> bool:
    """Whether what a step computes is there where another one is reversed: move it up if need be."""
    i, j = (next(k for k, other in enumerate(block) if other is x) for x in (item, each.at))
    between = block[min(i, j) : max(i, j) + 1]
    others = [other for other in between if other is not each.at]
    forward = forward_sweep(others)
    bound = set().union(*(binds(s) for s in [*forward, *item.reverse]))
    if bound & ({each.key} | each.operands):
        return False
    if j > i:
        mentioned = {n for s in [*forward, *reverse_sweep(others)] for n in reads(s)}
        if each.key in mentioned or not each.total:
            return False
        each.at.forward = []
        item.forward = [each.statement, *item.forward]
        each.at = item
    return True


class _Reader(Transformer):
    """Reads a name where a call computes what it holds."""

    def __init__(self, meaning: Meaning, sought: Hashable, key: str) -> None:
        self.meaning, self.sought, self.key = meaning, sought, key

    def visit_Call(self, tree: Any) -> Any:
        if self.meaning(tree) == self.sought:
            return gast.copy_location(name(self.key), tree)
        return self.generic_visit(tree)
