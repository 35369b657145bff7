"""Whether a function may run twice: what `recompute_grad` asks of it.

The second run must find what the first one found. A function that stores into its arguments would
start from other values; one that draws random numbers would draw others. State outside the arguments
may be added to, as long as nothing is computed from it: such a *log* is written by both runs, and
there is nothing in it to be undone.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.analysis.facts import Callee, Facts, facts_within
from tapeless.analysis.inert import GENERATORS, is_generator
from tapeless.externals import MISSING, resolve
from tapeless.kinds import Region, regions_of
from tapeless.regions import holds_attributes, is_outside
from tapeless.rules.streams import draws_itself
from tapeless.tree.classes import ATTEMPTS, TESTED
from tapeless.tree.names import binds_in_block, nodes, parameters, reads
from tapeless.tree.trees import Expr, Stmt, Tree


def added_to(statement: Stmt) -> str | None:
    """Return the name of the thing that a statement only adds to: `log.append(v)`, `n[k] += 1`."""
    place: Any = None
    if type(statement) is gast.AugAssign:
        place = statement.target
    elif type(statement) is gast.Expr and type(statement.value) is gast.Call:
        called = statement.value.func
        place = called if getattr(called, "attr", "") == "append" else None
    owner = getattr(place, "value", None)
    return owner.id if isinstance(owner, gast.Name) else None


def logs_of(tree: Tree, facts: Facts) -> frozenset[Region]:
    """Return the regions outside the arguments that a function only adds to."""
    found = {r for r in facts.stored if is_outside(r) and not holds_attributes(r)}
    for callee in facts.callees.values():
        found -= callee.facts.stored
    for statement in statements_of(tree) if found else ():
        env = facts.before.get(statement, {})
        own = added_to(statement)
        for key in reads(head_of(statement)):
            if key != own and key in env:
                found -= regions_of(env[key].kind)
    return frozenset(found)


def attributes_stored(root: Facts) -> set[str]:
    """List the attributes that a function, or one that it calls, stores into."""
    return {place.attr for place in _attributes_within(root) if is_stored(place)}


def attributes_read(root: Facts) -> set[str]:
    """List the attributes that a function, or one that it calls, reads."""
    return {place.attr for place in _attributes_within(root) if not is_stored(place)}


def attributes_updated(root: Facts) -> set[str]:
    """List the attributes that a function, and what it calls, stores into by `o.k += v` only."""
    trees = [part for facts in facts_within(root) for part in nodes(facts.function.tree)]
    updated = [part.target for part in trees if type(part) is gast.AugAssign]
    stored = [place for place in _attributes_within(root) if is_stored(place)]
    others = {place.attr for place in stored if not any(place is t for t in updated)}
    return {place.attr for place in stored} - others


def _attributes_within(root: Facts) -> list[Any]:
    trees = [part for facts in facts_within(root) for part in nodes(facts.function.tree)]
    return [part for part in trees if type(part) is gast.Attribute]


def is_stored(place: Expr) -> bool:
    """Whether an attribute or item is stored into or deleted."""
    return type(place.ctx) is not gast.Load


def unrepeatable(callee: Callee) -> tuple[str, str] | None:
    """Return why a function cannot run twice, and the way out; None where it can."""
    stored = frozenset(callee.facts.stored)
    if any(is_outside(region) for region in stored):
        return (
            "uses state outside its arguments that it changes",
            "pass the state as an argument and return it",
        )
    if stored & frozenset(callee.regions):
        return "stores into its arguments", "let it copy them first"
    if draws(callee):
        return "draws random numbers", "draw them outside and pass them in"
    return None


def draws(callee: Callee) -> bool:
    """Whether a function, or one that it calls, draws random numbers."""
    return _draws(callee, set())


def text_draws(tree: Tree, externals: Any) -> bool:
    """Whether the text of a function itself draws random numbers by a name from outside."""
    local = binds_in_block(tree.body) | set(parameters(tree))
    calls = [part.func for part in nodes(tree) if type(part) is gast.Call]
    owners = [resolve(called.value, externals, local) for called in calls if _is_method(called)]
    if any(isinstance(owner, GENERATORS) for owner in owners):
        return True
    return any(draws_itself(resolve(called, externals, local)) for called in calls)


def _is_method(called: Any) -> bool:
    return type(called) is gast.Attribute


def _draws(callee: Callee, seen: set[Any]) -> bool:
    seen.add(callee.facts)
    for statement in statements_of(callee.function.tree):
        for part in nodes(head_of(statement)):
            if type(part) is gast.Call and _is_draw(part.func, callee, statement):
                return True
    inner = [c for c in callee.facts.callees.values() if c.facts not in seen]
    return any(_draws(c, seen) for c in inner)


def _is_draw(called: Any, callee: Callee, statement: Stmt) -> bool:
    found = callee.function.resolve(called)
    if found is not MISSING:
        return draws_itself(found)
    owner = getattr(called, "value", None)
    if not isinstance(owner, gast.Name):
        return False
    value = callee.function.resolve(owner)
    if value is not MISSING:
        return isinstance(value, GENERATORS)
    return is_generator(callee.facts.kind(statement, owner.id))


def statements_of(tree: Tree) -> list[Any]:
    """List the statements of a function, those of nested functions included."""
    parts = [part for part in nodes(tree) if isinstance(part, gast.stmt)]
    return [part for part in parts if type(part) is not gast.FunctionDef]


def head_of(statement: Stmt) -> Any:
    """Return what a statement itself reads, without the blocks in it."""
    if type(statement) in TESTED:
        return gast.Expr(statement.test)
    if type(statement) is gast.For:
        return gast.Expr(statement.iter)
    return gast.Pass() if type(statement) in ATTEMPTS else statement
