"""The texts that a list or a dict was written out with, known on both sides of a call.

A list of names, or a dict by its keys, says more than what any of its items may be: which they are, in
which order. As long as nothing is stored into it this holds wherever it is passed on, also in an object.

    p = {"w": a, "b": {"c": c}}     total(p) is told: the keys are "w" and "b", in this order
    self.names = ["k", "tau"]       self.set(theta) is told: the items are "k" and "tau"

A callee is told by a region of its own, as it is told other things that hold of all it is given.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from tapeless.analysis.abstract import Heap, Slots, Value, literal_kind
from tapeless.analysis.facts import Callee
from tapeless.analysis.interpret.renaming import Renaming
from tapeless.analysis.interpret.state import Interpreter
from tapeless.kinds import NOWHERE, Dict, Kind, List, Region, Regions, Tuple, regions_of
from tapeless.texts import text_of

_WRITTEN: Region = ("written",)  # its slots: a region and a place in it


def note_texts(interpreter: Interpreter, made: Kind, texts: list[Any]) -> None:
    """Remember the keys of a dict that is written out, where all of them are texts, each another one."""
    if texts and all(isinstance(text, str) for text in texts) and len(set(texts)) == len(texts):
        values = [Value(literal_kind(text)) for text in texts]
        interpreter.note_display(regions_of(made), values, interpreter.point(interpreter.statement))
    else:
        interpreter.displays |= dict.fromkeys(regions_of(made))


def has_key(interpreter: Interpreter, regions: Regions, key: Value) -> bool:
    """Whether dicts were written out with a key: to store there leaves all of their keys as they are."""
    text, displays = text_of(key.kind), interpreter.displays
    keys = [[text_of(v.kind) for v in displays.get(r) or ()] for r in regions]
    return text is not None and all(text in found for found in keys)


def texts_in(interpreter: Interpreter, kind: Kind) -> tuple[Value, ...]:
    """Return the texts in a list or tuple, or the keys of a dict, in order; none if it is not known."""
    if isinstance(kind, Tuple):
        values = tuple(map(Value, kind.items))
    else:
        regions = regions_of(kind) if isinstance(kind, (List, Dict)) else NOWHERE
        displays = interpreter.unchanged_displays() if len(regions) == 1 else {}
        values = displays.get(next(iter(regions)), ()) if displays else ()
    return values if _are_texts(values) else ()


def note_copied(interpreter: Interpreter, made: Kind, source: Kind) -> None:
    """Remember what a list is made of, in the order of another thing."""
    values = texts_in(interpreter, source) or interpreter.displayed(source)
    for region in regions_of(made):
        interpreter.displays[region] = values or None


def note_sorted(interpreter: Interpreter, made: Kind, source: Kind) -> None:
    """Remember which texts a list is made of, in their own order."""
    texts = sorted(texts_in(interpreter, source), key=lambda value: text_of(value.kind).value)  # type: ignore[union-attr]
    for region in regions_of(made):
        interpreter.displays[region] = tuple(texts) or None


def told_to_callee(interpreter: Interpreter, renaming: Renaming) -> Heap:
    """Tell a callee the texts in what it is given; nothing of what may be one of several things."""
    displays = interpreter.unchanged_displays()
    found: dict[Hashable, Value] = {}
    for inner, outer in renaming.backward.items():
        values = displays.get(next(iter(outer)), ()) if len(outer) == 1 else ()
        if _are_texts(values):
            found |= {(inner, i): value for i, value in enumerate(values)}
    return {_WRITTEN: found} if found else {}


def told_by_caller(heap: Slots) -> dict[Region, tuple[Value, ...] | None]:
    """Return the texts that a caller has told of."""
    found: dict[Region, tuple[Value, ...] | None] = {}
    for place, value in heap.get(_WRITTEN, {}).items():
        region: Region = place[0]  # type: ignore[index]
        found[region] = (*(found.get(region) or ()), value)
    return found


def without_what_is_told(heap: Slots) -> Heap:
    """Return what memory holds: what a caller tells is none."""
    return {region: dict(slots) for region, slots in heap.items() if region != _WRITTEN}


def told_by_callee(interpreter: Interpreter, callee: Callee, renaming: Renaming) -> None:
    """Remember the texts in what a callee made."""
    for region in told_by_caller(callee.heap).keys() - callee.facts.displays.keys():
        for owner in renaming.back(frozenset([region]), callee.point):
            interpreter.displays[owner] = None
    for region in callee.facts.heap.keys() - renaming.backward.keys():
        values = callee.facts.displays.get(region, ())
        for owner in renaming.back(frozenset([region]), callee.point):
            if _are_texts(values):
                interpreter.note_display(frozenset([owner]), list(values), callee.point)
            elif owner in interpreter.displays:
                interpreter.displays[owner] = None


def _are_texts(values: tuple[Value, ...]) -> bool:
    """Whether it is known of each of some values what text it is."""
    return bool(values) and all(text_of(value.kind) is not None for value in values)
