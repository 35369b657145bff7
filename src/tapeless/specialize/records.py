"""Named tuples and dataclasses: their methods, properties and replaced fields.

q = p._replace(x=v)     ->   y = p.y; q = Point(x=v, y=y)
d = p._asdict()         ->   x = p.x; y = p.y; d = {"x": x, "y": y}
y = p.norm()            ->   y = Point.norm(p)
y = getattr(o, "a")     ->   y = o.a
o = SimpleNamespace(a=v) ->  o = SimpleNamespace(); o.a = v
"""

from __future__ import annotations

import dataclasses
import inspect
import keyword
from typing import Any

import gast

from tapeless.analysis.function_values import method_of_record
from tapeless.analysis.interpret.attribute_calls import may_have
from tapeless.externals import is_one_of
from tapeless.kinds import (
    Array,
    Function,
    Inert,
    Instance,
    Tuple,
)
from tapeless.ranks import literal
from tapeless.runtime import (
    is_set,
    own_attribute,
    own_attributes,
    own_names,
    set_slot,
    slot,
)
from tapeless.runtime.state import ABSENT
from tapeless.sorts import is_namespace
from tapeless.specialize.state import Specializer
from tapeless.tree.build import assign, const, name, plainly, quote, quote_expression
from tapeless.tree.trees import Expr, Stmt


def record_method(
    specializer: Specializer, tree: Expr, owner: Tuple, to: str | None
) -> list[Stmt] | None:
    """Write `p._replace(x=v)`, `p._asdict()` and the methods of a named tuple's class."""
    func, cls = tree.func, specializer.external(owner.cls)
    if func.attr == "_replace" and to is not None and not tree.args:
        return rebuilt(specializer, func.value, cls, owner.cls._fields, tree.keywords, to)  # type: ignore[attr-defined]
    if func.attr == "_asdict" and to is not None and not tree.args and not tree.keywords:
        return _as_dict(specializer, func.value, owner.cls._fields, to)  # type: ignore[attr-defined]
    if method_of_record(owner, func.attr) is None:
        return None
    called = gast.Attribute(name(cls), func.attr, gast.Load())
    made = gast.Call(called, [func.value, *tree.args], tree.keywords)
    return [gast.Expr(made) if to is None else assign(to, made)]


def _as_dict(specializer: Specializer, owner: Expr, fields: Any, to: str) -> list[Stmt]:
    """Write the dict of what a named tuple holds."""
    keys = [specializer.names.fresh(field) for field in fields]
    read = [
        assign(key, gast.Attribute(owner, field, gast.Load()))
        for key, field in zip(keys, fields, strict=True)
    ]
    return [*read, assign(to, gast.Dict(list(map(const, fields)), list(map(name, keys))))]


def record_property(specializer: Specializer, tree: Expr, to: str) -> list[Stmt] | None:
    """Write a property of a named tuple's class as a call."""
    owner = specializer.kind(tree.value)
    if not isinstance(owner, Tuple):
        return None
    static = inspect.getattr_static(owner.cls, tree.attr, None)
    if not isinstance(static, property):
        return None
    held = gast.Attribute(name(specializer.external(owner.cls)), tree.attr, gast.Load())
    getter = gast.Attribute(held, "fget", gast.Load())
    return [assign(to, gast.Call(getter, [tree.value], []))]


def rebuilt(
    specializer: Specializer, owner: Expr, cls: str, fields: Any, changes: list[Any], to: str
) -> list[Stmt] | None:
    """Write the construction of a record from another one and some new fields."""
    given = {k.arg: k.value for k in changes}
    if None in given or not set(given) <= set(fields):
        return None
    made: list[Any] = []
    arguments: list[Any] = []
    for field in fields:
        if field not in given:
            key = specializer.names.fresh("v")
            made.append(assign(key, gast.Attribute(owner, field, gast.Load())))
            given[field] = name(key)
        arguments.append(gast.keyword(field, given[field]))
    return [*made, assign(to, gast.Call(name(cls), [], arguments))]


def namespace_made(specializer: Specializer, tree: Expr, found: Any, to: str) -> list[Stmt] | None:
    """Write the attributes that a new namespace is given as stores into it."""
    keys = [k.arg for k in tree.keywords]
    if not is_namespace(found) or tree.args or not keys or None in keys:
        return None
    made = specializer.names.fresh("v")  # what is stored may be read from `to`
    places = [gast.Attribute(name(made), key, gast.Store()) for key in keys]
    given = [k.value for k in tree.keywords]
    stores = [gast.Assign([p], v, None) for p, v in zip(places, given, strict=True)]
    return [assign(made, gast.Call(tree.func, [], [])), *stores, assign(to, name(made))]


