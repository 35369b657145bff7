"""Both sweeps of a statement, side by side.

The reverse sweep mirrors the forward sweep, so each forward statement is kept together with what
reverses it until it is known which values must be saved between the two. A save is put before or after
a forward statement and its restore at the mirrored place; then `forward_sweep` and `reverse_sweep`
read off the two texts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import gast

from tapeless.tree.build import at_line_of
from tapeless.tree.trees import Expr


@dataclass
class Step:
    """A simple statement: what runs forward, what reverses it."""

    statement: Any
    forward: list[Any]
    reverse: list[Any] = field(default_factory=list)


@dataclass
class Branch:
    """An `if`: `reverse_test` decides in the reverse sweep which branch ran."""

    statement: Any
    test: Any
    reverse_test: Any
    body: list[Mirrored]
    orelse: list[Mirrored]
    lead: list[Any] = field(default_factory=list)
    ends: tuple[list[Any], list[Any]] = ((), ())  # type: ignore[assignment]
    reverse: list[Any] = field(default_factory=list)
    before: list[Any] = field(default_factory=list)


@dataclass
class Continuation:
    """What follows a statement that may jump: reversed only where no jump was taken."""

    statement: Any
    reverse_test: Any
    body: list[Mirrored]
    lead: list[Any] = field(default_factory=list)
    end: list[Any] = field(default_factory=list)
    reverse: list[Any] = field(default_factory=list)


@dataclass
class Loop:
    """A loop: the header of its reverse, what the reverse body starts and ends with."""

    statement: Any
    body: list[Mirrored]
    header: Any = None
    start: list[Any] = field(default_factory=list)
    end: list[Any] = field(default_factory=list)
    lead: list[Any] = field(default_factory=list)
    forward_end: list[Any] = field(default_factory=list)
    orelse: list[Mirrored] = field(default_factory=list)
    reverse: list[Any] = field(default_factory=list)
    rebinds: set[str] = field(default_factory=set)
    before: list[Any] = field(default_factory=list)
    frozen: dict[str, str] = field(default_factory=dict)
    counter: str | None = None
    ends: TripEnds | None = None


@dataclass(frozen=True)
class TripEnds:
    """Where the trips of a loop with jumps ended: a stack of numbers, and the one taken from it."""

    stack: str
    end: str


@dataclass
class MirroredWith:
    """A `with` block; with `again` the reverse sweep of its body runs inside the same context too."""

    statement: Any
    body: list[Mirrored]
    again: bool
    reverse: list[Any] = field(default_factory=list)


@dataclass
class MirroredBody:
    """The body of a `try`, reversed only where it was not interrupted; or its `finally`."""

    statement: Any
    body: list[Mirrored]
    reverse: list[Any] = field(default_factory=list)


@dataclass
class MirroredTry:
    """A `try` with handlers.

    Attributes
    ----------
    body
        The ways through it that come out at the end, as one item: nested branches by the number of
        the handler that took over, of which the last arm is the body with its `else`.
    ways
        All ways: the body with its `else`, then the handlers; lists that `body` shares.
    mark
        The name that says which handler took over, where the reverse sweep asks.
    segments
        What the body starts with and is reversed as far as it was done, whatever came after.
    lead
        What the reverse sweep starts with.
    before
        What runs before the body, whatever comes of it.
    """

    statement: Any
    body: list[Mirrored]
    ways: list[list[Mirrored]]
    mark: str | None = None
    segments: list[Continuation] = field(default_factory=list)
    lead: list[Any] = field(default_factory=list)
    before: list[Any] = field(default_factory=list)
    reverse: list[Any] = field(default_factory=list)


@dataclass
class Finally:
    """A `try` with `finally`: its body, and after it what always runs."""

    statement: Any
    body: list[Mirrored]
    before: list[Any] = field(default_factory=list)
    reverse: list[Any] = field(default_factory=list)


Compound = Branch | Continuation | Loop | MirroredWith | MirroredBody | MirroredTry | Finally
Mirrored = Step | Compound


def blocks_of(items: list[Mirrored]) -> list[list[Mirrored]]:
    """List a block and the blocks inside of it."""
    found = [items]
    for item in items:
        if not isinstance(item, Step):
            found += blocks_of(item.body)
            if isinstance(item, (Branch, Loop)):
                found += blocks_of(item.orelse)
    return found


def forward_sweep(items: Iterable[Mirrored]) -> list[Any]:
    """Read off the forward statements."""
    made: list[Any] = []
    for item in items:
        made += _forward(item)
    return made


def _forward(item: Mirrored) -> list[Any]:
    if isinstance(item, Step):
        return _with_lines(item.forward, item.statement)
    if isinstance(item, Continuation):
        return forward_sweep(item.body)
    if isinstance(item, Branch):
        body = forward_sweep(item.body) or [gast.Pass()]
        made = gast.If(item.test, body, forward_sweep(item.orelse))
        return [*item.before, at_line_of(made, item.statement)]
    if isinstance(item, MirroredWith):
        body = forward_sweep(item.body) or [gast.Pass()]
        return _with_lines([gast.With(item.statement.items, body, None)], item.statement)
    if isinstance(item, MirroredBody):
        return forward_sweep(item.body)
    if isinstance(item, MirroredTry):
        return _forward_attempt(item)
    if isinstance(item, Finally):
        return _forward_finally(item)
    s = item.statement
    body = [*forward_sweep(item.body), *item.forward_end] or [gast.Pass()]
    orelse = forward_sweep(item.orelse)
    if type(s) is gast.While:
        loop = gast.While(s.test, body, orelse)
    else:
        loop = gast.For(s.target, s.iter, body, orelse, None)
    return _with_lines([*item.before, loop], s)


def _with_lines(statements: list[Any], origin: Any) -> list[Any]:
    """Give statements that have no line, saves and restores above all, that of what they serve.

    A reversed `if` has none of its own, for it is not the one that the author wrote; its test has.
    """
    for s in statements:
        if getattr(s, "lineno", None) is not None:
            continue
        if type(s) is gast.For:
            gast.copy_location(s, origin)
            at_line_of(s.target, origin)
            at_line_of(s.iter, origin)
        else:
            at_line_of(s.test if type(s) is gast.If else s, origin)
    return list(statements)


def _around_body(items: list[Mirrored]) -> tuple[list[Any], list[Any]]:
    """Return the statements of the body of a `try`, and those that follow it."""
    at = next(i for i, item in enumerate(items) if isinstance(item, MirroredBody))
    return forward_sweep(items[: at + 1]) or [gast.Pass()], forward_sweep(items[at + 1 :])


def _forward_attempt(item: MirroredTry) -> list[Any]:
    s = item.statement
    parts = [part for part in item.body if not any(part is own for own in item.segments)]
    at = next(i for i, part in enumerate(parts) if isinstance(part, Branch))
    lead, trail = forward_sweep(parts[:at]), forward_sweep(parts[at + 1 :])
    body, orelse = _around_body(item.ways[0])
    if item.segments:
        body = [*forward_sweep(item.segments), *body]
    handlers = [
        at_line_of(gast.ExceptHandler(h.type, h.name, forward_sweep(way) or [gast.Pass()]), h)
        for h, way in zip(s.handlers, item.ways[1:], strict=True)
    ]
    return [*item.before, *lead, at_line_of(gast.Try(body, handlers, orelse, []), s), *trail]


def _forward_finally(item: Finally) -> list[Any]:
    """Write `finally` beneath the handlers of an attempt that is all its body consists of."""
    body, final = _around_body(item.body)
    final = final or [gast.Pass()]
    *lead, last = body
    numbers = all(type(getattr(s, "value", None)) is gast.Constant for s in lead)
    if type(last) is gast.Try and not last.finalbody and numbers:
        made = gast.Try(last.body, last.handlers, last.orelse, final)
        return [*item.before, *lead, at_line_of(made, item.statement)]
    return [*item.before, at_line_of(gast.Try(body, [], [], final), item.statement)]


def is_idle(item: Branch | Loop) -> bool:
    """Whether nothing of a branch or loop is reversed: to the reverse sweep it is one step.

    This is asked when the branch or loop is written, and again when its saves are put in; nothing is
    added to an idle one in between, so that its test is decided and its trips are counted where, and
    only where, something stands under them.
    """
    if isinstance(item, Loop):
        return not (reverse_sweep(item.body) or item.end)
    return not (reverse_sweep(item.body) or reverse_sweep(item.orelse) or any(item.ends))


def reverse_sweep(items: list[Mirrored]) -> list[Any]:
    """Read off the reverse statements, last statement first."""
    made: list[Any] = []
    for item in reversed(items):
        made += _reverse(item)
    return made


def _reverse(item: Mirrored) -> list[Any]:
    if isinstance(item, Step):
        return _with_lines(item.reverse, item.statement)
    if isinstance(item, Branch):
        yes = reverse_sweep(item.body) + list(item.ends[0])
        no = reverse_sweep(item.orelse) + list(item.ends[1])
        made = [*item.lead, *conditional(item.reverse_test, yes, no), *item.reverse]
    elif isinstance(item, Continuation):
        body = reverse_sweep(item.body) + item.end
        made = [*item.lead, *conditional(item.reverse_test, body, []), *item.reverse]
    elif isinstance(item, MirroredWith):
        body = reverse_sweep(item.body)
        if body and item.again:
            body = [gast.With(item.statement.items, body, None)]
        made = [*body, *item.reverse]
    elif isinstance(item, MirroredTry):
        made = [*item.lead, *reverse_sweep(item.body), *item.reverse]
    elif isinstance(item, (MirroredBody, Finally)):
        made = [*reverse_sweep(item.body), *item.reverse]
    else:
        inner = reverse_sweep(item.body)
        made = list(item.lead)
        if not is_idle(item):
            start, end = (_with_lines(part, item.statement) for part in (item.start, item.end))
            body = [*start, *inner, *end]
            made.append(gast.For(item.header.target, item.header.iter, body, [], None))
        made += item.reverse
    return _with_lines(made, item.statement)


def conditional(test: Expr, yes: list[Any], no: list[Any]) -> list[Any]:
    """Write an `if`, of which either branch may be empty; a literal test has been decided."""
    if type(test) is gast.Constant:
        return yes if test.value else no
    if yes:
        return [gast.If(test, yes, no)]
    if no:
        return [gast.If(inverted(test), no, [])]
    return []


_INVERSE = {
    gast.Eq: gast.NotEq, gast.NotEq: gast.Eq, gast.Is: gast.IsNot, gast.IsNot: gast.Is,
    gast.In: gast.NotIn, gast.NotIn: gast.In,
}  # fmt: skip


def inverted(test: Expr) -> Any:
    """Write the negation of a test; `<` is not turned into `>=`, which differs on nan."""
    if type(test) is gast.UnaryOp and type(test.op) is gast.Not:
        return test.operand
    if type(test) is gast.Compare and len(test.ops) == 1 and type(test.ops[0]) in _INVERSE:
        return gast.Compare(test.left, [_INVERSE[type(test.ops[0])]()], test.comparators)
    return gast.UnaryOp(gast.Not(), test)
