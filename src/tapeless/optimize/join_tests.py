"""Two tests of one number, one inside the other, are one test."""

from __future__ import annotations

from typing import Any

import gast

from tapeless.optimize.context import Context
from tapeless.tree.blocks import all_blocks
from tapeless.tree.build import const, name
from tapeless.tree.classes import EQUALITY, MEMBERSHIP
from tapeless.tree.trees import Expr, Stmt


def join_tests(function: gast.FunctionDef, context: Context) -> bool:
    """Join tests of where a trip ended.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(end, x):
    ...     if end != 1:
    ...         if end == 2:
    ...             x = 1.0
    ...     if end not in (1, 2):
    ...         if end != 3:
    ...             x = 2.0
    ...     return x
    ... ''').body[0]
    >>> join_tests(function, Context(temporaries=lambda key: key == "end"))
    True
    >>> print(unparse(function), end="")
    def f(end, x):
        if end == 2:
            x = 1.0
        if end not in (1, 2, 3):
            x = 2.0
        return x
    """
    changed = False
    for block in all_blocks(function.body):
        for i, s in enumerate(block):
            block[i] = _joined(s, context)
            changed = changed or block[i] is not s
    return changed


def _joined(s: Stmt, context: Context) -> Any:
    if type(s) is not gast.If or s.orelse or len(s.body) != 1:
        return s
    inner = s.body[0]
    if type(inner) is not gast.If or inner.orelse:
        return s
    outer_test, inner_test = _numbers(s.test), _numbers(inner.test)
    if outer_test is None or inner_test is None or outer_test[0] != inner_test[0]:
        return s
    key, outer_in, outer_numbers = outer_test
    _, inner_in, inner_numbers = inner_test
    if not context.temporaries(key) or outer_in:
        return s
    if inner_in:
        return s if set(outer_numbers) & set(inner_numbers) else inner
    inner.test = _not_in(key, sorted({*outer_numbers, *inner_numbers}))
    return inner


def _numbers(test: Expr) -> tuple[str, bool, list[int]] | None:
    """Read `e == 1`, `e != 1`, `e in (1, 2)`, `e not in (1, 2)`."""
    if type(test) is not gast.Compare or len(test.ops) != 1:
        return None
    [other] = test.comparators
    if type(test.left) is not gast.Name:
        return None
    op = test.ops[0]
    if type(op) in EQUALITY:
        items = [other]
    elif type(op) in MEMBERSHIP and type(other) is gast.Tuple:
        items = other.elts
    else:
        return None
    if not all(type(item) is gast.Constant and type(item.value) is int for item in items):
        return None
    return test.left.id, isinstance(op, (gast.Eq, gast.In)), [item.value for item in items]


def _not_in(key: str, numbers: list[int]) -> Any:
    items = gast.Tuple([const(n) for n in numbers], gast.Load())
    return gast.Compare(name(key), [gast.NotIn()], [items])
