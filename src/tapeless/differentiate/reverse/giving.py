"""Giving cotangents: each operand of a statement has a contribution added to its adjoint.

The contribution is brought to what the operand is: real, of its precision, summed or left to broadcast.
What has its adjoint in the memory is added there, the rest to the adjoint of the name.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import NOTHING, Value, any_slot
from tapeless.differentiate.reverse.accumulate import Adjoint, Adjoints, Holds
from tapeless.differentiate.reverse.known import Known
from tapeless.differentiate.reverse.seeds import MixtureError, Parts, parts_in_memory
from tapeless.differentiate.reverse.taking import shadow_of
from tapeless.externals import is_one_of
from tapeless.kinds import (
    Array,
    Dict,
    Instance,
    Integer,
    Kind,
    List,
    Number,
    Real,
    Regions,
    Tuple,
    is_container,
    is_number,
    is_structure,
    may_be_complex,
    regions_of,
)
from tapeless.ranks import dtype_of
from tapeless.rules.traits import traits_of
from tapeless.tree.build import as_store, assign, const, name, quote, quote_expression, unshared
from tapeless.tree.classes import ARITHMETIC
from tapeless.tree.names import binds, children, reads
from tapeless.tree.trees import Expr, Stmt, Tree


def contribute(
    sweep: Known,
    s: Stmt,
    key: str,
    contribution: Adjoint,
    fresh: bool,
    env: dict[str, Value] | None = None,
) -> None:
    """Add a contribution to the adjoint of an operand.

    `env` tells what is known of the names in it, beside those that the function binds.
    """
    kind = sweep.value(s, key).kind
    bar = sweep.bar(key, kind)
    if contribution.is_zero:
        return
    if kind.among and _shadows_among(sweep, s, kind):
        refuse_unlike(sweep, s, key)
    fitted = _as_wide_as(sweep, s, kind, _as_real_as(sweep, s, key, kind, contribution, env))
    if fitted is not contribution:
        contribution, fresh = fitted, False
    if isinstance(kind, Tuple):
        contribution = _without_memory(sweep, key, kind, contribution)
    if not sweep.has_shadow(kind):
        number = contribution.broadcasts and is_number_for_sure(sweep, contribution.expression, env)
        sweep.adjoints.add(bar, contribution, fresh)
        small: Any = sweep.adjoints.small.get(bar)
        if number and type(small) is gast.Name:
            sweep.adjoints.numbers.add(small.id)
        return
    if is_container(kind) and not isinstance(kind, Instance):
        parts = _known_parts(sweep, s, key, kind)
        if parts is not None:
            rest = without_parts(sweep, s, key, contribution.expression, parts)
            contribution, fresh = Adjoint(rest), False
            if parts.inside:
                return
        elif _slots_are_in_memory(sweep, kind):
            _add_to_slots(sweep, s, key, kind, contribution.expression)
            return
    if _is_owned(sweep, key, kind):
        _add_to_owned(sweep, key, kind, contribution, fresh)
        return
    place, g = shadow_of(sweep, s, key), contribution.expression
    if is_container(kind):
        adder = sweep.runtime("add_to")
        sweep.out.append(gast.Expr(quote_expression("add_to(x, g)", add_to=adder, x=place, g=g)))
        return
    sweep.out.append(Adjoints.added(_in_place(place), g))


def is_number_for_sure(sweep: Known, tree: Expr, env: dict[str, Value] | None) -> bool:
    """Whether a cotangent that is left to broadcast is a number: what names hold is read off the text."""
    if type(tree) is gast.Name and tree.id in sweep.adjoints.numbers:
        return True
    if isinstance(sweep.splicer.evaluate(tree, env or {}).kind, (Real, Integer)):
        return True
    if type(tree) in ARITHMETIC:
        return all(is_number_for_sure(sweep, part, env) for part in children(tree))
    made = [s for s in sweep.out if type(tree) is gast.Name and tree.id in binds(s)]
    if not made or type(made[-1]) is not gast.Assign or type(made[-1].targets[0]) is not gast.Name:
        return False
    return is_number_for_sure(sweep, made[-1].value, env)


def _shadows_among(sweep: Known, s: Stmt, kind: Kind) -> Regions:
    """Return the regions with a shadow that an operand of which nothing is known may live in."""
    found = kind.among & (sweep.regions_in_memory | sweep.facts.stored)
    found = frozenset(r for r in found if r[0] != "variable")  # asked for when it runs
    product: Any = getattr(s, "value", None)
    if type(product) is gast.BinOp and type(product.op) is gast.Mult:
        factors = [sweep.operand_kind(s, part) for part in (product.left, product.right)]
        if all(isinstance(factor, Real) or factor is kind for factor in factors):
            found -= sweep.known.heap.keys()  # a list times a number raises
    return found


def refuse_unlike(sweep: Known, s: Stmt, key: str) -> None:
    """Refuse what may be unlike things, of which one has a shadow: where its cotangent goes is not known."""
    shown = f"`{key}`" if sweep.wrote(key) else "what is read here"
    sweep.refuse(
        s,
        f"whether {shown} is an array, a list, or something else is not known here",
        "make it the same on every way, as by np.array(items)",
    )


def _slots_are_in_memory(sweep: Known, kind: Kind) -> bool:
    """Whether what a container holds has its adjoints in the adjoint memory."""
    slot = any_slot(sweep.known.heap, regions_of(kind), "slots").kind
    return sweep.has_shadow_in_memory(slot)


def _add_to_slots(sweep: Known, s: Stmt, key: str, kind: Kind, g: Expr) -> None:
    """Add the cotangents of what a container holds to their adjoints in the memory."""
    slot = any_slot(sweep.known.heap, regions_of(kind), "slots").kind
    if sweep.module.for_higher_order and not isinstance(slot, Number):
        _add_item_by_item(sweep, key, kind, g)
        return
    call = quote_expression(
        "add(m, b, x, g)", add=sweep.runtime("add_to_items"), m=sweep.memory_name(),
        b=shadow_of(sweep, s, key), x=key, g=g,
    )  # fmt: skip
    sweep.out.append(gast.Expr(call))


def _is_owned(sweep: Known, key: str, kind: Kind) -> bool:
    """Whether the shadow of a name is its own: neither a part of another one, nor in the memory."""
    owned = key not in sweep.shadows.paths and not sweep.in_memory(kind)
    return owned and key not in sweep.item_places


def _add_to_owned(sweep: Known, key: str, kind: Kind, contribution: Adjoint, fresh: bool) -> None:
    """Add to a shadow that has a name; what it starts as is seen by nothing else."""
    bar = sweep.bar(key, kind)
    first = sweep.adjoints.holds(bar) is Holds.NOTHING
    if first and isinstance(kind, List) and _cuts_pieces(sweep, contribution.expression):
        sweep.adjoints.add(bar, contribution, False)
        sweep.adjoints.complete.add(bar)
        return
    if first and not (fresh or contribution.broadcasts or is_container(kind)):
        g = contribution.expression
        contribution = Adjoint(quote_expression("np.array(g)", np=sweep.numpy, g=g))
        fresh = True
    elif sweep.adjoints.holds(bar) is Holds.SHARED:
        sweep.adjoints.ensure_owned(bar)
    sweep.adjoints.add(bar, contribution, fresh)


def _cuts_pieces(sweep: Known, g: Expr) -> bool:
    """Whether a cotangent is a new list with a whole cotangent for each item, or inside of one."""
    if type(g) is gast.Subscript:
        return getattr(g.value, "id", None) in sweep.adjoints.complete
    return type(g) is gast.Call and traits_of(sweep.splicer.resolve(g.func)).pieces


def _as_wide_as(sweep: Known, s: Stmt, kind: Kind, g: Adjoint) -> Adjoint:
    """Return an operand in double precision such a cotangent, where the result is in single.

    The result of a store is what it stores into.
    """
    result = sweep.result(s).kind
    if type(s) is gast.Assign and type(s.targets[0]) is gast.Subscript:
        result = sweep.operand_kind(s, s.targets[0].value)
    if dtype_of(result) not in ("f4", "c8") or dtype_of(kind) not in ("f8", "c16"):
        return g
    if isinstance(kind, Array) and g.broadcasts:
        return g  # it is brought to the shape and dtype of the operand
    wide = "np.complex128" if dtype_of(kind) == "c16" else "np.float64"
    text = f"{wide}(g)" if isinstance(kind, Real) else f"g.astype({wide})"
    return Adjoint(quote_expression(text, np=sweep.numpy, g=g.expression), g.broadcasts)


def _as_real_as(
    sweep: Known, s: Stmt, key: str, kind: Kind, g: Adjoint, env: dict[str, Value] | None
) -> Adjoint:
    """Return a cotangent that is real where its operand is, as that of a number beside a complex one.

    Where the kinds do not tell, the operand is asked, in functions that meet complex numbers at all.
    """
    code = dtype_of(kind)
    complex_surely = code[0] == "c" and code != "c?"
    if not sweep.meets_complex or complex_surely or not is_number(kind):
        return g
    if not cotangent_may_be_complex(sweep, s, g.expression, env):
        return g
    if code[0] in "fib":
        made = quote_expression("np.real(g)", np=sweep.numpy, g=g.expression)
    else:
        asked = sweep.runtime("real_for_real")
        made = quote_expression("f(g, x)", f=asked, g=g.expression, x=key)
    return Adjoint(made, g.broadcasts)


def _known_parts(sweep: Known, s: Stmt, key: str, kind: Kind) -> Parts | None:
    """Return which parts of what a container holds have their adjoints in the memory, if not all.

    A derivative that is differentiated again is given a number to start from: what is in the memory
    deeper inside is not in the cotangents, then.
    """
    try:
        parts = parts_in_memory(sweep.facts, sweep.regions_in_memory, kind, ends=True)
    except MixtureError as mixture:
        what = sweep.spelled(name(key), "what is returned")
        sweep.refuse(s, f"{what} {mixture.reason}", mixture.fix)
    if parts is None or not sweep.module.for_higher_order:
        return parts
    return None if all(p.inside is True for p in parts.below.values()) else parts


def without_parts(sweep: Known, s: Stmt, key: str, g: Expr, parts: Parts) -> Any:
    """Write what adds the cotangents of some parts of a value to the memory; return the rest."""
    rest = sweep.names.fresh(f"{key}_bar")
    if sweep.module.for_higher_order:
        kind = sweep.value(s, key).kind
        plain = isinstance(kind, (List, Dict, Tuple)) and not parts.inside
        each = _of_each(parts)
        if not plain or not _are_named(each or parts):
            reason = "what is returned holds what changes beside other things"
            sweep.refuse(
                s, f"{reason}, which cannot be differentiated again yet", "return it alone"
            )
        whole = name(sweep.names.fresh(f"{key}_bar"))
        sweep.out.append(assign(whole.id, g))
        if each is None:
            left = _left_of(sweep, name(key), kind, whole, rest, parts)
            return left if type(left) is gast.Name else _named(sweep, rest, left)
        return _left_of_each(sweep, key, kind, whole, rest, each)
    taken = quote_expression(
        "f(m, x, g, p)", f=sweep.runtime("without_parts"), m=sweep.memory_name(), x=key, g=g,
        p=gast.parse(repr(parts.literal).replace("Ellipsis", "...")).body[0].value,
    )  # fmt: skip
    sweep.out.append(assign(rest, taken))
    return name(rest)


def _of_each(parts: Parts) -> Parts | None:
    """Return what is in the memory of each slot of a container, if all are alike and have no names."""
    below = [slot for slot, part in parts.below.items() if not part.are_none]
    return parts.below[...] if below == [...] else None


def _are_named(parts: Parts) -> bool:
    """Whether all slots that are told apart have names, and it is known what they hold."""
    return all(
        part.are_none
        or isinstance(slot, (str, int))
        and isinstance(part.inside, bool)
        and _are_named(part)
        for slot, part in parts.below.items()
    )


def _left_of(sweep: Known, x: Expr, kind: Kind, g: Expr, wish: str, parts: Parts) -> Expr:
    """Write `without_parts` out: add each part to the adjoint memory; return the rest, 0.0 there."""
    left: dict[Hashable, Expr] = {}
    for slot, part in parts.below.items():
        if part.are_none:
            continue
        held, given = _slot(x, kind, slot), _slot(g, kind, slot)
        if part.below:
            given = _left_of(sweep, held, _kind_in_slot(sweep, kind, slot), given, wish, part)
        if part.inside:
            sweep.out += quote(
                "add_to(m[x], g)", add_to=sweep.runtime("add_to"), m=sweep.memory_name(),
                x=held, g=given,
            )  # fmt: skip
        left[slot] = _untouched(sweep, kind, slot) if part.inside else given
    if isinstance(kind, Tuple):
        places = range(len(kind.items))
        others = [quote_expression("g[i]", g=g, i=const(i)) for i in places]
        return gast.List([left.get(i, others[i]) for i in places], gast.Load())
    made = name(sweep.names.fresh(wish))
    text = "copied(g)" if isinstance(kind, Instance) else "g.copy()"
    copy = quote_expression(text, copied=sweep.runtime("copied"), g=g)
    sweep.out.append(assign(made.id, copy))
    sweep.out += [assign(as_store(_slot(made, kind, k)), rest) for k, rest in left.items()]
    return made


def _untouched(sweep: Known, kind: Kind, slot: Hashable) -> Expr:
    """Write what stands for an untouched adjoint: of what has parts None, which is no number either."""
    return const(None if is_structure(_kind_in_slot(sweep, kind, slot)) else 0.0)


def _slot(thing: Expr, kind: Kind, slot: Any) -> Expr:
    """Write what a slot of a container holds, or of the adjoint of one."""
    if isinstance(kind, Instance):
        return gast.Attribute(unshared(thing), slot, gast.Load())
    return quote_expression("x[k]", x=thing, k=const(slot))


def _left_of_each(sweep: Known, key: str, kind: Kind, g: Expr, rest: str, each: Parts) -> Expr:
    """Take the parts of the items of a container, which are alike, in a loop that has a derivative itself."""
    place, outer = sweep.names.fresh("k"), sweep.out
    held, given = (quote_expression("x[k]", x=x, k=place) for x in (key, g))
    sweep.out = []
    left = _left_of(sweep, held, _kind_in_slot(sweep, kind, ...), given, rest, each)
    added = "rest[k] = left" if isinstance(kind, Dict) else "rest.append(left)"
    sweep.out += quote(added, rest=rest, k=place, left=left)
    empty = quote_expression("{}" if isinstance(kind, Dict) else "[]")
    sweep.out = [*outer, assign(rest, empty), _over_slots(key, kind, place, sweep.out)]
    return name(rest)


def _kind_in_slot(sweep: Known, kind: Kind, slot: Any) -> Kind:
    """Return the kind of what is in a slot; `...` stands for any of those without a name."""
    if isinstance(kind, Tuple):
        return kind.items[slot]
    heap, regions = sweep.known.heap, regions_of(kind)
    if slot is ...:
        return any_slot(heap, regions, "slots").kind
    held = {r: {slot: heap.get(r, {}).get(slot, NOTHING)} for r in regions}
    return any_slot(held, regions, "slot").kind


def _named(sweep: Known, key: str, value: Expr) -> Expr:
    """Give a value a name."""
    sweep.out.append(assign(key, value))
    return name(key)


def _over_slots(key: str, kind: Kind, place: str, body: list[Stmt]) -> Stmt:
    """Write a loop over the keys of a dict, or the places of a list."""
    places = quote_expression("x" if isinstance(kind, Dict) else "range(len(x))", x=key)
    return gast.For(gast.Name(place, gast.Store(), None, None), places, body, [], None)


def _add_item_by_item(sweep: Known, key: str, kind: Kind, g: Expr) -> None:
    """Add cotangents of items to the adjoint memory in a loop, which has a derivative itself."""
    part, place = sweep.names.fresh(f"{key}_bar"), sweep.names.fresh("k")
    sweep.out.append(assign(part, g))
    added = quote(
        "add_to(m[x[k]], g[k])", k=place, x=key, g=part,
        add_to=sweep.runtime("add_to"), m=sweep.memory_name(),
    )  # fmt: skip
    sweep.out.append(_over_slots(key, kind, place, added))


def _without_memory(sweep: Known, key: str, kind: Tuple, contribution: Adjoint) -> Adjoint:
    """Add the cotangents of items that have theirs in the adjoint memory; keep the rest."""
    places = [const(i) for i, item in enumerate(kind.items) if sweep.has_shadow_in_memory(item)]
    if not places:
        return contribution
    rest = sweep.names.fresh(f"{key}_bar")
    if sweep.module.for_higher_order:
        _add_part_by_part(sweep, key, rest, len(kind.items), places, contribution.expression)
        return Adjoint(name(rest))
    call = quote_expression(
        "f(m, x, g, p)", f=sweep.runtime("remember_items"), m=sweep.memory_name(), x=key,
        g=contribution.expression, p=gast.Tuple(places, gast.Load()),
    )  # fmt: skip
    sweep.out.append(assign(rest, call))
    return Adjoint(name(rest))


def _add_part_by_part(
    sweep: Known, key: str, rest: str, n: int, places: list[Expr], g: Expr
) -> None:
    """Write `remember_items` out, for a text that is differentiated again."""
    given, add_to = sweep.names.fresh(f"{key}_bar"), sweep.runtime("add_to")
    sweep.out.append(assign(given, g))
    inside = [place.value for place in places]
    for i in inside:
        sweep.out += quote(
            "add_to(m[x[i]], g[i])", add_to=add_to, m=sweep.memory_name(), x=key, g=given,
            i=const(i),
        )  # fmt: skip
    others = [quote_expression("g[i]", g=given, i=const(i)) for i in range(n)]
    parts = [const(0.0) if i in inside else part for i, part in enumerate(others)]
    sweep.out.append(assign(rest, gast.List(parts, gast.Load())))


def adjoints_in(sweep: Known, g: Expr, env: Mapping[str, Value]) -> dict[str, Value]:
    """Return what the adjoints are that a cotangent is made of: each is of the kind of its primal."""
    primals = sweep.adjoints.primals
    bars = [bar for bar in reads(g) if bar in primals and bar not in env]
    return {bar: Value(kind) for bar in bars if isinstance(kind := primals[bar][1], Array)}


def full_cotangent(sweep: Known, y: Adjoint, key: str) -> Any:
    """Return a cotangent at the full shape of the value."""
    if not y.broadcasts:
        return y.expression
    return quote_expression(
        "np.broadcast_to(g, np.shape(y))", np=sweep.numpy, g=y.expression, y=key
    )


def full_slot(sweep: Known, part: Expr, item: Expr, kind: Kind) -> Any:
    """Bring what a slot holds, perhaps an untouched 0.0, to the shape of the value."""
    if isinstance(kind, Real):
        return part
    filler = sweep.runtime("full")
    return quote_expression("full(g, x)", full=filler, g=part, x=item)


def cotangent_may_be_complex(
    sweep: Known, s: Stmt, tree: Tree, env: dict[str, Value] | None
) -> bool:
    """Whether a cotangent that a statement gives to an operand may be complex.

    Where the statement meets complex numbers all names count as complex but those that are known to
    be real, and the adjoints of such. Elsewhere what is computed from real ones may be complex.
    """
    if type(tree) is gast.Call and is_one_of(sweep.splicer.resolve(tree.func), (np.real, np.imag)):
        return False
    known = {bar: Value(kind) for bar, (_, kind) in sweep.adjoints.primals.items()}
    known |= sweep.known.before.get(s, {})
    value = getattr(s, "value", None)
    met = [known[n].kind for n in reads(value) if n in known] if value is not None else []
    if any(is_container(known[key].kind) for key in reads(tree) if key in known):
        return True  # the adjoint of a list of real and complex ones
    met += [any_slot(sweep.known.heap, regions_of(k), "held").kind for k in met if is_container(k)]
    if any(map(may_be_complex, [*met, sweep.result(s).kind])):
        for key in set(reads(tree)) - sweep.function.externals.keys():
            kind = known[key].kind if key in known else Kind()
            if may_be_complex(kind) or not is_number(kind):
                return True
    return may_be_complex(sweep.splicer.evaluate(tree, known | (env or {})).kind)


def _in_place(place: Expr) -> Any:
    """Write to a view that is not a name, such as `a_bar.T`, through its items."""
    if type(place) is gast.Attribute:
        return gast.Subscript(place, const(...), gast.Load())
    return place
