"""Pullbacks inside a differentiated function, as gradients of weighted sums.

The pullback of `f` at `x` takes a cotangent `v` to the gradient of `sum(f(x) * v)` in `x`. So a pullback
of what varies is spelled out as a gradient, which is differentiated again like any other:

    y, pullback = vjp(f, x)    ->   def weighted(x_1, v_1):
                                        y_1 = f(x_1); terms = y_1 * v_1; total = np.sum(terms)
                                        return total
                                    g = grad(weighted, (0,)); y_2 = f(x)
                                    v = (x,); pullback_1 = Bound(g, v, ())
                                    pair = (y_2, pullback_1); y, pullback = pair

It computes when it is called, with what `f` reads then: where that changes in between it is refused.
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import reachable
from tapeless.analysis.derivation import operator_mode, operator_of
from tapeless.analysis.pullback_values import carries
from tapeless.kinds import functions_in
from tapeless.regions import is_outside
from tapeless.specialize.function_values import bound
from tapeless.specialize.state import Specializer
from tapeless.specialize.stores import stored_in
from tapeless.tree.build import assign, const, name, quote_expression
from tapeless.tree.classes import COMPOUND, DISPLAYS, LOOPS
from tapeless.tree.liveness import Liveness
from tapeless.tree.names import binds, nodes
from tapeless.tree.trees import Expr, Stmt


def is_varied_vjp(specializer: Specializer, tree: Expr) -> bool:
    """Whether a call is a `vjp` of what varies."""
    if operator_mode(specializer.function.resolve(tree.func)) != "vjp":
        return False
    values = [specializer.value(a) for a in tree.args]
    return any(carries(specializer.interpreter, v) for v in values)


def written_pullback(specializer: Specializer, tree: Expr, to: str) -> list[Any]:
    """Write `vjp(f, x)` by the gradient of a weighted sum."""
    _check_unchanged(specializer, tree, to)
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


def _check_unchanged(specializer: Specializer, tree: Expr, to: str) -> None:
    """Refuse a pullback that is called after something that its function reads has changed."""
    kinds = [specializer.kind(a) for a in tree.args]
    captured = {key for f in functions_in(kinds[0]) for key in f.captured}
    env = specializer.env or {}
    kinds += [env[key].kind for key in sorted(captured) if key in env]
    read = reachable(kinds, specializer.facts.heap)
    for s in _while_it_is_kept(specializer.function.tree, tree, to):
        stored = stored_in(specializer, [s])
        if binds(s) & captured or stored & read or any(map(is_outside, stored)):
            specializer.refuse(
                s,
                "this changes what the function of a pullback may read, which is called later on",
                "call the pullback before, or give `tl.vjp` a function of what does not change",
            )


def _while_it_is_kept(function: gast.FunctionDef, tree: Expr, to: str) -> list[Stmt]:
    """List the statements after which a pullback may be called still."""
    parts = nodes(function, nested=False)
    simple = [s for s in parts if isinstance(s, gast.stmt) and type(s) not in COMPOUND]
    [made] = [s for s in simple if getattr(s, "value", None) is tree]
    others = [s for s in simple if s is not made and s is not function]
    key = _name_of_pullback(parts, to)
    if key is not None:
        liveness = Liveness(function)
        return [s for s in others if key in liveness.live_after(s)]
    loops = [loop for loop in parts if type(loop) in LOOPS and any(p is made for p in nodes(loop))]
    again = {id(p) for loop in loops for p in nodes(loop)}
    later = {id(s) for s in simple[simple.index(made) :]}
    return [s for s in others if id(s) in again | later]


def _name_of_pullback(parts: list[Any], to: str) -> str | None:
    """Return the name to which a pullback is unpacked; None where it is more than called by it."""
    unpacked = [s for s in parts if type(s) is gast.Assign and getattr(s.value, "id", "") == to]
    places = [s.targets[0] for s in unpacked if type(s.targets[0]) in DISPLAYS]
    keys = [getattr(place.elts[-1], "id", None) for place in places if len(place.elts) == 2]
    key = keys[0] if len(keys) == len(unpacked) == 1 else None
    called = {id(p.func) for p in parts if type(p) is gast.Call}
    read = [p for p in parts if type(p) is gast.Name and p.id == key and type(p.ctx) is gast.Load]
    return key if all(id(p) in called for p in read) else None
