"""What the text of a context manager says: what it changes outside, and whether it swallows exceptions."""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Iterator
from typing import Any

import gast

from tapeless.externals import is_of_python, package_of
from tapeless.normalize.globals_as_attributes import module_of
from tapeless.tree.trees import Expr

_STAYING = (
    types.ModuleType,
    types.FunctionType,
    types.BuiltinFunctionType,
    type,
    str,
    int,
    float,
    type(None),
)


def changed_outside(function: Any, seen: set[Any]) -> Iterator[tuple[Any, str]]:
    """Go through what a function, or one it calls, may change of its module, and of what it is handed.

    It binds names, stores into parts, calls methods, and hands things on. Attributes of classes are none of
    these: their texts say which change, and they are read when they are needed. A name is told by its place,
    and a thing by its identity; None stands for what is handed in.
    """
    seen.add(function)
    module = module_of(function)
    tree = _parsed(function)
    parts = list(ast.walk(tree)) if tree is not None else []
    declared = {key for part in parts if isinstance(part, ast.Global) for key in part.names}
    given = {part.arg for part in parts if isinstance(part, ast.arg)}
    own = {p.id for p in parts if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store)}
    own -= declared | given
    outside = {k: v for k, v in function.__globals__.items() if k not in own | given}
    for part in parts:
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) and part.id in declared:
            yield (id(module), part.id), part.id
        for place in _may_be_changed_by(part):
            root = _root(place)
            if root in given:
                yield None, ast.unparse(place)
            elif root in outside and not isinstance(outside[root], _STAYING):
                yield id(outside[root]), ast.unparse(place)
        called = outside.get(getattr(part.func, "id", "")) if isinstance(part, ast.Call) else None
        if isinstance(called, types.FunctionType) and called not in seen:
            yield from () if is_of_library(called) else changed_outside(called, seen)


def _may_be_changed_by(part: ast.AST) -> list[ast.expr]:
    """List what a store changes, or a call may: what the method is one of, and what is handed over."""
    if isinstance(part, (ast.Attribute, ast.Subscript)) and isinstance(part.ctx, ast.Store):
        return [part]
    if not isinstance(part, ast.Call):
        return []
    owner = [part.func.value] if isinstance(part.func, ast.Attribute) else []
    return [*owner, *part.args, *(k.value for k in part.keywords)]


def _root(place: ast.expr) -> str:
    """Return the name of what an item or attribute is part of; nothing where that is no name."""
    while isinstance(place, (ast.Attribute, ast.Subscript)):
        place = place.value
    return place.id if isinstance(place, ast.Name) else ""


def _parsed(code: types.FunctionType) -> ast.Module | None:
    """Parse the text of a function; None where there is none to read."""
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(code)))
    except (OSError, TypeError, SyntaxError):
        return None


def may_swallow(manager: Any) -> bool:
    """Whether a manager may let the block that follows run although its own was interrupted."""
    generator = inspect.isgeneratorfunction(manager)
    code = manager if generator else getattr(manager, "__exit__", None)
    if not isinstance(code, types.FunctionType):
        return False
    tree = _parsed(code)
    if tree is None:
        return True
    if generator:
        tries = [part for part in ast.walk(tree) if isinstance(part, ast.Try)]
        around = [
            t for t in tries if any(isinstance(p, ast.Yield) for s in t.body for p in ast.walk(s))
        ]
        return any(not isinstance(h.body[-1], ast.Raise) for t in around for h in t.handlers)
    returns = [part.value for part in ast.walk(tree) if isinstance(part, ast.Return)]
    return any(not (v is None or isinstance(v, ast.Constant) and not v.value) for v in returns)


def is_of_library(found: Any) -> bool:
    """Whether something comes with Python, NumPy or SciPy, whose texts are not looked into."""
    return is_of_python(found) or package_of(found) in ("numpy", "scipy")


def hands_over(call: Expr, function: types.FunctionType) -> bool:
    """Whether a call hands over more than constants: something that may be changed."""
    defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    given = [*call.args, *(k.value for k in call.keywords)]
    return not all(type(v) is gast.Constant for v in given) or not all(
        isinstance(v, _STAYING) for v in defaults
    )
