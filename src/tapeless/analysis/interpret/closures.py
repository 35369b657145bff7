"""What local functions capture.

A local function is known by its definition and by the names it captures, which mean something where it
was defined alone. Passed to a callee, it brings what it captures along: the callee gets a parameter for
each captured name. Anywhere else, beyond the reach of its names, it is an unknown thing that varies if
what it captures does.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tapeless.analysis.abstract import NOTHING, Value
from tapeless.kinds import UNKNOWN, Function, Functions, Items, Kind, Sequence
from tapeless.tree.function import CoreFunction

if TYPE_CHECKING:
    from tapeless.analysis.interpret.interpreter import Interpreter


def closes_over_varied(
    interpreter: Interpreter, kind: Kind, met: frozenset[str] = frozenset()
) -> bool:
    """Say whether a kind is, or holds, a local function that captures what varies.

    The names in `met` are looked at already: a function may capture itself.
    """
    captured = {c for function in functions_in(kind) for c in function.captured} - met
    return any(
        interpreter.is_varied(v) or closes_over_varied(interpreter, v.kind, met | captured)
        for v in (interpreter.env.get(c, NOTHING) for c in captured)
    )


def unknown_result(interpreter: Interpreter, given: list[Value]) -> Value:
    """Give what an unknown function returns: it may use all that it is given, closures included."""
    varied = any(
        interpreter.holds_varied(v) or closes_over_varied(interpreter, v.kind) for v in given
    )
    return Value(UNKNOWN, varied)


def sealed(interpreter: Interpreter, value: Value) -> Value:
    """Give what another function sees of a value: what a closure captures is out of reach."""
    closures = [k for k in functions_in(value.kind) if k.captured]
    if not closures:
        return value
    varied = any(closes_over_varied(interpreter, k) for k in closures)
    return Value(_without_closures(value.kind), value.varied or varied)


def open_closures(
    interpreter: Interpreter, core: CoreFunction, incoming: list[Value]
) -> tuple[CoreFunction, list[str]]:
    """Pass what a local function captures beside it: the callee gets a parameter for each."""
    opened: list[tuple[str, str]] = []
    extra: list[str] = []
    taken = core.names()
    for i, (parameter, value) in enumerate(zip(core.parameters, list(incoming), strict=True)):
        if not isinstance(value.kind, Function) or not value.kind.captured:
            continue
        names = []
        for captured in value.kind.captured:
            fresh = f"{parameter}_{captured}"
            while fresh in taken:
                fresh += "_"
            taken.add(fresh)
            names.append(fresh)
            opened.append((parameter, fresh))
            extra.append(captured)
        incoming[i] = Value(replace(value.kind, captured=tuple(names)))
    if not opened:
        return core, []
    return interpreter.effects.opened(core, tuple(fresh for _, fresh in opened)), extra


def functions_in(kind: Kind) -> list[Function]:
    """List the functions that a value is, may be or holds in a tuple."""
    if isinstance(kind, Items):
        return [found for item in kind.items for found in functions_in(item)]
    if isinstance(kind, Sequence):
        return functions_in(kind.item)
    if isinstance(kind, Functions):
        return kind.options
    return [kind] if isinstance(kind, Function) else []


def _without_closures(kind: Kind) -> Kind:
    if isinstance(kind, Items):
        return replace(kind, items=tuple(_without_closures(item) for item in kind.items))
    if isinstance(kind, Sequence):
        return Sequence(_without_closures(kind.item))
    captures = any(found.captured for found in functions_in(kind))
    return UNKNOWN if captures else kind
