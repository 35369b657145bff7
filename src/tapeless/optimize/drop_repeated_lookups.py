"""An adjoint that was looked up in the adjoint memory is not looked up again."""

from __future__ import annotations

from typing import Any

import gast

from tapeless.optimize.context import Context
from tapeless.tree.blocks import all_blocks, inner_blocks, may_bind
from tapeless.tree.names import nodes
from tapeless.tree.trees import Stmt

Known = dict[str, str]


def drop_repeated_lookups(function: gast.FunctionDef, context: Context) -> bool:
    """Drop `x_bar = bars[x]` where `x_bar` is that already.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(bars, x, y):
    ...     x_bar = bars[x]
    ...     x_bar += y
    ...     for i in range(3):
    ...         x_bar = bars[x]
    ...         x_bar[i] += 1.0
    ... ''').body[0]
    >>> context = Context(temporaries=lambda key: key in ("bars", "x_bar"))
    >>> drop_repeated_lookups(function, context)
    True
    >>> print(unparse(function), end="")
    def f(bars, x, y):
        x_bar = bars[x]
        x_bar += y
        for i in range(3):
            x_bar[i] += 1.0
    """
    before = sum(map(len, all_blocks(function.body)))
    function.body = _block(function.body, {}, context)
    return sum(map(len, all_blocks(function.body))) < before


def _block(block: list[Any], known: Known, context: Context) -> list[Any]:
    """Rewrite a block; `known` says what names were looked up before, and is brought up to date."""
    made: list[Any] = []
    for s in block:
        lookup = _lookup(s, context)
        if lookup is not None and known.get(lookup[0]) == lookup[1]:
            continue
        made.append(s)
        inner = inner_blocks(s)
        if inner:
            _forget(known, _changed(s, known, context))
            for part in inner:
                part[:] = _block(part, dict(known), context) or [gast.Pass()] * bool(part)
            continue
        _forget(known, _rebound(s))
        if lookup is not None:
            known[lookup[0]] = lookup[1]
    return made


def _lookup(s: Stmt, context: Context) -> tuple[str, str] | None:
    """Return the name and the text of a look-up in the adjoint memory."""
    if not isinstance(s, gast.Assign) or len(s.targets) != 1:
        return None
    place, value = s.targets[0], s.value
    if not isinstance(place, gast.Name) or not isinstance(value, gast.Subscript):
        return None
    memory, thing = value.value, value.slice
    if not isinstance(memory, gast.Name) or not isinstance(thing, gast.Name):
        return None
    if not memory.id.startswith("bars") or not context.temporaries(memory.id):
        return None
    return place.id, f"{memory.id} {thing.id}"


def _changed(s: Stmt, known: Known, context: Context) -> set[str]:
    """Collect the names that a statement with blocks may bind to something else."""
    changed: set[str] = set()
    if isinstance(s, gast.For):
        changed |= {n.id for n in nodes(s.target) if isinstance(n, gast.Name)}
    for block in inner_blocks(s):
        for part in block:
            lookup = _lookup(part, context)
            if lookup is not None and known.get(lookup[0]) == lookup[1]:
                continue
            inner = inner_blocks(part)
            changed |= _changed(part, known, context) if inner else _rebound(part)
    return changed


def _rebound(s: Stmt) -> set[str]:
    """Collect the names that a statement may bind anew: `x_bar += g` works on the buffer itself."""
    return set() if isinstance(s, gast.AugAssign) else may_bind(s)


def _forget(known: Known, changed: set[str]) -> None:
    for key, text in list(known.items()):
        if key in changed or changed & set(text.split()):
            del known[key]
