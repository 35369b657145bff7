"""Statements, each beside the one that computes its tangent.

A store, an unpacking or a method is written twice, first for the tangent. Control flow stays as it is
written.
"""

from __future__ import annotations

import copy
import inspect
import types
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import is_adjoint_memory
from tapeless.analysis.calls import Construction, CustomCall, MethodCall, OpaqueCall, RuleCall
from tapeless.analysis.interpret.class_values import holder_set_in_texts
from tapeless.analysis.interpret.items import item_of
from tapeless.differentiate.custom.customs import custom_of
from tapeless.differentiate.forward.attempts import attempt
from tapeless.differentiate.forward.binding import beside, with_zero
from tapeless.differentiate.forward.containers import container_method
from tapeless.differentiate.forward.custom_calls import custom_call
from tapeless.differentiate.forward.expressions import of_expression
from tapeless.differentiate.forward.loops import for_loop
from tapeless.differentiate.forward.updates import augmented_assignment
from tapeless.differentiate.forward.user_calls import calls_user_function, user_call
from tapeless.differentiate.forward.writer import TangentWriter
from tapeless.differentiate.reverse.accumulate import may_be_scalar
from tapeless.differentiate.reverse.stores import may_hold_integers
from tapeless.externals import is_of_python, is_one_of, package_of
from tapeless.kinds import (
    UNREACHED,
    Array,
    Dict,
    Function,
    Inert,
    Instance,
    Integer,
    Kind,
    List,
    Number,
    Real,
    Sparse,
    Tuple,
    differentiable,
    is_number,
    regions_of,
)
from tapeless.rules.declare import find_rule
from tapeless.rules.traits import ADDING_AT, traits_of_callee
from tapeless.tree.build import assign, const, name, quote_expression, target
from tapeless.tree.classes import SLOTS
from tapeless.tree.trees import Expr, Stmt, Tree


def _branch(writer: TangentWriter, s: Stmt) -> list[Any]:
    orelse = writer.block(s.orelse) if s.orelse else []
    return [gast.If(s.test, writer.block(s.body), orelse)]


def _while_loop(writer: TangentWriter, s: Stmt) -> list[Any]:
    orelse = writer.block(s.orelse) if s.orelse else []
    return [gast.While(s.test, writer.block(s.body), orelse)]


def _with_block(writer: TangentWriter, s: Stmt) -> list[Any]:
    return [gast.With(s.items, writer.block(s.body), None)]


def _return(writer: TangentWriter, s: Stmt) -> list[Any]:
    tangent: Any = const(None)
    if writer.result_active or writer.root:
        tangent = writer.tangent_or_zero(s, s.value)
    if writer.root:
        tangent = _handed_out(writer, s, tangent)
    return [gast.Return(gast.Tuple([s.value, tangent], gast.Load()))]


def _handed_out(writer: TangentWriter, s: Stmt, tangent: Expr) -> Any:
    """Return the tangent of the result its structure, and memory of its own."""
    kind = writer.operand_kind(s, s.value)
    if type(tangent) is gast.Constant or (isinstance(kind, Real) and kind.dtype == "f8"):
        return tangent
    if isinstance(kind, Array) and kind.dtype in ("f8", "c16"):
        entering = {
            r
            for r in regions_of(kind)
            if r[0] in ("argument", "external", "attributes", "parameter")
        }
        if not entering:
            return tangent
    if isinstance(kind, Sparse):
        finisher = writer.runtime("sparse_gradient")
        return quote_expression("f(x, g)", f=finisher, g=tangent, x=s.value)
    finisher = writer.runtime("as_gradient")
    return quote_expression("f(g, x)", f=finisher, g=tangent, x=s.value)


