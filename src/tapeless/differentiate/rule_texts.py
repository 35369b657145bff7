"""The texts of rules, bound to the operands of a call: for both modes.

The text of a rule is that of a function. Its parameters are bound to the operands of the call, its forward
part is inlined with what is known of them, and of its statements those stay that the result needs.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import Value
from tapeless.differentiate.straight_lines import bind
from tapeless.differentiate.writer import Writer
from tapeless.kinds import Kind, Sparse
from tapeless.rules.declare import Rule
from tapeless.rules.sparse import attribute_of_sparse, operator_of_sparse
from tapeless.source.texts import Text
from tapeless.tree.build import const, filled, name, slice_call, unshared
from tapeless.tree.names import binds, parameters, reads
from tapeless.tree.trees import Expr, Stmt

# The functions that operators call: they have the rules.
OPERATORS: dict[str, Any] = {
    "Add": operator.add, "Sub": operator.sub, "Mult": operator.mul, "Div": operator.truediv,
    "Pow": operator.pow, "MatMult": operator.matmul, "Mod": operator.mod,
    "FloorDiv": operator.floordiv, "USub": operator.neg, "UAdd": operator.pos,
    "BitAnd": operator.and_, "BitOr": operator.or_, "BitXor": operator.xor,
    "Invert": operator.invert, "LShift": operator.lshift, "RShift": operator.rshift,
}  # fmt: skip


def function_of_operator(operator: str, kinds: list[Kind]) -> Any:
    """Return the function whose rule an operator follows; one of sparse arrays is found by the kinds."""
    if any(isinstance(kind, Sparse) for kind in kinds):
        return operator_of_sparse(operator, kinds)
    return OPERATORS[operator]


def function_of_attribute(kind: Kind, attribute: str) -> Any:
    """Return what has the rule of an attribute of an array, None where nothing has."""
    if isinstance(kind, Sparse):
        return attribute_of_sparse(attribute)
    return getattr(np.ndarray, attribute, None)


def as_value(index: Expr) -> Any:
    """Write an index so that it can stand by itself: `a[:, i]` is `a[slice(None), i]`."""
    if type(index) is gast.Tuple:
        return gast.Tuple([as_value(item) for item in index.elts], gast.Load())
    return slice_call(index) if type(index) is gast.Slice else index


_OF_CASTING = ("casting", "dtype", "order", "subok")


def without_casting(rule: Rule, keywords: dict[str, Any]) -> dict[str, Any]:
    """Leave out the keywords by which a ufunc is told how to convert and lay out its result."""
    if not isinstance(rule.primal, np.ufunc):
        return keywords
    return {key: value for key, value in keywords.items() if key not in _OF_CASTING}


def environment(sweep: Writer, s: Stmt, key: str) -> dict[str, Value]:
    """What is known of the names just after a statement."""
    env = dict(sweep.known.before.get(s, {}))
    env[key] = sweep.result(s)
    return env


def operands_in_order(
    text: Text | None, key: str, args: list[Expr], keywords: dict[str, Expr]
) -> list[Any]:
    """List the operands of an elementwise rule as its partials stand, keywords at their places."""
    as_given = [*args, *keywords.values()]
    if text is None or not keywords:
        return as_given
    own = text.tree.args
    places = [p.id for p in [*own.posonlyargs, *own.args]][1:]
    bound = bind(text.tree, [name(key), *args], keywords)
    if bound is None or own.vararg is not None or not set(keywords) <= set(places):
        return as_given
    last = max(places.index(keyword) for keyword in keywords)
    return [bound[place] for place in places[: max(last + 1, len(args))]]


def check_partial(
    writer: Writer, s: Stmt, rule: Rule, text: Text | None, i: int, operand: Expr
) -> None:
    """Refuse a partial that an elementwise rule says is not known."""
    names = parameters(text.tree) if text else []
    if i + 1 < len(names):
        writer.check_parameter(s, rule, names[i + 1], operand)


def partial_of(
    sweep: Writer,
    text: Text | None,
    rule: Rule,
    key: str,
    args: list[Expr],
    i: int,
    env: dict[str, Value],
) -> tuple[list[Any], Any] | None:
    """Return the partial in the i-th argument: statements and an expression; None where it is zero."""
    made = None
    if text is not None:
        bindings = bind(text.tree, [name(key), *args], {})
        if bindings is not None and text.tree.args.vararg is None:
            made = sweep.splicer.inline(text, bindings, env)
    if made is None:
        function = sweep.splicer.external(rule.function, rule.function.__name__)
        call = gast.Call(name(function), [name(key), *unshared(args)], [])
        result: Any = gast.Subscript(call, const(i), gast.Load()) if len(args) > 1 else call
        return [], result
    statements, result = made
    if type(result) is gast.Tuple:
        result = result.elts[i]
    elif len(args) > 1:
        result = gast.Subscript(result, const(i), gast.Load())
    if type(result) is gast.Constant and result.value is None:
        return None
    before: list[Any] = []
    for statement in statements:
        sweep.splicer.learn(statement.targets[0], statement.value, env)
    result = sweep.splicer.fold_helpers(result, env, before)
    return needed_for(result, [*statements, *before]), result


def needed_for(result: Expr, statements: list[Stmt]) -> list[Any]:
    """Keep the statements that an expression depends on."""
    wanted = set(reads(result))
    kept: list[Any] = []
    for statement in reversed(statements):
        if binds(statement) & wanted:
            wanted |= set(reads(statement))
            kept.insert(0, statement)
    return kept


def operands_in(values: Iterable[Any]) -> list[Expr]:
    """List the operands that are bound to parameters, those of `*args` one by one."""
    return [v for value in values for v in (value if isinstance(value, list) else [value])]


def as_expression(value: Any) -> Any:
    """Show `*args` as a tuple."""
    return gast.Tuple(list(value), gast.Load()) if isinstance(value, list) else value


def open_rule(
    sweep: Writer, text: Text, bound: dict[str, Any], key: str | None, env: dict[str, Value]
) -> tuple[list[Any], Text, Text | None] | None:
    """Inline the forward part of a rule.

    Returns
    -------
    The statements that `grad` and `jvp` may depend on, with the rule's value named `key`, and the
    texts of the two; None where the rule does not fold.
    """
    bindings = {p: as_expression(v) for p, v in bound.items()}
    made = sweep.splicer.inline(text, bindings, env)
    if made is None:
        return None
    statements, result = made
    if type(result) is not gast.Tuple:
        return None
    inner = {s.name: s for s in statements if type(s) is gast.FunctionDef}
    plain = [s for s in statements if type(s) is not gast.FunctionDef]
    labels = [e.id for e in result.elts if type(e) is gast.Name and e.id in inner]
    if not labels:
        return None
    holes: dict[str, Any] = {}
    value = result.elts[0]
    if key is not None and type(value) is gast.Name and value.id not in env_names(bound):
        holes[value.id] = key
        plain = [s for s in plain if value.id not in binds(s)]
    plain = [filled(s, holes) for s in plain]
    for statement in plain:
        sweep.splicer.learn(statement.targets[0], statement.value, env)
    texts = [Text(filled(inner[label], holes), {}) for label in labels]
    return plain, texts[0], texts[1] if len(texts) > 1 else None


def env_names(bound: dict[str, Any]) -> set[str]:
    """The names among the arguments of a call."""
    return {n for v in operands_in(bound.values()) for n in reads(v)}
