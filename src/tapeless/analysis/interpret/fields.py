"""`asdict`, `astuple` and `replace` of `dataclasses`: the fields of an object, one by one.

q = replace(p, x=v)     q is P(x=v, y=p.y)
d = asdict(p)           d is {"x": a copy of p.x, "y": a copy of p.y}
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable
from typing import Any

import gast

from tapeless.analysis.abstract import Value
from tapeless.analysis.interpret.call_sites import Argument, CallSite
from tapeless.analysis.interpret.construction import construct
from tapeless.analysis.interpret.state import Interpreter
from tapeless.externals import is_one_of
from tapeless.joins import join
from tapeless.kinds import (
    UNKNOWN,
    UNREACHED,
    Array,
    Dict,
    Function,
    Inert,
    Instance,
    Integer,
    Kind,
    Number,
    Real,
    Tuple,
    Unreached,
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


def field_names(kind: Kind) -> list[str] | None:
    """Return the fields of an object of a dataclass, None for anything else."""
    if not isinstance(kind, Instance) or not dataclasses.is_dataclass(kind.cls):
        return None
    return [f.name for f in dataclasses.fields(kind.cls)]


def _copied(interpreter: Interpreter, kind: Kind, found: Any, point: Hashable) -> Kind | None:
    if isinstance(kind, PLAIN):
        region = frozenset([("made", interpreter.function.name, point)])
        return (
            dataclasses.replace(kind, regions=region) if isinstance(kind, (Array, Number)) else kind
        )
    names = field_names(kind)
    if names is None:
        return None
    made: dict[Hashable, Value] = {}
    for key in names:
        inner, varied = UNREACHED, False
        for region in sorted(kind.regions, key=repr):  # type: ignore[attr-defined]
            slot = interpreter.heap.get(region, {}).get(key)
            if slot is not None:
                inner, varied = (
                    join(inner, slot.kind, (point, key)),
                    varied or interpreter.is_varied(slot),
                )
        copied = _copied(interpreter, inner, found, (point, key))
        if copied is None:
            return None
        made[key] = Value(copied, varied)
    if is_one_of(found, FIELD_WISE[1:]):
        return Tuple(tuple(value.kind for value in made.values()))
    own = ("made", interpreter.function.name, point)
    interpreter.heap.setdefault(own, {})
    for key, value in made.items():
        interpreter.put(frozenset([own]), key, value)
    if any(value.varied for value in made.values()):
        interpreter.varied.add(own)
    return Dict(frozenset([own]))
