"""What is read before anything is stored into it needs no copy.

Where a cotangent is taken out of an adjoint buffer, the part is copied, for the buffer is stored into next.
When that store has fallen away, the part may be read where it lies.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.optimize.analyses import effects_of, generated_in
from tapeless.optimize.cancel_zeroing import uncopied
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.runtime import unbroadcast
from tapeless.tree.blocks import after, all_blocks, binds_one_name, bound, is_ellipsis
from tapeless.tree.classes import ASSIGNMENTS, SIMPLE
from tapeless.tree.names import nodes
from tapeless.tree.trees import Expr, Stmt


def drop_copies(function: gast.FunctionDef, context: Context) -> bool:
    """Read `b[i]` where it lies, if nothing stores into `b` before the last read.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(u, w, w_bar):
    ...     u_bar = 2.0 * u
    ...     v_bar = u_bar[1:].copy()
    ...     w_bar += v_bar * u
    ...     u_bar[1:] += v_bar * w
    ...     v_1_bar = u_bar[1:].copy()
    ...     u_bar += w
    ...     w_bar += v_1_bar * 3.0
    ...     w_bar += u_bar[:-1].copy()
    ... ''').body[0]
    >>> names = lambda key: key.endswith("_bar")
    >>> drop_copies(function, Context(temporaries=names, reverse=True))
    True
    >>> print(unparse(function), end="")
    def f(u, w, w_bar):
        u_bar = 2.0 * u
        v_bar = u_bar[1:]
        w_bar += v_bar * u
        u_bar[1:] += v_bar * w
        v_1_bar = u_bar[1:].copy()
        u_bar += w
        w_bar += v_1_bar * 3.0
        w_bar += u_bar[:-1]
    """
    generated = generated_in(function, context)
    copying = [
        (block, s)
        for block in all_blocks(function.body)
        for s in block
        if type(s) in ASSIGNMENTS and id(s) in generated and _is_copied_part(s.value, context)
    ]
    if not copying:
        return False
    effects = effects_of(function, context)
    changed = False
    for block, s in copying:
        value = _read_where_it_lies(s.value, effects)
        if type(s) is gast.AugAssign or _is_read_at_once(block, s, value, effects):
            s.value = value
            changed = True
    return changed


def _is_copied_part(tree: Expr, context: Context) -> bool:
    """Whether a value is a copy of a part of an array, or such a copy that is summed to a shape."""
    part = uncopied(tree)
    if part is tree:
        return _is_summed(tree, context) and _is_copied_part(tree.args[0], context)
    return type(part) is gast.Subscript and type(part.value) is gast.Name


def _is_summed(tree: Expr, context: Context) -> bool:
    """Whether a value is `unbroadcast(g, x)`, which is `g` itself where the shapes agree."""
    called = type(tree) is gast.Call and type(tree.func) is gast.Name and not tree.keywords
    return called and context.resolve(tree.func) is unbroadcast


def _read_where_it_lies(tree: Expr, effects: Effects) -> Any:
    """Write a value without the copy that it is made of."""
    part = uncopied(tree)
    if part is not tree:
        return _whole(part, effects)
    return gast.Call(tree.func, [_read_where_it_lies(tree.args[0], effects), *tree.args[1:]], [])


def _is_read_at_once(block: list[Any], s: Stmt, part: Expr, effects: Effects) -> bool:
    """Whether a name holds a copy whose reads all come before what it is of, `part`, is stored into."""
    if not binds_one_name(s):
        return False
    key = s.targets[0].id
    if not effects.context.temporaries(key) or key in effects.scoped or key in effects.parameters:
        return False
    if len(effects.values.get(key, ())) != 1:
        return False
    left = sum(p.id == key for p in effects.parts(gast.Name)) - 1
    memory = effects.seen_through(part)
    for following in after(block, s):
        if not left:
            return True
        if type(following) not in SIMPLE or key in bound(following):
            return False
        read = sum(type(p) is gast.Name and p.id == key for p in nodes(following))
        if read and not only_computes(following, key, effects):
            return False
        left -= read
        touch = effects.touch(following)
        if touch.unknown or effects.collide(memory, touch) and (left or not _adds(following)):
            return False
    return not left


def only_computes(s: Stmt, key: str, effects: Effects) -> bool:
    """Whether a statement computes with a value, and neither keeps it nor stores into it."""
    if type(s) not in ASSIGNMENTS or key in effects.seen_through(s.value):
        return False
    return not any(type(p) is gast.Name and p.id == key for p in nodes(_place(s)))


def _place(s: Stmt) -> Any:
    return s.targets[0] if type(s) is gast.Assign else s.target


def _adds(s: Stmt) -> bool:
    """Whether a statement computes all that it adds before it stores."""
    return type(s) is gast.AugAssign and type(s.value) in (gast.BinOp, gast.UnaryOp)


def _whole(part: Expr, effects: Effects) -> Any:
    """Write `b[...]` as `b`."""
    return part.value if is_ellipsis(part.slice) and effects.is_array(part.value) else part
