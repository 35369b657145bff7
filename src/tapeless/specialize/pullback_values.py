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

from tapeless.analysis.derivation import operator_mode, operator_of
from tapeless.analysis.pullback_values import carries
from tapeless.specialize.function_values import bound
from tapeless.specialize.state import Specializer
from tapeless.tree.build import assign, const, name, quote_expression
from tapeless.tree.trees import Expr


def is_varied_vjp(specializer: Specializer, tree: Expr) -> bool:
    """Whether a call is a `vjp` of what varies."""
    if operator_mode(specializer.function.resolve(tree.func)) != "vjp":
        return False
    values = [specializer.value(a) for a in tree.args]
    return any(carries(specializer.interpreter, v) for v in values)


def written_pullback(specializer: Specializer, tree: Expr, to: str) -> list[Any]:
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
