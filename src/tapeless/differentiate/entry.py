"""The function that a user calls: a gradient, or a value with its pullback.

Of what it returns nothing is shared with an argument, a seed or another result, every gradient is full
and has the structure and dtype of its argument, and state outside ends as after one plain call. A
function with one way out has both sweeps in one function; others are called by their split derivative.
"""

from __future__ import annotations

import copy
from typing import Any

import gast

from tapeless.analysis.abstract import Heap, Value, reachable, variable_region
from tapeless.analysis.derivation import Request
from tapeless.analysis.facts import Callee, Facts, facts_within
from tapeless.analysis.logs import rules_within
from tapeless.differentiate.custom.raising import grad_may_raise, rule_may_raise
from tapeless.differentiate.module import Module
from tapeless.differentiate.outside import state_kept
from tapeless.differentiate.recalled import recalled_by_parts
from tapeless.differentiate.reverse.accumulate import Holds
from tapeless.differentiate.reverse.held_outside import is_handed_over
from tapeless.differentiate.reverse.run import ReverseRun
from tapeless.differentiate.reverse.split import making_memory, seed_return, write_sweeps
from tapeless.differentiate.reverse.state import Sweep
from tapeless.differentiate.reverse.taking import found_in_memory
from tapeless.differentiate.splits import Split
from tapeless.kinds import (
    UNREACHED,
    Array,
    Kind,
    Number,
    Real,
    Region,
    Sparse,
    Tuple,
    differentiable,
    is_container,
    regions_of,
)
from tapeless.regions import is_outside
from tapeless.tree.build import (
    assign,
    at_line_of,
    const,
    fill,
    name,
    quote,
    quote_expression,
    target,
)
from tapeless.tree.comments import Role, comment
from tapeless.tree.endings import own_jumps
from tapeless.tree.function import CoreFunction, make_function
from tapeless.tree.names import Names, binds, reads
from tapeless.tree.trees import Expr
from tapeless.variables import Variable, identifier_of


def write_gradient(
    module: Module, function: CoreFunction, facts: Facts, values: tuple[Value, ...], heap: Heap,
    request: Request, label: str,
) -> None:  # fmt: skip
    """Write the gradient of a function with a scalar result as one function."""
    parameters = function.parameters
    kinds = dict(zip(parameters, (v.kind for v in values), strict=True))
    module.names.taken |= function.names() | {label}

    def prepare(sweep: Sweep) -> None:
        sweep.seed = lambda s, r: seed_return(s, r, seed_of(request), apart=True)

    returns = [j for s in function.tree.body for j in own_jumps(s)]
    one_way = len(returns) == 1 and function.tree.body[-1] is returns[0]
    if not one_way or may_break_off(module, facts, values, heap):
        write_through_split(module, function, facts, values, heap, request, label)
        return

    def conclude(sweep: Sweep) -> None:
        results = [final_adjoint(sweep, key, kinds[key]) for key in request.wrt]
        made = gast.Return(asked_for(sweep, results, request))
        sweep.out.append(at_line_of(made, returns[0]))

    written = write_sweeps(module, function, facts, prepare, conclude)
    sweep = written.sweep
    forward = [s for s in written.forward if type(s) is not gast.Return]
    *reverse, last = written.reverse
    result = last.value
    start, end = state_kept(sweep)
    reverse = making_memory(sweep, [*start, *reverse, *end])
    value = returns[0].value
    if request.with_value or request.has_aux:
        bound = set().union(*(binds(s) for s in reverse))
        undone = may_be_undone(facts, sweep.undone)
        if undone or type(value) is gast.Name and value.id in bound:
            kept = sweep.names.fresh("y")
            forward.append(assign(kept, copied(sweep, value) if undone else value))
            value = name(kept)
        result = with_value_or_aux(result, value, request)
    forward += scalar_checked(sweep, facts, value, request)
    body = [comment("Forward sweep", Role.FORWARD), *forward]
    body += [comment("Reverse sweep", Role.REVERSE), *reverse]
    body.append(gast.Return(result))
    module.add(make_function(label, parameters, body, function), sweep)


def kind_of_scalar(kind: Kind, has_aux: bool) -> Kind:
    """Return the kind of what the gradient is taken of: of the first item where another comes beside."""
    if has_aux and isinstance(kind, Tuple) and len(kind.items) == 2:
        return kind.items[0]
    return kind


