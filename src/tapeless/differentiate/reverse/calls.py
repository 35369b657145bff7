"""Calls: of the user's functions, of custom gradients, of functions with rules.

A call of a user's function is reversed as data: `y, saved = g_fwd(x)` in the forward sweep,
`x_bar = g_rev(saved, y_bar)` in the reverse sweep, two plain functions over plain tuples. `g_rev` also
receives the caller's shadow of every argument that the callee stores into or reads in part, and
updates it in place. A custom gradient is spliced: its forward body where it is called, the body of its
`grad` where it is reversed.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import Any

import gast

from tapeless.analysis.abstract import Value
from tapeless.analysis.calls import Construction, RuleCall
from tapeless.analysis.facts import Callee, Facts
from tapeless.analysis.repeatable import unrepeatable
from tapeless.differentiate.outside import note_undone_by_call
from tapeless.differentiate.plain import argument, is_held_fixed, left_plain, made_class, plain_call
from tapeless.differentiate.reverse.accumulate import Adjoint, Holds
from tapeless.differentiate.reverse.by_rule import apply
from tapeless.differentiate.reverse.giving import contribute, full_cotangent, full_slot
from tapeless.differentiate.reverse.held_outside import reads_data
from tapeless.differentiate.reverse.mixed_names import check_result
from tapeless.differentiate.reverse.state import Sweep
from tapeless.differentiate.reverse.taking import (
    buffer_of,
    forget_adjoint,
    take_cotangent,
    with_own_slots,
    with_recalled_items,
)
from tapeless.differentiate.splits import Split
from tapeless.differentiate.writer import Writer
from tapeless.errors import NoGradientError, refused_at
from tapeless.externals import MISSING, is_one_of
from tapeless.joins import as_array
from tapeless.kinds import (
    Array,
    Dict,
    Function,
    Inert,
    Integer,
    Kind,
    Number,
    Real,
    Sequence,
    Tuple,
    functions_in,
    is_container,
    regions_of,
)
from tapeless.origins import is_of_the_tool
from tapeless.regions import holds_attributes
from tapeless.sorts import TABLES, starts_empty
from tapeless.tree.build import assign, const, name, quote_expression, target
from tapeless.tree.names import binds_in_block
from tapeless.tree.trees import Expr, Stmt

# Functions with rules


def reverse_known_call(sweep: Sweep, s: Stmt, tree: Expr, key: str, y: Adjoint) -> None:
    """Reverse a call of a function or array method that has a rule."""
    keywords = {k.arg: k.value for k in tree.keywords}
    if None in keywords:
        sweep.refuse(s, "`**` in this call cannot be differentiated", "spell the arguments out")
    refuse_active_closures(sweep, s, tree)
    called = sweep.call(s)
    if is_one_of(called.found, (list, tuple)) and tree.args:
        _reverse_copied_items(sweep, s, tree.args[0], y)
    elif isinstance(called, Construction):
        _reverse_construction(sweep, s, called.found, tree, key, y)
    elif isinstance(called, RuleCall):
        operands = called.operands(tree.args)
        apply(sweep, s, called.found, operands, keywords, key, y)
    elif called.found is not MISSING:
        apply(sweep, s, called.found, tree.args, keywords, key, y)
    elif _may_use_varied(sweep, s, tree):
        sweep.no_gradient(s, tree.func)


def _may_use_varied(sweep: Sweep, s: Stmt, tree: Expr) -> bool:
    """Whether a call may use what varies; if not, its result is there to be stored into."""
    if type(tree.func) is not gast.Attribute:
        return True
    used = [tree.func.value, *tree.args, *(k.value for k in tree.keywords)]
    return any(type(a) is not gast.Constant and sweep.may_vary(s, a) for a in used)


def _reverse_copied_items(sweep: Sweep, s: Stmt, given: Expr, y: Adjoint) -> None:
    """Reverse `list(x)` or `tuple(x)`: the items go back to their places."""
    if not sweep.is_active(s, given):
        return
    kind = sweep.operand_kind(s, given)
    if isinstance(kind, Dict):
        return  # its keys carry no derivative
    if isinstance(kind, Array) and len(kind.dims) == 1:
        y = Adjoint(quote_expression("np.array(g)", np=sweep.numpy, g=y.expression))
    elif isinstance(kind, (Array, Number)):
        joined = quote_expression("f(g, x)", f=sweep.runtime("from_rows"), g=y.expression, x=given)
        y = Adjoint(joined)
    elif isinstance(kind, Sequence) and not isinstance(kind.item, Real):
        filled = quote_expression("f(g, x)", f=sweep.runtime("full_items"), g=y.expression, x=given)
        y = Adjoint(filled)  # what made the items may know their shapes no more
    contribute(sweep, s, given.id, y, False)


def refuse_active_closures(sweep: Writer, s: Stmt, tree: Expr) -> None:
    """Refuse to hand a local function that captures what varies to code that is not looked into."""
    operands = [*tree.args, *(k.value for k in tree.keywords if k.arg != "key")]
    for operand in operands:
        kind = sweep.operand_kind(s, operand)
        captured = kind.captured if isinstance(kind, Function) else ()
        active = [c for c in captured if sweep.is_active(s, name(c))]
        if active:
            sweep.refuse(
                s,
                f"`{gast.unparse(tree.func)}` is given a function that uses '{active[0]}', and no "
                "derivative is known of what it does with it",
                "pass the value through an argument, or write out what it computes",
                NoGradientError,
            )


def _reverse_construction(
    sweep: Sweep, s: Stmt, cls: type, tree: Expr, key: str, y: Adjoint
) -> None:
    """Reverse the construction of a named tuple or a dataclass: fields go back to arguments."""
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        fields = list(cls._fields)
    elif dataclasses.is_dataclass(cls):
        fields = [f.name for f in dataclasses.fields(cls) if f.init]
    elif is_one_of(cls, (*TABLES, Counter)) or (
        not tree.args and not tree.keywords and starts_empty(cls)
    ):
        return  # nothing is stored yet
    else:
        sweep.refuse_construction(s, cls)
    bound = dict(zip(fields, tree.args, strict=False)) | {k.arg: k.value for k in tree.keywords}
    for field, arg in bound.items():
        if not sweep.is_active(s, arg):
            continue
        if issubclass(cls, tuple):
            part: Any = gast.Subscript(y.expression, const(fields.index(field)), gast.Load())
        else:
            part = gast.Attribute(y.expression, field, gast.Load())
        kind = sweep.value(s, arg.id).kind
        if sweep.has_shadow_in_memory(kind):
            continue
        contribute(sweep, s, arg.id, Adjoint(full_slot(sweep, part, arg, kind)), False)


# Functions of the user


def reverse_call(sweep: Sweep, s: Stmt, key: str | None) -> list[Any] | None:
    """Reverse a call of a user's function by its split derivative."""
    callee: Callee = sweep.known.callees[s]
    if key is not None and is_held_fixed(sweep, key, callee):
        forget_adjoint(sweep, key)
        return [assign(key, plain_call(sweep, callee))]
    split = None
    if not _passes_nothing_back(sweep, s, key, callee):
        with refused_at(sweep.function.filename, getattr(s, "lineno", None)):
            split = sweep.module.split(sweep.module.seen_from(sweep.function, sweep.facts, callee))
    if split is None:
        if key is not None:
            forget_adjoint(sweep, key)
        return left_plain(sweep, s, key, callee)
    if key is None and made_class(sweep, s) is not None:
        key = sweep.names.fresh("made")
    elif key is None and split.result_active:
        key = sweep.names.fresh("y")  # nobody reads it, and its cotangent is zero at full shape
    forward_args = [argument(sweep, a, callee, i) for i, a in enumerate(callee.arguments)]
    if callee.again and not _finds_other_data_later(sweep, callee.facts):
        _recompute_call(sweep, s, key, callee, split, forward_args)
        return None
    saved = sweep.names.fresh(f"saved_{callee.function.name.strip('_')}")
    made = None if key is None else made_class(sweep, s)
    before: list[Any] = []
    if made is not None:
        before = [assign(key, quote_expression("c.__new__(c)", c=s.value.func))]
        forward_args[0] = name(str(key))
        result = sweep.unread
    else:
        result = key if key is not None else sweep.unread
    place = gast.Tuple([target(result), target(saved)], gast.Store())
    call = gast.Call(name(split.forward), forward_args, [])
    forward = [*before, gast.Assign([place], call, None)]
    _reverse_of_call(sweep, s, key, callee, split, saved, made)
    return forward


