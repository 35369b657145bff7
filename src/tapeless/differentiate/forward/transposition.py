"""Rules that have a `grad` only: it is linear in its upstream, so that it can be transposed.

A `grad` that multiplies its upstream entry by entry is its own transpose, and the same text serves for
the tangent. Any other is applied to unit cotangents.
"""

from __future__ import annotations

import copy
from typing import Any

import gast

from tapeless.analysis.facts import Environment
from tapeless.differentiate.forward.terms import summed
from tapeless.differentiate.forward.writer import TangentWriter
from tapeless.differentiate.rule_texts import needed_for, open_rule, operands_in
from tapeless.kinds import Dim
from tapeless.ranks import dims_of, same_dims
from tapeless.rules.declare import Rule
from tapeless.source.texts import text_of
from tapeless.tree.build import assign, call, const, name
from tapeless.tree.classes import ADDITIVE, DISPLAYS
from tapeless.tree.names import parameters, reads
from tapeless.tree.trees import Expr, Stmt, Tree


def transposed_rule(
    writer: TangentWriter, rule: Rule, args: list[Any], keywords: dict[str, Any], bound: Any,
    by_tree: dict[int, Any], key: str, env: Any,
) -> tuple[list[Any], Any]:  # fmt: skip
    """Transpose the `grad` of a rule: it is linear in its upstream."""
    text = text_of(rule.function)
    assert text is not None
    operands = operands_in(bound.values())
    dots = [by_tree.get(id(v)) for v in operands]
    opened = open_rule(writer, text, bound, key, env)
    if opened is not None:
        captures, grad, _ = opened
        made = diagonal(writer, grad, operands, dots, key, env)
        if made is not None:
            statements, tangent = made
            return needed_for(tangent, [*captures, *statements]), tangent
    function = writer.splicer.external(rule.function, rule.function.__name__)
    grad_name = writer.names.fresh(f"{key}_grad")
    opener = writer.runtime("value_and_pullback")
    opened_call = gast.Call(
        name(opener),
        [name(function), *copy.deepcopy(args)],
        [gast.keyword(k, v) for k, v in keywords.items()],
    )
    first = assign(grad_name, gast.Subscript(opened_call, const(1), gast.Load()))
    return [first], _transposed(writer, grad_name, key, dots)


def _transposed(writer: TangentWriter, grad: str, key: str, dots: list[Any]) -> Any:
    helper = writer.runtime("transpose_grad")
    tangents = gast.Tuple([const(None) if d is None else d for d in dots], gast.Load())
    return call(name(helper), name(grad), name(key), tangents)


def diagonal(
    writer: TangentWriter,
    grad: Any,
    operands: list[Expr],
    dots: list[Any],
    key: str,
    env: Environment,
) -> tuple[list[Any], Any] | None:
    """Transpose a `grad` that multiplies its upstream entry by entry: by the same text.

    Returns
    -------
    None where the text, or the shapes, do not show it.
    """
    upstream = parameters(grad.tree)
    dims = dims_of(env[key].kind)
    if len(upstream) != 1 or dims is None or grad.tree.args.kwonlyargs:
        return None
    statements: list[Any] = []
    total: Any = None
    for i, (tree, dot) in enumerate(zip(operands, dots, strict=True)):
        if dot is None:
            continue
        if type(dot) is not gast.Name or not _has_dims(writer, tree, env, dims):
            return None
        known = {**env, dot.id: env[key]}
        inlined = writer.splicer.inline(grad, {upstream[0]: dot}, known)
        shown = None if inlined is None else _gradient_shown(inlined[1], i, len(operands))
        if inlined is None or shown is None:
            return None
        if type(shown) is gast.Constant and shown.value is None:
            continue
        body = needed_for(shown, inlined[0])
        if not _is_linear(writer, body, shown, dot.id, known):
            return None
        if not _has_dims(writer, shown, known, dims):
            return None
        statements += body
        total = shown if total is None else summed(total, shown)
    return None if total is None else (statements, total)


def _has_dims(writer: TangentWriter, tree: Expr, env: Environment, dims: tuple[Dim, ...]) -> bool:
    """Whether an expression is known to have as many entries along each axis."""
    found = dims_of(writer.splicer.evaluate(tree, env).kind)
    return found is not None and (found == dims or same_dims(found, dims))


def _gradient_shown(result: Expr, i: int, count: int) -> Any:
    """Return the gradient of one of some operands in what a `grad` returns; None where it is hidden."""
    if type(result) in DISPLAYS:
        return result.elts[i] if i < len(result.elts) <= count else None
    return result if count <= 1 else None


def _is_linear(
    writer: TangentWriter, body: list[Stmt], result: Expr, dot: str, env: Environment
) -> bool:
    """Whether a text only multiplies a tangent, entry by entry; learn what its names are."""
    linear = {dot}
    for s in body:
        if type(s) is not gast.Assign or type(s.targets[0]) is not gast.Name:
            return False
        writer.splicer.learn(s.targets[0], s.value, env)
        if not set(reads(s.value)) & linear:
            continue
        if not _multiplies(s.value, linear):
            return False
        linear.add(s.targets[0].id)
    return _multiplies(result, linear)


def _multiplies(tree: Tree, linear: set[str]) -> bool:
    """Whether an expression only multiplies what it is linear in, entry by entry."""
    if type(tree) is gast.Name:
        return tree.id in linear
    if type(tree) is gast.UnaryOp:
        return isinstance(tree.op, (gast.USub, gast.UAdd)) and _multiplies(tree.operand, linear)
    if type(tree) is not gast.BinOp:
        return False
    left, right = (bool(set(reads(side)) & linear) for side in (tree.left, tree.right))
    if type(tree.op) in ADDITIVE:
        return left and right and _multiplies(tree.left, linear) and _multiplies(tree.right, linear)
    if type(tree.op) is gast.Mult:
        if left and right:
            return False
        return _multiplies(tree.left if left else tree.right, linear)
    return type(tree.op) is gast.Div and not right and _multiplies(tree.left, linear)
