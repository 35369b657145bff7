"""Pullbacks inside a differentiated function, as gradients of weighted sums.

The pullback of `f` at `x` takes a cotangent `v` to the gradient of `sum(f(x) * v)` in `x`. So a pullback
of what varies is spelled out as a gradient, which is differentiated again like any other:

    y, pullback = vjp(f, x)    ->   def weighted(x_1, v_1):
                                        y_1 = f(x_1); terms = y_1 * v_1; total = np.sum(terms)
                                        return total
                                    g = grad(weighted, (0,)); y_2 = f(x)
                                    v = (x,); pullback_1 = Bound(g, v, ())
                                    pair = (y_2, pullback_1); y, pullback = pair
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import Value
from tapeless.analysis.derivation import operator_mode, operator_of
from tapeless.analysis.function_values import bound, is_bound
from tapeless.analysis.interpret.call_sites import CallSite
from tapeless.analysis.interpret.closures import closes_over_varied
from tapeless.analysis.interpret.state import Interpreter
from tapeless.kinds import UNKNOWN, Kind, Tuple, differentiable, is_number
from tapeless.tree.build import assign, const, name, quote_expression

_FIX = (
    "give it a function and numbers or arrays by position, or call tl.grad, tl.jvp or tl.jacobian"
)


def pair_of_pullback(interpreter: Interpreter, site: CallSite) -> Value | None:
    """Interpret `vjp(f, x)` of what varies: a value, and a function; None where nothing varies."""
    tree, values = site.tree, site.values
    if not any(carries(interpreter, v) for v in values):
        return None
    plain = not tree.keywords and not any(isinstance(a, gast.Starred) for a in tree.args)
    numbers = all(is_number(v.kind) and differentiable(v.kind) for v in values[1:])
    y = Value(UNKNOWN)
    if (
        plain
        and numbers
        and len(values) > 1
        and not is_bound(values[0].kind)
        and isinstance(tree.args[0], gast.Name | gast.Attribute)
    ):
        y = interpreter.eval(gast.Call(tree.args[0], tree.args[1:], []), interpreter.env)
        interpreter.callees.pop(interpreter.statement, None)
    if not _is_real(y.kind):
        interpreter.refuse(
            tree,
            "this `tl.vjp` of what varies is not supported inside a differentiated function",
            _FIX,
        )
    return Value(Tuple((y.kind, UNKNOWN)), True)


def is_varied_vjp(specializer: Any, tree: Any) -> bool:
    """Whether a call is a `vjp` of what varies."""
    if operator_mode(specializer.function.resolve(tree.func)) != "vjp":
        return False
    values = [specializer.interpreter.eval(a, dict(specializer.env or {})) for a in tree.args]
    return any(carries(specializer.interpreter, v) for v in values)


def carries(interpreter: Interpreter, value: Value) -> bool:
    """Whether a value varies, or is a function that closes over what does."""
    return bool(interpreter.is_varied(value) or closes_over_varied(interpreter, value.kind))


def _is_real(kind: Kind) -> bool:
    return is_number(kind) and getattr(kind, "dtype", "f8")[0] != "c"


def written_pullback(specializer: Any, tree: Any, to: str) -> list[Any]:
    """Write `vjp(f, x)` by the gradient of a weighted sum."""
    function, *xs = tree.args
    fresh = specializer.names.fresh
    weighted, g, y, pullback = fresh("weighted"), fresh("g"), fresh("y"), fresh("pullback")
    inner = [fresh("x") for _ in xs]
    v, y_inner, terms, total = fresh("v"), fresh("y"), fresh("terms"), fresh("total")
    np_ = specializer.external(np)
    body = [
        assign(y_inner, gast.Call(function, [name(x) for x in inner], [])),
        assign(terms, gast.BinOp(name(y_inner), gast.Mult(), name(v))),
        assign(total, quote_expression("np.sum(t)", np=np_, t=terms)),
        gast.Return(name(total)),
    ]
    parameters = [gast.Name(p, gast.Param(), None, None) for p in [*inner, v]]
    arguments = gast.arguments(parameters, [], None, [], [], None, [])
    wrt = gast.Tuple([const(i) for i in range(len(xs))], gast.Load())
    gradient = gast.Call(name(specializer.external(operator_of("grad"))), [name(weighted), wrt], [])
    pair = gast.Tuple([name(y), name(pullback)], gast.Load())
    return [
        gast.FunctionDef(weighted, arguments, body, [], None, None, []),
        assign(g, gradient),
        assign(y, gast.Call(function, xs, [])),
        *bound(specializer, name(g), xs, [], pullback),
        assign(to, pair),
    ]
