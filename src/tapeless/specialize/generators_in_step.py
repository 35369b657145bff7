"""A loop over a generator runs in step with it: its body is written where the generator yields.

    for y in iterates(a):              y = a
        if test(y):            ->      while True:
            break                          z = y
                                           if test(z):
                                               break
                                           y = step(y, a)

This is what Python does, one statement after the other, whatever the two change and wherever they stop. Where
a list of all that is yielded means the same it is shorter, and is made instead: see `generators.py`.

What `next` takes of a generator that has no other use is the item of a loop that is left at once:

    y = next(g(x), 0.0)            ->      y = 0.0
                                           for v in g(x):
                                               y = v
                                               break

A `break` of the loop leaves the generator, whose loops it leaves one by one under a flag; so does a `return`
of the generator, without the flag where one loop is all that there is to leave. A `continue` of the loop goes
on behind the `yield`: where a trip of the generator's own loop ends there it is one of that loop, and
elsewhere the body stands in a loop of one trip.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import gast

from tapeless.analysis.calls import UserCall
from tapeless.analysis.facts import Callee
from tapeless.specialize.items_beside import Beside, items_beside
from tapeless.specialize.listed import uses_of
from tapeless.specialize.spliced_calls import (
    Sites,
    Splice,
    given_as,
    reads_unbound,
    recurs,
    statements_in,
)
from tapeless.specialize.state import Specializer
from tapeless.tree.blocks import after, every_block
from tapeless.tree.build import assign, const, name, quote, target, unshared
from tapeless.tree.classes import ATOMS, ATTEMPTS, DELAYED, LOOPS, SCOPE_DECLARATIONS
from tapeless.tree.endings import blocks_of, own_jumps
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import binds, binds_in_block, captured_names, nodes, reads
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Stmt, Tree

MOST_STATEMENTS = 120  # of the body of the loop, at all the places where the generator yields


def loop_in_step(
    specializer: Specializer, s: Stmt, callee: Callee, sites: Sites
) -> tuple[list[Stmt], dict[Any, list[Stmt]]] | None:
    """Write a loop over a generator with its body in the place of each `yield`.

    Parameters
    ----------
    s
        The statement that calls the generator.
    callee
        The generator.

    Returns
    -------
    What stands in the place of the call, and what stands in that of the loop, or of the call of `next`; None
    where it cannot be written so.
    """
    use = _use_behind(specializer, s)
    first, loop = ([], use) if type(use) is gast.For else _first_item(specializer, use)
    beside = None if loop is None else items_beside(specializer, loop, s.targets[0].id)
    if beside is None or not isinstance(specializer.facts.calls.get(s.value), UserCall):
        return None
    core = callee.facts.function
    given = [given_as(argument) for argument in callee.arguments]
    if None in given or callee.again or not _is_open(core) or recurs(specializer, callee):
        return None
    items = core.tree.body[0].targets[0].id
    if type(core.tree.body[-1]) is not gast.Return:
        core = core.with_body([*core.tree.body, gast.Return(const(None))])
    yielded = sum(_yields(part, items) for part in nodes(core.tree))
    if yielded * statements_in(loop.body) > MOST_STATEMENTS and yielded > 1:
        return None
    if beside.asked_then and _yields_outside_loops(core.tree.body, items):
        return None
    kept, given = _kept_arguments(specializer, core, given, use)
    if not _stay_captured(specializer, core, given, use):
        return None
    splice = Splice(specializer, core, s, sites)
    written = [part for part in splice.written(given, None) if type(part) is not gast.Pass]
    steps = _Steps(specializer, loop, str(splice.holes[items]), beside)
    return kept, {use: [*first, *steps.written(written)]}


def _use_behind(specializer: Specializer, s: Any) -> Any:
    """Return the statement that alone takes items of what a call gives, later in its block; or None."""
    key = s.targets[0].id if type(s) is gast.Assign and type(s.targets[0]) is gast.Name else ""
    function = specializer.function
    captured = key in captured_names(function.tree)
    if not key or captured or len(function.definitions.get(key, ())) != 1:
        return None
    use = uses_of(function, key)
    blocks = (block for block, _ in every_block(function.tree.body))
    block: Any = next((b for b in blocks if any(t is s for t in b)), [])
    taking = (t for t in after(block, s) if use in (t, getattr(t, "value", None)))
    return None if use is None else next(taking, None)


def _first_item(specializer: Specializer, s: Any) -> tuple[list[Stmt], Any]:
    """Write `to = next(items, default)` as what comes before a loop, and the loop; None for all else."""
    call: Any = s.value if type(s) is gast.Assign and type(s.targets[0]) is gast.Name else None
    if type(call) is not gast.Call or specializer.function.resolve(call.func) is not next:
        return [], None
    to, item = s.targets[0], specializer.names.fresh("v")
    body = [gast.Assign([unshared(to)], name(item), None), gast.Break()]
    ended = quote("raise StopIteration") if len(call.args) == 1 else []
    loop = gast.For(target(item), call.args[0], body, ended, None)
    return [gast.Assign([unshared(to)], default, None) for default in call.args[1:]], loop


def _is_open(core: CoreFunction) -> bool:
    """Whether the statements of a generator mean the same around a body that is not its own."""
    parts = [part for s in core.tree.body for part in nodes(s)]
    if any(type(part) in DELAYED or type(part) is gast.FunctionDef for part in parts):
        return False
    if any(type(part) in SCOPE_DECLARATIONS for part in parts):
        return False
    items = core.tree.body[0].targets[0].id
    told = [part for part in parts if _yields(part, items) or type(part) is gast.Return]
    if sum(getattr(part, "id", None) == items for part in parts) > len(told) + 1:
        return False  # something else is done with the list
    attempts = [part for part in parts if type(part) in ATTEMPTS]
    if any(_leaves_or_yields(part, items) for part in attempts):
        return False  # what the body raises is not raised in the generator
    return not reads_unbound(core)


def _leaves_or_yields(s: Stmt, items: str) -> bool:
    return any(type(part) is gast.Return or _yields(part, items) for part in nodes(s))


def _yields(s: Tree, items: str) -> bool:
    """Whether a statement of a generator, written as a list, stands for a `yield`."""
    call: Any = s.value if type(s) is gast.Expr else None
    func: Any = call.func if type(call) is gast.Call else None
    if type(func) is not gast.Attribute or func.attr != "append":
        return False
    return getattr(func.value, "id", None) == items


def _yields_outside_loops(block: list[Any], items: str) -> bool:
    """Whether a generator yields where it has no loop to be left."""
    outside = [s for s in block if type(s) not in LOOPS]
    within = [inner for s in outside for inner in blocks_of(s)]
    return any(_yields(s, items) for s in outside) or any(
        _yields_outside_loops(inner, items) for inner in within
    )


def _kept_arguments(
    specializer: Specializer, core: CoreFunction, given: Sequence[Any], use: Any
) -> tuple[list[Stmt], list[Any]]:
    """Give names to arguments that are bound anew before the generator reads them: it is given them here."""
    rebound = _bound_anew(specializer, use)
    kept: list[Stmt] = []
    passed: list[Any] = []
    for parameter, argument in zip(core.parameters, given, strict=True):
        steady = type(argument) in ATOMS and rebound.isdisjoint(reads(argument))
        if parameter not in core.captured and not steady:
            key = specializer.names.fresh(parameter)
            kept.append(assign(key, argument))
            argument = name(key)
        passed.append(argument)
    return kept, passed


def _bound_anew(specializer: Specializer, use: Any) -> set[str]:
    """Name what is bound between the call of a generator and the end of the loop over it."""
    return binds_in_block([use, *specializer.after[: specializer.after.index(use)]])


def _stay_captured(
    specializer: Specializer, core: CoreFunction, given: Sequence[Any], use: Any
) -> bool:
    """Whether a captured name that is bound anew is the user's: it stands in the generator as it is."""
    rebound = _bound_anew(specializer, use)
    passed = [
        argument
        for parameter, argument in zip(core.parameters, given, strict=True)
        if parameter in core.captured and not rebound.isdisjoint(reads(argument))
    ]
    return all(type(a) is gast.Name and specializer.function.wrote(a.id) for a in passed)


