"""Adding to the adjoint of a dict, which is spelled out key by key in a text that is differentiated again.

It is interpreted as the stores that it is spelled out as, so that from the start no key may be any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeless.analysis.abstract import Slots, Value
from tapeless.analysis.interpret.built_ins import sum_of_adjoints
from tapeless.analysis.interpret.call_sites import CallSite
from tapeless.analysis.interpret.containers import keys_of
from tapeless.analysis.interpret.items import dict_item
from tapeless.analysis.interpret.state import Interpreter
from tapeless.kinds import NONE, Dict, Kind, Real, is_structure, regions_of
from tapeless.rules.results.call import Call
from tapeless.runtime import add_by_key


def keys_to_add(heap: Slots, shadow: Kind, given: Kind) -> list[str] | None:
    """List the keys by which a dict of cotangents is added to another; None where they are not known."""
    known = isinstance(shadow, Dict) and isinstance(given, Dict) and bool(given.regions)
    keys = keys_of(heap, given) if known and regions_of(given) <= heap.keys() else None
    return None if keys is None else sorted(keys)


def holds_structure(heap: Slots, dicts: Sequence[Kind], key: str) -> bool:
    """Whether one of several dicts may hold a structure at a key: what is not there is no number, then."""
    held = [heap.get(region, {}).get(key) for kind in dicts for region in regions_of(kind)]
    return any(slot is not None and is_structure(slot.kind) for slot in held)


def dict_added(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret what adds to the adjoint of a dict as a store by each of the keys."""
    if found is not add_by_key:
        return None
    shadow, given = site.values
    keys = keys_to_add(interpreter.heap, shadow.kind, given.kind)
    if keys is None:
        return None
    regions = regions_of(shadow.kind)
    interpreter.stored |= regions
    for key in keys:
        whole = _sum_at(interpreter, key, shadow, given, site)
        if whole.varied:
            interpreter.varied |= regions
        interpreter.put(regions, key, whole)
    return Value(NONE)


def _sum_at(
    interpreter: Interpreter, key: str, shadow: Value, given: Value, site: CallSite
) -> Value:
    """Return the sum of what two dicts hold at a key; what is not there is an untouched 0.0."""
    point = (interpreter.point(site.tree), key)
    parts = [Value(Real())]
    for owner in (shadow, given):
        keys = keys_of(interpreter.heap, owner.kind)
        if keys is None or key in keys:
            varied = interpreter.is_varied(owner)
            parts.append(dict_item(interpreter, owner.kind, key, varied, site.tree))  # type: ignore[arg-type]
    own = frozenset([("made", interpreter.function.name, point)])
    call = Call([part.kind for part in parts[-2:]], {}, point, own)
    kind = sum_of_adjoints(interpreter, call, parts[-2:], site.tree)
    return Value(kind, any(part.varied for part in parts))
