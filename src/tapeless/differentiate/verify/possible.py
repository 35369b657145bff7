"""Versions: which value a name holds, told by a number, and which of them are possible.

Every binding makes a new one. Where ways meet, one version stands for those that they bring. Where it is
known which way was taken, what it stands for is told apart again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import compress, takewhile
from operator import is_not, ne, not_
from typing import Any

from tapeless.tree.trees import Stmt

Versions = dict[str, int]
Possible = dict[str, frozenset[int]]
Way = Any  # an arm of a branch, or the jump that a trip ended in

UNSET, UNKNOWN = 0, -1
ANYTHING = frozenset([UNKNOWN])


def either(a: frozenset[int], b: frozenset[int]) -> frozenset[int]:
    """Return the versions that are possible if one of two sets is: anything, if one of them is not known."""
    return ANYTHING if UNKNOWN in a | b else a | b


@dataclass
class Seen:
    """What a step saw: the versions of what its mirror reads, before and after it."""

    before: Versions
    after: Versions
    bound: set[str]


@dataclass
class Trips:
    """The versions at the places of a loop: before it, where a trip starts and ends, and after it."""

    before: Versions
    head: Versions
    inside: Versions
    end: Versions
    after: Versions
    bound: set[str]
    ways: set[Any]


@dataclass
class Followed:
    """The versions met in both sweeps of one function.

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
    steps: dict[int, Seen] = field(default_factory=dict)
    tests: dict[int, Versions] = field(default_factory=dict)
    trips: dict[int, Trips] = field(default_factory=dict)
    joined: dict[int, dict[Any, int]] = field(default_factory=dict)
    pushed: dict[str, list[tuple[int, ...]]] = field(default_factory=dict)
    ends: list[dict[Way, Versions]] = field(default_factory=list)
    leaving: set[tuple[int, int]] = field(default_factory=set)
    ways: set[Any] = field(default_factory=set)
    standing: dict[frozenset[Any], int] = field(default_factory=dict)
    first: dict[Any, int] = field(default_factory=dict)

    def new(self) -> int:
        """Return a version that nothing has yet."""
        self.last += 1
        return self.last

    def join(self, ways: dict[Any, Versions]) -> Versions:
        """Join what several ways bring: one new version stands for those that differ."""
        if len(ways) == 1:
            return dict(next(iter(ways.values())))
        self.first |= {way: self.last + 1 for way in ways if way not in self.first}
        first, *others = ways.values()
        made: Versions = dict(first)
        for env in others:
            made |= env
        several: set[str] = set()
        for env in others:
            several.update(compress(made, map(ne, map(first.get, made), map(env.get, made))))
        for key in filter(several.__contains__, list(made)):
            options = {way: env.get(key, UNSET) for way, env in ways.items()}
            versions = set(options.values())
            if len(versions) == 1:
                made[key] = versions.pop()
            else:
                made[key] = self.new()
                self.joined[made[key]] = options
        return made

    def at_way(self, version: int, way: Way) -> int:
        """Return what a version stands for on one way."""
        return self.joined.get(version, {}).get(way, version)

    def united(self, arms: list[Possible], ways: Mapping[Any, tuple[int, ...]]) -> Possible:
        """Unite what is possible after one of two blocks, of which the end of the trip tells one."""
        single = all(len(found) == 2 for found in ways.values())
        first, second = arms
        made: Possible = first | second
        for key in list(compress(made, map(is_not, map(first.get, made), map(second.get, made)))):
            a, b = first.get(key, ANYTHING), second.get(key, ANYTHING)
            if a == b:
                made[key] = a
                continue
            if single:
                made[key] = either(a, b)
                continue
            options: dict[Any, int] = {}
            for way, taken in ways.items():
                versions = {self.at_way(v, way) for arm in taken for v in (a, b)[arm]}
                options[way] = versions.pop() if len(versions) == 1 else UNKNOWN
            made[key] = frozenset([self.standing_for(options)])
        return made

    def narrowed(self, env: Possible, only: set[Any], never: set[Any]) -> Possible:
        """Tell apart what versions stand for, where it is known which ways may have been taken."""
        first = min((self.first[way] for way in only | never if way in self.first), default=None)
        if first is None:
            return env
        several = set(takewhile(first.__le__, reversed(self.joined)))  # the later, the greater
        told = list(compress(env, map(not_, map(several.isdisjoint, env.values()))))
        return env | {
            key: frozenset([self.taken(version, only, never, first) for version in env[key]])
            for key in told
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

    def compare(self, s: Stmt, key: str, wanted: int | None, env: Possible) -> None:
        """Note a reading of a version that is not the one wanted."""
        if wanted is None or wanted == UNKNOWN or key in self.counts or key not in env:
            return
        for version in env[key] - {wanted}:
            if self.may_be_unknown(version):
                continue
            if self.ends_of_trips(version) and wanted in self.joined[version].values():
                continue  # which jump was taken is not told apart here
            reason = f"the reverse sweep would read another `{key}` than the forward sweep had"
            if version == UNSET:
                reason = f"the reverse sweep would read `{key}` where it may not be bound"
            self.found.append((s, reason))

    def may_be_unknown(self, version: int) -> bool:
        """Whether a version is unknown, or stands for one that is."""
        options = self.joined.get(version, {}).values()
        return version == UNKNOWN or any(map(self.may_be_unknown, options))

    def ends_of_trips(self, version: int) -> bool:
        """Whether a version stands for those at several ends of a trip."""
        return any(not isinstance(way, tuple) for way in self.joined.get(version, {}))
