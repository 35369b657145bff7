"""Functions as values: the values that a function carries along, and methods known by what they are.

What `functools.partial`, a bound method, a frozen default or a returned closure makes is a `Bound`: a
function and the values that it is always given, a plain tuple, so that adjoints reach these values as
they reach any item of a tuple. A method of a built-in class or of a named tuple is known by its name.
"""

from __future__ import annotations

import functools
import inspect
import types
from dataclasses import dataclass
from typing import Any, TypeGuard

import gast
import numpy as np

from tapeless.analysis.abstract import Slots
from tapeless.kinds import (
    Array,
    Dict,
    Function,
    Inert,
    Kind,
    List,
    Sequence,
    Tuple,
)
from tapeless.ranks import literal
from tapeless.runtime import Bound
from tapeless.tree.build import const


def built_in_class(kind: Kind) -> type | None:
    """Return the built-in class whose methods may be taken from a value of this kind."""
    if isinstance(kind, (List, Dict)):
        return list if isinstance(kind, List) else dict
    if isinstance(kind, Array):
        return np.ndarray
    return str if isinstance(kind, Inert) and kind.what == "str" else None


def built_in_method(cls: type, label: str) -> Any:
    """Return a method of a built-in class, as its class holds it; None where there is none."""
    found = vars(cls).get(label)
    return found if isinstance(found, types.MethodDescriptorType) else None


def method_of_built_in(found: Any) -> str | None:
    """Return the name of a method that a built-in class holds; None for anything else.

    Examples
    --------
    >>> method_of_built_in(dict.get), method_of_built_in(len)
    ('get', None)
    """
    known = isinstance(found, types.MethodDescriptorType) and found.__objclass__ in (
        list,
        dict,
        str,
        np.ndarray,
    )
    return str(found.__name__) if known else None


def method_of_record(kind: Tuple, label: str) -> types.FunctionType | None:
    """Return a method that the class of a named tuple adds; None for those of all tuples."""
    if not hasattr(kind.cls, "_fields") or label in _OF_RECORDS:
        return None
    found = inspect.getattr_static(kind.cls, label, None)
    return found if isinstance(found, types.FunctionType) else None


_OF_RECORDS = ("__new__", "__repr__", "__getnewargs__", "__replace__", "_replace", "_asdict")


def values_of_partial(func: Any, found: functools.partial[Any]) -> tuple[list[Any], dict[str, Any]]:
    """Return expressions for the values that a `functools.partial` outside always gives."""
    positional = gast.Attribute(func, "args", gast.Load())
    named = gast.Attribute(func, "keywords", gast.Load())
    args = [gast.Subscript(positional, const(i), gast.Load()) for i in range(len(found.args))]
    keys = {key: gast.Subscript(named, const(key), gast.Load()) for key in found.keywords}
    return args, keys


def is_bound(kind: Kind) -> TypeGuard[Tuple]:
    """Whether a value is a function with values of its own."""
    return isinstance(kind, Tuple) and kind.cls is Bound


def is_told(kind: Tuple) -> bool:
    """Whether it is known which function with values of its own this is, and how it is given them.

    Of one of several that are given their values in unlike ways it is not.
    """
    function, values, keys = kind.items
    known = is_told(function) if is_bound(function) else isinstance(function, Function)
    return known and isinstance(values, Tuple) and literal(keys) is not ...


def holds_bound(kind: Kind) -> bool:
    """Whether a value is, or holds, a function with values of its own."""
    if isinstance(kind, Tuple):
        return is_bound(kind) or any(map(holds_bound, kind.items))
    return isinstance(kind, Sequence) and holds_bound(kind.item)


def leaves_bound(returned: Kind, before: Slots, after: Slots) -> bool:
    """Whether a call returns, or stores, a function with values of its own.

    The author's own function leaves a method or a closure there, of which the values cannot be asked.
    """
    slots = [
        (v.kind, before.get(r, {}).get(k)) for r, held in after.items() for k, v in held.items()
    ]
    stored = any(holds_bound(kind) and (old is None or old.kind != kind) for kind, old in slots)
    return stored or holds_bound(returned)


@dataclass(frozen=True)
class Made:
    """A callable object that NumPy or SciPy made of what does not vary: `np.vectorize(f)`."""

    cls: type
    callbacks: tuple[Kind, ...]
