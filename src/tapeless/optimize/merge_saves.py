"""Stacks that are filled and emptied together become one stack of tuples.

    saved.append(x)                        saved.append((x, step))
    x = x - step                    ->     x = x - step
    saved_1.append(step)
    ...                                    ...
    step = saved_1.pop()                   x, step = saved.pop()
    x = saved.pop()

Two stacks go together if each is pushed at one place and popped at one place, the pushes and the
pops stand in one block each, and nothing between them can leave the block: then both always have
the same length. A push may move where every pushed name keeps its value, a pop where no name that
it restores is read or bound on the way.
"""

from __future__ import annotations

import copy
from typing import Any

import gast

from tapeless.optimize.blocks import (
    Liveness,
    all_blocks,
    bound,
    has_jump,
    is_supported,
    may_bind,
    may_read,
    nodes,
)
from tapeless.optimize.context import Context
from tapeless.optimize.drop_unused_state import handed_over
from tapeless.optimize.effects import Effects, is_stack_call
from tapeless.tree.build import name


class _Places:
    """Where a stack is pushed and popped: once each, or it is left alone."""

    def __init__(self, function: Any, stack: str) -> None:
        self.stack = stack
        self.pushes: list[tuple[list[Any], Any]] = []
        self.pops: list[tuple[list[Any], Any]] = []
        self.mentions = 0
        for block in all_blocks(function.body):
            for s in block:
                self._note(block, s)
        self.mentions = sum(isinstance(p, gast.Name) and p.id == stack for p in nodes(function))

    def _note(self, block: list[Any], s: Any) -> None:
        call = getattr(s, "value", None)
        if not isinstance(call, gast.Call) or not is_stack_call(call):
            return
        if call.func.value.id != self.stack:
            return
        if isinstance(s, gast.Expr) and call.func.attr == "append":
            self.pushes.append((block, s))
        elif isinstance(s, gast.Assign) and len(s.targets) == 1 and call.func.attr == "pop":
            if all(isinstance(p, gast.Name) for p in _items(s.targets[0])):
                self.pops.append((block, s))

    def simple(self, handed: int = 0) -> bool:
        """Say whether the stack is made, pushed and popped once and seen nowhere else.

        `handed` mentions more are those that hand it from one function to another.
        """
        if len(self.pushes) != 1 or len(self.pops) != 1 or self.mentions != 3 + handed:
            return False
        pushed, popped = self.pushes[0][1].value.args[0], self.pops[0][1].targets[0]
        alike = isinstance(pushed, gast.Tuple) == isinstance(popped, gast.Tuple)
        return alike and len(_items(pushed)) == len(_items(popped))


def _items(tree: Any) -> list[Any]:
    return list(tree.elts) if isinstance(tree, gast.Tuple) else [tree]


def merge_saves(function: gast.FunctionDef, context: Context) -> gast.FunctionDef:
    """Merge stacks that are pushed together and popped together.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(x, n):
    ...     saved = []
    ...     saved_1 = []
    ...     for i in range(n):
    ...         step = 1.0 / x
    ...         saved.append(x)
    ...         x = x - step
    ...         saved_1.append(step)
    ...     for i in range(n):
    ...         step = saved_1.pop()
    ...         x = saved.pop()
    ...         g(x, step)
    ... ''').body[0]
    >>> context = Context(temporaries=lambda key: key.startswith("saved"))
    >>> print(unparse(merge_saves(function, context)), end="")
    def f(x, n):
        saved = []
        for i in range(n):
            step = 1.0 / x
            saved.append((x, step))
            x = x - step
        for i in range(n):
            x, step = saved.pop()
            g(x, step)
    """
    effects = Effects(function, context)
    places = [_Places(function, stack) for stack in sorted(effects.stacks)]
    places = [p for p in places if p.simple()]
    for a in places:
        for b in places:
            if a is not b and _merge(function, a, b):
                return merge_saves(function, context)
    return function


