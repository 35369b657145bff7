"""Calls of code that is not looked into: what they are given may be stored into, unseen.

Libraries say which of their functions change what they are given; of anything else it is not known, and
so it may. The memory that such a call can reach counts as stored into, and as varying if any of it does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tapeless.analysis.abstract import NOTHING, Value, reachable
from tapeless.analysis.interpret.call_sites import CallSite
from tapeless.analysis.interpret.state import Interpreter
from tapeless.externals import is_of_python, is_runtime, package_of
from tapeless.kinds import (
    UNKNOWN,
    Function,
    Kind,
    Region,
    Sequence,
    Tuple,
    differentiable,
    regions_among,
)
from tapeless.rules.streams import draws_itself
from tapeless.rules.traits import traits_of
from tapeless.texts import of_any_value

_LOOKING = {"numpy", "scipy", "math", "cmath", "tapeless"}


def may_store(found: Any) -> bool:
    """Whether a function may change what it is given."""
    if traits_of(found).stores and not is_runtime(found):
        return True
    label = str(getattr(found, "__name__", ""))
    if isinstance(getattr(found, "__self__", None), np.ufunc):
        return label == "at"
    if label == "shuffle" and draws_itself(found):
        return True
    if any(getattr(found, "__self__", None) is cls for cls in (dict, bytes, str, int, float)):
        return False  # it makes a new one: `dict.fromkeys`
    described = getattr(found, "__objclass__", None)
    if described is not None:
        return not (described is np.ndarray or described in (str, tuple, frozenset, int, float))
    if package_of(found) == "_operator":
        return label.startswith(("i", "set", "del")) and not label.startswith(
            ("is_", "index", "inv")
        )
    return not is_of_python(found) and package_of(found) not in _LOOKING


def note_unseen(
    interpreter: Interpreter, values: Iterable[Value], into: list[Value] | None = None
) -> None:
    """Note that the present statement may store some values into all that can be reached from them.

    Or only `into` some of them.
    """
    values = list(values)
    captured = [v for value in values for v in _captured(interpreter, value.kind)]
    reached = [*values, *captured] if into is None else into
    interpreter.changes_unknown |= any(map(_lives_anywhere, reached))
    regions = reachable([v.kind for v in reached], interpreter.heap, regions_among)
    varied = any(map(interpreter.holds_varied, [*values, *captured]))
    _note_changed(interpreter, regions, varied)


def note_changed_among(interpreter: Interpreter, values: list[Value]) -> None:
    """Note that the present call may change what its values may be among others.

    A callee knows nothing of such a value, and cannot say that it changes it.
    """
    kinds = [v.kind for v in values]
    interpreter.changes_unknown |= any(map(_lives_anywhere, values))
    known = interpreter.held_by(kinds)
    _note_changed(interpreter, reachable(kinds, interpreter.heap, regions_among) - known, False)


def _lives_anywhere(value: Value) -> bool:
    return value.kind == UNKNOWN and not value.kind.among


def _note_changed(interpreter: Interpreter, regions: set[Region], varied: bool) -> None:
    """Note that the present statement may store into memory, unseen, and what varies if that does."""
    if not regions:
        return
    interpreter.stored |= regions
    forget_what_is_said(interpreter, regions)
    if varied or regions & interpreter.varied:
        let_hold_anything(interpreter, regions)
    noted = interpreter.unseen.setdefault(interpreter.statement, set())
    noted |= regions


def forget_what_is_said(interpreter: Interpreter, regions: set[Region]) -> None:
    """Note that what slots hold may become another text, truth or integer."""
    for region in regions & interpreter.heap.keys():
        for slot, held in list(interpreter.heap[region].items()):
            kind = of_any_value(held.kind)
            if kind != held.kind:
                interpreter.put(frozenset([region]), slot, Value(kind, held.varied))


def arrays_filled(found: Any, site: CallSite) -> list[Value] | None:
    """Return the arrays that a function of NumPy's puts numbers into; None where that is not known.

    An array takes the numbers, and holds nothing else that it is given.
    """
    places = traits_of(found).stores
    if package_of(found) != "numpy" or not places or max(places) >= len(site.values):
        return None
    return None if site.is_starred else [site.values[i] for i in places]


def let_hold_anything(interpreter: Interpreter, regions: set[Region]) -> None:
    """Note that memory may hold what carries a derivative, also where it held what carries none."""
    interpreter.varied |= regions
    for region in regions & interpreter.heap.keys():
        if not any(differentiable(slot.kind) for slot in interpreter.heap[region].values()):
            interpreter.put(frozenset([region]), "*", Value(UNKNOWN, True))


def part_of_unknown(interpreter: Interpreter, kind: Kind) -> Kind:
    """Return what is known of a part of something of which nothing is known: where it may live."""
    held = reachable([kind], interpreter.heap, regions_among) if kind.among else ()
    return Kind(among=frozenset(held)) if held else UNKNOWN


def _captured(interpreter: Interpreter, kind: Kind) -> list[Value]:
    """Return what local functions among the arguments can reach."""
    if isinstance(kind, Tuple):
        return [v for item in kind.items for v in _captured(interpreter, item)]
    if isinstance(kind, Sequence):
        return _captured(interpreter, kind.item)
    names = kind.captured if isinstance(kind, Function) else ()
    return [interpreter.env.get(c, NOTHING) for c in names]