def _bare_call(writer: TangentWriter, s: Stmt) -> list[Any]:
    if type(s.value) is not gast.Call:
        return [s]
    if calls_user_function(writer, s):
        return user_call(writer, s, None)
    if custom_of(writer, s) is not None:
        return [s]
    func, called = s.value.func, writer.call(s)
    ruled = isinstance(called, RuleCall) and not called.is_method
    operands = [*s.value.args, *(k.value for k in s.value.keywords)]
    if isinstance(called, MethodCall) or (isinstance(called, RuleCall) and called.is_method):
        owner = writer.operand_kind(s, func.value)
        if isinstance(owner, (List, Dict)):
            return container_method(writer, s, owner, None)
        if isinstance(owner, (Array, Number)):
            return _array_method(writer, s, owner)
        operands.append(func.value)
    if is_one_of(called.found, ADDING_AT):
        return _add_at(writer, s)
    if writer.takes_attribute_away(s):
        return _deletion(writer, s)
    if writer.is_message(s, s.value):
        return [s]
    if not ruled and any(writer.is_active(s, a) for a in operands):
        writer.no_gradient(s, func)
    _check_known(writer, s, s.value)
    _check_out(writer, s, s.value)
    return [s]


def _deletion(writer: TangentWriter, s: Stmt) -> list[Any]:
    """Write `del x.a`; the tangent of what the class may have by that name is zero."""
    owner, label = s.value.args
    tangent = writer.tangent(s, owner)
    if tangent is None:
        return [s]
    return [assign(gast.Attribute(tangent, label.value, gast.Store()), const(0.0)), s]


def _add_at(writer: TangentWriter, s: Stmt) -> list[Any]:
    """Write `np.add.at(a, i, v)` after the same of the tangents."""
    owner, index, value = s.value.args
    to, added = writer.tangent(s, owner), writer.tangent(s, value)
    if to is None and added is not None:
        writer.refuse_unknown_store(s, owner)
    if to is None or added is None:
        return [s]
    call_ = quote_expression("np.add.at(a, i, v)", np=writer.numpy, a=to, i=index, v=added)
    return [gast.Expr(call_), s]


def _check_known(writer: TangentWriter, s: Stmt, tree: Tree) -> None:
    """Refuse a call of the user's code into which the analysis could not look."""
    if isinstance(writer.result(s).kind, Function):
        return
    if s in writer.known.results and writer.known.results[s].kind == UNREACHED:
        return  # what raises comes before
    called = writer.call(s)
    if isinstance(called, (RuleCall, Construction, CustomCall)):
        return
    if isinstance(called, MethodCall) and not _may_be_the_users(called.kind):
        return
    if type(s) is gast.Assign and isinstance(writer.known.results[s].kind, Function):
        return  # a derivative operator: the function that it makes is known
    if isinstance(called, OpaqueCall) and not _is_the_users(called.found):
        return
    if writer.tracked or writer.regions:
        writer.refuse_typo(s, tree.func)
        writer.refuse_unknown_call(s, tree.func)


def _may_be_the_users(kind: Kind) -> bool:
    """Whether the methods of a value may be written by the user."""
    return isinstance(kind, Instance) or type(kind) is Kind


def _is_the_users(found: Any) -> bool:
    """Whether a function is written by the user, and not of Python, NumPy or SciPy."""
    behind = found.__func__ if isinstance(found, types.MethodType) else found
    if not isinstance(behind, (types.FunctionType, gast.FunctionDef)):
        return False
    return not is_of_python(behind) and package_of(behind) not in ("numpy", "scipy")


def _array_method(writer: TangentWriter, s: Stmt, owner: Kind) -> list[Any]:
    """A method of an array called for its effect."""
    func = s.value.func
    tangent = writer.tangent(s, func.value)
    if tangent is None:
        if any(writer.is_active(s, a) for a in s.value.args):
            writer.no_gradient(s, func)
        return [s]
    if func.attr == "fill":
        value = writer.tangent_or_zero(s, s.value.args[0])
        return [gast.Expr(quote_expression("x.fill(v)", x=tangent, v=value)), s]
    descriptor = getattr(np.ndarray, func.attr, None)
    if descriptor is None or find_rule(descriptor) is None:
        writer.refuse(
            s, f"the array method `{func.attr}` is not supported yet", "use a NumPy function"
        )
    return [s]


