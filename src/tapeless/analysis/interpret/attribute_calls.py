"""Calls that store attributes, or take them away, by name: `setattr`, `delattr`, and what is like them.

They are interpreted as the statements that they are spelled out as, so that it is known from the start what
is stored where.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.analysis.abstract import Value
from tapeless.analysis.interpret.attributes import (
    attribute_of_instance,
    store_attribute,
    take_attribute_away,
)
from tapeless.analysis.interpret.call_sites import CallSite
from tapeless.analysis.interpret.state import Interpreter
from tapeless.externals import is_one_of
from tapeless.kinds import NONE, Instance
from tapeless.ranks import literal
from tapeless.runtime import slot
from tapeless.texts import text_of


def attribute_taken_away(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret `delattr(x, "name")`, which `del x.name` is spelled out as."""
    if found is not delattr or len(site.values) != 2 or site.is_starred:
        return None
    owner, label = site.values[0], literal(site.values[1].kind)
    if not isinstance(owner.kind, Instance) or not isinstance(label, str):
        return None
    take_attribute_away(interpreter, owner, label)
    return Value(NONE)


def attribute_set(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret `setattr(x, "name", v)`, which is spelled out as `x.name = v`, as that store."""
    if not is_one_of(found, (setattr, object.__setattr__)) or len(site.values) != 3:
        return None
    owner, label = site.values[0], text_of(site.values[1].kind)
    if site.is_starred or site.keywords or label is None or not isinstance(owner.kind, Instance):
        return None
    store_attribute(interpreter, owner, label.value, site.values[2])
    return Value(NONE)


def slot_by_name(interpreter: Interpreter, found: Any, kind: Instance, site: CallSite) -> Value:
    """Interpret what keeps an attribute that may not be there, or puts it back, until it is spelled out."""
    owner, label = site.values[0], literal(site.values[1].kind)
    if found is slot:
        tree = gast.Attribute(site.tree.args[0], label, gast.Load())
        return attribute_of_instance(interpreter, owner, kind, tree)
    take_attribute_away(interpreter, owner, label)
    store_attribute(interpreter, owner, label, site.values[2])
    return Value(NONE)
