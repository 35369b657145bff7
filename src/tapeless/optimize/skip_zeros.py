"""Where a branch that is not taken leaves an adjoint zero, what only hands that zero on is left out, too.

    r_bar = 0.0                         if r < cutoff:
    if r < cutoff:                          r_bar = 2.0 * (r - cutoff)
        r_bar = 2.0 * (r - cutoff)  ->      d_bar = r_bar / r * d
    d_bar = r_bar / r * d                   x_bar[i] += d_bar
    x_bar[i] += d_bar

What is added would be zero, or nan where zero meets an infinity that the value has no part in.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import gast
import numpy as np

from tapeless.externals import is_one_of
from tapeless.optimize.analyses import effects_of, generated_in, liveness_of, version_of
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.tree.blocks import all_blocks, all_statements, bound, may_bind
from tapeless.tree.classes import ADDITIVE
from tapeless.tree.comments import is_comment
from tapeless.tree.liveness import Liveness
from tapeless.tree.trees import Expr, Stmt

_PRODUCTS = (np.outer, np.dot, np.vdot)
_OF_ENTRIES = (np.sum, float, np.float64)


def skip_zeros(function: gast.FunctionDef, context: Context) -> bool:
    """Move what only hands an adjoint on into the branch where there is one.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(x_bar, i, r, d, w):
    ...     r_bar = 0.0
    ...     if r < 1.0:
    ...         r_bar = 2.0 * w
    ...     d_bar = r_bar / r * d
    ...     x_bar[i] += d_bar
    ...     x_bar[0] += w
    ...     return x_bar
    ... ''').body[0]
    >>> context = Context(temporaries=lambda key: key.endswith("_bar"), reverse=True)
    >>> skip_zeros(function, context)
    True
    >>> print(unparse(function), end="")
    def f(x_bar, i, r, d, w):
        r_bar = 0.0
        if r < 1.0:
            r_bar = 2.0 * w
            d_bar = r_bar / r * d
            x_bar[i] += d_bar
        x_bar[0] += w
        return x_bar
    """
    generated = generated_in(function, context)
    changed = False
    for block in list(all_blocks(function.body)):
        for i in reversed(range(len(block))):
            s = block[i]
            if type(s) is not gast.If or s.orelse or id(s) not in generated:
                continue
            zeros = _zeros_before(block, i) & may_bind(s)
            if zeros and _move_in(block, i, zeros, function, context, generated):
                version_of(function, context)
                changed = True
    return changed


def _zeros_before(block: list[Any], i: int) -> set[str]:
    """Return the names that are zero where control comes to the i-th statement of a block."""
    zeros: set[str] = set()
    other: set[str] = set()
    for s in reversed(block[:i]):
        place: Any = s.targets[0] if type(s) is gast.Assign and len(s.targets) == 1 else None
        if type(place) is gast.Name and _is_zero(s.value) and place.id not in other:
            zeros.add(place.id)
        other |= may_bind(s)
    return zeros


def _is_zero(tree: Expr) -> bool:
    return type(tree) is gast.Constant and type(tree.value) is float and tree.value == 0.0


def _move_in(
    block: list[Any],
    i: int,
    zeros: set[str],
    function: gast.FunctionDef,
    context: Context,
    generated: Set[int],
) -> bool:
    """Move what follows a branch into it as far as it hands on zeros alone where that is not taken."""
    handing = _Handing(effects_of(function, context), zeros, generated)
    n = i + 1
    while n < len(block) and handing.only_zeros(block[n]):
        n += 1
    moved = _as_far_as_unread(block[i + 1 : n], liveness_of(function, context))
    block[i].body += moved
    del block[i + 1 : i + 1 + len(moved)]
    return bool(moved)


def _as_far_as_unread(statements: list[Any], liveness: Liveness) -> list[Any]:
    """Return as many statements as bind nothing that is read after them."""
    for n in range(len(statements), 0, -1):
        new = {key for s in all_statements(statements[:n]) for key in _names_made(s)}
        if not new & liveness.live_after(statements[n - 1]):
            return statements[:n]
    return []


def _names_made(s: Stmt) -> set[str]:
    """Return the names that a statement binds to what they did not hold: not by adding to it."""
    return set() if type(s) is gast.AugAssign else bound(s)


class _Handing:
    """Says which statements hand on zeros alone where some names are zero; notes what is zero after them."""

    def __init__(self, effects: Effects, zeros: set[str], generated: Set[int]) -> None:
        self.effects, self.zeros, self.generated = effects, set(zeros), generated

    def only_zeros(self, s: Stmt) -> bool:
        if id(s) not in self.generated or is_comment(s):
            return False
        if type(s) is gast.Assign:
            place = s.targets[0]
            if len(s.targets) > 1 or type(place) is not gast.Name or not self._given(s.value):
                return False
            self.zeros.add(place.id)
            return True
        if type(s) is gast.AugAssign:
            return type(s.op) in ADDITIVE and self._given(s.value) and self._keeps_shape(s)
        if type(s) is gast.Expr and type(s.value) is gast.Call:
            added_at = self.effects.is_added_at(s.value)
            return added_at and self._given(s.value.args[2])
        if type(s) is gast.For:
            return self.effects.is_pure(s.iter) and all(map(self.only_zeros, s.body))
        return False

    def _keeps_shape(self, s: Any) -> bool:
        """Whether a zero that is added to something leaves it as it is."""
        if type(s.target) is gast.Subscript:
            return self.effects.is_pure(s.target)
        if type(s.target) is not gast.Name:
            return False
        return self.effects.is_scalar(s.value) or self.effects.is_array(s.target)

    def _given(self, value: Expr) -> bool:
        return self.effects.is_pure(value) and self._is_zero_too(value)

    def _is_zero_too(self, tree: Expr) -> bool:
        """Whether an expression is zero where the names are, whatever else it reads."""
        cls = type(tree)
        if cls is gast.Name:
            return tree.id in self.zeros
        if cls is gast.Constant:
            return _is_zero(tree)
        if cls is gast.UnaryOp:
            return type(tree.op) is gast.USub and self._is_zero_too(tree.operand)
        if cls is gast.IfExp:
            return self._is_zero_too(tree.body) and self._is_zero_too(tree.orelse)
        if cls is gast.Subscript or cls is gast.Attribute and tree.attr == "T":
            return self._is_zero_too(tree.value)
        if cls is gast.BinOp:
            sides = [self._is_zero_too(tree.left), self._is_zero_too(tree.right)]
            if type(tree.op) in ADDITIVE:
                return all(sides)
            if type(tree.op) is gast.Div:
                return sides[0]
            return type(tree.op) in (gast.Mult, gast.MatMult) and any(sides)
        if cls is gast.Call:
            found = self.effects.context.resolve(tree.func)
            if is_one_of(found, _PRODUCTS):
                return any(map(self._is_zero_too, tree.args))
            return is_one_of(found, _OF_ENTRIES) and self._is_zero_too(tree.args[0])
        return False