def _passes_nothing_back(sweep: Sweep, s: Stmt, key: str | None, callee: Callee) -> bool:
    """Whether nothing that varies depends on what a call returns: a number that only tests read."""
    if key is None or callee.stores_outside_itself:
        return False
    kind = sweep.result(s).kind
    scalar = isinstance(kind, (Real, Integer, Inert))
    return scalar and sweep.adjoints.holds(sweep.bar(key, kind)) is Holds.NOTHING


def _finds_other_data_later(sweep: Sweep, facts: Facts) -> bool:
    """Whether a function, run again in the reverse sweep, would read other data outside than before.

    In a pullback that a user is given anything may have changed. Before, all is as it was but for what
    classes and modules hold, which is not undone.
    """
    if sweep.module.public and reads_data(facts):
        return True
    held = set(filter(holds_attributes, facts.outside)) - facts.stored
    return not held.isdisjoint(sweep.module.stored)


def _recompute_call(
    sweep: Sweep, s: Stmt, key: str | None, callee: Callee, split: Split, forward_args: list[Any]
) -> None:
    """Leave a call as it is; its forward sweep runs again just before its reverse sweep.

    A function that would read other data outside then keeps what its reverse sweep needs.
    """
    hindrance = unrepeatable(callee)
    if hindrance is not None:
        reason, fix = hindrance
        label, by = _run_again_by(callee)
        sweep.refuse(s, f"'{label}' {reason}, so {by} cannot run it again", fix)
    saved = sweep.names.fresh(f"saved_{callee.function.name.strip('_')}")
    outer, sweep.out = sweep.out, []
    _reverse_of_call(sweep, s, key, callee, split, saved, None)
    if sweep.out:
        place = gast.Tuple([target(sweep.unread), target(saved)], gast.Store())
        outer.append(gast.Assign([place], gast.Call(name(split.forward), forward_args, []), None))
    sweep.out = [*outer, *sweep.out]


