"""What two selections by one condition add up to is one selection.

    x_bar = np.where(c, 0.0, g)
    x_bar -= np.where(c, h, 0.0)      ->      x_bar = np.where(c, -h, g)

Each entry is taken from one of both, and the other one gives 0, also times a factor. This is how
`np.where(c, 1.0 - t, t)` and `np.where(c, t, 0.1 * t)` are reversed.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import gast
import numpy as np

from tapeless.optimize.analyses import body_of, effects_of, generated_in
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.tree.blocks import all_blocks, all_statements, binds_one_name
from tapeless.tree.build import is_same_tree
from tapeless.tree.classes import MULTIPLICATIVE, SIMPLE
from tapeless.tree.names import reads
from tapeless.tree.signs import is_negated
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Stmt

_SIGNS: dict[type, int] = {gast.Add: 1, gast.Sub: -1}


def join_selections(function: gast.FunctionDef, context: Context) -> bool:
    """Select once.

    Examples
    --------
    >>> import gast
    >>> from tapeless.kinds import Array
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(c, g):
    ...     x_bar = np.where(c, 0.0, g)
    ...     x_bar -= np.where(c, g, 0.0)
    ...     y_bar = np.sum(np.where(c, g, 0.0)) + (np.where(c, g, 0.0) - np.where(c, 0.0, 1.0))
    ...     z_bar = np.where(c, g, 0.0) + np.where(c, 0.0, g) * 0.1
    ...     return x_bar, y_bar, z_bar
    ... ''').body[0]
    >>> resolve = lambda tree: np.where if gast.unparse(tree) == "np.where" else None
    >>> context = Context(resolve, kind_of=lambda key: Array((3,), "f8"), reverse=True)
    >>> join_selections(function, context)
    True
    >>> print(unparse(function), end="")
    def f(c, g):
        x_bar = np.where(c, -g, g)
        y_bar = np.sum(np.where(c, g, 0.0)) + np.where(c, g, -1.0)
        z_bar = np.where(c, g, g * 0.1)
        return x_bar, y_bar, z_bar
    """
    calls = body_of(function, context).parts(gast.Call)
    if sum(_is_selection(call, context) for call in calls) < 2:
        return False
    effects = effects_of(function, context)
    generated = generated_in(function, context)
    joiner = _Joiner(effects)
    for block in all_blocks(function.body):
        for s, update in pairwise([*block]):
            if id(s) in generated and id(update) in generated and _updates(s, update, context):
                made = joiner.joined(s.value, update.value, _SIGNS[type(update.op)])
                if made is not None:
                    s.value = made
                    block[:] = [other for other in block if other is not update]
    for s in all_statements(function.body):
        if id(s) in generated and type(s) in SIMPLE and getattr(s, "value", None) is not None:
            s.value = joiner.visit(s.value)
    return joiner.changed


def _is_selection(tree: Any, context: Context) -> bool:
    if type(tree) is not gast.Call or len(tree.args) != 3 or tree.keywords:
        return False
    return context.resolve(tree.func) is np.where


def _updates(s: Stmt, update: Stmt, context: Context) -> bool:
    """Whether a statement binds a name to a selection, and the next one adds another one to it."""
    if not binds_one_name(s) or type(update) is not gast.AugAssign:
        return False
    key, added = s.targets[0].id, update.target
    if type(added) is not gast.Name or key != added.id:
        return False
    if type(update.op) not in _SIGNS or key in reads(update.value):
        return False
    return bool(_terms(s.value, context) and _terms(update.value, context))


def _terms(tree: Expr, context: Context) -> list[Any]:
    """Return the selection that an expression is, or is a multiple of, and what it is chosen from.

    That is the call of `np.where`, and its two choices times the factor. Nothing where it is none.
    """
    if _is_selection(tree, context):
        return [tree, *tree.args[1:]]
    if type(tree) is not gast.BinOp or type(tree.op) not in MULTIPLICATIVE:
        return []
    for side in ("left", "right") if type(tree.op) is gast.Mult else ("left",):
        if terms := _terms(getattr(tree, side), context):
            call, *chosen = terms
            return [call, *(c if _is_zero(c) else _with_operand(tree, side, c) for c in chosen)]
    return []


def _with_operand(tree: Expr, side: str, operand: Expr) -> Any:
    sides = {"left": tree.left, "right": tree.right, side: operand}
    return gast.BinOp(sides["left"], tree.op, sides["right"])


class _Joiner(Transformer):
    """Joins selections by one condition."""

    def __init__(self, effects: Effects) -> None:
        self.effects = effects
        self.changed = False

    def visit_BinOp(self, tree: Expr) -> Any:
        """Join the operands of a sum or a difference."""
        self.generic_visit(tree)
        if type(tree.op) not in _SIGNS:
            return tree
        return self.joined(tree.left, tree.right, _SIGNS[type(tree.op)]) or tree

    def joined(self, first: Any, second: Any, sign: int) -> Any:
        """Write the sum of two selections as one; None where each entry is not that of one of them."""
        terms = [_terms(part, self.effects.context) for part in (first, second)]
        if not all(terms):
            return None
        (call, *owns), (added, *others) = terms
        condition = added.args[0]
        if not is_same_tree(call.args[0], condition) or not self.effects.is_pure(condition):
            return None
        if not any(map(self.effects.is_array, (condition, *owns, *others))):
            return None
        chosen = [self.of_one(own, other, sign) for own, other in zip(owns, others, strict=True)]
        if None in chosen:
            return None
        self.changed = True
        return gast.Call(call.func, [condition, *chosen], [])

    def of_one(self, own: Any, other: Any, sign: int) -> Any:
        """Return the sum of two operands of which one is 0.0 at least; None where none is."""
        if _is_zero(other):
            return own
        if not _is_zero(own) or not self.effects.is_float(other):
            return None
        if sign > 0:
            return other
        if is_negated(other):
            return other.operand
        return gast.UnaryOp(gast.USub(), other)


def _is_zero(tree: Any) -> bool:
    return type(tree) is gast.Constant and type(tree.value) is float and tree.value == 0.0
