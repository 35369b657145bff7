"""The one walk along the ways that control takes: through branches, loops, jumps and `try`.

An analysis asks what holds at each place of a function, on all ways that lead there (`Forward`) or on
all ways that lead on from there (`Backward`). It says what a statement does to what holds, its
*transfer*, and what holds where two ways meet, its *join*. The walk knows the rest: where a `break`
goes, that a loop may make no trip or many, that an exception may come anywhere in the body of a `try`,
that a `finally` is on every way out.

The code is structured, so no graph is built: each statement turns what holds on one side of it into
what holds on the other. A loop is gone through until nothing changes any more. When an outer loop
comes to an inner one again, this starts from what it had settled on, so nested loops take few rounds.
That they settle is asserted: an analysis that went back and forth would be an error of the tool's.

References
----------
.. [1] G. A. Kildall, "A unified approach to global program optimization", POPL 1973.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar

import gast

from tapeless.errors import PLEASE_REPORT, InternalError
from tapeless.tree.blocks import is_errstate
from tapeless.tree.trees import Expr, Stmt, Tree
from tapeless.tree.truths import decided

State = TypeVar("State")
Exits = dict[type, State]
"""What holds at the jumps out of a place, by their class; exceptions count as `Raise`."""

_MOST_ROUNDS = 1_000


class _Walk(Generic[State]):
    """What both walks ask of an analysis.

    Attributes
    ----------
    before, after
        What holds in front of and behind each statement that the walk came to.
    heads
        What holds at the head of each loop.
    attempts
        How many statements are around a place that may catch what is raised there.
    """

    def __init__(self) -> None:
        self.before: dict[Stmt, State] = {}
        self.after: dict[Stmt, State] = {}
        self.heads: dict[Stmt, State] = {}
        self.attempts = 0

    def join(self, a: State, b: State) -> State:
        """Return what holds where two ways meet."""
        raise NotImplementedError

    def simple(self, s: Stmt, state: State) -> State:
        """Return what holds on the other side of a statement without blocks."""
        raise NotImplementedError

    def test(self, s: Stmt, state: State) -> State:
        """Return what holds on the other side of the test of an `if` or `while`."""
        return state

    def opening(self, s: Stmt, state: State) -> State:
        """Return what holds on the other side of what a `for` or `with` evaluates first, and once."""
        return state

    def item(self, s: Stmt, state: State) -> State:
        """Return what holds on the other side of where a `for` binds its next item."""
        return state

    def caught(self, handler: Tree, state: State) -> State:
        """Return what holds on the other side of where a handler takes over."""
        return state

    def truth(self, test: Expr) -> bool | None:
        """Decide a test where its text does; None where it may give either."""
        return decided(test)

    def note(self, places: dict[Stmt, State], s: Stmt, state: State) -> None:
        """Note what holds beside a statement, on this way to it as on those before."""
        places[s] = self.join(places[s], state) if s in places else state

    def is_endless(self, s: Stmt) -> bool:
        """Whether a loop ends by jumps only."""
        return type(s) is gast.While and self.truth(s.test) is True

    def settle(self, s: Stmt, head: State, trip: Callable[[State], State]) -> State:
        """Make trips through a loop until what holds at its head stays the same."""
        if s in self.heads:
            head = self.join(head, self.heads[s])
        for _ in range(_MOST_ROUNDS):
            found = self.join(head, trip(head))
            if found == head:
                self.heads[s] = head
                return head
            head = found
        message = f"what holds at the head of the loop in line {s.lineno} does not settle"
        raise InternalError(message, fix=PLEASE_REPORT)


class Backward(_Walk[State]):
    """Go from the end of a block to its start.

    Parameters
    ----------
    nowhere
        What holds where no way leads on: the join of it and any state is this state.

    Attributes
    ----------
    handlers
        What holds in front of where each handler takes over.
    raised
        For each statement that may be interrupted, what holds where that leads.
    exits
        What holds where a jump at the present place leads to.

    Examples
    --------
    Which names are read later on?

    >>> class Read(Backward[frozenset[str]]):
    ...     def join(self, a, b):
    ...         return a | b
    ...     def simple(self, s, state):
    ...         return (state - binds(s)) | set(reads(s))
    >>> from tapeless.tree.names import binds, reads
    >>> loop, last = gast.parse("for i in n:\\n    y = x\\n    x = y\\nz = i").body
    >>> found = Read(frozenset())
    >>> sorted(found.block([loop, last], frozenset()))
    ['i', 'x']
    >>> sorted(found.after[loop.body[0]])
    ['i', 'y']
    """

    def __init__(self, nowhere: State) -> None:
        super().__init__()
        self.nowhere = nowhere
        self.handlers: dict[Tree, State] = {}
        self.raised: dict[Tree, State] = {}
        # a block may stand for itself, without the loop that it is jumped out of
        jumps = (gast.Return, gast.Raise, gast.Break, gast.Continue)
        self.exits: Exits[State] = dict.fromkeys(jumps, nowhere)

    def block(self, block: list[Stmt], after: State) -> State:
        """Return what holds in front of a block."""
        for s in reversed(block):
            self.note(self.after, s, after)
            walk = self._walks.get(type(s))
            after = self.simple(s, after) if walk is None else walk(self, s, after)
            if self.exits[gast.Raise] is not self.nowhere:
                self.note(self.raised, s, self.exits[gast.Raise])
                after = self.interrupted(after, self.exits[gast.Raise])
            self.note(self.before, s, after)
        return after

    def interrupted(self, before: State, raised: State) -> State:
        """Return what holds in front of a statement that may be interrupted."""
        return self.join(before, raised)

    def _jump(self, s: Stmt, after: State) -> State:
        return self.simple(s, self.exits[type(s)])

    def _if(self, s: Stmt, after: State) -> State:
        yes, no = self.block(s.body, after), self.block(s.orelse, after)
        truth = self.truth(s.test)
        return self.test(s, self.join(yes, no) if truth is None else yes if truth else no)

    def _loop(self, s: Stmt, after: State) -> State:
        around = self.exits
        ended = self.nowhere if self.is_endless(s) else self.block(s.orelse, after)

        def trip(head: State) -> State:
            self.exits = {**around, gast.Break: after, gast.Continue: head}
            start = self.block(s.body, head)
            if type(s) is gast.For:
                return self.join(ended, self.item(s, start))
            return self.test(s, self.join(ended, start))

        head = self.settle(s, ended, trip)
        self.exits = around
        return self.opening(s, head) if type(s) is gast.For else head

    def _with(self, s: Stmt, after: State) -> State:
        if is_errstate(s):
            return self.opening(s, self.block(s.body, after))
        around = self.exits
        raised = self.join(around[gast.Raise], after)  # the manager may swallow what is raised
        self.exits = {**around, gast.Raise: raised}
        self.attempts += 1
        start = self.join(self.block(s.body, after), raised)
        self.attempts -= 1
        self.exits = around
        return self.opening(s, start)

    def _try(self, s: Stmt, after: State) -> State:
        around = self.exits
        self.attempts += 1
        if s.finalbody:
            self.exits = {jump: self.block(s.finalbody, to) for jump, to in around.items()}
            after = self.block(s.finalbody, after)
        raised = self.exits[gast.Raise]
        for handler in s.handlers:
            self.handlers[handler] = self.caught(handler, self.block(handler.body, after))
            raised = self.join(raised, self.handlers[handler])
        after = self.block(s.orelse, after)
        self.exits = {**self.exits, gast.Raise: raised}
        start = self.join(self.block(s.body, after), raised)
        self.attempts -= 1
        self.exits = around
        return start

    _walks: ClassVar[dict[type, Callable[..., Any]]] = {
        gast.Return: _jump,
        gast.Raise: _jump,
        gast.Break: _jump,
        gast.Continue: _jump,
        gast.If: _if,
        gast.For: _loop,
        gast.While: _loop,
        gast.With: _with,
        gast.Try: _try,
    }


class Forward(_Walk[State]):
    """Go from the start of a block to its end; None stands for where control does not come.

    Attributes
    ----------
    exits
        What holds at the jumps met so far that lead out of the present place.

    Examples
    --------
    Which names are surely bound?

    >>> class Bound(Forward[frozenset[str]]):
    ...     def join(self, a, b):
    ...         return a & b
    ...     def simple(self, s, state):
    ...         return state | binds(s)
    >>> from tapeless.tree.names import binds
    >>> text = "while c:\\n    if x:\\n        y = 1\\n        break\\n    z = y = 2\\nelse:\\n    y = 3"
    >>> found = Bound()
    >>> sorted(found.block(gast.parse(text).body, frozenset()))
    ['y']
    """

    def __init__(self) -> None:
        super().__init__()
        self.exits: Exits[State] = {}

    def where(self, test: Expr, state: State, answer: bool) -> State | None:
        """Return what holds where a test has given an answer; None where it cannot."""
        return None if self.truth(test) is (not answer) else state

    def handled(self, handler: Tree, state: State) -> State:
        """Return what holds behind the end of a handler."""
        return state

    def block(self, block: list[Stmt], state: State | None) -> State | None:
        """Return what holds behind a block."""
        for s in block:
            if state is None:
                return None
            self.note(self.before, s, state)
            self._may_raise(state)
            walk = self._walks.get(type(s))
            state = self.simple(s, state) if walk is None else walk(self, s, state)
            if state is not None:
                self.note(self.after, s, state)
        return state

    def _met(self, a: State | None, b: State | None) -> State | None:
        if a is None or b is None:
            return b if a is None else a
        return self.join(a, b)

    def _leave(self, jump: type, state: State | None) -> None:
        left = self._met(self.exits.get(jump), state)
        if left is not None:
            self.exits[jump] = left

    def _may_raise(self, state: State) -> None:
        if self.attempts:
            self._leave(gast.Raise, state)

    def _jump(self, s: Stmt, state: State) -> None:
        self._leave(type(s), self.simple(s, state))

    def _if(self, s: Stmt, state: State) -> State | None:
        state = self.test(s, state)
        yes = self.block(s.body, self.where(s.test, state, True))
        return self._met(yes, self.block(s.orelse, self.where(s.test, state, False)))

    def _loop(self, s: Stmt, state: State) -> State | None:
        around, self.exits = self.exits, {}

        def trip(head: State) -> State:
            self._may_raise(head)
            if type(s) is gast.For:
                end = self.block(s.body, self.item(s, head))
            else:
                end = self.block(s.body, self.where(s.test, self.test(s, head), True))
            found = self._met(end, self.exits.get(gast.Continue))
            return head if found is None else found

        head = self.settle(s, self.opening(s, state) if type(s) is gast.For else state, trip)
        ended = head if type(s) is gast.For else self.where(s.test, self.test(s, head), False)
        breaks = self.exits.pop(gast.Break, None)
        self.exits.pop(gast.Continue, None)
        inner, self.exits = self.exits, around
        for jump, left in inner.items():
            self._leave(jump, left)
        return self._met(self.block(s.orelse, ended), breaks)

    def _with(self, s: Stmt, state: State) -> State | None:
        state = self.opening(s, state)
        if is_errstate(s):
            return self.block(s.body, state)
        end, raised = self._attempted(s.body, state)
        self._may_raise(raised)
        return self._met(end, raised)  # the manager may swallow what is raised

    def _attempted(self, block: list[Stmt], state: State) -> tuple[State | None, State]:
        """Return what holds behind a block, and where what is raised in it is caught."""
        outside = self.exits.pop(gast.Raise, None)
        self.exits[gast.Raise] = state
        self.attempts += 1
        end = self.block(block, state)
        self.attempts -= 1
        raised = self.exits.pop(gast.Raise)
        self._leave(gast.Raise, outside)
        return end, raised

    def _try(self, s: Stmt, state: State) -> State | None:
        around, self.exits = self.exits, {}
        self.attempts += bool(s.finalbody)
        end, raised = self._attempted(s.body, state)
        end = self.block(s.orelse, end)
        self._leave(gast.Raise, raised)  # no handler may fit
        for handler in s.handlers:
            handled = self.block(handler.body, self.caught(handler, raised))
            end = self._met(end, None if handled is None else self.handled(handler, handled))
        self.attempts -= bool(s.finalbody)
        inner, self.exits = self.exits, around
        for jump, left in inner.items():
            self._leave(jump, self.block(s.finalbody, left))
        return self.block(s.finalbody, end)

    _walks: ClassVar[dict[type, Callable[..., Any]]] = {
        gast.Return: _jump,
        gast.Raise: _jump,
        gast.Break: _jump,
        gast.Continue: _jump,
        gast.If: _if,
        gast.For: _loop,
        gast.While: _loop,
        gast.With: _with,
        gast.Try: _try,
    }
