"""State outside the arguments that is only added to, and that nothing is computed from.

    calls["f"] += 1
    history.append(loss)

Nobody reads such a *log* in the function that is differentiated, nor in what it calls. So there is
nothing in it that the reverse sweep could need: it is not undone, and stores into it carry nothing on.
The body of a custom gradient runs once, as it is written: it may read what it adds to, its `grad` may not.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import gast

from tapeless.analysis.abstract import Known, held_in, reachable
from tapeless.analysis.facts import Body, Callee, Facts, facts_within
from tapeless.analysis.reached import things_reached
from tapeless.analysis.repeatable import added_to, head_of, statements_of
from tapeless.externals import MISSING
from tapeless.kinds import UNKNOWN, Function, Region, Tuple, regions_of
from tapeless.regions import UNSEEN, is_outside
from tapeless.rules.declare import Rule, find_rule, is_built_in
from tapeless.runtime.memory import owner_of_memory
from tapeless.sorts import is_plain_object
from tapeless.source.texts import text_of
from tapeless.tree.classes import FUNCTIONS, SLOTS
from tapeless.tree.names import nodes, reads
from tapeless.tree.trees import Stmt, Tree


def without_logs(root: Facts, known: Known) -> Facts:
    """Return what is known of a function as if nothing were stored into logs.

    Parameters
    ----------
    root
        What is known of the function that is differentiated.
    known
        The regions of things outside the arguments, by their identity.
    """
    logs = {r for r in root.stored if is_outside(r)}
    if logs:
        everywhere = facts_within(root)
        bodies = [body for facts in everywhere for body in facts.custom_calls.values()]
        for facts in everywhere:
            for s in statements_of(facts.function.tree):
                logs -= read_by(s, facts, known)
        inside = [body.callee.facts for body in bodies if body.callee is not None]
        if len(inside) < len(bodies) or not _only_counted([*everywhere, *inside]):
            logs.discard(UNSEEN)
    return _without(root, frozenset(logs), {}) if logs else root


def _without(facts: Facts, logs: frozenset[Region], made: dict[Facts, Facts]) -> Facts:
    if facts not in made:
        stored, varied = facts.stored - logs, facts.varied - logs
        unseen = {s: left for s, regions in facts.unseen.items() if (left := regions - logs)}
        callees: dict[Stmt, Callee] = {}  # filled below: a recursive function calls itself
        made[facts] = replace(
            facts,
            stored=stored,
            varied=varied,
            unseen=MappingProxyType(unseen),
            callees=MappingProxyType(callees),
        )
        for s, callee in facts.callees.items():
            callees[s] = replace(callee, facts=_without(callee.facts, logs, made))
    return made[facts]


def read_by(s: Stmt, facts: Facts, known: Known) -> set[Region]:
    """Return the regions outside that a statement may read, other than in adding to them."""
    if s in facts.custom_calls:
        return _read_by_grad(facts.custom_calls[s], known)
    named = _mentioned_by(s)
    callee = facts.callees.get(s)
    passed = [] if callee is None else [a for a in callee.arguments if isinstance(a, gast.AST)]
    found = regions_reached([rule.function for rule in _rules_called(s, facts)], known)
    for key in set(named).union(*map(reads, passed)):
        regions = regions_of_name(key, s, facts, known)
        found |= regions if _takes_part(s) else regions | held_in(regions, facts.heap)
    return found


def rules_within(everywhere: list[Facts]) -> Iterator[tuple[Facts, Stmt, Rule]]:
    """Go through the statements that call a function with a rule of the user's, and these rules."""
    for facts in everywhere:
        for s in statements_of(facts.function.tree):
            for rule in _rules_called(s, facts):
                yield facts, s, rule


def _rules_called(s: Stmt, facts: Facts) -> list[Rule]:
    calls = [part for part in nodes(head_of(s)) if type(part) is gast.Call]
    rules = [find_rule(facts.object_called(call)) for call in calls]
    return [rule for rule in rules if rule is not None and not is_built_in(rule)]


def _mentioned_by(s: Stmt) -> list[str]:
    """List the names that a statement reads, other than that of what it only adds to."""
    head = gast.Expr(gast.Tuple(s.items, gast.Load())) if type(s) is gast.With else head_of(s)
    found = list(reads(head))
    own = added_to(s)
    if own is not None and found.count(own) == 1:
        found.remove(own)
    return found


def _read_by_grad(body: Body, known: Known) -> set[Region]:
    """Return the memory that the function beside the value of a custom gradient may read."""
    callee = body.callee
    if callee is None:
        return regions_reached(named_in_grad(body.author), known)
    tree, facts = callee.function.tree, callee.facts
    kinds = [v.kind for _, v in facts.met]
    grads = grads_of(callee)
    if not all(isinstance(grad, Function) for grad in grads):
        found = reachable(kinds, facts.heap) | regions_reached([body.author], known)
    else:
        found = regions_reached([g.value for g in grads if callable(g.value)], known)
        inner = [p for p in nodes(tree) if type(p) is gast.FunctionDef and p is not tree]
        within = [s for part in inner for s in statements_of(part)]
        lambdas = [p for p in nodes(tree) if type(p) is gast.Lambda]
        for key in {key for s in within for key in _mentioned_by(s)}.union(*map(reads, lambdas)):
            bound = [env[key].kind for env in facts.before.values() if key in env]
            found |= reachable(bound, facts.heap)
            if not bound:
                thing = facts.function.resolve(gast.Name(key, gast.Load(), None, None))
                found |= regions_reached([thing], known)
    return {outer for region in found for outer in callee.seen_by_caller(region)}


