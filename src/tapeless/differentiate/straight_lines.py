"""What the text of a function must be like to be spliced, and what its tests and literals come to.

A helper or a rule is inlined if its body is a straight line once its `if`s are decided. Its parameters
stand for the arguments of the call, its literals for numbers.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import gast

from tapeless.tree.build import unshared
from tapeless.tree.classes import (
    ASSIGNMENTS,
    COMPOUND,
    DELAYED,
    EQUALITY,
    IDENTITY,
    MEMBERSHIP,
    RAISING,
)
from tapeless.tree.names import nodes, parameters
from tapeless.tree.signs import is_negated
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Stmt, Tree


def has_scope(statement: Stmt) -> bool:
    """Whether a statement holds an expression with names of its own."""
    if type(statement) is gast.FunctionDef:
        return False
    if type(statement) is gast.If:
        return any(type(part) in DELAYED for part in nodes(statement.test))
    if type(statement) is gast.Return and _returns_lambda(statement.value):
        return False
    return any(type(part) in DELAYED for part in nodes(statement))


def _returns_lambda(value: Expr) -> bool:
    return type(value) is gast.Tuple and type(value.elts[-1]) is gast.Lambda


_PLAIN = frozenset({*ASSIGNMENTS, *RAISING, *COMPOUND, gast.Expr, gast.Pass})
_OF_OTHER_SCOPES = frozenset({
    gast.Return, gast.FunctionDef, gast.ClassDef, gast.Global, gast.Nonlocal, gast.Yield,
    gast.YieldFrom, gast.Await, gast.NamedExpr, gast.Delete, gast.Import, gast.ImportFrom,
})  # fmt: skip


def runs_through(statement: Stmt) -> bool:
    """Whether control comes out at the end of a statement that binds nothing but its names."""
    if type(statement) not in _PLAIN:
        return False
    for part in nodes(statement):
        if type(part) in _OF_OTHER_SCOPES or getattr(part, "name", None):
            return False
    return True


class IsGiven(Transformer):
    """Decides `p is None` for the parameters that a caller always fills: upstream, variables."""

    def __init__(self, tree: Tree) -> None:
        self.parameters = set(parameters(tree))

    def visit_FunctionDef(self, tree: Tree) -> Any:
        return tree

    def visit_Lambda(self, tree: Tree) -> Any:
        return tree

    def visit_Compare(self, tree: Tree) -> Any:
        is_test = len(tree.ops) == 1 and type(tree.ops[0]) in IDENTITY
        of_name = type(tree.left) is gast.Name and tree.left.id in self.parameters
        against_none = is_test and getattr(tree.comparators[0], "value", ...) is None
        if of_name and against_none and tree.left.id == "upstream":
            return gast.Constant(type(tree.ops[0]) is gast.IsNot, None)
        return tree


_COMPARED: dict[type, Callable[[Any, Any], bool]] = {
    gast.Eq: operator.eq, gast.NotEq: operator.ne, gast.Lt: operator.lt, gast.LtE: operator.le,
    gast.Gt: operator.gt, gast.GtE: operator.ge,
}  # fmt: skip


def literal_truth(test: Expr) -> bool | None:
    """Decide a comparison of literals: `0 < 0.5 < 1`, `"C" in ("C", "F")`, `"C" is None`, `None == 2`."""
    if type(test) is not gast.Compare:
        return None
    if type(test.ops[0]) in IDENTITY and type(test.left) is gast.Constant:
        if getattr(test.comparators[0], "value", ...) is None:
            return (test.left.value is None) is (type(test.ops[0]) is gast.Is)
    if type(test.ops[0]) in MEMBERSHIP and type(test.left) is gast.Constant:
        [among] = test.comparators
        items = among.elts if type(among) is gast.Tuple else []
        if not items or not all(type(item) is gast.Constant for item in items):
            return None
        found = test.left.value in [item.value for item in items]
        return found is (type(test.ops[0]) is gast.In)
    if type(test.left) is gast.Constant and test.left.value is None and len(test.ops) == 1:
        if type(test.ops[0]) in EQUALITY and number(test.comparators[0]) is not None:
            return type(test.ops[0]) is gast.NotEq
    numbers = [number(part) for part in (test.left, *test.comparators)]
    if None in numbers or any(type(op) not in _COMPARED for op in test.ops):
        return None
    pairs = zip(test.ops, numbers, numbers[1:], strict=False)
    return all(_COMPARED[type(op)](a, b) for op, a, b in pairs)


def number(tree: Tree) -> float | None:
    """Return the number that a literal is, with its sign; None for anything else."""
    if is_negated(tree):
        inner = number(tree.operand)
        return None if inner is None else -inner
    value = tree.value if type(tree) is gast.Constant else None
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def binds_names(statement: Stmt) -> bool:
    """Whether an assignment binds names, and stores nowhere."""
    place = statement.targets[0]
    parts = place.elts if type(place) is gast.Tuple else [place]
    return all(type(part) is gast.Name for part in parts)


def is_docstring(statement: Stmt) -> bool:
    """Whether a statement is a literal that stands by itself."""
    return type(statement) is gast.Expr and type(statement.value) is gast.Constant


def bind(tree: Tree, args: list[Expr], keywords: dict[str, Expr]) -> dict[str, Any] | None:
    """Bind the arguments of a call to a rule's parameters; a list for `*args`."""
    a = tree.args
    own = [p.id for p in [*a.posonlyargs, *a.args]]
    bound: dict[str, Any] = dict(zip(own, args, strict=False))
    if len(args) > len(own):
        if a.vararg is None:
            return None
        bound[a.vararg.id] = list(args[len(own) :])
    elif a.vararg is not None:
        bound[a.vararg.id] = []
    known = [*own, *(p.id for p in a.kwonlyargs)]
    if set(keywords) - set(known):
        return None
    bound |= keywords
    defaults = dict(zip(own[len(own) - len(a.defaults) :], a.defaults, strict=True))
    defaults |= {p.id: d for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is not None}
    for key in known:
        if key not in bound:
            if key not in defaults:
                return None
            bound[key] = unshared(defaults[key])
    order = [*own, *([a.vararg.id] if a.vararg else []), *(p.id for p in a.kwonlyargs)]
    return {key: bound[key] for key in order}
