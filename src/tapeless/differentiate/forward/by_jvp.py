"""Rules that are not elementwise: their `jvp` is spliced, called, or made from their `grad`.

A spliced `jvp` is given the tangents by the names of its parameters. An operand without a tangent gives
it zeros, so the terms that are products with zeros are left out of what is printed.
"""

from __future__ import annotations

import copy
import inspect
from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import NOTHING, Value
from tapeless.differentiate.forward.linear_rules import called_with_tangents, text_with_jvp
from tapeless.differentiate.forward.terms import minus
from tapeless.differentiate.forward.transposition import transposed_rule
from tapeless.differentiate.forward.writer import TangentWriter
from tapeless.differentiate.guards import GuardedProducts
from tapeless.differentiate.precision import in_precision_of
from tapeless.differentiate.rule_texts import needed_for, open_rule, operands_in
from tapeless.differentiate.straight_lines import bind
from tapeless.externals import is_one_of
from tapeless.kinds import NONE, differentiable
from tapeless.ranks import dims_of
from tapeless.rules.declare import Rule
from tapeless.runtime import with_entries
from tapeless.source.texts import Text, text_of
from tapeless.tree.build import const, name
from tapeless.tree.classes import ADDITIVE
from tapeless.tree.names import nodes, parameters
from tapeless.tree.trees import Expr, Stmt, Tree


def general(
    writer: TangentWriter, s: Stmt, rule: Rule, args: list[Any], keywords: dict[str, Any],
    operands: list[Any], dots: list[Any], key: str, env: dict[str, Value],
) -> tuple[list[Any], Any] | None:  # fmt: skip
    """Splice the `jvp` of a rule, call it, or transpose its `grad`."""
    text, bound = _text_and_arguments(writer, s, rule, args, keywords)
    by_tree = {id(t): d for t, d in zip(operands, dots, strict=True)}
    for parameter, operand in bound.items():
        if by_tree.get(id(operand)) is not None:
            writer.check_parameter(s, rule, parameter, operand)
    if rule.linear and not _has_jvp(rule) and not _any_moves(rule.linear, bound, by_tree):
        return None
    converted: list[Any] = []
    active = [t for t in operands if by_tree.get(id(t)) is not None]
    wide = in_precision_of(writer, s, active, list(bound.values()), env, converted)
    opened = open_rule(writer, text, dict(zip(bound, wide, strict=True)), key, env)
    jvp = None if opened is None else opened[2]
    if opened is None or jvp is None:
        if rule.linear:
            return _called_alike(writer, s, rule, args, keywords, bound, by_tree, env)
        if opened is None and _has_jvp(rule):
            return _called_jvp(writer, s, rule, args, keywords, bound, by_tree, env)
        return transposed_rule(writer, rule, args, keywords, bound, by_tree, key, env)
    captures = opened[0]
    given = _jvp_arguments(writer, s, _tangents_asked(jvp.tree, bound), bound, by_tree, env)
    for value in given.values():
        if type(value) is gast.Name and value.id not in env:
            env[value.id] = NOTHING
    inlined = writer.splicer.inline(jvp, given, env)
    if inlined is None and rule.linear:
        return _called_alike(writer, s, rule, args, keywords, bound, by_tree, env)
    if inlined is None:
        return _called_jvp(writer, s, rule, args, keywords, bound, by_tree, env)
    statements, result = inlined
    for statement in statements:
        writer.splicer.learn(statement.targets[0], statement.value, env)
    folded: list[Any] = []
    result = writer.splicer.fold_helpers(result, env, folded)
    everything = [*converted, *captures, *statements, *folded]
    cut = {d.id for t, d in zip(operands, dots, strict=True)
           if type(d) is gast.Name and writer.is_cut_here(s, t)}  # fmt: skip
    everything, result = _guarded(writer, cut, everything, result)
    result = _without_defaults(writer, result)
    result = _without_zeros(writer, result, dims_of(env.get(key, NOTHING).kind), env)
    return needed_for(result, everything), result


