"""Which assignments pass on an array that nobody changes any more.

    for _ in range(n):
        new = u.copy()
        new[1:-1] += k * (u[2:] - u[:-2])
        u = new                                # settled: the next trip stores into another array

Memory that is stored into has an adjoint of its own, which is reached by all names of it. Where a name may
have one array or another, it has to be looked up which. But an array that has become what it stays is as
good as a copy of itself: its new name stands for a value, whatever the old one goes on to stand for.

From the assignment on, the names that may have the array are followed along all ways: a name that is
bound to what is made there leaves, one that is bound to what is computed from these names may join. A store
by one of them ends it. All others are left out of it only if nobody else can have the array: no slot, no
tuple, no local function, no caller. An adjoint memory that is asked by one of the names has it: what it
knows by the array it would not know by a copy.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.analysis.abstract import is_adjoint_memory
from tapeless.analysis.calls import RuleCall
from tapeless.analysis.facts import Facts
from tapeless.kinds import (
    NOWHERE,
    Array,
    Kind,
    Regions,
    regions_among,
    regions_of,
    regions_within,
)
from tapeless.rules.traits import traits_of_callee
from tapeless.tree.build import name
from tapeless.tree.classes import ARITHMETIC, ATOMS, COMPUTED, SLOTS
from tapeless.tree.flow import Forward
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import binds, captured_names, nodes, reads
from tapeless.tree.trees import Expr, Stmt

Having = frozenset[str]
"""The names that may have the array."""

_LOOKING = frozenset({*ATOMS, *COMPUTED, *SLOTS, gast.BoolOp, gast.Slice})


def settled(function: CoreFunction, facts: Facts) -> frozenset[Stmt]:
    """Return the assignments of one name to another after which nobody stores into the array of both.

    Only those of names that are bound in several places are of interest: others are read as the
    names that they stand for.

    Examples
    --------
    >>> from tapeless.analysis.abstract import Value
    >>> from tapeless.kinds import Size
    >>> from tapeless.specialize.program import AnalysedProgram
    >>> program = AnalysedProgram()
    >>> given = Value(Array((Size("n"),)), varied=True), Value(Kind())
    >>> facts = program.analyse(program.core(_steps), given, {})
    >>> [gast.unparse(s).strip() for s in facts.function.settled]
    ['u = new']
    """
    body = function.tree.body
    found = {
        s
        for bindings in function.definitions.values()
        if len(bindings) > 1
        for s in bindings
        if _is_candidate(s, facts)
    }
    found -= function.settled
    if not found:
        return frozenset()
    shared = _shared(function, facts)
    return frozenset(
        s
        for s in found
        if not shared & (regions := regions_of(facts.kind(s, s.value.id)))
        and not _is_stored_into_later(s, body, regions, facts)
    )


def _steps(u: Any, n: Any) -> Any:
    for _ in range(n):
        new = u.copy()
        new[0] = u[1] * u[2]
        u = new
    return u


def _is_candidate(s: Stmt, facts: Facts) -> bool:
    """Whether a statement gives what is stored into one more name."""
    if type(s) is not gast.Assign or type(s.value) is not gast.Name or s not in facts.before:
        return False
    kind = facts.kind(s, s.value.id)
    named = type(s.targets[0]) is gast.Name
    return named and isinstance(kind, Array) and facts.is_stored(kind)


def _shared(function: CoreFunction, facts: Facts) -> Regions:
    """Return the regions that are reached by more than the names of a function."""
    captured = captured_names(function.tree)
    kinds = [value.kind for slots in facts.heap.values() for value in slots.values()]
    kinds += [v.kind for k, v in facts.met if k in captured or not isinstance(v.kind, Array)]
    met = NOWHERE.union(*(regions_of(v.kind) for _, v in facts.met))
    elsewhere = frozenset(r for r in met if r[0] != "made")  # given, found outside, or a mirror
    within = map(regions_within, kinds)
    return elsewhere.union(*within, *map(regions_among, kinds), *facts.unseen.values())


class StoredIntoError(Exception):
    """A store that may be one into the array was met."""


def _is_stored_into_later(s: Stmt, body: list[Any], regions: Regions, facts: Facts) -> bool:
    try:
        _Following(s, regions, facts).block(body, frozenset())
    except StoredIntoError:
        return True
    return False


class _Following(Forward[Having]):
    """Follows the names that may have an array from where it is passed on.

    Parameters
    ----------
    origin
        The assignment that passes it on.
    regions
        Where it may have been made.
    """

    def __init__(self, origin: Stmt, regions: Regions, facts: Facts) -> None:
        super().__init__()
        self.origin, self.regions, self.facts = origin, regions, facts

    def join(self, a: Having, b: Having) -> Having:
        return a | b

    def test(self, s: Stmt, state: Having) -> Having:
        self._check(s, s.test, state)
        return state

    def opening(self, s: Stmt, state: Having) -> Having:
        parts = [s.iter] if type(s) is gast.For else [item.context_expr for item in s.items]
        for part in parts:
            self._check(s, part, state)
        return state

    def item(self, s: Stmt, state: Having) -> Having:
        return state | binds(s.target) if state & set(reads(s.iter)) else state - binds(s.target)

    def simple(self, s: Stmt, state: Having) -> Having:
        if s is self.origin:
            env = self.facts.before[s]
            having = {key for key, v in env.items() if self._may_be(v.kind)}
            return state | having | binds(s)
        updated = binds(s) if type(s) is gast.AugAssign else set()
        if not state & {*reads(s), *updated}:
            return state - binds(s)
        if type(s) is gast.AugAssign:
            self._check_place(s, s.target, s.value, state)
        elif type(s) is gast.Assign and type(s.targets[0]) in SLOTS:
            self._check_place(s, s.targets[0], s.value, state)
        elif type(s) in (gast.Assign, gast.Expr):
            self._check(s, s.value, state)
            if type(s) is gast.Assign:
                return state | binds(s) if self._may_give(s) else state - binds(s)
        elif type(s) not in (gast.Return, gast.Delete):
            raise StoredIntoError
        return state - binds(s)

    def _may_be(self, kind: Kind) -> bool:
        return bool(regions_of(kind) & self.regions)

    def _may_give(self, s: Stmt) -> bool:
        """Whether an assignment that reads the array may give it, or a view of it, a name."""
        if s not in self.facts.results or not self._may_be(self.facts.results[s].kind):
            return False
        if type(s.value) is gast.Call and isinstance(self.facts.calls.get(s.value), RuleCall):
            found = self.facts.calls[s.value].found
            return traits_of_callee(s.value.func, found).view != "never"
        return type(s.value) not in ARITHMETIC

    def _check_place(self, s: Stmt, place: Expr, value: Expr, state: Having) -> None:
        """Refuse a store into the array, and one of the array into what can hold it."""
        owner = place.value if type(place) in SLOTS else name(place.id)
        if state & set(reads(owner)):
            raise StoredIntoError
        kind = self.facts.kind(s, owner.id) if type(owner) is gast.Name else Kind()
        if not isinstance(kind, Array) and state & set(reads(value)):
            raise StoredIntoError
        self._check(s, value, state)

    def _check(self, s: Stmt, tree: Expr, state: Having) -> None:
        """Refuse an expression that reads the array and may do more than look at it."""
        read = set(reads(tree))
        if not state & read:
            return
        if any(is_adjoint_memory(self.facts.kind(s, key)) for key in read):
            raise StoredIntoError  # which finds what was added by its other names
        for part in nodes(tree):
            if type(part) is gast.Call:
                self._check_call(s, part, state)
            elif type(part) not in _LOOKING and state & set(reads(part)):
                raise StoredIntoError

    def _check_call(self, s: Stmt, call: Expr, state: Having) -> None:
        callee = self.facts.callees.get(s)
        if callee is not None and getattr(s, "value", None) is call:
            stored = NOWHERE.union(*map(callee.seen_by_caller, callee.facts.stored))
            if stored & self.regions:
                raise StoredIntoError
            return
        called = self.facts.calls.get(call)
        if not isinstance(called, RuleCall) or any(k.arg == "out" for k in call.keywords):
            raise StoredIntoError
        stores = traits_of_callee(call.func, called.found).stores
        operands = called.operands(call.args)
        if any(state & set(reads(operands[i])) for i in stores if i < len(operands)):
            raise StoredIntoError
