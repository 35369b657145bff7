"""Which function a call enters, and how many arguments it takes by position, where a star passes some.

def f(u, a, *w)      f(u, *v)      is given its `a` by the star, and as many more as there are
def f(u, a, b=1.0)   f(u, *v)      is given one or two
"""

from __future__ import annotations

import dataclasses
import inspect
import types
from itertools import takewhile
from typing import Any

import gast
import numpy as np

from tapeless.analysis.derivation import gradients_of
from tapeless.analysis.derived import Derived
from tapeless.errors import TapelessError
from tapeless.kinds import Instance
from tapeless.normalize.dataclass_constructors import has_generated_init
from tapeless.protocol.authors import author_of
from tapeless.rules.declare import Rule, find_rule
from tapeless.sorts import is_of_a_library
from tapeless.specialize.state import Specializer
from tapeless.tree.function import CoreFunction
from tapeless.tree.trees import Expr


def _callee(specializer: Specializer, tree: Expr) -> CoreFunction | None:
    """Return the function that is called, or whose derivative is; None where the text does not tell."""
    found = specializer.facts.object_called(tree)
    gradients = gradients_of(found)
    if gradients is not None:
        found = None if gradients.directions else gradients.target.primal
    while isinstance(found, Derived):
        found = None if found.mode == "hvp" else found.of
    if isinstance(found, CoreFunction):
        return found
    program = specializer.interpreter.program
    if type(found) is gast.FunctionDef:
        return None if found.decorator_list else program.cores[found]
    if not isinstance(found, types.FunctionType) or find_rule(found) or author_of(found):
        return None
    try:
        core: CoreFunction = program.core(found)
    except TapelessError:
        return None
    return core


def arguments_taken(specializer: Specializer, tree: Expr) -> list[int] | None:
    """List how many positional arguments a call may pass; nothing where there is no end to it.

    None where what is called is not known.
    """
    given = {keyword.arg for keyword in tree.keywords}
    if None in given:
        return []
    found = specializer.facts.object_called(tree)
    if isinstance(found, np.ufunc):
        return [found.nin]
    if isinstance(found, type):
        return _taken_by_class(specializer, found, given)
    rule = find_rule(found)
    if rule is not None:
        return _taken_by_rule(rule, given)
    core, first = core_called(specializer, tree)
    return None if core is None else _taken_by(core, given, first)


def core_called(specializer: Specializer, tree: Expr) -> tuple[CoreFunction | None, int]:
    """Return the function that is called, and how many of its parameters the call itself fills."""
    init = _initializer(specializer.facts.object_called(tree))
    if init is not None:
        return specializer.interpreter.program.core(init), 1
    method = _method(specializer, tree.func)
    known = author_of(specializer.facts.object_called(tree)) if method is None else method
    if known is None:
        return _callee(specializer, tree), 0
    return specializer.interpreter.program.core(known), 0 if method is None else 1


def _initializer(cls: Any) -> Any:
    """Return the `__init__` of a class that is written in Python; None for anything else."""
    known = isinstance(cls, type) and not is_of_a_library(cls)
    if not known or issubclass(cls, (tuple, BaseException)) or has_generated_init(cls):
        return None
    init = inspect.getattr_static(cls, "__init__", None)
    return init if isinstance(init, types.FunctionType) else None


def _method(specializer: Specializer, func: Any) -> Any:
    """Return the method in Python that `owner.name` is, of an object of one class."""
    owner = specializer.kind(func.value) if type(func) is gast.Attribute else None
    if not isinstance(owner, Instance) or owner.choices:
        return None
    found = inspect.getattr_static(owner.cls, func.attr, None)
    known = isinstance(found, types.FunctionType) and not find_rule(found)
    return found if known and not author_of(found) else None


def _taken_by_class(specializer: Specializer, cls: Any, given: set[str]) -> list[int] | None:
    """List how many positional arguments the construction of an object may pass."""
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        own, optional = list(cls._fields), set(cls._field_defaults)
    elif has_generated_init(cls) and dataclasses.is_dataclass(cls):
        fields = [f for f in dataclasses.fields(cls) if f.init and not f.kw_only]
        own = [f.name for f in fields]
        missing = dataclasses.MISSING
        with_default = [f for f in fields if (f.default, f.default_factory) != (missing, missing)]
        optional = {f.name for f in with_default}
    else:
        init = inspect.getattr_static(cls, "__init__", None)
        if not isinstance(init, types.FunctionType):
            return None
        return _taken_by(specializer.interpreter.program.core(init), given, first=1)
    return _counts(own, optional, given)


def _taken_by(core: CoreFunction, given: set[str], first: int) -> list[int]:
    """List how many arguments of a call a function may take by position, from the first on."""
    a = core.tree.args
    if a.vararg is not None:
        return []
    own = [p.id for p in [*a.posonlyargs, *a.args] if p.id not in core.captured]
    optional = set(own[len(own) - len(a.defaults) :])
    return _counts(own[first:], optional, given)


def _taken_by_rule(rule: Rule, given: set[str]) -> list[int] | None:
    """List how many arguments a function with a rule may take by position; None where that is not known."""
    try:
        parameters = list(rule.parameters.values())
    except ValueError:  # what is written in C need not tell
        return None
    if rule.form == "elementwise":
        parameters = parameters[1:]  # the first one is the result
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return None
    own = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return _counts([p.name for p in own], {p.name for p in own if p.default is not p.empty}, given)


def _counts(own: list[str], optional: set[str], given: set[str]) -> list[int]:
    """List how many arguments may be passed by position: none for what is given by name, nor behind it."""
    placed = [*takewhile(lambda key: key not in given, own)]
    return list(range(sum(key not in optional for key in placed), len(placed) + 1))
