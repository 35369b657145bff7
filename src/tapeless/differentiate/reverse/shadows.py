"""Where the adjoint of a mutable thing lives.

A thing that is stored into has a shadow: a mutable thing of the same shape, reached the same way. Where
one name provably owns the thing, and every other name for it is an alias or a view made in one place of
the text, the shadow is a local name and the others are the same aliases and views of it. Where the
text does not decide, all names of the thing ask one adjoint memory, `bars`, by the thing itself.
Containers that nobody stores into are mirrored by place: a nested one is reached by the same path.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any

import gast

from tapeless.analysis.abstract import Slots, held_in, literal_kind, reachable
from tapeless.analysis.calls import RuleCall
from tapeless.analysis.facts import Facts
from tapeless.analysis.indexing import is_basic_index
from tapeless.kinds import (
    Array,
    Integer,
    Kind,
    Region,
    Sequence,
    Tuple,
    alternatives_within,
    is_container,
    regions_of,
    regions_within,
)
from tapeless.regions import is_mirror, is_outside
from tapeless.rules.traits import traits_of
from tapeless.tree.classes import ARITHMETIC, ATOMS, LOOPS
from tapeless.tree.endings import blocks_of
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import binds_in_block, nodes, reads
from tapeless.tree.trees import Expr, Tree
from tapeless.variables import is_variable


@dataclass(frozen=True)
class Shadows:
    """How the adjoints of mutable things are reached.

    Attributes
    ----------
    in_memory
        Regions whose adjoints are asked from `bars`.
    paths
        For a name that is an alias or view of another: the expression that defines it.
    """

    in_memory: frozenset[Region]
    paths: dict[str, Any]


def shadows_of(function: CoreFunction, facts: Facts) -> Shadows:
    """Decide for each region whether names reach its shadow or `bars` is asked."""
    defined = function.definitions
    kinds = _kinds_of_names(facts)
    paths = {key: path for key in kinds if (path := _path(defined.get(key, []), facts))}
    holders = _holders(facts, kinds)
    in_memory: set[Region] = {r for r in facts.stored if is_outside(r)}
    in_memory |= _varied_variables(facts, kinds)
    slots = [v.kind for held in facts.heap.values() for v in held.values()]
    held = set().union(*map(regions_within, slots))
    held |= _held_by_tuples_passed(function, facts) | _held_by_tuples_kept(function, facts, defined)
    held |= _taken_in_loops(function, facts)
    handed_back = held & _handed_back(facts)
    once = {key: _without_updates(bound, facts) for key, bound in defined.items()}
    for region, names in holders.items():
        stored = region in facts.stored
        if is_outside(region) and not stored:
            continue  # a constant: it has no adjoint
        if (
            is_outside(region)
            or is_mirror(region)
            or (stored and region in held)
            or region in handed_back
            or not _is_owned(region, names, kinds, paths, once)
        ):
            in_memory.add(region)
    # no name stands for these: those who store into them ask by the things themselves
    unnamed = held - holders.keys() | _copied_inside(facts)
    in_memory |= {r for r in unnamed & facts.stored if not is_outside(r)}
    emptied = _slots_emptied(facts, set())
    for key, path in paths.items():
        if _slot_of(path) in emptied:
            in_memory |= {r for kind in kinds[key] if is_container(kind) for r in regions_of(kind)}
    _add_reached_through(in_memory, holders, kinds, paths, set(facts.stored))
    return Shadows(frozenset(in_memory), paths)


def _held_by_tuples_passed(function: CoreFunction, facts: Facts) -> set[Region]:
    """Return the regions of what tuples hold that come in: the caller has its adjoint, too."""
    first = function.tree.body[0] if function.tree.body else None
    entering = [v.kind for v in facts.before.get(first, {}).values()]
    return {r for k in entering if isinstance(k, (Tuple, Sequence)) for r in regions_within(k)}


def _copied_inside(facts: Facts) -> set[Region]:
    """Return the regions of what stands in a container of which a call makes a copy as deep as that.

    The cotangent of the copy holds those of the copied parts, by their places, and no name is for these.
    """
    found: set[Region] = set()
    for s, value in facts.results.items():
        called = facts.calls.get(s.value) if type(s) is gast.Assign else None
        if not isinstance(called, RuleCall) or called.rule is None or called.rule.form == "zero":
            continue
        operands = [facts.kind(s, arg.id) for arg in s.value.args if type(arg) is gast.Name]
        given = reachable(operands, facts.heap)
        if made_inside(called.found, value.kind, given, facts.heap):
            found |= given.difference(*map(regions_of, operands))
    return found


def made_inside(found: Any, kind: Kind, given: Set[Region], heap: Slots) -> set[Region]:
    """Return the regions that a call makes inside of what it returns, beside parts of what it is `given`.

    In a loop a copy may be made of what was made on the trip before: it is another thing of the same region.
    """
    inside = held_in(regions_of(kind), heap)
    return inside if traits_of(found).shows == () else inside - given


def _taken_in_loops(function: CoreFunction, facts: Facts) -> set[Region]:
    """Return the regions that each trip of a loop takes out of a tuple made before it.

    What a trip adds to their adjoints must be there for the trip before it, so that the name which
    they are given in the loop does not own them.
    """
    found: set[Region] = set()
    for loop in nodes(gast.Module(function.tree.body, []), nested=False):
        if type(loop) in LOOPS and loop in facts.before:
            inside = binds_in_block([loop])
            before = {k: v.kind for k, v in facts.before[loop].items() if k not in inside}
            named = {r for kind in before.values() for r in regions_of(kind)}
            held = [k for k in before.values() if isinstance(k, (Tuple, Sequence))]
            found |= {r for kind in held for r in regions_within(kind)} - named
    return found


def _handed_back(facts: Facts) -> set[Region]:
    """Return the regions of what callees return of that which they are given, or find outside.

    A name for such a thing, if it stands in a slot, is one more than the way to that slot.
    """
    found: set[Region] = set()
    for callee in facts.callees.values():
        returned = regions_within(callee.facts.returned.kind)
        entering = callee.entering if returned else set()
        for region in returned:
            if region in entering or is_outside(region):
                found |= callee.seen_by_caller(region)
    return found


def _held_by_tuples_kept(
    function: CoreFunction, facts: Facts, defined: Mapping[str, list[Any]]
) -> set[Region]:
    """Return the regions of what tuples hold that are not returned at once: it may change in them.

    A tuple that is not written here, as what a call gives, is kept where it is not only taken apart.
    """
    found: set[Region] = set()
    kept = _names_of_wholes(function, defined)
    for key, value in facts.met:
        if key in kept and isinstance(value.kind, (Tuple, Sequence)):
            found |= regions_within(value.kind)
    todo = [function.tree.body]
    for block in todo:
        todo += [inner for s in block if type(s) is not gast.FunctionDef for inner in blocks_of(s)]
        returned = False
        for s in reversed(block):
            if type(getattr(s, "value", None)) is not gast.Tuple:
                returned = type(s) is gast.Return
            elif not returned and s in facts.results:
                found |= regions_within(facts.results[s].kind)
    return found


def _names_of_wholes(function: CoreFunction, defined: Mapping[str, list[Any]]) -> set[str]:
    """Return the names that are read otherwise than for one item, or to be unpacked.

    Those of tuples that are written here alone are left out.
    """
    taken: Counter[str] = Counter()
    displays: Counter[str] = Counter()
    for part in nodes(function.tree):
        if type(part) is gast.Subscript and type(part.value) is gast.Name:
            taken[part.value.id] += 1
        if type(part) is not gast.Assign:
            continue
        if type(part.targets[0]) is gast.Tuple and type(part.value) is gast.Name:
            taken[part.value.id] += 1
        elif type(part.targets[0]) is gast.Name and type(part.value) is gast.Tuple:
            displays[part.targets[0].id] += 1
    written = {key for key, found in defined.items() if displays[key] == len(found)}
    return set((Counter(reads(function.tree)) - taken).keys()) - written


def _slots_emptied(facts: Facts, seen: set[Facts]) -> set[str]:
    """Return the attributes, `[]` for items, in which None or a 0.0 is put where containers stand.

    What stood there is out of reach of the shadow of its owner then.
    """
    seen.add(facts)
    found: set[str] = set()
    for s, env in facts.before.items():
        place: Any = s.targets[0] if type(s) is gast.Assign else None
        slot = _slot_of(place)
        if slot is None or type(s.value) not in ATOMS:
            continue
        stored = env[s.value.id].kind if getattr(s.value, "id", None) in env else Kind()
        owner = env[place.value.id].kind if getattr(place.value, "id", None) in env else Kind()
        if is_container(stored) or not is_container(owner):
            continue
        slots = [facts.heap.get(r, {}) for r in regions_of(owner)]
        held = [v.kind for s in slots for k, v in s.items() if slot in ("[]", k)]
        if any(map(is_container, held)):
            found.add(slot)
    for callee in facts.callees.values():
        if callee.facts not in seen:
            found |= _slots_emptied(callee.facts, seen)
    return found


def _slot_of(place: Expr) -> str | None:
    """Name the slot that a place is: its attribute, or `[]`."""
    if type(place) is gast.Attribute:
        return str(place.attr)
    return "[]" if type(place) is gast.Subscript else None


def _holders(facts: Facts, kinds: dict[str, set[Kind]]) -> dict[Region, list[str]]:
    """List, for each region that has a shadow, the names that may hold it."""
    found: dict[Region, list[str]] = {}
    for key, held in sorted(kinds.items()):
        for kind in held:
            if facts.has_shadow(kind):
                for region in regions_of(kind):
                    found.setdefault(region, []).append(key)
    return found


def _is_owned(
    region: Region, names: list[str], kinds: dict[str, set[Kind]], paths: dict[str, Any],
    defined: Mapping[str, list[Any]],
) -> bool:  # fmt: skip
    """Whether one name owns a region, and all others surely reach it by fixed paths."""
    owners = [n for n in dict.fromkeys(names) if n not in paths]
    return (
        len(owners) <= 1
        and all(len(defined.get(n, [])) == 1 for n in names)
        and not any(_path_moves(paths[n], defined) for n in names if n in paths)
        and all(len(regions_of(k)) <= 1 for n in names for k in kinds[n] if region in regions_of(k))
    )


def _without_updates(bound: list[Any], facts: Facts) -> list[Any]:
    """Leave out of the statements that bind a name those that update what is made here.

    Of what a caller hands over it has an adjoint, too.
    """
    first, *others = bound
    made_here = type(first) is gast.Assign
    return [first, *(s for s in others if not (made_here and _is_update(s, facts)))]


def _is_update(s: Any, facts: Facts) -> bool:
    """Whether a statement changes an array in place: its name stands for the same array after `x += y`."""
    if type(s) is not gast.AugAssign or type(s.target) is not gast.Name:
        return False
    kind = facts.kind(s, s.target.id)
    return isinstance(kind, Array) and bool(kind.dims)


def _add_reached_through(
    in_memory: set[Region], holders: dict[Region, list[str]], kinds: dict[str, set[Kind]],
    paths: dict[str, Any], stored: set[Region],
) -> None:  # fmt: skip
    """Add what is reached through a thing that is in memory, or may stand for it in a tuple."""

    def is_reached(region: Region, key: str) -> bool:
        sources = reads(paths[key])[:1] if key in paths else []
        container = any(is_container(k) and region in regions_of(k) for k in kinds[key])
        through = any(regions_of(k) & in_memory for s in sources for k in kinds.get(s, ()))
        return through and (container or region in stored)

    tuples = [k for found in kinds.values() for k in found if isinstance(k, (Tuple, Sequence))]
    together = [regions for kind in tuples for regions in alternatives_within(kind)]
    changed = True
    while changed:
        changed = False
        for regions in together:  # what a tuple holds is one of them
            if regions & in_memory and not regions <= in_memory:
                in_memory |= regions
                changed = True
        for region, names in holders.items():
            if region not in in_memory and any(is_reached(region, key) for key in names):
                in_memory.add(region)
                changed = True


def held_regions(facts: Facts) -> set[Region]:
    """Return the regions of the containers that stand in slots, or in tuples."""
    slots = [v.kind for held in facts.heap.values() for v in held.values()]
    names = [k for kinds in _kinds_of_names(facts).values() for k in kinds]
    parts = [*slots, *(k for k in names if isinstance(k, (Tuple, Sequence)))]
    return {r for kind in parts for r in regions_within(kind)}


def _varied_variables(facts: Facts, kinds: dict[str, set[Kind]]) -> set[Region]:
    """Return the regions of Variables that vary: they are told apart by themselves."""
    held = [k for found in kinds.values() for k in found if is_variable(k)]
    if facts.reading:  # custom gradients read what no name stands for
        slots = [v.kind for held_slots in facts.heap.values() for v in held_slots.values()]
        held += filter(is_variable, slots)
    found = {r for r in facts.varied if r[0] == "variable"}
    return found | {r for kind in held for r in regions_of(kind) if r in facts.varied}


def _kinds_of_names(facts: Facts) -> dict[str, set[Kind]]:
    found: dict[str, set[Kind]] = {}
    for key, value in facts.met:
        found.setdefault(key, set()).add(value.kind)
    return found


def _path(defined: list[Any], facts: Facts) -> Any:
    """Return the expression by which a name, bound once, reaches into another name's thing."""
    if len(defined) != 1 or type(defined[0]) is not gast.Assign:
        return None
    statement = defined[0]
    if type(statement.targets[0]) is not gast.Name:
        return None
    value, result = statement.value, facts.results.get(statement)
    if result is None or not regions_of(result.kind):
        return None
    if statement in facts.callees:
        return None  # a property: what it returns is nothing that the object holds
    if type(value) is gast.Name:
        apart = not regions_of(result.kind) & regions_of(facts.kind(statement, value.id))
        return None if apart else value
    if type(value) is gast.Subscript and type(value.value) is gast.Name:
        source = facts.kind(statement, value.value.id)
        if is_container(source):
            whole = type(value.slice) is gast.Slice  # a slice of a list is a new list
            return value if is_container(result.kind) and not whole else None
        env = facts.before[statement]

        def kind_of(tree: Tree) -> Kind:
            return env[tree.id].kind if type(tree) is gast.Name and tree.id in env else _guess(tree)

        basic = is_basic_index(value.slice, kind_of)
        return value if basic and isinstance(source, Array) else None
    if type(value) is gast.Attribute and type(value.value) is gast.Name:
        source = facts.kind(statement, value.value.id)
        if is_container(source):
            return value if is_container(result.kind) else None
        return value if value.attr == "T" else None
    return None


def _guess(tree: Tree) -> Kind:
    if type(tree) is gast.Constant:
        return literal_kind(tree.value)
    if type(tree) in ARITHMETIC:
        return Integer()
    return Kind()


def _path_moves(path: Any, defined: Mapping[str, list[Any]]) -> bool:
    """Whether a name in the index of a path is bound more than once."""
    if type(path) is not gast.Subscript:
        return False
    return any(len(defined.get(n, [])) > 1 for n in reads(path.slice))
