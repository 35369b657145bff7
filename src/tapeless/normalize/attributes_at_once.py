"""What puts a dict into an object's own is a call of its own, which is written out by the keys.

self.__dict__.update(options)     ->      update_attributes(self, options)
vars(self).update(a=1.0)          ->      update_attributes(self, {"a": 1.0})
"""

from __future__ import annotations

from typing import Any

import gast

import tapeless.runtime as runtime
from tapeless.externals import constant
from tapeless.tree.build import const, name
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, nodes
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Tree


class _Updater(Transformer):
    def __init__(self, function: CoreFunction, update: str) -> None:
        self.function, self.update = function, update
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

    def owner(self, call: Expr) -> Any:
        """Return the object into whose own dict a call puts another one; None for any other call."""
        if type(call) is not gast.Call or getattr(call.func, "attr", "") != "update":
            return None
        held = call.func.value
        if type(held) is gast.Attribute and held.attr == "__dict__":
            owner = held.value
        elif type(held) is gast.Call and self.function.resolve(held.func) is vars and held.args:
            owner = held.args[0]
        else:
            return None
        return owner if _given(call) is not None else None


def _given(call: Expr) -> Any:
    """Return the dict that `update` is given; None where it is more than one."""
    spread = [k.value for k in call.keywords if k.arg is None]
    if len(call.args) + len(spread) == 1 and len(call.keywords) == len(spread):
        return (call.args or spread)[0]
    if call.args or spread:
        return None
    return gast.Dict([const(k.arg) for k in call.keywords], [k.value for k in call.keywords])


def attributes_at_once(function: CoreFunction) -> CoreFunction:
    """Write what puts several attributes into an object at once as a call of the tool's.

    Examples
    --------
    >>> from tapeless.source.reader import parse_function
    >>> from tapeless.source.printer import unparse
    >>> f = CoreFunction(parse_function('def f(o, **kw):\\n    o.__dict__.update(kw)'))
    >>> print(unparse(attributes_at_once(f).tree).strip())
    def f(o, **kw):
        update_attributes(o, kw)
    """
    if not any(type(p) is gast.Attribute and p.attr == "update" for p in nodes(function.tree)):
        return function
    update = Names(function.names()).fresh("update_attributes")
    updater = _Updater(function, update)
    made = function.with_body(updater.listed(function.tree.body))
    if updater.found:
        function.externals[update] = constant(runtime.update_attributes, update)
    return made
