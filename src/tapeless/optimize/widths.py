"""Whether a statement fits into a line: told without printing it where it surely does.

    x_bar = v_bar * x     names, literals and spelling of the operators, with all brackets that may be needed

Most lines are far from full. To print one means to build it, and the tree that Python's own printers take.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from tapeless.source.printer import unparse
from tapeless.tree.names import nodes
from tapeless.tree.trees import Tree

_UNKNOWN = 1_000
_ONE_BY_ONE = 2  # a comma and a space, or a bracket and another
_OF_EACH: dict[Any, Callable[[Any], int]] = {
    gast.Name: lambda part: len(part.id),
    gast.Constant: lambda part: _of_literal(part.value),
    gast.Attribute: lambda part: 3 + len(part.attr),
    gast.keyword: lambda part: 3 + len(part.arg or ""),
    gast.Call: lambda part: 2 + _ONE_BY_ONE * (len(part.args) + len(part.keywords)),
    gast.Tuple: lambda part: 3 + _ONE_BY_ONE * len(part.elts),
    gast.List: lambda part: 2 + _ONE_BY_ONE * len(part.elts),
    gast.Compare: lambda part: 2 + 8 * len(part.ops),
    gast.BoolOp: lambda part: 2 + 5 * len(part.values),
    gast.BinOp: lambda part: 6,
    gast.UnaryOp: lambda part: 8,
    gast.IfExp: lambda part: 12,
    gast.Subscript: lambda part: 4,
    gast.Slice: lambda part: 6,
    gast.Starred: lambda part: 1,
    gast.Assign: lambda part: 3 * len(part.targets),
    gast.AugAssign: lambda part: 5,
    gast.Return: lambda part: 7,
    gast.Expr: lambda part: 0,
}


def _of_literal(value: Any) -> int:
    if value is None or type(value) in (int, bool):
        return len(repr(value)) + 2
    return max(len(repr(value)), 13) + 2 if type(value) is float else _UNKNOWN


def most_columns(tree: Tree) -> int:
    """Return how many columns a tree takes at most when it is printed in one line.

    Examples
    --------
    >>> s = gast.parse("x_bar = (v_bar + 1) * x").body[0]
    >>> len(unparse(s).rstrip()) <= most_columns(s) < 40
    True
    """
    return sum([_OF_EACH.get(type(part), _unknown)(part) for part in nodes(tree)])


def _unknown(part: Tree) -> int:
    return _UNKNOWN


def fits(statement: Tree, width: int) -> bool:
    """Whether a statement is printed in one line of some columns.

    Examples
    --------
    >>> s = gast.parse("x_bar = v_bar * x").body[0]
    >>> fits(s, 17), fits(s, 16)
    (True, False)
    """
    if most_columns(statement) <= width:
        return True
    lines = unparse(statement).splitlines()
    return len(lines) == 1 and len(lines[0]) <= width
