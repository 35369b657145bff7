"""Stores into arrays, containers and objects, and how they are undone.

A store `a[i] = v` is reversed in this order: take the cotangent out of the shadow (a copy, if the index
makes a view, which is about to be zeroed), zero it, restore what was overwritten, then pass the
cotangent on to `v`. Only the overwritten region is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gast

from tapeless.analysis.abstract import Value
from tapeless.analysis.indexing import is_copying_index, is_element_index
from tapeless.differentiate.outside import note_undone
from tapeless.differentiate.reverse.accumulate import Adjoint
from tapeless.differentiate.reverse.definite_attributes import is_there, makes_attribute
from tapeless.differentiate.reverse.giving import adjoints_in, contribute, full_slot
from tapeless.differentiate.reverse.mixed_names import check_attribute
from tapeless.differentiate.reverse.overlaps import check_of_overlap
from tapeless.differentiate.reverse.parts import repeats
from tapeless.differentiate.reverse.state import Sweep
from tapeless.differentiate.reverse.taking import is_untouched, shadow_of
from tapeless.differentiate.rule_texts import as_value
from tapeless.kinds import (
    Array,
    Dict,
    Instance,
    Integer,
    Kind,
    List,
    Number,
    Opaque,
    Real,
    Tuple,
    is_container,
    regions_of,
)
from tapeless.ranks import dtype_of
from tapeless.sorts import stores_by_code
from tapeless.tree.build import (
    as_load,
    as_store,
    assign,
    const,
    name,
    plainly,
    quote,
    quote_expression,
)
from tapeless.tree.trees import Expr, Stmt


def reverse_item_store(sweep: Sweep, s: Stmt) -> list[Stmt]:
    """Reverse `owner[index] = value`."""
    place = as_load(s.targets[0])
    kind = sweep.operand_kind(s, place.value)
    if kind == Kind() or isinstance(kind, Opaque):
        sweep.refuse(
            s, f"{sweep.what_is(place.value.id)} is not known here",
            "annotate the parameters, or give like=",
        )  # fmt: skip
    if isinstance(kind, Instance):
        sweep.refuse_index(s, kind)
    if isinstance(kind, List) and type(place.slice) is gast.Slice:
        return _reverse_slice_store(sweep, s, place)
    return _reverse_store(sweep, s, place, kind)


def _reverse_store(sweep: Sweep, s: Stmt, place: Expr, kind: Kind) -> list[Stmt]:
    """Take the cotangent out, put back what the store overwrote, pass the cotangent on."""
    forward, old = keep_old(sweep, s, place, kind)
    forward += check_of_overlap(sweep, s, place, kind)
    owner = place.value.id
    if sweep.value(s, owner).varied and not is_untouched(sweep, s, owner):
        shown = s.value if old is None else place
        cotangent = take_out(sweep, s, place, kind, s.value, shown, old)
        restore_old(sweep, s, place, old)
        pass_on(sweep, s, s.value, cotangent, kind)
    else:
        restore_old(sweep, s, place, old)
    return [*forward, s]


def keep_old(sweep: Sweep, s: Stmt, place: Expr, kind: Kind) -> tuple[list[Any], str | None]:
    """Keep what a store overwrites, where something reads it when the store is undone."""
    if not sweep.is_logged(kind) or makes_attribute(sweep, s, place):
        return [], None
    old = sweep.names.fresh(_old_name(place))
    if isinstance(kind, Dict) or isinstance(kind, Instance) and not is_there(sweep, s, place, kind):
        getter = sweep.runtime("slot")
        at = place.slice if type(place) is gast.Subscript else const(place.attr)
        value = quote_expression("slot(x, k)", slot=getter, x=place.value, k=at)
    elif isinstance(kind, (Array, Number)) and makes_view(sweep, s, place, kind):
        value = quote_expression("x.copy()", x=place)
    else:
        value = place
    return [assign(old, value)], old


def _old_name(place: Expr) -> str:
    base = place.value.id if type(place.value) is gast.Name else "old"
    return f"{base}_old" if type(place) is gast.Subscript else place.attr


def restore_old(sweep: Sweep, s: Stmt, place: Expr, old: str | None) -> None:
    """Put back what a store overwrote."""
    if old is None:
        return
    note_undone(sweep, s, place.value)
    kind = sweep.operand_kind(s, place.value)
    if isinstance(kind, Dict) or isinstance(kind, Instance) and not is_there(sweep, s, place, kind):
        setter = sweep.runtime("set_slot")
        at = place.slice if type(place) is gast.Subscript else const(place.attr)
        call = quote_expression("f(x, k, v)", f=setter, x=place.value, k=at, v=old)
        sweep.out.append(gast.Expr(call))
    else:
        sweep.out.append(assign(put_back(place, kind), name(old)))


def put_back(place: Expr, owner: Kind) -> Any:
    """Return the place of an old value: putting it back is no store that a class is told of."""
    classes = [each.cls for each in owner.alternatives] if isinstance(owner, Instance) else []
    return plainly(place) if any(map(stores_by_code, classes)) else as_store(place)


def makes_view(sweep: Sweep, s: Stmt, place: Expr, kind: Kind) -> bool:
    """Whether reading a place of an array may give a view of it."""
    env_kind = lambda tree: sweep.operand_kind(s, tree)  # noqa: E731
    if is_element_index(kind, place.slice, env_kind):
        return False
    return isinstance(kind, Number) or not is_copying_index(place.slice, env_kind)


def take_out(
    sweep: Sweep, s: Stmt, place: Expr, kind: Kind, value: Expr, shown: Expr, old: str | None = None
) -> Any:
    """Take the cotangent of a place out of its shadow and zero the place.

    That of a slot is brought to the shape of the value stored, which `shown` gives: where stores
    are logged the slot itself still holds it. What the slot held before is in `old`: where it may be
    of the kind of what is stored, its shadow is written to by the path, and so is made whole.
    """
    shadow = shadow_of(sweep, s, place.value.id)
    bar = sweep.names.fresh(f"{_bar_name(s)}")
    if type(place) is gast.Subscript:
        slot = gast.Subscript(shadow, place.slice, gast.Load())
    else:
        slot = gast.Attribute(shadow, place.attr, gast.Load())
    copied = isinstance(kind, (Array, Number)) and makes_view(sweep, s, place, kind)
    taken = quote_expression("x.copy()", x=slot) if copied else slot
    if isinstance(kind, Dict):
        taken = quote_expression("x.get(k, 0.0)", x=shadow, k=place.slice)
    if isinstance(kind, (Array, Number)) and repeats(sweep, s, place.slice):
        taker = sweep.runtime("last_writes")
        taken = quote_expression("last(x, i)", last=taker, x=shadow, i=as_value(place.slice))
    if is_container(kind) and gets_slot(sweep, s, value):
        stored = sweep.operand_kind(s, value)
        taken = full_slot(sweep, taken, shown, stored)
        if sweep.module.for_higher_order and isinstance(stored, Tuple):
            taken = _with_full_items(sweep, taken, shown, stored)
    sweep.out.append(assign(bar, taken))
    cotangent = name(bar)
    if isinstance(kind, (Array, Number)) and sweep.is_active(s, value):
        if may_hold_integers(kind):
            asked = sweep.runtime("if_inexact")
            kept = quote_expression("f(g, x.dtype)", f=asked, g=bar, x=place.value)
            sweep.out.append(assign(bar, kept))
        cotangent = _summed(sweep, s, value, bar, place, kind)
    zero: Any = const(0.0)
    inner = sweep.operand_kind(s, value)
    by_path = is_container(kind) and is_container(inner) and not sweep.in_memory(inner)
    if by_path and old is not None and _comes_again(sweep, kind):
        zero = quote_expression("full(0.0, x)", full=sweep.runtime("full"), x=old)
    sweep.out.append(assign(as_store(slot), zero))
    return cotangent


def _with_full_items(sweep: Sweep, g: Expr, x: Expr, kind: Tuple) -> Any:
    """Bring the adjoints of the containers in a tuple to their shapes: that tells what each is.

    One that nothing reached is 0.0 as long as it is not asked for; a text that is differentiated again
    is read with either in mind.
    """
    if not any(map(is_container, kind.items)):
        return g
    whole = sweep.names.fresh("v_bar")
    sweep.out.append(assign(whole, g))
    made: list[Any] = []
    for i, item in enumerate(kind.items):
        part, shown = (quote_expression("g[i]", g=owner, i=const(i)) for owner in (whole, x))
        made.append(full_slot(sweep, part, shown, item) if is_container(item) else part)
    return gast.List(made, gast.Load())


def may_hold_integers(kind: Kind) -> bool:
    """Whether an array that is made here may be of integers: NumPy truncates what is stored.

    Arguments of which nothing is known count as arrays of floats.
    """
    made_here = any(region[0] != "argument" for region in regions_of(kind))
    return made_here and isinstance(kind, (Array, Number)) and dtype_of(kind) == "?"


def _comes_again(sweep: Sweep, kind: Kind) -> bool:
    """Whether a store may overwrite what the same store put there, in an earlier trip or call."""
    given = any(region[0] in ("parameter", "argument") for region in regions_of(kind))
    return given or bool(sweep.depth)


def _summed(sweep: Sweep, s: Stmt, value: Expr, bar: str, place: Expr, kind: Kind) -> Any:
    """Sum what was taken out of an array over the entries to which the store broadcast a value."""
    inner = sweep.value(s, value.id).kind
    element = isinstance(inner, (Real, Integer)) and is_element_index(
        kind, place.slice, lambda tree: sweep.operand_kind(s, tree)
    )
    if element:
        return name(bar)
    env = dict(sweep.known.before.get(s, {}))
    env[bar] = Value(sweep.splicer.evaluate(as_load(place), env).kind)
    g = sum_to_value(sweep, s, name(bar), value, env)
    if type(g) is gast.Name:
        if dtype_of(inner) == dtype_of(kind):
            sweep.adjoints.primals[bar] = value.id, inner
        return g
    sweep.out.append(assign(bar, g))
    return name(bar)


def sum_to_value(sweep: Sweep, s: Stmt, taken: Expr, value: Expr, env: Mapping[str, Value]) -> Expr:
    """Write the sum of what was taken out of an adjoint over the entries that a value was broadcast to."""
    helper = sweep.runtime("unbroadcast")
    call = quote_expression("unbroadcast(g, x)", unbroadcast=helper, g=taken, x=value.id)
    return sweep.splicer.fold_helpers(call, {**env, **adjoints_in(sweep, taken, env)}, sweep.out)


def gets_slot(sweep: Sweep, s: Stmt, value: Expr) -> bool:
    """Whether what a slot of the shadow holds is the cotangent of what was put there."""
    inner = sweep.operand_kind(s, value)
    return sweep.is_active(s, value) and not (sweep.has_shadow_in_memory(inner))


def _bar_name(s: Stmt) -> str:
    value = getattr(s, "value", None)
    return f"{value.id}_bar" if isinstance(value, gast.Name) else "v_bar"


def pass_on(sweep: Sweep, s: Stmt, value: Expr, cotangent: Expr, kind: Kind) -> None:
    """Hand the cotangent of a stored value on to the value."""
    if not sweep.is_active(s, value):
        return
    if is_container(kind):
        if gets_slot(sweep, s, value):
            contribute(sweep, s, value.id, Adjoint(cotangent), False)
        return
    contribute(sweep, s, value.id, Adjoint(cotangent), True)


def reverse_attribute_store(sweep: Sweep, s: Stmt) -> list[Stmt]:
    """Reverse `owner.attribute = value`: take, restore, rebind."""
    place = as_load(s.targets[0])
    kind = sweep.operand_kind(s, place.value)
    if sweep.stores_into_holder(s, place, kind):
        return [s]  # what is read of it has a name: nothing is undone
    if not isinstance(kind, Instance):
        sweep.refuse_outer_attribute(s, place)
    check_attribute(sweep, s, place, kind)
    return _reverse_store(sweep, s, place, kind)


def reverse_deletion(sweep: Sweep, s: Stmt) -> list[Stmt]:
    """Reverse `del owner.attribute`: what it held is put back, and nothing that comes after depends on it."""
    owner, label = s.value.args
    kind = sweep.operand_kind(s, owner)
    place, old = gast.Attribute(owner, label.value, gast.Load()), sweep.names.fresh(label.value)
    if sweep.value(s, owner.id).varied and not is_untouched(sweep, s, owner.id):
        shadow = gast.Attribute(shadow_of(sweep, s, owner.id), label.value, gast.Store())
        slots = [sweep.known.heap.get(region, {}) for region in regions_of(kind)]
        held = [slot[label.value].kind for slot in slots if label.value in slot]
        zero: Any = const(0.0)
        if any(is_container(each) and not sweep.in_memory(each) for each in held):
            zero = quote_expression("full(0.0, x)", full=sweep.runtime("full"), x=old)
        sweep.out.append(assign(shadow, zero))
    note_undone(sweep, s, owner)
    sweep.out.append(assign(put_back(place, kind), name(old)))
    return [assign(old, place), s]


def _reverse_slice_store(sweep: Sweep, s: Stmt, place: Expr) -> list[Stmt]:
    """`items[i:j] = more` is undone by putting the old items where the new ones stand."""
    index, key = place.slice, place.value.id
    if index.step is not None:
        sweep.refuse(
            s,
            "whether what is stored into every other item is a list is not known here",
            "make a list of it first: list(...)",
        )
    at, count, old = (sweep.names.fresh(wish) for wish in ("at", "count", f"{key}_old"))
    parts = [const(None) if p is None else p for p in (index.lower, index.upper)]
    finder = sweep.runtime("slice_place")
    forward = [
        assign(at, quote_expression("f(x, i, j)", f=finder, x=key, i=parts[0], j=parts[1])),
        assign(count, quote_expression("len(v)", v=s.value)),
        assign(old, place),
        s,
    ]
    if sweep.value(s, key).varied:
        shadow, bar = shadow_of(sweep, s, key), sweep.names.fresh("v_bar")
        sweep.out.append(assign(bar, quote_expression("x[i:i + n]", x=shadow, i=at, n=count)))
        sweep.out += quote("x[i:i + n] = [0.0] * len(v)", x=shadow, i=at, n=count, v=old)
        if sweep.is_active(s, s.value):
            contribute(sweep, s, s.value.id, Adjoint(name(bar)), True)
    if sweep.is_logged(sweep.operand_kind(s, place.value)):
        note_undone(sweep, s, place.value)
        sweep.out += quote("x[i:i + n] = v", x=key, i=at, n=count, v=old)
    return forward
