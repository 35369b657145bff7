"""Calls of NumPy whose arguments are written out as lists: put into the form that has a rule.

np.einsum(a, [0, 1], b, [1, 2])             ->   np.einsum("ab,bc", a, b)
np.array([a, b])                            ->   np.array((a, b))
y = np.piecewise(x, [c, d], [f, 2.0])       ->   y = np.zeros_like(x); y[c] = f(x[c]); y[d] = 2.0
"""

from __future__ import annotations

import string
from typing import Any

import gast

from tapeless.tree.build import const
from tapeless.tree.classes import DISPLAYS
from tapeless.tree.trees import Expr


def einsum_by_text(tree: Expr) -> Expr | None:
    """Write the lists of axes of `np.einsum` as a text; None where they are not written out."""
    operands, lists = tree.args[0::2], tree.args[1::2]
    if len(tree.args) < 2 or type(tree.args[0]) is gast.Constant:
        return None
    output = None
    if len(operands) > len(lists):
        *operands, output = operands
    texts = [_subscripts(part) for part in [*lists, *([] if output is None else [output])]]
    if any(text is None for text in texts):
        return None
    inputs = ",".join(str(text) for text in texts[: len(lists)])
    text = inputs if output is None else f"{inputs}->{texts[-1]}"
    return gast.Call(tree.func, [const(text), *operands], tree.keywords)


def as_tuples(tree: Expr) -> Any:
    """Return a list of numbers, or of rows, as a tuple: nobody stores into it, and its length is known.

    Examples
    --------
    >>> texts = ("[a, 1.0]", "[[a], [1.0]]", "[[1.0], [2.0]]")
    >>> [gast.unparse(as_tuples(gast.parse(text).body[0].value)) for text in texts]
    ['(a, 1.0)', '((a,), (1.0,))', '[[1.0], [2.0]]']
    """
    named = any(type(part) is gast.Name for part in gast.walk(tree))
    return nested_tuples(tree) if named and type(tree) is gast.List else tree


def nested_tuples(tree: Expr) -> Any:
    """Return a display as a tuple, and the displays in it."""
    if type(tree) not in DISPLAYS:
        return tree
    return gast.copy_location(gast.Tuple(list(map(nested_tuples, tree.elts)), tree.ctx), tree)


def _subscripts(tree: Expr) -> str | None:
    """Return a list of numbers of axes as letters; None where it is not written out."""
    if type(tree) not in DISPLAYS:
        return None
    letters = []
    for item in tree.elts:
        value = getattr(item, "value", None) if type(item) is gast.Constant else None
        if value is ... or type(item) is gast.Name and item.id == "Ellipsis":
            letters.append("...")
        elif type(value) is int and 0 <= value < len(string.ascii_lowercase):
            letters.append(string.ascii_lowercase[value])
        else:
            return None
    return "".join(letters)


def pieces_of(tree: Expr) -> tuple[list[Any], list[Any]] | None:
    """Return the conditions and functions of `np.piecewise`; None where they are not written out."""
    if len(tree.args) < 3 or tree.keywords:
        return None
    conditions, functions = tree.args[1:3]
    for display in (conditions, functions):
        if type(display) not in DISPLAYS:
            return None
        if any(type(item) is gast.Starred for item in display.elts):
            return None
    if len(functions.elts) - len(conditions.elts) not in (0, 1):
        return None
    return conditions.elts, functions.elts


def is_number(tree: Expr) -> bool:
    """Whether an expression is a number that is written out."""
    if type(tree) is gast.UnaryOp:
        return is_number(tree.operand)
    return type(tree) is gast.Constant and isinstance(tree.value, (int, float, complex))