def _text_and_arguments(
    writer: TangentWriter, s: Stmt, rule: Rule, args: list[Any], keywords: dict[str, Any]
) -> tuple[Text, dict[str, Any]]:
    """Return the text of a rule, and what a call passes for each of its parameters."""
    text = text_with_jvp(rule)
    bound = None if text is None else bind(text.tree, args, keywords)
    if bound is None or text is None:
        writer.refuse_arguments(s, rule, args, keywords)
    assert bound is not None and text is not None
    if any(type(v) is gast.Starred for v in operands_in(bound.values())):
        writer.refuse_arguments(s, rule, operands_in(bound.values()), {})
    return text, bound


def _guarded(
    writer: TangentWriter, cut: set[str], statements: list[Stmt], result: Expr
) -> tuple[list[Stmt], Expr]:
    """Guard the products of tangents that may hold zeros because something cut them."""
    if not cut:
        return statements, result
    guard = GuardedProducts(cut, writer.runtime("times_partial"))
    return [guard.visit(statement) for statement in statements], guard.visit(result)


def _without_defaults(writer: TangentWriter, tree: Tree) -> Any:
    """Leave out `axis=None` and `keepdims=False` where they are the defaults."""
    if type(tree) is not gast.Call:
        return tree
    found = writer.splicer.resolve(tree.func)
    if getattr(found, "__module__", "") != "numpy" or not callable(found):
        return tree
    try:
        accepted = inspect.signature(found).parameters
    except ValueError:
        return tree

    def is_default(keyword: Any) -> bool:
        value = keyword.value
        if type(value) is not gast.Constant or keyword.arg not in accepted:
            return False
        if keyword.arg == "keepdims":
            return value.value is False
        return value.value is None and accepted[keyword.arg].default is None

    keywords = [k for k in tree.keywords if not is_default(k)]
    return gast.Call(tree.func, tree.args, keywords)


def _without_zeros(writer: TangentWriter, tree: Tree, dims: Any, env: Any) -> Any:
    """Leave out the terms of a sum that are products with zeros of `np.zeros_like`."""
    if type(tree) is not gast.BinOp or type(tree.op) not in ADDITIVE:
        return tree
    left = _without_zeros(writer, tree.left, dims, env)
    right = _without_zeros(writer, tree.right, dims, env)
    for term, other, sign in ((left, right, tree.op), (right, left, gast.Add())):
        if dims is None or not _is_zero_product(writer, term):
            continue
        if dims_of(writer.splicer.evaluate(other, env).kind) == dims:
            return other if type(sign) is gast.Add else minus(other)
    return gast.BinOp(left, tree.op, right)


def _is_zero_product(writer: TangentWriter, tree: Tree) -> bool:
    """Whether an expression is linear in zeros made by `np.zeros_like`."""
    if type(tree) is gast.BinOp and isinstance(tree.op, (gast.Mult, gast.MatMult)):
        return _is_zero_product(writer, tree.left) or _is_zero_product(writer, tree.right)
    if type(tree) is gast.UnaryOp:
        return _is_zero_product(writer, tree.operand)
    if type(tree) is not gast.Call:
        return type(tree) is gast.Constant and tree.value == 0.0
    found = writer.splicer.resolve(tree.func)
    if is_one_of(found, (np.outer, np.dot, np.matmul, np.inner, np.vdot, with_entries)):
        return any(_is_zero_product(writer, a) for a in tree.args)
    return found is np.zeros_like


def _any_moves(wanted: tuple[str, ...], bound: dict[str, Any], by_tree: dict[int, Any]) -> bool:
    """Whether an operand that some parameters are given has a tangent."""
    given = operands_in([bound[p] for p in wanted if p in bound])
    return any(by_tree.get(id(operand)) is not None for operand in given)


def _has_jvp(rule: Rule) -> bool:
    text = text_of(rule.function)
    return text is not None and any(
        type(part) is gast.FunctionDef and part.name == "jvp" for part in nodes(text.tree)
    )


