"""Rules applied forward: partials times tangents, at the shape and in the memory of the primal.

The tangent must share memory with another exactly if the primal does: a copy where the primal is one,
a view where it is a view. Where NumPy decides between the two when the program runs, so does the text.
"""

from __future__ import annotations

import operator
from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import NOTHING, Value
from tapeless.differentiate.forward.by_jvp import general
from tapeless.differentiate.forward.terms import as_term, summed
from tapeless.differentiate.forward.writer import TangentWriter
from tapeless.differentiate.guards import guarded, has_pole
from tapeless.differentiate.precision import in_precision_of, is_double, is_single, widened
from tapeless.differentiate.rule_texts import (
    check_partial,
    operands_in_order,
    partial_of,
    without_casting,
)
from tapeless.externals import is_one_of
from tapeless.kinds import (
    Array,
    Integer,
    Kind,
    Number,
    Real,
    is_structure,
    is_truth,
    regions_of,
    regions_within,
)
from tapeless.ranks import dims_of, same_dims
from tapeless.rules.declare import Rule, find_rule
from tapeless.rules.results.sparse import of_adjoint
from tapeless.rules.traits import traits_of
from tapeless.source.texts import text_of
from tapeless.tree.build import name, quote_expression
from tapeless.tree.classes import PLACES
from tapeless.tree.names import parameters
from tapeless.tree.trees import Expr, Stmt, Tree


def by_rule(
    writer: TangentWriter, s: Stmt, function: Any, args: list[Any], dots: list[Any], keywords: dict[str, Any],
    keyword_dots: dict[str, Any], key: str, env: dict[str, Value],
) -> tuple[list[Any], Any] | None:  # fmt: skip
    """The tangent of `key = function(*args, **keywords)` by the rule of the function."""
    everything = [*dots, *keyword_dots.values()]
    if all(d is None for d in everything):
        return None
    rule = find_rule(function)
    if rule is None:
        label = s.value.func if type(s.value) is gast.Call else s.value
        writer.no_gradient(s, label)
    assert rule is not None
    if rule.form == "zero":
        return None
    keywords = without_casting(rule, keywords)
    keyword_dots = without_casting(rule, keyword_dots)
    everything = [*dots, *keyword_dots.values()]
    operands = [*args, *keywords.values()]
    writer.check_sparse(s, operands)
    for tree, dot in zip(operands, everything, strict=True):
        if type(dot) is gast.Name and type(tree) is gast.Name:
            known = tree.id in env
            env.setdefault(
                dot.id, Value(of_adjoint(env[tree.id].kind, dot.id)) if known else NOTHING
            )
    if rule.form == "elementwise":
        made = _elementwise(writer, s, rule, operands, everything, keywords, key, env)
    else:
        made = general(writer, s, rule, args, keywords, operands, everything, key, env)
    if made is None:
        return None
    statements, tangent = made
    if everything[0] is not None and _may_share(writer, s, rule.primal, operands[0], key, env):
        return statements, as_shared(writer, s, tangent, key, operands[0], everything[0], env)
    return statements, _own_memory(
        writer, s, rule.primal, tangent, operands, env.get(key, NOTHING).kind, env
    )


def _may_share(
    writer: TangentWriter, s: Stmt, primal: Any, tree: Tree, key: str, env: dict[str, Value]
) -> bool:
    """Whether a result may share memory with an operand, as NumPy decides when the program runs."""
    view = traits_of(primal).view
    shared = regions_within(env.get(key, NOTHING).kind) & regions_within(
        writer.operand_kind(s, tree)
    )
    return view == "if asked" or view == "sometimes" and bool(shared)


def as_shared(
    writer: TangentWriter,
    s: Stmt,
    tangent: Expr,
    key: str,
    tree: Tree,
    dot: Expr,
    env: dict[str, Value],
) -> Any:
    """See to it that a tangent shares memory exactly if its primal does, where it matters."""
    kind = env.get(key, NOTHING).kind
    touched = regions_within(kind) | regions_within(writer.operand_kind(s, tree))
    escapes = not writer.root and regions_within(kind) & writer.escaping
    if not touched & writer.facts.stored and not escapes:
        return tangent
    if not isinstance(writer.operand_kind(s, tree), (Array, Number)):
        return tangent
    helper = writer.runtime("shared_alike")
    return quote_expression("f(g, y, x_dot, x)", f=helper, g=tangent, y=key, x_dot=dot, x=tree)


