"""Whether the list of what a generator yields means the same as the generator.

A generator runs in step with what uses it up, and a list is made before. Nobody can tell where it runs to
its end at once (`list`, `sum`, a starred argument, an unpacking), or in a loop that runs to its end and
changes nothing that the generator reads, if the generator does nothing but yield. Anything else is refused.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.analysis.abstract import reachable
from tapeless.analysis.facts import Callee
from tapeless.analysis.interpret.iterators import AT_ONCE
from tapeless.analysis.repeatable import draws
from tapeless.externals import MISSING, is_one_of
from tapeless.kinds import is_outside
from tapeless.specialize.listed import uses_of
from tapeless.specialize.state import Specializer
from tapeless.specialize.stores import stored_in
from tapeless.tree.classes import BREAKING, DISPLAYS
from tapeless.tree.definitions import definitions
from tapeless.tree.endings import own_jumps
from tapeless.tree.names import binds_in_block, nodes
from tapeless.tree.trees import Stmt


def check_generator(specializer: Specializer, s: Stmt, callee: Callee) -> None:
    """Refuse a call of a generator where a list of what it yields would mean something else."""
    program = _effects(callee)
    label = callee.function.name
    use = _used_up_by(specializer, s)
    if callee.stays_generator and not program:
        if _captured_is_rebound(specializer, callee, use):
            _refuse(specializer, s, label, "reads a name that is bound anew while it runs")
        return
    if use is None:
        _refuse(specializer, s, label, "is not used up where it is called")
        return
    if _runs_at_once(specializer, use, AT_ONCE):
        return
    if type(use) is not gast.For:
        _refuse(specializer, s, label, "is not used up where it is called")
        return
    zipped = type(use.iter) is gast.Call and specializer.function.resolve(use.iter.func) is zip
    leaves = _leaves(use.body) or zipped and _may_be_endless(callee, set())
    if leaves or program:
        _refuse(specializer, s, label, "may be left before its end" if leaves else program)
    kinds = [v.kind for v in specializer.facts.before[s].values()]
    changed = stored_in(specializer, use.body)
    held = reachable([k for k in kinds if k], specializer.facts.heap)
    read = {r for part in callee.regions.values() for r in part} & held
    rebound = set(callee.function.captured) & binds_in_block(use.body)
    if changed & read or rebound or any(map(is_outside, changed)):
        _refuse(specializer, s, label, "reads on while the loop changes things")


def _used_up_by(specializer: Specializer, s: Stmt) -> Any:
    """Return what uses up at once what a call gives; None where it gets a name of the user's."""
    place = s.targets[0] if type(s) is gast.Assign else None
    if not isinstance(place, gast.Name) or place.id in specializer.function.own_names:
        return None
    return uses_of(specializer.function, place.id)


def _runs_at_once(specializer: Specializer, use: Any, functions: tuple[Any, ...]) -> bool:
    """Whether what a generator yields is taken from it before anything else is done."""
    if type(use) is gast.Assign:
        return type(use.targets[0]) in DISPLAYS
    if type(use) is not gast.Call:
        return type(use) is gast.Starred
    found = specializer.function.resolve(use.func)
    return found is not MISSING and is_one_of(found, functions)


def _captured_is_rebound(specializer: Specializer, callee: Callee, use: Any) -> bool:
    """Whether a generator may see a captured name bound anew, which it is given once, at its call."""
    captured = set(callee.function.captured)
    if type(use) is gast.For:
        return bool(captured & binds_in_block(use.body))
    if _runs_at_once(specializer, use, (*AT_ONCE, next)):
        return False
    bound = definitions(specializer.function)
    return any(len(bound.get(key, ())) > 1 for key in captured)


def _refuse(specializer: Specializer, s: Stmt, label: str, what: str) -> None:
    specializer.refuse(
        s, f"the generator '{label}' {what}",
        "put `list(...)` around the call, if it may run to its end first",
    )  # fmt: skip


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


def _leaves(body: list[Any]) -> bool:
    """Whether a loop with this body may be left before its end."""
    jumps = [jump for s in body for jump in own_jumps(s)]
    return any(type(jump) in BREAKING for jump in jumps)
