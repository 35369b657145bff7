"""A refusal that comes when a derivative runs is no exception of the user's: no handler of theirs catches it.

    try:                               try:
        _, saved = at_fwd(w, i, x)         _, saved = at_fwd(w, i, x)
    except ValueError:           ->    except TapelessError:
        r = x[0]                           raise
                                       except ValueError:
                                           r = x[0]

Some errors of the tool are a `ValueError` or `LookupError` too, and all are an `Exception`. Taken for what
the user's function raises, a refusal would send the derivative another way than the function goes. The
handler is written where something inside may refuse: a helper or a rule whose code names such an error.
"""

from __future__ import annotations

import builtins
import functools
import types
from typing import Any

import gast

import tapeless.errors
from tapeless.analysis.reached import names_in
from tapeless.differentiate.module import Module
from tapeless.errors import TapelessError
from tapeless.externals import External
from tapeless.tree.build import name
from tapeless.tree.names import Names, nodes, reads
from tapeless.tree.trees import Expr, Stmt

_ERRORS = [each for each in vars(tapeless.errors).values() if isinstance(each, type)]
_REFUSALS = [error for error in _ERRORS if issubclass(error, TapelessError)]


def let_refusals_through(module: Module) -> None:
    """Raise refusals anew in the attempts of a module whose handlers would catch them."""
    refusing = _refusing_functions(module)
    found = [
        s
        for function in module.functions
        for s in nodes(function)
        if type(s) is gast.Try and _catches(module, s) and _reads_any(s.body, refusing)
    ]
    if not found:
        return
    key = Names({*module.externals, *(n for f in module.functions for n in reads(f))}).fresh(
        "TapelessError"
    )
    module.externals[key] = External(vars(tapeless.errors), "TapelessError")
    for s in found:
        s.handlers.insert(0, gast.ExceptHandler(name(key), None, [gast.Raise(None, None)]))


def _refusing_functions(module: Module) -> set[str]:
    """Return the names in a module of what may refuse: helpers, errors, and functions that read these."""
    code = (types.FunctionType, type)
    values = {key: external.value for key, external in module.externals.items()}
    refusing = {
        key for key, value in values.items() if isinstance(value, code) and may_refuse(value)
    }
    left = {function.name: set(reads(function)) for function in module.functions}
    while found := {key for key, read in left.items() if read & refusing}:
        refusing |= found
        left = {key: read for key, read in left.items() if key not in found}
    return refusing


def _reads_any(body: list[Any], keys: set[str]) -> bool:
    return any(key in keys for s in body for key in reads(s))


def _catches(module: Module, attempt: Stmt) -> bool:
    """Whether a handler of an attempt catches an error of the tool."""
    return any(_may_be_refusal(module, handler.type) for handler in attempt.handlers)


def _may_be_refusal(module: Module, asked: Expr | None) -> bool:
    if asked is None:
        return True
    if type(asked) is gast.Tuple:
        return any(_may_be_refusal(module, each) for each in asked.elts)
    external = module.externals.get(getattr(asked, "id", ""))
    found = (
        getattr(builtins, getattr(asked, "id", ""), None) if external is None else external.value
    )
    return not isinstance(found, type) or any(issubclass(error, found) for error in _REFUSALS)


@functools.lru_cache(maxsize=4096)
def may_refuse(found: Any) -> bool:
    """Whether something is an error of the tool, or code of the tool that names one.

    Examples
    --------
    >>> from tapeless.runtime import check_scalar
    >>> may_refuse(check_scalar), may_refuse(len), may_refuse(TapelessError)
    (True, False, True)
    """
    todo, seen = [found], set()
    while todo:
        each = todo.pop()
        if isinstance(each, type) and issubclass(each, TapelessError):
            return True
        if id(each) not in seen:
            seen.add(id(each))
            todo += _named_by(each)
    return False


def _named_by(found: Any) -> list[Any]:
    """Return what a function or class of the tool names, or holds."""
    if not str(getattr(found, "__module__", "")).startswith("tapeless."):
        return []
    if isinstance(found, types.FunctionType):
        meant = {**vars(tapeless.errors), **found.__globals__}  # some import the errors within
        return [meant[key] for key in names_in(found) & meant.keys()]
    return list(vars(found).values()) if isinstance(found, type) else []
