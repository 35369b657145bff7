"""A small function of the user's is written in the place of its call.

    k1 = field(p, y)           ->   v = p[0] * y
                                    k1 = y - v

Both sweeps of the function that calls it then stand in one text: nothing is packed into a tuple by the
one half and unpacked by the other, and what the caller knows of sizes and signs holds inside, too. This
is *procedure integration*, done before anything is differentiated, on the statements that the function
consists of once the kinds of its arguments are known. Its statements keep their lines.

A name of the function gets one that is free in the caller, its own if it can. It stays a function, whose
name says more than its text,

- where its statements, at all the places of its call, would be many; four times as many of one that
  is passed short vectors, which are numbers side by side where nothing is called, or that stores into
  arrays entry by entry: where both sweeps stand in one text, the arrays are lists, and nothing is undone;
- where it is a recursion, a generator, a constructor, a custom gradient, or is to be run again, or an
  `__iter__` that calls `iter` still, which gives the items there and nowhere else;
- in the text that second derivatives start from: less is known of its adjoints than of the user's names;
- where it changes objects, lists or dicts, or returns one that it makes;
- where it returns from within a loop, defines functions, or may read a name before that is bound: in a
  loop of the caller it would find the value of the last trip;
- where a handler is around the call: what is raised inside is not followed statement by statement there.
  Unless it may raise once it stored: then it has to be known how far it came, see `calls_broken_off`.

References
----------
.. [1] S. S. Muchnick, "Advanced Compiler Design and Implementation", 1997, section 15.2.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import gast

from tapeless.analysis.abstract import reachable
from tapeless.analysis.calls import UserCall
from tapeless.analysis.facts import Callee, Facts
from tapeless.analysis.interpret.binding import Default
from tapeless.kinds import Array, Integer, is_container, regions_of
from tapeless.normalize.structure_returns import structure_returns
from tapeless.origins import (
    Line,
    callers_of,
    file_of,
    is_generated,
    is_of_a_library,
    is_of_the_tool,
)
from tapeless.specialize.calls_broken_off import broken_off
from tapeless.specialize.small_vectors import length_of
from tapeless.specialize.state import Specializer
from tapeless.tree.assigned import Assigned
from tapeless.tree.build import assign, at_line_of, const, filled, is_literal, unshared
from tapeless.tree.classes import ATOMS, ATTEMPTS, DELAYED, LOOPS
from tapeless.tree.endings import own_jumps
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import binds_in_block, captured_names, nodes, reads
from tapeless.tree.trees import Expr, Stmt

MOST_STATEMENTS = 30  # in the core language, at all the places of a call together: some ten lines
MOST_ON_VECTORS = 120  # of a function on short vectors, which a call would put together
_NUMBER = re.compile(r"(_\d+)+$")
_OF_FRAMES = frozenset({"super", "__class__", "locals", "vars", "dir", "eval", "exec"})


@dataclass(frozen=True)
class Sites:
    """Where a function calls others.

    Attributes
    ----------
    counts
        At how many places it calls each, by its body.
    attempted
        The statements that stand in a `try`.
    captured
        The names that its local functions read.
    repeated
        The statements that stand in a loop.
    broken_off
        Those in a `try` whose calls may raise after they stored.
    """

    counts: Counter[Hashable]
    attempted: frozenset[Any]
    captured: frozenset[str]
    repeated: frozenset[Any]
    broken_off: frozenset[Any]


def sites_of(function: CoreFunction, facts: Facts) -> Sites:
    """Tell where a function calls others."""
    parts = nodes(function.tree)
    attempts, loops = (
        frozenset(part for s in parts if type(s) in classes for part in nodes(s))
        for classes in (ATTEMPTS, LOOPS)
    )
    return Sites(
        Counter(author_of(callee.function) for callee in facts.callees.values()),
        attempts,
        frozenset(captured_names(function.tree)),
        loops,
        broken_off(function, facts),
    )


def author_of(function: CoreFunction) -> Hashable:
    """Return what tells functions apart, whatever kinds they were written for."""
    return function.definition or function.primal or function


def spliced_call(
    specializer: Specializer, s: Stmt, callee: Callee, sites: Sites
) -> list[Stmt] | None:
    """Write the statements of a small function in the place of a call; None to leave the call."""
    if type(s) is gast.Assign and type(s.targets[0]) is gast.Name:
        to = s.targets[0].id
    elif type(s) is gast.Expr:
        to = None
    else:
        return None
    core = core_in_place(specializer, s, callee, sites)
    if core is None:
        return None
    given = [given_as(argument) for argument in callee.arguments]
    return Splice(specializer, core, s, sites).written(given, to)


def core_in_place(
    specializer: Specializer, s: Stmt, callee: Callee, sites: Sites
) -> CoreFunction | None:
    """Return the function whose statements are written in the place of a call; None to leave the call."""
    found = callee.facts.function
    core = structure_returns(specializer.interpreter.program.in_arrays.get(found, found))
    if s not in sites.broken_off:
        if s in sites.attempted or not specializer.interpreter.program.splices_calls:
            return None
        most = _most_statements(specializer, callee)
        if statements_in(core.tree.body) * sites.counts[author_of(core)] > most:
            return None
        if not _leaves_containers(callee):
            return None
    if not _is_plain_call(specializer, s, callee) or not _is_open(core) or _asks_iterator(core):
        return None
    passed = all(given_as(argument) is not None for argument in callee.arguments)
    return None if not passed or recurs(specializer, callee) else core


def _is_plain_call(specializer: Specializer, s: Any, callee: Callee) -> bool:
    """Whether a statement calls a function of the user's, and nothing that it is to be kept for."""
    filename = callee.function.filename
    if is_generated(filename) or is_of_the_tool(filename) or is_of_a_library(filename):
        return False
    if callee.again or callee.function.yields or callee.function.initializes:
        return False
    if any(keyword.arg is None for keyword in getattr(s.value, "keywords", ())):
        return False  # what a dict gives is known when the call runs
    return isinstance(specializer.facts.calls.get(s.value), UserCall)


