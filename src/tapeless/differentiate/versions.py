"""A check of what was written: each value that the reverse sweep reads is the one that was meant.

Whoever writes the reverse sweep writes the names of the forward sweep, and means what they held when the
mirrored statement ran; the recorder puts in what saves and restores them. Here both sweeps are followed
once more, with a *version* in place of each value: every binding makes a new one, a copy or a save hands
one on, branches and loops join them. The reverse sweep is walked with what its restores bring back, and
each name that it reads must have the version that the forward statement saw there.

    i = 0                   # i: 1                  # i: 1      read: 1
    y = x[i]                # y: 2, read i: 1       x_bar[i] += y_bar
    i_1 = i                 # i_1: 1                i = i_1     # i: 1 again
    i = i + 1               # i: 3                  # i: 3

Where several versions are possible, all are carried along, and each must be right. What cannot be followed
(an exception may come anywhere in a `try`) is left out. A difference is a mistake of this tool, and an
error before anything runs.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
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
from tapeless.differentiate.reverse.state import Sweep
from tapeless.errors import PLEASE_REPORT, InternalError
from tapeless.tree.endings import own_jumps
from tapeless.tree.names import binds, reads

Versions = dict[str, int]
Possible = dict[str, frozenset[int]]

_UNSET, _UNKNOWN = 0, -1
_MOST_ROUNDS = 3
_ANYTHING = frozenset([_UNKNOWN])
_JUMPS = (gast.Return, gast.Break, gast.Continue)


def check_versions(sweep: Sweep, items: list[Mirrored], counts: frozenset[str]) -> None:
    """Check that the reverse sweep of a function reads what its forward sweep had there.

    Parameters
    ----------
    sweep
        What wrote them.
    items
        Both sweeps, with saves.
    counts
        Names that are asked for by their last value only.

    Raises
    ------
    InternalError
        If it does not, with the statement of the user's whose mirror reads another version.
    """
    undone = {
        split.forward: split.reverse
        for split in sweep.module.splits.values()
        if split is not None and split.undoes
    }
    checker = _Checker(sweep.function.parameters, counts, undone)
    checker.check(items)
    if checker.found:
        statement, reason = checker.found[0]
        place = statement if hasattr(statement, "lineno") else sweep.function.tree
        raise sweep.function.error(place, reason, PLEASE_REPORT, InternalError)


@dataclass
class _Seen:
    """What a step saw: the versions of what its mirror reads, before and after it."""

    before: Versions
    after: Versions
    bound: set[str]


@dataclass
class _Trips:
    """The versions at the places of a loop: before it, where a trip starts and ends, and after it."""

    before: Versions
    head: Versions
    inside: Versions
    end: Versions
    after: Versions
    bound: set[str]
    ways: set[Any]


@dataclass
class _Checker:
    """Follows both sweeps of one function.

    Attributes
    ----------
    parameters, counts, undone
        The parameters; names that are asked for by their last value only; the functions whose stores
        their reverse halves undo, with these.
    found
        What reads the wrong version: the statements, with the reasons.
    steps, tests, trips
        What each step, branch and loop saw.
    joined
        The versions that stand for several, with those that they stand for, by the way taken: an arm
        of a branch, or the jump that a trip ended in.
    pushed
        The versions that were put on each stack.
    ends
        For the function and each loop around the present place, the versions at the ends of a trip.
    leaving
        The arms of branches that never come to their end.
    ways
        The ways in which the present trip may have ended.
    standing
        The versions that stand for several, by these.
    first
        For each way the version from which on one may be joined by it.
    """

    parameters: list[str]
    counts: frozenset[str]
    undone: dict[str, str]
    found: list[tuple[Any, str]] = field(default_factory=list)
    last: int = 0
    steps: dict[int, _Seen] = field(default_factory=dict)
    tests: dict[int, Versions] = field(default_factory=dict)
    trips: dict[int, _Trips] = field(default_factory=dict)
    joined: dict[int, dict[Any, int]] = field(default_factory=dict)
    pushed: dict[str, list[tuple[int, ...]]] = field(default_factory=dict)
    ends: list[dict[Any, Versions]] = field(default_factory=list)
    leaving: set[tuple[int, int]] = field(default_factory=set)
    ways: set[Any] = field(default_factory=set)
    standing: dict[frozenset[Any], int] = field(default_factory=dict)
    first: dict[Any, int] = field(default_factory=dict)

    def check(self, items: list[Mirrored]) -> None:
        """Follow the forward sweep, and the reverse sweep from where it ended."""
        ways: dict[Any, Versions] = {}
        self.ends = [ways]
        end = self.forward(items, {key: self.new() for key in self.parameters})
        if end is not None:
            ways["end"] = end
        if ways:
            self.ways = set(ways)
            self.backward(items, {k: frozenset([v]) for k, v in self.join(ways).items()})

    def new(self) -> int:
        """Return a version that nothing has yet."""
        self.last += 1
        return self.last

    def join(self, ways: dict[Any, Versions]) -> Versions:
        """Join what several ways bring: one new version stands for those that differ."""
        if len(ways) == 1:
            return dict(next(iter(ways.values())))
        self.first |= {way: self.last + 1 for way in ways if way not in self.first}
        made: Versions = {}
        for key in dict.fromkeys(key for env in ways.values() for key in env):
            options = {way: env.get(key, _UNSET) for way, env in ways.items()}
            versions = set(options.values())
            if len(versions) == 1:
                made[key] = versions.pop()
            else:
                made[key] = self.new()
                self.joined[made[key]] = options
        return made

    # The forward sweep

    def forward(self, items: list[Mirrored], env: Versions) -> Versions | None:
        """Follow a block; None where control never comes to its end."""
        after: Versions | None = env
        for item in items:
            if after is None:
                return None
            if isinstance(item, Step):
                after = self.forward_step(item, after)
            elif isinstance(item, Branch):
                after = self.forward_branch(item, after)
            elif isinstance(item, Loop):
                after = self.forward_loop(item, after)
            elif isinstance(item, MirroredTry | Finally):
                after = self.forward_try(item, after)
            else:
                after = self.forward(item.body, after)
        return after

    def forward_step(self, item: Step, env: Versions) -> Versions | None:
        asked = {key for s in item.reverse for key in reads(s)}
        before = {key: env[key] for key in asked if key in env}
        bound: set[str] = set()
        for s in item.forward:
            bound |= self.run(s, env)
        after = {key: env[key] for key in asked if key in env}
        self.steps[id(item)] = _Seen(before, after, bound)
        last = item.forward[-1] if item.forward else None
        if isinstance(last, gast.Return):
            for ends in self.ends:
                ends[id(last)] = env
        elif isinstance(last, _JUMPS):
            self.ends[-1][id(last)] = env
        return None if isinstance(last, (*_JUMPS, gast.Raise)) else env

    def run(self, s: Any, env: Versions) -> set[str]:
        """Follow a statement of the forward sweep; give the names that it binds."""
        stack = _stack_of(s.value, "append") if isinstance(s, gast.Expr) else None
        if stack is not None:
            kept = [k for k in _named(s.value.args[0]) if k is not None]
            self.pushed.setdefault(stack, []).append(tuple(env.get(k, _UNSET) for k in kept))
            return set()
        bound = binds(s)
        if isinstance(s, gast.Assign) and isinstance(s.value, gast.Name):
            if isinstance(s.targets[0], gast.Name):
                env[s.targets[0].id] = env.get(s.value.id) or self.new()
                return bound
        for key in bound:
            env[key] = self.new()
        return bound

    def forward_branch(self, item: Branch, env: Versions) -> Versions | None:
        for s in item.before:
            self.run(s, env)
        asked = [*reads(item.test), *(reads(item.reverse_test) if item.reverse_test else ())]
        self.tests[id(item)] = {key: env[key] for key in asked if key in env}
        ways: dict[Any, Versions] = {}
        for arm, block in enumerate((item.body, item.orelse)):
            end = self.forward(block, dict(env))
            if end is None:
                self.leaving.add((id(item), arm))
            else:
                ways[id(item), arm] = end
        return self.join(ways) if ways else None

    def forward_try(self, item: MirroredTry | Finally, env: Versions) -> Versions | None:
        """What an exception leaves behind is not followed, but what is done within each way is."""
        for s in item.before:
            self.run(s, env)
        bound = set().union(*(binds(s) for s in forward_sweep([item])))
        unknown = {**env, **dict.fromkeys(bound, _UNKNOWN)}
        known = [set(ends) for ends in self.ends]
        blocks: list[list[Mirrored]] = [
            [part] for part in item.body if not isinstance(part, Branch)
        ]
        blocks += item.ways if isinstance(item, MirroredTry) else []
        for block in blocks:
            self.forward(block, dict(unknown))
        for ends, before in zip(self.ends, known, strict=True):
            for way in set(ends) - before:
                ends[way] = {**ends[way], **dict.fromkeys(bound, _UNKNOWN)}
        return unknown

    def forward_loop(self, item: Loop, env: Versions) -> Versions:
        for s in item.before:
            self.run(s, env)
        place = getattr(item.statement, "target", None)
        targets = set() if place is None else binds(place)
        inner = [*forward_sweep(item.body), *item.forward_end]
        bound = targets.union(*(binds(s) for s in inner))
        head = {**env, **{key: self.new() for key in bound}}
        inside = {**head, **{key: self.new() for key in targets}}
        ways: dict[Any, Versions] = {}
        self.ends.append(ways)
        end = self.forward(item.body, dict(inside))
        if end is not None:
            for s in item.forward_end:
                self.run(s, end)
            ways["end"] = end
        self.ends.pop()
        ended = self.join(ways) if ways else inside
        after = {**env, **{key: self.new() for key in bound}}
        self.trips[id(item)] = _Trips(dict(env), head, inside, ended, dict(after), bound, set(ways))
        self.forward(item.orelse, dict(after))
        for s in forward_sweep(item.orelse):
            after |= dict.fromkeys(binds(s), _UNKNOWN)
        return after

    # The reverse sweep

    def backward(self, items: list[Mirrored], env: Possible) -> Possible:
        """Follow the reverse sweep of a block."""
        for item in reversed(items):
            if isinstance(item, Step):
                env = self.backward_step(item, env)
                continue
            for s in getattr(item, "lead", ()):
                env = env | self.brought_back(s, env)
            if isinstance(item, Branch):
                env = self.backward_branch(item, env)
            elif isinstance(item, Loop):
                env = self.backward_loop(item, env)
            elif isinstance(item, Continuation):
                env = self.backward_rest(item, env)
            elif isinstance(item, MirroredWith | MirroredBody):
                env = self.backward(item.body, env)
            else:
                env = self.backward_try(item, env)
            for s in item.reverse:
                env = env | self.brought_back(s, env)
        return env

    def backward_step(self, item: Step, env: Possible) -> Possible:
        last = item.forward[-1] if item.forward else None
        if isinstance(last, _JUMPS):
            env = self.narrowed(env, {id(last)}, set())
        self.check_undo(item)
        seen, back = self.steps.get(id(item)), set()
        operands = set() if item.statement is None else set(reads(item.statement))
        for s in item.reverse:
            if seen is not None:
                for key in reads(s):
                    known = seen.after if key in seen.bound and key not in back else seen.before
                    self.compare(item.statement, key, known.get(key), env)
            brought = self.brought_back(s, env)
            env = env | brought
            if seen is not None:
                rebound = operands & set(brought)
                back |= {k for k in rebound if brought[k] != frozenset([seen.after.get(k, _UNSET)])}
        return env

    def check_undo(self, item: Step) -> None:
        """Check that what a store overwrites is put back where it is kept, and what a call stores."""
        s = item.statement
        asked = {key for r in item.reverse for key in reads(r)}
        places = s.targets if isinstance(s, gast.Assign) else []
        if any(isinstance(place, gast.Subscript | gast.Attribute) for place in places):
            for kept in item.forward:
                saves = isinstance(kept, gast.Assign) and isinstance(kept.targets[0], gast.Name)
                if saves and kept.targets[0].id not in asked and kept is not s:
                    self.found.append((s, "what this overwrites is kept and never put back"))
        if self.undone:
            called = {key for f in item.forward for key in reads(f)} & set(self.undone)
            for key in called:
                if self.undone[key] not in asked:
                    self.found.append((s, "what this call stores is never undone"))

    def brought_back(self, s: Any, env: Possible) -> Possible:
        """Return the versions that a statement of the reverse sweep binds."""
        bound = binds(s) & set(env)
        if not bound:
            return {}
        if isinstance(s, gast.Assign) and len(s.targets) == 1:
            place, value = s.targets[0], s.value
            if isinstance(value, gast.Name) and isinstance(place, gast.Name):
                return {place.id: env.get(value.id, _ANYTHING)}
            stack = _stack_of(value, "pop")
            pushed = self.pushed.get(stack, []) if stack is not None else []
            keys = _named(place)
            if pushed and all(len(versions) == len(keys) for versions in pushed):
                alike = len(set(pushed)) == 1
                found = zip(keys, pushed[0], strict=True)
                return {k: frozenset([v]) if alike else _ANYTHING for k, v in found if k in bound}
            if stack is not None and not pushed:
                self.found.append(
                    (s, f"`{stack}` is emptied in the reverse sweep and never filled")
                )
        return dict.fromkeys(bound, _ANYTHING)

    def backward_branch(self, item: Branch, env: Possible) -> Possible:
        if is_idle(item):
            return env
        if item.reverse_test is not None:
            for key in reads(item.reverse_test):
                self.compare(item.statement, key, self.tests.get(id(item), {}).get(key), env)
        jumps = [set(_jumps_in(block)) for block in (item.body, item.orelse)]
        passed_by = set(_jumps_of(item.statement)).difference(
            *jumps
        )  # out of the loop it is the else of
        arms = []
        for arm, block in enumerate((item.body, item.orelse)):
            way: Any = (id(item), arm)
            only = jumps[arm] if way in self.leaving else {way, *(passed_by if arm else ())}
            never = jumps[1 - arm] | {(id(item), 1 - arm)} | (set() if arm else passed_by)
            arms.append(self.backward(block, self.narrowed(env, only, never)))
        found = dict.fromkeys(self.ways, (0, 1))
        found |= dict.fromkeys(self.ways & jumps[0], (0,))
        found |= dict.fromkeys(self.ways & jumps[1], (1,))
        found |= dict.fromkeys(self.ways & passed_by, (1,))
        for arm in (0, 1):
            if (id(item), arm) in self.leaving:
                found |= dict.fromkeys(self.ways - jumps[arm], (1 - arm,))
        return self.united(arms, found)

    def backward_rest(self, item: Continuation, env: Possible) -> Possible:
        jumps = set(_jumps_of(item.statement))
        done = self.backward(item.body, self.narrowed(env, set(), jumps))
        found = {way: (1,) if way in jumps else (0,) for way in self.ways}
        return self.united([done, self.narrowed(env, jumps, set())], found)

    def united(self, arms: list[Possible], ways: Mapping[Any, tuple[int, ...]]) -> Possible:
        """Unite what is possible after one of two blocks, of which the end of the trip tells one."""
        made: Possible = {}
        single = all(len(found) == 2 for found in ways.values())
        for key in arms[0].keys() | arms[1].keys():
            a, b = (arm.get(key, _ANYTHING) for arm in arms)
            if a == b or single:
                made[key] = a | b
                continue
            options: dict[Any, int] = {}
            for way, taken in ways.items():
                versions = {self.at_way(v, way) for arm in taken for v in (a, b)[arm]}
                options[way] = versions.pop() if len(versions) == 1 else _UNKNOWN
            made[key] = frozenset([self.standing_for(options)])
        return made

    def at_way(self, version: int, way: Any) -> int:
        """Return what a version stands for on one way."""
        return self.joined.get(version, {}).get(way, version)

    def backward_try(self, item: MirroredTry | Finally, env: Possible) -> Possible:
        bound = set().union(*(binds(s) for s in forward_sweep([item])))
        self.backward(item.body, env | dict.fromkeys(bound, _ANYTHING))
        return env | dict.fromkeys(bound, _ANYTHING)

    def backward_loop(self, item: Loop, env: Possible) -> Possible:
        """Follow a trip, starting as trips do: the last from what the loop left, others from the next."""
        if is_idle(item):
            return env
        seen = self.trips[id(item)]
        for key in reads(item.header.iter):
            if key != item.counter:
                self.compare(item.statement, key, seen.before.get(key), env)
        reached = {k for k in seen.bound if self.is_left_by(item, seen, k, env.get(k, _ANYTHING))}
        outer, self.ways = self.ways, seen.ways
        good, count = set(reached), len(self.found)
        stale: Possible = {}
        for rounds in itertools.count():
            del self.found[count:]
            start = env | {k: env.get(k, _ANYTHING) | stale.get(k, frozenset()) for k in seen.bound}
            start |= {k: frozenset([seen.end[k]]) for k in good if k in seen.end}
            given = binds(item.header.target) | item.rebinds
            start |= {k: frozenset([seen.inside[k]]) for k in given if k in seen.inside}
            for s in item.start:
                popped = isinstance(s, gast.Assign) and _stack_of(s.value, "pop") is not None
                bound = set() if popped else binds(s) & given & set(seen.inside)
                start = start | self.brought_back(s, start)
                start |= {k: frozenset([seen.inside[k]]) for k in bound}
            out = self.backward(item.body, start)
            kept = {k for k in good if out.get(k) == frozenset([seen.head[k]])}
            found = {k: self.handed_back(seen, k, out) for k in seen.bound - kept}
            found = {k: v | stale.get(k, frozenset()) for k, v in found.items()}
            found = {k: _ANYTHING if _UNKNOWN in v else v for k, v in found.items()}
            if kept == good and all(found.get(k) == stale.get(k) for k in found):
                break
            good = kept
            stale = found if rounds < _MOST_ROUNDS else dict.fromkeys(found, _ANYTHING)
        self.ways = outer
        left = {}
        for key in seen.bound:
            ran = out.get(key, _ANYTHING)
            if ran == frozenset([seen.head[key]]):
                ran = frozenset([seen.before.get(key, _UNSET)])
            skipped = env.get(key, _ANYTHING)
            if key in reached:
                skipped = frozenset([seen.before.get(key, _UNSET)])
            left[key] = ran | skipped
        return env | left

    def handed_back(self, seen: _Trips, key: str, out: Possible) -> frozenset[int]:
        """Return the versions that a trip hands to the one before it, which ended as this one began."""
        versions = out.get(key, _ANYTHING)
        return frozenset(seen.end.get(key, v) if v == seen.head[key] else v for v in versions)

    def is_left_by(self, item: Loop, seen: _Trips, key: str, versions: frozenset[int]) -> bool:
        """Whether a name is as a loop leaves it, by its end or by a `return` in it."""
        after, end = seen.after.get(key), seen.end.get(key, _UNKNOWN)
        returns = {way for way in seen.ways if way in set(_jumps_of(item.statement))}
        left = {self.at_way(end, way) for way in returns}
        for version in versions - {after}:
            options = self.joined.get(version, {})
            split = bool(options) and all(
                v == (self.at_way(end, way) if way in returns else after)
                for way, v in options.items()
            )
            if not split and version not in left:
                return False
        return True

    def narrowed(self, env: Possible, only: set[Any], never: set[Any]) -> Possible:
        """Tell apart what versions stand for, where it is known which ways may have been taken."""
        first = min((self.first[way] for way in only | never if way in self.first), default=None)
        if first is None:
            return env
        later = {key: versions for key, versions in env.items() if max(versions) >= first}
        return env | {
            key: frozenset(self.taken(version, only, never, first) for version in versions)
            for key, versions in later.items()
        }

    def taken(self, version: int, only: set[Any], never: set[Any], first: int) -> int:
        """Return what a version stands for on the ways that may have been taken.

        What it stands for may itself stand for several: a branch lies on the way to a jump. None of them
        is before the `first` that was joined by one of these ways.
        """
        options = self.joined.get(version)
        if options is None or version < first:
            return version
        ways = (options.keys() & only or options.keys()) - never
        left = {w: self.taken(v, only, never, first) for w, v in options.items() if w in ways}
        return version if not left or left == options else self.standing_for(left)

    def standing_for(self, options: dict[Any, int]) -> int:
        """Return the version that stands for some."""
        if len(set(options.values())) == 1:
            return next(iter(options.values()))
        key = frozenset(options.items())
        if key not in self.standing:
            self.standing[key] = self.new()
            self.joined[self.standing[key]] = options
        return self.standing[key]

    def compare(self, s: Any, key: str, wanted: int | None, env: Possible) -> None:
        """Note a reading of a version that is not the one wanted."""
        if wanted is None or wanted == _UNKNOWN or key in self.counts or key not in env:
            return
        for version in env[key] - {wanted}:
            if self.may_be_unknown(version):
                continue
            if self.ends_of_trips(version) and wanted in self.joined[version].values():
                continue  # which jump was taken is not told apart here
            reason = f"the reverse sweep would read another `{key}` than the forward sweep had"
            if version == _UNSET:
                reason = f"the reverse sweep would read `{key}` where it may not be bound"
            self.found.append((s, reason))

    def may_be_unknown(self, version: int) -> bool:
        """Whether a version is unknown, or stands for one that is."""
        options = self.joined.get(version, {}).values()
        return version == _UNKNOWN or any(map(self.may_be_unknown, options))

    def ends_of_trips(self, version: int) -> bool:
        """Whether a version stands for those at several ends of a trip."""
        return any(not isinstance(way, tuple) for way in self.joined.get(version, {}))


def _named(tree: Any) -> list[str | None]:
    """List the names in a tuple of names, or the one name."""
    parts = tree.elts if isinstance(tree, gast.Tuple) else [tree]
    return [getattr(part, "id", None) for part in parts]


def _stack_of(tree: Any, method: str) -> str | None:
    """Return the name of the stack that a call of `append` or `pop` is of."""
    func = getattr(tree, "func", None)
    if not isinstance(func, gast.Attribute) or func.attr != method or tree.keywords:
        return None
    if not isinstance(func.value, gast.Name) or len(tree.args) != (method == "append"):
        return None
    return str(func.value.id)


def _jumps_in(items: list[Mirrored]) -> Iterator[int]:
    """List the jumps that leave a block."""
    for item in items:
        if isinstance(item, Step):
            last = item.forward[-1] if item.forward else None
            if isinstance(last, _JUMPS):
                yield id(last)
        else:
            yield from _jumps_of(item.statement)
            if isinstance(item, Continuation):
                yield from _jumps_in(item.body)


def _jumps_of(statement: Any) -> Iterator[int]:
    """List the jumps in a statement that leave the block around it."""
    return (id(jump) for jump in own_jumps(statement))