def named_in_grad(author: Any) -> list[Any]:
    """List what the `grad` of a function names: what all of it reaches, if it is not written there."""
    text = text_of(author) if isinstance(author, types.FunctionType) else None
    grads = None if text is None else grads_written(text.tree)
    if text is None or grads is None:
        return [author]
    named = [key for grad in grads for key in reads(grad) if key in text.externals]
    return [text.externals[key].value for key in named]


def grads_written(tree: Tree) -> list[Any] | None:
    """Return what a custom gradient's text defines and returns last; None if one is not written there."""
    inner = {d.name: d for d in nodes(tree) if type(d) is gast.FunctionDef}
    pairs = [s.value for s in nodes(tree, nested=False) if type(s) is gast.Return]
    lasts = [p.elts[-1] if type(p) is gast.Tuple and p.elts else None for p in pairs]
    grads = [inner.get(last.id) if isinstance(last, gast.Name) else last for last in lasts]
    written = all(type(grad) in FUNCTIONS for grad in grads)
    return grads if written else None


def mentioned(callee: Callee, known: Known, attributes: frozenset[str]) -> set[Region]:
    """Return the memory, as the caller names it, that the text of a callee names.

    To name an object for one of its attributes counts where that is among `attributes`.
    """
    found: set[Region] = set()
    for facts in facts_within(callee.facts):
        for s in statements_of(facts.function.tree):
            parts = nodes(head_of(s))
            plain = [
                part.value
                for part in parts
                if type(part) is gast.Attribute and part.attr not in attributes
            ]
            for part in parts:
                if type(part) is gast.Name and not any(part is p for p in plain):
                    regions = regions_of_name(part.id, s, facts, known)
                    found |= regions | held_in(regions, facts.heap)
    return {outer for region in found for outer in callee.seen_by_caller(region)}


def grads_of(callee: Callee) -> list[Any]:
    """Return the kinds of the functions that the body of a custom gradient returns beside its value."""
    ends = [p for p in nodes(callee.function.tree, nested=False) if type(p) is gast.Return]
    returned = [callee.facts.kind(s, getattr(s.value, "id", "")) for s in ends]
    return [kind.items[-1] if isinstance(kind, Tuple) else UNKNOWN for kind in returned]


def regions_reached(things: list[Any], known: Known) -> set[Region]:
    """Return the regions of all memory that things reach, code among them."""
    met = (known.get(id(owner_of_memory(thing))) for thing in things_reached(things))
    return {found[1] for found in met if found is not None}


def regions_of_name(key: str, s: Stmt, facts: Facts, known: Known) -> set[Region]:
    """Return the memory that a name stands for as control comes to a statement."""
    if key is not None and key in facts.before.get(s, {}):
        return set(reachable_at_once(facts.kind(s, key)))
    thing = facts.function.resolve(gast.Name(key, gast.Load(), None, None))
    _, region = known.get(id(owner_of_memory(thing)), (None, None))
    return set() if region is None or thing is MISSING else {region}


def reachable_at_once(kind: Any) -> frozenset[Region]:
    """Return the regions of a value and, if it is a tuple, of its items."""
    return regions_of(kind) | frozenset(reachable([kind], {}))


def _takes_part(s: Stmt) -> bool:
    """Whether a statement does no more than to take a part of something."""
    return type(s) is gast.Assign and type(s.value) in SLOTS


def _only_counted(everywhere: list[Facts]) -> bool:
    """Whether attributes of classes and modules are added to only, and read nowhere else."""
    counted: set[str] = set()
    read: set[str] = set()
    for facts in everywhere:
        for s in statements_of(facts.function.tree):
            place = s.target if type(s) is gast.AugAssign else None
            for part in nodes(head_of(s)):
                if type(part) is gast.Attribute and type(part.ctx) is gast.Load:
                    read.add(part.attr)
                elif type(part) is gast.Attribute and part is not place:
                    if _is_unseen(part.value, s, facts):
                        return False
            if isinstance(place, gast.Attribute):
                counted.add(place.attr)
    return not counted & read


def _is_unseen(owner: Any, s: Stmt, facts: Facts) -> bool:
    """Whether nothing is known of the attributes of what is stored into."""
    key = getattr(owner, "id", None)
    if key is not None and key in facts.before.get(s, {}):
        return not regions_of(facts.kind(s, key))
    return not is_plain_object(facts.function.resolve(owner))
