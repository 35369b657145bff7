"""Whether the list of what a generator yields means the same as the generator.

A generator runs in step with what uses it up, and a list is made before. Nobody can tell where it runs to
its end at once (`list`, `sum`, a starred argument, an unpacking), or in a loop that runs to its end and
changes nothing that the generator reads, if the generator does nothing but yield. So, too, where it is handed
to a function of the user's that uses it up like this. Anything else is refused.
"""

from __future__ import annotations

import contextlib
from collections.abc import Set
from dataclasses import dataclass
from typing import Any

import gast

from tapeless.analysis.abstract import NOTHING, reachable
from tapeless.analysis.exceptions import Exceptions, caught
from tapeless.analysis.facts import Callee
from tapeless.analysis.interpret.iterators import AT_ONCE
from tapeless.analysis.raised import may_raise
from tapeless.analysis.repeatable import draws
from tapeless.externals import MISSING, is_one_of
from tapeless.kinds import Region
from tapeless.regions import is_outside
from tapeless.runtime import grouped, sequence
from tapeless.source.texts import text_of
from tapeless.specialize.listed import uses_of
from tapeless.specialize.state import Specializer
from tapeless.specialize.stores import stored_in
from tapeless.specialize.yielded import reached_after_yields
from tapeless.tree.blocks import after, binds_one_name, every_block
from tapeless.tree.classes import BREAKING, DISPLAYS, LOOPS, RAISING
from tapeless.tree.endings import own_jumps, taking_over
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import (
    binds,
    binds_in_block,
    captured_names,
    children,
    is_named,
    nodes,
    reads,
)
from tapeless.tree.trees import Stmt

_USING_UP = (*AT_ONCE, sequence)


_FIX = "put `list(...)` around the call, if it may run to its end first"


@dataclass(frozen=True)
class Difference:
    """Why a list of what a generator yields would mean something else, and what to write instead."""

    reason: str
    fix: str = _FIX


def differs_from_list(specializer: Specializer, s: Stmt, callee: Callee) -> Difference | None:
    """Tell why a list of what a generator yields would mean something else; None where it means the same."""
    what = _what_differs(specializer, s, callee)
    return (
        Difference(f"the generator '{callee.function.name}' {what}")
        if isinstance(what, str)
        else what
    )


def _what_differs(specializer: Specializer, s: Stmt, callee: Callee) -> Difference | str | None:
    if is_endless(callee) and gives_varied(callee):
        what = f"the generator '{callee.function.name}' has no end, and is given what carries a derivative"
        return Difference(what, "write the loop out, or let the generator end")
    program = _effects(callee)
    use = _used_up_by(specializer, s)
    if callee.function.written_as is grouped:
        _check_groups(specializer, s, use)
    if callee.stays_generator and not program:
        if _captured_is_rebound(specializer, callee, use):
            return "reads a name that is bound anew while it runs"
        return None
    if use is None:
        return _kept(specializer, callee)
    between = stored_in(specializer, _statements_between(specializer.function, s, use))
    if changes_what_is_read(specializer, s, callee, between):
        return "reads on while other statements change things"
    user = specializer.function
    given = _given_to(specializer, s, use)
    if given is not None and not changes_what_is_read(specializer, s, callee, given.changed):
        user, use = given.function, given.use
    if _runs_at_once(user, use, _USING_UP):
        return None
    if type(use) is not gast.For:
        return _kept(specializer, callee)
    zipped = type(use.iter) is gast.Call and user.resolve(use.iter.func) is zip
    left = leaves(use.body) or zipped and _may_be_endless(callee, set())
    if left or program:
        return "may be left before its end" if left else program
    if _is_handled_midway(specializer, callee, user, use):
        return "may raise once the loop has used what it yielded before"
    kept = reached_after_yields(callee)
    if kept & callee.facts.stored:
        what = f"the generator '{callee.function.name}' changes what it has yielded"
        return Difference(what, "yield a copy of it")
    shared = frozenset().union(*map(callee.seen_by_caller, kept))
    if user is not specializer.function:
        if given is not None and given.changed & shared:
            return "reads on while the loop changes things"
        return None  # what else it changes was asked for
    changed = stored_in(specializer, use.body)
    rebound = set(callee.function.captured) & binds_in_block(use.body)
    if rebound or changed & shared or changes_what_is_read(specializer, s, callee, changed):
        return "reads on while the loop changes things"
    return None


