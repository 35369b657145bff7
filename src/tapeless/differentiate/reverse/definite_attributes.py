"""Whether an attribute exists when it is stored into.

A store that makes an attribute is undone by taking it away, one that changes it by putting the old
value back. Reading the old value of an attribute that is not there would raise, so where the text does
not show that it is there, the forward sweep asks for it with care:

    count = slot(counter, "count")          # a mark, where there is none
    counter.count = 0
    ...
    set_slot(counter, "count", count)

It is there where the statement itself or an earlier one read or stored it, and in all objects of a
class whose constructor stores it before anything else can see the object.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
from typing import Any

import gast

from tapeless.analysis.constructors import stores_first
from tapeless.analysis.facts import Facts
from tapeless.analysis.interpret.attributes import written_setter
from tapeless.differentiate.reverse.state import Sweep
from tapeless.errors import TapelessError
from tapeless.kinds import NOWHERE, Instance, Regions, regions_of
from tapeless.origins import is_generated
from tapeless.tree.classes import STORED
from tapeless.tree.names import nodes
from tapeless.tree.trees import Expr, Stmt, Tree


def is_there(sweep: Sweep, s: Stmt, place: Expr, kind: Instance) -> bool:
    """Whether an attribute surely exists before a statement stores into it."""
    if type(s) is gast.AugAssign:
        return True
    if place.attr in sweep.program.taken_away:
        return False
    if _met_before(sweep, s, place):
        return True
    if sweep.function.initializes or not is_set_by_constructor(sweep, kind.cls, place.attr):
        return False
    made_here = {r for r in kind.regions if r[0] not in ("parameter", "argument")}
    return not made_here or made_here <= _constructed(sweep)


def _constructed(sweep: Sweep) -> Regions:
    """Collect the regions of the objects that the function makes by calling their class."""
    calls = [
        s
        for s in nodes(sweep.function.tree)
        if type(s) is gast.Assign and type(s.value) is gast.Call
    ]
    made = [s for s in calls if isinstance(sweep.call(s).found, type)]
    return NOWHERE.union(*(regions_of(sweep.result(s).kind) for s in made))


def makes_attribute(sweep: Sweep, s: Stmt, place: Expr) -> bool:
    """Whether a store makes an attribute of an object that had none: nothing was there before."""
    function = sweep.function
    if not function.initializes or s not in function.tree.body:
        return False
    if type(place) is not gast.Attribute or type(place.value) is not gast.Name:
        return False
    earlier = function.tree.body[: function.tree.body.index(s)]
    return place.value.id == function.parameters[0] and not any(
        _stores_attribute(part, place.attr, sweep.known.facts, set())
        for statement in earlier
        for part in nodes(statement)
    )


def _stores_attribute(part: Tree, attribute: str, facts: Facts, met: set[Any]) -> bool:
    """Whether a part of a function, or what it calls, may store into such an attribute."""
    if type(part) is gast.Attribute:
        return type(part.ctx) in STORED and part.attr == attribute
    callee = facts.callees.get(part) if isinstance(part, gast.AST) else None
    if callee is None or callee.function in met:
        return False
    met.add(callee.function)
    return any(
        _stores_attribute(inner, attribute, callee.facts, met)
        for inner in nodes(callee.function.tree)
    )


def _met_before(sweep: Sweep, s: Stmt, place: Expr) -> bool:
    """Whether every way to a statement reads or stores an attribute of the same object."""
    if type(place.value) is not gast.Name:
        return False
    if len(sweep.definitions.get(place.value.id, ())) != 1:
        return False
    return any(
        type(part) is gast.Attribute
        and part.attr == place.attr
        and type(part.value) is gast.Name
        and part.value.id == place.value.id
        for earlier in _always_before(s, sweep.function.tree.body) or ()
        for part in nodes(earlier)
    )


def _always_before(s: Stmt, block: list[Any]) -> list[Any] | None:
    """List the plain statements that run before a statement; None where the block does not hold it."""
    before: list[Any] = []
    for statement in block:
        if statement is s:
            return before
        for inner in (getattr(statement, "body", None), getattr(statement, "orelse", None)):
            found = _always_before(s, inner) if isinstance(inner, list) else None
            if found is not None:
                return [*before, *found]
        if not isinstance(
            statement, (gast.If, gast.For, gast.While, gast.With, gast.Try, gast.FunctionDef)
        ):
            before.append(statement)
    return None


def is_set_by_constructor(sweep: Sweep, cls: type, attribute: str) -> bool:
    """Whether an attribute is there in every object of a class, once anybody else sees it.

    A `__setattr__` in Python sees the object before each attribute is there.
    """
    if written_setter(cls) is not None:
        return False
    if dataclasses.is_dataclass(cls) and attribute in {f.name for f in dataclasses.fields(cls)}:
        return attribute in filled_fields(cls) or _is_set_afterwards(sweep, cls, attribute)
    init = inspect.getattr_static(cls, "__init__")
    return isinstance(init, types.FunctionType) and _sets_first(sweep, init, attribute)


def filled_fields(cls: Any) -> set[str]:
    """Return the fields of a dataclass that its `__init__` fills, before it calls anything."""
    nothing = (dataclasses.MISSING, dataclasses.MISSING)
    fields = dataclasses.fields(cls)
    return {f.name for f in fields if f.init or (f.default, f.default_factory) != nothing}


def _is_set_afterwards(sweep: Sweep, cls: type, attribute: str) -> bool:
    """Whether `__post_init__` sets a field that nothing else fills, and it is not run just now."""
    after = inspect.getattr_static(cls, "__post_init__", None)
    if not isinstance(after, types.FunctionType) or sweep.function.primal is after:
        return False
    if is_generated(sweep.function.filename):
        return False  # it may stand for that very method
    return _sets_first(sweep, after, attribute)


def _sets_first(sweep: Sweep, init: Any, attribute: str) -> bool:
    """Whether a constructor stores an attribute before it hands the object to anything."""
    try:
        core = sweep.program.core(init)
    except TapelessError:
        return False
    return stores_first(core.tree.body, core.parameters[0], attribute)
