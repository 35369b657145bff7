"""What custom gradients change at a time that a derivative does not keep to.

A `grad` runs in the reverse sweep, or beside its function in forward mode, and never in a plain call.
What it stores into counts nothing for the function, unless the function reads it: that is refused. And
a `global` that the body of a custom gradient binds anew is bound once, as in a plain call; a function
that reads that name by itself would be read for the value of today.
"""

from __future__ import annotations

import dis
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import gast

from tapeless.analysis.abstract import Known
from tapeless.analysis.facts import Body, Facts
from tapeless.analysis.interpret.changes_by_customs import changed_place
from tapeless.analysis.logs import read_by, regions_of_name
from tapeless.analysis.reached import functions_reached
from tapeless.analysis.repeatable import facts_within, head_of, statements_of
from tapeless.kinds import Region, regions_of
from tapeless.source.externals import MISSING
from tapeless.tree.names import nodes


@dataclass(frozen=True)
class _Change:
    """A place that a `grad` stores into: in a thing outside or in memory of the caller's."""

    thing: Any
    regions: frozenset[Region]
    attribute: str | None
    shown: str


def check_customs(root: Facts, known: Known) -> None:
    """Refuse what a custom gradient changes, and what its derivative would find at the wrong time.

    Raises
    ------
    GradientError
        If a function reads what a `grad` stores into, or a global that a custom gradient binds anew.
    """
    everywhere = facts_within(root)
    calls = [(facts, s, body) for facts in everywhere for s, body in facts.customs.items()]
    bodies = [f for *_, body in calls if body.callee for f in facts_within(body.callee.facts)]
    for facts, s, body in calls:
        label = getattr(body.author, "__name__", None) or getattr(body.author, "name", "?")
        for key, module, in_grad in _rebound_by(body.author):
            if in_grad or any(_reads_global(each, key, module) for each in everywhere):
                raise facts.function.error(
                    s, f"the custom gradient '{label}' binds the global `{key}` anew, which is read "
                    "where it is differentiated",
                    f"keep it in a list or in an attribute: `state.{key} = ...`",
                )  # fmt: skip
        for change in _changed_by_grad(body, known):
            if any(_reads(each, change, known) for each in [*everywhere, *bodies]):
                raise facts.function.error(
                    s, f"the gradient function of '{label}' changes `{change.shown}`, which is read "
                    "where it is differentiated",
                    "change it in the function itself, which runs once",
                )  # fmt: skip


# Globals


def _rebound_by(author: Any) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """List the globals that a function binds anew, and whether a function within one reads them."""
    for function in functions_reached(author) if callable(author) else ():
        own = function.__code__
        codes = list(_codes_within(own))
        stored = {
            i.argval
            for code in codes
            for i in dis.get_instructions(code)
            if i.opname == "STORE_GLOBAL"
        }
        for key in sorted(stored):
            inner = any(key in code.co_names and _loads(code, key) for code in codes[1:])
            yield key, function.__globals__, inner


def _codes_within(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes_within(constant)


def _loads(code: types.CodeType, key: str) -> bool:
    found = (i for i in dis.get_instructions(code) if i.argval == key)
    return any(i.opname.startswith("LOAD") for i in found)


def _reads_global(facts: Facts, key: str, module: dict[str, Any]) -> bool:
    """Say whether a function reads a global of a module, by its name or through the module."""
    external = facts.function.externals.get(key)
    by_name = external is not None and external.owner is module
    for part in nodes(facts.function.tree):
        if by_name and isinstance(part, gast.Name) and part.id == key:
            return True
        if isinstance(part, gast.Attribute) and part.attr == key:
            owner = facts.function.resolve(part.value)
            if isinstance(owner, types.ModuleType) and vars(owner) is module:
                return True
    return False


# What a `grad` stores into


def _changed_by_grad(body: Body, known: Known) -> Iterator[_Change]:
    """List what the functions within a custom gradient store into, and what others beside it do."""
    callee = body.callee
    if callee is None:
        return
    facts = callee.facts
    tree = facts.function.tree
    inner = [p for p in nodes(tree) if isinstance(p, gast.FunctionDef) and p is not tree]
    for part in (part for grad in inner for part in nodes(grad)):
        found = changed_place(part, facts.function.resolve)
        if found is None:
            continue
        place, thing = found
        attribute = part.attr if isinstance(part, gast.Attribute) else None
        root = place
        while isinstance(root, gast.Attribute | gast.Subscript):
            root = root.value
        bound = [env[root.id] for env in facts.before.values() if getattr(root, "id", "") in env]
        inside = {r for v in bound for r in regions_of(v.kind)} if root is place else set()
        entering = {outer for r in inside & callee.entering for outer in callee.seen_by_caller(r)}
        if thing is not MISSING:
            entering |= {known[id(thing)][1]} if id(thing) in known else set()
        if thing is not MISSING or entering:
            shown = gast.unparse(place).strip()
            shown = f"{shown}.{attribute}" if attribute else shown
            yield _Change(thing, frozenset(entering), attribute, shown)


def _reads(facts: Facts, change: _Change, known: Known) -> bool:
    """Say whether a function reads what a `grad` stores into, other than in adding to it."""
    grads = {
        id(s)
        for d in nodes(facts.function.tree)
        if isinstance(d, gast.FunctionDef) and d is not facts.function.tree
        for s in statements_of(d)
    }
    for s in statements_of(facts.function.tree):
        if id(s) in grads or s in facts.customs:
            continue
        if change.attribute is None:
            if change.regions & read_by(s, facts, known):
                return True
            continue
        for part in nodes(head_of(s)):
            taken = isinstance(part, gast.Attribute) and part.attr == change.attribute
            if taken and isinstance(part.ctx, gast.Load):
                owner = facts.function.resolve(part.value)
                if owner is not MISSING and owner is change.thing:
                    return True
                kinds = regions_of_name(getattr(part.value, "id", ""), s, facts, known)
                if change.regions & kinds:
                    return True
    return False
