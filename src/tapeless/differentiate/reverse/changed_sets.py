"""Sets, byte arrays and their like that change in place.

They carry no derivative, so nothing of them is undone: in the reverse sweep they hold what they held at
the end. A test of one that changes is therefore kept, not made again, and a reverse statement that would
read one is refused.

    if k in seen: ...              c = k in seen
    seen.add(k)                    if c: ...
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import gast

from tapeless.analysis.facts import Facts
from tapeless.differentiate.reverse.state import Sweep
from tapeless.externals import Externals
from tapeless.kinds import Inert, Kind
from tapeless.rules.stores import method_stores
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import nodes, reads
from tapeless.tree.trees import Expr

_CLASSES = (set, bytearray)


def _method(call: Expr) -> str:
    return str(getattr(call.func, "attr", ""))


def is_set(kind: Kind) -> bool:
    """Whether a value without derivative may be of a class whose values change in place."""
    return isinstance(kind, Inert) and kind.what in (
        "inert",
        *(c.__name__ for c in _CLASSES),
    )


def sets_among(names: Iterable[str], facts: Facts, externals: Externals) -> set[str]:
    """Return those of some names that may stand for a set, here or outside."""
    names = set(names)
    own = names & _sets_met(facts)
    outside = {k for k in names if k in externals and isinstance(externals[k].value, _CLASSES)}
    return own | outside


@functools.lru_cache(maxsize=8)  # each test of a function asks
def _sets_met(facts: Facts) -> frozenset[str]:
    """Return the names that may stand for a set somewhere in a function."""
    return frozenset(key for key, value in facts.met if is_set(value.kind))


def changes_sets(function: CoreFunction, facts: Facts, met: frozenset[Any] = frozenset()) -> bool:
    """Whether a function, or one that it calls, changes a set in place."""
    if function in met:
        return False
    changed: list[Any] = []
    for part in nodes(function.tree):
        if type(part) is gast.AugAssign:
            changed.append(part.target)
        elif type(part) is gast.Call and method_stores(_method(part), _CLASSES):
            changed.append(part.func.value)
    if sets_among({t.id for t in changed if type(t) is gast.Name}, facts, function.externals):
        return True
    inner = [callee for callee in facts.callees.values() if callee.function is not function]
    return any(changes_sets(callee.function, callee.facts, met | {function}) for callee in inner)


def reads_changed_sets(sweep: Sweep, trees: list[Any]) -> list[str]:
    """List the names, read in trees, of sets that the function changes."""
    asked = {key for tree in trees for key in reads(tree)}
    found = sets_among(asked, sweep.facts, sweep.function.externals)
    return sorted(found) if found and changes_sets(sweep.function, sweep.facts) else []


def refuse_changed_sets(sweep: Sweep, reverse: list[Any]) -> None:
    """Refuse a reverse sweep that reads a set which has changed since."""
    for key in reads_changed_sets(sweep, reverse):
        place = next(s for s in reverse if key in reads(s))
        label = f"`{key}`" if key in sweep.function.own_names else "a set"
        sweep.refuse(
            place if getattr(place, "lineno", None) else sweep.function.tree,
            f"{label} changes in place, and is read again in reverse",
            "compute what is read from it into a name of its own first",
        )
