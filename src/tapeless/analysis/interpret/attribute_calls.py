"""Calls that read, store or take away slots by name: `setattr`, `delattr`, and what is like them.

They are interpreted as the statements that they are spelled out as, so that it is known from the start what
is stored where.
"""

from __future__ import annotations

import inspect
from typing import Any

import gast

from tapeless.analysis.abstract import NOTHING, Slots, Value, join_all
from tapeless.analysis.interpret.adjoint_slots import dict_added
from tapeless.analysis.interpret.attributes import (
    attribute_of_instance,
    refuse_attributes_by_key,
    store_attribute,
    take_attribute_away,
)
from tapeless.analysis.interpret.call_sites import CallSite
from tapeless.analysis.interpret.containers import keys_of
from tapeless.analysis.interpret.state import Interpreter
from tapeless.externals import is_one_of
from tapeless.kinds import NONE, PLACEHOLDER, STR, UNKNOWN, Dict, Instance, Sequence, regions_of
from tapeless.ranks import literal
from tapeless.runtime import (
    own_attribute,
    own_attributes,
    own_names,
    set_attribute,
    slot,
    update_attributes,
)
from tapeless.sorts import overrides
from tapeless.texts import text_of


def attribute_taken_away(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret `delattr(x, "name")`, which `del x.name` is spelled out as."""
    if (
        not is_one_of(found, (delattr, object.__delattr__))
        or len(site.values) != 2
        or site.is_starred
    ):
        return None
    owner, label = site.values[0], literal(site.values[1].kind)
    if not isinstance(owner.kind, Instance) or not isinstance(label, str):
        return None
    take_attribute_away(interpreter, owner, label, found is not delattr)
    return Value(NONE)


SETTERS = (setattr, object.__setattr__, set_attribute)  # the first asks the class


def attribute_set(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret `setattr(x, "name", v)`, which is spelled out as `x.name = v`, as that store."""
    if not is_one_of(found, SETTERS) or len(site.values) != 3:
        return None
    owner, label = site.values[0], text_of(site.values[1].kind)
    if site.is_starred or site.keywords or label is None or not isinstance(owner.kind, Instance):
        return None
    if found is set_attribute and _stand_before(owner.kind, [label.value]):
        refuse_attributes_by_key(interpreter, owner)
    store_attribute(interpreter, owner, label.value, site.values[2], found is not setattr)
    return Value(NONE)


def attributes_set(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret what puts a dict into an object's own as a store by each of the keys."""
    if found is not update_attributes:
        return None
    owner, given = site.values
    if not isinstance(owner.kind, Instance):
        return None
    keys = keys_of(interpreter.heap, given.kind)
    if keys is None or _stand_before(owner.kind, keys):
        refuse_attributes_by_key(interpreter, owner)
    held = [interpreter.heap.get(r, {}) for r in sorted(regions_of(given.kind), key=repr)]
    for key in keys:
        value = join_all(
            (slots[key] for slots in held if key in slots), interpreter.point(site.tree)
        )
        store_attribute(interpreter, owner, key, value, plainly=True)
    return Value(NONE)


def attribute_named(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret `getattr(x, "name")`, also with a default, as the read that it is spelled out as."""
    if found is not getattr or site.is_starred or site.keywords or len(site.values) not in (2, 3):
        return None
    owner, label = site.values[0], literal(site.values[1].kind)
    kind = owner.kind
    if not isinstance(kind, Instance) or kind.choices or kind.or_none:
        return None
    if not isinstance(label, str) or not label.isidentifier():
        return None
    if not may_have(interpreter.heap, kind, label):
        return site.values[2] if len(site.values) == 3 else None
    tree = gast.Attribute(site.tree.args[0], label, gast.Load())
    read = attribute_of_instance(interpreter, owner, kind, tree)
    return join_all([read, *site.values[2:]], interpreter.point(site.tree))


def may_have(heap: Slots, kind: Instance, attribute: str) -> bool:
    """Whether an object of a class may have an attribute: itself, by its class, or by code that is asked."""
    asked = hasattr(kind.cls, "__getattr__") or overrides(kind.cls, "__getattribute__")
    unseen = not kind.regions or not kind.regions <= heap.keys()
    held = any(attribute in heap.get(region, {}) for region in kind.regions)
    return asked or unseen or held or hasattr(kind.cls, attribute)


def _stand_before(kind: Instance, keys: list[str]) -> bool:
    """Whether classes have properties of these names, which are found before what an object holds."""
    found = [inspect.getattr_static(c.cls, key, None) for c in kind.alternatives for key in keys]
    return any(hasattr(type(static), "__set__") for static in found)


def attribute_by_key(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret what looks into an object's own dict as a read of the attribute.

    Until a name that is not written there is known, it may be any of them.
    """
    if found is not own_attribute:
        return None
    owner, label = site.values[0], text_of(site.values[1].kind)
    if label is None or not isinstance(owner.kind, Instance):
        return Value(UNKNOWN, interpreter.holds_varied(owner))
    if _stand_before(owner.kind, [label.value]):
        refuse_attributes_by_key(interpreter, owner)
    read = (_own(interpreter, owner, each, label.value) for each in owner.kind.alternatives)
    return join_all(read, interpreter.point(site.tree))


def _own(interpreter: Interpreter, owner: Value, kind: Instance, label: str) -> Value:
    """Return what an object itself may hold by a name."""
    held = [interpreter.heap.get(region, {}) for region in sorted(kind.regions, key=repr)]
    found = [slots[label] for slots in held if label in slots]
    return join_all(found, (interpreter.point(interpreter.statement), label))


def attributes_copied(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret a copy of the dict of an object's attributes."""
    if found is not own_attributes:
        return None
    owner = site.values[0]
    point = interpreter.point(site.tree)
    own = frozenset([("made", interpreter.function.name, point)])
    if not isinstance(owner.kind, Instance):
        return Value(UNKNOWN, interpreter.holds_varied(owner))
    interpreter.heap.setdefault(next(iter(own)), {})
    for region in sorted(regions_of(owner.kind), key=repr):
        for key, value in list(interpreter.heap.get(region, {}).items()):
            interpreter.put(own, key, value)
            interpreter.varied |= own if value.varied else frozenset()
    return Value(Dict(own), interpreter.holds_varied(owner))


def attributes_named(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret the names of the attributes in an object's own dict."""
    return Value(Sequence(STR)) if found is own_names else None


ATTRIBUTE_CALLS = (
    attribute_taken_away, attribute_set, attributes_set, attribute_by_key, attributes_copied,
    attributes_named, attribute_named, dict_added,
)  # fmt: skip


def slot_by_name(interpreter: Interpreter, found: Any, kind: Instance, site: CallSite) -> Value:
    """Interpret what keeps an attribute that may not be there, or puts it back, until it is spelled out."""
    owner, label = site.values[0], literal(site.values[1].kind)
    if found is slot:
        tree = gast.Attribute(site.tree.args[0], label, gast.Load())
        held = attribute_of_instance(interpreter, owner, kind, tree)
        return Value(PLACEHOLDER) if held == NOTHING else held
    take_attribute_away(interpreter, owner, label, plainly=True)
    store_attribute(interpreter, owner, label, site.values[2], plainly=True)
    return Value(NONE)
