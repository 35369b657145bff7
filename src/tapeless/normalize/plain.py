"""Which expressions may stay as the user wrote them.

A *plain* expression can be evaluated again, or left whole, because no derivative passes through it
and nothing happens when it is evaluated: names, literals, operators, comparisons, reads of slots
and calls of functions that have a rule. Tests of `if` and `while`, indices and arguments of
functions with zero gradient are left whole where they are plain.
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from tapeless.externals import MISSING, is_one_of
from tapeless.rules.declare import find_rule
from tapeless.rules.piecewise_constant import OF_COMPLEX
from tapeless.rules.streams import draws_itself
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import children
from tapeless.tree.trees import Tree

_LEAVES = (gast.Name, gast.Constant, gast.expr_context, gast.operator, gast.unaryop, gast.cmpop)
_PARTS = (
    gast.boolop,
    gast.BinOp,
    gast.UnaryOp,
    gast.BoolOp,
    gast.Compare,
    gast.Subscript,
    gast.Attribute,
    gast.Slice,
    gast.Tuple,
    gast.List,
    gast.IfExp,
    gast.keyword,
    gast.JoinedStr,
    gast.FormattedValue,
    gast.Starred,
)
# Methods that only look at an array, whatever the object is called on.
_LOOKING_METHODS = {
    "all", "any", "argmax", "argmin", "argsort", "sum", "mean", "max", "min", "item",
    "astype", "copy", "items", "keys", "values", "get", "startswith", "endswith", "lower",
    "upper", "format", "index", "count", "nonzero", "tolist", "split", "strip", "join",
}  # fmt: skip


def is_plain(tree: Tree, function: CoreFunction) -> bool:
    """Whether an expression may stay whole where no derivative passes through it."""
    if isinstance(tree, _LEAVES):
        return True
    if type(tree) is gast.Call:
        return (
            _is_plain_callee(tree.func, function)
            and not _stores_result(tree, function)
            and all(is_plain(part, function) for part in [*tree.args, *tree.keywords])
        )
    if isinstance(tree, _PARTS):
        return all(is_plain(part, function) for part in children(tree))
    return False


def _is_plain_callee(callee: Any, function: CoreFunction) -> bool:
    found = function.resolve(callee)
    if found is not MISSING:
        return find_rule(found) is not None and not draws_itself(found)
    return (
        type(callee) is gast.Attribute
        and callee.attr in _LOOKING_METHODS
        and is_plain(callee.value, function)
    )


def _stores_result(tree: Tree, function: CoreFunction) -> bool:
    """Whether a call writes into one of its arguments: `np.add(x, y, out=z)`."""
    if any(k.arg in (None, "out", "copy") for k in tree.keywords):
        return True
    found = function.resolve(tree.func)
    return isinstance(found, np.ufunc) and len(tree.args) > found.nin


def is_zero_call(tree: Tree, function: CoreFunction) -> bool:
    """Whether an expression calls something whose derivative is zero."""
    if type(tree) is not gast.Call:
        return False
    found = function.resolve(tree.func)
    rule = None if found is MISSING else find_rule(found)
    return rule is not None and rule.form == "zero" and not is_one_of(found, OF_COMPLEX)
