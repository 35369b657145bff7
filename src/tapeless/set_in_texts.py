"""Which attributes of classes are bound anew while programs run: the texts of their classes say so.

    class Model:
        calls = 0

        def predict(self, x):
            type(self).calls += 1

`Model.calls` is another number with each call, so a text that reads it does not say which. What no text of
a class, or of the module it stands in, stores into counts as fixed: a store from elsewhere is refused.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
import types
from abc import ABCMeta
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

_NO_DATA = property()
_CODE = (types.FunctionType, types.BuiltinFunctionType, type, staticmethod, classmethod)


@lru_cache(maxsize=4096)
def is_set_in_text(cls: type, key: str) -> bool:
    """Whether a text stores into an attribute of a user's class, which holds data by that name.

    Examples
    --------
    >>> is_set_in_text(int, "real")
    False
    """
    held = inspect.getattr_static(cls, key, _NO_DATA)
    if (
        type(cls) not in (type, ABCMeta)
        or isinstance(held, _CODE)
        or hasattr(type(held), "__get__")
    ):
        return False
    return any(key in names_set_in(path) for each in cls.__mro__ for path in _files_of(each))


def _files_of(cls: type) -> Iterator[str]:
    """Go through the files in which a class, or a method of it, is written."""
    if cls.__module__.partition(".")[0] in _LIBRARIES:
        return
    module = sys.modules.get(cls.__module__)
    files = {getattr(module, "__file__", None)}
    for held in vars(cls).values():
        code = getattr(getattr(held, "__func__", held), "__code__", None)
        files.add(getattr(code, "co_filename", None))
    yield from sorted(path for path in files if path)


_LIBRARIES = {*sys.stdlib_module_names, "numpy", "scipy", "tapeless"} - {"__main__"}


@lru_cache(maxsize=1024)
def names_set_in(path: str) -> frozenset[str]:
    """Return the names of attributes that a file stores into, but for those of `self` alone."""
    try:
        tree = ast.parse("".join(linecache.getlines(path)))
    except (SyntaxError, ValueError):
        return frozenset()
    return frozenset(_set_in(tree, None))


def _set_in(tree: ast.AST, own: str | None) -> Iterator[str]:
    """Go through the attributes that are stored into, of anything but what methods call `own`."""
    for part in ast.iter_child_nodes(tree):
        if isinstance(part, ast.Attribute) and not isinstance(part.ctx, ast.Load):
            if not (isinstance(part.value, ast.Name) and part.value.id == own):
                yield part.attr
        inside = isinstance(tree, ast.ClassDef) and isinstance(part, ast.FunctionDef)
        yield from _set_in(part, _called_self(part) if inside else own)


def _called_self(method: Any) -> str | None:
    """Return what a method calls its object; None for one of a class."""
    given = [*method.args.posonlyargs, *method.args.args]
    of_class = any("classmethod" in ast.unparse(d) for d in method.decorator_list)
    return None if of_class or not given else given[0].arg