def scalar_checked(sweep: Sweep, facts: Facts, y: Any, request: Request) -> list[Any]:
    """Write the check that the result is a real scalar, unless its kind says so.

    Where only annotations are known a number counts as one.
    """
    kind = kind_of_scalar(facts.returned.kind, request.has_aux)
    if kind == UNREACHED or isinstance(kind, Real) and kind.dtype[0] == "f":
        return []
    if isinstance(kind, Array) and kind.dims == () and kind.dtype[0] == "f":
        return []
    if sweep.module.given.nothing and isinstance(kind, (Number, Real)):
        return []
    if request.has_aux:
        y = gast.Subscript(y, const(0), gast.Load())
    return [gast.Expr(gast.Call(name(sweep.runtime("check_scalar")), [y], []))]


def seed_of(request: Request) -> Any:
    """Return the seed of a scalar result, with nothing for what comes beside it."""
    if request.has_aux:
        return gast.List([const(1.0), const(0.0)], gast.Load())
    return const(1.0)


def may_break_off(module: Module, facts: Facts, values: tuple[Value, ...], heap: Heap) -> bool:
    """Whether code of the user's runs, and may raise, while the reverse sweep undoes stores."""
    if module.for_higher_order:
        return False
    undone = {r for r in facts.stored if is_outside(r)}
    undone |= facts.stored & reachable([v.kind for v in values], heap)
    if not undone:
        return False
    everywhere = facts_within(facts)
    bodies = (body for each in everywhere for body in each.custom_calls.values())
    rules = (rule.function for _, _, rule in rules_within(everywhere))
    return any(map(grad_may_raise, bodies)) or any(map(rule_may_raise, rules))


def with_arguments_put_back(
    sweep: Sweep, stored: list[str], reverse: list[Any], end: list[Any]
) -> tuple[list[Any], list[Any]]:
    """Let a reverse sweep that breaks off leave arguments as they were, and state as it ends.

    Returns
    -------
    What keeps the arguments before the forward sweep, and the reverse sweep.
    """
    before: list[Any] = []
    handled: list[Any] = []
    if stored:
        kept = sweep.names.fresh("before")
        keeper = name(sweep.runtime("held_before"))
        before = [assign(kept, gast.Call(keeper, [name(p) for p in stored], []))]
        handled = quote("k.put_back()", k=kept)
    handled += [*copy.deepcopy(end), gast.Raise(None, None)]
    everything = gast.Name("BaseException", gast.Load(), None, None)
    return before, [gast.Try(reverse, [gast.ExceptHandler(everything, None, handled)], [], [])]


def write_through_split(
    module: Module, function: CoreFunction, facts: Facts, values: tuple[Value, ...], heap: Heap,
    request: Request, label: str,
) -> None:  # fmt: skip
    """Write the gradient of a function that can return in several places by its split derivative."""
    callee = Callee(function, values, heap, tuple(function.parameters), facts, {})
    split = module.write_outer_split(callee, undoes=True)
    sweep = ReverseRun(function, facts, module, Names(function.names() | module.names.taken))
    y, saved = sweep.names.fresh("y"), sweep.names.fresh("saved")
    forward = call_forward(split, function, y, saved)
    reverse = call_reverse(sweep, split, values, name(saved), seed_of(request))
    kinds = dict(zip(function.parameters, (v.kind for v in values), strict=True))
    sweep.out = []
    results = [final_adjoint(sweep, key, kinds[key]) for key in request.wrt]
    sweep.undone |= facts.with_passed_on(facts.stored) if split.undone is None else split.undone
    result = asked_for(sweep, results, request)
    start, end = state_kept(sweep)
    before: list[Any] = []
    if may_break_off(module, facts, values, heap):
        stored = stored_parameters(sweep, values, heap)
        before, reverse = with_arguments_put_back(sweep, stored, reverse, end)
    reverse = making_memory(sweep, [*start, *reverse, *sweep.out, *end])
    body = [*before, forward]
    if (request.with_value or request.has_aux) and may_be_undone(facts, split.undone or set()):
        kept = sweep.names.fresh("y")
        body.append(assign(kept, copied(sweep, name(y))))
        y = kept
    result = with_value_or_aux(result, name(y), request)
    body += [*scalar_checked(sweep, facts, name(y), request), *reverse, gast.Return(result)]
    module.add(make_function(label, function.parameters, body, function), sweep)


