"""Taking cotangents: out of the adjoint of a name, where a statement binds it.

The adjoint of a number, or of an array that nobody stores into, is a value that is taken and starts anew
before. That of a thing that changes in place is its shadow, a buffer that is written to in place.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

from tapeless.analysis.abstract import NOTHING, reachable
from tapeless.analysis.calls import RuleCall
from tapeless.differentiate.reverse.accumulate import Adjoint, Holds
from tapeless.differentiate.reverse.known import Known
from tapeless.differentiate.sharing import aliases_operand, may_copy
from tapeless.joins import as_array
from tapeless.kinds import (
    NOWHERE,
    Instance,
    Kind,
    Number,
    Regions,
    Tuple,
    is_container,
    is_structure,
    regions_of,
)
from tapeless.origins import is_generated
from tapeless.rules.traits import traits_of_callee
from tapeless.tree.build import assign, const, name, quote_expression
from tapeless.tree.names import reads
from tapeless.tree.trees import Expr, Stmt


def forget_adjoint(sweep: Known, key: str) -> None:
    """A name is bound to something without derivative: its adjoint starts anew before."""
    for bar, (primal, _) in sweep.adjoints.primals.items():
        if primal == key:
            sweep.adjoints.set(bar, Holds.NOTHING)
    sweep.bound.discard(key)


def take_cotangent(sweep: Known, s: Stmt, key: str, kind: Kind) -> Adjoint | None:
    """Take the cotangent out of the name that a statement binds.

    Returns
    -------
    None where the cotangent is zero: nothing after the statement depends on the value.
    """
    bar = sweep.bar(key, kind)
    if sweep.has_shadow(kind):
        return _take_shadow(sweep, s, key, kind)
    holds = sweep.adjoints.holds(bar)
    if holds is Holds.NOTHING:
        return None
    if holds is Holds.BROADCASTS:
        small = sweep.adjoints.small[bar]
        sweep.adjoints.set(bar, Holds.NOTHING)
        return Adjoint(small, True)
    sweep.owned_when_taken = holds is Holds.OWNED
    sweep.adjoints.set(bar, Holds.NOTHING)
    return Adjoint(name(bar))


def _take_shadow(sweep: Known, s: Stmt, key: str, kind: Kind) -> Adjoint | None:
    """Take the shadow of a thing where the thing is made; an alias has none of its own."""
    bar = sweep.bar(key, kind)
    sweep.owned_when_taken = True
    if key in sweep.shadows.paths and not sweep.in_memory(kind):
        sweep.bound.discard(key)
        return None
    if sweep.in_memory(kind):
        sweep.bound.discard(key)
        if is_container(kind) and key in sweep.bars:
            sweep.adjoints.set(sweep.bars[key], Holds.NOTHING)  # of a number that it is later
        made = sweep.known.results.get(s)
        if s in sweep.function.settled and sweep.in_memory(sweep.operand_kind(s, s.value)):
            return None  # one array: the memory has one adjoint of it
        fresh = isinstance(s.value, (gast.List, gast.Dict)) or not aliases_operand(sweep, s)
        if made is None or not (fresh or may_copy(sweep, s)):
            return None
        found = found_in_memory(sweep, key, kind)
        if s in sweep.function.settled:  # it is not copied: what leads back to it brings it back
            found = quote_expression("f(g)", f=sweep.runtime("taken_out"), g=found)
        sweep.out.append(assign(bar, found))
        return Adjoint(name(bar))
    if sweep.adjoints.holds(bar) is Holds.NOTHING:
        return None
    sweep.adjoints.materialize(bar)
    sweep.adjoints.set(bar, Holds.NOTHING)
    return Adjoint(name(bar))


def with_items_made(
    sweep: Known, s: Stmt, key: str, kind: Kind, y: Adjoint | None
) -> Adjoint | None:
    """Return the cotangent of what a call makes, of the items of a tuple what the memory has of them."""
    if not isinstance(kind, Tuple):
        return y
    places = list(_places_made(sweep, kind, _may_be_shared(sweep, s)))
    if not places:
        return y
    whole = const(0.0) if y is None else y.expression
    return Adjoint(with_recalled_items(sweep, whole, key, kind.items, places))


def _may_be_shared(sweep: Known, s: Stmt) -> Regions:
    """Return the regions that what a call makes may share with what it is given: it is a view of it then."""
    called = sweep.call(s)
    if (
        isinstance(called, RuleCall)
        and not traits_of_callee(s.value.func, called.found).may_be_view
    ):
        return NOWHERE
    kinds = [sweep.operand_kind(s, name(key)) for key in reads(s.value)]
    return frozenset(reachable(kinds, sweep.known.heap))


def _places_made(sweep: Known, kind: Kind, given: Regions) -> Iterator[tuple[int, ...]]:
    """List the places, in a tuple that a call makes, of what it makes and the memory has."""
    if isinstance(kind, Tuple):
        for i, item in enumerate(kind.items):
            yield from ((i, *path) for path in _places_made(sweep, item, given))
    elif sweep.has_shadow_in_memory(kind) and not regions_of(kind) & given:
        yield ()


def with_recalled_items(
    sweep: Known, y_bar: Expr, key: str, items: tuple[Kind, ...], places: list[tuple[int, ...]]
) -> Any:
    """Put cotangents from the adjoint memory into that of a tuple of certain items."""
    if not places:
        return y_bar
    if sweep.module.for_higher_order and all(len(path) == 1 for path in places):
        return _with_items_taken(sweep, y_bar, key, items, [path[0] for path in places])
    paths = [gast.Tuple([const(i) for i in path], gast.Load()) for path in places]
    return quote_expression(
        "f(m, y, g, p)", f=sweep.runtime("recalled_items"), m=sweep.memory_name(), y=key, g=y_bar,
        p=gast.Tuple(paths, gast.Load()),
    )  # fmt: skip


def _with_items_taken(
    sweep: Known, y_bar: Expr, key: str, items: tuple[Kind, ...], places: list[int]
) -> Any:
    """Write `recalled_items` out, for a text that is differentiated again."""
    given, taker = sweep.names.fresh(f"{key}_bar"), sweep.runtime("taken_out")
    untouched = type(y_bar) is gast.Constant
    if not untouched:
        sweep.out.append(assign(given, y_bar))
    parts: list[Any] = []
    for i, kind in enumerate(items):
        if i in places:
            thing = quote_expression("y[i]", y=key, i=const(i))
            taken = quote_expression("f(m[x])", f=taker, m=sweep.memory_name(), x=thing)
            parts.append(with_own_slots(sweep, taken, thing, kind))
        else:
            parts.append(const(0.0) if untouched else quote_expression("g[i]", g=given, i=const(i)))
    return gast.List(parts, gast.Load())


def shadow_of(sweep: Known, s: Stmt, key: str) -> Any:
    """Return the expression of a shadow that may be written to in place."""
    kind = sweep.value(s, key).kind if s is not None else NOTHING.kind
    if isinstance(as_array(kind), Number) and _may_be_scalar(sweep, key):
        sweep.refuse(
            s,
            f"whether {sweep.spelled(name(key), 'what changes here')} is an array or a number is not "
            "known here",
            "annotate the parameters, or give like=",
        )
    bar = sweep.bar(key, kind)
    if key in sweep.item_places:
        return sweep.item_places[key]
    if sweep.in_memory(kind):
        if key not in sweep.bound and _is_fixed_part(sweep, key):
            path, [definition] = sweep.shadows.paths[key], sweep.definitions[key]
            owner = shadow_of(sweep, definition, path.value.id)
            return gast.Subscript(owner, path.slice, gast.Load())
        if key not in sweep.bound:
            found = found_in_memory(sweep, key, kind)
            found = with_own_slots(sweep, found, name(key), kind)
            sweep.out.append(assign(bar, found))
            sweep.bound.add(key)
        return name(bar)
    if key in sweep.shadows.paths:
        path = sweep.shadows.paths[key]
        [definition] = sweep.definitions[key]
        if type(path) is gast.Name:
            return shadow_of(sweep, definition, path.id)
        owner = shadow_of(sweep, definition, path.value.id)
        return type(path)(owner, path.slice if hasattr(path, "slice") else path.attr, gast.Load())
    sweep.adjoints.ensure_owned(bar)
    return name(bar)


def is_untouched(sweep: Known, s: Stmt, key: str) -> bool:
    """Whether nothing depends on what a thing holds after a statement: its shadow is not even there."""
    while key in sweep.shadows.paths:
        if key in sweep.item_places or sweep.in_memory(sweep.value(s, key).kind):
            return False
        [s] = sweep.definitions[key]
        path = sweep.shadows.paths[key]
        key = path.id if type(path) is gast.Name else path.value.id
    kind = sweep.value(s, key).kind
    if key in sweep.item_places or not sweep.has_shadow(kind) or sweep.in_memory(kind):
        return False
    return sweep.adjoints.holds(sweep.bar(key, kind)) is Holds.NOTHING


def found_in_memory(sweep: Known, key: str, kind: Kind) -> Any:
    """Write where the adjoint memory has the adjoint of a name.

    Whether a name is an array or a number has been proven in what a user wrote. In a generated text
    0.0 may stand for an array that nothing has reached, and other numbers are told when it runs.
    """
    mixed = isinstance(kind, Number) and is_generated(sweep.function.filename)
    text = "m.of_array(x)" if mixed else "m[x]"
    return quote_expression(text, m=sweep.memory_name(), x=key)


def with_own_slots(sweep: Known, found: Expr, thing: Expr, kind: Kind) -> Any:
    """Give the adjoint of a thing those of the containers that it holds, if the memory has none of them."""
    return with_slots(sweep, found, thing, kind) if has_slots_outside_memory(sweep, kind) else found


def with_slots(sweep: Known, found: Expr, thing: Expr, kind: Kind) -> Any:
    """Give the adjoint of a thing in the memory those of the containers that the thing holds.

    In a text that is differentiated again the attributes of an object are named: what is reached by
    their names alone is followed.
    """
    if not (sweep.module.for_higher_order and isinstance(kind, Instance)):
        giver = sweep.runtime("with_slots")
        return quote_expression("f(b, x)", f=giver, b=found, x=thing)
    record = sweep.names.fresh("record")
    sweep.out.append(assign(record, found))
    for attribute in _attributes_with_slots(sweep, kind):
        place = gast.Attribute(name(record), attribute, gast.Load())
        whole = quote_expression(
            "full(g, getattr(x, a, None))", full=sweep.runtime("full"), g=place, x=thing,
            a=const(attribute),
        )  # fmt: skip
        sweep.out.append(assign(place, whole))
    return name(record)


def _attributes_with_slots(sweep: Known, kind: Instance) -> list[str]:
    """List the attributes of an object that hold containers."""
    held = (item for r in regions_of(kind) for item in sweep.known.heap.get(r, {}).items())
    found = (key for key, value in held if isinstance(key, str) and is_structure(value.kind))
    return list(dict.fromkeys(found))


def has_slots_outside_memory(sweep: Known, kind: Kind) -> bool:
    """Whether a container in the adjoint memory holds containers that are not there."""
    held = [v.kind for r in regions_of(kind) for v in sweep.known.heap.get(r, {}).values()]
    return any(is_container(k) and regions_of(k) and not sweep.in_memory(k) for k in held)


def _is_fixed_part(sweep: Known, key: str) -> bool:
    """Whether a name is always the same part of an array that one statement binds.

    A part of the array's adjoint is found sooner than the memory finds the adjoint of a part.
    """
    path = sweep.shadows.paths.get(key)
    if not isinstance(path, gast.Subscript) or reads(path.slice):
        return False
    [definition] = sweep.definitions[key]
    if is_container(sweep.value(definition, path.value.id).kind):
        return False  # what it holds is in the memory by itself
    return len(sweep.definitions.get(path.value.id, [])) == 1


def _may_be_scalar(sweep: Known, key: str) -> bool:
    """Whether a name of unknown rank may hold an element rather than a view.

    What the adjoint of a list or dict holds in a generated text is told when it runs.
    """
    if not sweep.definitions.get(key):
        return True  # it is the old value of an updated element
    told = is_generated(sweep.function.filename)
    for definition in sweep.definitions[key]:
        value = getattr(definition, "value", None)
        if isinstance(value, gast.Subscript) and type(value.slice) is not gast.Slice:
            if not (told and is_container(sweep.operand_kind(definition, value.value))):
                return True
        if type(definition) is gast.For:
            return True
    return False


def buffer_of(sweep: Known, s: Stmt, owner: str) -> Any:
    """Return an adjoint of which parts may be written to in place."""
    kind = sweep.value(s, owner).kind
    if sweep.has_shadow(kind):
        return shadow_of(sweep, s, owner)
    bar = sweep.bar(owner, kind)
    sweep.adjoints.ensure_owned(bar)
    return name(bar)
