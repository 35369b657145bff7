"""Stores into arrays, containers and objects, and how they are undone.

A store `a[i] = v` is reversed in this order: take the cotangent out of the shadow (a copy, if the index
makes a view, which is about to be zeroed), zero it, restore what was overwritten, then pass the
cotangent on to `v`. Only the overwritten region is kept.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.analysis.abstract import Value
from tapeless.analysis.indexing import is_copying_index, is_element_index
from tapeless.differentiate.outside import note_undone
from tapeless.differentiate.reverse.accumulate import Adjoint
from tapeless.differentiate.reverse.definite_attributes import is_there, makes_attribute
from tapeless.differentiate.reverse.mirrored import Step, conditional
from tapeless.differentiate.reverse.mixed_names import check_attribute
from tapeless.differentiate.reverse.parts import add_to_item, as_value, repeats
from tapeless.differentiate.reverse.state import Sweep
from tapeless.differentiate.writer import INSTEAD_OF_METHODS
from tapeless.kinds import (
    Array,
    Dict,
    Instance,
    Integer,
    Kind,
    List,
    Number,
    Real,
    is_container,
    regions_of,
)
from tapeless.ranks import dtype_of
from tapeless.tree.build import as_load, as_store, assign, const, name, quote, quote_expression


def reverse_item_store(sweep: Sweep, s: Any) -> list[Any]:
    """Reverse `owner[index] = value`."""
    place = as_load(s.targets[0])
    kind = sweep.operand_kind(s, place.value)
    if kind == Kind():
        sweep.refuse(
            s, f"{sweep.what_is(place.value.id)} is not known here",
            "annotate the parameters, or give like=",
        )  # fmt: skip
    if isinstance(kind, Instance):
        sweep.refuse_index(s, kind)
    if isinstance(kind, List) and isinstance(place.slice, gast.Slice):
        return _reverse_slice_store(sweep, s, place)
    return _reverse_store(sweep, s, place, kind)


def _reverse_store(sweep: Sweep, s: Any, place: Any, kind: Kind) -> list[Any]:
    """Take the cotangent out, put back what the store overwrote, pass the cotangent on."""
    forward, old = keep_old(sweep, s, place, kind)
    if sweep.value(s, place.value.id).varied:
        shown = s.value if old is None else place
        cotangent = take_out(sweep, s, place, kind, s.value, shown, old)
        restore_old(sweep, s, place, old)
        pass_on(sweep, s, s.value, cotangent, kind)
    else:
        restore_old(sweep, s, place, old)
    return [*forward, s]


def keep_old(sweep: Sweep, s: Any, place: Any, kind: Kind) -> tuple[list[Any], str | None]:
    """Keep what a store overwrites, where something reads it when the store is undone."""
    if not sweep.is_logged(kind) or makes_attribute(sweep, s, place):
        return [], None
    old = sweep.names.fresh(_old_name(place))
    if isinstance(kind, Dict) or isinstance(kind, Instance) and not is_there(sweep, s, place, kind):
        getter = sweep.runtime("slot")
        at = place.slice if isinstance(place, gast.Subscript) else const(place.attr)
        value = quote_expression("slot(x, k)", slot=getter, x=place.value, k=at)
    elif isinstance(kind, Array | Number) and makes_view(sweep, s, place, kind):
        value = quote_expression("x.copy()", x=place)
    else:
        value = place
    return [assign(old, value)], old


def _old_name(place: Any) -> str:
    base = place.value.id if isinstance(place.value, gast.Name) else "old"
    return f"{base}_old" if isinstance(place, gast.Subscript) else place.attr


def restore_old(sweep: Sweep, s: Any, place: Any, old: str | None) -> None:
    """Put back what a store overwrote."""
    if old is None:
        return
    note_undone(sweep, s, place.value)
    kind = sweep.operand_kind(s, place.value)
    if isinstance(kind, Dict) or isinstance(kind, Instance) and not is_there(sweep, s, place, kind):
        setter = sweep.runtime("set_slot")
        at = place.slice if isinstance(place, gast.Subscript) else const(place.attr)
        call = quote_expression("f(x, k, v)", f=setter, x=place.value, k=at, v=old)
        sweep.out.append(gast.Expr(call))
    else:
        sweep.out.append(assign(as_store(place), name(old)))


def makes_view(sweep: Sweep, s: Any, place: Any, kind: Kind) -> bool:
    """Whether reading a place of an array may give a view of it."""
    env_kind = lambda tree: sweep.operand_kind(s, tree)  # noqa: E731
    if is_element_index(kind, place.slice, env_kind):
        return False
    return isinstance(kind, Number) or not is_copying_index(place.slice, env_kind)


def take_out(
    sweep: Sweep, s: Any, place: Any, kind: Kind, value: Any, shown: Any, old: str | None = None
) -> Any:
    """Take the cotangent of a place out of its shadow and zero the place.

    That of a slot is brought to the shape of the value stored, which `shown` gives: where stores
    are logged the slot itself still holds it. What the slot held before is in `old`: where it may be
    of the kind of what is stored, its shadow is written to by the path, and so is made whole.
    """
    shadow = sweep.shadow(s, place.value.id)
    bar = sweep.names.fresh(f"{_bar_name(s)}")
    if isinstance(place, gast.Subscript):
        slot = gast.Subscript(shadow, place.slice, gast.Load())
    else:
        slot = gast.Attribute(shadow, place.attr, gast.Load())
    copied = isinstance(kind, Array | Number) and makes_view(sweep, s, place, kind)
    taken = quote_expression("x.copy()", x=slot) if copied else slot
    if isinstance(kind, Dict):
        taken = quote_expression("x.get(k, 0.0)", x=shadow, k=place.slice)
    if isinstance(kind, Array | Number) and repeats(sweep, s, place.slice):
        taker = sweep.runtime("last_writes")
        taken = quote_expression("last(x, i)", last=taker, x=shadow, i=as_value(place.slice))
    if is_container(kind) and _gets_slot(sweep, s, value):
        taken = sweep.full_slot(taken, shown, sweep.operand_kind(s, value))
    sweep.out.append(assign(bar, taken))
    cotangent = name(bar)
    if isinstance(kind, Array | Number) and sweep.is_active(s, value):
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


def may_hold_integers(kind: Kind) -> bool:
    """Whether an array that is made here may be of integers: NumPy truncates what is stored.

    Arguments of which nothing is known count as arrays of floats.
    """
    made_here = any(region[0] != "argument" for region in regions_of(kind))
    return made_here and isinstance(kind, Array | Number) and dtype_of(kind) == "?"


def _comes_again(sweep: Sweep, kind: Kind) -> bool:
    """Whether a store may overwrite what the same store put there, in an earlier trip or call."""
    given = any(region[0] in ("parameter", "argument") for region in regions_of(kind))
    return given or bool(sweep.depth)


def _summed(sweep: Sweep, s: Any, value: Any, bar: str, place: Any, kind: Kind) -> Any:
    """Sum what was taken out of an array over the entries to which the store broadcast a value."""
    inner = sweep.value(s, value.id).kind
    element = isinstance(inner, Real | Integer) and is_element_index(
        kind, place.slice, lambda tree: sweep.operand_kind(s, tree)
    )
    if element:
        return name(bar)
    env = dict(sweep.known.before.get(s, {}))
    env[bar] = Value(sweep.splicer.evaluate(as_load(place), env).kind)
    helper = sweep.runtime("unbroadcast")
    call = quote_expression("unbroadcast(g, x)", unbroadcast=helper, g=bar, x=value.id)
    g = sweep.splicer.fold_helpers(call, env, sweep.out)
    if isinstance(g, gast.Name):
        return g
    sweep.out.append(assign(bar, g))
    return name(bar)


def _gets_slot(sweep: Sweep, s: Any, value: Any) -> bool:
    """Whether what a slot of the shadow holds is the cotangent of what was put there."""
    inner = sweep.operand_kind(s, value)
    return sweep.is_active(s, value) and not (sweep.has_shadow(inner) and sweep.in_memory(inner))


def _bar_name(s: Any) -> str:
    value = getattr(s, "value", None)
    return f"{value.id}_bar" if isinstance(value, gast.Name) else "v_bar"


def pass_on(sweep: Sweep, s: Any, value: Any, cotangent: Any, kind: Kind) -> None:
    """Hand the cotangent of a stored value on to the value."""
    if not sweep.is_active(s, value):
        return
    if is_container(kind):
        if _gets_slot(sweep, s, value):
            sweep.contribute(s, value.id, Adjoint(cotangent), False)
        return
    sweep.contribute(s, value.id, Adjoint(cotangent), True)


# Attributes


def reverse_attribute_store(sweep: Sweep, s: Any) -> list[Any]:
    """Reverse `owner.attribute = value`: take, restore, rebind."""
    place = as_load(s.targets[0])
    kind = sweep.operand_kind(s, place.value)
    if not isinstance(kind, Instance):
        sweep.refuse_outer_attribute(s, place)
    check_attribute(sweep, s, place, kind)
    return _reverse_store(sweep, s, place, kind)


# Methods of containers and arrays


def reverse_method(sweep: Sweep, s: Any, owner: Kind) -> list[Any] | None:
    """Reverse a method called for its effect: `outs.append(v)`, `a.fill(v)`."""
    if isinstance(owner, List | Dict):
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


def reverse_container_method(sweep: Sweep, s: Any, owner: Kind) -> list[Any] | None:
    """Reverse a method of a list or dict."""
    call = s.value
    method, key = call.func.attr, call.func.value.id
    active = sweep.value(s, key).varied
    if method == "append":
        return _reverse_append(sweep, s, key, call.args[0], active, owner)
    if method == "pop" and isinstance(owner, List) and len(call.args) < 2:
        return _reverse_pop(sweep, s, key, active, owner)
    if method == "pop" and isinstance(s, gast.Expr) and len(call.args) == 1:
        return _reverse_removed_key(sweep, s, key, call.args[0], active)
    if method == "insert":
        return _reverse_insert(sweep, s, key, active, owner)
    if method == "get" and isinstance(s, gast.Assign):
        _reverse_get(sweep, s, key, call, active)
        return None
    if method in ("keys", "items", "values", "index", "count"):
        if active and method in ("values", "items") and isinstance(s, gast.Assign):
            sweep.refuse(s, f"`.{method}()` is supported in a `for` only", "iterate over it")
        return None
    if method == "copy" and isinstance(s, gast.Assign):
        if not active:
            return None
        y = sweep.take(s, s.targets[0].id, sweep.result(s).kind)
        if y is not None:
            sweep.contribute(s, key, y, True)
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
    sweep: Sweep, s: Any, key: str, value: Any, active: bool, owner: Kind
) -> list[Any] | None:
    logged = sweep.is_logged(owner)
    if logged:
        note_undone(sweep, s, name(key))
    undone = quote_expression("x.pop()", x=key)
    if active:
        slot = quote_expression("x.pop()", x=sweep.shadow(s, key))
        logged = not _give_slot(sweep, s, value, slot, undone if logged else value) and logged
    if logged:
        sweep.out.append(gast.Expr(undone))
    return None


def _reverse_insert(sweep: Sweep, s: Any, key: str, active: bool, owner: Kind) -> list[Any]:
    """`items.insert(i, v)` is undone by a `pop` at the place where `v` came to stand."""
    index, value = s.value.args
    at = sweep.names.fresh("at")
    finder = sweep.runtime("insert_place")
    logged = sweep.is_logged(owner)
    if logged:
        note_undone(sweep, s, name(key))
    undone = quote_expression("x.pop(i)", x=key, i=at)
    if active:
        slot = quote_expression("x.pop(i)", x=sweep.shadow(s, key), i=at)
        logged = not _give_slot(sweep, s, value, slot, undone if logged else value) and logged
    if logged:
        sweep.out.append(gast.Expr(undone))
    return [assign(at, quote_expression("f(x, i)", f=finder, x=key, i=index)), s]


def _reverse_clear(sweep: Sweep, s: Any, key: str, active: bool, owner: Kind) -> list[Any]:
    """`items.clear()` is undone by putting back what was there; nothing depends on it after."""
    old = sweep.names.fresh(f"{key}_old")
    adding = "x.extend(old)" if isinstance(owner, List) else "x.update(old)"
    zeros = "[0.0] * len(old)" if isinstance(owner, List) else "dict.fromkeys(old, 0.0)"
    if active:
        untouched = quote_expression(zeros, old=old)
        sweep.out += quote(adding, x=sweep.shadow(s, key), old=untouched)
    if sweep.is_logged(owner):
        note_undone(sweep, s, name(key))
        sweep.out += quote(adding, x=key, old=old)
    return [assign(old, quote_expression("x.copy()", x=key)), s]


def _give_slot(sweep: Sweep, s: Any, value: Any, slot: Any, shown: Any) -> bool:
    """Hand the cotangent that a slot held on to the value that was put into it.

    Returns
    -------
    Whether `shown`, which gives the value, was used to bring the cotangent to its shape.
    """
    if not _gets_slot(sweep, s, value):
        sweep.out.append(gast.Expr(slot))
        return False
    inner = sweep.operand_kind(s, value)
    bar = sweep.names.fresh(f"{value.id}_bar")
    sweep.out.append(assign(bar, sweep.full_slot(slot, shown, inner)))
    sweep.contribute(s, value.id, Adjoint(name(bar)), False)
    return not isinstance(inner, Real)


def _reverse_slice_store(sweep: Sweep, s: Any, place: Any) -> list[Any]:
    """`items[i:j] = more` is undone by putting the old items where the new ones stand."""
    index, key = place.slice, place.value.id
    if index.step is not None:
        sweep.refuse(
            s, "a store with a step into a list is not supported yet", "store item by item"
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
        shadow, bar = sweep.shadow(s, key), sweep.names.fresh("v_bar")
        sweep.out.append(assign(bar, quote_expression("x[i:i + n]", x=shadow, i=at, n=count)))
        sweep.out += quote("x[i:i + n] = [0.0] * len(v)", x=shadow, i=at, n=count, v=old)
        if sweep.is_active(s, s.value):
            sweep.contribute(s, s.value.id, Adjoint(name(bar)), True)
    if sweep.is_logged(sweep.operand_kind(s, place.value)):
        note_undone(sweep, s, place.value)
        sweep.out += quote("x[i:i + n] = v", x=key, i=at, n=count, v=old)
    return forward


def _reverse_removed_key(sweep: Sweep, s: Any, key: str, slot: Any, active: bool) -> list[Any]:
    """`d.pop(k)` is undone by giving the dict all its slots back, in their order."""
    old = sweep.names.fresh(f"{key}_old")
    if active:
        shadow = sweep.shadow(s, key)
        sweep.out.append(assign(gast.Subscript(shadow, slot, gast.Store()), const(0.0)))
    note_undone(sweep, s, name(key))
    sweep.out += quote("d.clear()", d=key)
    sweep.out += quote("d.update(v)", d=key, v=old)
    return [assign(old, quote_expression("d.copy()", d=key)), s]


def _reverse_pop(sweep: Sweep, s: Any, key: str, active: bool, owner: Kind) -> list[Any] | None:
    """`x = items.pop()` is undone by putting what `x` holds where it stood."""
    result = sweep.result(s)
    first: list[Any] = []
    back = "x.append(g)"
    at = ""
    if s.value.args:
        at, back = sweep.names.fresh("at"), "x.insert(i, g)"
        finder, index = sweep.runtime("item_place"), s.value.args[0]
        first = [assign(at, quote_expression("f(x, i)", f=finder, x=key, i=index))]
    bound = s.targets[0].id if isinstance(s, gast.Assign) else None
    forward = None
    if bound is None:
        bound = sweep.names.fresh("popped")
        forward = [assign(bound, s.value)]
    if active:
        shadow = sweep.shadow(s, key)
        g: Any = const(0.0)
        if isinstance(s, gast.Assign):
            y = sweep.take(s, bound, result.kind) if result.varied else None
            g = const(0.0) if y is None else sweep.full(y, bound)
        sweep.out.append(gast.Expr(quote_expression(back, x=shadow, i=at, g=g)))
    elif isinstance(s, gast.Assign):
        sweep.forget(bound)
    if sweep.is_logged(owner):
        note_undone(sweep, s, name(key))
        sweep.out.append(quote(back, x=key, i=at, g=bound)[0])
    return [*first, *(forward or [s])] if first else forward


def _reverse_get(sweep: Sweep, s: Any, key: str, call: Any, active: bool) -> None:
    target = s.targets[0].id
    result = sweep.result(s)
    if not result.varied:
        sweep.forget(target)
        return
    y = sweep.take(s, target, result.kind)
    if y is None:
        return
    found = gast.Compare(call.args[0], [gast.In()], [name(key)])
    outer, sweep.out = sweep.out, []
    state = sweep.adjoints.snapshot()
    if active:
        add_to_item(sweep, s, key, call.args[0], y, target)
    yes, sweep.out = sweep.out, []
    after_yes = sweep.adjoints.snapshot()
    sweep.adjoints.restore(state)
    if len(call.args) > 1 and sweep.is_active(s, call.args[1]):
        sweep.contribute(s, call.args[1].id, y, False)
    no, sweep.out = sweep.out, outer
    ends = sweep.adjoints.merge_branches(
        after_yes, sweep.adjoints.snapshot(), sweep.bound_before(s)
    )
    if yes or no:
        sweep.out += conditional(found, yes + ends[0], no + ends[1])


# Augmented assignment


def reverse_augmented(sweep: Sweep, s: Any) -> list[Any]:
    """Reverse `place op= value`, in place or as a rebinding, by the kind of the place."""
    place = s.target
    if isinstance(place, gast.Name):
        return _augmented_name(sweep, s)
    return _augmented_place(sweep, s)


def expand(sweep: Sweep, s: Any, statements: list[Any]) -> list[Any]:
    """Interpret and reverse the statements that stand for an augmented assignment."""
    interpreter = sweep.splicer.interpreter
    interpreter.statement = s
    env = dict(sweep.known.before[s])
    for made in statements:
        made.lineno = getattr(s, "lineno", None)
        if s in sweep.module.cut:
            sweep.module.cut.add(made)
        value = interpreter.eval(made.value, env)
        sweep.known.learn(made, env, value)
        if isinstance(made.targets[0], gast.Name):
            env[made.targets[0].id] = value
    items: list[Any] = []
    for made in reversed(statements):
        items = [*sweep.item(made), *items]
    return items


def _augmented_name(sweep: Sweep, s: Any) -> list[Any]:
    key = s.target.id
    kind = sweep.operand_kind(s, name(key))
    if isinstance(kind, List):
        return _extend(sweep, s, key)
    if isinstance(kind, Array | Number):
        if isinstance(kind, Number):
            return _augmented_number(sweep, s)
        v = sweep.names.fresh("v")
        first = assign(v, gast.BinOp(name(key), s.op, s.value))
        store = assign(gast.Subscript(name(key), const(...), gast.Store()), name(v))
        return expand(sweep, s, [first, store])
    if kind == Kind():
        sweep.refuse_unknown_rank(s, name(key))
    v = sweep.names.fresh("v")
    first = assign(v, gast.BinOp(name(key), s.op, s.value))
    return expand(sweep, s, [first, assign(key, name(v))])


def _augmented_number(sweep: Sweep, s: Any) -> list[Any]:
    """Of unknown kind: in place for an array, a rebinding for a number."""
    sweep.refuse_unknown_rank(s, name(s.target.id))
    return []


def _augmented_place(sweep: Sweep, s: Any) -> list[Any]:
    place = as_load(s.target)
    slot = sweep.operand_kind(s, place)
    owner = sweep.operand_kind(s, place.value)
    v, w = sweep.names.fresh("v"), sweep.names.fresh("v")
    read = assign(v, place)
    if is_container(owner) and (isinstance(slot, Number) or slot == Kind()):
        sweep.refuse_unknown_rank(s, place)
    change = assign(w, gast.BinOp(name(v), s.op, s.value))
    return expand(sweep, s, [read, change, assign(as_store(place), name(w))])


def _extend(sweep: Sweep, s: Any, key: str) -> list[Any]:
    """`items += more` extends in place."""
    count = sweep.names.fresh("count")
    outer, sweep.out = sweep.out, []
    if sweep.value(s, key).varied:
        shadow = sweep.shadow(s, key)
        if sweep.is_active(s, s.value):
            part = quote_expression("x[n:]", x=shadow, n=count)
            sweep.contribute(s, s.value.id, Adjoint(part), True)
        sweep.out.append(quote("del x[n:]", x=shadow, n=count)[0])
    if sweep.is_logged(sweep.operand_kind(s, name(key))):
        note_undone(sweep, s, name(key))
        sweep.out.append(quote("del x[n:]", x=key, n=count)[0])
    reverse, sweep.out = sweep.out, outer
    return [Step(s, [assign(count, quote_expression("len(x)", x=key)), s], reverse)]
