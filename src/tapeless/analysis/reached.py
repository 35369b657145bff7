"""What a callable can reach that nobody passes to it: what it captures, holds, and names.

    gain = tl.Variable(2.0)
    f = functools.partial(lambda a, b: a * b * gain, 3.0)      f reaches gain

Code that is not looked into may read all of it.
"""

from __future__ import annotations

import dis
import functools
import re
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tapeless.externals import MISSING, External, is_of_python, package_of
from tapeless.runtime.adjoints import held_by
from tapeless.source.reader import codes_within
from tapeless.variables import Variable


def variables_reached(start: object) -> list[Variable]:
    """List the Variables that a callable, or a structure, may read when it runs.

    Examples
    --------
    >>> gain = Variable(2.0)
    >>> variables_reached([functools.partial(max, gain), {"again": gain}]) == [gain]
    True
    """
    return [x for x in _reached(start, _is_of_a_library) if isinstance(x, Variable)]


def functions_reached(start: object) -> list[types.FunctionType]:
    """List the functions of the user's that may run where a thing is used, itself among them."""
    found = _reached(start, _is_code_of_others)
    return [x for x in found if isinstance(x, types.FunctionType)]


def code_reached(start: object) -> list[Any]:
    """List the functions and classes of the user's that a thing reaches, not those by way of a class."""
    found = _reached(start, _is_code_of_others, closed=(type,))
    return [x for x in found if isinstance(x, (types.FunctionType, type))]


def things_reached(start: object) -> list[Any]:
    """List all that the user made and that a thing can reach, itself among it."""
    return list(_reached(start, _is_code_of_others))


def _reached(
    start: object, stops: Callable[[Any], bool], closed: tuple[type, ...] = ()
) -> Iterator[Any]:
    """Go through what a thing can reach, not to that at which it `stops`, nor into a `closed` class."""
    seen: set[int] = set()
    todo = [start]
    while todo:
        x = todo.pop()
        if id(x) in seen:
            continue
        seen.add(id(x))
        if isinstance(x, Variable):
            yield x
        elif not stops(x):
            yield x
            todo += [] if isinstance(x, closed) else _held_by(x)


def _is_of_a_library(x: Any) -> bool:
    if isinstance(x, (np.ndarray, np.vectorize, functools.partial)):
        return False
    return _package_of(x) in ("numpy", "scipy", "tapeless")


def _is_code_of_others(x: Any) -> bool:
    """Whether a thing is of NumPy or SciPy, or code that comes with Python."""
    if _is_of_a_library(x):
        return True
    return isinstance(x, _CODE) and is_of_python(x) and package_of(x) != "__main__"


def _package_of(x: Any) -> str:
    return package_of(x if isinstance(x, _CODE) else type(x))


_CODE = (type, types.FunctionType, types.ModuleType)


def _held_by(x: Any) -> list[Any]:
    """List what a thing holds: items, attributes, and what a function names or captures."""
    if isinstance(x, types.FunctionType):
        return [*_named_by(x), *(x.__defaults__ or ()), *(x.__kwdefaults__ or {}).values()]
    if isinstance(x, types.MethodType):
        return [x.__self__, x.__func__]
    if isinstance(x, functools.partial):
        return [x.func, *x.args, *x.keywords.values()]
    if isinstance(x, (types.ModuleType, types.BuiltinFunctionType, str, bytes)):
        return []
    if isinstance(x, type):
        return [v for v in vars(x).values() if not isinstance(v, type)]
    items = x.values() if isinstance(x, dict) else x
    held = list(items) if isinstance(items, (list, tuple, set, type({}.values()))) else []
    held = [item for item in held if not isinstance(item, (float, int, str))]
    if type(x).__module__ == "builtins":
        return held
    return [*held, *(held_by(x) or {}).values(), type(x)]


def names_in(function: types.FunctionType) -> set[str]:
    """Return the names that a function, or one defined in it, looks up outside, and of attributes."""
    codes = [function.__code__, *codes_within(function.__code__)]
    # A name that no source can hold is an import hook's, as `@pytest_ar` in rewritten asserts.
    return {name for code in codes for name in code.co_names if name.isidentifier()}


def places_named(function: types.FunctionType) -> Iterator[External]:
    """List where a function looks up what it captures and names, attributes of modules too."""
    names = names_in(function)
    captured = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    module = function.__globals__
    found = [External(cell, name) for name, cell in captured]
    found += [External(module, name) for name in sorted(names) if name in module]
    yield from found
    modules = [p.value for p in found if isinstance(p.value, types.ModuleType)]
    for inner in [vars(m) for m in modules if not _is_of_a_library(m)]:
        yield from (External(inner, name) for name in sorted(names) if name in inner)


def places_rebound(start: object) -> list[External]:
    """List the names outside that functions which run where a thing is used bind anew."""
    return [place for function in functions_reached(start) for place in rebound_by(function)]


def rebound_by(function: types.FunctionType) -> Iterator[External]:
    """List the names outside that a function, or one defined in it, binds anew.

    Examples
    --------
    >>> def counter(n):
    ...     def count(x):
    ...         nonlocal n
    ...         n += x
    ...         return n
    ...     return count
    >>> [place.key for place in rebound_by(counter(1.0))]
    ['n']
    """
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    told = _told_by_texts(function) & function.__globals__.keys()
    for key in sorted(_stored_by(function, "GLOBAL") | told):
        yield External(function.__globals__, key)
    for key in sorted(_stored_by(function, "DEREF") & cells.keys()):
        yield External(cells[key], key)


def attributes_bound_by(function: types.FunctionType) -> set[str]:
    """Return the names of the attributes that a function, or one defined in it, binds anew.

    Examples
    --------
    >>> def count(config):
    ...     config.calls = config.calls + 1
    ...     setattr(config, "last", 1.0)
    >>> sorted(attributes_bound_by(count))
    ['calls', 'last']
    """
    return _stored_by(function, "ATTR") | _told_by_texts(function)


def _stored_by(function: types.FunctionType, place: str) -> set[str]:
    """Return what the code of a function stores into or deletes, of one sort of places."""
    codes = [function.__code__, *codes_within(function.__code__)]
    steps = (i for code in codes for i in dis.get_instructions(code))
    return {str(i.argval) for i in steps if i.opname in (f"STORE_{place}", f"DELETE_{place}")}


_BY_TEXT = {"setattr", "delattr", "exec"}
_NAMESPACES = {"globals", "vars", "__dict__"}
_CHANGING = {"update", "setdefault", "pop", "clear", "__setitem__", "__delitem__"}


def _told_by_texts(function: types.FunctionType) -> set[str]:
    """Return the names in the texts of a function that binds names by texts: `setattr(x, "name", y)`."""
    codes = [function.__code__, *codes_within(function.__code__)]
    named = {key for code in codes for key in code.co_names}
    steps = {i.opname for code in codes for i in dis.get_instructions(code)}
    changes = bool(_CHANGING & named) or not steps.isdisjoint(("STORE_SUBSCR", "DELETE_SUBSCR"))
    if not (_BY_TEXT & named or changes and _NAMESPACES & named):
        return set()
    texts = [x for code in codes for x in code.co_consts if isinstance(x, str)]
    return {key for text in texts for key in re.findall(r"\w+", text)}


def _named_by(function: types.FunctionType) -> list[Any]:
    """List what the captured and global names of a function stand for."""
    found = (place.value for place in places_named(function))
    return [value for value in found if value is not MISSING]
