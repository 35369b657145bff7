"""A `try` around loops and branches becomes one around each run of statements that may raise.

    try:                                interrupted = False
        for v in x:                     for v in x:
            if v < 0.0:                     if v < 0.0:
                raise ValueError                interrupted = True
            total += f(v)        ->             break
    except ValueError:                      try:
        total *= 2.0                            total += f(v)
                                            except ValueError:
                                                interrupted = True
                                                break
                                        if interrupted:
                                            total *= 2.0

How far the body came is then said by its own loops and branches, and the reverse sweep goes back from there.
A `try` stays whole unless a loop or a branch in it, or what stands before one that may raise, changes what
carries a derivative and is read once the exception is handled. One that is tried again and again is taken
apart for the sake of what its loops keep.
"""

from __future__ import annotations

import sys
import traceback
import types
from dataclasses import dataclass
from typing import Any

import gast

from tapeless.analysis.exceptions import Exceptions, caught
from tapeless.analysis.raised import Operands, head_may_raise, may_raise
from tapeless.externals import is_one_of
from tapeless.kinds import Array, Instance, Kind
from tapeless.specialize.generators import may_raise_in_step
from tapeless.specialize.state import Specializer
from tapeless.specialize.stores import stored_in
from tapeless.tree.build import assign, at_line_of, const, name, unshared
from tapeless.tree.classes import ATOMS, BRANCHING, LOOPS, TESTED
from tapeless.tree.endings import blocks_of, own_jumps, taking_over
from tapeless.tree.liveness import Liveness
from tapeless.tree.names import binds, binds_in_block, nodes, reads
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Stmt

_ASKING = (sys.exc_info, traceback.format_exc, traceback.print_exc)
# What a statement may raise whatever it does: it has to stay within its `try`.
_ANYWHERE = (MemoryError, NameError, RecursionError, Warning, KeyboardInterrupt)


class _Whole(Exception):
    """A `try` cannot be taken apart."""


def attempt_in_pieces(specializer: Specializer, s: Stmt) -> list[Stmt] | None:
    """Write a `try` as one around each run of statements that may raise; None where it stays whole.

    Parameters
    ----------
    specializer
        Knows the function.
    s
        The `try`.
    """
    live = _live_once_handled(specializer, s)
    classes = caught(specializer.function, s.handlers)
    if live is None or not any(
        _changes(specializer, part, live) for part in _beside_branches(specializer, s, classes)
    ):
        return None
    if any(issubclass(cls, _ANYWHERE) for cls in classes) or not all(map(_is_named, s.handlers)):
        return None
    if any(is_one_of(found, _ASKING) for found in _called(specializer, s)):
        return None
    fresh = specializer.names.fresh
    error = fresh("error") if any(map(_reads_error, s.handlers)) else None
    try:
        made = _Pieces(specializer, s, live, classes, fresh("interrupted"), error).written()
    except _Whole:
        return None
    return [gast.Try(made, [], [], s.finalbody)] if s.finalbody else made


def _is_named(handler: Any) -> bool:
    """Whether what a handler catches is named, so that each piece can name it again."""
    kinds = handler.type.elts if type(handler.type) is gast.Tuple else [handler.type]
    return all(kind is None or type(kind) in (gast.Name, gast.Attribute) for kind in kinds)


def _called(specializer: Specializer, s: Stmt) -> list[Any]:
    parts = [part for handler in s.handlers for part in nodes(handler)]
    calls = [part.func for part in parts if type(part) is gast.Call]
    return [specializer.function.resolve(f) for f in calls]


def _live_once_handled(specializer: Specializer, s: Stmt) -> set[str] | None:
    """Name what is read once an exception is handled, or in the next trip; None where none is handled."""
    handlers = taking_over(s)
    if not handlers or not any(type(part) in BRANCHING for part in s.body):
        return None
    loops = [part for part in nodes(specializer.function.tree, nested=False) if type(part) in LOOPS]
    if any(part is s for loop in loops for part in nodes(loop)):
        return binds_in_block(s.body)
    return _read_once_handled(specializer, handlers)


def _read_once_handled(specializer: Specializer, handlers: list[Any]) -> set[str]:
    live = Liveness(specializer.function.tree).handlers
    return {key for handler in handlers for key in live.get(handler, ())}


def _beside_branches(specializer: Specializer, s: Any, classes: Exceptions) -> list[Any]:
    """List the loops and branches of a `try`, and what one that may raise stands behind."""
    found: list[Any] = []
    raised_later = False
    for part in reversed(s.body):
        branches = type(part) in BRANCHING
        if branches or raised_later:
            found.append(part)
        raised_later = raised_later or branches and may_raise(specializer.operands, part, classes)
    return found


