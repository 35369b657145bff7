"""Named tuples of which only fields are read are plain tuples, and so names side by side.

    d = Point(x, y)            ->   d_0 = x; d_1 = y
    return d.x * d.y           ->   return d_0 * d_1

The class is known by the name that is called. One that is read as a whole stays what it is.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.normalize.split_tuples import split_tuples
from tapeless.tree.build import const, unshared
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import nodes
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Stmt, Tree


def with_records_as_tuples(function: CoreFunction) -> CoreFunction | None:
    """Write named tuples that never leave the function as tuples; None where there are none."""
    made = _made(function)
    if not made:
        return None
    reads, by_field, bound = set(), set(), dict.fromkeys(function.parameters, 2)
    for part in nodes(function.tree):
        if isinstance(part, gast.Name) and part.id in made:
            if not isinstance(part.ctx, gast.Load):
                bound[part.id] = bound.get(part.id, 0) + 1
            reads.add((part.id, id(part)) if isinstance(part.ctx, gast.Load) else (part.id, 0))
        if isinstance(part, gast.Attribute) and isinstance(part.value, gast.Name):
            if part.attr in getattr(made.get(part.value.id), "_fields", ()):
                by_field.add((part.value.id, id(part.value)))
    whole = {key for key, place in reads - by_field if place}
    made = {key: cls for key, cls in made.items() if bound.get(key) == 1 and key not in whole}
    if not made:
        return None
    body = [_AsTuples(made).visit(s) for s in unshared(function.tree.body)]
    return split_tuples(function.with_body(body))


def _made(function: CoreFunction) -> dict[str, Any]:
    """Find the names that are bound to a named tuple, made of one argument for each field."""
    return {
        part.targets[0].id: function.resolve(part.value.func)
        for part in nodes(function.tree, nested=False)
        if isinstance(part, gast.Assign)
        and isinstance(part.targets[0], gast.Name)
        and isinstance(part.value, gast.Call)
        and _is_whole(function.resolve(part.value.func), part.value)
    }


def _is_whole(cls: Any, call: Expr) -> bool:
    fields = getattr(cls, "_fields", None)
    plain = not call.keywords and not any(isinstance(a, gast.Starred) for a in call.args)
    known = isinstance(cls, type) and issubclass(cls, tuple) and isinstance(fields, tuple)
    return known and plain and "__new__" in vars(cls) and len(call.args) == len(fields or ())


class _AsTuples(Transformer):
    def __init__(self, made: dict[str, Any]) -> None:
        self.made = made

    def visit_FunctionDef(self, tree: Stmt) -> Any:
        return tree

    def visit_Assign(self, tree: Tree) -> Any:
        place = tree.targets[0]
        if isinstance(place, gast.Name) and place.id in self.made:
            tree.value = gast.Tuple(tree.value.args, gast.Load())
            return tree
        return self.generic_visit(tree)

    def visit_Attribute(self, tree: Tree) -> Any:
        if isinstance(tree.value, gast.Name) and tree.value.id in self.made:
            place = self.made[tree.value.id]._fields.index(tree.attr)
            return gast.copy_location(gast.Subscript(tree.value, const(place), gast.Load()), tree)
        return self.generic_visit(tree)