def _check_out(writer: TangentWriter, s: Stmt, tree: Tree) -> None:
    """Refuse `out=` where anything varies."""
    operands = [*tree.args, *(k.value for k in tree.keywords)]
    if any(k.arg == "out" for k in tree.keywords) and any(writer.is_active(s, a) for a in operands):
        writer.refuse(s, "`out=` is not supported yet", "assign the result")


def assignment(writer: TangentWriter, s: Stmt) -> list[Any]:
    """Write an assignment and its tangent."""
    place = s.targets[0]
    if type(place) is gast.Tuple:
        return _unpacking(writer, s, place)
    if type(place) in SLOTS:
        return _storing(writer, s, place)
    if calls_user_function(writer, s):
        return user_call(writer, s, place.id)
    key = place.id
    called = writer.call(s) if type(s.value) is gast.Call else None
    if isinstance(called, MethodCall) and isinstance(called.kind, (List, Dict)):
        return container_method(writer, s, called.kind, key)
    custom = custom_of(writer, s)
    if custom is not None:
        return custom_call(writer, s, key, custom)
    if type(s.value) is gast.Call:
        _check_known(writer, s, s.value)
        _check_out(writer, s, s.value)
    return _assigning(writer, s, key)


def _assigning(writer: TangentWriter, s: Stmt, key: str) -> list[Any]:
    """Write `key = value` and its tangent."""
    result = writer.result(s)
    if is_adjoint_memory(result.kind):
        return [s, assign(writer.dot(key), copy.deepcopy(s.value))]
    made = None
    if result.varied:
        made = of_expression(writer, s, s.value, key)
    if key not in writer.tracked:
        return [s]
    if made is None:
        return with_zero(writer, s, key)
    statements, tangent = made
    computed = isinstance(tangent, (gast.BinOp, gast.UnaryOp, gast.Call))
    if computed and _may_be_stored(writer, result.kind):
        tangent = _that_may_be_stored(writer, key, result.kind, tangent)
    if type(s.value) is gast.Call and _makes_new(writer, s):
        tangent = _made_new(writer, result.kind, tangent)
    return beside(writer, s, key, statements, tangent)


def _that_may_be_stored(writer: TangentWriter, key: str, kind: Kind, tangent: Expr) -> Any:
    """Make a tangent an array if its primal is one: NumPy computes no arrays of rank 0."""
    if may_be_scalar(kind):
        return quote_expression("np.asarray(g)", np=writer.numpy, g=tangent)
    if isinstance(kind, Number):
        helper = writer.runtime("array_alike")
        return quote_expression("f(g, y)", f=helper, g=tangent, y=key)
    return tangent


def _makes_new(writer: TangentWriter, s: Stmt) -> bool:
    """Whether a call, by a rule, makes arrays that share memory with nothing."""
    called = writer.call(s)
    known = traits_of_callee(s.value.func, called.found)
    return isinstance(called, RuleCall) and not known.may_be_view


def _made_new(writer: TangentWriter, kind: Kind, tangent: Expr) -> Any:
    """Copy the tangent of a new array that is stored into, or is such an item of a tuple.

    It may be a view of what it is made of, as the diagonal of a matrix is.
    """
    if isinstance(kind, Tuple) and type(tangent) is gast.Tuple:
        parts = [_made_new(writer, k, t) for k, t in zip(kind.items, tangent.elts, strict=True)]
        return gast.Tuple(parts, gast.Load())
    if _may_be_stored(writer, kind) and is_number(kind) and _may_be_view(writer, tangent):
        return quote_expression("np.array(g)", np=writer.numpy, g=tangent)
    return tangent


