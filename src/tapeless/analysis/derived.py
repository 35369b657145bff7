"""Calls of derivative operators, and of what they make, inside a differentiated function.

`tl.grad(e)` of a local function `e` is a local function too: it captures what `e` captures. At a
call, what `e` captures is passed to it beside the arguments, as to any local function that is called,
so the derivative is taken of a function without free variables, with respect to its own arguments
alone. The text of that derivative is read back, and the call becomes a call of an ordinary function.
So levels cannot be mixed up: each is a function of its own, and what an inner level holds fixed is a
parameter that an outer level may vary.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import gast

from tapeless.analysis.abstract import NOTHING, Value
from tapeless.analysis.derivation import (
    Request,
    Wanted,
    derive,
    gradients_of,
    operator_mode,
    tangents_of,
)
from tapeless.analysis.facts import frozen
from tapeless.analysis.function_values import is_bound
from tapeless.analysis.interpret.binding import Default, bind_arguments
from tapeless.analysis.interpret.closures import open_closures, sealed
from tapeless.analysis.interpret.containers import spread_items
from tapeless.analysis.interpret.state import Interpreter
from tapeless.analysis.interpret.summaries import argument_value, call_core, renaming_of
from tapeless.analysis.pullback_values import carries, pair_of_pullback
from tapeless.analysis.ranks import literal
from tapeless.kinds import NONE, UNKNOWN, Function, Integer, Kind, Real, Tuple
from tapeless.recompute import recompute_grad
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import unshadowed


@dataclass(frozen=True)
class Derived:
    """A derivative operator applied to a local function.

    Attributes
    ----------
    of
        The definition of the local function, what `lifted` made of it, or another `Derived`.
    mode, wrt, has_aux
        As the operator was told.
    """

    of: Any
    mode: str
    wrt: Any = 0
    has_aux: bool = False


def call_of_operator(
    interpreter: Interpreter,
    found: Any,
    args: Any,
    values: Any,
    key_args: Any,
    key_values: Any,
    tree: Any,
) -> Value | None:
    """Interpret a call of a derivative operator or of what it made; None for another function."""
    mode = operator_mode(found)
    if found is recompute_grad and isinstance(values[0].kind, Function):
        kind = values[0].kind
        if kind.captured or isinstance(kind.value, gast.FunctionDef):
            return Value(replace(kind, again=True))
    if mode == "jvp":
        return _call_of_jvp(interpreter, args, values, tree)
    if mode == "vjp":
        return pair_of_pullback(interpreter, tree, values, interpreter.env)
    if mode is not None or found is recompute_grad:
        return _applied(interpreter, found, mode, values, key_values, tree)
    gradients = gradients_of(found)
    if gradients is None:
        return None
    return _call_of_gradients(interpreter, gradients, args, values, key_args, key_values, tree)


def _static(kind: Kind) -> Any:
    """Return the object that a kind stands for where it is known, `...` where it is not."""
    if isinstance(kind, Function):
        local = kind.captured or isinstance(kind.value, gast.FunctionDef | CoreFunction | Derived)
        return ... if local else kind.value
    if isinstance(kind, Tuple):
        items = [_static(item) for item in kind.items]
        return ... if ... in items else tuple(items)
    return literal(kind)


def _applied(
    interpreter: Interpreter,
    operator: Any,
    mode: str | None,
    values: Any,
    key_values: Any,
    tree: Any,
) -> Value | None:
    """Interpret `grad(f, ...)`: of a function known by identity, or of a local one.

    `recompute_grad` is called like an operator, and has no mode.
    """
    known = [_static(v.kind) for v in values]
    keywords = {k: _static(v.kind) for k, v in key_values.items()}
    if ... not in known and ... not in keywords.values():
        made = interpreter.program.again
        key = (operator, tuple(known), tuple(sorted(keywords.items())))
        if key not in made:
            made[key] = operator(*known, **keywords)
        return Value(Function(made[key]))
    if mode is None:
        return None
    if values and is_bound(values[0].kind):
        return Value(UNKNOWN, True)  # it is spelled out as the derivative of the function
    given = values[0] if values else key_values.pop("f", NOTHING)
    options = [*known[1:], *(v for k, v in keywords.items() if k != "f")]
    if not isinstance(given.kind, Function) or ... in options:
        interpreter.refuse(
            tree,
            f"what `{gast.unparse(tree.func)}` differentiates is not known here",
            "give it a function by its name, and plain numbers and strings as options",
        )
    wrt = known[1] if len(known) > 1 else keywords.get("wrt", 0)
    derived = Derived(given.kind.value, mode, wrt, bool(keywords.get("has_aux", False)))
    return Value(Function(derived, given.kind.captured))


def _call_of_gradients(
    interpreter: Interpreter, gradients: Any, args: Any, values: Any, key_args: Any, key_values: Any,
    tree: Any,
) -> Value | None:  # fmt: skip
    """Interpret the call of a derivative of a function known by identity."""
    target = gradients.target
    if target.bound or target.keywords or len(args) + len(key_args) == 0:
        return None
    core = interpreter.program.core(target.primal)
    args, dots = _without_directions(gradients.directions, args)
    bound = _bound_arguments(interpreter, core, args, values, key_args, key_values)
    if bound is None:
        return None
    passed, incoming = bound
    renaming = renaming_of(interpreter)
    inner, heap = renaming.arguments(incoming)
    kinds = [v.kind for v in inner]
    made = gradients.for_kinds(_independents_real(core, kinds, gradients.wrt_names), heap)
    return _call_made(interpreter, made, passed, incoming, dots, values, tree)


def _without_directions(count: int, args: list[Any]) -> tuple[list[Any], list[Any]]:
    """Split the arguments of `hvp` from the direction that comes last."""
    return (args[:-count], args[-count:]) if count else (args, [])


def _bound_arguments(
    interpreter: Interpreter, core: CoreFunction, args: Any, values: Any, key_args: Any,
    key_values: Any,
) -> tuple[list[Any], list[Value]] | None:  # fmt: skip
    """Return an expression and a value per parameter; None where a call does not fit, or is variadic."""
    bound = bind_arguments(core, args, key_args)
    if bound is None or any(isinstance(b, list | dict) for b in bound):
        return None
    known = {id(a): v for a, v in zip(args, values, strict=False)}
    known |= {id(key_args[k]): v for k, v in key_values.items()}
    found = [argument_value(interpreter, core, b, known, i) for i, b in enumerate(bound)]
    incoming = [v if isinstance(v.kind, Function) else sealed(interpreter, v) for v in found]
    return [_literal_default(b) for b in bound], incoming


def _literal_default(bound: Any) -> Any:
    """Write a default as a literal where it is one: an array or object is named where it is passed."""
    plain = isinstance(bound, Default) and type(bound.value) in (bool, int, float, str, type(None))
    return gast.Constant(bound.value, None) if plain else bound


def _independents_real(core: CoreFunction, kinds: list[Kind], wrt: tuple[str, ...]) -> list[Kind]:
    """An integer that was named as an independent counts as a real number."""
    return [
        Real() if p in wrt and isinstance(kind, Integer) else kind
        for p, kind in zip(core.parameters, kinds, strict=True)
    ]


def _call_made(
    interpreter: Interpreter, made: Any, passed: list[Any], incoming: list[Value], dots: list[Any],
    values: Any, tree: Any,
) -> Value:  # fmt: skip
    """Interpret the call of a derivative that was read back."""
    interpreter.program.watched += made.watched
    core = interpreter.program.core(made.function)
    given = [*incoming, *values[len(values) - len(dots) :]]
    found: Value = call_core(interpreter, core, [*passed, *dots], given, {}, {}, tree, [], [])
    return found


def call_of_derived(
    interpreter: Interpreter, kind: Function, args: Any, values: Any, key_args: Any, key_values: Any,
    tree: Any,
) -> Value:  # fmt: skip
    """Interpret the call of a derivative of a local function."""
    if any(isinstance(arg, gast.Starred) for arg in args):
        return Value(UNKNOWN, any(map(interpreter.is_varied, values)))
    derived: Derived = kind.value
    core = _core_under(interpreter, derived)
    args, dots = _without_directions(derived.mode == "hvp", args)
    bound = _bound_arguments(interpreter, core, args, values, key_args, key_values)
    if bound is None:
        interpreter.refuse(
            tree,
            f"this call of a derivative of '{core.name}' does not fit its parameters, or they are "
            "variadic",
            "pass one argument for each parameter",
        )
    return _call_local(interpreter, kind, derived, core, *bound, dots, values, tree)


def _core_under(interpreter: Interpreter, derived: Derived) -> CoreFunction:
    of = derived.of
    while isinstance(of, Derived):
        if of.mode == "hvp":
            interpreter.refuse_here(
                "the derivative of a Hessian-vector product is not supported",
                "take the derivative of a function that calls tl.hvp",
            )
        of = of.of
    core: CoreFunction = interpreter.program.core(interpreter.program.cores.get(of, of))
    return core


def _call_local(
    interpreter: Interpreter, kind: Function, derived: Derived, core: CoreFunction, passed: list[Any],
    incoming: list[Value], dots: list[Any], values: Any, tree: Any,
) -> Value:  # fmt: skip
    """Pass what is captured beside the arguments, and call the derivative for these kinds."""
    captured = list(kind.captured)
    incoming = [*incoming, *(interpreter.env.get(c, NOTHING) for c in captured)]
    given = list(incoming)  # as the call passes it: what is opened speaks of the callee's names
    opened, extra = open_closures(interpreter, core, incoming)
    outside = [interpreter.env.get(c, NOTHING) for c in extra]
    passed = [*passed, *(gast.Name(c, gast.Load(), None, None) for c in [*captured, *extra])]
    renaming = renaming_of(interpreter)
    inner, heap = renaming.arguments(incoming)
    made = _derive(interpreter, derived, opened, [v.kind for v in inner], heap)
    return _call_made(interpreter, made, passed, [*given, *outside], dots, values, tree)


def _derive(
    interpreter: Interpreter, derived: Derived, core: CoreFunction, kinds: list[Kind], heap: Any
) -> Any:
    """Return the derivative of a local function for these kinds, made once."""
    program = interpreter.program
    wrt = _names(interpreter, derived, core)
    kinds = _independents_real(core, kinds, wrt)
    key = (derived, core, tuple(kinds), frozen(heap))
    if key not in program.again:
        function: Any = core
        watched = []
        if isinstance(derived.of, Derived):
            inner = _derive(interpreter, derived.of, core, kinds, heap)
            function, watched = inner.function, inner.watched
        local = {k: v for k, v in program.cores.items() if isinstance(k, gast.FunctionDef)}
        bare = not isinstance(derived.wrt, tuple)
        request = Request(wrt, bare, derived.mode == "value_and_grad", derived.has_aux)
        title = f"{core.name.strip('_') or 'f'}_{derived.mode}"
        wanted = Wanted(derived.mode, request, tuple(kinds), heap, title, local)
        program.again[key] = derive(function, wanted).depending_on(watched)
    return program.again[key]


def _names(interpreter: Interpreter, derived: Derived, core: CoreFunction) -> tuple[str, ...]:
    """Return the names of the independents."""
    own = [p for p in core.parameters if p not in core.captured]
    found = []
    for item in derived.wrt if isinstance(derived.wrt, tuple) else (derived.wrt,):
        item = unshadowed(item) if isinstance(item, str) else item
        known = item in own if isinstance(item, str) else -len(own) <= item < len(own)
        if not known:
            interpreter.refuse_here(
                f"wrt={item!r}, but '{core.name}' has the parameters {', '.join(own)}",
                "count from 0, or give the parameter's name",
            )
        found.append(item if isinstance(item, str) else own[item])
    return tuple(found)


def _spells_out_jvp(values: Any) -> bool:
    """Whether a known function meets as many primals as tangents, each known by its place."""
    if len(values) != 3:
        return False
    function, primals, tangents = (v.kind for v in values)
    known = isinstance(primals, Tuple) and isinstance(tangents, Tuple)
    return isinstance(function, Function) and known and len(primals.items) == len(tangents.items)


def _call_of_jvp(interpreter: Interpreter, args: Any, values: Any, tree: Any) -> Value | None:
    """Interpret `jvp(f, primals, tangents)` as a call of the tangent function of `f`."""
    if not _spells_out_jvp(values):
        if values and is_bound(values[0].kind):
            return Value(UNKNOWN, True)  # it is spelled out as that of the function
        _refuse_jvp(interpreter, values, tree)
        return None
    function, _, tangents = (v.kind for v in values)
    held = tuple(kind == NONE for kind in tangents.items)
    xs = spread_items(interpreter, args[1], interpreter.env)
    spread = spread_items(interpreter, args[2], interpreter.env)
    dots = [d for d, h in zip(spread, held, strict=True) if not h]
    dot_trees, dot_values = [e for e, _ in dots], [v for _, v in dots]
    local = isinstance(function.value, gast.FunctionDef | CoreFunction | Derived)
    wrt = tuple(i for i, h in enumerate(held) if not h)
    derived = Derived(function.value, "jvp", wrt)
    tangents = None if local else tangents_of(function.value, held)
    core = (
        _core_under(interpreter, derived)
        if tangents is None
        else interpreter.program.core(tangents.target.primal)
    )
    bound = _bound_arguments(interpreter, core, [e for e, _ in xs], [v for _, v in xs], {}, {})
    if bound is None:
        _refuse_jvp(interpreter, values, tree)
        return None
    if tangents is None:
        return _call_local(
            interpreter, function, derived, core, *bound, dot_trees, dot_values, tree
        )
    passed, incoming = bound
    renaming = renaming_of(interpreter)
    inner, heap = renaming.arguments(incoming)
    made = tangents.for_kinds([v.kind for v in inner], heap)
    return _call_made(interpreter, made, passed, incoming, dot_trees, dot_values, tree)


def _refuse_jvp(interpreter: Interpreter, values: list[Value], tree: Any) -> None:
    """Refuse a call of `jvp` that cannot be read, unless nothing varies in it."""
    if any(carries(interpreter, v) for v in values):
        interpreter.refuse(
            tree,
            "this `tl.jvp` of what varies is not supported inside a differentiated function",
            "give it a function by its name, and the primals and tangents as tuples written out",
        )
