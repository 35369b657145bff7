"""The forward sweep, followed: which version each statement sees.

A copy or a save hands a version on. What an exception leaves behind is not followed.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.differentiate.reverse.mirrored import (
    Branch,
    Finally,
    Loop,
    Mirrored,
    MirroredTry,
    Step,
    forward_sweep,
)
from tapeless.differentiate.verify.possible import UNKNOWN, UNSET, Followed, Seen, Trips, Versions
from tapeless.tree.classes import JUMPS, LEAVING
from tapeless.tree.names import binds, reads
from tapeless.tree.trees import Stmt, Tree


def follow(met: Followed, items: list[Mirrored], env: Versions) -> Versions | None:
    """Follow a block; None where control never comes to its end."""
    after: Versions | None = env
    for item in items:
        if after is None:
            return None
        if isinstance(item, Step):
            after = _step(met, item, after)
        elif isinstance(item, Branch):
            after = _branch(met, item, after)
        elif isinstance(item, Loop):
            after = _loop(met, item, after)
        elif isinstance(item, (MirroredTry, Finally)):
            after = _attempt(met, item, after)
        else:
            after = follow(met, item.body, after)
    return after


def _step(met: Followed, item: Step, env: Versions) -> Versions | None:
    asked = {key for s in item.reverse for key in reads(s)}
    before = {key: env[key] for key in asked if key in env}
    bound: set[str] = set()
    for s in item.forward:
        bound |= _run(met, s, env)
    after = {key: env[key] for key in asked if key in env}
    met.steps[id(item)] = Seen(before, after, bound)
    last = item.forward[-1] if item.forward else None
    if type(last) is gast.Return:
        for ends in met.ends:
            ends[id(last)] = env
    elif type(last) in LEAVING:
        met.ends[-1][id(last)] = env
    return None if type(last) in JUMPS else env


def _run(met: Followed, s: Stmt, env: Versions) -> set[str]:
    """Follow a statement of the forward sweep; return the names that it binds."""
    stack = stack_of(s.value, "append") if type(s) is gast.Expr else None
    if stack is not None:
        kept = [k for k in named(s.value.args[0]) if k is not None]
        met.pushed.setdefault(stack, []).append(tuple(env.get(k, UNSET) for k in kept))
        return set()
    bound = binds(s)
    if type(s) is gast.Assign and type(s.value) is gast.Name:
        if type(s.targets[0]) is gast.Name:
            env[s.targets[0].id] = env.get(s.value.id) or met.new()
            return bound
    for key in bound:
        env[key] = met.new()
    return bound


def _branch(met: Followed, item: Branch, env: Versions) -> Versions | None:
    for s in item.before:
        _run(met, s, env)
    asked = [*reads(item.test), *(reads(item.reverse_test) if item.reverse_test else ())]
    met.tests[id(item)] = {key: env[key] for key in asked if key in env}
    ways: dict[Any, Versions] = {}
    for arm, block in enumerate((item.body, item.orelse)):
        end = follow(met, block, dict(env))
        if end is None:
            met.leaving.add((id(item), arm))
        else:
            ways[id(item), arm] = end
    return met.join(ways) if ways else None


def _attempt(met: Followed, item: MirroredTry | Finally, env: Versions) -> Versions | None:
    """What an exception leaves behind is not followed, but what is done within each way is."""
    for s in item.before:
        _run(met, s, env)
    bound = set().union(*(binds(s) for s in forward_sweep([item])))
    unknown = {**env, **dict.fromkeys(bound, UNKNOWN)}
    known = [set(ends) for ends in met.ends]
    blocks: list[list[Mirrored]] = [[part] for part in item.body if not isinstance(part, Branch)]
    blocks += item.ways if isinstance(item, MirroredTry) else []
    for block in blocks:
        follow(met, block, dict(unknown))
    for ends, before in zip(met.ends, known, strict=True):
        for way in set(ends) - before:
            ends[way] = {**ends[way], **dict.fromkeys(bound, UNKNOWN)}
    return unknown


def _loop(met: Followed, item: Loop, env: Versions) -> Versions:
    for s in item.before:
        _run(met, s, env)
    place = getattr(item.statement, "target", None)
    targets = set() if place is None else binds(place)
    inner = [*forward_sweep(item.body), *item.forward_end]
    bound = targets.union(*(binds(s) for s in inner))
    head = {**env, **{key: met.new() for key in bound}}
    inside = {**head, **{key: met.new() for key in targets}}
    ways: dict[Any, Versions] = {}
    met.ends.append(ways)
    end = follow(met, item.body, dict(inside))
    if end is not None:
        for s in item.forward_end:
            _run(met, s, end)
        ways["end"] = end
    met.ends.pop()
    ended = met.join(ways) if ways else inside
    after = {**env, **{key: met.new() for key in bound}}
    met.trips[id(item)] = Trips(dict(env), head, inside, ended, dict(after), bound, set(ways))
    follow(met, item.orelse, dict(after))
    for s in forward_sweep(item.orelse):
        after |= dict.fromkeys(binds(s), UNKNOWN)
    return after


def named(tree: Tree) -> list[str | None]:
    """List the names in a tuple of names, or the one name."""
    parts = tree.elts if type(tree) is gast.Tuple else [tree]
    return [getattr(part, "id", None) for part in parts]


def stack_of(tree: Tree, method: str) -> str | None:
    """Return the name of the stack that a call of `append` or `pop` is of."""
    func = getattr(tree, "func", None)
    if not isinstance(func, gast.Attribute) or func.attr != method or tree.keywords:
        return None
    if not isinstance(func.value, gast.Name) or len(tree.args) != (method == "append"):
        return None
    return str(func.value.id)
