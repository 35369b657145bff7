"""Stores into items and attributes, by what their owner is.

o[i] = v            ->   o.__setitem__(i, v)            where o is an object
o.p = v             ->   C.p.fset(o, v)                 where p is a property
o.p = v             ->   C.__setattr__(o, "p", v)       where the class has such a method
a[at] = v           ->   i = at[0]; j = at[1]; a[i, j] = v
items[::2] = v      ->   for i, place in enumerate(range(len(items))[::2]): items[place] = v[i]
"""

from __future__ import annotations

import inspect
from typing import Any

import gast

from tapeless.analysis.asked_attributes import is_asked_for
from tapeless.analysis.interpret.attributes import written_setter
from tapeless.analysis.interpret.class_values import regions_stored
from tapeless.analysis.interpret.items import may_be_slice
from tapeless.analysis.interpret.special_calls import has_method
from tapeless.kinds import (
    Array,
    Inert,
    Instance,
    Kind,
    List,
    Number,
    Sequence,
    Tuple,
    regions_of,
)
from tapeless.normalize.kept_properties import getter_of
from tapeless.runtime import single_index
from tapeless.sorts import stores_by_code
from tapeless.specialize.state import Specializer
from tapeless.tree.build import (
    as_load,
    assign,
    const,
    name,
    quote,
    quote_expression,
)
from tapeless.tree.classes import SLOTS, Plainly
from tapeless.tree.names import nodes
from tapeless.tree.trees import Expr, Stmt
from tapeless.variables import is_variable


def item_store(specializer: Specializer, place: Expr, value: Expr) -> list[Stmt] | None:
    """Write `o[i] = v` by what `o` is."""
    spread = spread_index(specializer, as_load(place)) or spread_slice(specializer, as_load(place))
    if spread is not None:
        return [*spread[0], assign(spread[1], value)]
    stepwise = _stored_in_steps(specializer, place, value)
    if stepwise is not None:
        return stepwise
    kind = specializer.kind(value)
    if isinstance(kind, Instance) and not is_variable(kind):
        if isinstance(specializer.kind(place.value), Array):
            specializer.refuse(
                place, f"an object of class {kind.cls.__name__} is stored into an array",
                "store the numbers or the array that it holds",
            )  # fmt: skip
        if type(place.slice) is gast.Slice and isinstance(specializer.kind(place.value), List):
            items = specializer.names.fresh("v")
            return [*specializer.items_of(value, items), gast.Assign([place], name(items), None)]
    if not has_method(specializer.kind(place.value), "__setitem__"):
        return None
    first, index = specializer.index(as_load(place).slice)
    return [*first, *specializer.called(place.value, "__setitem__", [index, value], None)]


_IN_STEPS = """
count = len(x)
every = range(count)
places = list(every[at])
items = list(v)
if len(items) != len(places):
    raise ValueError("the items do not fit the places of an extended slice")
for i in range(len(places)):
    place = places[i]
    item = items[i]
    x[place] = item
"""


def _stored_in_steps(specializer: Specializer, place: Expr, value: Expr) -> list[Stmt] | None:
    """Write `items[a:b:c] = v` as stores of each item: there are as many as there were."""
    at = place.slice
    if type(at) is not gast.Slice or at.step is None or getattr(at.step, "value", 0) in (1, None):
        return None
    known = isinstance(specializer.kind(value), (List, Tuple, Sequence, Array))
    if not known or not isinstance(specializer.kind(place.value), List):
        return None
    wishes = ("count", "every", "places", "items", "i", "place", "item")
    holes = {wish: specializer.names.fresh(wish) for wish in wishes}
    return quote(_IN_STEPS, **holes, x=as_load(place.value), v=value, at=at)


def attribute_store(specializer: Specializer, place: Expr, value: Expr) -> list[Stmt] | None:
    """Write `o.p = v` as a call, where the class stores by code, or `p` is a property."""
    owner = specializer.kind(place.value)
    if not isinstance(owner, Instance):
        return None
    if type(place.ctx) is Plainly:
        if not stores_by_code(owner.cls):
            return [
                gast.Assign([gast.Attribute(place.value, place.attr, gast.Store())], value, None)
            ]
    elif written_setter(owner.cls) is not None:
        cls = next(c for c in owner.cls.__mro__ if "__setattr__" in vars(c))
        method = gast.Attribute(name(specializer.external(cls)), "__setattr__", gast.Load())
        return [gast.Expr(gast.Call(method, [as_load(place.value), const(place.attr), value], []))]
    static = inspect.getattr_static(owner.cls, place.attr, None)
    if not isinstance(static, property) or static.fset is None:
        return None
    cls = next(c for c in owner.cls.__mro__ if place.attr in vars(c))
    text = f"c.{place.attr}.fset(o, v)"
    call = quote_expression(text, c=specializer.external(cls), o=as_load(place.value), v=value)
    return [gast.Expr(call)]


