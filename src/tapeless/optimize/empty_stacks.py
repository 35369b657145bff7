"""A reverse loop that counts its trips runs until its stack is empty.

    trips = 0                              for _ in range(50):
    for _ in range(50):                        saved.append(x)
        trips += 1                  ->         ...
        saved.append(x)                    while saved:
        ...                                    x = saved.pop()
    for _ in range(trips):
        x = saved.pop()

The stack must be as long as the counter says: pushed once in every trip of the one loop, popped once in
every trip of the other. What is left of the counter is dead.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.optimize.analyses import calls_stacks, effects_of, liveness_of
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.optimize.stack_places import index, makes, places_of, starts_empty
from tapeless.tree.blocks import bound, has_jump, may_read
from tapeless.tree.build import name
from tapeless.tree.classes import LOOPS
from tapeless.tree.liveness import Liveness
from tapeless.tree.names import nodes
from tapeless.tree.trees import Stmt, Tree


def empty_stacks(function: gast.FunctionDef, context: Context) -> bool:
    """Run a reverse loop until its stack is empty, where a counter was kept for nothing else.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(x):
    ...     saved = []
    ...     trips = 0
    ...     for _ in range(50):
    ...         trips += 1
    ...         saved.append(x)
    ...         x = x / 2.0
    ...         if x < 1.0:
    ...             break
    ...     for _ in reversed(range(50)[:trips]):
    ...         x = saved.pop()
    ...         g(x)
    ... ''').body[0]
    >>> context = Context(temporaries=lambda key: key in ("saved", "trips"))
    >>> empty_stacks(function, context)
    True
    >>> print(unparse(function), end="")
    def f(x):
        saved = []
        trips = 0
        for _ in range(50):
            trips += 1
            saved.append(x)
            x = x / 2.0
            if x < 1.0:
                break
        while saved:
            x = saved.pop()
            g(x)
    """
    if not calls_stacks(function, context):
        return False
    effects = effects_of(function, context)
    liveness = liveness_of(function, context)
    body, changed = function.body, False
    for k, loop in enumerate(body):
        stack = _stack_counted_for(function, k, effects, liveness)
        if stack is not None:
            body[k], changed = gast.While(name(stack), loop.body, []), True
    return changed


def _stack_counted_for(
    function: gast.FunctionDef, k: int, effects: Effects, liveness: Liveness
) -> str | None:
    """Return a stack that is as long as the k-th statement, a loop, has trips; None where there is none."""
    loop = function.body[k]
    counted = _counted(loop, effects)
    if counted is None or _variable_used(loop, liveness):
        return None
    first = next((s for s in function.body[:k] if _counts(s, counted)), None)
    return None if first is None else _stack_of(function, loop, first, effects, counted)


def _counted(loop: Stmt, effects: Effects) -> str | None:
    """Return the counter of `for _ in reversed(range(...)[:trips])` or of `range(trips)`."""
    if type(loop) is not gast.For or loop.orelse or type(loop.target) is not gast.Name:
        return None
    names = [p.id for p in nodes(loop.iter) if type(p) is gast.Name]
    counters = [n for n in names if n not in ("range", "reversed")]
    if len(counters) != 1 or not effects.context.temporaries(counters[0]):
        return None
    key = counters[0]
    patterns = (f"reversed(range(n)[:{key}])", f"range({key})")
    iterable = loop.iter
    if type(iterable) is gast.Call and type(iterable.func) is gast.Name:
        if gast.dump(iterable) == gast.dump(gast.parse(patterns[1]).body[0].value):
            return str(key)
        inner = iterable.args[0] if iterable.func.id == "reversed" and iterable.args else None
        if isinstance(inner, gast.Subscript) and type(inner.slice) is gast.Slice:
            part = inner.slice
            plain = part.lower is None and part.step is None and type(part.upper) is gast.Name
            ranged = isinstance(inner.value, gast.Call) and all(
                type(a) is gast.Constant for a in inner.value.args
            )
            if plain and ranged and part.upper.id == key:
                return str(key)
    return None


def _variable_used(loop: Stmt, liveness: Liveness) -> bool:
    key = loop.target.id
    return key in liveness.live_after(loop) or any(key in may_read(s) for s in loop.body)


def _counts(s: Stmt, key: str) -> bool:
    return type(s) in LOOPS and any(
        type(inner) is gast.AugAssign and bound(inner) == {key} for inner in s.body
    )


def _stack_of(function: Tree, loop: Stmt, first: Stmt, effects: Effects, key: str) -> str | None:
    """Find a stack that is as long as the counter says: pushed in each trip, popped in each."""
    bindings = [p for p in nodes(function) if type(p) is gast.Name and p.id == key]
    if sum(type(p.ctx) is not gast.Load for p in bindings) != 2 or _has_own_jump(loop.body):
        return None
    if type(first) is gast.For and not _same_range(first.iter, loop.iter):
        return None
    counting = next(i for i, s in enumerate(first.body) if bound(s) == {key})
    found = places_of(function)
    for stack in sorted(effects.stacks):
        places = found[stack]
        if not places.simple():
            continue
        [(pushed_in, push)], [(popped_in, _)] = places.pushes, places.pops
        if pushed_in is not first.body or popped_in is not loop.body:
            continue
        pushing = index(first.body, push)
        low, high = sorted((counting, pushing))
        if any(has_jump(s) for s in first.body[low : high + 1]):
            continue
        starts = [s for s in function.body if makes(s, stack) or makes(s, key)]
        if len(starts) == 2 and all(starts_empty(s) for s in starts):
            return stack
    return None


def _same_range(a: Tree, b: Tree) -> bool:
    """Whether `reversed(range(...)[:trips])` counts the range of the forward loop."""
    sliced = [p for p in nodes(b) if type(p) is gast.Subscript]
    return not sliced or gast.dump(sliced[0].value) == gast.dump(a)


def _has_own_jump(block: list[Any]) -> bool:
    """Whether a loop body can be left before its end."""
    return any(has_jump(s) for s in block)
