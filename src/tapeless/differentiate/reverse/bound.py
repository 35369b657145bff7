"""A check of what was written: each name of the tool's own is bound on every way to where it is read.

The rules of *definite assignment* (as in Java) on the final text, and two more. What an arm of a branch
binds is bound again where a later branch asks the same, be it the test itself or a flag that the arms
set; and what a loop binds counts as bound within the loops after it, since the mirrored loop makes as
many trips.

    if c:                   # after it nothing more is bound, but where c is true: t
        t = x * x
    ...
    if c:                   # t is bound here
        x_bar = x_bar + t

Within a branch a name only has to be bound on some way: which of the branches before it were taken is not
followed in all their combinations. What the body of a `try` binds counts as bound after it. The user's
own names are left out: where one of those is not bound, the function itself fails first.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import compress
from operator import is_not
from typing import Any

import gast

from tapeless.tree.assigned import surely_read
from tapeless.tree.classes import JUMPS, LOOPS
from tapeless.tree.names import binds, binds_in_block, nodes, parameters, reads
from tapeless.tree.trees import Expr, Stmt, Tree
from tapeless.tree.truths import decided

Bound = frozenset[str]
Question = tuple[
    Bound, str
]  # the names that a test asks, and its text; a flag's own name, and nothing
Cases = Mapping[Hashable, Bound]

_MOST_ROUNDS = 2


@dataclass(frozen=True)
class _State:
    """What is surely bound at a place.

    Attributes
    ----------
    bound
        The names.
    cases
        For each test or flag the values that it may have, with the names that are bound as well where it
        has one.
    implied
        For each name that may be bound the names that are bound as well if it is: a loop that made no trip
        bound neither, and whoever reads the one does not come to the other.
    copies
        For each name that is a copy of another, this other one: who asks the one asks the other.
    opposites
        For each name that is the negation of another, this other one.
    """

    bound: Bound
    cases: Mapping[Question, Cases] = field(default_factory=dict)
    implied: Mapping[str, Bound] = field(default_factory=dict)
    copies: Mapping[str, str] = field(default_factory=dict)
    opposites: Mapping[str, str] = field(default_factory=dict)

    def binding(self, names: Collection[str]) -> _State:
        """Return the state after names are bound: what was known of their values is not known any more."""
        if not names:
            return self
        cases = {k: v for k, v in self.cases.items() if k[0].isdisjoint(names)}
        pairs = (self.copies, self.opposites)
        kept = [{k: v for k, v in p.items() if k not in names and v not in names} for p in pairs]
        bound = self.bound if self.bound.issuperset(names) else self.bound.union(names)
        return _State(bound, cases, self.implied, *kept)

    def reading(self, names: Bound, everything: Bound) -> _State:
        """Return the state after names are read: they were bound, or control does not come here."""
        more = [self.implied.get(n, everything) for n in names if n not in self.bound]
        return replace(self, bound=self.bound.union(names, *more)) if more else self

    def where(self, test: Expr, answer: bool) -> _State | None:
        """Return the state where a test has given an answer; None where it cannot."""
        if decided(test) is not None:
            return self if decided(test) is answer else None
        if type(test) is gast.UnaryOp and type(test.op) is gast.Not:
            return self.where(test.operand, not answer)
        if type(test) is gast.Name and test.id in self.opposites:
            flag = gast.Name(self.opposites[test.id], gast.Load(), None, None)
            found = self.where(flag, not answer)
            return found and replace(found, opposites={}).where(test, answer)
        key, values = _question(test)
        alike = [key, *map(_flag, self.copies_of(test))]
        known = next((self.cases[k] for k in alike if k in self.cases), None)
        if known is None:
            known = dict.fromkeys((True, False), frozenset()) if values is None else {}
        left = {v: names for v, names in known.items() if _gives(v, values) == answer}
        if not left:
            return None if known else self
        more = frozenset.intersection(*left.values())
        return replace(
            self, bound=self.bound | more, cases={**self.cases, **dict.fromkeys(alike, left)}
        )

    def copies_of(self, test: Expr) -> list[str]:
        """List the names that hold what a flag holds."""
        key = test.id if type(test) is gast.Name else None
        return [k for pair in self.copies.items() if key in pair for k in pair]


def _question(test: Expr) -> tuple[Question, Any]:
    """Return what a test asks, and the value that it compares a flag with."""
    if type(test) is gast.Name:
        return _flag(test.id), None
    if type(test) is gast.Compare and len(test.ops) == 1 and type(test.left) is gast.Name:
        [op], [other] = test.ops, test.comparators
        if isinstance(op, (gast.Eq, gast.Is)) and type(other) is gast.Constant:
            return _flag(test.left.id), (other.value,)
    return (frozenset(reads(test)), gast.dump(test)), None


def _flag(key: str) -> Question:
    return frozenset([key]), ""


def _negated(tree: Expr) -> str | None:
    """Return the name of which an expression is the negation."""
    negated = type(tree) is gast.UnaryOp and type(tree.op) is gast.Not
    return tree.operand.id if negated and type(tree.operand) is gast.Name else None


def _gives(value: Any, asked: Any) -> bool:
    return bool(value) if asked is None else value == asked[0]


def _joined(a: _State | None, b: _State | None) -> _State | None:
    """Return what is bound where two ways meet."""
    if a is None or b is None:
        return b if a is None else a
    cases: dict[Question, Cases] = {}
    for key in a.cases.keys() & b.cases.keys():
        ways = [{v: names | s.bound for v, names in s.cases[key].items()} for s in (a, b)]
        both = {v: ways[0][v] & ways[1][v] for v in ways[0].keys() & ways[1].keys()}
        cases[key] = ways[0] | ways[1] | both
    copies = dict(a.copies.items() & b.copies.items())
    opposites = dict(a.opposites.items() & b.opposites.items())
    return _State(a.bound & b.bound, cases, _implied(a, b), copies, opposites)


def _implied(a: _State, b: _State) -> dict[str, Bound]:
    """Return for each name that may be bound what is bound whenever it is.

    What was bound together implies the same: it is worked out once. What both ways know it to imply
    stays as it is: what is bound on both is bound behind them.
    """
    known: dict[Any, Bound] = {}
    implied = {**a.implied, **b.implied}
    met = map(is_not, map(a.implied.get, implied), map(b.implied.get, implied))
    both = a.implied.keys() & b.implied.keys()
    unlike = set(compress(implied, met)) | ((a.bound ^ b.bound) - both)
    for name in unlike:
        ways = [s for s in (a, b) if name in s.bound or name in s.implied]
        key = tuple((id(s), id(s.implied.get(name))) for s in ways)
        if key not in known:
            held = [s.bound | s.implied.get(name, s.bound) for s in ways]
            known[key] = frozenset.intersection(*held)
        implied[name] = known[key]
    return implied


@dataclass
class _Walk:
    """Follows the text of one function.

    Attributes
    ----------
    checked, users
        The names to look after; the local names that are the user's.
    paired
        Whether names of the tool's own are bound beside those of the user: tangents are.
    looped
        What the loops so far have bound.
    breaks
        The states in which the present loop is left.
    met
        What the statements so far bind, on whatever way.
    arms
        How many arms of branches are around the present place.
    found
        The readings of names that may not be bound: the statements, and the names.
    """

    checked: Bound
    users: Bound
    paired: bool
    looped: Bound = frozenset()
    breaks: list[_State] = field(default_factory=list)
    met: set[str] = field(default_factory=set)
    arms: int = 0
    found: list[tuple[Any, str]] = field(default_factory=list)

    def block(self, block: Iterable[Any], state: _State | None) -> _State | None:
        """Follow a block; None where control never comes to its end."""
        for s in block:
            if state is None:
                return None
            state = self.statement(s, state)
        return state

    def read(self, s: Stmt, state: _State, *parts: Any) -> _State:
        """Look after the names that parts of a statement read; return the state after it."""
        asked = set().union(*map(reads, parts)) - state.bound
        if not asked:
            return state
        sure = frozenset().union(*map(surely_read, parts))
        state = state.reading(self.users & sure, self.checked)
        missing = (asked & self.checked) - state.bound
        missing -= self.met if self.arms else self.met - sure
        if missing:
            missing = missing.difference(*map(_own_to_comprehensions, parts))
            missing = {key for key in missing if not self.stands_beside(key, state)}
            self.found += [(s, key) for key in sorted(missing)]
        return state

    def stands_beside(self, key: str, state: _State) -> bool:
        """Whether a name is bound whenever one of the user's is: a tangent is, with its primal."""
        beside = self.users & state.implied.get(key, frozenset())
        return self.paired and any(key in state.implied.get(k, ()) for k in beside)

    def statement(self, s: Stmt, state: _State) -> _State | None:
        if type(s) is gast.If:
            state = self.read(s, state, s.test)
            yes, no = state.where(s.test, True), state.where(s.test, False)
            self.arms += 1
            ends = self.block(s.body, yes), self.block(s.orelse, no)
            self.arms -= 1
            return _joined(*ends)
        if type(s) in LOOPS:
            return self.loop(s, state)
        if type(s) is gast.Try:
            return self.attempt(s, state)
        if type(s) is gast.With:
            state = self.read(s, state, *s.items)
            return self.block(s.body, state.binding(set().union(*map(binds, s.items))))
        if type(s) is gast.FunctionDef:
            self.block(s.body, state.binding([*parameters(s), s.name]))
            return state.binding([s.name])
        state = self.read(s, state, s)
        if type(s) is gast.AugAssign and type(s.target) is gast.Name:
            state = self.read(s, state, gast.Name(s.target.id, gast.Load(), None, None))
        if type(s) is gast.Break:
            self.breaks.append(state)
        if type(s) in JUMPS:
            return None
        names = binds(s)
        self.met |= names
        after = state.binding(names)
        if type(s) is gast.Assign and type(s.value) is gast.Constant:
            flags = [t.id for t in s.targets if type(t) is gast.Name]
            values: dict[Question, Cases] = {_flag(k): {s.value.value: frozenset()} for k in flags}
            return replace(after, cases={**after.cases, **values})
        if type(s) is gast.Assign and type(s.value) is gast.Name:
            copies = {t.id: s.value.id for t in s.targets if type(t) is gast.Name}
            return replace(after, copies={**after.copies, **copies})
        if type(s) is gast.Assign and (flag := _negated(s.value)) is not None:
            opposites = {t.id: flag for t in s.targets if type(t) is gast.Name}
            return replace(after, opposites={**after.opposites, **opposites})
        return after

    def loop(self, s: Stmt, state: _State) -> _State | None:
        """Follow a loop until what is bound at its head no longer changes."""
        state = self.read(s, state, s.iter if type(s) is gast.For else s.test)
        target = binds(s.target) if type(s) is gast.For else set()
        self.met |= target | binds_in_block(s.body)
        outer, known = self.breaks, self.looped
        head = state
        for rounds in range(_MOST_ROUNDS + 1):
            self.breaks, self.looped = [], known
            inside = head.binding(target)
            end = self.block(s.body, replace(inside, bound=inside.bound | known))
            joined = _joined(head, end)
            if joined is None or (joined.bound, joined.cases) == (head.bound, head.cases):
                head = joined or head
                break
            fixed = rounds + 1 == _MOST_ROUNDS
            head = head.binding(binds_in_block(s.body) & head.bound) if fixed else joined
        self.looped = known | binds_in_block(s.body) | target
        breaks, self.breaks = self.breaks, outer
        endless = type(s) is gast.While and type(s.test) is gast.Constant
        after = None if endless and s.test.value else self.block(s.orelse, head)
        for left in breaks:
            after = _joined(after, left)
        return after

    def attempt(self, s: Stmt, state: _State) -> _State | None:
        made = binds_in_block(s.body)
        self.met |= made
        done = self.block(s.orelse, self.block(s.body, state))
        thrown = state.binding(made)
        for handler in s.handlers:
            caught = (
                [handler.name]
                if isinstance(handler.name, str)
                else binds(handler.name or gast.Pass())
            )
            done = _joined(done, self.block(handler.body, thrown.binding(caught)))
        last = self.block(s.finalbody, thrown)
        if done is None or last is None:
            return None
        return done.binding(binds_in_block(s.finalbody))


