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
it restores is read or bound on the way. Where a push can move only without such a name, its value
gets another name before it is lost:

    saved.append(x)                        x_old = x
    x = x - step                    ->     x = x - step
    root = np.sqrt(x)                      root = np.sqrt(x)
    saved_1.append((root, step))           saved.append((x_old, root, step))
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

import gast

from tapeless.optimize.analyses import calls_stacks, effects_of
from tapeless.optimize.context import Context
from tapeless.optimize.stack_places import (
    Handed,
    Places,
    handed_stacks,
    index,
    items,
    makes,
    places_of,
    starts_empty,
)
from tapeless.tree.blocks import (
    all_blocks,
    bound,
    has_jump,
    may_bind,
    may_read,
)
from tapeless.tree.build import assign, name
from tapeless.tree.names import Names, all_names
from tapeless.tree.trees import Stmt, Tree


def merge_saves(function: gast.FunctionDef, context: Context) -> bool:
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
    >>> merge_saves(function, context)
    True
    >>> print(unparse(function), end="")
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
    if not calls_stacks(function, context):
        return False
    stacks = effects_of(function, context).stacks
    found = places_of(function)
    simple = [found[stack] for stack in sorted(stacks) if found[stack].simple()]
    gone = _merged(function, simple)
    if gone:
        _clear(function, gone)
    return bool(gone)


def _merged(forward: gast.FunctionDef, places: list[Places]) -> set[str]:
    """Merge stacks as far as can be; give the names of those that are gone.

    Stacks are merged where they are pushed in one block, and popped in one.
    """
    together: dict[tuple[int, int], list[Places]] = {}
    for each in places:
        [(block, _)], [(reverse, _)] = each.pushes, each.pops
        together.setdefault((id(block), id(reverse)), []).append(each)
    gone: set[str] = set()
    for group in together.values():
        if len(group) > 1:
            names = Names(all_names(forward))
            while merged := next(
                (b for a, b in permutations(group, 2) if _merge(a, b, names)), None
            ):
                group.remove(merged)
                gone.add(merged.stack)
    return gone


def _clear(function: Tree, gone: set[str]) -> None:
    """Drop the statements that make stacks which are gone."""
    for block in all_blocks(function.body):
        block[:] = [s for s in block if not _makes_one_of(gone, s)]


def _makes_one_of(stacks: set[str], s: Stmt) -> bool:
    return any(makes(s, key) for key in bound(s) & stacks)


def merge_handed_saves(forward: gast.FunctionDef, reverse: gast.FunctionDef) -> bool:
    """Merge stacks pushed together by a forward sweep and popped together by its reverse sweep, if any.

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
    >>> merge_handed_saves(forward, reverse)
    True
    >>> for function in (forward, reverse):
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
    handed = handed_stacks(forward, reverse)
    if handed is None:
        return False
    simple = [each for each in handed.stacks if each.simple(handed.mentions)]
    gone = _merged(forward, [each for each in simple if _is_made_empty(forward, each.stack)])
    if gone:
        _clear_halves(forward, reverse, handed, gone)
    return bool(gone)


def _clear_halves(
    forward: gast.FunctionDef, reverse: gast.FunctionDef, handed: Handed, gone: set[str]
) -> None:
    """Drop stacks that are gone from both halves, and from what is handed over."""
    for function in (forward, reverse):
        _clear(function, gone)
    for tree in [handed.unpacking.targets[0], *handed.states]:
        tree.elts = [item for item in tree.elts if getattr(item, "id", None) not in gone]


def _is_made_empty(function: Tree, stack: str) -> bool:
    return any(makes(s, stack) and starts_empty(s) for s in function.body)


def _merge(a: Places, b: Places, names: Names) -> bool:
    """Merge `b`, pushed later in the same block, into `a`."""
    [(block, push_a)], [(block_b, push_b)] = a.pushes, b.pushes
    [(reverse, pop_a)], [(reverse_b, pop_b)] = a.pops, b.pops
    if block is not block_b or reverse is not reverse_b or block is reverse:
        return False
    i, j = index(block, push_a), index(block, push_b)
    if i > j:
        return False
    p, q = sorted([index(reverse, pop_a), index(reverse, pop_b)])
    at_pop = _pop_place(reverse, p, q)
    targets = [*items(pop_a.targets[0]), *items(pop_b.targets[0])]
    if at_pop is None or len({t.id for t in targets}) < len(targets):
        return False
    at_push = _push_place(block, i, j)
    if at_push is None:
        if not _name_apart(block, i, j, names):
            return False
        i, j = index(block, push_a), index(block, push_b)
        at_push = j
    values = [*items(push_a.value.args[0]), *items(push_b.value.args[0])]
    push_a.value.args[0] = gast.Tuple(values, gast.Load())
    pop_a.targets[0] = gast.Tuple(targets, gast.Store())
    holes = [gast.Pass() for _ in range(4)]
    block[i], block[j] = holes[:2]
    block[at_push] = push_a
    reverse[p], reverse[q] = holes[2:]
    reverse[at_pop] = pop_a
    for each in (block, reverse):
        each[:] = [s for s in each if not any(s is hole for hole in holes)]
    return True


def _push_place(block: list[Any], i: int, j: int) -> int | None:
    """Find where both pushes can stand: at the first, or at the second."""
    between = block[i + 1 : j]
    if any(has_jump(s) for s in between):
        return None
    changed: set[str] = set().union(*(may_bind(s) for s in between))
    for moved, place in ((block[j], i), (block[i], j)):
        values = items(moved.value.args[0])
        if all(type(v) is gast.Name and v.id not in changed for v in values):
            return place
    return None


def _name_apart(block: list[Any], i: int, j: int, names: Names) -> bool:
    """Give the values of a push other names before they are lost, so that it may stand further down."""
    between = block[i + 1 : j]
    values = items(block[i].value.args[0])
    if any(has_jump(s) for s in between) or any(type(v) is not gast.Name for v in values):
        return False
    changed: set[str] = set().union(*(may_bind(s) for s in between))
    apart = {v.id: names.fresh(f"{v.id}_old") for v in values if v.id in changed}
    kept = [name(apart.get(v.id, v.id)) for v in values]
    block[i].value.args[0] = gast.Tuple(kept, gast.Load()) if len(kept) > 1 else kept[0]
    block[i:i] = [assign(old, name(key)) for key, old in apart.items()]
    return True


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
