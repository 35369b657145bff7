"""Trips that end in a `break` with nothing to reverse are not counted.

    for i in range(n):                          for i in range(n):
        trips += 1                                  try:
        try:                                            v = x[i]
            v = x[i]                                except IndexError:
        except IndexError:                              break
            ends.append(1)                ->        saved.append(v)
            break                                   ...
        saved.append(v)                             trips += 1
        ...                                     for i in reversed(range(n)[:trips]):
        ends.append(0)                              v = saved.pop()
    for i in reversed(range(n)[:trips]):            ...
        end = ends.pop()
        if end != 1:
            v = saved.pop()
            ...

Such a trip is the last one of its loop, and the reverse sweep asks where a trip ended only to pass it over.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import gast

from tapeless.optimize.analyses import calls_stacks, effects_of, liveness_of, version_of
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.optimize.stack_places import Places
from tapeless.optimize.values import is_stack_call
from tapeless.tree.blocks import bound, every_block, may_read
from tapeless.tree.build import add_in_place, const
from tapeless.tree.classes import LOOPS
from tapeless.tree.endings import blocks_of
from tapeless.tree.names import nodes, reads
from tapeless.tree.trees import Expr, Stmt, Tree


def count_finished_trips(function: gast.FunctionDef, context: Context) -> bool:
    """Count only the trips of a loop that the reverse sweep does something for.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f_grad(x, n):
    ...     ends = []
    ...     trips = 0
    ...     for i in range(n):
    ...         trips += 1
    ...         try:
    ...             g(x[i])
    ...         except IndexError:
    ...             ends.append(1)
    ...             break
    ...         ends.append(0)
    ...     for i in reversed(range(n)[:trips]):
    ...         end = ends.pop()
    ...         if end != 1:
    ...             g_rev(x[i])
    ... ''').body[0]
    >>> context = Context(temporaries=lambda key: key in ("ends", "end", "trips"))
    >>> count_finished_trips(function, context)
    True
    >>> print(unparse(function), end="")
    def f_grad(x, n):
        trips = 0
        for i in range(n):
            try:
                g(x[i])
            except IndexError:
                break
            trips += 1
        for i in reversed(range(n)[:trips]):
            g_rev(x[i])
    """
    if not calls_stacks(function, context):
        return False
    effects = effects_of(function, context)
    changed = False
    for stack in sorted(effects.stacks):
        ends = _Ends.of(function, _places_of(function, stack), effects)
        if ends is not None and ends.are_passed_over(liveness_of(function, context).live_after):
            ends.drop(function)
            changed = True
            version_of(function, context)
    return changed


class _Ends:
    """A stack that says where each trip of a loop ended, and the loops that fill and empty it.

    Attributes
    ----------
    places
        Where it is pushed and popped.
    forward, reverse
        The loops.
    end
        What the reverse loop binds to where a trip ended.
    counter
        The counter of the trips.
    """

    def __init__(self, function: Tree, places: Places, forward: Any, reverse: Any, counter: str):
        self.function = function
        self.places = places
        self.forward = forward
        self.reverse = reverse
        self.counter = counter
        self.end: str = places.pops[0][1].targets[0].id
        self.broken = {m for _, s in places.pushes if (m := _mark(s)) != 0}

    @classmethod
    def of(cls, function: Tree, places: Places, effects: Effects) -> _Ends | None:
        """Find the loops around a stack of marks; None where it is something else."""
        if len(places.pops) != 1 or not places.all_known():
            return None
        if any(_mark(s) is None for _, s in places.pushes):
            return None
        [(block, pop)] = places.pops
        loops = [part for part in nodes(function, nested=False) if type(part) in LOOPS]
        reverse = next((loop for loop in loops if loop.body is block and block[0] is pop), None)
        last = [(s, loop) for loop in loops for _, s in places.pushes if loop.body[-1] is s]
        if (
            reverse is None
            or type(reverse) is not gast.For
            or type(pop.targets[0]) is not gast.Name
        ):
            return None
        if len(last) != 1 or _mark(last[0][0]) != 0 or reverse.orelse:
            return None
        forward = last[0][1]
        counters = [key for s in forward.body[:1] if (key := _counted(s)) in reads(reverse.iter)]
        known = [key for key in counters if key is not None and effects.context.temporaries(key)]
        return cls(function, places, forward, reverse, known[0]) if known else None

    def are_passed_over(self, live_after: Any) -> bool:
        """Whether each mark is of a `break`, and such a trip is passed over by the reverse loop."""
        if not self.broken or not self._all_break() or not self._counts_for_reverse_loop():
            return False
        if any(type(p) is gast.Return for p in nodes(self.forward)):
            return False
        live, mentions = live_after(self.reverse), 0
        before = set(reads(self.reverse.iter))
        for s in self.reverse.body[1:]:
            if self._is_guarded(s):
                mentions += 1
            elif not _names_a_part(s) or bound(s) & (before | live):
                return False
            before |= may_read(s)
        asked = sum(type(p) is gast.Name and p.id == self.end for p in nodes(self.function))
        return mentions > 0 and asked == 1 + mentions

    def _all_break(self) -> bool:
        """Whether a `break` of the forward loop follows each mark but that of the end."""
        found = 0
        for block in _own_blocks(self.forward):
            for s, following in itertools.pairwise(block):
                if any(s is push for _, push in self.places.pushes):
                    found += type(following) is gast.Break
        return found == len(self.places.pushes) - 1

    def _counts_for_reverse_loop(self) -> bool:
        """Whether only the head of the reverse loop asks for the counter, if it is saved or not."""
        pushed = [
            part
            for part in nodes(self.function)
            if type(part) is gast.Call and getattr(part.func, "attr", "") == "append"
        ]
        asked = [p for call in pushed for arg in call.args for p in _readings(arg, self.counter)]
        asked += _readings(self.reverse.iter, self.counter)
        blocks = [block for block, _ in every_block(self.function.body)]
        updates = [s for block in blocks for s in block if _counted(s) == self.counter]
        return len(updates) == 1 and len(_readings(self.function, self.counter)) == len(asked)

    def _is_guarded(self, s: Stmt) -> bool:
        """Whether a statement does nothing where a trip ended in a `break`."""
        return type(s) is gast.If and not s.orelse and _excluded(s.test, self.end) == self.broken

    def drop(self, function: Tree) -> None:
        """Count the trips at their end, and do without the marks."""
        forward, reverse = self.forward, self.reverse
        pushes = [s for _, s in self.places.pushes]
        forward.body[-1] = add_in_place(self.counter, const(1))
        del forward.body[0]
        body: list[Any] = []
        for s in reverse.body[1:]:
            body += s.body if self._is_guarded(s) else [s]
        reverse.body[:] = body
        for block, _ in list(every_block(function.body)):
            block[:] = [
                s
                for s in block
                if not any(s is push for push in pushes) and bound(s) != {self.places.stack}
            ]


def _places_of(function: Tree, stack: str) -> Places:
    """Find where a stack is pushed and popped, in the handlers of exceptions too."""
    mentions = sum(type(p) is gast.Name and p.id == stack for p in nodes(function))
    found = Places(stack, mentions)
    for block, _ in every_block(function.body):
        for s in block:
            call = getattr(s, "value", None)
            if not isinstance(call, gast.Call) or not is_stack_call(call):
                continue
            if call.func.value.id != stack:
                continue
            if type(s) is gast.Expr and call.func.attr == "append":
                found.pushes.append((block, s))
            elif type(s) is gast.Assign and len(s.targets) == 1 and call.func.attr == "pop":
                found.pops.append((block, s))
    return found


def _mark(push: Stmt) -> int | None:
    """Return the number that is pushed; None for anything else."""
    value = getattr(push.value.args[0], "value", None)
    return value if type(value) is int else None


def _counted(s: Stmt) -> str | None:
    """Return the name that a statement adds 1 to."""
    if type(s) is not gast.AugAssign or type(s.op) is not gast.Add:
        return None
    one = type(s.value) is gast.Constant and s.value.value == 1
    return s.target.id if one and isinstance(s.target, gast.Name) else None


def _readings(tree: Tree, key: str) -> list[Any]:
    found = [p for p in nodes(tree) if type(p) is gast.Name and p.id == key]
    return [p for p in found if type(p.ctx) is gast.Load]


def _excluded(test: Expr, key: str) -> set[Any]:
    """Return the numbers that `key != n` or `key not in (n, m)` excludes; none for anything else."""
    if type(test) is not gast.Compare or len(test.ops) != 1:
        return set()
    if getattr(test.left, "id", None) != key:
        return set()
    right = test.comparators[0]
    if type(test.ops[0]) is gast.NotEq and type(right) is gast.Constant:
        return {right.value}
    if type(test.ops[0]) is gast.NotIn and type(right) is gast.Tuple:
        return {getattr(item, "value", None) for item in right.elts}
    return set()


def _names_a_part(s: Stmt) -> bool:
    """Whether a statement only gives a name to what another one, or an item of it, holds."""
    if type(s) is not gast.Assign or any(type(place) is not gast.Name for place in s.targets):
        return False
    value = s.value
    if type(value) is gast.Subscript:
        return type(value.value) is gast.Name and type(value.slice) is gast.Name
    return type(value) in (gast.Name, gast.Constant)


def _own_blocks(loop: Stmt) -> Iterator[list[Any]]:
    """Yield the blocks of a loop in which a `break` is of this loop."""
    waiting = [loop.body]
    while waiting:
        block = waiting.pop()
        yield block
        waiting += [inner for s in block if type(s) not in LOOPS for inner in blocks_of(s)]
