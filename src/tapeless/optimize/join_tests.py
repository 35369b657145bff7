"""Two tests of one number, one inside the other or one after the other, are one test."""

from __future__ import annotations

from typing import Any

import gast

from tapeless.optimize.analyses import effects_of, generated_in, version_of
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.tree.blocks import all_blocks, may_bind
from tapeless.tree.build import const, is_same_tree, name
from tapeless.tree.classes import EQUALITY, JUMPS, MEMBERSHIP
from tapeless.tree.names import nodes, reads
from tapeless.tree.trees import Expr, Stmt


def join_tests(function: gast.FunctionDef, context: Context) -> bool:
    """Join tests of where a trip ended, and of whether something holds or does not.

    Examples
    --------
    >>> import gast
    >>> from tapeless.kinds import Integer
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(end, x):
    ...     if end != 1:
    ...         if end == 2:
    ...             x = 1.0
    ...     if end not in (1, 2):
    ...         if end != 3:
    ...             x = 2.0
    ...     if not end < 4:
    ...         x_bar = x
    ...     if end < 4:
    ...         x_bar = 2.0 * x
    ...     if end < 4:
    ...         x_bar += x
    ...     return x_bar
    ... ''').body[0]
    >>> context = Context(
    ...     temporaries=lambda key: key in ("end", "x_bar"), reverse=True, kind_of=lambda key: Integer()
    ... )
    >>> join_tests(function, context)
    True
    >>> print(unparse(function), end="")
    def f(end, x):
        if end == 2:
            x = 1.0
        if end not in (1, 2, 3):
            x = 2.0
        if end < 4:
            x_bar = 2.0 * x
            x_bar += x
        else:
            x_bar = x
        return x_bar
    """
    changed = False
    for block in all_blocks(function.body):
        for i, s in enumerate(block):
            block[i] = _joined(s, context)
            changed = changed or block[i] is not s
        changed |= _join_neighbours(block, function, context)
    return changed


def _join_neighbours(block: list[Any], function: gast.FunctionDef, context: Context) -> bool:
    """Write `if t: ...` twice, or `if not t: ...` and `if t: ...`, one after the other, as one `if`."""
    joined = False
    for i in reversed(range(len(block) - 1)):
        first, second = block[i], block[i + 1]
        if not all(type(s) is gast.If and not s.orelse for s in (first, second)):
            continue
        if not {id(first), id(second)} <= generated_in(function, context):
            continue
        same = is_same_tree(first.test, second.test)
        if same or _are_opposite(first, second):
            if _is_left_by(first, effects_of(function, context)):
                block[i : i + 2] = [_as_one(first, second, same)]
                version_of(function, context)
                joined = True
    return joined


def _are_opposite(first: Stmt, second: Stmt) -> bool:
    negated, plain = (first, second) if _denied(first.test) else (second, first)
    denied = _denied(negated.test)
    return denied is not None and is_same_tree(denied, plain.test)


def _as_one(first: Stmt, second: Stmt, same: bool) -> Any:
    if same:
        first.body = [*first.body, *second.body]
        return first
    negated, plain = (first, second) if _denied(first.test) else (second, first)
    plain.orelse = negated.body
    return plain


def _is_left_by(s: Stmt, effects: Effects) -> bool:
    """Whether the test of an `if` gives the same again after it: nothing that it reads changes there."""
    read = set(reads(s.test))
    if type(_denied(s.test) or s.test) is not gast.Compare or not effects.is_pure(s.test):
        return False
    if read & may_bind(s):
        return False
    if any(type(part) in JUMPS for part in nodes(s)):
        return False
    seen = {key for name_read in read for key in effects.seen_through(name(name_read))}
    return not effects.collide(seen, effects.touch(s))


def _denied(test: Expr) -> Any:
    """Return `t` of `not t`."""
    return test.operand if type(test) is gast.UnaryOp and type(test.op) is gast.Not else None


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
