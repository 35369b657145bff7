"""Sets, byte arrays and things of which nothing is known, that change in place.

Nothing of them is undone: in the reverse sweep they hold what they held at the end. A test of one that
changes is therefore kept, not made again, and a reverse statement that would read one is refused.

    if k in seen: ...              c = k in seen
    seen.add(k)                    if c: ...

    table = pickle.loads(text)
    y = np.sum(table * w)          # its mirror would read `table`, which the next line has changed
    table.fill(0.0)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import gast

from tapeless.analysis.facts import Facts, called_within
from tapeless.differentiate.reverse.state import Sweep
from tapeless.externals import MISSING, Externals
from tapeless.kinds import HASHABLE, UNKNOWN, Array, Kind, Number, Opaque, may_change
from tapeless.ranks import dims_of
from tapeless.rules.stores import method_stores
from tapeless.rules.traits import traits_of, traits_of_method
from tapeless.tree.blocks import all_statements
from tapeless.tree.classes import SLOTS
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import nodes, reads

_CLASSES = (set, bytearray)
Among = Callable[[set[str], Facts, Externals], set[str]]
Changing = dict[tuple[CoreFunction, Facts, Among], bool]


def reads_changed(sweep: Sweep, trees: list[Any]) -> list[str]:
    """List the names, read in trees, of what changes in place and is not undone.

    What a function is given may be changed by its callers, behind the call. A member of a set may change in
    its parts alone: it is found by what it is equal to.
    """
    asked = {key for tree in trees for key in reads(tree)}
    by_themselves = _members_met(sweep.facts) - {name for tree in trees for name in _owners(tree)}
    root = sweep.module.root or sweep
    found: set[str] = set()
    for among in (_sets_among, _unknown_among):
        read = among(asked, sweep.facts, sweep.function.externals) - by_themselves
        if read and any(_changes(of, among, sweep.module.changing) for of in (sweep, root)):
            found |= read
    return sorted(found)


def _owners(tree: Any) -> Iterator[str]:
    """Walk the names of what a tree reads an attribute or an item of."""
    for part in nodes(tree):
        if type(part) in SLOTS and type(part.value) is gast.Name:
            yield part.value.id


@functools.lru_cache(maxsize=8)
def _members_met(facts: Facts) -> frozenset[str]:
    """Return the names that stand for members of sets, and for nothing else."""
    others = {key for key, value in facts.met if value.kind != HASHABLE}
    return frozenset(key for key, value in facts.met if value.kind == HASHABLE) - others


def refuse_changed(sweep: Sweep, reverse: list[Any]) -> None:
    """Refuse a reverse sweep that reads what has changed since."""
    for key in reads_changed(sweep, reverse):
        place = next(s for s in reverse if key in reads(s))
        label = f"`{key}`" if key in sweep.function.own_names else "something of unknown kind"
        sweep.refuse(
            place if getattr(place, "lineno", None) else sweep.function.tree,
            f"{label} changes in place, and is read again in reverse",
            "compute what is read from it into a name of its own first, or change a copy (np.array(x))",
        )


def _sets_among(names: set[str], facts: Facts, externals: Externals) -> set[str]:
    """Return those of some names that may stand for a set or byte array, here or outside."""
    own = names & _sets_met(facts)
    outside = {k for k in names if k in externals and isinstance(externals[k].value, _CLASSES)}
    return own | outside


@functools.lru_cache(maxsize=8)  # each test of a function asks
def _sets_met(facts: Facts) -> frozenset[str]:
    return frozenset(key for key, value in facts.met if may_change(value.kind))


def _unknown_among(names: set[str], facts: Facts, externals: Externals) -> set[str]:
    """Return those of some names of which it is not known what they are, or whose memory they show."""
    return names & _unknown_met(facts)


@functools.lru_cache(maxsize=8)
def _unknown_met(facts: Facts) -> frozenset[str]:
    found = {key for key, value in facts.met if _is_unknown(value.kind)}
    shown = list(_shown_by(facts)) if found else []
    while True:
        more = {key for key, of in shown if of in found} - found
        if not more:
            return frozenset(found)
        found |= more


def _is_unknown(kind: Kind) -> bool:
    nowhere = isinstance(kind, (Array, Number)) and not kind.regions and dims_of(kind) != ()
    return nowhere or kind == UNKNOWN or isinstance(kind, Opaque)


def _shown_by(facts: Facts) -> Iterator[tuple[str, str]]:
    """Walk the names that may be views of arrays, each with a name that it may show."""
    for s in all_statements(facts.function.tree.body):
        if type(s) is not gast.Assign or type(s.targets[0]) is not gast.Name:
            continue
        value: Any = s.value
        given = [value]
        if type(value) is gast.Call:
            given = (
                [getattr(value.func, "value", None), *value.args] if _may_show(facts, value) else []
            )
        elif type(value) in (gast.Subscript, gast.Attribute):
            given = [value.value]
        yield from ((s.targets[0].id, tree.id) for tree in given if type(tree) is gast.Name)


def _may_show(facts: Facts, call: Any) -> bool:
    """Whether what a call returns may share memory with what it is given."""
    found = facts.object_called(call)
    return (
        traits_of_method(_method(call)) if found is MISSING else traits_of(found)
    ).view != "never"


def _changes(of: Any, among: Among, known: Changing) -> bool:
    """Whether a function, or one that it calls, changes some of its names in place.

    `of` has the function and its facts; what the functions met so far change by themselves is `known`.
    """
    for function, facts in called_within(of.function, of.facts):
        key = function, facts, among
        if key not in known:
            known[key] = _changes_itself(function, facts, among)
        if known[key]:
            return True
    return False


def _changes_itself(function: CoreFunction, facts: Facts, among: Among) -> bool:
    """Whether a function changes some of its names in place, but for what those do that it calls."""
    changed = {
        tree.id
        for tree in _changed_in(function, numbers=among is _unknown_among)
        if type(tree) is gast.Name
    }
    return bool(among(changed, facts, function.externals))


def _changed_in(function: CoreFunction, numbers: bool) -> Iterator[Any]:
    """Walk what a function updates, and the owners of the methods that store, or are called for an effect.

    By numbers no set is updated, nor a byte array.
    """
    for part in nodes(function.tree):
        if type(part) is gast.AugAssign:
            if numbers or type(getattr(part.value, "value", None)) not in (int, float):
                yield part.target
        elif type(part) is gast.Call and method_stores(_method(part)):
            yield part.func.value
        elif type(part) is gast.Expr and _method(part.value):
            if function.resolve(part.value.func) is MISSING:
                yield part.value.func.value


def _method(call: Any) -> str:
    return str(getattr(getattr(call, "func", None), "attr", ""))
