"""The numbers that a vector is taken apart into get names of their own.

v_bar = floats_of(y_bar)
a_bar = v_bar[0]            ->      a_bar, b_bar = floats_of(y_bar)
b_bar = v_bar[1]
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.kinds import Tuple
from tapeless.optimize.context import Context
from tapeless.runtime import floats_of
from tapeless.tree.blocks import Block, after, all_blocks, scoped_names
from tapeless.tree.build import target
from tapeless.tree.names import Names, all_names, nodes
from tapeless.tree.transform import Transformer


def unpack_floats(function: gast.FunctionDef, context: Context) -> bool:
    """Unpack vectors of which only entries are read.

    Examples
    --------
    >>> import gast
    >>> from tapeless.kinds import Real, Tuple
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f_rev(y_bar):
    ...     v_bar = floats_of(y_bar)
    ...     a_bar = v_bar[0]
    ...     return a_bar + v_bar[1]
    ... ''').body[0]
    >>> context = Context(lambda tree: floats_of, kind_of=lambda key: Tuple((Real(), Real())))
    >>> unpack_floats(function, context)
    True
    >>> print(unparse(function), end="")
    def f_rev(y_bar):
        a_bar, v_bar_1 = floats_of(y_bar)
        return a_bar + v_bar_1
    """
    found = [
        (block, s)
        for block in all_blocks(function.body)
        for s in block
        if type(s) is gast.Assign
        and type(s.value) is gast.Call
        and type(s.targets[0]) is gast.Name
        and context.resolve(s.value.func) is floats_of
    ]
    if not found:
        return False
    scoped = scoped_names(function)
    changed = False
    for block, s in found:
        key = s.targets[0].id
        kind = context.kind_of(key)
        if key in scoped or not isinstance(kind, Tuple) or not _reads_items(function, key, kind):
            continue
        _unpack(function, block, s, len(kind.items))
        changed = True
    return changed


def _reads_items(function: Any, key: str, kind: Tuple) -> bool:
    """Whether a name is bound once, and read for nothing but items by number."""
    mentions = items = 0
    for part in nodes(function):
        if type(part) is gast.Name and part.id == key:
            mentions += 1
        if type(part) is gast.Subscript and getattr(part.value, "id", "") == key:
            place = getattr(part.slice, "value", None)
            items += type(place) is int and 0 <= place < len(kind.items)
    return mentions == items + 1


def _unpack(function: Any, block: Block, s: Any, count: int) -> None:
    """Name the entries: as the statements that do nothing but name them do, where there are some."""
    key, names = s.targets[0].id, Names(all_names(function))
    bound = [p.id for p in nodes(function) if type(p) is gast.Name and type(p.ctx) is gast.Store]
    entries: dict[int, str] = {}
    for other in after(block, s):
        place = _entry(other, key)
        if place is None:
            break
        if place not in entries and bound.count(other.targets[0].id) == 1:
            entries[place] = other.targets[0].id
            block.remove(other)
    for i in range(count):
        entries.setdefault(i, names.fresh(f"{key}_{i}"))
    _Entries(key, entries).visit(function)
    s.targets = [gast.Tuple([target(entries[i]) for i in range(count)], gast.Store())]


def _entry(s: Any, key: str) -> int | None:
    """Return which entry a statement does nothing but name."""
    if type(s) is not gast.Assign or type(s.value) is not gast.Subscript:
        return None
    named = type(s.targets[0]) is gast.Name and getattr(s.value.value, "id", "") == key
    return s.value.slice.value if named else None


class _Entries(Transformer):
    def __init__(self, key: str, entries: dict[int, str]) -> None:
        self.key = key
        self.entries = entries

    def visit_Subscript(self, tree: Any) -> Any:
        if getattr(tree.value, "id", "") != self.key:
            return self.generic_visit(tree)
        made = gast.Name(self.entries[tree.slice.value], gast.Load(), None, None)
        return gast.copy_location(made, tree)
