"""What sort of thing a value is: the one place that says so.

The analysis, the key of the cache and its guard all start from here, so they cannot disagree: a value
of another class than those that the tool knows is of a built-in sort only where its class changes
nothing that the sort means. An array of another library, a masked array, a list whose class has an
indexing of its own: these are *foreign*. They are left as they are, and refused where what varies
would meet them.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import inspect
import logging
import types
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from tapeless.externals import is_of_python, package_of
from tapeless.runtime.adjoints import held_by
from tapeless.runtime.sparse import is_sparse
from tapeless.variables import Variable

PLAIN_DEFAULTS = (float, int, list, dict)
TABLES = (OrderedDict, defaultdict)  # dicts in all that is done with an entry
CACHED: Any = type(functools.cache(len))  # what keeps the results of a function
METHODS = (  # of a class, for its objects
    types.FunctionType, types.MethodDescriptorType, staticmethod, classmethod, CACHED,
)  # fmt: skip


class Sort(enum.Enum):
    """The sorts of values."""

    NOTHING = "None, a text, a module, a dtype: what carries no derivative"
    TRUTH = "a truth value"
    INTEGER = "an integer"
    NUMBER = "a real or complex number"
    ARRAY = "an array"
    SPARSE = "a sparse array of SciPy's"
    TUPLE = "a tuple"
    LIST = "a list"
    DICT = "a dict"
    VARIABLE = "a Variable"
    FUNCTION = "a function or class"
    OBJECT = "an object whose attributes are looked at"
    CLOSED = "an object of a library, whose attributes are not looked at"
    FOREIGN = "a value of a class that gives its operators a meaning of its own"


_EXACT: dict[type, Sort] = {
    float: Sort.NUMBER, complex: Sort.NUMBER, int: Sort.INTEGER, bool: Sort.TRUTH,
    str: Sort.NOTHING, type(None): Sort.NOTHING, list: Sort.LIST, dict: Sort.DICT,
    tuple: Sort.TUPLE, np.ndarray: Sort.ARRAY, np.memmap: Sort.ARRAY,
    OrderedDict: Sort.DICT, defaultdict: Sort.DICT, Counter: Sort.DICT,
}  # fmt: skip
_BASES: tuple[type, ...] = (
    np.ndarray, tuple, list, Counter, OrderedDict, defaultdict, dict, int, float, complex,
)  # fmt: skip
_OPAQUE = (
    str, bytes, np.dtype, slice, range, set, frozenset, types.ModuleType, types.GenericAlias,
    types.UnionType, logging.Logger, logging.LoggerAdapter,
)  # fmt: skip
_CODE = (
    type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, np.ufunc,
)  # fmt: skip
# of a library, but in Python: an object of these modules only holds what it was given
_HOLDING = ("argparse", "scipy.stats._distn_infrastructure")
# what a class may say of its own without changing what indexing, operators and methods mean
_HARMLESS = {
    "__init__", "__new__", "__init_subclass__", "__class_getitem__", "__subclasshook__",
    "__doc__", "__module__", "__dict__", "__weakref__", "__slots__", "__annotations__",
    "__repr__", "__str__", "__format__", "__sizeof__", "__dir__", "__hash__", "__eq__", "__ne__",
    "__lt__", "__le__", "__gt__", "__ge__", "__contains__", "__reduce__", "__reduce_ex__",
    "__getstate__", "__setstate__", "__getnewargs__", "__getnewargs_ex__", "__copy__",
    "__deepcopy__", "__setattr__", "__delattr__", "__array_finalize__", "__array_priority__",
    "__static_attributes__", "__firstlineno__", "__type_params__", "__orig_bases__",
}  # fmt: skip
_ARRAY_PROTOCOLS = (
    "__dlpack__", "__array_interface__", "__cuda_array_interface__", "__array_function__",
    "__jax_array__", "__torch_function__",
)  # fmt: skip


def sort_of(x: Any) -> Sort:
    """Return what sort of thing a value is.

    Examples
    --------
    >>> sort_of(2.0).name, sort_of(np.ones(2)).name, sort_of(np.ma.array([1.0])).name
    ('NUMBER', 'ARRAY', 'FOREIGN')
    >>> sort_of(np.sin).name, sort_of(types.SimpleNamespace(a=1.0)).name
    ('FUNCTION', 'OBJECT')
    """
    cls = type(x)
    known = _EXACT.get(cls)
    if known is Sort.ARRAY and x.dtype.kind in "OV":
        return Sort.FOREIGN
    if known is not None:
        return known
    if isinstance(x, np.generic):
        return _SCALARS.get(x.dtype.kind, Sort.NOTHING)
    if isinstance(x, Variable):
        return Sort.VARIABLE
    if isinstance(x, _OPAQUE):
        return Sort.NOTHING
    for base in _BASES:
        if isinstance(x, base):
            return _EXACT[base] if _keeps_meaning(cls, base) else Sort.FOREIGN
    if isinstance(x, enum.Enum) and not _adds_code(cls):
        return Sort.NOTHING
    if is_code(x):
        return Sort.FUNCTION
    if is_sparse(x):
        return Sort.SPARSE
    if is_foreign_array(cls):
        return Sort.FOREIGN
    if not is_plain_object(x):
        known_by_itself = callable(x) and cls.__hash__ is not None
        return Sort.FUNCTION if known_by_itself else Sort.NOTHING
    holder = isinstance(x, types.SimpleNamespace) or cls.__module__ in _HOLDING
    return Sort.OBJECT if holder or not is_of_a_library(cls) else Sort.CLOSED


_SCALARS = {
    "f": Sort.NUMBER, "c": Sort.NUMBER, "i": Sort.INTEGER, "u": Sort.INTEGER, "b": Sort.TRUTH,
}  # fmt: skip


def is_code(x: Any) -> bool:
    """Whether something is a function or class, or a compiled one of these."""
    return isinstance(x, _CODE) or compiled_from(x) is not None


def compiled_from(x: Any) -> Any:
    """Return the Python function that a compiler like Numba made something of; None for anything else."""
    if isinstance(x, _CODE) or not callable(x):
        return None
    try:
        found = vars(x).get("py_func")
    except TypeError:
        return None
    return found if isinstance(found, types.FunctionType) else None


def _keeps_meaning(cls: type, base: type) -> bool:
    """Whether a class changes nothing of what its built-in base does."""
    fields = getattr(cls, "_fields", ())
    for c in cls.__mro__[: cls.__mro__.index(base)]:
        if c in base.__mro__ or c.__module__ == "enum":
            continue
        own = set(vars(c)) - _HARMLESS - set(fields)
        if "__missing__" in own or any(hasattr(base, key) for key in own):
            return False
    return True


def _adds_code(cls: type[enum.Enum]) -> bool:
    """Whether an enumeration has methods or properties of its own: its members are objects then."""
    own = [(k, v) for c in cls.__mro__ if c.__module__ != "enum" for k, v in vars(c).items()]
    harmless = _HARMLESS | {"_generate_next_value_"}
    code = (types.FunctionType, property, classmethod, staticmethod, functools.cached_property)
    return any(isinstance(v, code) and k not in harmless for k, v in own)


def plain_form(cls: type, label: str) -> str:
    """Write the expression that makes a plain value of a foreign one.

    Examples
    --------
    >>> plain_form(np.ma.MaskedArray, "x")
    'np.asarray(x)'
    """
    base = next((b for b in _BASES[1:] if issubclass(cls, b)), None)
    return f"np.asarray({label})" if base is None else f"{base.__name__}({label})"


def is_foreign_array(cls: type) -> bool:
    """Whether a class is that of an array, or a table of them, of another library."""
    if any(hasattr(cls, protocol) for protocol in _ARRAY_PROTOCOLS):
        return True
    return getattr(cls, "__array_ufunc__", None) is not None and hasattr(cls, "__array__")


def is_plain_object(value: Any) -> bool:
    """Whether a value is an object with attributes, and not a function or class."""
    cls = type(value)
    return (
        not isinstance(value, _CODE)
        and cls.__module__ not in ("builtins", "functools", "numpy", "operator")
        and not cls.__module__.startswith("tapeless.operators.")
        and (
            hasattr(value, "__dict__") or hasattr(cls, "__slots__") or dataclasses.is_dataclass(cls)
        )
    )


def attribute_names(value: Any) -> list[str]:
    """List the attributes that an object stores itself."""
    return list(held_by(value) or ())


def is_of_a_library(owner: Any) -> bool:
    """Whether a class or module belongs to a library that is not entered."""
    return is_of_python(owner) or package_of(owner) in ("tapeless", "numpy", "scipy")


def overrides(cls: type, method: str) -> bool:
    """Whether a class has a method of its own; that of namespaces does what that of objects does.

    Examples
    --------
    >>> overrides(types.SimpleNamespace, "__setattr__"), overrides(list, "__getattribute__")
    (False, True)
    """
    found, *plain = (
        inspect.getattr_static(c, method) for c in (cls, object, types.SimpleNamespace)
    )
    return found not in plain


def stores_by_code(cls: type) -> bool:
    """Whether a class has a `__setattr__` of its own.

    Examples
    --------
    >>> stores_by_code(types.SimpleNamespace)
    False
    """
    return overrides(cls, "__setattr__")


def is_namespace(cls: Any) -> bool:
    """Whether a class makes objects of the attributes that it is given, and does nothing else.

    Examples
    --------
    >>> is_namespace(types.SimpleNamespace), is_namespace(dict)
    (True, False)
    """
    if not isinstance(cls, type) or not issubclass(cls, types.SimpleNamespace):
        return False
    own = (inspect.getattr_static(cls, key) for key in ("__new__", "__init__"))
    return all(f in vars(types.SimpleNamespace).values() for f in own)


def starts_empty(cls: type) -> bool:
    """Whether an object that is made with no arguments has no attributes of its own yet."""
    return inspect.getattr_static(cls, "__init__") is object.__init__ or is_namespace(cls)


def holds_others(value: Any) -> bool:
    """Whether something can come to hold other things: a container, or an object of the user's.

    Examples
    --------
    >>> holds_others([np.sin]), holds_others(np.sin), holds_others(2.0)
    (True, False, False)
    """
    if isinstance(value, types.MethodType):
        return holds_others(value.__self__)
    return sort_of(value) in CONTAINERS


def contents(value: Any) -> list[Any]:
    """List what a container or object holds.

    Examples
    --------
    >>> contents({"w": 2.0}), contents(3.0)
    ([2.0], [])
    """
    sort = sort_of(value)
    if sort not in CONTAINERS:
        return []
    if sort is Sort.OBJECT:
        return [getattr(value, key) for key in attribute_names(value)]
    return list(value.values() if sort is Sort.DICT else value)


def parts_of(value: Any, path: str, met: frozenset[int] = frozenset()) -> Iterator[tuple[Any, str]]:
    """List a value and all that it holds, with how each is reached.

    Examples
    --------
    >>> list(parts_of([1.0, {"w": 2.0}], "x"))[2:]
    [({'w': 2.0}, 'x[1]'), (2.0, "x[1]['w']")]
    """
    yield value, path
    sort = sort_of(value)
    if sort not in CONTAINERS or id(value) in met:
        return
    items: Iterable[tuple[Any, str]]
    if sort is Sort.OBJECT:
        items = ((getattr(value, key), f"{path}.{key}") for key in attribute_names(value))
    elif sort is Sort.DICT:
        items = ((item, f"{path}[{key!r}]") for key, item in value.items())
    else:
        items = ((item, f"{path}[{i}]") for i, item in enumerate(value))
    for item, label in items:
        yield from parts_of(item, label, met | {id(value)})


CONTAINERS = (Sort.TUPLE, Sort.LIST, Sort.DICT, Sort.OBJECT)


def variables_within(x: Any) -> list[Variable]:
    """List the Variables that a structure of containers and objects holds, by place.

    Examples
    --------
    >>> v = Variable(1.0)
    >>> variables_within({"w": [v, 2.0]}) == [v]
    True
    """
    found: list[Variable] = []
    _collect(x, found, set())
    return found


def _collect(x: Any, found: list[Variable], inside: set[int]) -> None:
    if isinstance(x, Variable):
        found.append(x)
    elif id(x) not in inside:
        for part in contents(x):
            _collect(part, found, inside | {id(x)})
