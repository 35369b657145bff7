"""The reverse sweep, followed: which versions its restores bring back, and which it reads.

Each name that it reads must have the version that the forward statement saw there. A trip of a loop starts
from what the loop left, or from what the trip after it hands back, until that no longer changes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import gast

from tapeless.differentiate.reverse.mirrored import (
    Branch,
    Continuation,
    Finally,
    Loop,
    Mirrored,
    MirroredBody,
    MirroredTry,
    MirroredWith,
    Step,
    forward_sweep,
    is_idle,
)
from tapeless.differentiate.verify.forward import follow, named, stack_of
from tapeless.differentiate.verify.possible import (
    ANYTHING,
    UNKNOWN,
    UNSET,
    Followed,
    Possible,
    Trips,
    Versions,
    Way,
    either,
)
from tapeless.tree.classes import LEAVING, SLOTS
from tapeless.tree.endings import own_jumps
from tapeless.tree.names import binds, reads
from tapeless.tree.trees import Stmt

_MOST_ROUNDS = 3


def check(met: Followed, items: list[Mirrored]) -> None:
    """Follow the forward sweep, and the reverse sweep from where it ended."""
    ways: dict[Way, Versions] = {}
    met.ends = [ways]
    end = follow(met, items, {key: met.new() for key in met.parameters})
    if end is not None:
        ways["end"] = end
    if ways:
        met.ways = set(ways)
        _block(met, items, {k: frozenset([v]) for k, v in met.join(ways).items()})


def _block(met: Followed, items: list[Mirrored], env: Possible) -> Possible:
    """Follow the reverse sweep of a block."""
    for item in reversed(items):
        if isinstance(item, Step):
            env = _step(met, item, env)
            continue
        for s in getattr(item, "lead", ()):
            env = env | _brought_back(met, s, env)
        if isinstance(item, Branch):
            env = _branch(met, item, env)
        elif isinstance(item, Loop):
            env = _loop(met, item, env)
        elif isinstance(item, Continuation):
            env = _rest(met, item, env)
        elif isinstance(item, (MirroredWith, MirroredBody)):
            env = _block(met, item.body, env)
        else:
            env = _attempt(met, item, env)
        for s in item.reverse:
            env = env | _brought_back(met, s, env)
    return env


def _step(met: Followed, item: Step, env: Possible) -> Possible:
    last = item.forward[-1] if item.forward else None
    if type(last) in LEAVING:
        env = met.narrowed(env, {id(last)}, set())
    _check_undo(met, item)
    seen = met.steps.get(id(item))
    back: set[str] = set()
    operands = set() if item.statement is None else set(reads(item.statement))
    for s in item.reverse:
        if seen is not None:
            for key in reads(s):
                known = seen.after if key in seen.bound and key not in back else seen.before
                met.compare(item.statement, key, known.get(key), env)
        brought = _brought_back(met, s, env)
        env = env | brought
        if seen is not None:
            rebound = operands & set(brought)
            back |= {k for k in rebound if brought[k] != frozenset([seen.after.get(k, UNSET)])}
    return env


def _check_undo(met: Followed, item: Step) -> None:
    """Check that what a store overwrites is put back where it is kept, and what a call stores."""
    s = item.statement
    asked = {key for r in item.reverse for key in reads(r)}
    places = s.targets if type(s) is gast.Assign else []
    if any(type(place) in SLOTS for place in places):
        for kept in item.forward:
            saves = type(kept) is gast.Assign and type(kept.targets[0]) is gast.Name
            if saves and kept.targets[0].id not in asked and kept is not s:
                met.found.append((s, "what this overwrites is kept and never put back"))
    if met.undone:
        called = {key for f in item.forward for key in reads(f)} & set(met.undone)
        for key in called:
            if met.undone[key] not in asked:
                met.found.append((s, "what this call stores is never undone"))


def _brought_back(met: Followed, s: Stmt, env: Possible) -> Possible:
    """Return the versions that a statement of the reverse sweep binds."""
    bound = {key for key in binds(s) if key in env}
    if not bound:
        return {}
    if type(s) is gast.Assign and len(s.targets) == 1:
        place, value = s.targets[0], s.value
        if type(value) is gast.Name and type(place) is gast.Name:
            return {place.id: env.get(value.id, ANYTHING)}
        stack = stack_of(value, "pop")
        pushed = met.pushed.get(stack, []) if stack is not None else []
        keys = named(place)
        if pushed and all(len(versions) == len(keys) for versions in pushed):
            alike = len(set(pushed)) == 1
            found = zip(keys, pushed[0], strict=True)
            return {k: frozenset([v]) if alike else ANYTHING for k, v in found if k in bound}
        if stack is not None and not pushed:
            met.found.append((s, f"`{stack}` is emptied in the reverse sweep and never filled"))
    return dict.fromkeys(bound, ANYTHING)


def _branch(met: Followed, item: Branch, env: Possible) -> Possible:
    if is_idle(item):
        return env
    if item.reverse_test is not None:
        for key in reads(item.reverse_test):
            met.compare(item.statement, key, met.tests.get(id(item), {}).get(key), env)
    jumps = [set(jumps_in(block)) for block in (item.body, item.orelse)]
    passed_by = set(jumps_of(item.statement)).difference(
        *jumps
    )  # out of the loop it is the else of
    arms = []
    for arm, block in enumerate((item.body, item.orelse)):
        way: Any = (id(item), arm)
        only = jumps[arm] if way in met.leaving else {way, *(passed_by if arm else ())}
        never = jumps[1 - arm] | {(id(item), 1 - arm)} | (set() if arm else passed_by)
        arms.append(_block(met, block, met.narrowed(env, only, never)))
    found = dict.fromkeys(met.ways, (0, 1))
    found |= dict.fromkeys(met.ways & jumps[0], (0,))
    found |= dict.fromkeys(met.ways & jumps[1], (1,))
    found |= dict.fromkeys(met.ways & passed_by, (1,))
    for arm in (0, 1):
        if (id(item), arm) in met.leaving:
            found |= dict.fromkeys(met.ways - jumps[arm], (1 - arm,))
    return met.united(arms, found)


def _rest(met: Followed, item: Continuation, env: Possible) -> Possible:
    jumps = set(jumps_of(item.statement))
    done = _block(met, item.body, met.narrowed(env, set(), jumps))
    found = {way: (1,) if way in jumps else (0,) for way in met.ways}
    return met.united([done, met.narrowed(env, jumps, set())], found)


def _attempt(met: Followed, item: MirroredTry | Finally, env: Possible) -> Possible:
    bound = set().union(*(binds(s) for s in forward_sweep([item])))
    _block(met, item.body, env | dict.fromkeys(bound, ANYTHING))
    return env | dict.fromkeys(bound, ANYTHING)


def _loop(met: Followed, item: Loop, env: Possible) -> Possible:
    """Follow a trip, starting as trips do: the last from what the loop left, others from the next."""
    if is_idle(item):
        return env
    seen = met.trips[id(item)]
    for key in reads(item.header.iter):
        if key != item.counter:
            met.compare(item.statement, key, seen.before.get(key), env)
    returns = seen.ways.intersection(jumps_of(item.statement))
    left = {k: env.get(k, ANYTHING) for k in seen.bound}
    reached = {k for k, v in left.items() if v == ANYTHING or _is_left_by(met, returns, seen, k, v)}
    outer, met.ways = met.ways, seen.ways
    good, count = set(reached), len(met.found)
    stale: Possible = {}
    for rounds in itertools.count():
        del met.found[count:]
        start = env | {k: v | stale.get(k, frozenset()) for k, v in left.items()}
        start |= {k: frozenset([seen.end[k]]) for k in good if k in seen.end}
        given = binds(item.header.target) | item.rebinds
        start |= {k: frozenset([seen.inside[k]]) for k in given if k in seen.inside}
        for s in item.start:
            popped = type(s) is gast.Assign and stack_of(s.value, "pop") is not None
            bound = set() if popped else binds(s) & given & set(seen.inside)
            start = start | _brought_back(met, s, start)
            start |= {k: frozenset([seen.inside[k]]) for k in bound}
        out = _block(met, item.body, start)
        kept = {k for k in good if out.get(k) == frozenset([seen.head[k]])}
        found = {k: _handed_back(seen, k, out) for k in seen.bound - kept}
        found = {k: either(v, stale.get(k, frozenset())) for k, v in found.items()}
        if kept == good and all(found.get(k) == stale.get(k) for k in found):
            break
        good = kept
        stale = found if rounds < _MOST_ROUNDS else dict.fromkeys(found, ANYTHING)
    met.ways = outer
    left = {}
    for key in seen.bound:
        ran = out.get(key, ANYTHING)
        if ran == frozenset([seen.head[key]]):
            ran = frozenset([seen.before.get(key, UNSET)])
        skipped = env.get(key, ANYTHING)
        if key in reached:
            skipped = frozenset([seen.before.get(key, UNSET)])
        left[key] = ran | skipped
    return env | left


def _handed_back(seen: Trips, key: str, out: Possible) -> frozenset[int]:
    """Return the versions that a trip hands to the one before it, which ended as this one began."""
    versions = out.get(key, ANYTHING)
    return frozenset(seen.end.get(key, v) if v == seen.head[key] else v for v in versions)


def _is_left_by(
    met: Followed, returns: set[Any], seen: Trips, key: str, versions: frozenset[int]
) -> bool:
    """Whether a name is as a loop leaves it, by its end or by one of the `return`s in it."""
    after, end = seen.after.get(key), seen.end.get(key, UNKNOWN)
    left = {met.at_way(end, way) for way in returns}
    for version in versions - {after}:
        options = met.joined.get(version, {})
        split = bool(options) and all(
            v == (met.at_way(end, way) if way in returns else after) for way, v in options.items()
        )
        if not split and version not in left:
            return False
    return True


def jumps_in(items: list[Mirrored]) -> Iterator[int]:
    """List the jumps that leave a block."""
    for item in items:
        if isinstance(item, Step):
            last = item.forward[-1] if item.forward else None
            if type(last) in LEAVING:
                yield id(last)
        else:
            yield from jumps_of(item.statement)
            if isinstance(item, Continuation):
                yield from jumps_in(item.body)


def jumps_of(statement: Stmt) -> Iterator[int]:
    """List the jumps in a statement that leave the block around it."""
    return (id(jump) for jump in own_jumps(statement))
