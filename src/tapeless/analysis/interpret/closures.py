"""What local functions capture.

A local function is known by its definition and by the names it captures, which mean something where it
was defined alone. Passed to a callee, it brings what it captures along: the callee gets a parameter for
each captured name. Anywhere else, beyond the reach of its names, it is an unknown thing that varies if
what it captures does.
"""

from __future__ import annotations

from dataclasses import replace

from tapeless.analysis.abstract import NOTHING, Value
from tapeless.analysis.interpret.state import Interpreter
from tapeless.kinds import UNKNOWN, Function, Kind, Sequence, Tuple, functions_in, moving
from tapeless.tree.function import CoreFunction


def closes_over_varied(
    interpreter: Interpreter, kind: Kind, met: frozenset[str] = frozenset()
) -> bool:
    """Whether a kind is, or holds, a local function that captures what varies.

    The names in `met` are looked at already: a function may capture itself.
    """
    captured = {c for function in functions_in(kind) for c in function.captured} - met
    return any(
        interpreter.is_varied(v) or closes_over_varied(interpreter, v.kind, met | captured)
        for v in (interpreter.env.get(c, NOTHING) for c in captured)
    )


def unknown_result(interpreter: Interpreter, given: list[Value]) -> Value:
    """Return what an unknown function returns: it may use all that it is given, closures included."""
    varied = any(
        interpreter.holds_varied(v) or closes_over_varied(interpreter, v.kind) for v in given
    )
    return Value(UNKNOWN, varied)


def sealed(interpreter: Interpreter, value: Value) -> Value:
    """Return what another function sees of a value: what a closure captures is out of reach."""
    closures = [k for k in functions_in(value.kind) if k.captured]
    if not closures:
        return value
    kind = _without_closures(value.kind)
    if any(closes_over_varied(interpreter, k) or _reaches_memory(interpreter, k) for k in closures):
        return Value(moving(kind), True)  # which item it is that varies, nobody sees any more
    return Value(kind, value.varied)


def _reaches_memory(
    interpreter: Interpreter, function: Function, met: frozenset[str] = frozenset()
) -> bool:
    """Whether a local function captures what may come to hold what varies, though it does not yet."""
    captured = set(function.captured) - met
    kinds = [interpreter.env.get(c, NOTHING).kind for c in captured]
    inner = [f for kind in kinds for f in functions_in(kind)]
    return bool(interpreter.held_by(kinds)) or any(
        _reaches_memory(interpreter, f, met | captured) for f in inner
    )


def passed_on(interpreter: Interpreter, value: Value) -> Value:
    """Return what a callee sees of what it is passed: a local function brings along what it captures."""
    return value if isinstance(value.kind, Function) else sealed(interpreter, value)


def open_closures(
    interpreter: Interpreter, core: CoreFunction, incoming: list[Value]
) -> tuple[CoreFunction, list[str]]:
    """Pass what local functions capture beside them: the callee gets a parameter for each name.

    What is captured may be a local function itself. A parameter is called after the name in the
    definition, so that a recursion which passes a function on comes to the same callee again.

    Returns
    -------
    The callee with these parameters, and the names that they are given.
    """
    fresh: dict[str, str] = {}  # by the name here
    if not any(isinstance(v.kind, Function) and v.kind.captured for v in incoming):
        return core, []
    taken = core.names()
    waiting = list(zip(core.parameters, incoming, strict=True))
    for i, (parameter, value) in enumerate(waiting):  # which grows
        kind = value.kind
        if not isinstance(kind, Function) or not kind.captured:
            continue
        labels = _names_in_definition(interpreter, kind)
        for captured, label in zip(kind.captured, labels, strict=True):
            if captured not in fresh:
                key = f"{parameter}_{label}"
                while key in taken:
                    key += "_"
                taken.add(key)
                fresh[captured] = key
                given = interpreter.env.get(captured, NOTHING)
                waiting.append((key, passed_on(interpreter, given)))
        renamed = replace(kind, captured=tuple(fresh[c] for c in kind.captured))
        waiting[i] = parameter, Value(renamed)
    if not fresh:
        return core, []
    incoming[:] = [value for _, value in waiting]
    return interpreter.program.opened(core, tuple(fresh.values())), list(fresh)


def _names_in_definition(interpreter: Interpreter, kind: Function) -> tuple[str, ...]:
    """Return what the names that a function captures are called where it is defined."""
    defined = interpreter.program.cores.get(kind.value)
    return kind.captured if defined is None else defined.captured


def _without_closures(kind: Kind) -> Kind:
    if isinstance(kind, Tuple):
        return replace(kind, items=tuple(_without_closures(item) for item in kind.items))
    if isinstance(kind, Sequence):
        return replace(kind, item=_without_closures(kind.item))
    captures = any(found.captured for found in functions_in(kind))
    return UNKNOWN if captures else kind