def _may_be_view(writer: TangentWriter, tree: Expr) -> bool:
    """Whether the tangent of a new array may share memory with another one."""
    if type(tree) is gast.Call:
        return traits_of_callee(tree.func, writer.splicer.resolve(tree.func)).may_be_view
    return not isinstance(tree, (gast.BinOp, gast.UnaryOp, gast.Constant))


def _may_be_stored(writer: TangentWriter, kind: Kind) -> bool:
    """Whether the function may store into an array, or the one that calls it and is handed it."""
    escapes = not writer.root and regions_of(kind) & writer.escaping
    return writer.facts.is_stored(kind) or bool(escapes)


def _unpacking(writer: TangentWriter, s: Stmt, place: Expr) -> list[Any]:
    """Write `a, b = v` and its tangents."""
    names = [item.id for item in place.elts]
    tracked = [k for k in names if k in writer.tracked]
    tangent = writer.tangent(s, s.value)
    if not tracked:
        return [s]
    if tangent is None:
        value = writer.known.results[s]
        interpreter = writer.splicer.interpreter
        zeros = [
            assign(
                writer.dot(k),
                writer.zero(name(k), item_of(interpreter, value, Integer(i), None).kind),
            )
            for i, k in enumerate(names)
            if k in writer.tracked
        ]
        return [s, *zeros]
    dots = [target(writer.dot(k) if k in writer.tracked else writer.unread) for k in names]
    return [gast.Assign([gast.Tuple(dots, gast.Store())], tangent, None), s]


def _storing(writer: TangentWriter, s: Stmt, place: Expr) -> list[Any]:
    """Write a store, after the same store of the tangent."""
    owner = writer.operand_kind(s, place.value)
    tangent = writer.tangent(s, place.value)
    if tangent is None:
        kept = type(place) is gast.Attribute and writer.stores_into_holder(s, place, owner)
        if writer.is_active(s, s.value) and not holds_integers(owner) and not kept:
            writer.refuse_unknown_store(s, place)
        if _is_read_at_once(owner, place):
            writer.refuse_outer_attribute(s, place)
        return [s]
    writer.check_sparse(s, [place.value])
    if isinstance(owner, Instance) and type(place) is gast.Subscript:
        writer.refuse_index(s, owner)
    if is_number(owner) and type(place) is gast.Attribute:
        writer.refuse_outer_attribute(s, place)
    value = writer.tangent_or_zero(s, s.value)
    if may_hold_integers(owner) and writer.is_active(s, s.value):
        asked = writer.runtime("if_inexact")
        value = quote_expression("f(g, x.dtype)", f=asked, g=value, x=place.value)
    if type(place) is gast.Subscript:
        to: Any = gast.Subscript(tangent, place.slice, gast.Store())
    else:
        static = inspect.getattr_static(getattr(owner, "cls", object), place.attr, None)
        if isinstance(static, property):
            writer.refuse(s, "a property cannot be stored into yet", "store the attribute")
        to = gast.Attribute(tangent, place.attr, gast.Store())
    return [assign(to, value), s]


def _is_read_at_once(owner: Kind, place: Expr) -> bool:
    """Whether an attribute of a module or class is taken for what it was before anything ran."""
    fixed = isinstance(owner, Function) and isinstance(owner.value, type)
    fixed = fixed or isinstance(owner, Inert) and owner.what == "module"
    return fixed and holder_set_in_texts(owner, place.attr) is None


def holds_integers(kind: Kind) -> bool:
    """Whether a thing is an array of integers or truths, which keeps nothing that varies."""
    return isinstance(kind, Array) and not differentiable(kind)


STATEMENTS: dict[type, Callable[[TangentWriter, Any], list[Any]]] = {
    gast.Assign: assignment,
    gast.AugAssign: augmented_assignment,
    gast.Expr: _bare_call,
    gast.Return: _return,
    gast.If: _branch,
    gast.While: _while_loop,
    gast.For: for_loop,
    gast.With: _with_block,
    gast.Try: attempt,
}
