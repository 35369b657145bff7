"""A loop over the fields of a dataclass that asks for their names only is one over these names.

for f in fields(p):                         for f_name in field_names(p):
    total += getattr(p, f.name)     ->          total += getattr(p, f_name)

The names are known where the class is; what else a `Field` tells is left to the loop as it stands.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import gast

import tapeless.runtime as runtime
from tapeless.externals import MISSING, constant, is_one_of
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, nodes
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Tree


class _Renamer(Transformer):
    """Lets loops go through names, and asks for them by `f_name` instead of `f.name`."""

    def __init__(self, loops: set[Tree], names: dict[str, str], asked: str) -> None:
        self.loops, self.names, self.asked = loops, names, asked

    def generic_visit(self, tree: Tree) -> Any:
        if tree in self.loops:
            tree.iter.func = gast.copy_location(
                gast.Name(self.asked, gast.Load(), None, None), tree.iter.func
            )
            tree.target.id = self.names[tree.target.id]
        return super().generic_visit(tree)

    def visit_Attribute(self, tree: Expr) -> Any:
        if type(tree.value) is gast.Name and tree.value.id in self.names:
            named = gast.Name(self.names[tree.value.id], gast.Load(), None, None)
            return gast.copy_location(named, tree)
        return self.generic_visit(tree)


def fields_by_name(function: CoreFunction) -> CoreFunction:
    """Let loops over the fields of dataclasses go through their names.

    Examples
    --------
    >>> from tapeless.source.reader import parse_function
    >>> from tapeless.source.printer import unparse
    >>> tree = parse_function('def f(p):\\n    return [getattr(p, f.name) for f in fields(p)]')
    >>> f = CoreFunction(tree, {"fields": constant(dataclasses.fields, "fields")})
    >>> print(unparse(fields_by_name(f).tree).strip())
    def f(p):
        return [getattr(p, f_name) for f_name in field_names(p)]
    """
    parts = nodes(function.tree)
    loops = {p for p in parts if _is_over_fields(function, p)}
    names = {p.target.id for p in loops} - _asked_otherwise(parts, loops)
    loops = {p for p in loops if p.target.id in names}
    if not loops:
        return function
    fresh = Names(function.names())
    asked = fresh.fresh(runtime.field_names.__name__)
    renamed = {key: fresh.fresh(f"{key}_name") for key in sorted(names)}
    function.externals[asked] = constant(runtime.field_names, asked)
    _Renamer(loops, renamed, asked).generic_visit(function.tree)
    return function


def _is_over_fields(function: CoreFunction, tree: Tree) -> bool:
    """Whether a loop, also one of a comprehension, goes through the fields of a dataclass."""
    if type(tree) not in (gast.For, gast.comprehension) or type(tree.iter) is not gast.Call:
        return False
    found = function.resolve(tree.iter.func)
    plain = len(tree.iter.args) == 1 and not tree.iter.keywords and type(tree.target) is gast.Name
    return plain and found is not MISSING and is_one_of(found, (dataclasses.fields,))


def _asked_otherwise(parts: list[Any], loops: set[Tree]) -> set[str]:
    """Collect the names that are bound by something else than these loops, or asked for more."""
    by_name = {p.value for p in parts if type(p) is gast.Attribute and p.attr == "name"}
    by_name |= {p.target for p in loops}
    return {p.id for p in parts if type(p) is gast.Name and p not in by_name}
