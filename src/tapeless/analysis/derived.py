"""Calls of derivative operators, and of what they make, inside a differentiated function.

`tl.grad(e)` of a local function `e` is a local function too: it captures what `e` captures. At a
call, what `e` captures is passed to it beside the arguments, as to any local function that is called,
so the derivative is taken of a function without free variables, with respect to its own arguments
alone. The text of that derivative is read back, and the call becomes a call of an ordinary function.
So levels cannot be mixed up: each is a function of its own, and what an inner level holds fixed is a
parameter that an outer level may vary.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from tapeless.analysis.interpret.binding import Default, bind_arguments, expression_of
from tapeless.analysis.interpret.call_sites import Argument, CallSite, captured_in
from tapeless.analysis.interpret.closures import open_closures, passed_on
from tapeless.analysis.interpret.containers import spread_items
from tapeless.analysis.interpret.state import Interpreter
from tapeless.analysis.interpret.summaries import argument_value, call_core, renamed_arguments
from tapeless.analysis.pullback_values import carries, pair_of_pullback
from tapeless.kinds import NONE, UNKNOWN, Function, Integer, Kind, Real, Tuple
from tapeless.ranks import literal
from tapeless.recompute import recompute_grad
from tapeless.tree.build import is_literal
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import unshadowed
from tapeless.tree.trees import Expr


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


def call_of_operator(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret a call of a derivative operator or of what it made; None for another function."""
    mode = operator_mode(found)
    if found is recompute_grad and isinstance(site.values[0].kind, Function):
        kind = site.values[0].kind
        if kind.captured or type(kind.value) is gast.FunctionDef:
            return Value(replace(kind, again=True))
    if mode == "jvp":
        return _call_of_jvp(interpreter, site)
    if mode == "vjp":
        return pair_of_pullback(interpreter, site)
    if mode is not None or found is recompute_grad:
        return _applied(interpreter, found, mode, site)
    gradients = gradients_of(found)
    return None if gradients is None else _call_of_gradients(interpreter, gradients, site)


def _static(kind: Kind) -> Any:
    """Return the object that a kind stands for where it is known, `...` where it is not."""
    if isinstance(kind, Function):
        local = kind.captured or isinstance(kind.value, (gast.FunctionDef, CoreFunction, Derived))
        return ... if local else kind.value
    if isinstance(kind, Tuple):
        items = [_static(item) for item in kind.items]
        return ... if ... in items else tuple(items)
    return literal(kind)


def _applied(
    interpreter: Interpreter, operator: Any, mode: str | None, site: CallSite
) -> Value | None:
    """Interpret `grad(f, ...)`: of a function known by identity, or of a local one.

    `recompute_grad` is called like an operator, and has no mode.
    """
    values = site.values
    known = [_static(v.kind) for v in values]
    keywords = {k: _static(v.kind) for k, v in site.named.items()}
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
    given = values[0] if values else site.named.get("f", NOTHING)
    options = [*known[1:], *(v for k, v in keywords.items() if k != "f")]
    if not isinstance(given.kind, Function) or ... in options:
        interpreter.refuse(
            site.tree,
            f"what `{gast.unparse(site.tree.func)}` differentiates is not known here",
            "give it a function by its name, and plain numbers and strings as options",
        )
    wrt = known[1] if len(known) > 1 else keywords.get("wrt", 0)
    derived = Derived(given.kind.value, mode, wrt, bool(keywords.get("has_aux", False)))
    return Value(Function(derived, given.kind.captured))


def _call_of_gradients(interpreter: Interpreter, gradients: Any, site: CallSite) -> Value | None:
    """Interpret the call of a derivative of a function known by identity."""
    target = gradients.target
    if target.bound or target.keywords or not site.given:
        return None
    core = interpreter.program.core(target.primal)
    called, dots = _without_directions(gradients.directions, site)
    passed = _bound_arguments(interpreter, core, called)
    if passed is None:
        return None
    inner, heap = renamed_arguments(interpreter, [argument.value for argument in passed])
    kinds = [v.kind for v in inner]
    made = gradients.for_kinds(_independents_real(core, kinds, gradients.wrt_names), heap)
    return _call_made(interpreter, made, [*passed, *dots], site.tree)


def _without_directions(count: int, site: CallSite) -> tuple[CallSite, tuple[Argument, ...]]:
    """Split the arguments of `hvp` from the direction that comes last."""
    if not count:
        return site, ()
    return replace(site, arguments=site.arguments[:-count]), site.arguments[-count:]


def _bound_arguments(
    interpreter: Interpreter, core: CoreFunction, site: CallSite
) -> list[Argument] | None:
    """Return an argument per parameter; None where a call does not fit, or is variadic."""
    bound = bind_arguments(core, site)
    if bound is None:
        return None
    passed = []
    for i, each in enumerate(bound):
        if isinstance(each, (list, dict)):
            return None
        value = passed_on(interpreter, argument_value(interpreter, core, each, i))
        passed.append(Argument(_literal_default(expression_of(each)), value))
    return passed


def _literal_default(bound: Any) -> Any:
    """Write a default as a literal where it is one: an array or object is named where it is passed."""
    plain = isinstance(bound, Default) and is_literal(bound.value)
    return gast.Constant(bound.value, None) if plain else bound


