"""Which attributes of classes and modules are bound anew while programs run: their texts say so.

    class Model:
        calls = 0

        def predict(self, x):
            type(self).calls += 1

`Model.calls` is another number with each call, so a text that reads it does not say which. What no text of
a class, or of the module it stands in, stores into counts as fixed: a store from elsewhere is refused.
A module is to its functions what a class is to its methods, and `global` says which names they store into.
Of these names only those change that are bound by a function which takes part: a setting that is made before,
by a function that is not called, is as fixed as any other.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import re
import sys
import types
from abc import ABCMeta
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, TypeVar

_NO_DATA = property()
_CODE = (types.FunctionType, types.BuiltinFunctionType, type, staticmethod, classmethod)


def is_set_in_text(owner: Any, key: str) -> bool:
    """Whether a text stores into an attribute of a user's class or module, which holds data by that name.

    Examples
    --------
    >>> is_set_in_text(int, "real"), is_set_in_text(inspect, "modulesbyfile")
    (False, False)
    """
    if isinstance(owner, types.ModuleType):
        return may_be_bound(owner, key) and (_TAKING_PART.get() or _ANYBODY).binds(owner, key)
    return isinstance(owner, type) and _is_set_in_class(owner, key)


def globals_set_in(module: types.ModuleType) -> frozenset[str]:
    """Return the names of a user's module that functions bind anew by `global`, and that hold data."""
    return frozenset(key for key in _declared_in(module) if is_set_in_text(module, key))


def may_be_bound(module: types.ModuleType, key: str) -> bool:
    """Whether a text of a user's module binds a name anew by `global`, and the name holds data."""
    return key in _declared_in(module) and not _is_code(vars(module).get(key))


def module_with(names: dict[str, Any]) -> types.ModuleType | None:
    """Return the module that holds some names; None where they are those of no module.

    Examples
    --------
    >>> module_with(vars(ast)).__name__, module_with({"__name__": "ast"})
    ('ast', None)
    """
    module = sys.modules.get(names.get("__name__", ""))
    return module if getattr(module, "__dict__", None) is names else None


class ReadBeforeError(BaseException):
    """A name that was taken for fixed is bound by a function that was met later."""


class TakingPart:
    """The functions that are written together: which names of modules they bind, and which they read.

    What they read is told by name, and by identity; `unfollowed` is what changes in a way that is not
    followed as long as nobody reads it. Once somebody does, it is among the `followed`, or an error says
    that it cannot be.
    """

    def __init__(self, bound: set[Place], followed: set[Place | int]) -> None:
        self.bound = bound
        self.followed = followed
        self.met: set[Place | int] = set()
        self.unfollowed: dict[Place | int, Exception] = {}

    def meet(self, module: types.ModuleType, key: str) -> None:
        """Note that a function reads a name of a module."""
        self.met |= {(id(module), key), id(vars(module).get(key))}

    def check_unfollowed(self) -> None:
        """Follow what was met, too; raise what was noted of anything that cannot be followed.

        Raises
        ------
        ReadBeforeError
            If something was met that was not followed so far.
        """
        for place, error in self.unfollowed.items():
            if place in self.met and place in self.followed:
                raise error
        read = self.met & self.unfollowed.keys()
        self.followed |= read
        if read:
            raise ReadBeforeError

    def binds(self, module: types.ModuleType, key: str) -> bool:
        """Whether a function that takes part is known to bind a name."""
        return (id(module), key) in self.bound

    def bind(self, module: types.ModuleType, keys: Iterable[str]) -> None:
        """Note which names a function binds.

        Raises
        ------
        ReadBeforeError
            If one of them was taken for fixed in another function.
        """
        found = {(id(module), key) for key in keys if may_be_bound(module, key)} - self.bound
        self.bound |= found
        if found & self.met:
            raise ReadBeforeError


class _Anybody(TakingPart):
    """Functions of which nobody knows what they call: what may be bound is."""

    def binds(self, module: types.ModuleType, key: str) -> bool:
        return True