@dataclass(frozen=True)
class _Surroundings:
    """Where a statement of a generator stands.

    Attributes
    ----------
    loops
        How many of its loops are around the statement.
    is_followed
        Whether anything follows the outermost of them, or the statement where there is none.
    ends_trip
        Whether a trip of the innermost one ends with the statement.
    """

    loops: int = 0
    is_followed: bool = False
    ends_trip: bool = False

    def before(self, rest: list[Any]) -> _Surroundings:
        """Return where a statement stands that others follow in its block."""
        followed = self.is_followed or not self.loops and bool(rest)
        return replace(self, is_followed=followed, ends_trip=self.ends_trip and not rest)

    def in_loop(self) -> _Surroundings:
        """Return where the last statement of a loop stands."""
        return _Surroundings(self.loops + 1, self.is_followed, ends_trip=True)


class _Steps:
    """The statements of a generator with the body of a loop where they yield."""

    def __init__(self, specializer: Specializer, loop: Any, items: str, beside: Beside) -> None:
        self.loop = loop
        self.beside = beside
        self.items = items
        self.fresh = specializer.names.fresh
        jumps = [jump for s in loop.body for jump in own_jumps(s)]
        self.breaks = any(type(jump) is gast.Break for jump in jumps)
        self.continues = any(type(jump) is gast.Continue for jump in jumps)
        self.flag = self.fresh("left")
        self.flagged = False

    def written(self, statements: list[Any]) -> list[Stmt]:
        """Write the whole loop; the list that the generator would have filled goes."""
        own = [s for s in statements if not self._begins_list(s)]
        body = self.block(own, _Surroundings())
        if self.loop.orelse:
            body += self.unless_left(self.loop.orelse) if self.breaks else self.loop.orelse
        flagging = [assign(self.flag, const(False))] if self.flagged else []
        return self.beside.around([*flagging, *body])

    def _begins_list(self, s: Any) -> bool:
        return type(s) is gast.Assign and self.items in binds(s)

    def block(self, statements: list[Any], here: _Surroundings) -> list[Any]:
        """Write a block of the generator."""
        made: list[Any] = []
        for i, s in enumerate(statements):
            rest = statements[i + 1 :]
            place = here.before(rest)
            if _yields(s, self.items):
                made += self.handed(s.value.args[0], place)
            elif type(s) is gast.Return:
                return [*made, *self.leaving(here)]
            elif _leaves_or_yields(s, self.items):
                made.append(self.inside(s, place))
            else:
                made.append(s)
                continue
            if self.may_leave(s) and here.loops and type(s) in LOOPS:
                made.append(gast.If(name(self.flag), [gast.Break()], []))
            elif self.may_leave(s) and not here.loops and rest:
                return [*made, *self.unless_left(self.block(rest, here))]
        return made

    def inside(self, s: Any, place: _Surroundings) -> Any:
        """Write the blocks of a compound statement of the generator."""
        within = place.in_loop() if type(s) in LOOPS else place
        s.body = self.block(s.body, within) or [gast.Pass()]
        s.orelse = self.block(s.orelse, place)
        return s

    def may_leave(self, s: Stmt) -> bool:
        """Whether the generator may be left in one of its statements."""
        returns = any(type(part) is gast.Return for part in nodes(s))
        return self.breaks or returns or self.beside.may_end_first

    def handed(self, item: Expr, here: _Surroundings) -> list[Any]:
        """Write the body of the loop for an item that is yielded."""
        first = self.beside.bound(item, self.leaving(here))
        body = [unshared(s) for s in self.loop.body]
        last = self.beside.goes_on(self.leaving(here))
        skips = self.continues and (bool(last) or not here.ends_trip)
        if here.loops and not skips:
            return [*first, *_Breaking(self.leaving(here)).listed(body), *last]
        if not (self.breaks or self.continues):
            return [*first, *body, *last]
        once = quote("for k in range(1):\n    pass", k=self.fresh("k"))[0]
        once.body = _Breaking(self.leaving(here.in_loop())).listed(body)
        left = [gast.If(name(self.flag), [gast.Break()], [])] if self.breaks and here.loops else []
        return [*first, once, *left, *last]

    def leaving(self, here: _Surroundings) -> list[Any]:
        """Write how the generator is left from within its loops."""
        told = here.loops != 1 or here.is_followed or bool(self.loop.orelse)
        self.flagged = self.flagged or told
        flag = [assign(self.flag, const(True))] if told else []
        return [*flag, gast.Break()] if here.loops else flag

    def unless_left(self, statements: list[Any]) -> list[Any]:
        self.flagged = True
        return [gast.If(gast.UnaryOp(gast.Not(), name(self.flag)), statements, [])]


class _Breaking(Transformer):
    """Puts something in the place of each `break` of a loop in its body."""

    def __init__(self, leaving: list[Any]) -> None:
        self.leaving = leaving

    def visit_Break(self, tree: Tree) -> Any:
        return [unshared(s) for s in self.leaving]

    def visit_For(self, tree: Any) -> Any:
        tree.orelse = self.listed(tree.orelse)
        return tree

    visit_While = visit_For

    def visit_FunctionDef(self, tree: Tree) -> Any:
        return tree
