"""Arrays that a function makes and keeps to itself until it returns.

    def step(x, state):
        a = np.zeros(3)            nothing else reads `a` while `step` runs
        a[0] = x
        state.last = np.ones(3)    what is held by an object may be read by way of the object
        refine(a)                  so may what a function is given that keeps it

In the reverse sweep nothing reads what such an array held before, but the function that made it: whoever
gets it does so when it is complete, and is reversed before. So what is not read in the reverse half of that
function any more may be left as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import gast

from tapeless.analysis.calls import RuleCall
from tapeless.analysis.facts import Facts
from tapeless.kinds import Array, Kind, Number, Region, Regions, regions_of, regions_within
from tapeless.tree.classes import FUNCTIONS
from tapeless.tree.endings import blocks_of
from tapeless.tree.names import nodes, reads
from tapeless.tree.trees import Stmt, Tree


@dataclass(frozen=True)
class Private:
    """The names of a function that may hold arrays which nothing else reads while it runs.

    Attributes
    ----------
    held
        The regions of such arrays, by the names that may hold them.
    only
        The names that hold nothing else.
    """

    held: Mapping[str, Regions] = field(default_factory=dict)
    only: frozenset[str] = frozenset()


def private_names(facts: Facts) -> Private:
    """Find the arrays that a function makes, and gives to nothing but functions with a rule."""
    here = ("made", facts.function.name)
    arrays = [v.kind for v in facts.results.values() if isinstance(v.kind, Array)]
    made = {r for kind in arrays for r in regions_of(kind) if r[:2] == here}
    if not made:
        return Private()
    named = _kinds_of_names(facts)
    private = made - _held(facts) - _given_away(facts) - _lost_sight_of(facts, named)
    held = {key: private & set().union(*map(regions_of, kinds)) for key, kinds in named.items()}
    only = {key for key, kinds in named.items() if all(_is_of(kind, private) for kind in kinds)}
    return Private({k: frozenset(found) for k, found in held.items() if found}, frozenset(only))


def _is_of(kind: Kind, private: set[Region]) -> bool:
    return isinstance(kind, Array) and bool(kind.regions) and kind.regions <= private


def _kinds_of_names(facts: Facts) -> dict[str, list[Kind]]:
    """Return what each name may hold, wherever it does."""
    found: dict[str, list[Kind]] = {}
    for key, value in facts.met:
        found.setdefault(key, []).append(value.kind)
    for s, value in facts.results.items():
        if type(s) is gast.Assign and type(s.targets[0]) is gast.Name:
            found.setdefault(s.targets[0].id, []).append(value.kind)
    return found


def _held(facts: Facts) -> set[Region]:
    """Return the regions of what containers hold."""
    slots = [v.kind for held in facts.heap.values() for v in held.values()]
    kinds = [v.kind for _, v in facts.met] + [v.kind for v in facts.results.values()]
    others = [kind for kind in kinds if not isinstance(kind, Array)]
    return set().union(*map(regions_within, [*slots, *others]))


def _given_away(facts: Facts) -> set[Region]:
    """Return the regions of what is given to calls without a rule, raised, or read by local functions."""
    found: set[Region] = set()
    for s in facts.before:
        for part in _parts_that_keep(s, facts):
            found |= _read_in(part, s, facts)
    return found


def _lost_sight_of(facts: Facts, named: Mapping[str, list[Kind]]) -> set[Region]:
    """Return the regions of what may have a name of which it is not known what it holds."""
    found: set[Region] = set()
    for s, value in facts.results.items():
        if _is_unknown(value.kind) and s in facts.before:
            found |= _read_in(s, s, facts)
    for kinds in named.values():
        if any(map(_is_unknown, kinds)):
            found |= set().union(*map(regions_within, kinds))
    return found


def _is_unknown(kind: Kind) -> bool:
    return type(kind) is Kind or isinstance(kind, Number)


def _read_in(tree: Tree, s: Stmt, facts: Facts) -> set[Region]:
    """Return the regions of what a part of a statement reads."""
    env = facts.before[s]
    return {r for key in reads(tree) if key in env for r in regions_within(env[key].kind)}


def _parts_that_keep(s: Stmt, facts: Facts) -> Iterator[Tree]:
    """Yield the parts of a statement that may keep what they are given."""
    if type(s) in FUNCTIONS or type(s) is gast.Raise:
        yield s
        return
    inner = {id(part) for block in blocks_of(s) for t in block for part in nodes(t)}
    for part in nodes(s):
        if type(part) is gast.Call and id(part) not in inner:
            if not isinstance(facts.calls.get(part), RuleCall):
                yield part
