"""A list of adjoints that one loop fills from its start is appended to.

The adjoint of a list starts as zeros, one for each item. Where a loop of the reverse sweep goes
through the list and adds to each slot once, nothing needs the zeros.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.optimize.analyses import generated_in
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.tree.blocks import all_blocks, has_jump
from tapeless.tree.build import name, quote
from tapeless.tree.liveness import Liveness
from tapeless.tree.names import nodes
from tapeless.tree.sums import terms_added
from tapeless.tree.trees import Stmt, Tree


def append_items(function: gast.FunctionDef, context: Context) -> bool:
    """Append to a list of adjoints instead of adding to the slots of a list of zeros.

    Examples
    --------
    >>> import gast
    >>> from tapeless.externals import MISSING
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(xs):
    ...     xs_bar = [0.0] * len(xs)
    ...     for k, x in enumerate(xs):
    ...         xs_bar[k] = xs_bar[k] + 2.0 * x
    ...     return xs_bar
    ... ''').body[0]
    >>> known = {"len": len, "enumerate": enumerate}
    >>> resolve = lambda tree: known.get(getattr(tree, "id", None), MISSING)
    >>> context = Context(resolve, lambda key: key in ("xs_bar", "k"), reverse=True)
    >>> append_items(function, context)
    True
    >>> print(unparse(function), end="")
    def f(xs):
        xs_bar = []
        for x in xs:
            xs_bar.append(2.0 * x)
        return xs_bar
    """
    generated = generated_in(function, context)
    changed = False
    for block in all_blocks(function.body):
        for j, loop in enumerate(block):
            if id(loop) in generated and _is_counted(loop, context):
                made = _append_in(block, j, Effects(function, context), Liveness(function))
                changed = made or changed
    return changed


def _is_counted(s: Stmt, context: Context) -> bool:
    """Whether a statement is a loop over an `enumerate`."""
    over_call = type(s) is gast.For and type(s.iter) is gast.Call
    return over_call and context.resolve(s.iter.func) is enumerate


def _append_in(block: list[Any], j: int, effects: Effects, liveness: Liveness) -> bool:
    loop = block[j]
    counted = _counted(loop, effects)
    if counted is None:
        return False
    counter, item, iterated, whole = counted
    used = [s for s in loop.body if counter in _names(s)]
    if len(used) != 1 or counter in liveness.live_after(loop) or counter in effects.scoped:
        return False
    found = _added_to_slot(used[0], counter)
    if found is None or any(has_jump(s) for s in loop.body):
        return False
    key, value = found
    if sum(n == key for s in loop.body for n in _names(s)) != 2 or key in _names(loop.iter):
        return False
    made = next((i for i in range(j - 1, -1, -1) if key in _names(block[i])), None)
    if made is None or _zeros_for(block[made], key, effects) not in iterated:
        return False
    if not (effects.is_scalar(value) or effects.is_fresh(value)):
        return False
    block[made].value = gast.List([], gast.Load())
    loop.target, loop.iter = item, whole
    at = next(i for i, s in enumerate(loop.body) if s is used[0])
    loop.body[at] = quote("x.append(g)", x=name(key), g=value)[0]
    return True


def _counted(loop: Stmt, effects: Effects) -> tuple[str, Any, list[str], Any] | None:
    """Take `for k, x in enumerate(xs)` apart: the counter, the target, what is iterated.

    In a reverse sweep `enumerate(zip(...))` goes through things of one length.
    """
    call, place = loop.iter, loop.target
    if len(call.args) != 1 or call.keywords or loop.orelse:
        return None
    if type(place) is not gast.Tuple or len(place.elts) != 2:
        return None
    if type(place.elts[0]) is not gast.Name:
        return None
    counter = place.elts[0].id
    if not effects.context.temporaries(counter):
        return None
    whole = call.args[0]
    zipped = type(whole) is gast.Call and effects.context.resolve(whole.func) is zip
    parts = whole.args if zipped else [whole]
    iterated = [part.id for part in parts if type(part) is gast.Name]
    return counter, place.elts[1], iterated, whole


def _added_to_slot(s: Stmt, counter: str) -> tuple[str, Any] | None:
    """Return the list and `g` of `xs_bar[k] = xs_bar[k] + g`."""
    terms = terms_added(s)
    if terms is None or len(terms) != 1 or counter in _names(terms[0]):
        return None
    place = s.targets[0]
    if type(place) is not gast.Subscript or type(place.value) is not gast.Name:
        return None
    return (place.value.id, terms[0]) if getattr(place.slice, "id", None) == counter else None


def _zeros_for(s: Stmt, key: str, effects: Effects) -> str | None:
    """Return the list for whose items a statement makes zeros: `xs_bar = [0.0] * len(xs)`."""
    if type(s) is not gast.Assign or type(s.value) is not gast.BinOp:
        return None
    if len(s.targets) != 1 or getattr(s.targets[0], "id", None) != key:
        return None
    zeros, count = s.value.left, s.value.right
    if type(zeros) is not gast.List or len(zeros.elts) != 1:
        return None
    number = zeros.elts[0]
    if type(number) is not gast.Constant or number.value != 0.0:
        return None
    if type(count) is not gast.Call or effects.context.resolve(count.func) is not len:
        return None
    return getattr(count.args[0], "id", None)


def _names(tree: Tree) -> list[str]:
    return [part.id for part in nodes(tree) if type(part) is gast.Name]
