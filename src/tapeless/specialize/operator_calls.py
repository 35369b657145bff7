"""Calls of derivative operators, in the one form that is read: a function by its name, and tuples.

The derivative of a function with values of its own is the derivative of the function, with the same
values: its independents are counted behind the values that come first.

    g = grad(m)            ->   f = m.function; v = m.values; d = grad(f, wrt=1); g = Bound(d, v, ())
    jvp(m, (x,), (t,))     ->   f = m.function; v = m.values; w = v[0]
                                primals = (x,); tangents = (t,); p = primals[0]; d = tangents[0]
                                xs = (w, p); dots = (None, d); jvp(f, xs, dots)
    g = f.grad()           ->   g = grad(f)
    jvp(f, tangents=t, primals=x)   ->   jvp(f, x, t)
"""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any

import gast

from tapeless.analysis.derivation import operator_mode
from tapeless.analysis.function_values import is_bound
from tapeless.kinds import UNKNOWN, Function, Tuple
from tapeless.ranks import literal
from tapeless.runtime import Bound
from tapeless.specialize.state import Specializer
from tapeless.tree.build import assign, const, name, quote_expression
from tapeless.tree.trees import Expr


def operator_call(specializer: Specializer, tree: Expr, found: Any, to: str) -> list[Any] | None:
    """Write a call of a derivative operator in the form that is read; None where it has it."""
    mode = operator_mode(found)
    if mode in ("jvp", "vjp") and any(k.arg in _LEADING for k in tree.keywords):
        return _by_position(found, tree, to)
    kind = specializer.kind(tree.args[0]) if tree.args else UNKNOWN
    if mode == "jvp" and is_bound(kind):
        return _jvp_of_bound(specializer, tree, kind, to)
    if mode not in (None, "vjp", "jvp") and is_bound(kind):
        return _of_bound(specializer, tree, kind, to)
    return _of_attribute(specializer, tree, to)


_LEADING = ("f", "primals", "tangents")


def _by_position(found: Any, tree: Expr, to: str) -> list[Any] | None:
    """Write the leading arguments by position."""
    given = {k.arg: k.value for k in tree.keywords}
    parameters = list(inspect.signature(found).parameters)[len(tree.args) :]
    leading = [given.pop(p) for p in parameters if p in _LEADING and p in given]
    rest = [gast.keyword(k, v) for k, v in given.items()]
    return [assign(to, gast.Call(tree.func, [*tree.args, *leading], rest))]


def _of_bound(specializer: Specializer, tree: Expr, kind: Tuple, to: str) -> list[Any] | None:
    """Write the derivative of a function with values of its own."""
    _, values, keys = kind.items
    labels = literal(keys)
    if not isinstance(values, Tuple) or labels is ...:
        return None
    options = {k.arg: k.value for k in tree.keywords}
    wrt = 0
    if len(tree.args) > 1 or "wrt" in options:
        wrt = literal(specializer.kind([*tree.args, options.get("wrt")][1]))
    shifted = _counted_behind(len(values.items) - len(labels), wrt)
    if shifted is None:
        return None
    options["wrt"] = shifted
    fresh = specializer.names.fresh
    f, v, derivative = fresh("f"), fresh("v"), fresh("derivative")
    call = gast.Call(tree.func, [name(f)], [gast.keyword(k, x) for k, x in options.items()])
    return [
        assign(f, gast.Attribute(tree.args[0], "function", gast.Load())),
        assign(v, gast.Attribute(tree.args[0], "values", gast.Load())),
        assign(derivative, call),
        assign(
            to,
            quote_expression(
                "b(d, v, k)", b=specializer.external(Bound), d=derivative, v=v,
                k=gast.Tuple([const(label) for label in labels], gast.Load()),
            ),
        ),
    ]  # fmt: skip


def _jvp_of_bound(specializer: Specializer, tree: Expr, kind: Tuple, to: str) -> list[Any] | None:
    """Write the tangent of a function with values of its own, which are held fixed."""
    _, values, keys = kind.items
    sides = [specializer.kind(side) for side in tree.args[1:]]
    counts = [len(side.items) for side in sides if isinstance(side, Tuple)]
    if not isinstance(values, Tuple) or literal(keys) != () or not len(sides) == len(counts) == 2:
        return None
    made: list[Any] = []

    def items(owner: Any, count: int) -> list[Any]:
        labels = [specializer.names.fresh("v") for _ in range(count)]
        for i, label in enumerate(labels):
            made.append(assign(label, gast.Subscript(owner, const(i), gast.Load())))
        return [name(label) for label in labels]

    f, v = specializer.names.fresh("f"), specializer.names.fresh("v")
    made.append(assign(f, gast.Attribute(tree.args[0], "function", gast.Load())))
    made.append(assign(v, gast.Attribute(tree.args[0], "values", gast.Load())))
    held = items(name(v), len(values.items))
    primals, tangents = (items(side, n) for side, n in zip(tree.args[1:], counts, strict=True))
    fixed = [const(None) for _ in held]
    xs, dots = specializer.names.fresh("primals"), specializer.names.fresh("tangents")
    return [
        *made,
        assign(xs, gast.Tuple([*held, *primals], gast.Load())),
        assign(dots, gast.Tuple([*fixed, *tangents], gast.Load())),
        assign(to, gast.Call(tree.func, [name(f), name(xs), name(dots)], [])),
    ]


def _counted_behind(first: int, wrt: Any) -> Any:
    """Return the expression of independents that are counted behind the first arguments."""
    if isinstance(wrt, tuple):
        items = [_counted_behind(first, item) for item in wrt]
        return None if None in items else gast.Tuple(items, gast.Load())
    if isinstance(wrt, int):
        return const(wrt if wrt < 0 else wrt + first)
    return const(wrt) if isinstance(wrt, str) else None


def _of_attribute(specializer: Specializer, tree: Expr, to: str) -> list[Any] | None:
    """Write a derivative that is asked of the function that was made `differentiable`."""
    if type(tree.func) is not gast.Attribute:
        return None
    owner = specializer.kind(tree.func.value)
    if not isinstance(owner, Function) or not isinstance(owner.value, types.FunctionType):
        return None
    method = vars(owner.value).get(tree.func.attr)
    if not isinstance(method, functools.partial) or method.args != (owner.value,):
        return None
    if operator_mode(method.func) is None:
        return None
    operator = name(specializer.external(method.func))
    return [assign(to, gast.Call(operator, [tree.func.value, *tree.args], tree.keywords))]