def may_be_listed_early(specializer: Specializer, callee: Callee) -> bool:
    """Whether nobody can tell when a generator runs, and to where, if nothing changes what it reads."""
    if _effects(callee) or _may_be_endless(callee, set()):
        return False
    if _captured_is_rebound(specializer, callee, None) or callee.function.written_as is grouped:
        return False
    attempts = [p for p in nodes(specializer.function.tree) if type(p) is gast.Try]
    handlers = [h for t in attempts for h in t.handlers]
    if any(type(part) in RAISING for part in nodes(callee.facts.function.tree)):
        return False
    if handlers and _may_raise(specializer, callee, caught(specializer.function, handlers)):
        return False
    return not reached_after_yields(callee) & callee.facts.stored


def is_endless(callee: Callee) -> bool:
    """Whether a generator is known to have no end."""
    return callee.function.yields and callee.facts.returned == NOTHING and bool(callee.facts.before)


def gives_varied(callee: Callee) -> bool:
    """Whether what a generator is given, or what it keeps, may carry a derivative."""
    given = any(v.varied for v in callee.values) or any(
        v.varied for slots in callee.heap.values() for v in slots.values()
    )
    return given or bool(callee.facts.stored & callee.facts.varied)


def _check_groups(specializer: Specializer, s: Stmt, use: Any) -> None:
    """Refuse groups that are not used up one after the other: each ends where the next one begins."""
    body = list(use.body) if type(use) is gast.For else []
    place: Any = use.target if body else None
    if type(place) is gast.Name and is_named(getattr(body[0], "value", None), place.id):
        place = body.pop(0).targets[0]
    parts: list[Any] = getattr(place, "elts", [])
    if len(parts) != 2 or not _is_used_once(specializer.function, body, parts[1]):
        specializer.refuse(
            s,
            "a group ends where the next one begins, and is not used up before here",
            "write `for key, group in ...` and use the group once in each trip, as by `list(group)`",
        )


def _is_used_once(function: CoreFunction, body: list[Any], group: Any) -> bool:
    """Whether a name that a loop binds is gone through at most once in each trip, to its end."""
    if type(group) is not gast.Name:
        return False
    found = [p for part in body for p in nodes(part) if is_named(p, group.id)]
    if not found:
        return True
    rebound = group.id in binds_in_block(body)
    use = _used_before_bound_anew(body, group.id) if rebound else uses_of(function, group.id)
    loops = [part for s in body for part in nodes(s) if type(part) in LOOPS and part is not use]
    again = any(part is use for loop in loops for b in loop.body for part in nodes(b))
    ends = type(use) is gast.For and not leaves(use.body) or _runs_at_once(function, use, _USING_UP)
    return ends and not again


def is_generated(specializer: Specializer, tree: Any) -> bool:
    """Whether a name stands for what a generator yields."""
    return bool(_generators_of(specializer, tree))


def _generators_of(specializer: Specializer, tree: Any) -> list[Callee]:
    """List the generators that a name, or one that it is another name for, may stand for."""
    keys, found = [getattr(tree, "id", "")], []
    for key in keys:
        for s in specializer.function.definitions.get(key, ()):
            callee = specializer.facts.callees.get(s)
            if callee is not None and callee.function.yields:
                found.append(callee)
            other = getattr(getattr(s, "value", None), "id", key)
            keys += [other] if other not in keys else []
    return found


def may_raise_in_step(specializer: Specializer, s: Stmt, classes: Exceptions) -> bool:
    """Whether a loop goes through a generator that may raise something of some classes on the way."""
    headers = [loop.iter for loop in nodes(s) if type(loop) is gast.For]
    names = [part for header in headers for part in nodes(header)]
    gone_through = [callee for part in names for callee in _generators_of(specializer, part)]
    return any(_may_raise(specializer, callee, classes) for callee in gone_through)


def _may_raise(specializer: Specializer, callee: Callee, classes: Exceptions) -> bool:
    generator = callee.facts.function
    make: Any = type(specializer)
    here = make(generator, callee.facts, specializer.interpreter.program).operands
    return any(may_raise(here, part, classes) for part in generator.tree.body)


