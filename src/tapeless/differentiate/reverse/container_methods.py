"""Methods of lists, dicts and arrays that are called for their effect, and how they are undone.

The shadow of a container is of its shape: what a method does to the one is undone in both. The cotangent
that a slot of the shadow held goes to the value that was put there.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.differentiate.outside import note_undone
from tapeless.differentiate.reverse.accumulate import Adjoint
from tapeless.differentiate.reverse.giving import contribute, full_cotangent, full_slot
from tapeless.differentiate.reverse.mirrored import conditional
from tapeless.differentiate.reverse.parts import add_to_item
from tapeless.differentiate.reverse.state import Sweep
from tapeless.differentiate.reverse.stores import gets_slot, reverse_item_store
from tapeless.differentiate.reverse.taking import forget_adjoint, shadow_of, take_cotangent
from tapeless.differentiate.writer import INSTEAD_OF_METHODS
from tapeless.kinds import Dict, Instance, Kind, List, Real
from tapeless.tree.build import assign, const, name, quote, quote_expression
from tapeless.tree.trees import Expr, Stmt


def reverse_method(sweep: Sweep, s: Stmt, owner: Kind) -> list[Stmt] | None:
    """Reverse a method called for its effect: `outs.append(v)`, `a.fill(v)`."""
    if isinstance(owner, (List, Dict)):
        return reverse_container_method(sweep, s, owner)
    if isinstance(owner, Instance):
        sweep.refuse(s, "this call cannot be resolved", "give the classes with like=")
    method = s.value.func.attr
    if method == "fill":
        value = s.value.args[0]
        store = assign(gast.Subscript(s.value.func.value, const(...), gast.Store()), value)
        sweep.known.learn_as(store, s)
        store.lineno = getattr(s, "lineno", None)
        return [*reverse_item_store(sweep, store)[:-1], s]
    sweep.refuse(s, f"the array method `{method}` is not supported yet", "use a NumPy function")
    return None


def reverse_container_method(sweep: Sweep, s: Stmt, owner: Kind) -> list[Stmt] | None:
    """Reverse a method of a list or dict."""
    call = s.value
    method, key = call.func.attr, call.func.value.id
    active = sweep.value(s, key).varied
    if method == "append":
        return _reverse_append(sweep, s, key, call.args[0], active, owner)
    if method == "pop" and isinstance(owner, List) and len(call.args) < 2:
        return _reverse_pop(sweep, s, key, active, owner)
    if method == "pop" and type(s) is gast.Expr and len(call.args) == 1:
        return _reverse_removed_key(sweep, s, key, call.args[0], active)
    if method == "insert":
        return _reverse_insert(sweep, s, key, active, owner)
    if method == "get" and type(s) is gast.Assign:
        _reverse_get(sweep, s, key, call, active)
        return None
    if method in ("keys", "items", "values", "index", "count"):
        if active and method in ("values", "items") and type(s) is gast.Assign:
            sweep.refuse(s, f"`.{method}()` is supported in a `for` only", "iterate over it")
        return None
    if method == "copy" and type(s) is gast.Assign:
        if not active:
            return None
        y = take_cotangent(sweep, s, s.targets[0].id, sweep.result(s).kind)
        if y is not None:
            contribute(sweep, s, key, y, True)
        return None
    if method == "extend" and not active:
        return None
    if method == "clear" and (not active or sweep.slots_are_numbers(owner)):
        return _reverse_clear(sweep, s, key, active, owner)
    sweep.refuse_typo(s, call.func)
    sweep.refuse(s, f"the method `{method}` of a {_label(owner)} is not supported yet",
                 INSTEAD_OF_METHODS[_label(owner)])  # fmt: skip
    return None


def _label(kind: Kind) -> str:
    return type(kind).__name__.lower()


def _reverse_append(
    sweep: Sweep, s: Stmt, key: str, value: Expr, active: bool, owner: Kind
) -> list[Stmt] | None:
    logged = sweep.is_logged(owner)
    if logged:
        note_undone(sweep, s, name(key))
    undone = quote_expression("x.pop()", x=key)
    if active:
        slot = quote_expression("x.pop()", x=shadow_of(sweep, s, key))
        logged = not _give_slot(sweep, s, value, slot, undone if logged else value) and logged
    if logged:
        sweep.out.append(gast.Expr(undone))
    return None


def _reverse_insert(sweep: Sweep, s: Stmt, key: str, active: bool, owner: Kind) -> list[Stmt]:
    """`items.insert(i, v)` is undone by a `pop` at the place where `v` came to stand."""
    index, value = s.value.args
    at = sweep.names.fresh("at")
    finder = sweep.runtime("insert_place")
    logged = sweep.is_logged(owner)
    if logged:
        note_undone(sweep, s, name(key))
    undone = quote_expression("x.pop(i)", x=key, i=at)
    if active:
        slot = quote_expression("x.pop(i)", x=shadow_of(sweep, s, key), i=at)
        logged = not _give_slot(sweep, s, value, slot, undone if logged else value) and logged
    if logged:
        sweep.out.append(gast.Expr(undone))
    return [assign(at, quote_expression("f(x, i)", f=finder, x=key, i=index)), s]


def _reverse_clear(sweep: Sweep, s: Stmt, key: str, active: bool, owner: Kind) -> list[Stmt]:
    """`items.clear()` is undone by putting back what was there; nothing depends on it after."""
    old = sweep.names.fresh(f"{key}_old")
    adding = "x.extend(old)" if isinstance(owner, List) else "x.update(old)"
    zeros = "[0.0] * len(old)" if isinstance(owner, List) else "dict.fromkeys(old, 0.0)"
    if active:
        untouched = quote_expression(zeros, old=old)
        sweep.out += quote(adding, x=shadow_of(sweep, s, key), old=untouched)
    if sweep.is_logged(owner):
        note_undone(sweep, s, name(key))
        sweep.out += quote(adding, x=key, old=old)
    return [assign(old, quote_expression("x.copy()", x=key)), s]


def _give_slot(sweep: Sweep, s: Stmt, value: Expr, slot: Expr, shown: Expr) -> bool:
    """Hand the cotangent that a slot held on to the value that was put into it.

    Returns
    -------
    Whether `shown`, which gives the value, was used to bring the cotangent to its shape.
    """
    if not gets_slot(sweep, s, value):
        sweep.out.append(gast.Expr(slot))
        return False
    inner = sweep.operand_kind(s, value)
    bar = sweep.names.fresh(f"{value.id}_bar")
    sweep.out.append(assign(bar, full_slot(sweep, slot, shown, inner)))
    contribute(sweep, s, value.id, Adjoint(name(bar)), False)
    return not isinstance(inner, Real)


def _reverse_removed_key(sweep: Sweep, s: Stmt, key: str, slot: Expr, active: bool) -> list[Stmt]:
    """`d.pop(k)` is undone by giving the dict all its slots back, in their order."""
    old = sweep.names.fresh(f"{key}_old")
    if active:
        shadow = shadow_of(sweep, s, key)
        sweep.out.append(assign(gast.Subscript(shadow, slot, gast.Store()), const(0.0)))
    note_undone(sweep, s, name(key))
    sweep.out += quote("d.clear()", d=key)
    sweep.out += quote("d.update(v)", d=key, v=old)
    return [assign(old, quote_expression("d.copy()", d=key)), s]


def _reverse_pop(sweep: Sweep, s: Stmt, key: str, active: bool, owner: Kind) -> list[Stmt] | None:
    """`x = items.pop()` is undone by putting what `x` holds where it stood."""
    result = sweep.result(s)
    first: list[Any] = []
    back = "x.append(g)"
    at = ""
    if s.value.args:
        at, back = sweep.names.fresh("at"), "x.insert(i, g)"
        finder, index = sweep.runtime("item_place"), s.value.args[0]
        first = [assign(at, quote_expression("f(x, i)", f=finder, x=key, i=index))]
    bound = s.targets[0].id if type(s) is gast.Assign else None
    forward = None
    if bound is None:
        bound = sweep.names.fresh("popped")
        forward = [assign(bound, s.value)]
    if active:
        shadow = shadow_of(sweep, s, key)
        g: Any = const(0.0)
        if type(s) is gast.Assign:
            y = take_cotangent(sweep, s, bound, result.kind) if result.varied else None
            g = const(0.0) if y is None else full_cotangent(sweep, y, bound)
        sweep.out.append(gast.Expr(quote_expression(back, x=shadow, i=at, g=g)))
    elif type(s) is gast.Assign:
        forget_adjoint(sweep, bound)
    if sweep.is_logged(owner):
        note_undone(sweep, s, name(key))
        sweep.out.append(quote(back, x=key, i=at, g=bound)[0])
    return [*first, *(forward or [s])] if first else forward


def _reverse_get(sweep: Sweep, s: Stmt, key: str, call: Expr, active: bool) -> None:
    target = s.targets[0].id
    result = sweep.result(s)
    if not result.varied:
        forget_adjoint(sweep, target)
        return
    y = take_cotangent(sweep, s, target, result.kind)
    if y is None:
        return
    found = gast.Compare(call.args[0], [gast.In()], [name(key)])
    outer, sweep.out = sweep.out, []
    state, bound = sweep.adjoints.snapshot(), set(sweep.bound)
    if active:
        add_to_item(sweep, s, key, call.args[0], y, target)
    yes, sweep.out = sweep.out, []
    after_yes = sweep.adjoints.snapshot()
    sweep.adjoints.restore(state)
    sweep.bound = set(bound)  # what one way asks the memory for is not there on the other
    if len(call.args) > 1 and sweep.is_active(s, call.args[1]):
        contribute(sweep, s, call.args[1].id, y, False)
    no, sweep.out = sweep.out, outer
    sweep.bound = bound
    ends = sweep.adjoints.merge_branches(
        after_yes, sweep.adjoints.snapshot(), sweep.bound_before(s)
    )
    if yes or no:
        sweep.out += conditional(found, yes + ends[0], no + ends[1])
