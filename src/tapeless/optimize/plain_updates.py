"""Updates in place are written as their author wrote them.

    out[...] = out + k * part      ->      out += k * part

`out += e` is differentiated as the sum and the store that it stands for. Where nothing needs the sum by
itself, the two are one statement again. This is done last: what is differentiated again keeps the store.
Nor has a number that is computed a memory of its own, so that `x = x + e` and `x += e` are the same: of
what is handed in, in a list too, an array of rank 0 may be in its place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from typing import Any

import gast
import numpy as np

from tapeless.externals import is_one_of
from tapeless.kinds import Array, Integer, Real
from tapeless.optimize.analyses import effects_of
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.runtime import as_gradient
from tapeless.tree.blocks import all_blocks, is_ellipsis
from tapeless.tree.build import as_load, as_store, is_same_tree
from tapeless.tree.names import nodes
from tapeless.tree.trees import Expr, Stmt

_COMPUTING = (abs, float, int, round, len, np.float64, np.sum, np.dot, np.vdot)
_READING = (len, np.array, as_gradient)
_OPERATORS = (gast.Add, gast.Sub, gast.Mult, gast.Div)


def plain_updates(function: gast.FunctionDef, context: Context) -> None:
    """Write stores of sums into all of an array as updates.

    Examples
    --------
    >>> import gast
    >>> from tapeless.kinds import Size
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(out, k, row, table):
    ...     out[...] = out + k * row
    ...     out[...] = out + table
    ...     out[...] = row + out
    ... ''').body[0]
    >>> kinds = {"out": Array((Size(0),)), "k": Real(), "row": Array((Size(0),)), "table": Array((1, 3))}
    >>> plain_updates(function, Context(kind_of=kinds.get))
    >>> print(unparse(function), end="")
    def f(out, k, row, table):
        out += k * row
        out[...] = out + table
        out[...] = row + out
    """
    for block in all_blocks(function.body):
        block[:] = [_update(s, context) or s for s in block]


def update_numbers(function: gast.FunctionDef, context: Context) -> None:
    """Write what is added to a number, or multiplies it, as an update.

    Examples
    --------
    >>> import gast
    >>> from tapeless.kinds import UNKNOWN
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(x, y, row):
    ...     x = x - y
    ...     s = x * y
    ...     s = s - y
    ...     s = s * y + y
    ...     row = row + y
    ...     listed = [0.0] * 3
    ...     listed[0] = listed[0] + x
    ... ''').body[0]
    >>> kinds = {"x": Real(), "y": Real(), "s": Real(), "row": Array((3,))}
    >>> update_numbers(function, Context(kind_of=lambda key: kinds.get(key, UNKNOWN)))
    >>> print(unparse(function), end="")
    def f(x, y, row):
        x = x - y
        s = x * y
        s -= y
        s = s * y + y
        row = row + y
        listed = [0.0] * 3
        listed[0] += x
    """
    effects = effects_of(function, context)
    computed = _computed_numbers(effects)
    lists = _lists_of_numbers(effects, computed)
    for block in all_blocks(function.body):
        for i, s in enumerate(block):
            if type(s) is not gast.Assign or len(s.targets) != 1 or type(s.value) is not gast.BinOp:
                continue
            place, value = s.targets[0], s.value
            if type(value.op) not in _OPERATORS or not is_same_tree(as_load(place), value.left):
                continue
            slot = type(place) is gast.Subscript and getattr(place.value, "id", "") in lists
            if slot or type(place) is gast.Name and place.id in computed:
                update = gast.AugAssign(place, value.op, value.right)
                block[i] = gast.copy_location(update, s)


def _computed_numbers(effects: Effects) -> set[str]:
    """Collect the names that hold only what is computed here of numbers, or taken out of an array."""
    handed_in = effects.parameters | effects.scoped
    asked = {k for k in effects.values if effects.is_scalar_name(k) and k not in handed_in}
    while True:
        kept = {k for k in asked if all(_is_computed(v, asked, effects) for v in effects.values[k])}
        if kept == asked:
            return kept
        asked = kept


def _is_computed(value: Expr | None, computed: Set[str], effects: Effects) -> bool:
    """Whether a number is made where it is written: no other name stands for it, nor does a container."""
    if value is None:
        return False
    cls = type(value)
    if cls is gast.Name:
        return value.id in computed
    if cls is gast.IfExp:
        return all(_is_computed(part, computed, effects) for part in (value.body, value.orelse))
    if cls is gast.Subscript:
        return effects.is_item(value)
    if cls is gast.Call:
        found = effects.context.resolve(value.func)
        of_math = getattr(found, "__module__", "") == "math"
        return of_math or isinstance(found, np.ufunc) or is_one_of(found, _COMPUTING)
    return cls in (gast.Constant, gast.BinOp, gast.UnaryOp, gast.Compare)


def _lists_of_numbers(effects: Effects, computed: Set[str]) -> set[str]:
    """Collect the lists made here of which every slot holds a number: nothing is stored in its place."""
    found = {
        key
        for key, values in effects.values.items()
        if key not in effects.parameters | effects.scoped and all(map(_is_of_zeros, values))
    }
    stored = [
        (part.targets[0], part.value)
        for part in effects.parts(gast.Assign)
        if type(part.targets[0]) is gast.Subscript
    ]
    for place, value in stored:
        key = getattr(place.value, "id", "")
        added = value.right if type(value) is gast.BinOp else value
        own = type(value) is not gast.BinOp or is_same_tree(as_load(place), value.left)
        plain = type(value) is gast.BinOp or _is_computed(value, computed, effects)
        if type(place.slice) is gast.Slice or not (plain and own and effects.is_scalar(added)):
            found.discard(key)
    looked_at = [part.value for part in effects.parts(gast.Subscript)]
    looked_at += [part.value for part in effects.parts(gast.Return)]
    for part in effects.parts(gast.Call):
        if is_one_of(effects.context.resolve(part.func), _READING):
            looked_at += part.args
    mentioned = Counter(part.id for part in looked_at if type(part) is gast.Name)
    return {key for key in found if effects.body.mentions[key] == mentioned[key] + 1}


def _is_of_zeros(value: Expr | None) -> bool:
    """Whether a value is `[0.0] * n`."""
    product: Any = value
    left: Any = (
        product.left if type(value) is gast.BinOp and type(product.op) is gast.Mult else None
    )
    return type(left) is gast.List and [getattr(x, "value", None) for x in left.elts] == [0.0]


def _update(s: Stmt, context: Context) -> Any:
    """Write `x[...] = x + e` as `x += e`; None for what is none, or where `e` may have more axes."""
    if (
        type(s) is not gast.Assign
        or len(s.targets) != 1
        or type(s.targets[0]) is not gast.Subscript
    ):
        return None
    place, value = s.targets[0], s.value
    if type(value) is not gast.BinOp or type(value.op) not in _OPERATORS:
        return None
    key = place.value.id if type(place.value) is gast.Name else None
    if not is_ellipsis(place.slice) or key is None or getattr(value.left, "id", None) != key:
        return None
    kind = context.kind_of(key)
    if not isinstance(kind, Array) or not kind.dims or kind.dtype not in ("f8", "f4"):
        return None
    if not _has_rank(value.right, len(kind.dims), context):
        return None
    return gast.copy_location(gast.AugAssign(as_store(place.value), value.op, value.right), s)


def _has_rank(tree: Expr, most: int, context: Context) -> bool:
    """Whether an expression surely gives real numbers, or an array of them of so many axes at most."""
    cls = type(tree)
    if cls is gast.Constant:
        return type(tree.value) in (int, float)
    if cls is gast.Name:
        kind = context.kind_of(tree.id)
        if isinstance(kind, Array):
            return kind.dtype in ("f8", "f4", "i", "b") and len(kind.dims) <= most
        return isinstance(kind, Integer) or isinstance(kind, Real) and kind.dtype in ("f8", "f4")
    if cls is gast.Subscript and type(tree.value) is gast.Name:
        return _has_rank(tree.value, most, context) and not _adds_axes(tree.slice, context)
    if cls is gast.UnaryOp:
        return type(tree.op) is gast.USub and _has_rank(tree.operand, most, context)
    if cls is gast.BinOp and type(tree.op) in _OPERATORS:
        return all(_has_rank(part, most, context) for part in (tree.left, tree.right))
    return False


def _adds_axes(index: Expr, context: Context) -> bool:
    """Whether an index may hold None, or arrays: what it takes may have more axes."""
    return any(
        type(part) is gast.Constant
        and part.value is None
        or type(part) is gast.Name
        and not isinstance(context.kind_of(part.id), Integer)
        or type(part) in (gast.Attribute, gast.Call, gast.List)
        for part in nodes(index)
    )
