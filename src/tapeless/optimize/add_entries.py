"""The adjoint of a row of which only entries were read is added where it lies.

    p_bar = np.zeros_like(p)
    p_bar[0] += a_bar                    ->      x_bar[i, 0] += a_bar
    p_bar[1] -= b_bar                            x_bar[i, 1] -= b_bar
    x_bar[i] += p_bar

Then nothing asks for the row's shape any more. The row must have the shape of what it is added to.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import gast
import numpy as np

from tapeless.kinds import Array
from tapeless.optimize.analyses import effects_of, generated_in
from tapeless.optimize.context import Context
from tapeless.optimize.rows import is_place, items_of
from tapeless.tree.blocks import all_blocks
from tapeless.tree.classes import ADDITIVE
from tapeless.tree.names import nodes, reads
from tapeless.tree.trees import Stmt


def add_entries(function: gast.FunctionDef, context: Context) -> bool:
    """Add to entries of an array what would be collected in a row first.

    Examples
    --------
    >>> from tapeless.externals import MISSING
    >>> from tapeless.kinds import Integer, Size
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(x, i, p, a_bar, b_bar):
    ...     x_bar = np.zeros_like(x)
    ...     p_bar = np.zeros_like(p)
    ...     p_bar[0] += a_bar
    ...     p_bar[1] -= b_bar
    ...     x_bar[i] -= p_bar
    ...     return x_bar
    ... ''').body[0]
    >>> row, table = Array((Size(1),)), Array((Size(0), Size(1)))
    >>> kinds = {"x": table, "x_bar": table, "p": row, "p_bar": row, "i": Integer()}
    >>> np_ = lambda tree: getattr(np, getattr(tree, "attr", ""), MISSING)
    >>> add_entries(function, Context(np_, lambda key: key.endswith("_bar"), kinds.get, reverse=True))
    True
    >>> print(unparse(function), end="")
    def f(x, i, p, a_bar, b_bar):
        x_bar = np.zeros_like(x)
        x_bar[i, 0] -= a_bar
        x_bar[i, 1] += b_bar
        return x_bar
    """
    generated = generated_in(function, context)
    changed = False
    mentions: Counter[str] | None = None
    for block in all_blocks(function.body):
        for i in reversed(range(len(block))):
            key = _zeros(block[i], context) if id(block[i]) in generated else None
            if key is None:
                continue
            mentions = mentions or Counter(p.id for p in nodes(function) if type(p) is gast.Name)
            count = _collected(block, i, key, context)
            scoped = effects_of(function, context).scoped
            if count and mentions[key] == count + 2 and key not in scoped:
                added = block[i + count + 1]
                block[i : i + count + 2] = [_moved(s, added) for s in block[i + 1 : i + count + 1]]
                changed = True
    return changed


def _zeros(s: Stmt, context: Context) -> str | None:
    """Return the name that a statement binds to zeros like those of another array."""
    if type(s) is not gast.Assign or type(s.targets[0]) is not gast.Name or len(s.targets) > 1:
        return None
    call, key = s.value, s.targets[0].id
    like = type(call) is gast.Call and len(call.args) == 1 and not call.keywords
    zeros = like and context.resolve(call.func) is np.zeros_like
    return key if zeros and context.temporaries(key) else None


def _collected(block: list[Any], i: int, key: str, context: Context) -> int:
    """Return how many entries are collected in zeros, and then added to an array; 0 for anything else."""
    end = i + 1
    while end < len(block) and _adds_to_entry(block[end], key, context):
        end += 1
    added: Any = block[end] if end < len(block) else None
    if type(added) is not gast.AugAssign or type(added.op) not in ADDITIVE:
        return 0
    place = added.target
    whole = type(place) is gast.Subscript and type(place.value) is gast.Name
    if not whole or getattr(added.value, "id", "") != key:
        return 0
    owner = place.value.id
    if not _is_row(key, block[i].value.args[0], owner, items_of(place.slice), context):
        return 0
    inside = block[i + 1 : end]
    return 0 if any(owner in reads(s.value) for s in inside) else len(inside)


def _adds_to_entry(s: Any, key: str, context: Context) -> bool:
    """Whether a statement adds a number to an entry of an array, and reads nothing else of it."""
    if type(s) is not gast.AugAssign or type(s.op) not in ADDITIVE:
        return False
    place, kind = s.target, context.kind_of(key)
    if type(place) is not gast.Subscript or getattr(place.value, "id", "") != key:
        return False
    places = items_of(place.slice)
    full = isinstance(kind, Array) and len(kind.dims) == len(places)
    return full and all(is_place(p, context) for p in places) and key not in reads(s.value)


def _is_row(key: str, like: Any, owner: str, places: list[Any], context: Context) -> bool:
    """Whether zeros have the shape, and the precision, of a part of an array."""
    kind, whole = context.kind_of(key), context.kind_of(owner)
    row = context.kind_of(like.id) if type(like) is gast.Name else None
    if not (isinstance(kind, Array) and isinstance(whole, Array) and isinstance(row, Array)):
        return False
    alike = kind.dtype == whole.dtype == row.dtype and kind.dims == row.dims
    return (
        alike
        and row.dims == whole.dims[len(places) :]
        and all(is_place(p, context) for p in places)
    )


def _moved(s: Any, added: Any) -> Any:
    """Return the statement that adds to the entry of an array what another one adds to its row's."""
    places = [*items_of(added.target.slice), *items_of(s.target.slice)]
    index = gast.Tuple(places, gast.Load())
    place = gast.Subscript(added.target.value, index, gast.Store())
    op = gast.Add() if type(s.op) is type(added.op) else gast.Sub()
    return gast.copy_location(gast.AugAssign(place, op, s.value), s)