Place = tuple[int, str]  # the identity of a module, and a name in it
Made = TypeVar("Made")
_ANYBODY = _Anybody(set(), set())
_TAKING_PART: ContextVar[TakingPart | None] = ContextVar("taking_part", default=None)


def taking_part() -> TakingPart:
    """Return the functions that are written together now."""
    return _TAKING_PART.get() or _Anybody(set(), set())


def written_together(write: Callable[[], Made]) -> Made:
    """Return what is written of functions that are met one by one: again once one binds what others read."""
    bound: set[Place] = set()
    followed: set[Place | int] = set()
    while True:
        together = TakingPart(bound, followed)
        token = _TAKING_PART.set(together)
        try:
            made = write()
            together.check_unfollowed()
            return made
        except ReadBeforeError:
            continue
        finally:
            _TAKING_PART.reset(token)


def _declared_in(module: types.ModuleType) -> frozenset[str]:
    declared = _declared_in_file(module)
    return _declared_in_functions(module) if declared is None else declared


def _is_code(held: Any) -> bool:
    """Whether a name stands for a function, class or module: which one is known, and looked at by calls."""
    return callable(held) or isinstance(held, types.ModuleType)


@lru_cache(maxsize=1024)
def _declared_in_file(module: types.ModuleType) -> frozenset[str] | None:
    """Return the names that the file of a module declares global and binds; None where it has no file."""
    if _is_of_a_library(module.__name__):
        return frozenset()
    path = getattr(module, "__file__", None)
    return None if path is None else globals_bound_in(path)


def _declared_in_functions(module: types.ModuleType) -> frozenset[str]:
    """Return the names that functions of a module declare global and bind, each with a text of its own."""
    functions = [f for f in vars(module).values() if isinstance(f, types.FunctionType)]
    files = {f.__code__.co_filename for f in functions if f.__globals__ is vars(module)}
    return frozenset().union(*map(globals_bound_in, sorted(files)))


@lru_cache(maxsize=4096)
def _is_set_in_class(cls: type, key: str) -> bool:
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
    if _is_of_a_library(cls.__module__):
        return
    module = sys.modules.get(cls.__module__)
    files = {getattr(module, "__file__", None)}
    for held in vars(cls).values():
        code = getattr(getattr(held, "__func__", held), "__code__", None)
        files.add(getattr(code, "co_filename", None))
    yield from sorted(path for path in files if path)


_LIBRARIES = {*sys.stdlib_module_names, "numpy", "scipy", "tapeless"} - {"__main__"}


def _is_of_a_library(module: str) -> bool:
    return module.partition(".")[0] in _LIBRARIES


def _parsed(text: str) -> ast.Module:
    """Parse the text of a file; what cannot be read says nothing."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def _text_of(path: str) -> str:
    return "".join(linecache.getlines(path))


@lru_cache(maxsize=1024)
def names_set_in(path: str) -> frozenset[str]:
    """Return the names of attributes that a file stores into, but for those of `self` alone."""
    return frozenset(_set_in(_parsed(_text_of(path)), None))


_DECLARES = re.compile(r"(^|[;:])\s*global\b", re.MULTILINE)  # in most files nothing does


@lru_cache(maxsize=1024)
def globals_bound_in(path: str) -> frozenset[str]:
    """Return the names that functions in a file declare global and bind."""
    text = _text_of(path)
    if not _DECLARES.search(text):
        return frozenset()
    parts = [part for part in ast.walk(_parsed(text)) if isinstance(part, _FUNCTIONS)]
    return frozenset(key for part in parts for key in _globals_of(part))


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _globals_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Return the names that a function declares global and binds, with those of functions inside."""
    parts = list(ast.walk(function))
    declared = {key for part in parts if isinstance(part, ast.Global) for key in part.names}
    named = [part for part in parts if isinstance(part, ast.Name)]
    return declared & {part.id for part in named if not isinstance(part.ctx, ast.Load)}


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