def asked_for(sweep: Sweep, results: list[Any], request: Request) -> Any:
    """Return what the derivative function returns: gradients of arguments, then of Variables."""
    if request.picks is not None:
        results = picked(sweep, results, request)
    if request.variables is None:
        return results[0] if request.bare else gast.Tuple(results, gast.Load())
    of_variables = gradients_of_variables(sweep, request.variables)
    if request.bare and not results:
        return of_variables
    result = results[0] if request.bare else gast.Tuple(results, gast.Load())
    return gast.Tuple([result, of_variables], gast.Load())


def picked(sweep: Sweep, results: list[Any], request: Request) -> list[Any]:
    """Take the gradients of single items of `*args` out of the gradient of all of them.

    What is asked for twice is copied: results share no memory.
    """
    whole: dict[str, Any] = {}
    for key, result in zip(request.wrt, results, strict=True):
        whole[key] = result
        if type(result) is not gast.Name:
            bar = sweep.names.fresh(f"{key}_bar")
            sweep.out.append(assign(bar, result))
            whole[key] = name(bar)
    made: list[Any] = []
    picks = request.picks or ()
    for i, (key, item) in enumerate(picks):
        found = whole[key]
        if item is not None:
            found = gast.Subscript(found, const(item), gast.Load())
        if (key, item) in picks[:i]:
            found = gast.Call(name(sweep.runtime("private")), [found], [])
        made.append(found)
    return made


def gradients_of_variables(sweep: Sweep, variables: tuple[Variable, ...]) -> Any:
    """Write the list of the gradients of Variables, zeros for one that is not read."""
    made: list[Any] = []
    for variable in variables:
        label = sweep.splicer.external(variable, identifier_of(variable))
        g: Any = const(0.0)
        if sweep.memory is not None and variable_region(variable) in sweep.regions_in_memory:
            g = quote_expression("m[w]", m=sweep.memory, w=label)
        finisher = sweep.runtime("as_gradient")
        made.append(quote_expression("f(g, w)", f=finisher, g=g, w=label))
    return gast.List(made, gast.Load())


def may_be_undone(facts: Facts, undone: set[Region]) -> bool:
    """Whether the reverse sweep may undo a store into what a function returns.

    State outside ends as the forward sweep left it, returned or not.
    """
    returned = reachable([facts.returned.kind], facts.heap)
    return any(r in undone and not is_outside(r) for r in returned)


def copied(sweep: Sweep, value: Any) -> Any:
    """Write a copy of what is returned, as it is at the end of the forward sweep."""
    kind = sweep.facts.returned.kind
    if isinstance(kind, Array):
        return quote_expression("x.copy()", x=value)
    return gast.Call(name(sweep.runtime("private")), [value], [])


def with_value_or_aux(result: Any, y: Any, request: Request) -> Any:
    """Add the value, or what came beside it, to what the gradient function returns."""
    if request.with_value:
        return gast.Tuple([y, result], gast.Load())
    if request.has_aux:
        return gast.Tuple([result, gast.Subscript(y, const(1), gast.Load())], gast.Load())
    return result


def call_forward(split: Split, function: CoreFunction, y: str, saved: str) -> Any:
    """Write `y, saved = f_fwd(...)`."""
    place = gast.Tuple([target(y), target(saved)], gast.Store())
    call = gast.Call(name(split.forward), [name(p) for p in function.parameters], [])
    return gast.Assign([place], call, None)


def call_reverse(
    sweep: Sweep, split: Split, values: tuple[Value, ...], saved: Any, seed: Expr
) -> list[Any]:
    """Write the call of a split derivative's reverse sweep and bind the adjoints."""
    parameters = sweep.function.parameters
    kinds = dict(zip(parameters, (v.kind for v in values), strict=True))
    made: list[Any] = []
    passed: list[Any] = []
    for i in split.shadows:
        bar = sweep.bar(parameters[i], kinds[parameters[i]])
        made.append(assign(bar, sweep.adjoints.zero_of(parameters[i], kinds[parameters[i]])))
        sweep.adjoints.set(bar, Holds.OWNED)
        passed.append(name(bar))
    if split.memory:
        passed.append(name(sweep.memory_name()))
    call = gast.Call(name(split.reverse), [saved, seed, *passed], [])
    bars = [sweep.bar(parameters[i], kinds[parameters[i]]) for i in split.values]
    for bar, fresh in zip(bars, split.fresh, strict=True):
        sweep.adjoints.set(bar, Holds.OWNED if fresh else Holds.SHARED)
    if len(bars) == 1:
        made.append(assign(bars[0], call))
    elif bars:
        made.append(gast.Assign([gast.Tuple([target(b) for b in bars], gast.Store())], call, None))
    else:
        made.append(gast.Expr(call))
    return made


