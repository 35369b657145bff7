"""`asdict`, `astuple` and `replace` of `dataclasses`: the fields of an object, one by one.

q = replace(p, x=v)     q is P(x=v, y=p.y)
d = asdict(p)           d is {"x": a copy of p.x, "y": a copy of p.y}
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable
from typing import Any

import gast

import tapeless.runtime as runtime
from tapeless.analysis.abstract import NOTHING, Value, join_values
from tapeless.analysis.interpret.attributes import refuse_attributes_by_key
from tapeless.analysis.interpret.call_sites import Argument, CallSite
from tapeless.analysis.interpret.construction import construct
from tapeless.analysis.interpret.state import Interpreter
from tapeless.externals import is_one_of
from tapeless.kinds import (
    UNKNOWN,
    Array,
    Dict,
    Function,
    Inert,
    Instance,
    Integer,
    Kind,
    Number,
    Real,
    Region,
    Tuple,
    Unreached,
    regions_of,
)

FIELD_WISE: tuple[Any, ...] = (dataclasses.asdict, dataclasses.astuple)
PLAIN = (Array, Number, Real, Integer, Inert, Function, Unreached)


def fields_copied(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret a call that copies all fields of an object; None for another function."""
    if not is_one_of(found, FIELD_WISE) or len(site.arguments) != 1 or site.keywords:
        return None
    kind = _copied(interpreter, site.values[0].kind, found, interpreter.point(site.tree))
    return Value(kind or UNKNOWN, interpreter.holds_varied(site.values[0]))


def fields_replaced(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret `replace(p, x=v)` as the construction that it is written out as."""
    if found is not dataclasses.replace or len(site.arguments) != 1:
        return None
    [owner] = site.arguments
    names = field_names(owner.value.kind)
    if names is None or owner.value.kind.choices or not set(site.keywords) <= set(names):  # type: ignore[attr-defined]
        return None
    cls: Any = owner.value.kind.cls  # type: ignore[attr-defined]
    keywords = {}
    for f in dataclasses.fields(cls):
        place = gast.Attribute(owner.tree, f.name, gast.Load())
        if f.init and f.name not in site.keywords:
            keywords[f.name] = Argument(place, interpreter.eval(place, site.env))
    made = CallSite(site.tree, (), {**keywords, **site.keywords}, site.env)
    return construct(interpreter, cls, made)


def fields_named(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret the names of the fields of a dataclass, or of an object of one class, or of adjoints."""
    if found is runtime.names_in and isinstance(site.values[0].kind, Instance):
        return _names_of_adjoints(interpreter, site.values[0])
    if found is not runtime.field_names:
        return None
    kind = site.values[0].kind
    cls: Any = kind.value if isinstance(kind, Function) else getattr(kind, "cls", None)
    known = isinstance(cls, type) and dataclasses.is_dataclass(cls)
    if not known or isinstance(kind, Instance) and kind.choices:
        return None
    return Value(Tuple(tuple(Inert("str", f.name) for f in dataclasses.fields(cls))))


def _names_of_adjoints(interpreter: Interpreter, owner: Value) -> Value:
    """Interpret the names of all attributes whose adjoints a record may hold; the others read as zero."""
    held = [interpreter.heap.get(region, {}) for region in regions_of(owner.kind)]
    keys = {key for slots in held for key in slots}
    if not all(map(_is_name, keys)):
        refuse_attributes_by_key(interpreter, owner)
    return Value(Tuple(tuple(Inert("str", key) for key in sorted(map(str, keys)))))


def _is_name(key: Hashable) -> bool:
    return isinstance(key, str) and key.isidentifier()


def field_names(kind: Kind) -> list[str] | None:
    """Return the fields of an object of a dataclass, None for anything else."""
    if not isinstance(kind, Instance) or not dataclasses.is_dataclass(kind.cls):
        return None
    return [f.name for f in dataclasses.fields(kind.cls)]


def _copied(interpreter: Interpreter, kind: Kind, found: Any, point: Hashable) -> Kind | None:
    if isinstance(kind, PLAIN):
        own: Region = ("made", interpreter.function.name, point)
        if isinstance(kind, (Array, Number)):
            return dataclasses.replace(kind, regions=frozenset([own]))
        return kind
    names = field_names(kind)
    if names is None:
        return None
    made: dict[Hashable, Value] = {}
    for key in names:
        held = NOTHING
        for region in sorted(regions_of(kind), key=repr):
            slot = interpreter.heap.get(region, {}).get(key, NOTHING)
            held = join_values(held, slot, (point, key))
        copied = _copied(interpreter, held.kind, found, (point, key))
        if copied is None:
            return None
        made[key] = Value(copied, interpreter.is_varied(held))
    if is_one_of(found, FIELD_WISE[1:]):
        return Tuple(tuple(value.kind for value in made.values()))
    own = ("made", interpreter.function.name, point)
    interpreter.heap.setdefault(own, {})
    for slot_key, value in made.items():
        interpreter.put(frozenset([own]), slot_key, value)
    if any(value.varied for value in made.values()):
        interpreter.varied.add(own)
    return Dict(frozenset([own]))
