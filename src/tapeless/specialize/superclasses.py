"""`super()`: the class that follows, by its name.

super().m(x)        ->   Base.m(self, x)
v = super().p       ->   v = Base.p.fget(self)          where p is a property
"""

from __future__ import annotations

import types
from typing import NoReturn

import gast

from tapeless.analysis.interpret.superclasses import behind_super
from tapeless.specialize.function_values import (
    bound,
)
from tapeless.specialize.state import Specializer
from tapeless.tree.build import (
    assign,
    name,
)
from tapeless.tree.trees import Expr, Stmt

_METHODS = (types.FunctionType, types.MethodDescriptorType, types.WrapperDescriptorType)


def super_call(specializer: Specializer, tree: Expr, to: str | None) -> list[Stmt] | None:
    """Write `super().m(...)` as a call of the method of the class that follows."""
    found = behind_super(specializer.function, tree.func, specializer.kind)
    if found is None:
        return None
    own, base, method = found
    if base is object and tree.func.attr in ("__init__", "__init_subclass__"):
        return [gast.Pass()]
    if not isinstance(method, (*_METHODS, staticmethod)):
        refuse_behind_super(specializer, tree.func)
    called = gast.Attribute(name(specializer.external(base)), tree.func.attr, gast.Load())
    first = [] if isinstance(method, staticmethod) else [own]
    made = gast.Call(called, [*first, *tree.args], tree.keywords)
    return [gast.Expr(made) if to is None else assign(to, made)]


def super_attribute(specializer: Specializer, tree: Expr, to: str) -> list[Stmt] | None:
    """Write `super().p` as a call of the property of the class that follows, or as what it holds."""
    found = behind_super(specializer.function, tree, specializer.kind)
    if found is None:
        return None
    own, base, held = found
    if base is None or isinstance(held, (staticmethod, classmethod)):
        refuse_behind_super(specializer, tree)
    there = gast.Attribute(name(specializer.external(base)), tree.attr, gast.Load())
    if isinstance(held, property):
        return [assign(to, gast.Call(gast.Attribute(there, "fget", gast.Load()), [own], []))]
    if isinstance(held, types.FunctionType):
        return bound(specializer, there, [own], [], to)
    if hasattr(type(held), "__get__"):
        refuse_behind_super(specializer, tree)
    return [assign(to, there)]


def refuse_behind_super(specializer: Specializer, tree: Expr) -> NoReturn:
    """Refuse what `super()` gives where the text does not tell."""
    specializer.refuse(
        tree, f"what `super().{tree.attr}` is, is not known here", "name the class instead"
    )