def write_pullback(
    module: Module, function: CoreFunction, facts: Facts, values: tuple[Value, ...], heap: Heap,
    label: str, variables: tuple[Variable, ...] | None = None,
) -> None:  # fmt: skip
    """Write the function that returns the value and a pullback that can run any number of times.

    The forward sweep works on private copies of the arguments that are stored into, the pullback on
    copies of all that it reads: nothing of the caller's moves, and whatever the caller changes
    afterwards is not seen.
    """
    callee = Callee(function, values, heap, tuple(function.parameters), facts, {})
    module.names.taken.add(label)
    split = module.write_outer_split(callee, undoes=False)
    sweep = ReverseRun(function, facts, module, Names(function.names() | module.names.taken))
    y, saved, y_bar = (sweep.names.fresh(n) for n in ("y", "saved", "y_bar"))
    body = copies_of_stored(sweep, values, heap)
    body.append(call_forward(split, function, y, saved))
    inner = pullback_body(sweep, split, values, name(saved), y_bar, variables)
    body += apart(sweep, split, values, saved, inner)
    body.append(make_function("pullback", [y_bar], inner, function))
    result: Any = name(y)
    kind = facts.returned.kind
    if (facts.stored and regions_of(kind)) or is_container(kind) or isinstance(kind, Tuple):
        result = gast.Call(name(sweep.runtime("private")), [result], [])
    body.append(gast.Return(gast.Tuple([result, name("pullback")], gast.Load())))
    module.add(make_function(label, function.parameters, body, function), sweep)


def copies_of_stored(sweep: Sweep, values: tuple[Value, ...], heap: Heap) -> list[Any]:
    """Write private copies of the arguments in which anything is stored into."""
    stored = stored_parameters(sweep, values, heap)
    if not stored:
        return []
    place = gast.Tuple([target(p) for p in stored], gast.Store())
    everything = gast.Tuple([name(p) for p in stored], gast.Load())
    copies = gast.Call(name(sweep.runtime("private")), [everything], [])
    return [gast.Assign([place], copies, None)]


def stored_parameters(sweep: Sweep, values: tuple[Value, ...], heap: Heap) -> list[str]:
    """Return the parameters in which, or in what they hold, anything is stored into."""
    return [
        p
        for p, v in zip(sweep.function.parameters, values, strict=True)
        if reachable([v.kind], heap) & sweep.facts.stored
    ]


def pullback_body(
    sweep: Sweep, split: Split, values: tuple[Value, ...], saved: Any, y_bar: str,
    variables: tuple[Variable, ...] | None = None,
) -> list[Any]:  # fmt: skip
    """Write the body of a pullback."""
    reverse = call_reverse(sweep, split, values, saved, name(y_bar))
    sweep.out = []
    results = []
    for key, value in zip(sweep.function.parameters, values, strict=True):
        if not differentiable(value.kind) or not value.varied:
            results.append(const(None))
            continue
        result = final_adjoint(sweep, key, value.kind)
        results.append(result)
    bars: Any = gast.Tuple(results, gast.Load())
    if variables is not None:
        bars = gast.Tuple([bars, gradients_of_variables(sweep, variables)], gast.Load())
    return [*making_memory(sweep, [*reverse, *sweep.out]), gast.Return(bars)]


def apart(
    sweep: Sweep, split: Split, values: tuple[Value, ...], saved: str, inner: list[Any]
) -> list[Any]:
    """Let a pullback read copies of its own of what the forward sweep hands over.

    They are taken at once, of all that somebody else may change until it runs; and again whenever it
    runs, of what it changes itself. Of an array that it asks for its shape alone no copy is needed. With
    an adjoint memory all is copied together: what was one thing stays one.
    """
    read = {key for s in inner for key in reads(s)}
    named = sweep.function.externals
    outside = {k for k in read if k in named and is_handed_over(sweep, named[k])}
    asked = [
        p
        for p, v in zip(sweep.function.parameters, values, strict=True)
        if p in read and (split.memory or not isinstance(v.kind, (Array, Number, Real)))
    ]
    kept = [saved, *asked, *sorted(outside)]
    own = {key: sweep.names.fresh(key) for key in kept}
    for s in inner:
        fill(s, own)
    place = gast.Tuple([target(own[key]) for key in kept], gast.Store())
    made: list[Any] = []
    held: Any = gast.Tuple([name(key) for key in kept], gast.Load())
    if len(kept) == 1:
        place, held = place.elts[0], held.elts[0]
    changes = bool(sweep.facts.stored) or split.memory
    views = [gast.keyword("views", const(True))] if changes else []
    state = _state_of_holders(sweep)
    if split.foreign or len(kept) > 1 or state:
        copied = sweep.names.fresh("kept")
        asked = [*views, *state]
        made.append(assign(copied, gast.Call(name(sweep.runtime("snapshot")), [held], asked)))
        held = name(copied)
    by_identity = changes or split.memory  # what stands in two places stays one thing
    again = sweep.runtime("snapshot" if by_identity else "fresh_stacks")
    inner.insert(0, gast.Assign([place], gast.Call(name(again), [held], views), None))
    return made