def _changes(specializer: Specializer, s: Stmt, live: set[str]) -> bool:
    """Whether a statement changes what carries a derivative, and may be read later."""
    facts = specializer.facts
    inside = (p for p in nodes(s) if p is not s) if blocks_of(s) else [s]
    for part in (p for p in inside if p in facts.before):
        found = facts.results.get(part)
        for key in binds(part) & live if not blocks_of(part) else ():
            before = facts.before[part].get(key)
            if found is not None and found.varied or before is not None and before.varied:
                return True
    return not stored_in(specializer, [s]).isdisjoint(facts.varied)


@dataclass
class _Pieces:
    """The parts of a `try`, as they are taken apart.

    Attributes
    ----------
    specializer
        Knows the function, and gives names.
    s, live
        The `try`, and what is read once an exception is handled.
    classes
        What the handlers catch.
    flag
        The name of what says by which handler an exception was caught.
    error
        The name of the exception, where a handler reads it.
    """

    specializer: Specializer
    s: Stmt
    live: set[str]
    classes: Exceptions
    flag: str
    error: str | None

    @property
    def here(self) -> Operands:
        """What is known of the operands of its statements."""
        return self.specializer.operands

    def written(self) -> list[Any]:
        """Write the pieces, and behind them what handles the exception."""
        start = [assign(self.flag, const(self.mark(0)))]
        if self.error is not None:
            start.append(assign(self.error, const(None)))
        made = [*start, *self.block(self.s.body, False), *self.handled()]
        if not any(self.flag in reads(part) for part in made):
            made = _Unbound(self.flag).listed(made)
        return [at_line_of(part, self.s) for part in made]

    def handled(self) -> list[Any]:
        """Write what the handlers do, if they do anything."""
        handled: list[Any] = self.s.orelse
        if not handled and all(type(part) is gast.Pass for h in self.s.handlers for part in h.body):
            return []
        for i, handler in reversed(list(enumerate(self.s.handlers, 1))):
            test: Any = name(self.flag)
            if len(self.s.handlers) > 1:
                test = gast.Compare(test, [gast.Eq()], [const(i)])
            handled = [gast.If(test, self.handling(handler), handled)]
        return handled

    def mark(self, i: int) -> Any:
        """Return what the flag holds once a handler, counted from 1, has caught an exception."""
        return bool(i) if len(self.s.handlers) == 1 else i

    def handling(self, handler: Any) -> list[Any]:
        """Write what a handler does, once the exception is a value."""
        if self.error is None:
            return list(handler.body)
        bound = [assign(handler.name.id, name(self.error))] if handler.name else []
        again = _RaisesAgain(self.error)
        return [*bound, *again.listed(unshared(gast.Module(handler.body, [])).body)]

    def block(self, block: list[Any], in_loop: bool) -> list[Any]:
        """Write the statements of a block, each run of those that may raise in a `try` of its own."""
        made: list[Any] = []
        rest = list(block)
        while rest:
            leaves = False
            caught_by = self.surely_caught_by(rest[0])
            if caught_by:
                return [*made, self.marked(caught_by), *([gast.Break()] if in_loop else [])]
            if not self.may_raise(rest[0]):
                made.append(rest.pop(0))
                continue
            if self.is_taken_apart(rest[0]):
                first, whole = self.head_apart(rest.pop(0))
                if first:
                    rest = [*first, whole, *rest]
                    continue
                piece = self.apart(whole, in_loop)
            else:
                run = self.run(rest)
                leaves = in_loop and not any(map(self.leaves_behind, run[:-1]))
                piece, rest = self.attempt(run, leaves), rest[len(run) :]
            made.append(piece)
            if in_loop and type(piece) is not gast.If and not leaves:
                made.append(gast.If(name(self.flag), [gast.Break()], []))
            elif rest and not in_loop:
                going_on = gast.UnaryOp(gast.Not(), name(self.flag))
                return [*made, gast.If(going_on, self.block(rest, in_loop), [])]
        return made

    def run(self, block: list[Any]) -> list[Any]:
        """Return the statements that a block begins with and that go into one `try`."""
        count, changed = 0, False
        for i, part in enumerate(block):
            changes = _changes(self.specializer, part, self.live)
            ends = type(part) in BRANCHING and (changes or changed and self.may_raise(part))
            if ends or own_jumps(part) or self.surely_caught_by(part) or self.is_taken_apart(part):
                break
            changed = changed or changes
            count = i + 1 if self.may_raise(part) else count
        if not count or block[:count] == self.s.body:
            raise _Whole
        return block[:count]

    def leaves_behind(self, s: Stmt) -> bool:
        """Whether a statement changes what may be read once an exception of a later one is handled."""
        live = _read_once_handled(self.specializer, self.s.handlers)
        stores = stored_in(self.specializer, [s])
        return bool(binds(s) & live or stores & self.specializer.facts.varied)

    def attempt(self, run: list[Any], leaves: bool) -> Any:
        """Write a `try` whose handlers only note which one took over; it then `leaves` its loop."""
        handlers = []
        for i, handler in enumerate(self.s.handlers, 1):
            error = None if self.error is None else self.specializer.names.fresh("e")
            kept = [] if error is None or self.error is None else [assign(self.error, name(error))]
            bound = None if error is None else gast.Name(error, gast.Store(), None, None)
            leaving = [gast.Break()] if leaves else []
            made = gast.ExceptHandler(
                unshared(handler.type), bound, [self.marked(i), *kept, *leaving]
            )
            handlers.append(at_line_of(made, handler))
        return gast.Try(run, handlers, [], [])

    def marked(self, i: int) -> Any:
        return assign(self.flag, const(self.mark(i)))

    def may_raise(self, s: Stmt) -> bool:
        """Whether a statement may raise what is caught; a generator raises in its own place."""
        if may_raise_in_step(self.specializer, s, self.classes):
            raise _Whole
        return may_raise(self.here, s, self.classes)

    def is_taken_apart(self, s: Stmt) -> bool:
        """Whether a loop or branch that may raise changes what is read later, or is left from within."""
        if type(s) not in BRANCHING or not self.may_raise(s):
            return False
        left = own_jumps(s) or any(map(self.surely_caught_by, nodes(s)))
        return bool(left) or _changes(self.specializer, s, self.live)

    def head_apart(self, s: Any) -> tuple[list[Any], Any]:
        """Return what is computed before a loop or branch, and this without it in its head."""
        if type(s) in TESTED and not _is_plain_truth(self.here.kind(s, s.test)):
            raise _Whole
        if not head_may_raise(self.here, s, self.classes):
            return [], s
        if type(s) is gast.For or s.orelse and type(s) is gast.While:
            raise _Whole
        test = self.specializer.names.fresh("c")
        computed = at_line_of(assign(test, s.test), s)
        if type(s) is gast.If:
            return [computed], at_line_of(gast.If(name(test), s.body, s.orelse), s)
        ends = gast.If(gast.UnaryOp(gast.Not(), name(test)), [gast.Break()], [])
        body = [computed, at_line_of(ends, s), *s.body]
        return [], at_line_of(gast.While(const(True), body, []), s)

    def apart(self, s: Any, in_loop: bool) -> Any:
        """Write a loop or branch with pieces in its blocks."""
        body = self.block(s.body, in_loop or type(s) in LOOPS)
        made = type(s)(**{key: getattr(s, key) for key in s._fields})
        made.body, made.orelse = body, self.block(s.orelse, in_loop)
        return at_line_of(made, s)

    def surely_caught_by(self, s: Any) -> int:
        """Return which handler, counted from 1, surely catches what a statement only raises; 0 if none."""
        if type(s) is not gast.Raise or self.error is not None or s.exc is None:
            return 0
        made = type(s.exc) is gast.Call
        given = [*s.exc.args, *(k.value for k in s.exc.keywords)] if made else []
        [raised] = self.classes_of(s.exc.func if made else s.exc)
        if raised is BaseException or isinstance(raised.__init__, types.FunctionType):
            return 0
        if not all(type(tree) in ATOMS for tree in given):
            return 0
        for i, handler in enumerate(self.s.handlers, 1):
            classes = self.classes_of(handler.type)
            if any(issubclass(raised, cls) for cls in classes):
                return 0 if BaseException in classes else i
        return 0

    def classes_of(self, tree: Any) -> Exceptions:
        return caught(self.specializer.function, [gast.ExceptHandler(tree, None, [])])