def _run_again_by(callee: Callee) -> tuple[str, str]:
    """Name the user's function that is run again, and what runs it again."""
    if not is_of_the_tool(callee.function.filename):
        return callee.function.name, "recompute_grad"
    [step, *_] = (found.value for v in callee.values for found in functions_in(v.kind))
    label = getattr(step, "name", getattr(step, "__name__", callee.function.name))
    return str(label), "checkpoint_loop"


def bound_items(sweep: Sweep, s: Stmt) -> list[Any]:
    """Bind the items that a starred argument spreads over parameters to names of their own.

    A loop's body is written several times: the call reads these names from the first time on.
    """
    if s in sweep.spread:
        known = sweep.spread[s]
        sweep.names.taken |= binds_in_block(known)
        return known
    callee = sweep.known.callees.get(s)
    if callee is None:
        return []
    bindings: list[Any] = []
    env = dict(sweep.known.before[s])

    def bound(arg: Expr) -> Any:
        if isinstance(arg, list):
            return [bound(part) for part in arg]
        if not isinstance(arg, (gast.Subscript, dict)):
            return arg
        if isinstance(arg, dict):
            fresh = sweep.names.fresh("keywords")
            keys = [const(key) for key in arg]
            binding = assign(fresh, gast.Dict(keys, [bound(part) for part in arg.values()]))
            value = _keyword_dict(callee)
        else:
            fresh = sweep.names.fresh("v")
            binding = assign(fresh, arg)
            value = sweep.splicer.evaluate(arg, sweep.known.before[s])
        binding.lineno = getattr(s, "lineno", None)
        sweep.known.learn(binding, env, value)
        env[fresh] = value
        sweep.definitions[fresh] = [binding]
        bindings.append(binding)
        return name(fresh)

    arguments = tuple(bound(arg) for arg in callee.arguments)
    if bindings:
        sweep.spread[s] = bindings
        sweep.known.before[s] = env
        sweep.known.callees[s] = dataclasses.replace(callee, arguments=arguments)
    return bindings


