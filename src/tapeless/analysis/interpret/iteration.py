"""What one item of the iterable of a loop may be.

`range`, `enumerate`, `zip`, `reversed` and the views of dicts are read by their names: they are spelled
in loops alone, and no object of theirs is ever made. Anything else is a thing with items.
"""

from __future__ import annotations

import inspect
from typing import Any, TypeAlias

import gast

from tapeless.analysis.abstract import Value, any_slot
from tapeless.analysis.facts import Environment
from tapeless.analysis.interpret.call_sites import Argument, CallSite
from tapeless.analysis.interpret.containers import copied_items
from tapeless.analysis.interpret.items import item_of, key_of
from tapeless.analysis.interpret.iterators import AT_ONCE
from tapeless.analysis.interpret.special_calls import is_own_iterator, visited_by
from tapeless.analysis.interpret.state import Interpreter
from tapeless.analysis.interpret.user_calls import call_function
from tapeless.analysis.tuples import tuple_of
from tapeless.externals import is_one_of
from tapeless.kinds import UNKNOWN, UNREACHED, Dict, Integer, Kind
from tapeless.runtime import items_by_place
from tapeless.tree.trees import Tree

Item: TypeAlias = "Value | tuple[Item, ...]"
"""What is known of an item; of each part apart where the loop makes a tuple of them for every trip."""


def iterated(interpreter: Interpreter, tree: Tree, env: Environment) -> Item:
    """Return what one item of an iterable may be."""
    if type(tree) is gast.Call and type(tree.func) is gast.Name:
        made = _iterated_call(interpreter, tree, env)
        if made is not None:
            return made
    if type(tree) is gast.Call and type(tree.func) is gast.Attribute:
        owner = interpreter.eval(tree.func.value, env)
        if isinstance(owner.kind, Dict):
            slot = any_slot(interpreter.heap, owner.kind.regions, interpreter.points[tree])
            slot = Value(slot.kind, slot.varied or interpreter.is_varied(owner))
            key = key_of(interpreter, owner.kind)
            if tree.func.attr == "items":
                return key, slot
            return slot if tree.func.attr == "values" else key
    value = interpreter.eval(tree, env)
    if isinstance(value.kind, Dict):
        return key_of(interpreter, value.kind)
    if visited_by(value.kind) is not None:
        value = visited(interpreter, value, tree, env)
    if is_own_iterator(value.kind):
        if type(interpreter.statement) is not gast.For:
            return Value(UNKNOWN, True)  # what is not a loop is written as one first
        return _called_unwritten(interpreter, "__next__", value, tree, env)
    return item_of(interpreter, value, Integer(), tree)


def is_listed_first(found: Any, kind: Kind) -> bool:
    """Whether a built-in function goes through what an object gives, or orders the keys of a dict.

    The call is written as one of a list of them.
    """
    if isinstance(kind, Dict):
        return is_one_of(found, (sorted, max, min))
    return is_one_of(found, AT_ONCE) and visited_by(kind) is not None


def visited(interpreter: Interpreter, owner: Value, tree: Tree, env: Environment) -> Value:
    """Return what is gone through of an object or a dict, before the call that gives it is written out."""
    if isinstance(owner.kind, Dict):
        return copied_items(interpreter, list, owner, tree)
    if visited_by(owner.kind) == "__iter__":
        made = _called_unwritten(interpreter, "__iter__", owner, tree, env)
        return owner if made.kind == owner.kind else made
    made = call_function(
        interpreter, items_by_place, CallSite(tree, (Argument(tree, owner),), env=env)
    )
    interpreter.callees.pop(interpreter.statement, None)
    return made


def _called_unwritten(
    interpreter: Interpreter, label: str, owner: Value, tree: Tree, env: Environment
) -> Value:
    """Interpret a call of a method of an object that a loop makes, and the text does not show yet."""
    method = inspect.getattr_static(owner.kind.cls, label)  # type: ignore[attr-defined]
    made = call_function(interpreter, method, CallSite(tree, (Argument(tree, owner),), env=env))
    interpreter.callees.pop(interpreter.statement, None)
    return made


def _iterated_call(interpreter: Interpreter, tree: Tree, env: Environment) -> Item | None:
    called = tree.func.id
    if called in interpreter.local:
        return None
    if called == "range":
        return Value(Integer())
    if called == "reversed":
        return iterated(interpreter, tree.args[0], env)
    if called == "enumerate":
        return Value(Integer()), iterated(interpreter, tree.args[0], env)
    if called == "zip":
        return tuple(iterated(interpreter, part, env) for part in tree.args)
    return None


def together(item: Item) -> Value:
    """Return what is known of an item as one value.

    Examples
    --------
    >>> whole = together((Value(Integer()), Value(Integer(3), True)))
    >>> whole.varied, whole.kind.items == (Integer(), Integer(3))
    (True, True)
    """
    if isinstance(item, Value):
        return item
    return tuple_of(map(together, item))


def never_comes(item: Item) -> bool:
    """Whether an item, or a part of one that is made for the trip, is of an empty iterable."""
    return item.kind == UNREACHED if isinstance(item, Value) else any(map(never_comes, item))
