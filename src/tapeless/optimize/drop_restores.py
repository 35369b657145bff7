"""What was overwritten in an array is not put back where the reverse sweep reads no entry of it any more.

Nor does a list that nobody looks at any more lose or get back its items: `items.pop()`.

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
from tapeless.kinds import Array, List
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
    stores = [[s for block in each for s in block if _changed(s)] for each in blocks]
    if not any(stores):
        return False
    effects = effects_of(function, context)
    unread = _unread(blocks, stores, effects)
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


def _changed(s: Stmt) -> Any:
    """Return the name of what a statement stores an item into, appends to or pops from; None for others."""
    place = _store(s)
    if place is not None:
        return place.value.id
    call: Any = s.value if type(s) is gast.Expr else None
    return call.func.value.id if type(call) is gast.Call and is_stack_call(call) else None


def _goes(s: Any, unread: Set[str], effects: Effects) -> bool:
    place = _store(s)
    if place is None:
        quiet = all(map(effects.is_pure, s.value.args))
    else:
        quiet = effects.is_pure(s.value) and effects.is_pure(place.slice)
    return quiet and effects.root(_changed(s)) in unread


def _unread(blocks: list[list[Any]], stores: list[list[Any]], effects: Effects) -> set[str]:
    """Return what is stored into that is made here, and read nowhere from the first such store on."""
    first: dict[str, int] = {}
    for i, found in enumerate(stores):
        for key in {_changed(s) for s in found} - effects.stacks:
            if not is_adjoint(key, effects.context):
                first.setdefault(effects.root(key), i)
    first.pop(effects.root(OUTSIDE), None)
    names = {key for key in effects.body.mentions if effects.root(key) in first}
    names = {key for key in names if not effects.is_scalar_name(key)}
    for key in names:
        kind = effects.kind(key)
        held = isinstance(kind, List) or isinstance(kind, Array) and kind.dtype != "O"
        if not held or key in effects.parameters | effects.scoped:
            first.pop(effects.root(key), None)
    for i, each in enumerate(blocks):
        for s in (s for block in each for s in block):
            for key in _contents_read(s, names, effects):
                if first.get(effects.root(key), len(blocks)) <= i:
                    del first[effects.root(key)]
    return set(first)


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
        return {s.value.func.value.id} & names
    if type(s) is gast.Expr and _changed(s):
        return _read_in(s.value.args, names, effects)
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
        return tree.attr in ("shape", "size", "ndim", "dtype") and _is_array(tree.value, effects)
    if type(tree) is gast.Subscript and type(tree.slice) is gast.Name:
        made = effects.values.get(getattr(tree.value, "id", ""), [])
        calls = [v.func for v in made if type(v) is gast.Call]
        of_memory = len(made) == len(calls) == 1 and _is_array(tree.slice, effects)
        return of_memory and effects.context.resolve(calls[0]) is AdjointMemory
    if type(tree) is gast.Call and [type(arg) for arg in tree.args] == [gast.Name]:
        found = effects.context.resolve(tree.func)
        plain = not tree.keywords and _is_array(tree.args[0], effects)
        return plain and is_one_of(found, _OF_SHAPE)
    return False


def _is_array(tree: Any, effects: Effects) -> bool:
    return isinstance(effects.kind(tree.id), Array)