def _own_to_comprehensions(tree: Tree) -> set[str]:
    """Collect the names that comprehensions and lambdas in a tree have for themselves."""
    found: set[str] = set()
    for part in nodes(tree):
        if type(part) is gast.comprehension:
            found |= binds(part.target)
        elif type(part) is gast.Lambda:
            found.update(parameters(part))
    return found


def unbound_reads(
    function: Any, users: Collection[str], paired: bool = False, nowhere: Collection[str] = ()
) -> list[tuple[Any, str]]:
    """List the names that a generated function may read where they are not bound.

    Parameters
    ----------
    function
        The tree of the function.
    users
        Names that the user wrote, which are not looked after.
    paired
        Whether it computes tangents, each beside its primal and bound where that is bound.
    nowhere
        Names that it reads and nothing binds, neither in it nor outside.

    Returns
    -------
    list of tuples
        The statements that read them, and the names.

    Examples
    --------
    >>> [f] = gast.parse('''
    ... def f(x, c):
    ...     if c:
    ...         t = x * x
    ...     y = 2.0 * x
    ...     if c:
    ...         y = y + t
    ...     return y + t
    ... ''').body
    >>> [(statement, key)] = unbound_reads(f, {"x"})
    >>> key, gast.unparse(statement).strip()
    ('t', 'return y + t')
    """
    made = set().union(
        *(binds_in_block(f.body) for f in nodes(function) if type(f) is gast.FunctionDef)
    )
    given = frozenset(parameters(function))
    checked = frozenset(made.union(nowhere) - set(users) - given)
    walk = _Walk(checked, frozenset(made & set(users)), paired)
    walk.block(function.body, _State(given))
    return walk.found