def _leaves_containers(callee: Callee) -> bool:
    """Whether a function changes no object, list or dict, and returns none that it made.

    Adjoints of containers that change are found through the memory of the function that makes them.
    """
    facts, given = callee.facts, frozenset().union(*(regions_of(v.kind) for v in callee.values))
    made = facts.heap.keys() - callee.heap.keys()
    if made & (facts.stored | reachable([facts.returned.kind], facts.heap)):
        return False
    return callee.stores_outside_itself <= given - callee.heap.keys()


def _most_statements(specializer: Specializer, callee: Callee) -> int:
    """Return how many statements may stand in the places of the calls of a function."""
    in_floats = any(length_of(value.kind) is not None for value in callee.values)
    in_lists = specializer.interpreter.program.scalarize and _goes_by_entries(callee.facts)
    return MOST_ON_VECTORS if in_floats or in_lists else MOST_STATEMENTS


def _goes_by_entries(facts: Facts) -> bool:
    """Whether loops of a function store into arrays of doubles entry by entry."""
    loops = [part for part in nodes(facts.function.tree) if type(part) in LOOPS]
    return any(_stores_entry(s, facts) for loop in loops for s in nodes(loop))


def _stores_entry(s: Any, facts: Facts) -> bool:
    place: Any = s.targets[0] if type(s) is gast.Assign else None
    if type(place) is not gast.Subscript or type(place.slice) is not gast.Name:
        return False
    array = facts.kind(s, place.value.id) if type(place.value) is gast.Name else None
    if not isinstance(array, Array) or array.dtype != "f8":
        return False
    return isinstance(facts.kind(s, place.slice.id), Integer)


def _asks_iterator(core: CoreFunction) -> bool:
    """Whether the `__iter__` of a class calls `iter`: what it is for is not known yet."""
    calls = (part for part in nodes(core.tree) if type(part) is gast.Call)
    return core.gives_items and any(core.resolve(call.func) is iter for call in calls)


def statements_in(body: list[Any]) -> int:
    """Return how many statements a block has, those inside of others included."""
    return sum(isinstance(part, gast.stmt) for s in body for part in nodes(s))


def _is_open(core: CoreFunction) -> bool:
    """Whether the statements of a function mean the same in another one, under other names."""
    *before, last = core.tree.body
    if type(last) is not gast.Return or any(own_jumps(s) for s in before):
        return False
    parts = [part for s in core.tree.body for part in nodes(s)]
    if any(type(part) in DELAYED or type(part) is gast.FunctionDef for part in parts):
        return False
    if any(type(part) in (gast.Try, gast.Delete) for part in parts):
        return False
    if any(key in _OF_FRAMES for s in core.tree.body for key in reads(s)):
        return False
    return not reads_unbound(core)


def reads_unbound(core: CoreFunction) -> bool:
    """Whether a function may read a name of its own that is not bound there."""
    body = core.tree.body
    own = binds_in_block(body)
    if not own:
        return False
    bound = Assigned(body, core.parameters)
    for statement, state in bound.before.items():
        heads = [statement]
        if hasattr(statement, "body"):
            heads = [
                getattr(statement, key)
                for key in ("test", "iter", "items")
                if hasattr(statement, key)
            ]
            heads = [
                part for head in heads for part in (head if isinstance(head, list) else [head])
            ]
        if any(key in own and key not in state for head in heads for key in reads(head)):
            return True
    return False


