"""What the body of a `try` leaves behind when an exception interrupts it.

Nothing of an interrupted body is reversed: it may have been interrupted anywhere. Where something lives on
of what it did before, the body is cut behind it into segments, and how many of them were done is counted.
What cannot be cut so is refused. A function that is called is done wholly or not at all where it raises
before it stores into anything that others see, as one does that first looks at what it is given.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from typing import Any

import gast

from tapeless.analysis.abstract import reachable
from tapeless.analysis.exceptions import Exceptions, caught
from tapeless.analysis.facts import Callee, Facts
from tapeless.analysis.raised import Operands, may_raise
from tapeless.differentiate.reverse.state import Sweep
from tapeless.differentiate.reverse.stored import is_idle, regions_made_in, stored_regions
from tapeless.kinds import Region
from tapeless.regions import is_outside
from tapeless.tree.assigned import Assigned
from tapeless.tree.classes import LEAVING, LOOPS
from tapeless.tree.endings import blocks_of, own_jumps, taking_over
from tapeless.tree.liveness import Liveness
from tapeless.tree.names import Names, binds, nodes, reads
from tapeless.tree.trees import Stmt, Tree


def rebinds_active(sweep: Sweep, s: Stmt) -> bool:
    """Whether a statement binds what carries a derivative, or a name that carried one until then."""
    found = sweep.known.results.get(s)
    if found is not None and sweep.varies(found):
        return True
    return any(sweep.value(s, key).varied for key in binds(s))


def active_targets(sweep: Sweep, loop: Stmt) -> set[str]:
    """List the names that a loop binds to what carries a derivative, or that carried one until then."""
    places = (loop, loop.body[0])
    return {key for key in binds(loop.target) if any(sweep.value(s, key).varied for s in places)}


def segments_of(sweep: Sweep, s: Stmt) -> list[list[Stmt]]:
    """Cut a body after each statement that leaves something behind when the rest is interrupted.

    Each but the last segment ends in a statement that is done wholly or not at all.

    Raises
    ------
    GradientError
        If what is left behind cannot be told by how many segments were done.
    """
    walk = _walked(sweep, s)
    lost = walk.found[::-1] if walk else []
    if walk is None or not lost:
        return [list(s.body)]
    mentioned: set[str] = set()
    segments: list[list[Stmt]] = [[]]
    whole = True
    for part in s.body:
        segments[-1].append(part)
        rebinds = len(segments) > 1 and binds(part) & mentioned
        mentioned |= set(reads(part)) | binds(part)
        found = [(place, *why) for place, *why in lost if _holds(part, place)]
        if found or rebinds:
            whole = whole and not blocks_of(part) and not walk.breaks_off(part)
            segments += [[]] if part is not s.body[-1] else []
    jumping = [s] if len(segments) > 1 else s.body
    if any(map(own_jumps, jumping)) or not whole:
        place, reason, fix = lost[0]
        sweep.refuse(place, reason, fix)
    return segments


def _left_by(callee: Callee) -> frozenset[Region]:
    """Return the regions of the caller's that a call stores into: what it makes itself is lost with it."""
    found = (callee.seen_by_caller(region) for region in callee.stores_outside_itself)
    return frozenset[Region]().union(*found)


def _holds(s: Stmt, place: Tree) -> bool:
    return any(part is place for part in nodes(s))


def _walked(sweep: Sweep, s: Stmt) -> _Interrupted | None:
    """Find what a body does that lives on if it is interrupted after; None where nothing takes over."""
    handlers = taking_over(s)
    if not handlers:
        return None
    live: set[str] = set()
    always = Liveness(sweep.function.tree).handlers
    for handler in handlers:
        known = _known_in(sweep.function.tree, s, handler)
        decided = Liveness(sweep.function.tree, known=known).handlers
        entry: Set[str] = decided.get(handler, frozenset())
        maybe = always.get(handler, frozenset()) - entry
        live |= entry | (maybe - Assigned(s.body, ()).end)
    walk = _Interrupted(sweep, s.body, live, caught(sweep.function, handlers), [])
    walk.block(s.body, False)
    return walk


def _known_in(function: Tree, s: Stmt, handler: Stmt) -> dict[str, Any]:
    """Return the literals that some names hold where a handler took over, and nowhere else before.

    Such a name says that the body was interrupted: `ok = True` before the `try`, `ok = False` first in
    its handler; or `ok = False` before, `ok = True` last in its body.
    """
    block = next(b for b in blocks_in(function.body) if any(part is s for part in b))
    at = next(i for i, part in enumerate(block) if part is s)
    before = _literals(reversed(block[:at]))
    told = {id(part): part for h in s.handlers for part in _literals(h.body).values()}
    found: dict[str, Any] = {}
    for key, first in before.items():
        own = _literals(handler.body).get(key)
        last = _literals(reversed(s.body)).get(key) if own is None else None
        allowed = {id(first), *told, id(last)}
        bindings = [p for b in blocks_in(function.body) for p in b if key in binds(p)]
        simple = [p for p in bindings if not blocks_of(p)]
        if all(id(p) in allowed for p in simple) and (own is not None or last is not None):
            found[key] = (own or first).value.value
    return found