def _tangents_asked(jvp: Tree, bound: dict[str, Any]) -> list[str]:
    """List the parameters of a `jvp`, but for optional ones of operands that are not given."""
    asked = parameters(jvp)
    optional = asked[len(asked) - len(jvp.args.defaults) :]
    return [p for p in asked if p not in optional or p.removesuffix("_dot") in bound]


def _jvp_arguments(
    writer: TangentWriter,
    s: Stmt,
    wanted: list[str],
    bound: dict[str, Any],
    by_tree: dict[int, Any],
    env: Any,
) -> dict[str, Any]:
    """Return the tangents that a `jvp` takes: by the names of its parameters, else in order."""
    available = {f"{p}_dot": v for p, v in bound.items()}
    # a parameter that is called like a tangent of the function has another name here
    available |= {p: available[p.rstrip("_")] for p in wanted if p.rstrip("_") in available}
    if not all(p in available for p in wanted):
        moving = [
            v
            for v in bound.values()
            if any(differentiable(writer.splicer.evaluate(t, env).kind) for t in operands_in([v]))
        ]
        available = dict(zip(wanted, moving, strict=False))
        if len(moving) != len(wanted):
            writer.refuse(s, "the parameters of this rule's jvp are not known", "name them x_dot")

    def one(value: Any) -> Any:
        dot = by_tree.get(id(value))
        if dot is not None:
            return dot
        kind = writer.splicer.evaluate(value, env).kind
        if kind == NONE:
            return const(0.0)
        return writer.zero(value, kind)

    return {
        p: gast.Tuple([one(v) for v in available[p]], gast.Load())
        if isinstance(available[p], list)
        else one(available[p])
        for p in wanted
    }


def _starred(value: Any) -> Any:
    return gast.Starred(value, gast.Load())


def _called_alike(
    writer: TangentWriter, s: Stmt, rule: Rule, args: list[Any], keywords: dict[str, Any], bound: Any,
    by_tree: dict[int, Any], env: Any,
) -> tuple[list[Any], Any]:  # fmt: skip
    """Call a linear rule with the tangents where its `jvp` cannot be spliced."""
    wanted = [f"{p}_dot" for p in rule.linear]
    given = _jvp_arguments(writer, s, wanted, bound, by_tree, env)
    tangents = {p: given[f"{p}_dot"] for p in rule.linear}
    function = writer.splicer.external(rule.function, rule.function.__name__)
    return [], called_with_tangents(function, rule, args, keywords, bound, tangents)


def _called_jvp(
    writer: TangentWriter, s: Stmt, rule: Rule, args: list[Any], keywords: dict[str, Any], bound: Any,
    by_tree: dict[int, Any], env: Any,
) -> tuple[list[Any], Any]:  # fmt: skip
    """Call the rule and its `jvp` where they cannot be spliced."""
    text = text_of(rule.function)
    assert text is not None
    found = [
        part for part in nodes(text.tree) if type(part) is gast.FunctionDef and part.name == "jvp"
    ]
    if not found or any(parameters(f) != parameters(found[0]) for f in found):
        label = getattr(rule.primal, "__name__", str(rule.primal))
        writer.refuse(s, f"the jvp of the rule of {label} is not known", "write one jvp")
    given = _jvp_arguments(writer, s, _tangents_asked(found[0], bound), bound, by_tree, env)
    vararg = found[0].args.vararg
    passed: list[Any] = []
    for p, value in given.items():
        if vararg is not None and p == vararg.id:
            passed += value.elts if type(value) is gast.Tuple else [_starred(value)]
        else:
            passed.append(value)
    function = writer.splicer.external(rule.function, rule.function.__name__)
    opened = gast.Call(
        name(function), copy.deepcopy(args), [gast.keyword(k, v) for k, v in keywords.items()]
    )
    jvp = gast.Subscript(opened, const(-1), gast.Load())
    return [], gast.Call(jvp, passed, [])
