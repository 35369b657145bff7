"""Augmented assignments: a tangent changes in place where its primal does.

`x += v` changes an array through all its names, and a number through one. Which of the two it is may
only be known when the program runs; then the text asks.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.analysis.abstract import NOTHING
from tapeless.differentiate.forward.by_rule import by_rule
from tapeless.differentiate.forward.writer import TangentWriter
from tapeless.differentiate.rule_texts import OPERATORS
from tapeless.kinds import (
    Array,
    Dict,
    Integer,
    Kind,
    List,
    Number,
    Real,
    Sequence,
    Tuple,
    differentiable,
    is_container,
    is_truth,
)
from tapeless.tree.build import as_load, as_store, assign, call, const, name, quote_expression
from tapeless.tree.classes import ADDITIVE
from tapeless.tree.names import reads
from tapeless.tree.trees import Expr, Stmt


def augmented_assignment(writer: TangentWriter, s: Stmt) -> list[Any]:
    """Write `place op= value` after the change of its tangent, in place where it is."""
    place = as_load(s.target)
    is_name = type(place) is gast.Name
    old = writer.operand_kind(s, place)
    if is_name and place.id not in writer.tracked:
        return [s]
    owner = place if is_name else place.value
    if old == Kind() and (is_name or is_container(writer.operand_kind(s, owner))):
        writer.refuse_unknown_rank(s, place)
    if not is_name and writer.tangent(s, owner) is None:
        held = writer.operand_kind(s, owner)
        if writer.is_active(s, s.value) and (not isinstance(held, Array) or differentiable(held)):
            writer.refuse_unknown_store(s, place)
        return [s]
    writer.refuse_operator(s, [old])
    if is_name:
        old_dot = writer.tangent(s, place)
    else:
        old_dot = type(place)(
            writer.tangent(s, owner),
            place.slice if type(place) is gast.Subscript else place.attr,
            gast.Load(),
        )
    if isinstance(old, (List, Tuple, Sequence, Dict)):
        return _extending(writer, s, place, old, old_dot)
    made = _changed(writer, s, place, old, old_dot)
    if made is None:
        return [s]
    return [*made, s]


def _extending(writer: TangentWriter, s: Stmt, place: Expr, old: Kind, old_dot: Expr) -> list[Any]:
    if type(s.op) is not gast.Add or not isinstance(old, List) or old_dot is None:
        if type(place) is gast.Name and type(s.op) is gast.Add and old_dot is not None:
            more = writer.tangent_or_zero(s, s.value)
            both = quote_expression("(*a, *b)", a=old_dot, b=more)
            return [assign(writer.dot(place.id), both), s]
        writer.refuse_list_operator(s)
    more = writer.tangent_or_zero(s, s.value)
    return [gast.AugAssign(as_store(old_dot), gast.Add(), more), s]


def _changed(
    writer: TangentWriter, s: Stmt, place: Expr, old: Kind, old_dot: Expr
) -> list[Any] | None:
    """Return the statements that change a tangent as `op=` changes its primal."""
    value_dot = writer.tangent(s, s.value)
    to = name(writer.dot(place.id)) if type(place) is gast.Name else old_dot
    rebinds = isinstance(old, (Real, Integer)) or is_truth(old)
    if type(place) is gast.Subscript and isinstance(
        writer.operand_kind(s, place.value), (Array, Number)
    ):
        rebinds = True  # a store into the array that is indexed
    only_grows = type(s.op) in ADDITIVE and old_dot is not None and value_dot is None
    if only_grows:
        fixed = isinstance(old, Array) and not rebinds
        if fixed or isinstance(writer.operand_kind(s, s.value), (Real, Integer)):
            return None
    simple = type(s.op) in ADDITIVE and old_dot is not None
    same_shape = not isinstance(old, (Real, Integer)) or isinstance(
        writer.operand_kind(s, s.value), (Real, Integer)
    )
    if simple and value_dot is not None and same_shape:
        return [gast.AugAssign(as_store(to), s.op, value_dot)]
    key = writer.names.fresh("v")
    env = dict(writer.known.before.get(s, {}))
    env[key] = writer.known.results.get(s, NOTHING)
    function = OPERATORS[type(s.op).__name__]
    made = by_rule(writer, s, function, [place, s.value], [old_dot, value_dot], {}, {}, key, env)
    if made is None:
        zero = call(name(writer.runtime("zero_tangent")), gast.BinOp(place, s.op, s.value))
        made = [], zero
    statements, tangent = made
    if any(key in reads(part) for part in [*statements, gast.Expr(tangent)]):
        statements = [assign(key, gast.BinOp(place, s.op, s.value)), *statements]
    inside = assign(gast.Subscript(to, const(...), gast.Store()), tangent)
    if rebinds:
        return [*statements, assign(to, tangent)]
    if isinstance(old, Array):
        return [*statements, inside]
    test = quote_expression("isinstance(x, np.ndarray)", np=writer.numpy, x=place)
    if only_grows:  # an array is as large as it was
        return [gast.If(gast.UnaryOp(gast.Not(), test), [*statements, assign(to, tangent)], [])]
    return [*statements, gast.If(test, [inside], [assign(to, tangent)])]