def _state_of_holders(sweep: Sweep) -> list[Any]:
    """Write which attributes of classes and modules vary: `state={Count: ("total",)}`."""
    found: dict[str, list[str]] = {}
    for region in sorted(sweep.module.holders, key=repr):
        label = sweep.splicer.external(*sweep.program.holder(region))
        found[label] = sorted(map(str, sweep.known.heap[region]))
    if not found:
        return []
    keys = [gast.Tuple([const(key) for key in held], gast.Load()) for held in found.values()]
    return [gast.keyword("state", gast.Dict([name(label) for label in found], keys))]


def holds_in_memory(sweep: Sweep, kind: Kind) -> bool:
    """Whether anything that an argument holds has its adjoint in the adjoint memory."""
    found = reachable([kind], sweep.known.heap)
    return bool(found & sweep.regions_in_memory)


def final_adjoint(sweep: Sweep, key: str, kind: Kind) -> Any:
    """Return the gradient of an argument: full, of its structure and dtype, seen by nothing else."""
    bar = sweep.bar(key, kind)
    sweep.adjoints.primals[bar] = key, kind
    if is_container(kind) or not isinstance(kind, (Real, Array, Number)):
        if not differentiable(kind):
            return const(None)
        if isinstance(kind, Sparse):
            sweep.adjoints.ensure_value(bar)
            finisher = sweep.runtime("sparse_gradient")
            return quote_expression("f(x, g)", f=finisher, x=key, g=bar)
        held = kind if sweep.memory is not None and holds_in_memory(sweep, kind) else None
        return converted(sweep, key, bar, held)
    if sweep.has_shadow_in_memory(kind):
        sweep.out.append(assign(bar, found_in_memory(sweep, key, kind)))
        sweep.adjoints.set(bar, Holds.OWNED)
    holds = sweep.adjoints.holds(bar)
    if holds is Holds.BROADCASTS:
        return sweep.adjoints.full(key, sweep.adjoints.small[bar])
    of_other_dtype = not is_of_adjoints_dtype(sweep, kind)
    if isinstance(kind, Real) and (of_other_dtype or key in sweep.module.given.converted):
        return converted(sweep, key, bar)
    if holds is Holds.NOTHING:
        return sweep.adjoints.zero_of(key, kind)
    if of_other_dtype:
        return converted(sweep, key, bar)
    if holds is Holds.SHARED and not isinstance(kind, Real):
        return quote_expression("np.array(g)", np=sweep.numpy, g=bar)
    return name(bar)


def is_of_adjoints_dtype(sweep: Sweep, kind: Kind) -> bool:
    """Whether an argument has the dtype that adjoints have anyway, as far as one is promised."""
    return not isinstance(kind, (Real, Array)) or kind.dtype == "f8" or sweep.is_untyped(kind)


def converted(sweep: Sweep, key: str, bar: str, from_memory: Kind | None = None) -> Any:
    """Write an adjoint brought to the types of its primal, of a kind that has parts in the memory perhaps."""
    untouched = sweep.adjoints.holds(bar) is Holds.NOTHING
    g = None if untouched else name(bar)
    whole = None
    if from_memory is not None and sweep.module.for_higher_order:
        whole = recalled_by_parts(sweep, key, from_memory, g)
    made = quote_expression(
        "f(g, x)", f=sweep.runtime("as_gradient"), g=whole or g or const(0.0), x=key
    )
    if from_memory is not None and whole is None:
        made.args.append(name(sweep.memory_name()))
    if key in sweep.module.given.integers:
        made.keywords.append(gast.keyword("integers", const(True)))
    return made
