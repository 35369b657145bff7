"""What the free names of a function stand for.

A name that a function does not bind is looked up by Python when it is read: in a closure cell, in
the function's module, in builtins. An `External` remembers where, so that generated code can be
brought up to date when the user rebinds the name, and `resolve` follows dotted names through modules
and classes, so that a call is known by the object called and not by its spelling.
"""

from __future__ import annotations

import builtins
import inspect
import sys
import types
from collections.abc import Callable, Container, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import gast
import numpy as np

from tapeless.set_in_texts import is_set_in_text

Entry = TypeVar("Entry")
Identity = tuple[Hashable, ...]
MISSING: Any = type("Missing", (), {"__repr__": lambda self: "MISSING", "__slots__": ()})()


@dataclass(frozen=True, eq=False)
class External:
    """Where a free name is looked up.

    Attributes
    ----------
    owner
        The dict of a module, a closure cell, a class or function whose attribute it is, or None for
        a constant of the tool's own.
    key
        The name in that dict, or of that attribute.
    constant
        The value where there is no owner.
    baked
        Whether what it stands for is written into the text.
    """

    owner: Any
    key: str
    constant: Any = MISSING
    baked: bool = False

    @property
    def value(self) -> Any:
        """The object that the name stands for now; `MISSING` where it is not defined."""
        if self.owner is None:
            return self.constant
        if isinstance(self.owner, types.CellType):
            try:
                return self.owner.cell_contents
            except ValueError:  # an empty cell: the enclosing function has not bound it yet
                return MISSING
        if isinstance(self.owner, (type, types.FunctionType)):
            found = getattr(self.owner, self.key, MISSING)
            return found.__func__ if isinstance(found, types.MethodType) else found
        return self.owner.get(self.key, MISSING)

    @property
    def identity(self) -> Identity:
        """What tells this place, and how it is looked up there, from another."""
        return id(self.owner), self.key

    def is_same(self, other: External) -> bool:
        """Whether both are one place, or stand for one object: what they hold is not compared."""
        placed = self.owner is not None and self.owner is other.owner and self.key == other.key
        return placed or self.value is other.value


Externals = dict[str, External]


def attribute_place(owner: Any, key: str) -> External:
    """Return where an attribute of a module or class is looked up."""
    return External(owner if isinstance(owner, type) else vars(owner), key)


def place_key(place: External) -> tuple[int, str]:
    """Return what tells one place where names are looked up from another."""
    return id(place.owner), place.key


_RUNTIME = "tapeless.runtime"
_HOMES = (_RUNTIME, "tapeless.protocol")  # generated text imports from them, wherever in them


def is_distribution(found: Any) -> bool:
    """Whether an object is one of the distributions of `scipy.stats`, such as `norm`.

    Each is the one instance of its class, so that its methods are known like functions of a module.
    """
    home = str(getattr(type(found), "__module__", ""))
    return home.startswith("scipy.stats._") and type(found).__name__.endswith("_gen")


def home_of(module: str) -> str:
    """Return the module from which generated text imports what a module defines."""
    return next((home for home in _HOMES if module.startswith(f"{home}.")), module)


def is_runtime(found: Any) -> bool:
    """Whether an object is one of the helpers that generated text may import."""
    return home_of(str(getattr(found, "__module__", ""))) == _RUNTIME


def package_of(found: Any) -> str:
    """Return the package in which something says that it was defined; "" where it does not say.

    Examples
    --------
    >>> package_of(np.linalg.norm), package_of(np.random), package_of(2.0)
    ('numpy', 'numpy', '')
    """
    module = isinstance(found, types.ModuleType)
    home = found.__name__ if module else getattr(found, "__module__", None)
    return str(home or "").partition(".")[0]


def package_around(found: Any) -> str:
    """Return the package of something, or of its class where it does not say."""
    return package_of(found) or package_of(type(found))


def class_around(function: Any) -> type | None:
    """Return the class that a function is written in, by its name; None where that is not one of a module.

    Examples
    --------
    >>> class_around(External.is_same) is External, class_around(package_of)
    (True, None)
    """
    path = str(getattr(function, "__qualname__", "")).split(".")[:-1]
    found = function.__globals__.get(path[0]) if path else None
    for label in path[1:]:
        found = getattr(found, label, None)
    return found if isinstance(found, type) else None


def is_of_python(found: Any) -> bool:
    """Whether something says that it was defined in Python's own library.

    Examples
    --------
    >>> is_of_python(inspect.signature), is_of_python(np.sum)
    (True, False)
    """
    return package_of(found) in sys.stdlib_module_names