def spread_index(specializer: Specializer, place: Expr) -> tuple[list[Any], Any] | None:
    """Write `a[at]`, where `at` is a tuple, as `a[i, j]`: an index for each dimension."""
    at = place.slice
    if type(at) is not gast.Name or not isinstance(specializer.kind(place.value), (Array, Number)):
        return None
    kind = specializer.kind(at)
    if not isinstance(kind, Tuple):
        return None
    keys = [specializer.names.fresh(f"{at.id}_{i}") for i in range(len(kind.items))]
    first = [
        assign(key, gast.Subscript(name(at.id), const(i), gast.Load()))
        for i, key in enumerate(keys)
    ]
    index = gast.Tuple([name(key) for key in keys], gast.Load())
    return first, gast.Subscript(as_load(place.value), index, gast.Load())


def spread_slice(specializer: Specializer, place: Expr) -> tuple[list[Any], Any] | None:
    """Write `items[s]`, where `s` is a slice, as `items[a:b:c]`; where it may be one, ask at run time."""
    at = place.slice
    if type(at) is not gast.Name or not may_be_slice(specializer.kind(at)):
        return None
    if not isinstance(specializer.kind(place.value), (List, Tuple, Sequence)):
        return None
    if specializer.kind(at) != Inert("slice"):
        key = specializer.names.fresh(at.id)
        first = [assign(key, asked_place(specializer, at))]
        return first, gast.Subscript(as_load(place.value), name(key), gast.Load())
    ends = ("start", "stop", "step")
    keys = [specializer.names.fresh(end) for end in ends]
    first = [
        assign(key, gast.Attribute(name(at.id), end, gast.Load()))
        for key, end in zip(keys, ends, strict=True)
    ]
    index = gast.Slice(*(name(key) for key in keys))
    return first, gast.Subscript(as_load(place.value), index, gast.Load())


def asked_place(specializer: Specializer, index: Expr) -> Expr:
    """Return the index of one item of a list, asked at run time where it may be a slice."""
    if not may_be_slice(specializer.kind(index)):
        return index
    return gast.Call(name(specializer.external(single_index)), [index], [])


def stored_in(specializer: Specializer, block: list[Any]) -> set[Any]:
    """Collect the regions that the statements of a block store into."""
    found: set[Any] = set()
    for part in (p for s in block for p in nodes(s)):
        env = specializer.facts.before.get(part)
        if env is None:
            continue
        found |= specializer.facts.unseen.get(part, set())
        if part in specializer.facts.callees:
            callee = specializer.facts.callees[part]
            for region in callee.facts.stored:
                found |= callee.seen_by_caller(region)
        owners = _stored_owners(part)
        for owner, attribute in owners:
            kind = specializer.interpreter.eval(owner, dict(env)).kind
            found |= regions_stored(specializer.interpreter, kind, attribute)
        for owner in [] if owners else _perhaps_stored(part):
            held = regions_of(specializer.interpreter.eval(owner, dict(env)).kind)
            found |= held & specializer.facts.stored
    return found


def is_set_by_code(owner: Kind, place: Expr) -> bool:
    """Whether a store into an object runs code: an item, a property, or what its class has for stores."""
    if type(place) is gast.Subscript:
        return isinstance(owner, Instance)
    classes = [each.cls for each in owner.alternatives] if isinstance(owner, Instance) else []
    return any(
        isinstance(inspect.getattr_static(c, place.attr, None), property) or written_setter(c)
        for c in classes
    )


def calls_on_reading(specializer: Specializer, tree: Expr) -> bool:
    """Whether an attribute is, or may be, a property, or one that `__getattr__` is asked for."""
    owner = specializer.kind(tree.value)
    classes = [each.cls for each in owner.alternatives] if isinstance(owner, Instance) else []
    if any(getter_of(inspect.getattr_static(cls, tree.attr, None)) for cls in classes):
        return True
    return asks_for(specializer, tree)


def asks_for(specializer: Specializer, tree: Expr) -> bool:
    """Whether `__getattr__` of an object that carries a derivative gives an attribute."""
    if not is_asked_for(specializer.facts.heap, specializer.kind(tree.value), tree.attr):
        return False
    return specializer.interpreter.holds_varied(specializer.value(tree.value))


def _stored_owners(s: Stmt) -> list[tuple[Expr, str]]:
    """List what a statement surely stores into by itself, and by which attribute."""
    places = s.targets if type(s) is gast.Assign else []
    if type(s) is gast.AugAssign:
        if type(s.target) is gast.Name:
            return [(name(s.target.id), "")]
        places = [s.target]
    return [(place.value, getattr(place, "attr", "")) for place in places if type(place) in SLOTS]


def _perhaps_stored(s: Stmt) -> list[Expr]:
    """List what the call that a statement makes may store into: its owner or its first argument."""
    call = getattr(s, "value", None)
    if not isinstance(s, (gast.Expr, gast.Assign)) or not isinstance(call, gast.Call):
        return []
    owner = [call.func.value] if isinstance(call.func, gast.Attribute) else []
    return [p for p in [*owner, *call.args] if type(p) is gast.Name][: 2 if owner else 0]
