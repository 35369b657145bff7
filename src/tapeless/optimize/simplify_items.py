"""Identities of items and views: what is taken of an expression is taken of less.

np.sum(g, axis=1, keepdims=True)[:, 0] / 3.0      ->      np.sum(g, axis=1) / 3.0
(-x)[:, None]                                     ->      -x[:, None]
np.shape(x)[0]                                    ->      len(x)
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from tapeless.analysis.cuts import keeps_all
from tapeless.optimize.effects import Effects
from tapeless.tree.blocks import is_whole
from tapeless.tree.build import name
from tapeless.tree.signs import is_negated
from tapeless.tree.trees import Expr


def simplified_item(tree: Expr, effects: Effects) -> Any:
    """Simplify what an item or a view is taken of; None where no identity applies.

    Examples
    --------
    >>> from tapeless.optimize.context import Context
    >>> from tapeless.source.printer import unparse
    >>> tree = gast.parse("(np.sum(g, axis=1, keepdims=True) / 3.0)[:, 0]").body[0].value
    >>> effects = Effects(gast.parse("def f(g): pass").body[0], Context(lambda tree: np.sum))
    >>> print(unparse(simplified_item(tree, effects)))
    np.sum(g, axis=1) / 3.0
    """
    return _length(tree, effects) or _plain_sum(tree, effects) or _sign_of_view(tree)


def is_the_number(tree: Expr, number: float) -> bool:
    """Whether an expression is the literal of a number."""
    return type(tree) is gast.Constant and is_number(tree) and tree.value == number


def is_number(tree: Expr) -> bool:
    """Whether a literal is a number."""
    return isinstance(tree.value, (int, float)) and not isinstance(tree.value, bool)


def _sign_of_view(tree: Expr) -> Any:
    """Write `(-x)[:, None]` as `-x[:, None]`."""
    whole = tree.value
    if not is_negated(whole):
        return None
    if type(tree.ctx) is not gast.Load or not keeps_all(tree.slice):
        return None
    view = gast.Subscript(whole.operand, tree.slice, gast.Load())
    return gast.UnaryOp(whole.op, view)


def _plain_sum(tree: Expr, effects: Effects) -> Any:
    """Keep no axes in a sum that are taken away at once, or after a factor."""
    items = tree.slice.elts if type(tree.slice) is gast.Tuple else [tree.slice]
    taken = [i for i, item in enumerate(items) if is_the_number(item, 0)]
    whole = [i for i, item in enumerate(items) if is_whole(item)]
    if not taken or len(taken) + len(whole) != len(items):
        return None
    return _without_kept_axes(tree.value, taken, effects)


def _without_kept_axes(tree: Expr, taken: list[int], effects: Effects) -> Any:
    """Write a sum, perhaps with a sign or scaled by numbers, that keeps its axes, without them."""
    if is_negated(tree):
        inner = _without_kept_axes(tree.operand, taken, effects)
        return inner and gast.UnaryOp(tree.op, inner)
    if type(tree) is gast.BinOp:
        scales = isinstance(tree.op, (gast.Mult, gast.Div)) and effects.is_scalar(tree.right)
        inner = _without_kept_axes(tree.left, taken, effects) if scales else None
        return inner and gast.BinOp(inner, tree.op, tree.right)
    if type(tree) is not gast.Call or effects.context.resolve(tree.func) is not np.sum:
        return None
    asked = {k.arg: k.value for k in tree.keywords}
    if asked.keys() != {"axis", "keepdims"} or not getattr(asked["keepdims"], "value", False):
        return None
    axis = asked["axis"]
    axes = [getattr(a, "value", None) for a in getattr(axis, "elts", [axis])]
    if axes != taken:
        return None
    return gast.Call(tree.func, tree.args, [k for k in tree.keywords if k.arg == "axis"])


def _length(tree: Expr, effects: Effects) -> Any:
    """Write `np.shape(x)[0]` as `len(x)`."""
    shape = tree.value
    if type(shape) is not gast.Call or len(shape.args) != 1 or not is_the_number(tree.slice, 0):
        return None
    if effects.context.resolve(shape.func) is not np.shape:
        return None
    if not effects.is_array(shape.args[0]) or "len" in effects.values:
        return None
    return gast.Call(name("len"), shape.args, [])