def _statements_between(function: CoreFunction, s: Stmt, use: Any) -> list[Any]:
    """List the statements between the call of a generator and what uses it up."""
    rest = _after(function, s)
    at = next((i for i, t in enumerate(rest) if any(p is use for p in nodes(t))), 0)
    return rest[:at]


def _after(function: CoreFunction, s: Stmt) -> list[Any]:
    """List the statements behind one in its block."""
    blocks = (block for block, _ in every_block(function.tree.body))
    return next((after(block, s) for block in blocks if any(t is s for t in block)), [])


def changes_what_is_read(
    specializer: Specializer, s: Stmt, callee: Callee, changed: Set[Region]
) -> bool:
    """Whether what is changed is read by a generator, or may be."""
    kinds = [v.kind for v in specializer.facts.before[s].values()]
    held = reachable([k for k in kinds if k], specializer.facts.heap)
    read = {r for part in callee.regions.values() for r in part} & held
    return bool(changed & read) or any(map(is_outside, changed))


@dataclass(frozen=True)
class _Given:
    """A function of the user's that a generator is handed to, what it does with it, and what it changes."""

    function: CoreFunction
    use: Any
    changed: frozenset[Region]


def _given_to(specializer: Specializer, s: Stmt, use: Any) -> _Given | None:
    """Return the function that gets a generator in the next call, and goes through it at most once."""
    rest = _after(specializer.function, s)
    following = next((t for t in rest if not _only_reads(t)), None)
    callee = specializer.facts.callees.get(following)
    if callee is None or getattr(following, "value", None) is not use:
        return None
    key = s.targets[0].id
    inner = callee.function
    passed = [
        p
        for p, tree in zip(inner.parameters, callee.arguments, strict=False)
        if is_named(tree, key)
    ]
    if len(passed) != 1 or passed[0] in captured_names(inner.tree):
        return None
    rebound = passed[0] in binds_in_block(inner.tree.body)
    changed = frozenset().union(*(callee.regions.get(r, {r}) for r in callee.facts.stored))
    if inner.yields:
        later = _changed_later(specializer, following)
        if later is None:
            return None
        changed |= later
    found = (
        _used_before_bound_anew(inner.tree.body, passed[0])
        if rebound
        else uses_of(inner, passed[0])
    )
    loops = [part for part in nodes(inner.tree, nested=False) if type(part) in LOOPS]
    again = any(part is found for loop in loops for b in loop.body for part in nodes(b))
    return None if again else _Given(inner, found, changed)


def _used_before_bound_anew(body: list[Any], key: str) -> Any:
    """Return the one use of a name in a block before it is bound to something else: `x = list(x)`."""
    first = next((i for i, s in enumerate(body) if key in reads(s) or key in binds(s)), len(body))
    rest = body[first + 1 :]
    anew = next((i for i, s in enumerate(rest) if key in reads(s) or key in binds(s)), len(rest))
    if (
        anew == len(rest)
        or type(body[first]) is not gast.Assign
        or reads(body[first]).count(key) > 1
    ):
        return None
    if not binds_one_name(rest[anew]) or key in reads(rest[anew]):
        return None
    parts = nodes(body[first])
    return next((p for p in parts if any(is_named(c, key) for c in children(p))), None)


def _only_reads(s: Stmt) -> bool:
    """Whether a statement binds a name to what it reads or computes, and calls nothing."""
    return type(s) is gast.Assign and binds_one_name(s) and type(s.value) is not gast.Call


def _changed_later(specializer: Specializer, s: Stmt) -> Set[Region] | None:
    """Return what is changed while a generator that goes through another runs; None where it may be all."""
    use = _used_up_by(specializer, s)
    if _runs_at_once(specializer.function, use, _USING_UP):
        return frozenset()
    if type(use) is gast.For:
        return stored_in(specializer, use.body)
    given = _given_to(specializer, s, use)
    return None if given is None else given.changed


