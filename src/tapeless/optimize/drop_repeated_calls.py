"""What a function of numbers or arrays has given already is not computed again.

    root = math.sqrt(t)            root = math.sqrt(t)
    a = s * root             ->    a = s * root
    v = math.sqrt(t)               b = a - r * root
    b = a - r * v

The author may have written it twice; in loops it stays as it is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast
import numpy as np

from tapeless.optimize.analyses import body_of, effects_of
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.tree.blocks import all_statements, binds_one_name, may_bind
from tapeless.tree.build import name
from tapeless.tree.classes import ATOMS
from tapeless.tree.names import reads
from tapeless.tree.trees import Expr, Stmt


def drop_repeated_calls(function: gast.FunctionDef, context: Context) -> bool:
    """Read the first of two names that are bound to one call, and leave out the second.

    Examples
    --------
    >>> import gast, math
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(s, r, t):
    ...     root = math.sqrt(t)
    ...     a = s * root
    ...     v = math.sqrt(t)
    ...     b = a - r * v
    ...     t = t + 1.0
    ...     w = math.sqrt(t)
    ...     return b * w
    ... ''').body[0]
    >>> resolve = lambda tree: math.sqrt if gast.unparse(tree) == "math.sqrt" else None
    >>> drop_repeated_calls(function, Context(resolve, temporaries=lambda key: key in "vw"))
    True
    >>> print(unparse(function), end="")
    def f(s, r, t):
        root = math.sqrt(t)
        a = s * root
        b = a - r * root
        t = t + 1.0
        w = math.sqrt(t)
        return b * w
    """
    calls = [s.value for s in body_of(function, context).parts(gast.Assign) if _is_call(s)]
    if len(set(map(gast.unparse, calls))) == len(calls):
        return False
    effects = effects_of(function, context)
    repeated = {
        key: (first, block, s)
        for block in _straight_blocks(function.body)
        for s, key, first in _repeated(block, effects)
    }
    for key, (first, block, s) in repeated.items():
        for part in list(effects.parts(gast.Name)):
            if part.id == key:
                part.id = first
        block.remove(s)
    return bool(repeated)


def _straight_blocks(block: list[Any]) -> Iterator[list[Any]]:
    """Walk the blocks that run once at most."""
    yield block
    for s in block:
        if type(s) is gast.If:
            yield from _straight_blocks(s.body)
            yield from _straight_blocks(s.orelse)


def _repeated(block: list[Any], effects: Effects) -> Iterator[tuple[Stmt, str, str]]:
    """Yield the statements that compute what a name of the block holds, with both names."""
    known: dict[str, tuple[str, set[str]]] = {}
    for s in block:
        key = s.targets[0].id if _is_call(s) else ""
        computes = key and _computes(s.value, effects) and _is_bound_once(key, effects)
        text = gast.unparse(s.value) if computes else ""
        if text in known and _may_stand_for(known[text][0], key, effects):
            yield s, key, known[text][0]
            continue
        touched, bound = effects.touch(s), may_bind(s)
        known = {
            t: (first, read)
            for t, (first, read) in known.items()
            if not read & bound and not effects.collide(_memory(read, effects), touched)
        }
        if computes and key not in reads(s.value):
            known[text] = key, set(reads(s.value))


def _is_call(s: Stmt) -> bool:
    """Whether a statement binds a name to a call with names and literals, and no keywords."""
    if not binds_one_name(s) or type(s.value) is not gast.Call or s.value.keywords:
        return False
    return all(type(arg) in ATOMS for arg in s.value.args)


def _computes(value: Expr, effects: Effects) -> bool:
    """Whether a call is of a function of numbers, or of arrays entry by entry."""
    found = effects.context.resolve(value.func)
    by_entry = isinstance(found, np.ufunc) and found.nout == 1 and len(value.args) == found.nin
    return by_entry or getattr(found, "__module__", "") == "math"


def _is_bound_once(key: str, effects: Effects) -> bool:
    values = effects.values.get(key, [])
    return len(values) == 1 and key not in effects.parameters | effects.scoped


def _may_stand_for(first: str, key: str, effects: Effects) -> bool:
    """Whether one name may be read in place of another of the tool's.

    Of arrays there is one then: nothing is stored into either, and nobody else gets them.
    """
    if not effects.context.temporaries(key):
        return False
    both = {first, key}
    if all(map(effects.is_scalar_name, both)):
        return True
    if not all(map(effects.alone, both)):
        return False
    for s in all_statements(effects.function.body):
        if type(s) is gast.Return and s.value is not None and both & effects.seen_through(s.value):
            return False
        if effects.collide(both, effects.touch(s)):
            return False
    return True


def _memory(names: set[str], effects: Effects) -> set[str]:
    return {found for key in names for found in effects.seen_through(name(key))}
