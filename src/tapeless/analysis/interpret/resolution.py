"""Which of the things that a call may mean it is, by the object called or by the kind of its owner."""

from __future__ import annotations

import inspect
import types
from typing import Any

import gast
import numpy as np

from tapeless.analysis.calls import (
    Called,
    Construction,
    CustomCall,
    MethodCall,
    OpaqueCall,
    RuleCall,
    UnknownCall,
    UserCall,
)
from tapeless.analysis.interpret.draws import drawing_method
from tapeless.externals import MISSING
from tapeless.kinds import Array, Function, Instance, Kind, Number, Real, Sparse
from tapeless.protocol.authors import author_of
from tapeless.rules.declare import find_rule
from tapeless.rules.sparse import method_of_factors, method_of_sparse
from tapeless.tree.trees import Expr


def meaning_of(tree: Expr, found: Any, kind: Kind) -> Called:
    """Return what a call means that does not enter a function.

    Parameters
    ----------
    tree
        The call.
    found
        What the text says that is called.
    kind
        What is known of the name that is called, or of the value whose method is.
    """
    func = tree.func
    if found is not MISSING:
        return _of_object(func, found)
    if type(func) is gast.Name and isinstance(kind, Function):
        return _of_object(func, kind.value)
    if type(func) is gast.Attribute:
        return _of_method(func, kind)
    author = author_of(_static(kind.cls, "__call__")) if isinstance(kind, Instance) else None
    return UnknownCall() if author is None else CustomCall(MISSING, author, func)


def entered(func: Expr, found: Any, kind: Kind) -> UserCall:
    """Return what a call means that enters a function, which may be what a name holds."""
    if found is MISSING and type(func) is gast.Name and isinstance(kind, Function):
        return UserCall(kind.value)
    return UserCall(found)


def _of_object(func: Expr, found: Any) -> Called:
    """Return what the call of an object means that is known by identity."""
    if type(found) is gast.FunctionDef:
        # Only a custom gradient kept its decorator, whose name may mean nothing where it is called.
        return CustomCall(found, found) if found.decorator_list else OpaqueCall(found)
    if isinstance(found, types.MethodType) and author_of(found.__func__) is not None:
        owner = gast.Attribute(func, "__self__", gast.Load())
        return CustomCall(found, author_of(found.__func__), owner)
    rule = find_rule(found)
    if isinstance(found, type):
        return Construction(found) if rule is None else RuleCall(found, rule)
    author = author_of(found)
    if author is not None:
        return CustomCall(found, author)
    called = None if inspect.isroutine(found) else author_of(_static(type(found), "__call__"))
    if called is not None:
        return CustomCall(found, called, func)
    return OpaqueCall(found) if rule is None else RuleCall(found, rule)


def _of_method(func: Expr, kind: Kind) -> Called:
    """Return what the call of a method of a value means."""
    if isinstance(kind, Instance):
        static = _static(kind.cls, func.attr)
        if isinstance(static, staticmethod):
            return _of_object(func, static.__func__)
        author = author_of(static)
        return (
            MethodCall(MISSING, kind) if author is None else CustomCall(MISSING, author, func.value)
        )
    if isinstance(kind, Sparse):
        method = method_of_sparse(func.attr)
        rule = None if method is None else find_rule(method)
        return MethodCall(MISSING, kind) if rule is None else RuleCall(method, rule, func.value)
    method = drawing_method(kind, func.attr) or method_of_factors(kind, func.attr)
    if method is None and (isinstance(kind, (Array, Number, Real)) or type(kind) is Kind):
        method = getattr(np.ndarray, func.attr, None)
    rule = None if method is None else find_rule(method)
    return MethodCall(MISSING, kind) if rule is None else RuleCall(method, rule, func.value)


def _static(cls: type, attribute: str) -> Any:
    return inspect.getattr_static(cls, attribute, None)
