"""Attributes that `__getattr__` of a class is asked for, and those that its objects surely have.

Python asks it for what it does not find: neither in the object nor in its class. A slot of an object that is
set on some ways only would be found or asked for, which nobody knows; so those count as found that the class
sets as it constructs its objects, on every way.

    class Proxy:
        def __init__(self, inner):
            self.inner = inner                        found
        def __getattr__(self, name):
            return getattr(self.inner, name)          asked for everything else
"""

from __future__ import annotations

import dataclasses
import inspect
import types
from functools import lru_cache
from typing import Any

import gast

from tapeless.analysis.abstract import Slots
from tapeless.externals import MISSING
from tapeless.kinds import Instance
from tapeless.normalize.dataclass_constructors import has_generated_init
from tapeless.sorts import is_of_a_library, overrides
from tapeless.source.texts import text_of
from tapeless.tree.names import nodes
from tapeless.tree.trees import Stmt


def asks_for_attributes(cls: type) -> bool:
    """Whether a class of the user's has a `__getattr__` in Python, and looks attributes up as usual else."""
    hook = inspect.getattr_static(cls, "__getattr__", None)
    plain = not overrides(cls, "__getattribute__") and not is_of_a_library(cls)
    return isinstance(hook, types.FunctionType) and plain


def is_asked_for(heap: Slots, kind: Any, attribute: str) -> bool:
    """Whether `__getattr__` of an object's class surely gives an attribute: nothing else has it."""
    if not isinstance(kind, Instance) or kind.choices or kind.or_none or not kind.regions:
        return False
    if not asks_for_attributes(kind.cls) or not kind.regions <= heap.keys():
        return False
    if inspect.getattr_static(kind.cls, attribute, MISSING) is not MISSING:
        return False
    return not any(attribute in heap[region] for region in kind.regions)


@lru_cache(maxsize=4096)
def sets_at_construction(cls: type, attribute: str) -> bool:
    """Whether the objects of a class get an attribute as they are constructed, on every way.

    Examples
    --------
    >>> @dataclasses.dataclass
    ... class Body:
    ...     mass: float
    >>> sets_at_construction(Body, "mass"), sets_at_construction(Body, "speed")
    (True, False)
    """
    if has_generated_init(cls):
        fields = [f.name for f in dataclasses.fields(cls)]
        return attribute in fields
    constructors = [vars(c)["__init__"] for c in cls.__mro__ if "__init__" in vars(c)]
    return _is_set_by(constructors, attribute)


def _is_set_by(constructors: list[Any], attribute: str) -> bool:
    """Whether the first of some constructors, each of which may call the next, sets an attribute."""
    first, *others = constructors or [None]
    text = text_of(first) if isinstance(first, types.FunctionType) else None
    if text is None or not text.tree.args.args:
        return False
    own = text.tree.args.args[0].id
    for s in text.tree.body:
        if _sets(s, own, attribute) or _calls_next(s) and _is_set_by(others, attribute):
            return True
        if any(type(part) is gast.Return for part in nodes(s)):
            return False
    return False


def _sets(s: Stmt, own: str, attribute: str) -> bool:
    """Whether a statement stores into an attribute of an object, plainly or past its `__setattr__`."""
    if type(s) in (gast.Assign, gast.AnnAssign):
        places = s.targets if type(s) is gast.Assign else [s.target]
        parts = [part for place in places for part in nodes(place)]
        return any(
            type(p) is gast.Attribute and p.attr == attribute and getattr(p.value, "id", "") == own
            for p in parts
        )
    call: Any = getattr(s, "value", None)
    label = getattr(getattr(call, "func", None), "attr", "")
    named = label == "__setattr__" and type(call) is gast.Call
    return named and any(getattr(arg, "value", None) == attribute for arg in call.args)


def _calls_next(s: Stmt) -> bool:
    """Whether a statement calls `super().__init__`."""
    func: Any = getattr(getattr(s, "value", None), "func", None)
    called: Any = getattr(func, "value", None)
    of_super = type(called) is gast.Call and getattr(called.func, "id", "") == "super"
    return of_super and func.attr == "__init__"
