"""Copies: what `copy.copy`, `copy.deepcopy` and `dict(...)` make.

A copy is a thing of its own, in a region of its own. Its slots hold what those of the original hold, or,
in a deep copy, copies of it.
"""

from __future__ import annotations

from dataclasses import replace

from tapeless.analysis.abstract import Value
from tapeless.analysis.interpret.call_sites import CallSite
from tapeless.analysis.interpret.items import item_of
from tapeless.analysis.interpret.state import Interpreter
from tapeless.analysis.keys import slot_for_key
from tapeless.kinds import (
    UNKNOWN,
    Array,
    Dict,
    Integer,
    Kind,
    Number,
    Region,
    Regions,
    Sequence,
    Tuple,
    is_container,
    regions_of,
)
from tapeless.tree.trees import Expr


def copy_of(interpreter: Interpreter, value: Value, deep: bool, tree: Expr) -> Value:
    """Return what a copy of a value may be."""
    [region] = interpreter.fresh(tree)
    return Value(_copied(interpreter, value.kind, region, deep, ()), interpreter.is_varied(value))


def _copied(
    interpreter: Interpreter, kind: Kind, region: Region, deep: bool, above: tuple[Region, ...]
) -> Kind:
    own = frozenset([region])
    if isinstance(kind, (Array, Number)):
        return replace(kind, regions=own)
    if isinstance(kind, Tuple) and deep:
        parts = [
            _copied(interpreter, k, (*region, i), deep, above) for i, k in enumerate(kind.items)
        ]
        return replace(kind, items=tuple(parts))
    if isinstance(kind, Sequence) and deep:
        item = _copied(interpreter, kind.item, (*region, "*"), deep, above)
        return replace(kind, item=item)
    if not is_container(kind):
        return kind
    if regions_of(kind) & set(above):
        return UNKNOWN
    interpreter.heap.setdefault(region, {})
    above = (*above, *regions_of(kind))
    for original in sorted(regions_of(kind), key=repr):
        for slot, held in list(interpreter.heap.get(original, {}).items()):
            inner = held.kind
            if deep:
                inner = _copied(interpreter, inner, ("copied", region, slot), deep, above)
            interpreter.put(own, slot, Value(inner, held.varied))
    if regions_of(kind) & interpreter.varied:
        interpreter.varied |= own
    return replace(kind, regions=own)  # type: ignore[call-arg]


def dict_of(interpreter: Interpreter, site: CallSite) -> Value:
    """Return what `dict(pairs, k=v)` may be."""
    tree = site.tree
    made = Dict(interpreter.fresh(tree))
    interpreter.heap.setdefault(next(iter(made.regions)), {})
    varied = any(map(interpreter.is_varied, site.given))
    for given in site.values:
        put_items_of(interpreter, made.regions, given, tree)
    for key, held in site.named.items():
        interpreter.put(made.regions, key, held)
    return Value(made, varied)


def put_items_of(interpreter: Interpreter, regions: Regions, given: Value, tree: Expr) -> None:
    """Put into dicts what `dict` or `update` takes out of another one, or out of pairs."""
    if isinstance(given.kind, Dict):
        put_slots_of(interpreter, regions, given.kind)
        return
    pair = item_of(interpreter, given, Integer(), tree)
    key, held = (item_of(interpreter, pair, Integer(i), tree) for i in (0, 1))
    interpreter.put(regions, slot_for_key(key.kind), held)


def put_slots_of(interpreter: Interpreter, regions: Regions, kind: Dict) -> None:
    """Put into dicts what another one holds, slot by slot."""
    for region in sorted(kind.regions, key=repr):
        for slot, held in list(interpreter.heap.get(region, {}).items()):
            interpreter.put(regions, slot, held)
