"""State outside the arguments that is only added to, and that nothing is computed from.

    calls["f"] += 1
    history.append(loss)

Nobody reads such a *log* in the function that is differentiated, nor in what it calls. So there is
nothing in it that the reverse sweep could need: it is not undone, and stores into it carry nothing on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import gast

from tapeless.analysis.abstract import Known, reachable
from tapeless.analysis.facts import Facts
from tapeless.analysis.repeatable import added_to, head_of, statements_of
from tapeless.custom import author_of
from tapeless.kinds import UNSEEN, Region, is_outside, regions_of
from tapeless.runtime.memory import owner_of_memory
from tapeless.sorts import is_plain_object
from tapeless.source.externals import MISSING
from tapeless.tree.names import reads


def without_logs(root: Facts, known: Known) -> Facts:
    """Give what is known of a function as if nothing were stored into logs.

    Parameters
    ----------
    root
        What is known of the function that is differentiated.
    known
        The regions of things outside the arguments, by their identity.
    """
    logs = {r for r in root.stored if is_outside(r)}
    if logs:
        everywhere = list(_reached(root))
        if any(map(_calls_customs, everywhere)):
            return root  # what their rules read is not said here
        for facts in everywhere:
            for s in statements_of(facts.function.tree):
                logs -= _read_by(s, facts, known)
        if not _only_counted(everywhere):
            logs.discard(UNSEEN)
    return _without(root, frozenset(logs), {}) if logs else root


def _reached(root: Facts) -> Iterator[Facts]:
    """Go through the facts of a function and of all that it calls."""
    met = {root}
    todo = [root]
    while todo:
        facts = todo.pop()
        yield facts
        inner = {callee.facts for callee in facts.callees.values()} - met
        met |= inner
        todo += inner


def _calls_customs(facts: Facts) -> bool:
    """Say whether a function may call a custom gradient."""
    definitions = (p for p in gast.walk(facts.function.tree) if isinstance(p, gast.FunctionDef))
    decorated = any(p.decorator_list for p in definitions if p is not facts.function.tree)
    return decorated or any(author_of(e.value) for e in facts.function.externals.values())


def _without(facts: Facts, logs: frozenset[Region], made: dict[Facts, Facts]) -> Facts:
    if facts not in made:
        stored, varied = facts.stored - logs, facts.varied - logs
        made[facts] = replace(facts, stored=stored, varied=varied, callees={})
        made[facts].callees.update(
            (s, replace(callee, facts=_without(callee.facts, logs, made)))
            for s, callee in facts.callees.items()
        )
    return made[facts]


def _read_by(s: Any, facts: Facts, known: Known) -> set[Region]:
    """Give the regions outside that a statement may read, other than in adding to them."""
    head = gast.Expr(gast.Tuple(s.items, gast.Load())) if isinstance(s, gast.With) else head_of(s)
    mentioned = list(reads(head))
    own = added_to(s)
    if own is not None and mentioned.count(own) == 1:
        mentioned.remove(own)
    callee = facts.callees.get(s)
    passed = [] if callee is None else [a for a in callee.arguments if isinstance(a, gast.AST)]
    found: set[Region] = set()
    for key in set(mentioned).union(*map(reads, passed)):
        regions = _regions_of_name(key, s, facts, known)
        found |= regions if _takes_part(s) else regions | _held_in(regions, facts)
    return found


def _regions_of_name(key: str, s: Any, facts: Facts, known: Known) -> set[Region]:
    if key in facts.before.get(s, {}):
        return set(reachable_at_once(facts.kind(s, key)))
    thing = facts.function.resolve(gast.Name(key, gast.Load(), None, None))
    _, region = known.get(id(owner_of_memory(thing)), (None, None))
    return set() if region is None or thing is MISSING else {region}


def reachable_at_once(kind: Any) -> frozenset[Region]:
    """Give the regions of a value and, if it is a tuple, of its items."""
    return regions_of(kind) | frozenset(reachable([kind], {}))


def _held_in(regions: set[Region], facts: Facts) -> set[Region]:
    held = [v.kind for r in regions for v in facts.heap.get(r, {}).values()]
    return reachable(held, facts.heap)


def _takes_part(s: Any) -> bool:
    """Say whether a statement does no more than to take a part of something."""
    return isinstance(s, gast.Assign) and isinstance(s.value, gast.Attribute | gast.Subscript)


def _only_counted(everywhere: list[Facts]) -> bool:
    """Say whether attributes of classes and modules are added to only, and read nowhere else."""
    counted: set[str] = set()
    read: set[str] = set()
    for facts in everywhere:
        for s in statements_of(facts.function.tree):
            place = s.target if isinstance(s, gast.AugAssign) else None
            for part in gast.walk(head_of(s)):
                if isinstance(part, gast.Attribute) and isinstance(part.ctx, gast.Load):
                    read.add(part.attr)
                elif isinstance(part, gast.Attribute) and part is not place:
                    if _is_unseen(part.value, s, facts):
                        return False
            if isinstance(place, gast.Attribute):
                counted.add(place.attr)
    return not counted & read


def _is_unseen(owner: Any, s: Any, facts: Facts) -> bool:
    """Say whether nothing is known of the attributes of what is stored into."""
    key = getattr(owner, "id", None)
    if key in facts.before.get(s, {}):
        return not regions_of(facts.kind(s, key))
    return not is_plain_object(facts.function.resolve(owner))
