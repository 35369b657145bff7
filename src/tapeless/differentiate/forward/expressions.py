"""Expressions: the tangent of a name, an operator, an item, a display, a call.

A tangent has the structure of its primal, so what reads a part of the primal reads the same part of the
tangent.
"""

from __future__ import annotations

import types
from typing import Any

import gast
import numpy as np

from tapeless.analysis.calls import Construction, MethodCall, RuleCall
from tapeless.differentiate.forward.by_rule import as_shared, by_rule
from tapeless.differentiate.forward.construction import constructed
from tapeless.differentiate.forward.writer import TangentWriter
from tapeless.differentiate.reverse import calls
from tapeless.differentiate.rule_texts import (
    as_value,
    environment,
    function_of_attribute,
    function_of_operator,
)
from tapeless.externals import MISSING, is_one_of
from tapeless.kinds import (
    Array,
    Dict,
    Instance,
    Integer,
    Kind,
    List,
    Number,
    Sequence,
    Sparse,
    Tuple,
    is_listed,
    regions_within,
)
from tapeless.regions import is_of_class
from tapeless.rules.declare import find_rule
from tapeless.rules.traits import SOMETIMES, traits_of
from tapeless.runtime import item_of_sparse
from tapeless.tree.build import call, const, name, quote_expression
from tapeless.tree.classes import ARITHMETIC, DISPLAYS
from tapeless.tree.trees import Stmt, Tree


def of_expression(
    writer: TangentWriter, s: Stmt, tree: Tree, key: str
) -> tuple[list[Any], Any] | None:
    """Write the tangent of `key = tree`: statements and an expression, None for zero."""
    if type(tree) is gast.Name:
        found = writer.tangent(s, tree)
        return None if found is None else ([], found)
    if type(tree) in ARITHMETIC:
        return _operator(writer, s, tree, key)
    if type(tree) is gast.Subscript:
        if writer.looks_up_adjoint(s):
            memory = name(writer.dot(tree.value.id))
            return [], gast.Subscript(memory, tree.slice, gast.Load())
        if isinstance(writer.operand_kind(s, tree.value), Instance):
            writer.refuse_index(s, writer.operand_kind(s, tree.value))
        found = writer.tangent(s, tree.value)
        if found is not None and isinstance(writer.operand_kind(s, tree.value), Sparse):
            operands, env = [tree.value, as_value(tree.slice)], environment(writer, s, key)
            return by_rule(writer, s, item_of_sparse, operands, [found, None], {}, {}, key, env)
        return None if found is None else ([], gast.Subscript(found, tree.slice, gast.Load()))
    if type(tree) is gast.Attribute:
        return _attribute(writer, s, tree, key)
    if type(tree) in DISPLAYS:
        items = [writer.tangent_or_zero(s, item) for item in tree.elts]
        return [], type(tree)(items, gast.Load())
    if type(tree) is gast.Dict:
        items = [writer.tangent_or_zero(s, item) for item in tree.values]
        return [], gast.Dict(tree.keys, items)
    if type(tree) is gast.Call:
        return _known_call(writer, s, tree, key)
    if not isinstance(tree, (gast.Constant, gast.Compare, gast.JoinedStr, gast.BoolOp)):
        what = writer.spelled(tree, "this expression")
        writer.refuse(
            s, f"{what} cannot be differentiated", "write it with calls, operators and indices"
        )
    return None


def _operator(writer: TangentWriter, s: Stmt, tree: Tree, key: str) -> tuple[list[Any], Any] | None:
    if type(tree) is gast.UnaryOp and type(tree.op) is gast.Not:
        return None
    operands = [tree.left, tree.right] if type(tree) is gast.BinOp else [tree.operand]
    kinds = [writer.operand_kind(s, o) for o in operands]
    dots = [writer.tangent(s, o) for o in operands]
    writer.refuse_operator(s, kinds)
    if any(isinstance(k, (List, Tuple, Sequence)) for k in kinds) and type(tree) is gast.BinOp:
        return _joined(writer, s, tree, kinds, dots)
    writer.refuse_perhaps_listed(s, kinds)
    function = function_of_operator(type(tree.op).__name__, kinds)
    return by_rule(writer, s, function, operands, dots, {}, {}, key, environment(writer, s, key))


