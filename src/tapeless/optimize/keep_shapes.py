"""Of arrays that the reverse sweep asks for their shapes alone, it keeps the shapes.

    saved.append((x, y))                    saved.append((x.shape, y))
    ...                             ->      ...
    x, y = saved.pop()                      v, y = saved.pop()
    x_bar = np.zeros_like(x)                x_bar = np.zeros(v)

An array that nothing else keeps is then let go, and the next one finds its place in the memory that is at
hand. This is done last, when all stacks are merged, and for arrays of doubles, as `np.zeros` makes them. What
begins as None, as a name that only a branch binds, has no shape yet where the branch was not taken.
"""

from __future__ import annotations

from collections.abc import Set
from itertools import count
from typing import Any

import gast
import numpy as np

from tapeless.kinds import Array, Kind
from tapeless.optimize.analyses import effects_of, liveness_of, version_of
from tapeless.optimize.context import Context
from tapeless.optimize.stack_places import Places, index, items, places_of
from tapeless.tree.build import name, target
from tapeless.tree.classes import LOOPS
from tapeless.tree.names import all_names, binds_none, nodes
from tapeless.tree.transform import Replacer
from tapeless.tree.trees import Stmt, Tree


def keep_shapes(function: gast.FunctionDef, context: Context) -> bool:
    """Save the shapes of arrays of which nothing else is asked for.

    Examples
    --------
    >>> import gast
    >>> from tapeless.externals import MISSING
    >>> from tapeless.kinds import UNKNOWN, Size
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f_grad(x, n, h):
    ...     saved = []
    ...     for i in range(n):
    ...         v = h(x)
    ...         saved.append((v, x))
    ...         x = v[1:] * x[0]
    ...     for i in range(n):
    ...         v, x = saved.pop()
    ...         v_bar = np.zeros_like(v)
    ...         g(v_bar, x)
    ... ''').body[0]
    >>> np_ = lambda tree: getattr(np, getattr(tree, "attr", ""), MISSING)
    >>> kind_of = lambda key: Array((Size("n"),)) if key in ("v", "x") else UNKNOWN
    >>> context = Context(np_, lambda key: key in ("saved", "v", "v_bar"), kind_of)
    >>> keep_shapes(function, context)
    True
    >>> print(unparse(function), end="")
    def f_grad(x, n, h):
        saved = []
        for i in range(n):
            v = h(x)
            saved.append((v.shape, x))
            x = v[1:] * x[0]
        for i in range(n):
            v_00, x = saved.pop()
            v_bar = np.zeros(v_00)
            g(v_bar, x)
    """
    effects = effects_of(function, context)
    if not effects.stacks:
        return False
    places = [places_of(function)[stack] for stack in sorted(effects.stacks)]
    loops = [part for part in nodes(function, nested=False) if type(part) in LOOPS]
    live_after = liveness_of(function, context).live_after
    taken = set(all_names(function))
    unbound = {s.targets[0].id for s in nodes(function, nested=False) if binds_none(s)}
    changed = False
    for stack in (each for each in places if each.simple()):
        block = stack.pops[0][0]
        loop = next((loop for loop in loops if loop.body is block), None)
        if loop is not None:
            changed |= _keep_shapes(stack, loop, unbound, live_after(loop), taken, context)
    if changed:
        version_of(function, context)
    return changed


def _keep_shapes(
    stack: Places, loop: Stmt, unbound: Set[str], live: Set[str], taken: set[str], context: Context
) -> bool:
    """Save the shapes of some parts of one stack, which a loop pops."""
    [(_, push)], [(block, pop)] = stack.pushes, stack.pops
    pushed, popped = items(push.value.args[0]), items(pop.targets[0])
    after = block[index(block, pop) + 1 :]
    changed = False
    for i, (value, place) in enumerate(zip(pushed, popped, strict=True)):
        key = place.id
        if type(value) is not gast.Name or key in live or value.id in unbound:
            continue
        if not _is_of_doubles(context.kind_of(value.id)):
            continue
        asked = _asked_for_shapes(key, after, context)
        mentions = sum(type(p) is gast.Name and p.id == key for p in nodes(loop))
        if not asked or mentions != 1 + len(asked):
            continue
        shape = _unnamed(taken)
        _put(after, {id(part): _with_shape(part, shape) for part in asked})
        pushed[i], popped[i] = gast.Attribute(value, "shape", gast.Load()), target(shape)
        changed = True
    if changed and type(pop.targets[0]) is gast.Tuple:
        push.value.args[0].elts, pop.targets[0].elts = pushed, popped
    elif changed:
        push.value.args[0], pop.targets[0] = pushed[0], popped[0]
    return changed


def _unnamed(taken: set[str]) -> str:
    """Return the name of a temporary, unlike those that others stand for or stood for."""
    key = next(key for i in count() if (key := f"v_0{i}") not in taken)
    taken.add(key)
    return key


def _is_of_doubles(kind: Kind) -> bool:
    return isinstance(kind, Array) and kind.dtype == "f8" and bool(kind.dims)


def _asked_for_shapes(key: str, block: list[Any], context: Context) -> list[Any]:
    """List the calls in statements that ask for the shape of what a name holds, and for nothing else."""
    return [
        part
        for s in block
        for part in nodes(s)
        if type(part) is gast.Call
        and type(part.func) is gast.Attribute
        and len(part.args) == 1
        and not part.keywords
        and getattr(part.args[0], "id", None) == key
        and context.resolve(part.func) in (np.zeros_like, np.shape)
    ]


def _with_shape(call: Tree, shape: str) -> Any:
    """Write a call for the shape in the place of the array."""
    if call.func.attr == "shape":
        return name(shape)
    zeros = gast.Attribute(call.func.value, "zeros", gast.Load())
    return gast.Call(zeros, [name(shape)], [])


def _put(block: list[Any], made: dict[int, Any]) -> None:
    for i, s in enumerate(block):
        block[i] = Replacer(made).visit(s)