def is_one_of(found: Any, known: Iterable[Any]) -> bool:
    """Whether an object that a name stands for is one of some.

    An object of the user's may compare as it likes, or have no hash: only identity says which it is. A
    method of a built-in class is another object each time it is looked up.

    Examples
    --------
    >>> is_one_of(len, (abs, len)), is_one_of(dict.fromkeys, (dict.fromkeys,))
    (True, True)
    """
    if isinstance(found, types.BuiltinMethodType):
        return any(type(found) is type(one) and found == one for one in known)
    for one in known:  # noqa: SIM110  asked a million times: `any` takes three times as long
        if found is one:
            return True
    return False


def entry_of(found: Any, table: Mapping[Any, Entry]) -> Entry | None:
    """Return what a table has for an object that a name stands for.

    Examples
    --------
    >>> entry_of(len, {len: "length"}), entry_of(np.array([1, 2]), {len: "length"})
    ('length', None)
    """
    return next((entry for one, entry in table.items() if is_one_of(found, (one,))), None)


def constant(value: Any, key: str) -> External:
    """Return an external for an object of the tool's own, such as a runtime function."""
    return External(None, key, value)


def externals_of(function: Callable[..., Any], names: set[str]) -> Externals:
    """Find what the free names of a Python function stand for; builtins are left out."""
    function = inspect.unwrap(function) if not hasattr(function, "__code__") else function
    code = getattr(function, "__code__", None)
    found: Externals = {}
    if code is None:
        return found
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    module = function.__globals__
    for key in sorted(names):
        if key in cells:
            found[key] = External(cells[key], key)
        elif key in module or not hasattr(builtins, key):
            found[key] = External(module, key)
    return found


def resolve(tree: Any, externals: Mapping[str, External], local: set[str]) -> Any:
    """Follow a dotted name through externals, builtins, modules and classes.

    Returns
    -------
    The object, or `MISSING` where the text alone does not say which it is.
    """
    if type(tree) is gast.Name:
        if tree.id in local:
            return MISSING
        if tree.id in externals:
            return externals[tree.id].value
        return getattr(builtins, tree.id, MISSING)
    if type(tree) is gast.Attribute:
        owner = resolve(tree.value, externals, local)
        of_method = isinstance(owner, types.MethodType) and tree.attr == "__self__"
        if is_set_in_text(owner, tree.attr):
            return MISSING  # another one, perhaps, by the time it is read
        known = isinstance(owner, (types.ModuleType, type, property, np.ufunc))
        if of_method or known or is_distribution(owner):
            return getattr(owner, tree.attr, MISSING)
    return MISSING


def adopted(
    key: str, outer: External, externals: Externals, local: Container[str],
    fresh: Callable[[str], str],
) -> str:  # fmt: skip
    """Return the name by which one text reaches what another calls `key`; it is among its externals then.

    Examples
    --------
    >>> externals = {"np": constant(np, "np")}
    >>> adopted("numpy", constant(np, "np"), externals, (), "{}_1".format)
    'np'
    >>> adopted("np", constant(len, "len"), externals, (), "{}_1".format)
    'np_1'
    """
    for present, known in externals.items():
        if known.is_same(outer) and present not in local:
            return present
    found = fresh(key)
    externals[found] = outer
    return found


class Resolver:
    """Follows the dotted names of one text, each once: what they stand for stays while it is written.

    Examples
    --------
    >>> resolved = Resolver({"np": constant(np, "np")}, {"x"})
    >>> resolved(gast.parse("np.sin").body[0].value) is np.sin
    True
    >>> resolved(gast.parse("x.size").body[0].value)
    MISSING
    """

    def __init__(self, externals: Mapping[str, External], local: set[str]) -> None:
        self.externals = externals
        self.local = local
        self._known: dict[Any, Any] = {}

    def __call__(self, tree: Any) -> Any:
        """Return the object that a dotted name stands for; `MISSING` where the text does not say."""
        key: Any = None
        if type(tree) is gast.Name:
            key = tree.id
        elif type(tree) is gast.Attribute and type(tree.value) is gast.Name:
            key = tree.value.id, tree.attr
        if key in self._known:
            return self._known[key]
        found = resolve(tree, self.externals, self.local)
        if key is not None and found is not MISSING:  # what is missing may be imported yet
            self._known[key] = found
        return found