def _joined(
    writer: TangentWriter, s: Stmt, tree: Tree, kinds: list[Kind], dots: list[Any]
) -> tuple[list[Any], Any] | None:
    """The tangent of `a + b` and `a * n` of lists and tuples."""
    if all(d is None for d in dots):
        return None
    if type(tree.op) is gast.Mult and any(isinstance(k, Integer) for k in kinds):
        parts = [o if d is None else d for o, d in zip((tree.left, tree.right), dots, strict=True)]
        return [], gast.BinOp(parts[0], gast.Mult(), parts[1])
    if type(tree.op) is not gast.Add or not all(map(is_listed, kinds)):
        writer.refuse_list_operator(s)
    a, b = writer.tangent_or_zero(s, tree.left), writer.tangent_or_zero(s, tree.right)
    text = "[*a, *b]" if isinstance(kinds[0], List) else "(*a, *b)"
    return [], quote_expression(text, a=a, b=b)


def _attribute(
    writer: TangentWriter, s: Stmt, tree: Tree, key: str
) -> tuple[list[Any], Any] | None:
    if writer.function.resolve(tree) is not MISSING:
        writer.is_active(s, tree)
        return None
    found = writer.tangent(s, tree.value)
    if found is None:
        return None
    kind = writer.operand_kind(s, tree.value)
    if isinstance(kind, Instance):
        if any(map(is_of_class, regions_within(writer.result(s).kind) & writer.regions)):
            writer.refuse_stored_outside(s, tree)
        return [], gast.Attribute(found, tree.attr, gast.Load())
    if isinstance(kind, Tuple):
        index = kind.cls._fields.index(tree.attr)  # type: ignore[attr-defined]
        return [], gast.Subscript(found, const(index), gast.Load())
    descriptor = function_of_attribute(kind, tree.attr)
    if descriptor is None or find_rule(descriptor) is None:
        writer.no_attribute(s, tree)
    env = environment(writer, s, key)
    return by_rule(writer, s, descriptor, [tree.value], [found], {}, {}, key, env)


def _known_call(
    writer: TangentWriter, s: Stmt, tree: Tree, key: str
) -> tuple[list[Any], Any] | None:
    """The tangent of a call of something that is not the user's own function."""
    keywords = {k.arg: k.value for k in tree.keywords}
    if None in keywords:
        writer.refuse(s, "`**` in this call cannot be differentiated", "spell the arguments out")
    called = writer.call(s)
    args = called.operands(tree.args) if isinstance(called, RuleCall) else list(tree.args)
    operands = [*args, *keywords.values()]
    if isinstance(called, MethodCall):
        operands.append(tree.func.value)
    if is_one_of(called.found, (list, tuple)) and tree.args:
        keys = isinstance(writer.operand_kind(s, tree.args[0]), Dict)
        inner = None if keys else writer.tangent(s, tree.args[0])
        return None if inner is None else ([], call(tree.func, inner))
    if isinstance(called, Construction):
        return constructed(writer, s, called.found, tree, key)
    found = called.found
    if writer.known.results[s].varied:
        calls.refuse_active_closures(writer, s, tree)
    if not any(writer.is_active(s, a) for a in operands):
        return None
    if found is MISSING:
        writer.no_gradient(s, tree.func)
    if is_one_of(found, _SAME_ARRAY) and len(operands) == 1:
        if isinstance(writer.operand_kind(s, args[0]), (Array, Number)):
            return [], call(tree.func, writer.tangent(s, args[0]))
    dots = [writer.tangent(s, a) for a in args]
    if traits_of(found).moves:
        moved = _moved_alike(writer, tree, found, args, dots, keywords, s)
        if moved is not None:
            by_layout = as_shared(
                writer, s, moved, key, args[0], dots[0], environment(writer, s, key)
            )
            return [], by_layout if traits_of(found).view in SOMETIMES else moved
    return by_rule(
        writer, s, found, args, dots,
        keywords, {k: writer.tangent(s, v) for k, v in keywords.items()},
        key, environment(writer, s, key),
    )  # fmt: skip


def _moved_alike(
    writer: TangentWriter, tree: Tree, found: Any, args: list[Any], dots: list[Any], keywords: dict[str, Any],
    s: Stmt,
) -> Any:  # fmt: skip
    """Write the same call for the tangent, where a call only moves the entries of an array."""
    if find_rule(found) is None or not dots or dots[0] is None:
        return None
    if any(d is not None for d in dots[1:]) or not isinstance(
        writer.operand_kind(s, args[0]), (Array, Number)
    ):
        return None
    keys = [gast.keyword(k, v) for k, v in keywords.items()]
    if not isinstance(found, types.MethodDescriptorType):
        return gast.Call(tree.func, [dots[0], *args[1:]], keys)
    return gast.Call(gast.Attribute(dots[0], tree.func.attr, gast.Load()), args[1:], keys)


_SAME_ARRAY = (np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray)
