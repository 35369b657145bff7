"""Simple statements, reversed: assignments, stores, returns, calls for their effect.

An assignment takes the cotangent out of the name that it binds, and its expression passes it on to what
it is made of. Assertions, exceptions and definitions belong to the forward sweep alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

import tapeless.runtime as runtime
from tapeless.analysis.abstract import held_in, reachable
from tapeless.analysis.calls import RuleCall
from tapeless.differentiate.custom.calls import reverse_custom
from tapeless.differentiate.custom.customs import custom_of
from tapeless.differentiate.outside import note_undone
from tapeless.differentiate.reverse import calls, variables
from tapeless.differentiate.reverse.accumulate import Adjoint
from tapeless.differentiate.reverse.container_methods import (
    reverse_container_method,
    reverse_method,
)
from tapeless.differentiate.reverse.expressions import reverse_expression, reverse_unpacking
from tapeless.differentiate.reverse.giving import contribute
from tapeless.differentiate.reverse.shadows import made_inside
from tapeless.differentiate.reverse.state import Sweep
from tapeless.differentiate.reverse.stores import (
    reverse_attribute_store,
    reverse_deletion,
    reverse_item_store,
    sum_to_value,
)
from tapeless.differentiate.reverse.taking import (
    forget_adjoint,
    shadow_of,
    take_cotangent,
    with_items_made,
)
from tapeless.differentiate.sharing import aliased_operands, aliases_operand, may_copy
from tapeless.externals import is_one_of, is_runtime
from tapeless.kinds import (
    Array,
    Instance,
    Kind,
    Number,
    is_container,
    is_number,
    regions_of,
    regions_within,
)
from tapeless.rules.traits import ADDING_AT, traits_of
from tapeless.tree.build import as_store, assign, const, name, quote_expression
from tapeless.tree.trees import Stmt
from tapeless.variables import is_variable


def _pass(sweep: Sweep, s: Stmt) -> None:
    """Nothing happens."""


def _assert(sweep: Sweep, s: Stmt) -> None:
    """An assertion is checked in the forward sweep only."""


def _raise(sweep: Sweep, s: Stmt) -> None:
    """An exception leaves the forward sweep."""


def _define(sweep: Sweep, s: Stmt) -> None:
    """A nested function is differentiated where it is called."""


def _reverse_bare_call(sweep: Sweep, s: Stmt) -> list[Any] | None:
    if type(s.value) is not gast.Call:
        return None
    if s in sweep.known.callees:
        return calls.reverse_call(sweep, s, None)
    if custom_of(sweep, s) is not None:
        return None
    if type(s.value.func) is gast.Attribute:
        owner = sweep.operand_kind(s, s.value.func.value)
        if is_variable(owner):
            return variables.reverse_assignment(sweep, s)
        if is_container(owner) or isinstance(owner, (Array, Number)):
            return reverse_method(sweep, s, owner)
    if is_one_of(sweep.call(s).found, ADDING_AT):
        return _reverse_add_at(sweep, s)
    if sweep.takes_attribute_away(s):
        return reverse_deletion(sweep, s)
    _check_effect_call(sweep, s)
    return None


def _check_effect_call(sweep: Sweep, s: Stmt) -> None:
    """Refuse a call, made for its effect, whose effect on active values is not known."""
    called = sweep.call(s)
    ruled = isinstance(called, RuleCall) and not called.is_method
    active = [a for a in [*s.value.args, s.value.func] if sweep.is_active(s, a)]
    if active and not ruled and not sweep.is_message(s, s.value):
        sweep.no_gradient(s, s.value.func)
    if active and any(k.arg == "out" for k in s.value.keywords):
        sweep.refuse(s, "`out=` is not supported yet", "assign the result")


def _reverse_add_at(sweep: Sweep, s: Stmt) -> list[Any]:
    """Reverse `np.add.at(a, index, v)`: the cotangent of `v` is gathered.

    What stood there is put back: subtracting `v` again would round.
    """
    owner, index, value = s.value.args
    if sweep.is_active(s, value) and sweep.value(s, owner.id).varied:
        slot = gast.Subscript(shadow_of(sweep, s, owner.id), index, gast.Load())
        taken = sum_to_value(sweep, s, slot, value, sweep.known.before.get(s, {}))
        contribute(sweep, s, value.id, Adjoint(taken), False)
    old = sweep.names.fresh(f"{owner.id}_old")
    place = gast.Subscript(owner, index, gast.Load())
    note_undone(sweep, s, owner)
    sweep.out.append(assign(as_store(place), name(old)))
    return [assign(old, quote_expression("np.array(x)", np=sweep.numpy, x=place)), s]


def _reverse_assignment(sweep: Sweep, s: Stmt) -> list[Any] | None:
    place = s.targets[0]
    if type(place) is gast.Tuple:
        return reverse_unpacking(sweep, s, place)
    if type(place) is gast.Subscript:
        return reverse_item_store(sweep, s)
    if type(place) is gast.Attribute:
        return reverse_attribute_store(sweep, s)
    if s in sweep.known.callees:
        return calls.reverse_call(sweep, s, place.id)
    if variables.reads_values(sweep, s):
        variables.reverse_values(sweep, s, place.id)
        return None
    if type(s.value) is gast.Call and type(s.value.func) is gast.Attribute:
        owner = sweep.operand_kind(s, s.value.func.value)
        if is_container(owner) and not isinstance(owner, Instance):
            return reverse_container_method(sweep, s, owner)
    custom = custom_of(sweep, s)
    if custom is not None:
        return reverse_custom(sweep, s, place.id, custom)
    value = sweep.result(s)
    if not value.varied:
        forget_adjoint(sweep, place.id)
        return None
    if type(s.value) is gast.Subscript and sweep.looks_up_adjoint(s):
        forget_adjoint(sweep, place.id)
        return None
    deep = _makes_nested(sweep, s, value.kind)
    y = take_cotangent(sweep, s, place.id, value.kind)
    if deep:
        y = _with_parts_held(sweep, place.id, y)
    elif type(s.value) is gast.Call:
        y = with_items_made(sweep, s, place.id, value.kind, y)
    if y is None:
        return None
    if sweep.has_shadow(value.kind) and may_copy(sweep, s) and aliases_operand(sweep, s):
        operand = aliased_operands(sweep, s)[0]
        _where_copied(sweep, s, place.id, [operand], y)
        check = quote_expression("f(x)", f=sweep.runtime("check_layout"), x=operand)
        return [gast.Expr(check), s]
    shown = _given_back(sweep, s, value.kind)
    if shown:
        _where_copied(sweep, s, place.id, shown, y)
    else:
        reverse_expression(sweep, s, s.value, place.id, y)
    return None


def _given_back(sweep: Sweep, s: Stmt, kind: Kind) -> list[str]:
    """List the arrays of which a helper may return one as it is, so that both have one adjoint in memory."""
    found = sweep.call(s).found if type(s.value) is gast.Call else None
    if not is_runtime(found) or not is_number(kind) or not sweep.has_shadow_in_memory(kind):
        return []
    shows = traits_of(found).shows
    operands = [p for i, p in enumerate(s.value.args) if shows is None or i in shows]
    kinds = [(p.id, sweep.operand_kind(s, p)) for p in operands if type(p) is gast.Name]
    return [key for key, k in kinds if is_number(k) and sweep.has_shadow_in_memory(k)]


def _makes_nested(sweep: Sweep, s: Stmt, kind: Kind) -> bool:
    """Whether a statement makes a structure that holds what has its adjoint in the adjoint memory.

    The rule passes cotangents on by their places, where the memory's are not.
    """
    if not regions_within(kind) or type(s.value) is not gast.Call:
        return False
    called = sweep.call(s)
    if not isinstance(called, RuleCall) or called.rule is None or called.rule.form == "zero":
        return False
    heap, memory = sweep.known.heap, sweep.regions_in_memory
    shown = s.value.args[1:] if called.found is runtime.full else []  # it gives the shape alone
    operands = [sweep.operand_kind(s, arg) for arg in s.value.args if arg not in shown]
    made = made_inside(called.found, kind, reachable(operands, heap), heap)
    held = made | held_in((r for operand in operands for r in regions_of(operand)), heap)
    if not made or not held & memory:
        return False
    objects = any(isinstance(operand, Instance) for operand in operands)
    if objects or sweep.module.for_higher_order or called.rule.form != "general":
        sweep.refuse(
            s,
            f"`{gast.unparse(s.value.func)}` copies containers within containers whose adjoints "
            "are kept by themselves, which cannot be differentiated again yet",
            "keep what is stored into in attributes or items of its own",
        )
    return True


def _with_parts_held(sweep: Sweep, key: str, y: Adjoint | None) -> Adjoint:
    """Return the cotangent of a structure by its places, with what the memory has of its parts."""
    whole = const(0.0) if y is None else y.expression
    bar, holder = sweep.names.fresh(f"{key}_bar"), sweep.runtime("with_held")
    text = "f(m, x, g)"
    held = quote_expression(text, f=holder, m=sweep.memory_name(), x=key, g=whole)
    sweep.out.append(assign(bar, held))
    return Adjoint(name(bar))


def _where_copied(sweep: Sweep, s: Stmt, key: str, operands: list[str], y: Adjoint) -> None:
    """Pass the cotangent of what may be an operand, or a view of it, on only where it is neither."""
    outer, sweep.out = sweep.out, []
    for operand in operands:
        shadow_of(sweep, s, operand)
    outer += sweep.out
    sweep.out = []
    reverse_expression(sweep, s, s.value, key, y)
    body, sweep.out = sweep.out, outer
    shared = [
        quote_expression("np.may_share_memory(a, b)", np=sweep.numpy, a=key, b=operand)
        for operand in operands
    ]
    test = shared[0] if len(shared) == 1 else gast.BoolOp(gast.Or(), shared)
    sweep.out.append(gast.If(gast.UnaryOp(gast.Not(), test), body, []))


def _return(sweep: Sweep, s: Stmt) -> None:
    sweep.give_seed(s)


STATEMENTS: dict[type, Callable[[Sweep, Any], list[Any] | None]] = {
    gast.Assign: _reverse_assignment,
    gast.Expr: _reverse_bare_call,
    gast.Return: _return,
    gast.Pass: _pass,
    gast.Assert: _assert,
    gast.Raise: _raise,
    gast.FunctionDef: _define,
}