def _keyword_dict(callee: Callee) -> Value:
    """Return what is known, in the caller's terms, of the dict of a callee's further keywords."""
    position = len(callee.function.parameters) - len(callee.function.captured) - 1
    value = callee.values[position]
    regions = frozenset().union(*(callee.seen_by_caller(r) for r in regions_of(value.kind)))
    return Value(Dict(regions), value.varied)


def _reverse_of_call(
    sweep: Sweep, s: Stmt, key: str | None, callee: Callee, split: Split, saved: str, made: Expr
) -> None:
    result = sweep.result(s)
    y_bar: Any = const(None)
    arguments = list(callee.arguments)
    if made is not None:
        arguments[0] = name(str(key))
        sweep.known.learn_name(s, str(key), sweep.known.results[s])
    elif key is not None and result.varied and split.result_active:
        y = take_cotangent(sweep, s, key, result.kind)
        returned = callee.facts.returned.kind
        places: list[tuple[int, ...]] = []
        items: tuple[Kind, ...] = ()
        if isinstance(result.kind, Tuple):
            items = result.kind.items
            places = _recalled_places(sweep, callee, returned, result.kind)
        if sweep.has_shadow_in_memory(result.kind):
            y_bar = const(None)  # the memory that both sides share holds it already
            _refuse_mixture(sweep, s, callee, returned)
            check_result(sweep, s, callee)
            if _made_outside_memory(sweep, callee, returned):
                found = quote_expression("m[y]", m=sweep.memory_name(), y=key)
                y_bar = with_own_slots(sweep, found, name(key), result.kind)
        elif y is not None or places:
            whole = const(0.0) if y is None else full_cotangent(sweep, y, key)
            y_bar = with_recalled_items(sweep, whole, key, items, places)
        elif not split.works_without_seed:
            return
        else:
            y_bar = sweep.adjoints.zero_of(key, result.kind)
    elif key is not None:
        forget_adjoint(sweep, key)
        if result.varied and sweep.has_shadow(result.kind):
            sweep.bound.discard(key)
    note_undone_by_call(sweep, callee, split, arguments)
    passed = [_shadow_argument(sweep, s, arguments[i]) for i in split.shadows]
    if split.memory:
        passed.append(name(sweep.memory_name()))
    call = gast.Call(name(split.reverse), [name(saved), y_bar, *passed], [])
    _receive(sweep, s, call, arguments, split)
    if made is not None:
        bar = sweep.bar(str(key), result.kind)
        sweep.adjoints.set(bar, Holds.NOTHING)
        sweep.bound.discard(key)


def _made_outside_memory(sweep: Sweep, callee: Callee, kind: Kind) -> bool:
    """Whether a value may be one that the callee makes, whose adjoint the caller alone has in the memory.

    Where it is an argument after all, the callee leaves what it is handed for it alone.
    """
    return not regions_of(kind) or not regions_of(kind) <= _known_to_memory(sweep, callee)


def _known_to_memory(sweep: Sweep, callee: Callee) -> set[Any]:
    """Return the regions of a callee whose adjoints its caller and it keep in one place."""
    seen = sweep.module.seen_from(sweep.function, sweep.facts, callee)
    return set(sweep.module.memory_of(seen)) | set(callee.regions)


