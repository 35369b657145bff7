"""The sum of a number that is spread over a shape is the number times the count of entries.

    z = c - 0.5 * x * x
    c_bar = np.sum(-np.broadcast_to(2.0, np.shape(z)))   ->   c_bar = -2.0 * np.size(x)

The size is asked of what is there anyway and has the shape, so that nothing is computed for its shape alone.
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from tapeless.optimize.analyses import body_of, effects_of
from tapeless.optimize.context import Context
from tapeless.optimize.same_shapes import Shapes
from tapeless.tree.blocks import all_statements
from tapeless.tree.build import const, name
from tapeless.tree.signs import is_negated
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr


def count_entries(function: gast.FunctionDef, context: Context) -> bool:
    """Count entries where they are summed.

    Examples
    --------
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(x):
    ...     z = 1.0 - 0.5 * x * x
    ...     return np.sum(-np.broadcast_to(2.0, np.shape(z)))
    ... ''').body[0]
    >>> found = {f"np.{key}": getattr(np, key) for key in ("sum", "broadcast_to", "shape")}
    >>> count_entries(function, Context(lambda tree: found.get(gast.unparse(tree))))
    True
    >>> print(unparse(function), end="")
    def f(x):
        z = 1.0 - 0.5 * x * x
        return -2.0 * np.size(x)
    """
    if not any(_spreads(call, context) for call in body_of(function, context).parts(gast.Call)):
        return False
    counter = _Counter(function, context)
    for s in all_statements(function.body):
        if type(s) in (gast.Assign, gast.AugAssign, gast.Return) and s.value is not None:
            s.value = counter.visit(s.value)
    return counter.found


def _spreads(call: Expr, context: Context) -> bool:
    return type(call.func) is gast.Attribute and context.resolve(call.func) is np.broadcast_to


def _without_sign(tree: Expr) -> tuple[float, Expr]:
    if is_negated(tree):
        return -1.0, tree.operand
    return 1.0, tree


class _Counter(Transformer):
    """Writes sums of spread numbers as products with a size."""

    def __init__(self, function: gast.FunctionDef, context: Context) -> None:
        self.context = context
        self.shapes = Shapes(function, effects_of(function, context))
        self.found = False

    def visit_Call(self, tree: Expr) -> Any:
        self.generic_visit(tree)
        if not self.calls(tree, np.sum) or len(tree.args) != 1 or tree.keywords:
            return tree
        sign, spread = _without_sign(tree.args[0])
        if not self.calls(spread, np.broadcast_to):
            return tree
        inner, number = _without_sign(spread.args[0])
        shape = spread.args[1]
        if type(number) is not gast.Constant or not isinstance(number.value, float):
            return tree
        if not self.calls(shape, np.shape) or type(shape.args[0]) is not gast.Name:
            return tree
        self.found = True
        func = gast.Attribute(tree.func.value, "size", gast.Load())
        size = gast.Call(func, [name(self.plainest(shape.args[0]))], [])
        return gast.BinOp(const(sign * inner * number.value), gast.Mult(), size)

    def calls(self, tree: Expr, function: Any) -> bool:
        """Whether an expression calls a function of NumPy's by its dotted name."""
        if type(tree) is not gast.Call or type(tree.func) is not gast.Attribute:
            return False
        return self.context.resolve(tree.func) is function

    def plainest(self, tree: Expr) -> str:
        """Return a name whose shape is that of another, and which that one is computed from."""
        shape = self.shapes.of(tree, here=True) or ()
        return next(iter(shape)) if len(shape) == 1 and "[" not in next(iter(shape)) else tree.id