def kept_attribute(
    specializer: Specializer, tree: Expr, found: Any, to: str | None
) -> list[Stmt] | None:
    """Write what keeps an attribute that may not be there, or puts it back, as reads and stores of it."""
    if not is_one_of(found, (slot, set_slot)):
        return None
    owner, label, *given = tree.args
    if not isinstance(specializer.kind(owner), Instance):
        return None
    absent = name(specializer.external(ABSENT))
    place = gast.Attribute(owner, label.value, gast.Load())
    if found is slot and to is not None:
        asked = name(specializer.external(is_set))
        there = gast.Call(asked, [owner, label], [])
        return [gast.If(there, [assign(to, place)], [assign(to, absent)])]
    gone = gast.Compare(given[0], [gast.Is()], [absent])
    by_class = _deletes_by_code(specializer.kind(owner))
    away = "object.__delattr__(x, k)" if by_class else "delattr(x, k)"
    taken = gast.Expr(quote_expression(away, x=owner, k=label))
    return [gast.If(gone, [taken], [gast.Assign([plainly(place)], given[0], None)])]


_COPIED = """
table = {}
for key in names(x):
    item = read(x, key)
    table[key] = item
"""


def own_attributes_read(
    specializer: Specializer, tree: Expr, found: Any, to: str | None
) -> list[Stmt] | None:
    """Write what looks into an object's own dict as reads of the attributes."""
    if to is None or not is_one_of(found, (own_attribute, own_attributes)):
        return None
    owner, *labels = tree.args
    kind = specializer.kind(owner)
    if not isinstance(kind, Instance):
        return None
    if found is own_attributes:
        table, key, item = (specializer.names.fresh(wish) for wish in ("table", "key", "item"))
        names, read = (specializer.external(helper) for helper in (own_names, own_attribute))
        made = quote(_COPIED, table=table, key=key, item=item, names=names, read=read, x=owner)
        return [*made, assign(to, name(table))]
    label = literal(specializer.kind(labels[0]))
    if not isinstance(label, str) or not label.isidentifier() or keyword.iskeyword(label):
        return None
    read_plainly = assign(to, gast.Attribute(owner, label, gast.Load()))
    if _is_found_first(specializer, kind, label):
        return [read_plainly]
    there = gast.Call(name(specializer.external(is_set)), [owner, const(label)], [])
    missing = gast.Raise(gast.Call(name("KeyError"), [const(label)], []), None)
    return [gast.If(there, [read_plainly], [missing])]


def _is_found_first(specializer: Specializer, kind: Instance, label: str) -> bool:
    """Whether an object has an attribute of its own by a name, and its class has nothing to say."""
    held = all(label in specializer.facts.heap.get(region, {}) for region in kind.regions)
    silent = all(
        inspect.getattr_static(each.cls, hook, None) is None
        for each in kind.alternatives
        for hook in (label, "__getattr__")
    )
    return held and silent


def _deletes_by_code(kind: Any) -> bool:
    """Whether a class that an object may be of has a `__delattr__` of its own."""
    return any(each.cls.__delattr__ is not object.__delattr__ for each in kind.alternatives)


def reflection(
    specializer: Specializer, tree: Expr, found: Any, to: str | None
) -> list[Stmt] | None:
    """Write `getattr`, `setattr` and `dataclasses.replace` of a known object plainly."""
    owner, kind = tree.args[0], specializer.kind(tree.args[0])
    label = literal(specializer.kind(tree.args[1])) if len(tree.args) > 1 else None
    named = isinstance(label, str) and label.isidentifier() and not keyword.iskeyword(label)
    plain = isinstance(kind, (Array, Function)) or kind == Inert(
        "module", getattr(kind, "value", None)
    )
    plain |= isinstance(kind, Tuple) and hasattr(kind.cls, "_fields")
    if found is getattr and plain and named and len(tree.args) == 2 and to is not None:
        return [assign(to, gast.Attribute(owner, label, gast.Load()))]
    if not isinstance(kind, Instance):
        return None
    if found is dataclasses.replace:
        if to is None or not dataclasses.is_dataclass(kind.cls):
            return None
        fields = [f.name for f in dataclasses.fields(kind.cls) if f.init]
        return rebuilt(
            specializer, owner, specializer.external(kind.cls), fields, tree.keywords, to
        )
    if not isinstance(label, str) or not named or to is None:
        return None
    read = assign(to, gast.Attribute(owner, label, gast.Load()))
    if len(tree.args) < 3:
        return [read]
    if not may_have(specializer.facts.heap, kind, label):
        return [assign(to, tree.args[2])]
    there = gast.Call(name("hasattr"), [owner, const(label)], [])
    return [gast.If(there, [read], [assign(to, tree.args[2])])]