def recurs(specializer: Specializer, callee: Callee) -> bool:
    """Whether a function calls itself, on any way, or is being interpreted still."""
    program: Any = specializer.interpreter.program
    running = {author_of(key[0]) for key in program.running}
    own = author_of(callee.function)
    todo, seen = [callee], set()
    while todo:
        each = todo.pop()
        if author_of(each.function) in running or author_of(each.function) == author_of(
            specializer.function
        ):
            return True
        for inner in each.facts.callees.values():
            found = author_of(inner.function)
            if found == own:
                return True
            if found not in seen:
                seen.add(found)
                todo.append(inner)
    return False


def given_as(argument: Any) -> Expr | None:
    """Return what is passed for a parameter as an expression; None for what is no single one."""
    if isinstance(argument, Default):
        return const(argument.value) if is_literal(argument.value) else None
    if isinstance(argument, gast.AST):
        return unshared(argument)
    return None


class Splice:
    """The statements of a function with the names of another one."""

    def __init__(self, specializer: Specializer, core: CoreFunction, s: Stmt, sites: Sites) -> None:
        self.specializer = specializer
        self.core = core
        self.place = s
        self.sites = sites
        self.holes: dict[str, Any] = {}
        line = getattr(s, "lineno", None)
        here = () if line is None else ((file_of(line, specializer.function.filename), int(line)),)
        self.called_from = (*here, *callers_of(line))

    def written(self, given: list[Any], to: str | None) -> list[Stmt]:
        """Write the statements for what is given, with the result bound to `to`."""
        core, specializer = self.core, self.specializer
        *body, last = core.tree.body
        own = binds_in_block(body)
        outside = {key for s in core.tree.body for key in reads(s)} & core.externals.keys()
        for key in sorted(outside - core.local):
            self.holes[key] = specializer.adopted(key, core.externals[key])
        first: list[Any] = []
        for parameter, argument in zip(core.parameters, given, strict=True):
            if self.stands_for(parameter, argument, own):
                self.holes[parameter] = argument.id if type(argument) is gast.Name else argument
                continue
            first.append(assign(self.renamed(parameter), argument))
        result = last.value
        if to is not None and self.is_result(result, to, own, given):
            self.holes[result.id] = to
        for key in sorted(own - self.holes.keys()):
            self.renamed(key)
        made = [self.filled(s) for s in body]
        if to is not None and (type(result) is not gast.Name or self.holes.get(result.id) != to):
            made.append(at_line_of(assign(to, self.filled(result)), made[-1] if made else last))
        return [*(at_line_of(s, self.place) for s in first), *made] or [gast.Pass()]

    def stands_for(self, parameter: str, argument: Any, own: set[str]) -> bool:
        """Whether what is passed can stand where the parameter stood."""
        if parameter in own or type(argument) not in ATOMS:
            return False
        if type(argument) is gast.Constant:
            return True
        if is_container(self.specializer.kind(argument)):
            return True
        function = self.specializer.function
        return argument.id not in function.local or function.wrote(argument.id)

    def is_result(self, result: Any, to: str, own: set[str], given: list[Any]) -> bool:
        """Whether the name that is returned can be that to which the result is bound."""
        if type(result) is not gast.Name or result.id not in own or result.id in self.holes:
            return False
        if to in self.sites.captured:
            return False
        if self.core.wrote(result.id) and not self.specializer.function.wrote(to):
            return False  # the user's name says more
        return all(to not in reads(argument) for argument in given)

    def renamed(self, key: str) -> str:
        """Give a name of the function one that is free."""
        said = key in self.core.own_names or key in self.core.items
        wish = key if said else _NUMBER.sub("", key)
        if (
            said and _NUMBER.sub("", key) == "v"
        ):  # as the tool calls its own: `step_v` and not `v_8`
            wish = f"{self.core.name.strip('_')}_{key}"
        found = self.specializer.names.fresh(wish)
        if said:
            self.specializer.brought.add(found)
        self.holes[key] = found
        return found

    def filled(self, s: Any) -> Any:
        """Return a statement with the names that stand for those of the function, at its line."""
        made = filled(s, self.holes)
        for part in nodes(at_line_of(made, s)):
            line = getattr(part, "lineno", None)
            if line is not None:
                around = file_of(line, self.core.filename)
                part.lineno = Line(int(line), around, (*callers_of(line), *self.called_from))
        return made
