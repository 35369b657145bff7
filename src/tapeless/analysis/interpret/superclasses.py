"""What `super()` stands for: the class that follows the one in whose body it stands.

super().m(x)        calls       Base.m(self, x)         where Base comes next for the class of self
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import gast

from tapeless.analysis.abstract import Value
from tapeless.analysis.facts import Environment
from tapeless.analysis.interpret.call_sites import Argument, CallSite
from tapeless.analysis.interpret.state import Interpreter
from tapeless.analysis.interpret.user_calls import call_function
from tapeless.kinds import Instance, Kind
from tapeless.tree.build import name
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import parameters
from tapeless.tree.trees import Expr


def call_behind_super(interpreter: Interpreter, site: CallSite, env: Environment) -> Value | None:
    """Interpret `super().m(...)` as the method of the class that follows; None where that is not known."""
    found = behind_super(
        interpreter.function, site.tree.func, lambda tree: interpreter.eval(tree, env).kind
    )
    if found is None:
        return None
    own, _, method = found
    if isinstance(method, staticmethod):
        return call_function(interpreter, method.__func__, site)
    if not isinstance(method, types.FunctionType):
        return None
    return call_function(interpreter, method, site.of(Argument(own, interpreter.eval(own, env))))


def behind_super(
    function: CoreFunction, tree: Expr, kind_of: Callable[[Expr], Kind]
) -> tuple[Any, Any, Any] | None:
    """Return the object, the class that follows and what it holds, for an attribute of `super()`."""
    given = tree.value.args
    cls = function.resolve(given[0]) if given else defining_class(function)
    own = name(parameters(function.tree)[0]) if not given else given[1]
    kind = kind_of(own)
    if not isinstance(kind, Instance) or not isinstance(cls, type) or cls not in kind.cls.__mro__:
        return None
    after = kind.cls.__mro__[kind.cls.__mro__.index(cls) + 1 :]
    base = next((c for c in after if tree.attr in vars(c)), None)
    return own, base, None if base is None else vars(base)[tree.attr]


def defining_class(function: CoreFunction) -> Any:
    """Return the class in whose body a method stands."""
    primal = function.primal
    code = getattr(primal, "__code__", None)
    cells = dict(zip(code.co_freevars, primal.__closure__ or (), strict=True)) if code else {}
    return cells["__class__"].cell_contents if "__class__" in cells else None


def is_super(tree: Expr, function: CoreFunction) -> bool:
    """Whether an expression is a call of `super`."""
    return type(tree) is gast.Call and function.resolve(tree.func) is super


def calls_super(tree: Expr, function: CoreFunction) -> bool:
    """Whether an expression calls a method of the class that follows."""
    method: Any = tree.func if type(tree) is gast.Call else None
    return type(method) is gast.Attribute and is_super(method.value, function)
