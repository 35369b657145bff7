"""Whether a test has the same answer when it is asked again in the reverse sweep.

It has if all that it reads is still what it was: names bound once, outside loops or by their headers,
and things that nothing stores into.
"""

from __future__ import annotations

import gast

from tapeless.analysis.abstract import reachable
from tapeless.analysis.interpret.class_values import holder_set_in_texts
from tapeless.analysis.special_methods import asks_what_stores
from tapeless.differentiate.reverse.changed_in_place import reads_changed
from tapeless.differentiate.reverse.state import Sweep
from tapeless.kinds import UNKNOWN, Kind, is_container, regions_of
from tapeless.tree.build import name
from tapeless.tree.names import nodes, reads
from tapeless.tree.trees import Expr, Stmt


def can_be_redone(sweep: Sweep, s: Stmt, test: Expr) -> bool:
    """Whether a test has the same answer in the reverse sweep."""
    for part in nodes(test):
        if type(part) is gast.Call and type(part.func) is gast.Attribute:
            owner = sweep.operand_kind(s, part.func.value)
            if is_container(owner):
                return False
        if type(part) is gast.Attribute:
            owner = sweep.operand_kind(s, part.value)
            if is_container(owner) or holder_set_in_texts(owner, part.attr) is not None:
                return False  # what is stored into a class or module is not undone
    if reads_changed(sweep, [test]) or asks_what_stores(s, sweep.known.facts):
        return False
    for key in dict.fromkeys(reads(test)):
        if key not in sweep.function.local:
            found = sweep.operand_kind(s, name(key))
            if key in sweep.function.externals and _may_change(sweep, found):
                return False
            continue
        if len(sweep.definitions.get(key, [])) > 1 or _is_of_handler(sweep, key):
            return False
        kind = sweep.value(s, key).kind
        if _may_change(sweep, kind) and not _asks_class_only(test, key):
            return False
        if sweep.depth and not _is_steady(sweep, key):
            return False
    return True


def _may_change(sweep: Sweep, kind: Kind) -> bool:
    """Whether a value, or what it holds, may be stored into."""
    held = reachable([kind], sweep.known.heap) | regions_of(kind)
    return bool(held & sweep.facts.stored or (kind == UNKNOWN and sweep.facts.stored))


def _is_of_handler(sweep: Sweep, key: str) -> bool:
    """Whether a name is a caught exception's: it is unbound where the handler ends."""
    return any(type(part) is gast.ExceptHandler for part in sweep.definitions.get(key, []))


def _asks_class_only(test: Expr, key: str) -> bool:
    """Whether a test reads nothing of a name but its class, which no store changes."""
    of_class = [
        part
        for part in nodes(test)
        if type(part) is gast.Call and getattr(part.func, "id", "") == "type"
    ]
    asked = [reads(arg) for part in of_class for arg in part.args]
    return reads(test).count(key) == asked.count([key])


def _is_steady(sweep: Sweep, key: str) -> bool:
    """Whether a name is a parameter or bound by the header of a loop."""
    [definition] = sweep.definitions.get(key, [None])
    return definition is None or type(definition) is gast.For
