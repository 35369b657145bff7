"""A cotangent that is taken out and put back again may stay where it is.

Reversing `u[i] = u[i] + e` takes the cotangent of the stored value, leaves zero, and adds it back for
the value that was read. Where in between only further cotangents are added, nothing has to move.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import gast
import numpy as np

from tapeless.optimize.analyses import effects_of, generated_in
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.tree.blocks import all_blocks, bound, is_ellipsis
from tapeless.tree.build import as_load
from tapeless.tree.classes import ADDITIVE, JUMPS, SIMPLE
from tapeless.tree.names import reads
from tapeless.tree.trees import Expr, Stmt, Tree


def cancel_zeroing(function: gast.FunctionDef, context: Context) -> bool:
    """Drop `b[i] = 0.0` and a later `b[i] += v`, where `v` is what `b[i]` held.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(u_bar, i, c):
    ...     v_bar = u_bar[i]
    ...     u_bar[i] = 0.0
    ...     c_bar = v_bar * c
    ...     u_bar[i + 1] += v_bar
    ...     u_bar[i] += v_bar
    ...     return c_bar
    ... ''').body[0]
    >>> from tapeless.kinds import UNKNOWN, Real
    >>> kinds = {"v_bar": Real()}
    >>> context = Context(
    ...     temporaries=lambda key: key.endswith("_bar"),
    ...     kind_of=lambda key: kinds.get(key, UNKNOWN),
    ...     reverse=True,
    ... )
    >>> cancel_zeroing(function, context)
    True
    >>> print(unparse(function), end="")
    def f(u_bar, i, c):
        v_bar = u_bar[i]
        c_bar = v_bar * c
        u_bar[i + 1] += v_bar
        return c_bar
    """
    generated = generated_in(function, context)
    taking = [
        (block, s)
        for block in all_blocks(function.body)
        for s, after in pairwise(block)
        if id(s) in generated and _empties(s, after)
    ]
    if not taking:
        return False
    effects = effects_of(function, context)
    done = [_cancel(block, block.index(s), effects) for block, s in taking if s in block]
    return any(done)


def _empties(s: Stmt, after: Stmt) -> bool:
    """Whether a statement takes out what the next one leaves zero in the place of."""
    taken = _taken(s)
    return taken is not None and _is_zeroing(after, taken[1])


def _cancel(block: list[Any], i: int, effects: Effects) -> bool:
    """Cancel what the i-th statement takes out, if the next one leaves zero there."""
    taken = _taken(block[i])
    if taken is None or i + 1 == len(block) or not _is_zeroing(block[i + 1], taken[1]):
        return False
    key, place = taken
    copied = type(block[i].value) is gast.Call
    if not (copied or effects.is_scalar_name(key)):  # what was taken is a view of the place
        return False
    fixed = {key, *reads(place)}
    memory = effects.seen_through(place.value)
    for j in range(i + 2, len(block)):
        s = block[j]
        if _puts_back(s, key, place, effects):
            del block[j], block[i + 1]
            return True
        if type(s) not in SIMPLE or bound(s) & fixed:
            return False
        if type(s) in JUMPS:
            return False
        if _adds_to(s, place):
            touched = effects.touch(s.value).reads | effects.touch(s.target.slice).reads
            if effects.meet(touched, memory):
                return False
            continue
        touch = effects.touch(s)
        if touch.unknown or effects.meet(touch.reads | touch.writes, memory):
            return False
        if copied and effects.collide({key}, touch):
            return False
    return False


def _taken(s: Stmt) -> tuple[str, Any] | None:
    if type(s) is not gast.Assign or len(s.targets) != 1:
        return None
    place, value = s.targets[0], uncopied(s.value)
    if type(place) is not gast.Name or type(value) is not gast.Subscript:
        return None
    return (place.id, value) if type(value.value) is gast.Name else None


def uncopied(tree: Expr) -> Any:
    """Return `b[i]` of `b[i].copy()`, and any other expression as it is."""
    if type(tree) is not gast.Call or tree.args or tree.keywords:
        return tree
    return tree.func.value if getattr(tree.func, "attr", None) == "copy" else tree


def _is_zeroing(s: Stmt, place: Expr) -> bool:
    if type(s) is not gast.Assign or len(s.targets) != 1:
        return False
    zero = type(s.value) is gast.Constant and s.value.value == 0.0
    return zero and _same_place(s.targets[0], place)


def _puts_back(s: Stmt, key: str, place: Expr, effects: Effects) -> bool:
    if type(s) is not gast.AugAssign or type(s.op) is not gast.Add:
        return False
    value = uncopied(s.value)
    if type(value) is gast.Call and effects.context.resolve(value.func) is np.array:
        value = value.args[0] if len(value.args) == 1 and not value.keywords else value
    if type(value) is not gast.Name or value.id != key:
        return False
    return _same_place(s.target, place) or _is_whole(s.target, place, effects)


def _is_whole(target: Expr, place: Expr, effects: Effects) -> bool:
    """Whether `b += v` adds to `b[...]`: `b` is an array for sure."""
    same = type(target) is gast.Name and target.id == place.value.id
    return is_ellipsis(place.slice) and same and effects.is_array(place.value)


def _adds_to(s: Stmt, place: Expr) -> bool:
    if type(s) is not gast.AugAssign or type(s.op) not in ADDITIVE:
        return False
    owner = getattr(s.target, "value", None)
    return type(s.target) is gast.Subscript and gast.dump(owner) == gast.dump(place.value)


def _same_place(a: Tree, b: Tree) -> bool:
    if type(a) is not gast.Subscript or type(b) is not gast.Subscript:
        return False
    return bool(gast.dump(as_load(a)) == gast.dump(as_load(b)))