def _literals(block: Iterable[Stmt]) -> dict[str, Any]:
    """List the assignments of literals to names that a block starts with."""
    found: dict[str, Any] = {}
    for s in block:
        plain = type(s) is gast.Assign and type(s.targets[0]) is gast.Name
        if not plain or type(s.value) is not gast.Constant:
            break
        found.setdefault(s.targets[0].id, s)
    return found


def blocks_in(block: list[Stmt]) -> list[list[Stmt]]:
    """List a block and the blocks in it, nested functions included."""
    return [block, *(b for s in block for inner in blocks_of(s) for b in blocks_in(inner))]


@dataclass
class _Interrupted:
    """Walks the body of a `try`; `later` says whether what follows may raise what is caught.

    Attributes
    ----------
    body
        The body, or that of a function that it calls.
    live
        The names that are read once a handler took over.
    classes
        The exceptions that are caught.
    found
        What lives on, last first: where, why it matters, and the way out.
    left
        Whether what follows where a jump goes to may raise; outside the body it is not caught.
    around
        What is known of the functions whose calls led here.
    """

    sweep: Sweep
    body: list[Stmt]
    live: set[str]
    classes: Exceptions
    found: list[tuple[Any, str, str]]
    left: dict[type, bool] = field(default_factory=dict)
    around: frozenset[Facts] = frozenset()

    def block(self, block: list[Stmt], later: bool) -> None:
        for s in reversed(block):
            self.statement(s, later)
            later = later or self.may_raise(s)
            if type(s) in LEAVING:
                later = self.left.get(type(s), False)

    def within(self, block: list[Stmt], later: bool, left: dict[type, bool]) -> None:
        """Walk a block whose jumps go elsewhere than those around it."""
        around, self.left = self.left, {**self.left, **left}
        self.block(block, later)
        self.left = around

    def statement(self, s: Stmt, later: bool) -> None:
        if type(s) in LOOPS:
            self.block(s.orelse, later)
            again = later or self.may_raise(s)
            if again and type(s) is gast.For:
                self.names(s, active_targets(self.sweep, s))
            self.within(s.body, again, {gast.Break: later, gast.Continue: again})
            return
        if type(s) is gast.Try:
            after = any(self.may_raise(part) for h in s.handlers for part in h.body)
            final = any(map(self.may_raise, s.finalbody))
            self.block(s.finalbody, later or bool(s.finalbody))
            jumps = (gast.Return, gast.Break, gast.Continue)
            left = {jump: final or self.left.get(jump, False) for jump in jumps}
            for block in (s.body, s.orelse, *(h.body for h in s.handlers)):
                self.within(block, later or final or after, left)
            return
        if blocks_of(s) and type(s) is not gast.FunctionDef:
            for block in blocks_of(s):
                self.block(block, later)
            return
        if later and rebinds_active(self.sweep, s):
            self.names(s, binds(s))
        if later or self.breaks_off(s):
            self.stores(s)

    @functools.cached_property
    def operands(self) -> Operands:
        """What is known of the operands of the body."""
        return Operands(self.sweep.known.facts, self.sweep.operand_kind)

    @functools.cached_property
    def own(self) -> set[Region]:
        """The regions of what the body makes and of which nothing leads out of it."""
        known = self.sweep.known
        entering = known.before.get(self.sweep.function.tree.body[0], {}).values()
        seen = [value.kind for key, value in known.facts.met if key in self.live]
        seen += [value.kind for value in entering]
        seen += [v.kind for r, slots in known.heap.items() if is_outside(r) for v in slots.values()]
        return regions_made_in(self.sweep, self.body) - reachable(seen, known.heap)

    def may_raise(self, s: Stmt) -> bool:
        return may_raise(self.operands, s, self.classes)

    def breaks_off(self, s: Stmt) -> bool:
        """Whether a statement calls a function that may raise after it stored into what others see."""
        callee = self.sweep.known.callees.get(s)
        if callee is None:
            return False
        if callee.facts in self.around:
            return bool(callee.stores_outside_itself)
        names = Names(callee.function.names() | self.sweep.module.names.taken)
        make: Any = type(self.sweep)
        inner = make(callee.function, callee.facts, self.sweep.module, names)
        body, around = callee.function.tree.body, self.around | {callee.facts}
        walk = _Interrupted(inner, body, set(), self.classes, [], around=around)
        walk.block(body, False)
        return bool(walk.found)

    def names(self, s: Stmt, bound: set[str]) -> None:
        for key in sorted(bound & self.live):
            reason = (
                f"`{key}` is read after an exception that may come once it is bound here, "
                "and how far the body came is not known"
            )
            fix = "bind it in the last statement of the `try`, or move what may raise before it"
            self.found.append((s, reason, fix))

    def stores(self, s: Stmt) -> None:
        callee = self.sweep.known.callees.get(s)
        found = stored_regions(self.sweep, [s]) if callee is None else _left_by(callee)
        regions = found - self.own
        regions = frozenset(r for r in regions if not is_idle(self.sweep, r))
        if regions and not self.sweep.adds_to_log(s):
            reason = (
                "what this stores stays there when an exception interrupts the body, "
                "and how far the body came is not known"
            )
            fix = "move the store behind what may raise, or into `else:`"
            self.found.append((s, reason, fix))
