"""What one item of the iterable of a loop may be.

`range`, `enumerate`, `zip`, `reversed` and the views of dicts are read by their names: they are spelled
in loops alone, and no object of theirs is ever made. Anything else is a thing with items.
"""

from __future__ import annotations

import gast

from tapeless.analysis.abstract import Value, any_slot
from tapeless.analysis.facts import Environment
from tapeless.analysis.interpret.items import item_of
from tapeless.analysis.interpret.state import Interpreter
from tapeless.kinds import Dict, Inert, Integer, Tuple
from tapeless.tree.trees import Tree


def iterated(interpreter: Interpreter, tree: Tree, env: Environment) -> Value:
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
            key = Value(Inert("key"))
            if tree.func.attr == "items":
                return Value(Tuple((key.kind, slot.kind)), slot.varied)
            return slot if tree.func.attr == "values" else key
    value = interpreter.eval(tree, env)
    if isinstance(value.kind, Dict):
        return Value(Inert("key"))
    return item_of(interpreter, value, Integer(), tree)


def _iterated_call(interpreter: Interpreter, tree: Tree, env: Environment) -> Value | None:
    called = tree.func.id
    if called in interpreter.local:
        return None
    if called == "range":
        return Value(Integer())
    if called == "reversed":
        return iterated(interpreter, tree.args[0], env)
    if called == "enumerate":
        item = iterated(interpreter, tree.args[0], env)
        return Value(Tuple((Integer(), item.kind)), item.varied)
    if called == "zip":
        items = [iterated(interpreter, part, env) for part in tree.args]
        return Value(Tuple(tuple(i.kind for i in items)), any(i.varied for i in items))
    return None
