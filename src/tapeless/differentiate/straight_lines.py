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
from tapeless.tree.names import nodes, parameters
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Stmt, Tree

_SCOPES = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp, gast.Lambda)


def has_scope(statement: Stmt) -> bool:
    """Whether a statement holds an expression with names of its own."""
    if isinstance(statement, gast.FunctionDef):
        return False
    if isinstance(statement, gast.If):
        return any(isinstance(part, _SCOPES) for part in nodes(statement.test))
    if isinstance(statement, gast.Return) and _returns_lambda(statement.value):
        return False
    return any(isinstance(part, _SCOPES) for part in nodes(statement))


def _returns_lambda(value: Expr) -> bool:
    return isinstance(value, gast.Tuple) and isinstance(value.elts[-1], gast.Lambda)


_PLAIN = (
    gast.Assign, gast.AugAssign, gast.Expr, gast.Assert, gast.Raise, gast.Pass, gast.If, gast.For,
    gast.While, gast.With, gast.Try,
)  # fmt: skip
_OF_OTHER_SCOPES = (
    gast.Return, gast.FunctionDef, gast.ClassDef, gast.Global, gast.Nonlocal, gast.Yield,
    gast.YieldFrom, gast.Await, gast.NamedExpr, gast.Delete, gast.Import, gast.ImportFrom,
)  # fmt: skip


def runs_through(statement: Stmt) -> bool:
    """Whether control comes out at the end of a statement that binds nothing but its names."""
    if not isinstance(statement, _PLAIN):
        return False
    for part in nodes(statement):
        if isinstance(part, _OF_OTHER_SCOPES) or getattr(part, "name", None):
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
        is_test = len(tree.ops) == 1 and isinstance(tree.ops[0], gast.Is | gast.IsNot)
        of_name = isinstance(tree.left, gast.Name) and tree.left.id in self.parameters
        against_none = is_test and getattr(tree.comparators[0], "value", ...) is None
        if of_name and against_none and tree.left.id == "upstream":
            return gast.Constant(isinstance(tree.ops[0], gast.IsNot), None)
        return tree


_COMPARED: dict[type, Callable[[Any, Any], bool]] = {
    gast.Eq: operator.eq, gast.NotEq: operator.ne, gast.Lt: operator.lt, gast.LtE: operator.le,
    gast.Gt: operator.gt, gast.GtE: operator.ge,
}  # fmt: skip


def literal_truth(test: Expr) -> bool | None:
    """Decide a comparison of literal numbers, such as `0 < 0.5 < 1`, or `"C" in ("C", "F")`."""
    if not isinstance(test, gast.Compare):
        return None
    if isinstance(test.ops[0], gast.In | gast.NotIn) and isinstance(test.left, gast.Constant):
        [among] = test.comparators
        items = among.elts if isinstance(among, gast.Tuple) else []
        if not items or not all(isinstance(item, gast.Constant) for item in items):
            return None
        found = test.left.value in [item.value for item in items]
        return found is isinstance(test.ops[0], gast.In)
    numbers = [number(part) for part in (test.left, *test.comparators)]
    if None in numbers or any(type(op) not in _COMPARED for op in test.ops):
        return None
    pairs = zip(test.ops, numbers, numbers[1:], strict=False)
    return all(_COMPARED[type(op)](a, b) for op, a, b in pairs)


def number(tree: Tree) -> float | None:
    """Return the number that a literal is, with its sign; None for anything else."""
    if isinstance(tree, gast.UnaryOp) and isinstance(tree.op, gast.USub):
        inner = number(tree.operand)
        return None if inner is None else -inner
    value = tree.value if isinstance(tree, gast.Constant) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def binds_names(statement: Stmt) -> bool:
    """Whether an assignment binds names, and stores nowhere."""
    place = statement.targets[0]
    parts = place.elts if isinstance(place, gast.Tuple) else [place]
    return all(isinstance(part, gast.Name) for part in parts)


def is_docstring(statement: Stmt) -> bool:
    """Whether a statement is a literal that stands by itself."""
    return isinstance(statement, gast.Expr) and isinstance(statement.value, gast.Constant)


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
    known = {*own, *(p.id for p in a.kwonlyargs)}
    if set(keywords) - known:
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
