"""What is done with an object of one of several classes is written once for each class.

    y = shape.area()       ->   if type(shape) is Disk: y = shape.area()
                                else: y = shape.area()
    y = layer(x)           ->   if layer is np.tanh: y = np.tanh(x)
                                else: y = layer(x)

In each branch the class is known, and with it the method, the attributes and what they hold; or which
function it is that stands in the place of an object.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.analysis.interpret.iterators import AT_ONCE
from tapeless.analysis.interpret.special_calls import BUILT_IN
from tapeless.externals import is_one_of, package_of
from tapeless.kinds import Instance, in_order
from tapeless.specialize.function_values import reference
from tapeless.specialize.state import Specializer
from tapeless.tree.build import assign, filled, name, quote_expression, unshared
from tapeless.tree.classes import COMPUTED, IDENTITY, SLOTS
from tapeless.tree.names import nodes
from tapeless.tree.trees import Expr, Stmt, Tree

# Functions that call methods of an object that they are given, or look its attributes up.
_LOOKING_IN = (
    *AT_ONCE, *BUILT_IN, len, iter, enumerate, zip, reversed, any, all, getattr, setattr, hasattr,
)  # fmt: skip


def by_class(specializer: Specializer, s: Stmt) -> list[Any] | None:
    """Write a statement once for each class that an object in it may be of; None where all are known."""
    if type(s) is gast.For and _object_used(specializer, s.iter) is not None:
        items = specializer.names.fresh("items")
        loop = gast.For(s.target, name(items), s.body, s.orelse, None)
        return [assign(items, s.iter), loop]
    if not isinstance(s, (gast.Assign, gast.AugAssign, gast.Expr, gast.For)):
        return None
    key = None if type(s) is gast.For else _object_used(specializer, s)
    if type(s) is gast.For:
        key = _of_several(specializer, s.iter)  # its class says what is gone through
    elif key is None and type(s) is gast.Assign and type(s.targets[0]) is gast.Tuple:
        key = _of_several(specializer, s.value)  # it is unpacked
    kind = None if key is None else specializer.kind(name(key))
    if key is None or not isinstance(kind, Instance):
        return None
    *classes, _ = kind.choices
    made: list[Any] = [unshared(s)]
    for cls in reversed(classes):
        test = quote_expression("type(s) is c", s=key, c=specializer.external(cls))
        made = [gast.If(test, [unshared(s)], made)]
    for function in in_order(kind.functions):
        option = reference(specializer, function)
        if option is None:
            return None
        test = quote_expression("s is f", s=key, f=option)
        made = [gast.If(test, [filled(s, {key: option})], made)]
    return made


def _of_several(specializer: Specializer, tree: Expr) -> str | None:
    """Return the name of an object of one of several classes; None for anything else."""
    if type(tree) is not gast.Name:
        return None
    kind = specializer.kind(tree)
    return str(tree.id) if isinstance(kind, Instance) and kind.choices else None


def _object_used(specializer: Specializer, tree: Expr) -> str | None:
    """Find an object of which the class decides what happens: it is not only handed on."""
    for part in nodes(tree, nested=False):
        for owner in _owners(specializer, part):
            key = _of_several(specializer, owner)
            if key is not None:
                return key
    return None


def _owners(specializer: Specializer, part: Tree) -> list[Any]:
    if type(part) in SLOTS:
        return [part.value]
    if type(part) is gast.Call:
        found = specializer.function.resolve(part.func)
        looks = is_one_of(found, _LOOKING_IN) or package_of(found) == "numpy"
        return [part.func, *(part.args if looks else [])]
    if type(part) is gast.AugAssign:
        return [part.target, part.value]
    if type(part) is gast.Compare and type(part.ops[0]) in IDENTITY:
        return []
    if type(part) in COMPUTED:
        fields = [getattr(part, field, None) for field in ("left", "right", "operand")]
        return [f for f in [*fields, *getattr(part, "comparators", [])] if f is not None]
    return []
