"""Sums of products that are products of matrices, or of stacks of them, are written as such.

    np.einsum("ij,kj->ik", a, b)        ->      a @ b.T
    np.einsum("kij,kjl->kil", a, b)     ->      a @ b

`einsum` adds one product after the other; `@` goes through the matrices block by block. The products are
added in another order, so this is done in the reverse sweep only, where the sizes are known to agree:
`einsum` also broadcasts an axis of size 1 that it sums over.
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from tapeless.kinds import Array
from tapeless.optimize.analyses import generated_in
from tapeless.optimize.context import Context
from tapeless.ranks import same_dims
from tapeless.tree.blocks import all_statements
from tapeless.tree.build import const
from tapeless.tree.classes import SIMPLE
from tapeless.tree.names import nodes
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr


def multiply_stacks(function: gast.FunctionDef, context: Context) -> None:
    """Write `np.einsum` as `@` where it multiplies matrices.

    Examples
    --------
    >>> import gast
    >>> from tapeless.kinds import Size
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(z_bar, d, w):
    ...     m_bar = np.einsum("nki,nkj->kij", z_bar, d)
    ...     d_bar = np.einsum("nki,kij->nkj", z_bar, w)
    ...     s_bar = np.einsum("nki,nki->k", z_bar, d)
    ...     return m_bar, d_bar, s_bar
    ... ''').body[0]
    >>> n, k, i, j = (Size(key, least=2) for key in "nkij")
    >>> kinds = {"z_bar": Array((n, k, i)), "d": Array((n, k, j)), "w": Array((k, i, j))}
    >>> multiply_stacks(function, Context(lambda tree: np.einsum, kind_of=kinds.get, reverse=True))
    >>> print(unparse(function), end="")
    def f(z_bar, d, w):
        m_bar = z_bar.transpose(1, 2, 0) @ d.transpose(1, 0, 2)
        d_bar = (z_bar.transpose(1, 0, 2) @ w).transpose(1, 0, 2)
        s_bar = np.einsum("nki,nki->k", z_bar, d)
        return m_bar, d_bar, s_bar
    """
    generated = generated_in(function, context)
    writer = _Writer(context)
    for s in all_statements(function.body):
        if id(s) in generated and type(s) in SIMPLE and getattr(s, "value", None) is not None:
            if any(type(p) is gast.Call and p.args[2:] and _labels(p, context) for p in nodes(s)):
                s.value = writer.visit(s.value)


def _labels(call: Expr, context: Context) -> tuple[str, str, str] | None:
    """Return the labels of two arrays and of the result; None for any other call."""
    if len(call.args) != 3 or call.keywords or context.resolve(call.func) is not np.einsum:
        return None
    text = call.args[0].value if type(call.args[0]) is gast.Constant else None
    terms, arrow, result = text.partition("->") if isinstance(text, str) else ("", "", "")
    first, comma, second = terms.partition(",")
    parts = (first, second, result)
    plain = all(part.isalpha() and len(set(part)) == len(part) for part in parts)
    return parts if arrow and comma and plain else None


class _Writer(Transformer):
    """Writes products of matrices."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def visit_Call(self, tree: Expr) -> Any:
        self.generic_visit(tree)
        labels = _labels(tree, self.context) if len(tree.args) == 3 else None
        if labels is None or not self.agree(tree.args[1:], labels):
            return tree
        first, second, result = labels
        both = set(first) & set(second)
        over, stacked = both - set(result), [label for label in result if label in both]
        rows = [label for label in result if label not in second]
        columns = [label for label in result if label not in first]
        if not len(rows) == len(columns) == len(over) == 1:
            return tree
        if {*first, *second} != {*rows, *columns, *over, *stacked}:
            return tree
        a, b = tree.args[1:]
        if [*stacked, *columns, *rows] == list(result):
            a, b, first, second, rows, columns = b, a, second, first, columns, rows
        left = _in_order(a, first, [*stacked, *rows, *over])
        right = _in_order(b, second, [*stacked, *over, *columns])
        made = gast.BinOp(left, gast.MatMult(), right)
        return _in_order(made, "".join([*stacked, *rows, *columns]), list(result))

    def agree(self, operands: list[Any], labels: tuple[str, str, str]) -> bool:
        """Whether two arrays of doubles surely have the same size along the axes of one label."""
        sizes: list[dict[str, Any]] = []
        for operand, own in zip(operands, labels, strict=False):
            kind = self.context.kind_of(operand.id) if type(operand) is gast.Name else None
            if not isinstance(kind, Array) or kind.dtype != "f8" or len(kind.dims) != len(own):
                return False
            sizes.append(dict(zip(own, kind.dims, strict=True)))
        shared = sizes[0].keys() & sizes[1].keys()
        return all(same_dims((sizes[0][label],), (sizes[1][label],)) for label in shared)


def _in_order(tree: Expr, labels: str, wanted: list[str]) -> Any:
    """Write a view of an array with its axes in another order."""
    order = [labels.index(label) for label in wanted]
    if order == sorted(order):
        return tree
    if len(order) == 2:
        return gast.Attribute(tree, "T", gast.Load())
    axes = [const(axis) for axis in order]
    return gast.Call(gast.Attribute(tree, "transpose", gast.Load()), axes, [])
