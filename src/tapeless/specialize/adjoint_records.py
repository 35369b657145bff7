"""Adjoints of objects and dicts, written out slot by slot in a text that is differentiated again.

w_bar = copied(v_bar)        ->   w_bar = AdjointRecord(); w_bar.w = copied(v_bar.w)
add_by_key(d_bar, g)         ->   if "w" in g: d_bar["w"] = add(d_bar.get("w", 0.0), g["w"])

What a slot holds may have its own adjoint in a memory. Only what takes the slot by its name leads back
there.
"""

from __future__ import annotations

from typing import Any

import gast

import tapeless.runtime as runtime
from tapeless.analysis.interpret.adjoint_slots import holds_structure, keys_to_add
from tapeless.kinds import Instance, regions_of
from tapeless.specialize.state import Specializer
from tapeless.tree.build import assign, call, const, name, quote
from tapeless.tree.trees import Expr, Stmt


def copied_record(
    specializer: Specializer, tree: Expr, found: Any, to: str | None
) -> list[Stmt] | None:
    """Write a call that copies the adjoint of an object; None for any other."""
    slots = _slots_of(specializer, tree.args[0]) if found is runtime.copied else None
    if slots is None or to is None:
        return None
    [record] = tree.args
    made: list[Any] = [assign(to, call(specializer.external(runtime.AdjointRecord)))]
    for slot in slots:
        item, put = (specializer.names.fresh(wish) for wish in ("item", "v"))
        made.append(assign(item, gast.Attribute(record, slot, gast.Load())))
        made.append(assign(put, call(specializer.external(runtime.copied), name(item))))
        made += quote(f"y.{slot} = v", y=to, v=put)
    return made


def _slots_of(specializer: Specializer, record: Expr) -> list[str] | None:
    """List the attributes that the adjoint of an object may have; None for another adjoint."""
    kind = specializer.kind(record)
    if not isinstance(kind, Instance) or kind.cls is not runtime.AdjointRecord or kind.or_none:
        return None  # of what may not be there it may be 0.0
    heap = specializer.facts.heap
    slots: Any = {slot for region in regions_of(kind) for slot in heap.get(region, {})}
    if not all(isinstance(slot, str) and slot.isidentifier() for slot in slots):
        return None
    return sorted(slots)


_ADDED = """
if k in g:
    slot = s.get(k, untouched)
    part = g[k]
    whole = add(slot, part)
    s[k] = whole
"""


def added_by_key(
    specializer: Specializer, tree: Expr, found: Any, to: str | None
) -> list[Stmt] | None:
    """Write a call that adds to the adjoint of a dict by the keys; None where they are not known."""
    if found is not runtime.add_by_key or to is not None:
        return None
    shadow, given = tree.args
    kinds = specializer.kind(shadow), specializer.kind(given)
    keys = keys_to_add(specializer.facts.heap, *kinds)
    if keys is None:
        return None
    adder, made = specializer.external(runtime.add), []
    for key in keys:
        holes = {wish: specializer.names.fresh(wish) for wish in ("slot", "part", "whole")}
        untouched = const(None if holds_structure(specializer.facts.heap, kinds, key) else 0.0)
        made += quote(
            _ADDED, k=const(key), s=shadow, g=given, add=adder, untouched=untouched, **holes
        )
    return made