class _RaisesAgain(Transformer):
    """Lets a bare `raise` raise the exception by its name."""

    def __init__(self, error: str) -> None:
        self.error = error

    def visit_Try(self, tree: Stmt) -> Any:
        return tree  # a bare `raise` in its handlers is of another exception

    def visit_Raise(self, tree: Stmt) -> Any:
        return tree if tree.exc else at_line_of(gast.Raise(name(self.error), None), tree)


class _Unbound(Transformer):
    """Drops the bindings of a name that nothing reads."""

    def __init__(self, key: str) -> None:
        self.key = key

    def generic_visit(self, tree: Stmt) -> Any:
        """Visit the parts of a statement, whose block has to hold something."""
        super().generic_visit(tree)
        if getattr(tree, "body", None) == []:
            tree.body = [gast.Pass()]
        return tree

    def visit_Assign(self, tree: Stmt) -> Any:
        """Leave out a binding."""
        return None if binds(tree) == {self.key} else tree


def _is_plain_truth(kind: Kind) -> bool:
    """Whether asking a value for its truth runs no code that may raise."""
    return not isinstance(kind, Instance) and not (isinstance(kind, Array) and kind.dims)


def _reads_error(handler: Any) -> bool:
    """Whether a handler reads the exception that it catches, or raises it again."""
    parts = [part for s in handler.body for part in nodes(s)]
    again = any(type(part) is gast.Raise and part.exc is None for part in parts)
    return again or bool(handler.name) and any(handler.name.id in reads(s) for s in handler.body)
