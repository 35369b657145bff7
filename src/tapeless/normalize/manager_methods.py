"""Context managers that are methods, made of generators: which ones is read off the text, where it says.

    with self.phase("a"):                       the method `phase` of the class in which this is written
    timer = Timer()                             the method `__call__` of `Timer`
    with timer("a"):

The object may be of another class: who takes the method for known asks `finds_method` first, which the
analysis answers.
"""

from __future__ import annotations

import contextlib
import inspect
import types
from dataclasses import dataclass
from typing import TypeGuard

import gast

from tapeless.externals import MISSING, class_around
from tapeless.tree.build import name
from tapeless.tree.function import CoreFunction
from tapeless.tree.trees import Expr


@dataclass(frozen=True)
class ManagerMethod:
    """A method that makes context managers: the object that it is called on, its name, and what it is."""

    owner: Expr
    label: str
    made: types.FunctionType


def manager_method(function: CoreFunction, called: Expr) -> ManagerMethod | None:
    """Return the method that a call of `with` calls if its object is of the class that the text says.

    Examples
    --------
    >>> class Timer:
    ...     @contextlib.contextmanager
    ...     def measured(self):
    ...         yield
    >>> from tapeless.externals import constant
    >>> from tapeless.source.reader import parse_function
    >>> text = "def f(x):\\n    with timer.measured():\\n        return x"
    >>> function = CoreFunction(parse_function(text), {"timer": constant(Timer(), "timer")})
    >>> manager_method(function, function.tree.body[0].items[0].context_expr).label
    'measured'
    """
    if type(called) is not gast.Call:
        return None
    owner, label = called.func, "__call__"
    if type(owner) is gast.Attribute:
        owner, label = owner.value, owner.attr
    if type(owner) is not gast.Name:
        return None
    cls = _class_of(function, owner.id)
    made = None if cls is None else inspect.getattr_static(cls, label, None)
    return ManagerMethod(name(owner.id), label, made) if is_manager(made) else None


def is_manager(found: object) -> TypeGuard[types.FunctionType]:
    """Whether something is a function that `contextlib.contextmanager` made."""
    return isinstance(found, types.FunctionType) and found.__globals__ is vars(contextlib)


def _class_of(function: CoreFunction, key: str) -> type | None:
    """Return the class of which a name holds an object, as far as the text says."""
    if key not in function.local:
        found = function.resolve(name(key))
        return None if found is MISSING or isinstance(found, type) else type(found)
    if function.parameters[:1] == [key]:
        return class_around(function.primal)
    bound = [s for s in function.definitions.get(key, ()) if type(s) is gast.Assign]
    if len(bound) != len(function.definitions.get(key, ())):
        return None
    made = {function.resolve(s.value.func) for s in bound if type(s.value) is gast.Call}
    cls = made.pop() if len(made) == 1 else None
    return cls if isinstance(cls, type) else None
