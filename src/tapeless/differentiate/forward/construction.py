"""Construction: the tangent of a tuple, of an object, of an empty container.

The tangent of a named tuple is a tuple, and of an object a record with the tangents of its attributes.
Where an `__init__` of the user's runs, it is a call like any other, and not written here.
"""

from __future__ import annotations

import copy
import dataclasses
from collections import Counter, OrderedDict, defaultdict
from typing import Any, cast

import gast

from tapeless.differentiate.forward.writer import TangentWriter
from tapeless.kinds import Kind
from tapeless.sorts import starts_empty
from tapeless.tree.build import call, name, quote_expression
from tapeless.tree.trees import Stmt, Tree


def constructed(
    writer: TangentWriter, s: Stmt, cls: type, tree: Tree, key: str
) -> tuple[list[Any], Any] | None:
    """The tangent of a named tuple, a dataclass or an object without initial attributes."""
    given = {k.arg: k.value for k in tree.keywords}
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        bound = dict(zip(cls._fields, tree.args, strict=False)) | given
        items = [
            writer.tangent_or_zero(s, bound[f])
            if f in bound
            else writer.zero(quote_expression(f"x.{f}", x=key), Kind())
            for f in cls._fields
        ]
        return [], gast.Tuple(items, gast.Load())
    record = writer.runtime("record_of")
    if dataclasses.is_dataclass(cls):
        fields = dataclasses.fields(cls)
        names = [f.name for f in fields if f.init]
        bound = dict(zip(names, tree.args, strict=False)) | given
        slots = {
            f.name: writer.tangent_or_zero(s, bound[f.name])
            if f.name in bound
            else writer.zero(quote_expression(f"x.{f.name}", x=key), Kind())
            for f in fields
        }
        return [], call(name(record), **slots)
    if (
        cls is defaultdict
        or cls in (list, tuple, dict, OrderedDict, Counter)
        and not tree.args
        and not given
    ):
        return [], copy.deepcopy(tree)
    if not tree.args and not given and starts_empty(cls):
        return [], call(name(record))
    return cast(
        None,
        writer.refuse_construction(s, cls),
    )
