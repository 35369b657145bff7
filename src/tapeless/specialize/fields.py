"""`dataclasses.asdict` and `astuple`, written out field by field.

d = asdict(p)     ->   a = p.x.copy(); b = p.y; d = {"x": a, "y": b}       where p.x is an array
t = astuple(p)    ->   a = p.x.copy(); b = p.y; t = (a, b)
"""

from __future__ import annotations

import dataclasses
from typing import Any

import gast

from tapeless.analysis.interpret.fields import field_names
from tapeless.kinds import Array, Instance, Number
from tapeless.specialize.parts import copied_leaf
from tapeless.specialize.state import Specializer
from tapeless.tree.build import assign, const, name
from tapeless.tree.trees import Expr, Stmt


def fields_written(specializer: Specializer, tree: Expr, found: Any, to: str) -> list[Stmt] | None:
    """Write a call that copies all fields of an object; None where one of them is not a plain value."""
    owner = tree.args[0] if len(tree.args) == 1 and not tree.keywords else const(None)
    names = field_names(specializer.kind(owner))
    if names is None:
        return None
    made: list[Any] = []
    values: list[Any] = []
    for field in names:
        place = gast.Attribute(owner, field, gast.Load())
        kind, key = specializer.kind(place), specializer.names.fresh(field)
        made.append(assign(key, place))
        copied = copied_leaf(specializer, name(key), kind, key)
        if field_names(kind) is not None:
            copied = [assign(key, gast.Call(tree.func, [name(key)], []))]
        if copied is None:
            return None
        made += copied if isinstance(kind, (Array, Number, Instance)) else []
        values.append(name(key))
    whole: Any = gast.Tuple(values, gast.Load())
    if found is dataclasses.asdict:
        whole = gast.Dict([const(field) for field in names], values)
    return [*made, assign(to, whole)]