def _independents_real(core: CoreFunction, kinds: list[Kind], wrt: tuple[str, ...]) -> list[Kind]:
    """An integer that was named as an independent counts as a real number."""
    return [
        Real() if p in wrt and isinstance(kind, Integer) else kind
        for p, kind in zip(core.parameters, kinds, strict=True)
    ]


def _call_made(interpreter: Interpreter, made: Any, passed: list[Argument], tree: Expr) -> Value:
    """Interpret the call of a derivative that was read back."""
    interpreter.program.watched += made.watched
    interpreter.program.details |= made.details
    core = interpreter.program.core(made.function)
    return call_core(interpreter, core, CallSite(tree, tuple(passed)))


def call_of_derived(interpreter: Interpreter, kind: Function, site: CallSite) -> Value:
    """Interpret the call of a derivative of a local function."""
    if site.is_starred:
        return Value(UNKNOWN, any(map(interpreter.is_varied, site.values)))
    derived: Derived = kind.value
    core = _core_under(interpreter, derived)
    called, dots = _without_directions(derived.mode == "hvp", site)
    passed = _bound_arguments(interpreter, core, called)
    if passed is None:
        interpreter.refuse(
            site.tree,
            f"this call of a derivative of '{core.name}' does not fit its parameters, or they are "
            "variadic",
            "pass one argument for each parameter",
        )
    return _call_local(interpreter, kind, derived, core, passed, dots, site.tree)


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
    interpreter: Interpreter, kind: Function, derived: Derived, core: CoreFunction,
    passed: list[Argument], dots: Sequence[Argument], tree: Expr,
) -> Value:  # fmt: skip
    """Pass what is captured beside the arguments, and call the derivative for these kinds."""
    given = [*passed, *captured_in(interpreter.env, kind.captured)]
    incoming = [argument.value for argument in given]  # in terms of the callee's names, once opened
    opened, extra = open_closures(interpreter, core, incoming)
    given += captured_in(interpreter.env, extra)
    inner, heap = renamed_arguments(interpreter, incoming)
    made = _derive(interpreter, derived, opened, [v.kind for v in inner], heap)
    return _call_made(interpreter, made, [*given, *dots], tree)


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
        inner = None
        if isinstance(derived.of, Derived):
            inner = _derive(interpreter, derived.of, core, kinds, heap)
            function = inner.function
        local = {k: v for k, v in program.cores.items() if type(k) is gast.FunctionDef}
        bare = not isinstance(derived.wrt, tuple)
        request = Request(wrt, bare, derived.mode == "value_and_grad", derived.has_aux)
        title = f"{core.name.strip('_') or 'f'}_{derived.mode}"
        wanted = Wanted(derived.mode, request, tuple(kinds), heap, title, local, program.scalarize)
        program.again[key] = derive(function, wanted).depending_on(inner)
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


def _spelled_out_jvp(values: list[Value]) -> tuple[Function, tuple[Kind, ...]] | None:
    """Return a known function and its tangents, if it meets as many primals, each known by its place."""
    if len(values) != 3:
        return None
    function, primals, tangents = (v.kind for v in values)
    if not isinstance(function, Function) or not isinstance(primals, Tuple):
        return None
    if not isinstance(tangents, Tuple) or len(primals.items) != len(tangents.items):
        return None
    return function, tangents.items


def _call_of_jvp(interpreter: Interpreter, site: CallSite) -> Value | None:
    """Interpret `jvp(f, primals, tangents)` as a call of the tangent function of `f`."""
    tree, values = site.tree, site.values
    spelled = _spelled_out_jvp(values)
    if spelled is None:
        if values and is_bound(values[0].kind):
            return Value(UNKNOWN, True)  # it is spelled out as that of the function
        _refuse_jvp(interpreter, values, tree)
        return None
    function, kinds = spelled
    held = tuple(kind == NONE for kind in kinds)
    xs = spread_items(interpreter, site.arguments[1].tree, interpreter.env)
    spread = spread_items(interpreter, site.arguments[2].tree, interpreter.env)
    dots = [d for d, h in zip(spread, held, strict=True) if not h]
    local = isinstance(function.value, (gast.FunctionDef, CoreFunction, Derived))
    wrt = tuple(i for i, h in enumerate(held) if not h)
    derived = Derived(function.value, "jvp", wrt)
    tangents = None if local else tangents_of(function.value, held)
    core = (
        _core_under(interpreter, derived)
        if tangents is None
        else interpreter.program.core(tangents.target.primal)
    )
    passed = _bound_arguments(interpreter, core, CallSite(tree, tuple(xs)))
    if passed is None:
        _refuse_jvp(interpreter, values, tree)
        return None
    if tangents is None:
        return _call_local(interpreter, function, derived, core, passed, dots, tree)
    inner, heap = renamed_arguments(interpreter, [argument.value for argument in passed])
    made = tangents.for_kinds([v.kind for v in inner], heap)
    return _call_made(interpreter, made, [*passed, *dots], tree)


def _refuse_jvp(interpreter: Interpreter, values: list[Value], tree: Expr) -> None:
    """Refuse a call of `jvp` that cannot be read, unless nothing varies in it."""
    if any(carries(interpreter, v) for v in values):
        interpreter.refuse(
            tree,
            "this `tl.jvp` of what varies is not supported inside a differentiated function",
            "give it a function by its name, and the primals and tangents as tuples written out",
        )
