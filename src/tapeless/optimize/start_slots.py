"""The first cotangent that a slot of a new dict of adjoints gets is put there, not added to 0.0.

    p_bar = dict.fromkeys(p, 0.0)                p_bar = dict.fromkeys(p, 0.0)
    p_bar["w"] = p_bar["w"] + x.T @ y_bar   ->   p_bar["w"] = x.T @ y_bar

Adding to 0.0 would allocate and go through the array once more. What is put there may not be an array
that something else changes in place: it is new, or nothing in the function does so.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.externals import is_one_of
from tapeless.optimize.analyses import generated_in
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.optimize.fill_slots import added_to, is_zero, stays
from tapeless.tree.blocks import all_blocks
from tapeless.tree.names import nodes
from tapeless.tree.trees import Stmt


def start_slots(function: gast.FunctionDef, context: Context) -> bool:
    """Put the first cotangents of a new dict of adjoints into their slots.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(p, v, w):
    ...     p_bar = dict.fromkeys(p, 0.0)
    ...     p_bar["a"] = p_bar["a"] + v * w
    ...     p_bar["b"] = p_bar["b"] + 2.0 * v
    ...     p_bar["a"] = p_bar["a"] + 3.0 * w
    ...     return p_bar
    ... ''').body[0]
    >>> context = Context(lambda tree: dict.fromkeys, reverse=True)
    >>> start_slots(function, context)
    True
    >>> print(unparse(function), end="")
    def f(p, v, w):
        p_bar = dict.fromkeys(p, 0.0)
        p_bar["a"] = v * w
        p_bar["b"] = 2.0 * v
        p_bar["a"] = p_bar["a"] + 3.0 * w
        return p_bar
    """
    generated = generated_in(function, context)
    changed = False
    for block in all_blocks(function.body):
        for i, s in enumerate(block):
            if id(s) in generated and _is_new_dict(s, context):
                started = _start(block[i + 1 :], s.targets[0].id, Effects(function, context))
                changed = started or changed
    return changed


def _is_new_dict(s: Stmt, context: Context) -> bool:
    """Whether a statement is `x_bar = dict.fromkeys(x, 0.0)`."""
    if type(s) is not gast.Assign or type(s.targets[0]) is not gast.Name:
        return False
    call = s.value
    made = type(call) is gast.Call and is_one_of(context.resolve(call.func), (dict.fromkeys,))
    return made and len(s.targets) == 1 and len(call.args) == 2 and is_zero(call.args[1])


def _start(following: list[Any], key: str, effects: Effects) -> bool:
    """Start each slot in the statements that follow, up to one that uses the dict otherwise."""
    begun: set[Any] = set()
    changed = False
    for s in following:
        mentioned = [n for n in nodes(s) if type(n) is gast.Name and n.id == key]
        if not mentioned:
            continue
        place = s.targets[0] if type(s) is gast.Assign else None
        if not isinstance(place, gast.Subscript) or not isinstance(place.slice, gast.Constant):
            return changed
        rest = added_to(s, place)
        if len(mentioned) != 2 or rest is None or getattr(place.value, "id", None) != key:
            return changed
        slot = place.slice.value
        if slot not in begun and (effects.is_fresh(rest) or stays(rest, effects)):
            s.value, changed = rest, True
        begun.add(slot)
    return changed