def _used_up_by(specializer: Specializer, s: Stmt) -> Any:
    """Return what uses up at once what a call gives; None where it gets a name of the user's."""
    place = s.targets[0] if type(s) is gast.Assign else None
    if not isinstance(place, gast.Name) or place.id in specializer.function.own_names:
        return None
    use = uses_of(specializer.function, place.id)
    if type(use) is gast.Assign and binds_one_name(use):  # a parameter of what was written in place
        return _used_before_bound_anew(_after(specializer.function, use), use.targets[0].id)
    return use


def _runs_at_once(function: CoreFunction, use: Any, functions: tuple[Any, ...]) -> bool:
    """Whether what a generator yields is taken from it before anything else is done."""
    if type(use) is gast.Assign:
        return type(use.targets[0]) in DISPLAYS
    if type(use) is not gast.Call:
        return type(use) is gast.Starred
    found = function.resolve(use.func)
    return found is not MISSING and is_one_of(found, functions)


def _is_handled_midway(
    specializer: Specializer, callee: Callee, user: CoreFunction, use: Stmt
) -> bool:
    """Whether a handler may catch what a generator raises: what its loop did until then stays done."""
    attempts = [part for part in nodes(user.tree) if type(part) is gast.Try]
    around = [t for t in attempts if any(part is use for s in t.body for part in nodes(s))]
    if user is not specializer.function:  # it may be written with its attempts in pieces
        text = text_of(user.primal)
        around = [part for part in nodes(text.tree) if type(part) is gast.Try] if text else around
    handlers = [h for t in around for h in taking_over(t)]
    if not handlers:
        in_text = any(type(part) in RAISING for part in nodes(callee.facts.function.tree))
        return in_text and bool(_seen_outside(specializer, stored_in(specializer, use.body)))
    return _may_raise(specializer, callee, caught(user, handlers))


def _seen_outside(specializer: Specializer, regions: Set[Region]) -> Set[Region]:
    """Return those regions that the caller of a function sees."""
    entering = specializer.facts.before.get(specializer.function.tree.body[0], {}).values()
    seen = reachable([value.kind for value in entering], specializer.facts.heap)
    return {r for r in regions if r in seen or is_outside(r)}


def _captured_is_rebound(specializer: Specializer, callee: Callee, use: Any) -> bool:
    """Whether a generator may see a captured name bound anew, which it is given once, at its call."""
    captured = set(callee.function.captured)
    if type(use) is gast.For:
        return bool(captured & binds_in_block(use.body))
    if _runs_at_once(specializer.function, use, (*_USING_UP, next)):
        return False
    bound = specializer.function.definitions
    return any(len(bound.get(key, ())) > 1 for key in captured)


def _kept(specializer: Specializer, callee: Callee) -> Difference:
    """Tell of a generator that is kept: a context manager keeps the one that it is made of."""
    label = callee.function.name
    if getattr(specializer.function.written_as, "__globals__", None) is not vars(contextlib):
        return Difference(f"the generator '{label}' is not used up where it is called")
    return Difference(
        f"around which block '{label}' runs is not known here",
        "write the context manager as a class with `__enter__` and `__exit__`",
    )


def _effects(callee: Callee) -> str:
    """Return what a generator does besides yielding; nothing if it does nothing else."""
    outside = [r for r in callee.facts.stored if r in callee.regions or is_outside(r)]
    if outside:
        return "changes things while the loop runs"
    if draws(callee):
        return "draws random numbers while the loop runs"
    for part in nodes(callee.function.tree):
        call = part.value if type(part) is gast.Expr else None
        if isinstance(call, gast.Call) and type(call.func) is not gast.Attribute:
            return "does more than yield while the loop runs"
    return ""


def _may_be_endless(callee: Callee, seen: set[Any]) -> bool:
    """Whether a generator, or one that it goes through, has a loop whose end is not in its header."""
    if callee.facts in seen:
        return False
    seen.add(callee.facts)
    if any(type(part) is gast.While for part in nodes(callee.function.tree)):
        return True
    inner = [c for c in callee.facts.callees.values() if c.function.yields]
    return any(_may_be_endless(c, seen) for c in inner)


def leaves(body: list[Any]) -> bool:
    """Whether a loop with this body may be left before its end."""
    jumps = [jump for s in body for jump in own_jumps(s)]
    return any(type(jump) in BREAKING for jump in jumps)
