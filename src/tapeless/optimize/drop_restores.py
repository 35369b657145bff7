"""What was overwritten in an array is not put back where the reverse sweep reads no entry of it any more.

    for u, new, old in reversed(saved):         for u, new in reversed(saved):
        new[i] = old                      ->        u_bar = np.zeros_like(u)
        u_bar = np.zeros_like(u)

The names that may hold one array are asked together, for one of them may read what another puts back.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import gast
import numpy as np

from tapeless.externals import is_one_of
from tapeless.kinds import Array
from tapeless.optimize.analyses import effects_of, generated_in
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.optimize.sharing import OUTSIDE
from tapeless.optimize.values import is_adjoint, is_stack_call
from tapeless.runtime import AdjointMemory, zeros
from tapeless.tree.blocks import all_blocks, heads
from tapeless.tree.names import children
from tapeless.tree.trees import Expr, Stmt

_OF_SHAPE = (len, np.shape, np.ndim, np.size, np.zeros_like, np.empty_like, zeros)


def drop_restores(function: gast.FunctionDef, context: Context) -> bool:
    """Drop the stores of a reverse sweep into arrays that it reads nothing of.

    Examples
    --------
    >>> import gast
    >>> from tapeless.externals import MISSING
    >>> from tapeless.kinds import Real
    >>> from tapeless.source.printer import unparse
    >>> from tapeless.tree.comments import Role, comment
    >>> function = gast.parse('''
    ... def f(k):
    ...     a = np.zeros(3)
    ...     old = a[0]
    ...     a[0] = k
    ...     a_bar = np.zeros_like(a)
    ...     k_bar = a_bar[0]
    ...     a[0] = old
    ...     return k_bar
    ... ''').body[0]
    >>> function.body.insert(3, comment("Reverse sweep", Role.REVERSE))
    >>> context = Context(
    ...     lambda tree: getattr(np, getattr(tree, "attr", ""), MISSING),
    ...     lambda key: key in ("old", "a_bar", "k_bar"),
    ...     lambda key: Array((3,)) if key == "a" else Real(),
    ... )
    >>> drop_restores(function, context)
    True
    >>> print(unparse(function), end="")
    def f(k):
        a = np.zeros(3)
        old = a[0]
        a[0] = k
        # Reverse sweep
        a_bar = np.zeros_like(a)
        k_bar = a_bar[0]
        return k_bar
    """
    generated = generated_in(function, context)
    last = max((i for i, s in enumerate(function.body) if id(s) not in generated), default=-1)
    blocks = [list(all_blocks([s])) for s in function.body[last + 1 :]]
    stores = [[s for block in each for s in block if _store(s)] for each in blocks]
    first = next((i for i, found in enumerate(stores) if found), None)
    if first is None:
        return False
    after = [block for each in blocks[first:] for block in each]
    effects = effects_of(function, context)
    unread = _unread(after, [s for found in stores for s in found], effects)
    gone = {id(s) for found in stores for s in found if _goes(s, unread, effects)}
    for block in all_blocks(function.body):
        left = [s for s in block if id(s) not in gone]
        if len(left) < len(block):
            block[:] = left or [gast.Pass()]
    return bool(gone)


def _store(s: Stmt) -> Any:
    """Return `x[i]` of a statement that stores into it; None for any other."""
    place: Any = s.targets[0] if type(s) is gast.Assign and len(s.targets) == 1 else None
    stores = type(place) is gast.Subscript and type(place.value) is gast.Name
    return place if stores else None


def _goes(s: Any, unread: Set[str], effects: Effects) -> bool:
    place = _store(s)
    quiet = effects.is_pure(s.value) and effects.is_pure(place.slice)
    return quiet and effects.root(place.value.id) in unread


def _unread(blocks: list[list[Any]], candidates: list[Any], effects: Effects) -> set[str]:
    """Return which arrays stored into are made here, and read nowhere in some blocks."""
    asked = {_store(s).value.id for s in candidates}
    asked = {key for key in asked if not is_adjoint(key, effects.context)}
    roots = {effects.root(key) for key in asked} - {effects.root(OUTSIDE)}
    names = {key for key in effects.body.mentions if effects.root(key) in roots}
    for key in names:
        kind = effects.kind(key)
        if (
            not isinstance(kind, Array)
            or kind.dtype == "O"
            or key in effects.parameters | effects.scoped
        ):
            roots.discard(effects.root(key))
    for s in (s for block in blocks for s in block):
        for key in _contents_read(s, names, effects):
            roots.discard(effects.root(key))
    return roots


def _contents_read(s: Any, names: Set[str], effects: Effects) -> set[str]:
    """Return those of some arrays that a statement, without its blocks, may read more of than the shape."""
    place = _store(s)
    if place is not None:
        return _read_in([s.value, place.slice], names, effects)
    if type(s) is gast.Assign and type(s.targets[0]) is gast.Name:
        if type(s.value) is gast.Name and s.targets[0].id in names:
            return set()
        return _read_in([s.value], names, effects)
    if type(s) is gast.Assign and _is_pop(s.value):
        return set()
    if type(s) is gast.For:
        return _read_in([s.iter], names, effects)
    return _read_in(heads(s), names, effects)


def _is_pop(value: Expr) -> bool:
    return type(value) is gast.Call and is_stack_call(value) and not value.args


def _read_in(trees: list[Any], names: Set[str], effects: Effects) -> set[str]:
    found: set[str] = set()
    todo = list(trees)
    for tree in todo:
        if type(tree) is gast.Name:
            found |= {tree.id} & names
        elif not _reads_no_entry(tree, effects):
            todo += children(tree)
    return found


def _reads_no_entry(tree: Any, effects: Effects) -> bool:
    """Whether an expression asks for the shape of an array alone, or for its adjoint."""
    if type(tree) is gast.Attribute and type(tree.value) is gast.Name:
        return tree.attr in ("shape", "size", "ndim", "dtype")
    if type(tree) is gast.Subscript and type(tree.slice) is gast.Name:
        made = effects.values.get(getattr(tree.value, "id", ""), [])
        calls = [v.func for v in made if type(v) is gast.Call]
        return len(made) == len(calls) == 1 and effects.context.resolve(calls[0]) is AdjointMemory
    if type(tree) is gast.Call and [type(arg) for arg in tree.args] == [gast.Name]:
        found = effects.context.resolve(tree.func)
        return not tree.keywords and is_one_of(found, _OF_SHAPE)
    return False
