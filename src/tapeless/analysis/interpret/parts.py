"""Structures that are taken apart into numbers and arrays, and put together again.

What is made is a copy: each array is in a region of its own, each container in one that holds just what was
put into it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NoReturn

from tapeless.analysis.abstract import Value
from tapeless.analysis.interpret.call_sites import CallSite
from tapeless.analysis.interpret.state import Interpreter
from tapeless.analysis.keys import is_any_key
from tapeless.externals import is_one_of
from tapeless.kinds import (
    NONE,
    UNKNOWN,
    Array,
    Dict,
    Function,
    Inert,
    Instance,
    Integer,
    Kind,
    List,
    Number,
    Real,
    Region,
    Tuple,
    Unreached,
    regions_of,
)
from tapeless.runtime import Form, form_of, from_parts, keys_of, parts_of

TAKING_APART: tuple[Any, ...] = (form_of, parts_of, from_parts)


def taken_apart(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret a call that takes a structure apart, or puts one together; None for another function."""
    if not is_one_of(found, TAKING_APART):
        return None
    given = site.values[0]
    if found is form_of:
        form = form_of_kind(interpreter, given.kind, site.tree)
        return Value(NONE if form is None else Inert("form", form))
    form = form_in(site.values[1].kind)
    if form is ...:
        _refuse(interpreter, site.tree)
    varied = interpreter.holds_varied(given)
    [region] = interpreter.fresh(site.tree)
    if found is parts_of:
        return Value(_parts(interpreter, given.kind, form, region, site.tree), varied)
    return Value(_whole(interpreter, given.kind, form, region, varied), varied)


def form_in(kind: Kind) -> Any:
    """Return the form that a value is known to be, None for a number or an array; `...` for no form."""
    if isinstance(kind, Inert) and kind.what == "form":
        return kind.value
    return None if kind == NONE else ...


def form_of_kind(interpreter: Interpreter, kind: Kind, tree: Any) -> Form | None:
    """Return the form of what is of a kind."""
    if isinstance(kind, (Array, Number, Real, Integer, Inert, Function, Unreached)):
        return None
    slots = _slots(interpreter, kind)
    if slots is None:
        _refuse(interpreter, tree)
    cls, held = slots
    items = tuple(form_of_kind(interpreter, v.kind, tree) for v in held.values())
    return Form(cls, tuple(held), items)


def _refuse(interpreter: Interpreter, tree: Any) -> NoReturn:
    interpreter.refuse(
        tree,
        "what the state of this loop holds is not known here",
        "let it hold numbers and arrays, in tuples, dicts with the same keys throughout, or "
        "dataclasses",
    )


def _slots(interpreter: Interpreter, kind: Kind) -> tuple[type, dict[Any, Value]] | None:
    """Return the class of a structure and what stands at each place; None where that is not known."""
    if isinstance(kind, Tuple) and not kind.or_none:
        return kind.cls, dict(enumerate(map(Value, kind.items)))
    if not isinstance(kind, (Dict, Instance)) or len(kind.regions) != 1:
        return None
    held = interpreter.heap.get(next(iter(kind.regions)), {})
    if isinstance(kind, Dict):
        plain = not kind.or_none and not kind.fills_gaps and not any(map(is_any_key, held))
        return (dict, dict(held)) if plain else None
    keys = keys_of(kind.cls)
    if keys is None or set(keys) != set(held):
        return None
    return kind.cls, {key: held[key] for key in keys}


def _parts(
    interpreter: Interpreter, kind: Kind, form: Form | None, region: Region, tree: Any
) -> Kind:
    if form is None:
        if isinstance(kind, (Tuple, Dict, List, Instance)):
            _refuse_form(interpreter, tree)
        return _copy(kind, region)
    slots = _slots(interpreter, kind)
    if slots is None or slots[0] is not form.cls or tuple(slots[1]) != form.keys:
        if isinstance(kind, Unreached):
            return kind
        _refuse_form(interpreter, tree)
    items = [
        _parts(interpreter, v.kind, f, (*region, i), tree)
        for i, (v, f) in enumerate(zip(slots[1].values(), form.items, strict=True))
    ]
    return Tuple(tuple(items), form.cls if issubclass(form.cls, tuple) else tuple)


def _refuse_form(interpreter: Interpreter, tree: Any) -> NoReturn:
    interpreter.refuse(
        tree,
        "the step of this loop returns a state of another form than it is given",
        "let it return what it was given, with other numbers in it",
    )


def _copy(kind: Kind, region: Region) -> Kind:
    if isinstance(kind, (Array, Number)):
        return replace(kind, regions=frozenset([region]))
    return UNKNOWN if regions_of(kind) else kind


def _whole(
    interpreter: Interpreter, kind: Kind, form: Form | None, region: Region, varied: bool
) -> Kind:
    if form is None:
        return _copy(kind, region)
    if not isinstance(kind, Tuple):
        return kind
    items = [
        _whole(interpreter, k, f, (*region, i), varied)
        for i, (k, f) in enumerate(zip(kind.items, form.items, strict=True))
    ]
    if issubclass(form.cls, tuple):
        return Tuple(tuple(items), form.cls)
    own = frozenset([region])
    interpreter.heap.setdefault(region, {})
    for key, item in zip(form.keys, items, strict=True):
        interpreter.put(own, key, Value(item, varied))
    if varied:
        interpreter.varied |= own
    return Dict(own) if form.cls is dict else Instance(form.cls, own)
