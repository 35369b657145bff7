"""What comes from a library whose version says all: it is known by its name and not looked into.

That a thing calls itself `numpy.sum` is not believed: it must be what stands there, in a module that
lies among Python's own or the installed ones. What somebody put in its place is a thing like others.
"""

from __future__ import annotations

import functools
import importlib
import sys
import types
from typing import Any

import numpy as np

from tapeless.origins import is_of_a_library, is_of_the_tool
from tapeless.sorts import CACHED
from tapeless.sorts import is_of_a_library as is_named_as_of_a_library
from tapeless.source.complete import home_of_main

_NAMELESS = (
    "numpy",
    "scipy.special",
)  # where ufuncs are found, which do not say where they are from
_AROUND_OTHERS = (functools.partial, CACHED, np.vectorize)
_known: dict[str, types.ModuleType] = {}


def home_in_library(x: Any) -> str:
    """Return the module and name under which a library has a thing; "" where none does.

    Examples
    --------
    >>> home_in_library(np.add), home_in_library(np.ndarray.sum), home_in_library(home_in_library)
    ('numpy:add', 'numpy:ndarray.sum', 'tapeless.disk.homes:home_in_library')
    >>> home_in_library(lambda x: x)
    ''
    """
    if isinstance(x, types.ModuleType):
        known = sys.modules.get(x.__name__) is x and is_library(x)
        return f"{x.__name__}{_version(x.__name__)}" if known else ""
    if isinstance(x, _AROUND_OTHERS) or _is_written_elsewhere(x):
        return ""
    for where, path in _places(x):
        module = sys.modules.get(where)
        found: Any = module
        for name in path.split("."):
            found = getattr(found, name, None)
        if module is not None and found is not None and _is_same(found, x) and is_library(module):
            return f"{where}:{path}{_version(where)}"
    return ""


def _is_written_elsewhere(x: Any) -> bool:
    """Whether a function stands in no file of a library, though `functools.wraps` may name it so."""
    if not isinstance(x, types.FunctionType):
        return False
    filename = x.__code__.co_filename
    return not (is_of_a_library(filename) or is_of_the_tool(filename))


def thing_at(home: str) -> Any:
    """Return what a library has under a module and name."""
    where, _, path = home.partition("@")[0].partition(":")
    found: Any = importlib.import_module(where)
    for name in path.split(".") if path else ():
        found = getattr(found, name)
    return found


def _is_same(found: Any, x: Any) -> bool:
    """Whether two are one; a method of a built-in class is another object each time."""
    if found is x:
        return True
    return isinstance(x, types.BuiltinMethodType) and type(found) is type(x) and found == x


def _places(x: Any) -> list[tuple[str, str]]:
    """List the modules in which a thing may be found, with its name there."""
    name = getattr(x, "__qualname__", None) or getattr(x, "__name__", None)
    if isinstance(x, np.ufunc):
        return [(where, x.__name__) for where in _NAMELESS]
    if not isinstance(name, str):
        return []
    owner = getattr(x, "__objclass__", None)
    where = getattr(x, "__module__", None) or getattr(owner, "__module__", None)
    if where is None and isinstance(getattr(x, "__self__", None), type):
        where = x.__self__.__module__
    return [(where, name)] if isinstance(where, str) else []


def is_library(module: types.ModuleType) -> bool:
    """Whether a module is of Python, NumPy, SciPy or the tool, by its name and by its file."""
    if _known.get(module.__name__) is module:
        return True
    file = getattr(module, "__file__", None)
    lies_there = file is None or is_of_a_library(file) or is_of_the_tool(file)
    named = module.__name__ != "__main__" and is_named_as_of_a_library(module)
    if named and lies_there:
        _known[module.__name__] = module
    return named and lies_there


def is_library_namespace(namespace: dict[str, Any]) -> bool:
    """Whether a namespace is that of a library's module."""
    module = sys.modules.get(str(namespace.get("__name__", "")))
    return module is not None and vars(module) is namespace and is_library(module)


def namespace_label(namespace: dict[str, Any]) -> str:
    """Return the name of the module that a namespace is of; a script is also known by its file."""
    label = str(namespace.get("__name__", ""))
    return f"{label} {home_of_main()}" if label == "__main__" else label


def _version(module: str) -> str:
    """Return the version of SciPy, which is not always there, where a thing is of it."""
    package = module.partition(".")[0]
    return f"@{sys.modules[package].__version__}" if package == "scipy" else ""