def _own_memory(
    writer: TangentWriter,
    s: Stmt,
    primal: Any,
    tangent: Expr,
    operands: list[Any],
    kind: Kind,
    env: Any,
) -> Any:
    """Copy a tangent that is an operand's own, where the primal is not the operand's own."""
    if type(tangent) not in PLACES:
        return tangent
    scalar = isinstance(kind, (Real, Integer)) or is_truth(kind)
    if is_structure(kind) or primal in (max, min):
        return tangent
    if traits_of(primal).may_be_view:
        return tangent
    touched = set(regions_of(kind))
    for tree in operands:
        touched |= regions_within(writer.operand_kind(s, tree))
    known = isinstance(kind, Array) or scalar
    if known and not touched & writer.facts.stored and not regions_of(kind) & writer.escaping:
        return tangent
    # in the same memory order as the primal; the tangent of what nothing touched is the number 0.0
    return gast.UnaryOp(gast.UAdd(), tangent)


def _elementwise(
    writer: TangentWriter, s: Stmt, rule: Rule, operands: list[Expr], dots: list[Expr],
    keywords: dict[str, Expr], key: str, env: dict[str, Value],
) -> tuple[list[Any], Any] | None:  # fmt: skip
    """Sum the partials times the tangents, at the full shape of the result."""
    text = text_of(rule.function)
    names = parameters(text.tree) if text else []
    extra = sorted(set(keywords) - set(names))
    if extra or any(type(a) is gast.Starred for a in operands):
        writer.refuse_arguments(s, rule, operands, keywords)
    by_operand = {id(tree): dot for tree, dot in zip(operands, dots, strict=True)}
    positional = operands[: len(operands) - len(keywords)]
    operands = operands_in_order(text, key, positional, keywords)
    dots = [by_operand.get(id(tree)) for tree in operands]
    statements: list[Any] = []
    total: Any = None
    for i, dot in enumerate(dots):
        if dot is None:
            continue
        check_partial(writer, s, rule, text, i, operands[i])
        wide = in_precision_of(writer, s, [operands[i]], operands, env, statements)
        made = partial_of(writer, text, rule, key, wide, i, env)
        if made is None:
            dots[i] = None  # nothing of it is in the sum
            continue
        statements += made[0]
        if writer.is_cut_here(s, operands[i]):
            helper = writer.runtime("times_partial")
            term: Any = gast.Call(name(helper), [made[1], dot], [])
        elif _meets_pole_cut(writer, operands[i], made[1], env):
            helper, resolve = writer.runtime("times_partial"), writer.splicer.resolve
            term = guarded(dot, made[1], helper, resolve)
        else:
            term = as_term(made[1], dot, first=i == 0 and len(operands) > 1)
        total = term if total is None else summed(total, term)
    if total is None:
        return None
    total = _at_full_precision(writer, total, key, env)
    return statements, _at_full_shape(writer, total, rule.primal, operands, dots, key, env)


def _meets_pole_cut(
    writer: TangentWriter, operand: Expr, partial: Expr, env: dict[str, Value]
) -> bool:
    """Whether a tangent that may hold zeros that something cut meets a partial that may be infinite."""
    if type(operand) is not gast.Name or operand.id not in writer.cut_tangents:
        return False
    kind_of = lambda tree: writer.splicer.evaluate(tree, env).kind  # noqa: E731
    return has_pole(partial, kind_of, writer.splicer.resolve)


def _at_full_shape(
    writer: TangentWriter,
    tangent: Expr,
    primal: Any,
    operands: list[Any],
    dots: list[Any],
    key: str,
    env: Any,
) -> Any:
    """Bring a tangent that may be smaller than its primal to the shape of the primal."""
    kind = env.get(key, NOTHING).kind
    dims = dims_of(kind)
    if dims == () or is_one_of(primal, _FULL_PRODUCTS):
        return tangent
    found = dims_of(writer.splicer.evaluate(tangent, env).kind)
    if dims is not None and (found == dims or same_dims(found, dims)):
        return tangent
    for tree, dot in zip(operands, dots, strict=True):
        inner = dims_of(writer.splicer.evaluate(tree, env).kind)
        if dot is None and inner != ():
            break
    else:
        return tangent
    helper = writer.runtime("broadcast_like")
    return quote_expression("f(g, y)", f=helper, g=tangent, y=key)


def _at_full_precision(writer: TangentWriter, tangent: Expr, key: str, env: Any) -> Any:
    """Bring a tangent in single precision to double precision where its primal has that."""
    kind, found = env.get(key, NOTHING).kind, writer.splicer.evaluate(tangent, env).kind
    if not is_double(kind) or not is_single(found):
        return tangent
    return widened(writer, tangent, found)


_FULL_PRODUCTS = (operator.mul, operator.truediv, np.multiply, np.divide)