def merge_handed_saves(
    forward: gast.FunctionDef, reverse: gast.FunctionDef
) -> tuple[gast.FunctionDef, gast.FunctionDef]:
    """Merge stacks that a split forward sweep pushes together and its reverse sweep pops together.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> forward, reverse = gast.parse('''
    ... def f_fwd(x, n):
    ...     saved = []
    ...     saved_1 = []
    ...     for i in range(n):
    ...         step = 1.0 / x
    ...         saved.append(x)
    ...         x = x - step
    ...         saved_1.append(step)
    ...     return x, (n, saved, saved_1)
    ...
    ... def f_rev(state, x_bar):
    ...     n, saved, saved_1 = state
    ...     for i in range(n):
    ...         step = saved_1.pop()
    ...         x = saved.pop()
    ...         g(x, step)
    ... ''').body
    >>> for function in merge_handed_saves(forward, reverse):
    ...     print(unparse(function), end="")
    def f_fwd(x, n):
        saved = []
        for i in range(n):
            step = 1.0 / x
            saved.append((x, step))
            x = x - step
        return x, (n, saved)
    def f_rev(state, x_bar):
        n, saved = state
        for i in range(n):
            x, step = saved.pop()
            g(x, step)
    """
    if not (is_supported(forward) and is_supported(reverse)):
        return forward, reverse
    forward, reverse = copy.deepcopy(forward), copy.deepcopy(reverse)
    while _merge_handed(forward, reverse):
        pass
    return forward, reverse


def _merge_handed(forward: Any, reverse: Any) -> bool:
    handed = handed_over(forward, reverse)
    if handed is None:
        return False
    unpacking, states = handed
    both = gast.Module([*forward.body, *reverse.body], [])
    places = []
    for i, place in enumerate(unpacking.targets[0].elts):
        if all(getattr(state.elts[i], "id", None) == place.id for state in states):
            found = _Places(both, place.id)
            if found.simple(1 + len(states)) and _is_made_empty(forward, place.id):
                places.append(found)
    for a in places:
        for b in places:
            if a is not b and _merge(both, a, b):
                for function in (forward, reverse):
                    for block in all_blocks(function.body):
                        block[:] = [s for s in block if not _is_gone(s, b.stack)]
                for tree in [unpacking.targets[0], *states]:
                    tree.elts = [item for item in tree.elts if getattr(item, "id", None) != b.stack]
                return True
    return False


def _is_made_empty(function: Any, stack: str) -> bool:
    return any(_makes(s, stack) and _starts_empty(s) for s in function.body)


def _is_gone(s: Any, stack: str) -> bool:
    return isinstance(s, _Hole) or _makes(s, stack)


def _merge(function: Any, a: _Places, b: _Places) -> bool:
    """Merge `b`, pushed later in the same block, into `a`."""
    [(block, push_a)], [(block_b, push_b)] = a.pushes, b.pushes
    [(reverse, pop_a)], [(reverse_b, pop_b)] = a.pops, b.pops
    if block is not block_b or reverse is not reverse_b or block is reverse:
        return False
    i, j = _index(block, push_a), _index(block, push_b)
    if i > j:
        return False
    at_push = _push_place(block, i, j)
    p, q = sorted([_index(reverse, pop_a), _index(reverse, pop_b)])
    at_pop = _pop_place(reverse, p, q)
    if at_push is None or at_pop is None:
        return False
    values = [*_items(push_a.value.args[0]), *_items(push_b.value.args[0])]
    targets = [*_items(pop_a.targets[0]), *_items(pop_b.targets[0])]
    if len({t.id for t in targets}) < len(targets):
        return False
    push_a.value.args[0] = gast.Tuple(values, gast.Load())
    pop_a.targets[0] = gast.Tuple(targets, gast.Store())
    block[i], block[j] = _Hole(), _Hole()
    block[at_push] = push_a
    reverse[p], reverse[q] = _Hole(), _Hole()
    reverse[at_pop] = pop_a
    for each in all_blocks(function.body):
        each[:] = [s for s in each if not _is_gone(s, b.stack)]
    return True


class _Hole(gast.Pass):
    """Stands where a statement was until the block is cleaned up."""


def _makes(s: Any, stack: str) -> bool:
    return isinstance(s, gast.Assign) and bound(s) == {stack}


def _index(block: list[Any], statement: Any) -> int:
    return next(i for i, s in enumerate(block) if s is statement)


def _push_place(block: list[Any], i: int, j: int) -> int | None:
    """Find where both pushes can stand: at the first, or at the second."""
    between = block[i + 1 : j]
    if any(has_jump(s) for s in between):
        return None
    changed: set[str] = set().union(*(may_bind(s) for s in between))
    for moved, place in ((block[j], i), (block[i], j)):
        values = _items(moved.value.args[0])
        if all(isinstance(v, gast.Name) and v.id not in changed for v in values):
            return place
    return None


