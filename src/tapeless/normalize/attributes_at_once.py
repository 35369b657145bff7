"""What puts values into an object's own dict is a call of its own, which is written out by the keys.

self.__dict__.update(options)     ->      update_attributes(self, options)
vars(self).update(a=1.0)          ->      update_attributes(self, {"a": 1.0})
self.__dict__[name] = value       ->      set_attribute(self, name, value)
"""

from __future__ import annotations

from typing import Any

import gast

import tapeless.runtime as runtime
from tapeless.externals import constant
from tapeless.origins import is_of_the_tool
from tapeless.tree.build import at_line_of, const, name
from tapeless.tree.classes import ATOMS
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, nodes
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Tree


class _Updater(Transformer):
    def __init__(self, function: CoreFunction, update: str, put: str) -> None:
        self.function, self.update, self.put = function, update, put
        self.found = False

    def visit_Expr(self, tree: Tree) -> Any:
        owner = self.owner(tree.value)
        if owner is None:
            return self.generic_visit(tree)
        self.found = True
        given = _given(tree.value)
        tree.value = gast.copy_location(
            gast.Call(name(self.update), [owner, given], []), tree.value
        )
        return tree

    def visit_Assign(self, tree: Tree) -> Any:
        """Write a store into the dict as a call."""
        place = tree.targets[0]
        owner = self.holder(place.value) if type(place) is gast.Subscript else None
        if owner is None or len(tree.targets) != 1 or type(place.slice) not in ATOMS:
            return self.generic_visit(tree)
        self.found = True
        made = gast.Expr(gast.Call(name(self.put), [owner, place.slice, tree.value], []))
        return at_line_of(made, tree)

    def owner(self, call: Expr) -> Any:
        """Return the object into whose own dict a call puts another one; None for any other call."""
        if type(call) is not gast.Call or getattr(call.func, "attr", "") != "update":
            return None
        owner = self.holder(call.func.value)
        return owner if _given(call) is not None else None

    def holder(self, held: Expr) -> Any:
        """Return the object of which an expression is the dict; None for any other expression."""
        if type(held) is gast.Attribute and held.attr == "__dict__":
            return held.value
        if type(held) is gast.Call and self.function.resolve(held.func) is vars and held.args:
            return held.args[0]
        return None


def _given(call: Expr) -> Any:
    """Return the dict that `update` is given; None where it is more than one."""
    spread = [k.value for k in call.keywords if k.arg is None]
    if len(call.args) + len(spread) == 1 and len(call.keywords) == len(spread):
        return (call.args or spread)[0]
    if call.args or spread:
        return None
    return gast.Dict([const(k.arg) for k in call.keywords], [k.value for k in call.keywords])


def attributes_at_once(function: CoreFunction) -> CoreFunction:
    """Write what puts attributes into the dict of an object as a call of the tool's.

    Examples
    --------
    >>> from tapeless.source.reader import parse_function
    >>> from tapeless.source.printer import unparse
    >>> f = CoreFunction(parse_function('def f(o, **kw):\\n    o.__dict__.update(kw)'))
    >>> print(unparse(attributes_at_once(f).tree).strip())
    def f(o, **kw):
        update_attributes(o, kw)
    """
    if is_of_the_tool(function.filename):
        return function
    if not any(_may_reach_a_dict(function, part) for part in nodes(function.tree)):
        return function
    names = Names(function.names())
    meant = (runtime.update_attributes, runtime.set_attribute)
    labels = [names.fresh(f.__name__) for f in meant]
    updater = _Updater(function, *labels)
    made = function.with_body(updater.listed(function.tree.body))
    for label, f in zip(labels, meant, strict=True):
        if updater.found:
            function.externals[label] = constant(f, label)
    return made


def _may_reach_a_dict(function: CoreFunction, tree: Tree) -> bool:
    if type(tree) is gast.Name:
        return function.resolve(tree) is vars
    return type(tree) is gast.Attribute and tree.attr in ("update", "__dict__")
