"""Entries of counters: one that is missing reads as 0, and is not made.

y = c[k]      ->   y = c.get(k, 0)
c[k] += v     ->   w = c.get(k, 0); w += v; c[k] = w
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.kinds import Dict
from tapeless.specialize.state import Specializer
from tapeless.tree.build import as_load, as_store, assign, const, name, quote_expression
from tapeless.tree.trees import Expr, Stmt


def count_read(specializer: Specializer, tree: Expr) -> Any:
    """Write what an entry of a counter is; None where the owner is none."""
    if type(tree) is not gast.Subscript:
        return None
    kind = specializer.kind(tree.value)
    if not isinstance(kind, Dict) or not kind.counts:
        return None
    return quote_expression("c.get(k, v)", c=as_load(tree.value), k=tree.slice, v=const(0))


def count_changed(specializer: Specializer, s: Stmt) -> list[Stmt] | None:
    """Write `c[k] += v` as a read and a store; None where the owner is no counter."""
    place = as_load(s.target)
    if count_read(specializer, place) is None:
        return None
    first, place.slice = specializer.index(place.slice)
    count = specializer.names.fresh("count")
    read = assign(count, count_read(specializer, place))
    change = gast.AugAssign(as_store(name(count)), s.op, s.value)
    return [*first, read, change, assign(as_store(place), name(count))]
