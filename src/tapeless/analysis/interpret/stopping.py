"""What `stop_gradient` returns: its argument, of which nothing varies.

That a thing varies is said of its region, so the same memory gets a second set of regions here. A store
through one of the two would be missed by the other, and is refused.
"""

from __future__ import annotations

from dataclasses import replace

from tapeless.analysis.abstract import NOTHING, Value
from tapeless.analysis.interpret.state import Interpreter
from tapeless.kinds import Kind, Region, Sequence, Tuple, regions_of


def stopped(interpreter: Interpreter, kind: Kind, stop: Region) -> Kind:
    """Return the kind of what `stop_gradient` returns: the same things, none of them varied.

    They get regions of their own, for that a thing varies is said of its region.
    """
    if isinstance(kind, Tuple):
        return replace(kind, items=tuple(stopped(interpreter, k, stop) for k in kind.items))
    if isinstance(kind, Sequence):
        return replace(kind, item=stopped(interpreter, kind.item, stop))
    regions = regions_of(kind)
    if not regions or all(region[:2] == stop for region in regions):
        return kind
    made = []
    for region in sorted(regions, key=repr):
        made.append((*stop, region))
        known = made[-1] in interpreter.heap
        slots = interpreter.heap.get(region, {})
        if slots and not known:
            interpreter.heap[made[-1]] = {}
        for slot, value in slots.items():
            if not known or slot not in interpreter.heap[made[-1]]:
                interpreter.heap[made[-1]][slot] = NOTHING
                inner = Value(stopped(interpreter, value.kind, stop))
                interpreter.put(frozenset([made[-1]]), slot, inner)
    return replace(kind, regions=frozenset(made))  # type: ignore[call-arg]


def refuse_stores_into_stopped(interpreter: Interpreter) -> None:
    """Refuse a store into what `stop_gradient` returned: it is its argument itself."""
    if any(region[0] == "stopped" for region in interpreter.stored):
        interpreter.refuse_here(
            "this stores into what stop_gradient returned, which is its argument itself",
            "copy it first",
        )