def _pop_place(block: list[Any], p: int, q: int) -> int | None:
    """Find where both pops can stand."""
    between = block[p + 1 : q]
    if any(has_jump(s) for s in between):
        return None
    touched: set[str] = set().union(*(may_bind(s) | may_read(s) for s in between))
    for moved, place in ((block[q], p), (block[p], q)):
        if not touched & bound(moved):
            return place
    return None


def empty_stacks(function: gast.FunctionDef, context: Context) -> gast.FunctionDef:
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
    >>> print(unparse(empty_stacks(function, context)), end="")
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
    effects = Effects(function, context)
    liveness = Liveness(function)
    body = function.body
    for k, loop in enumerate(body):
        counted = _counted(loop, effects)
        if counted is None or _variable_used(loop, liveness):
            continue
        first = next((s for s in body[:k] if _counts(s, counted)), None)
        stack = _stack_of(function, loop, first, effects, counted) if first is not None else None
        if stack is not None:
            body[k] = gast.While(name(stack), loop.body, [])
    return function


def _counted(loop: Any, effects: Effects) -> str | None:
    """Give the counter of `for _ in reversed(range(...)[:trips])` or of `range(trips)`."""
    if not isinstance(loop, gast.For) or loop.orelse or not isinstance(loop.target, gast.Name):
        return None
    names = [p.id for p in nodes(loop.iter) if isinstance(p, gast.Name)]
    counters = [n for n in names if n not in ("range", "reversed")]
    if len(counters) != 1 or not effects.context.temporaries(counters[0]):
        return None
    key = counters[0]
    patterns = (f"reversed(range(n)[:{key}])", f"range({key})")
    iterable = loop.iter
    if isinstance(iterable, gast.Call) and isinstance(iterable.func, gast.Name):
        if gast.dump(iterable) == gast.dump(gast.parse(patterns[1]).body[0].value):
            return str(key)
        inner = iterable.args[0] if iterable.func.id == "reversed" and iterable.args else None
        if isinstance(inner, gast.Subscript) and isinstance(inner.slice, gast.Slice):
            part = inner.slice
            plain = part.lower is None and part.step is None and isinstance(part.upper, gast.Name)
            ranged = isinstance(inner.value, gast.Call) and all(
                isinstance(a, gast.Constant) for a in inner.value.args
            )
            if plain and ranged and part.upper.id == key:
                return str(key)
    return None


def _variable_used(loop: Any, liveness: Liveness) -> bool:
    key = loop.target.id
    return key in liveness.after(loop) or any(key in may_read(s) for s in loop.body)


def _counts(s: Any, key: str) -> bool:
    return isinstance(s, gast.For | gast.While) and any(
        isinstance(inner, gast.AugAssign) and bound(inner) == {key} for inner in s.body
    )


def _stack_of(function: Any, loop: Any, first: Any, effects: Effects, key: str) -> str | None:
    """Find a stack that is as long as the counter says: pushed in each trip, popped in each."""
    bindings = [p for p in nodes(function) if isinstance(p, gast.Name) and p.id == key]
    if sum(not isinstance(p.ctx, gast.Load) for p in bindings) != 2 or has_own_jump(loop.body):
        return None
    if isinstance(first, gast.For) and not _same_range(first.iter, loop.iter):
        return None
    counting = next(i for i, s in enumerate(first.body) if bound(s) == {key})
    for stack in sorted(effects.stacks):
        places = _Places(function, stack)
        if not places.simple():
            continue
        [(pushed_in, push)], [(popped_in, _)] = places.pushes, places.pops
        if pushed_in is not first.body or popped_in is not loop.body:
            continue
        pushing = _index(first.body, push)
        low, high = sorted((counting, pushing))
        if any(has_jump(s) for s in first.body[low : high + 1]):
            continue
        starts = [s for s in function.body if _makes(s, stack) or _makes(s, key)]
        if len(starts) == 2 and all(_starts_empty(s) for s in starts):
            return stack
    return None


def _same_range(a: Any, b: Any) -> bool:
    """Say whether `reversed(range(...)[:trips])` counts the range of the forward loop."""
    sliced = [p for p in nodes(b) if isinstance(p, gast.Subscript)]
    return not sliced or gast.dump(sliced[0].value) == gast.dump(a)


def has_own_jump(block: list[Any]) -> bool:
    """Say whether a loop body can be left before its end."""
    return any(has_jump(s) for s in block)


def _starts_empty(s: Any) -> bool:
    if isinstance(s.value, gast.List):
        return not s.value.elts
    return isinstance(s.value, gast.Constant) and s.value.value == 0
