"""A reverse loop goes through what its forward loop saved.

    for _ in reversed(range(n)):
        x, v = saved.pop()          ->      for x, v in reversed(saved):
        ...                                     ...

A stack that is pushed by one loop and popped once in each trip of another, and read nowhere else, has
as many entries as that loop makes trips: in a reverse sweep each push is met by one pop. This is done
last, when all stacks are merged.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Any

import gast

from tapeless.optimize.analyses import effects_of, generated_in, liveness_of
from tapeless.optimize.context import Context
from tapeless.optimize.values import is_stack_call
from tapeless.source.printer import unparse
from tapeless.tree.blocks import (
    has_jump,
    inner_blocks,
    may_bind,
    may_read,
    stored_names,
)
from tapeless.tree.build import quote_expression
from tapeless.tree.classes import LOOPS
from tapeless.tree.liveness import Liveness
from tapeless.tree.names import nodes, reads
from tapeless.tree.trees import Expr, Stmt, Tree

WIDTH = 80


def go_through_saves(function: gast.FunctionDef, context: Context) -> bool:
    """Iterate over stacks backwards where a reverse loop pops one entry in each trip.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f_rev(state):
    ...     n, saved, saved_1 = state
    ...     for i in reversed(range(n)):
    ...         x = saved.pop()
    ...         g(x, i)
    ...     for i in reversed(range(n)):
    ...         x, y = saved_1.pop()
    ...         g(x, y)
    ... ''').body[0]
    >>> context = Context(temporaries=lambda key: key.startswith("saved"), reverse=True)
    >>> go_through_saves(function, context)
    True
    >>> print(unparse(function), end="")
    def f_rev(state):
        n, saved, saved_1 = state
        for i, x in zip(reversed(range(n)), reversed(saved)):
            g(x, i)
        for x, y in reversed(saved_1):
            g(x, y)
    """
    generated = generated_in(function, context)
    stacks = effects_of(function, context).stacks
    liveness = liveness_of(function, context)
    mentions = _mentions_of(function, stacks)
    changed = False
    for block in _run_once(function.body):
        for i, s in enumerate(block):
            if id(s) in generated and type(s) in LOOPS:
                block[i] = _iterating(s, mentions, liveness) or s
                changed = changed or block[i] is not s
    return changed


def _run_once(block: list[Any]) -> list[list[Any]]:
    """List the blocks of a function that run at most once: those outside loops."""
    found = [block]
    for s in block:
        if type(s) not in LOOPS:
            for inner in inner_blocks(s):
                found += _run_once(inner)
    return found


def _iterating(loop: Stmt, mentions: dict[str, _Mentions], liveness: Liveness) -> Any:
    """Return the loop that goes through its stack; None where it has none of its own."""
    popped = _first_pop(loop.body, mentions)
    if popped is None or loop.orelse or any(has_jump(s) for s in loop.body):
        return None
    at, stack = popped
    items = loop.body[at].targets[0]
    if not mentions[stack].is_balanced(loop, stack):
        return None
    body = [*loop.body[:at], *loop.body[at + 1 :]] or [gast.Pass()]
    backwards = quote_expression("reversed(s)", s=stack)
    if type(loop) is gast.While:
        return _headed(loop, items, backwards, body)
    used = set().union(*(may_read(s) for s in body), liveness.live_after(loop))
    parts = _iterated(loop)
    if parts is None or any(stored_names(p) & stored_names(items) for p, _ in parts):
        return None
    kept = [(p, tree) for p, tree in parts if stored_names(p) & used or not _is_pure(tree)]
    if not kept:
        return _headed(loop, items, backwards, body)
    places, trees = zip(*kept, (items, backwards), strict=True)
    target = gast.Tuple(list(places), gast.Store())
    both = gast.Call(gast.Name("zip", gast.Load(), None, None), list(trees), [])
    head = gast.For(target, both, [gast.Pass()], [], None)
    if len(unparse(head).splitlines()[0]) > WIDTH:
        return None
    return _headed(loop, target, both, body)


def _headed(loop: Stmt, target: Expr, items: Any, body: list[Any]) -> Any:
    """Return a loop over other items in place of a loop."""
    return gast.copy_location(gast.For(target, items, body, [], None), loop)


def _iterated(loop: Stmt) -> list[tuple[Any, Any]] | None:
    """List what a loop goes through side by side, each with its target.

    In a reverse sweep `zip` goes through things of one length.
    """
    if type(loop.target) is gast.Name:
        return [(loop.target, loop.iter)]
    zipped = type(loop.iter) is gast.Call and getattr(loop.iter.func, "id", "") == "zip"
    if not zipped or type(loop.target) is not gast.Tuple or loop.iter.keywords:
        return None
    return list(zip(loop.target.elts, loop.iter.args, strict=True))


def _is_pure(tree: Tree) -> bool:
    return all(getattr(p.func, "id", "") in _PURE for p in nodes(tree) if _is_call(p))


_PURE = {"range", "reversed", "len", "min", "zip", "enumerate"}


def _is_call(part: Tree) -> bool:
    return type(part) is gast.Call


def _first_pop(block: list[Any], stacks: Container[str]) -> tuple[int, str] | None:
    """Find the pop that a block starts with, or that may stand at its start."""
    before: set[str] = set()
    for i, s in enumerate(block):
        call = getattr(s, "value", None)
        if type(s) is gast.Assign and isinstance(call, gast.Call) and is_stack_call(call):
            stack = call.func.value.id
            free = not before & set().union(*(stored_names(p) for p in s.targets))
            free = free and all(_names_only(p) for p in s.targets)
            if call.func.attr == "pop" and stack in stacks and len(s.targets) == 1 and free:
                return i, stack
        before |= may_read(s) | may_bind(s)
    return None


def _names_only(place: Expr) -> bool:
    """Whether a target is of names alone: where a slot is depends on what runs before."""
    if type(place) is gast.Tuple:
        return all(map(_names_only, place.elts))
    return type(place) is gast.Name


@dataclass
class _Mentions:
    """How often a stack occurs in a function, and in which roles."""

    read: int = 0
    bound: int = 0
    popped: int = 0

    def is_balanced(self, loop: Stmt, stack: str) -> bool:
        """Whether the stack is made and pushed before a loop, and read by it alone."""
        inside = [p for p in nodes(loop) if type(p) is gast.Name and p.id == stack]
        tested = type(loop) is gast.While
        if len(inside) != 1 + tested or tested and reads(loop.test) != [stack]:
            return False
        pushes = self.read - self.popped - tested
        return self.popped == 1 and pushes in (0, 1) and self.bound == 1


def _mentions_of(function: Tree, stacks: set[str]) -> dict[str, _Mentions]:
    found = {stack: _Mentions() for stack in stacks}
    for part in nodes(function):
        if type(part) is gast.Name and part.id in found:
            if type(part.ctx) is gast.Load:
                found[part.id].read += 1
            else:
                found[part.id].bound += 1
        elif type(part) is gast.Call and is_stack_call(part) and part.func.attr == "pop":
            if part.func.value.id in found:
                found[part.func.value.id].popped += 1
    return found