def _refuse_mixture(sweep: Sweep, s: Stmt, callee: Callee, kind: Kind) -> None:
    """Refuse a result that is an argument or a new container, whose adjoints are in two places."""
    regions, known = regions_of(kind), _known_to_memory(sweep, callee)
    if is_container(kind) and regions & known and regions - known:
        sweep.refuse(
            s,
            f"what '{callee.function.name}' returns may be one of several containers, and their "
            "adjoints cannot be told apart here",
            "return a new one in every case",
        )


def _recalled_places(
    sweep: Sweep, callee: Callee, inner: Kind, outer: Kind
) -> list[tuple[int, ...]]:
    """Return the places, in a tuple returned, of what the caller alone has in the adjoint memory."""
    if isinstance(inner, Tuple) and isinstance(outer, Tuple):
        return [
            (i, *path)
            for i, (p, q) in enumerate(zip(inner.items, outer.items, strict=True))
            for path in _recalled_places(sweep, callee, p, q)
        ]
    asked = sweep.has_shadow_in_memory(outer)
    return [()] if asked and _made_outside_memory(sweep, callee, inner) else []


def _shadow_argument(sweep: Sweep, s: Stmt, arg: Expr) -> Any:
    if type(arg) is gast.Name and sweep.is_active(s, arg):
        kind = sweep.operand_kind(s, arg)
        known = as_array(kind)
        if isinstance(known, Number) and known.is_scalar_on_a_way:
            # what the callee adds to the shadow of a number is lost
            sweep.refuse_unknown_rank(s, arg)
        found = buffer_of(sweep, s, arg.id)
        return with_own_slots(sweep, found, arg, kind) if sweep.in_memory(kind) else found
    if type(arg) is gast.Name and sweep.has_shadow(sweep.operand_kind(s, arg)):
        if sweep.value(s, arg.id).varied:
            return buffer_of(sweep, s, arg.id)
    return const(None)


def _receive(sweep: Sweep, s: Stmt, call: Expr, arguments: list[Any], split: Split) -> None:
    """Hand the cotangents that `_rev` returns on to the arguments."""
    targets: list[str] = []
    later: list[tuple[Any, str, bool]] = []
    for position, fresh in zip(split.values, split.fresh, strict=True):
        arg = arguments[position]
        bar = sweep.names.fresh("v_bar" if type(arg) is not gast.Name else f"{arg.id}_bar")
        targets.append(bar)
        later.append((arg, bar, fresh))
    if not targets:
        sweep.out.append(gast.Expr(call))
        return
    if len(targets) == 1:
        sweep.out.append(assign(targets[0], call))
    else:
        place = gast.Tuple([target(t) for t in targets], gast.Store())
        sweep.out.append(gast.Assign([place], call, None))
    for arg, bar, fresh in later:
        if isinstance(arg, list):
            for i, item in enumerate(arg):
                root = item.value if type(item) is gast.Subscript else item
                if sweep.is_active(s, root):
                    part = gast.Subscript(name(bar), const(i), gast.Load())
                    _give(sweep, s, item, part, False)
        elif isinstance(arg, dict):
            for label, item in arg.items():
                if sweep.is_active(s, item):
                    part = gast.Subscript(name(bar), const(label), gast.Load())
                    _give(sweep, s, item, part, False)
        elif isinstance(arg, (gast.Name, gast.Subscript)):
            if sweep.is_active(s, arg.value if type(arg) is gast.Subscript else arg):
                _give(sweep, s, arg, name(bar), fresh)


def _give(sweep: Sweep, s: Stmt, arg: Expr, g: Expr, fresh: bool) -> None:
    if type(arg) is gast.Subscript:
        place = buffer_of(sweep, s, arg.value.id)
        slot = gast.Subscript(place, arg.slice, gast.Load())
        added = quote_expression("add(x, g)", add=sweep.runtime("add"), x=slot, g=g)
        sweep.out.append(assign(slot, added))
    elif type(g) is gast.Subscript:
        kind = sweep.value(s, arg.id).kind
        contribute(sweep, s, arg.id, Adjoint(full_slot(sweep, g, arg, kind)), fresh)
    else:
        contribute(sweep, s, arg.id, Adjoint(g), fresh)
