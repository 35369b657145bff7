"""What a slot of a shadow gets right after it was emptied is put there at once.

Reversing `o.x = f(o.x)` takes the cotangent out of the slot, leaves zero, and adds what `o.x` gets. The
slots of a shadow are rebound, never added to in place, because one array can stand in two of them. But
what was just computed and bound to one slot stands nowhere else: there an element can be added where
it belongs.
"""

from __future__ import annotations

import functools
from collections.abc import Container
from typing import Any

import gast
import numpy as np

from tapeless.externals import is_one_of, is_runtime
from tapeless.optimize.analyses import effects_of, generated_in, version_of
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.optimize.purity import is_module_function
from tapeless.optimize.values import is_adjoint
from tapeless.runtime import full, times_partial, unbroadcast
from tapeless.tree.blocks import all_blocks, bound
from tapeless.tree.build import as_load
from tapeless.tree.classes import ADDITIVE, COMPUTED, ENDING, LOOP_JUMPS, SIMPLE
from tapeless.tree.names import children, nodes, reads
from tapeless.tree.sums import terms_added
from tapeless.tree.trees import Expr, Stmt, Tree

_READ_BY_VALUE = (full, unbroadcast, times_partial)


def fill_slots(function: gast.FunctionDef, context: Context) -> bool:
    """Drop `b.x = 0.0` before `b.x = b.x + g`, and add to elements of what is new in place.

    Examples
    --------
    >>> import gast
    >>> from tapeless.externals import MISSING
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f_rev(self, self_bar, w):
    ...     v_bar = self_bar.x
    ...     self_bar.x = 0.0
    ...     w_bar = np.sum(v_bar)
    ...     v_1_bar = np.zeros_like(self.x)
    ...     v_1_bar[0] += w_bar
    ...     self_bar.x = self_bar.x + w * v_bar + v_1_bar
    ...     v_2_bar = np.zeros_like(self.x)
    ...     v_2_bar[1] -= w_bar
    ...     self_bar.x = self_bar.x + v_2_bar
    ...     return w_bar
    ... ''').body[0]
    >>> np_ = lambda tree: getattr(np, getattr(tree, "attr", ""), MISSING)
    >>> context = Context(np_, lambda key: key.endswith("_bar"), reverse=True)
    >>> fill_slots(function, context)
    True
    >>> print(unparse(function), end="")
    def f_rev(self, self_bar, w):
        v_bar = self_bar.x
        w_bar = np.sum(v_bar)
        v_1_bar = np.zeros_like(self.x)
        v_1_bar[0] += w_bar
        self_bar.x = w * v_bar + v_1_bar
        self_bar.x[1] -= w_bar
        return w_bar
    """
    generated = generated_in(function, context)
    changed = False
    for block in all_blocks(function.body):
        changed |= _fill_emptied(block, function, context, generated)
        for i, s in enumerate(block):
            if id(s) in generated and _bound_slot(s) and type(s.value) is gast.BinOp:
                if _add_in_place(block, i, effects_of(function, context)):
                    version_of(function, context)
                    changed = True
    return changed


def _fill_emptied(
    block: list[Any], function: gast.FunctionDef, context: Context, generated: Container[int]
) -> bool:
    """Fill the slots that statements of a block empty at once, where they are filled later."""
    changed = False
    i = 0
    while i < len(block):
        s = block[i]
        emptied = id(s) in generated and _bound_slot(s) is not None and is_zero(s.value)
        if emptied and _fill(block, i, effects_of(function, context)):
            version_of(function, context)
            changed = True
        else:
            i += 1
    return changed


def _bound_slot(s: Stmt) -> Any:
    """Return `b.x` of `b.x = v`; None for anything else."""
    place = s.targets[0] if type(s) is gast.Assign and len(s.targets) == 1 else None
    plain = isinstance(place, gast.Attribute) and type(place.value) is gast.Name
    return place if plain else None


def is_zero(tree: Tree) -> bool:
    """Whether an expression is the literal 0.0."""
    return type(tree) is gast.Constant and tree.value == 0.0


def _fill(block: list[Any], i: int, effects: Effects) -> bool:
    """Put what is added to the slot that the i-th statement empties there at once."""
    place = _bound_slot(block[i])
    if not is_adjoint(place.value.id, effects.context):
        return False
    for j in range(i + 1, len(block)):
        rest = added_to(block[j], place)
        if rest is not None and _is_what_it_held(block, i, j, rest, effects):
            del block[j], block[i]
            return True
        if rest is not None and not _mentions(rest, place, effects):
            if not (effects.is_fresh(rest) or stays(rest, effects)):
                return False
            block[j].value = rest
            del block[i]
            return True
        if not _passes(block[j], place, effects):
            return False
    return False


def _is_what_it_held(block: list[Any], i: int, j: int, rest: Expr, effects: Effects) -> bool:
    """Whether what is added to a slot is what was taken out just before it was emptied."""
    if type(rest) is not gast.Name or i == 0:
        return False
    taken, place = block[i - 1], _bound_slot(block[i])
    if type(taken) is not gast.Assign:
        return False
    held = _completed(taken.value, effects)
    if gast.dump(held) != gast.dump(as_load(place)):
        return False
    if len(taken.targets) != 1 or getattr(taken.targets[0], "id", None) != rest.id:
        return False
    if any(rest.id in bound(s) for s in block[i:j]):
        return False
    parts = effects.parts(gast.AugAssign, gast.Subscript)
    changed = [place for part in parts for place in _changed_in_place(part)]
    return not any(rest.id in reads(as_load(p)) for p in changed)


def _completed(tree: Tree, effects: Effects) -> Any:
    """Return `g` of `full(g, x)`, which is `g` but for an untouched 0.0."""
    if type(tree) is gast.Call and effects.context.resolve(tree.func) is full:
        return tree.args[0]
    return tree


def added_to(s: Stmt, place: Expr) -> Any:
    """Return `g + h` of `b.x = b.x + g + h`; None for anything else."""
    terms = terms_added(s)
    if terms is None or gast.dump(s.targets[0]) != gast.dump(place):
        return None
    return functools.reduce(lambda a, b: gast.BinOp(a, gast.Add(), b), terms)


def _passes(s: Stmt, place: Expr, effects: Effects) -> bool:
    """Whether a statement leaves a slot, its owner and what the slot holds as they are."""
    if type(s) not in SIMPLE or type(s) in ENDING:
        return False
    if type(s) in LOOP_JUMPS or place.value.id in bound(s):
        return False
    return not effects.touch(s).unknown and not _mentions(s, place, effects)


def _mentions(tree: Tree, place: Expr, effects: Effects) -> bool:
    """Whether code may look at a slot: by its attribute, or by what may be its owner.

    Only names of adjoints ever hold a shadow.
    """
    owner = effects.root(place.value.id)
    by_value = _read_by_value(tree, effects)

    def may_own(key: str) -> bool:
        return effects.root(key) == owner and is_adjoint(key, effects.context)

    for part in nodes(tree):
        if type(part) is gast.Attribute and part.attr == place.attr:
            if any(may_own(k) for k in effects.seen_through(part.value)):
                return True
        elif type(part) is gast.Name and may_own(part.id) and id(part) not in by_value:
            return True
    return False


def _read_by_value(tree: Tree, effects: Effects) -> set[int]:
    """Collect the names of which only another attribute, or what an array holds, is looked at."""
    found: set[int] = set()
    for part in nodes(tree):
        if type(part) is gast.Attribute:
            found.add(id(part.value))
        elif type(part) in COMPUTED:
            found |= {id(child) for child in children(part)}
        elif type(part) is gast.Call:
            called = effects.context.resolve(part.func)
            own = is_runtime(called)
            known = is_one_of(called, _READ_BY_VALUE) if own else None
            if known or known is None and is_module_function(called):
                found |= {id(argument) for argument in part.args}
        elif type(part) is gast.AugAssign:
            found.add(id(part.value))
        elif type(part) is gast.Assign and all(type(p) is gast.Name for p in part.targets):
            found |= {id(p) for p in part.targets}
    return found


def stays(tree: Tree, effects: Effects) -> bool:
    """Whether nothing in the function changes or hands out the arrays that a value may be."""
    seen = {effects.root(k) for k in effects.seen_through(tree)}
    parts = effects.parts(gast.AugAssign, gast.Subscript, gast.Return, gast.Call)
    changed = [place for part in parts for place in _changed_or_handed_out(part, effects)]
    return not any(seen & {effects.root(k) for k in effects.seen_through(p)} for p in changed)


def _changed_or_handed_out(part: Tree, effects: Effects) -> list[Any]:
    """List what a part of the function may change in place or hand to other code."""
    changed = _changed_in_place(part)
    if changed:
        return [as_load(place) for place in changed]
    if type(part) is gast.Return and part.value is not None:
        return [part.value]
    if type(part) is gast.Call and not effects.is_pure_call(part):
        return list(part.args)
    return []


def _changed_in_place(part: Tree) -> list[Any]:
    """List the places that a part of the function updates or stores into."""
    if type(part) is gast.AugAssign:
        return [part.target]
    if type(part) is gast.Subscript and type(part.ctx) is gast.Store:
        return [part.value]
    return []


def _add_in_place(block: list[Any], i: int, effects: Effects) -> bool:
    """Add elements in place to a new array that the i-th statement binds to a slot."""
    s = block[i]
    place = _bound_slot(s)
    if not effects.is_fresh(s.value) or not is_adjoint(place.value.id, effects.context):
        return False
    changed = False
    twins = [t for t in _terms(s.value) if type(t) is gast.Name]
    shapes = {gast.dump(x) for x in (_shape_of(block[:i], t.id, effects) for t in twins) if x}
    if not shapes:
        return False
    j = i + 1
    while j < len(block):
        step = _element_step(block, j, place, effects)
        if step is not None and gast.dump(step.shape) in shapes:
            target = gast.Subscript(as_load(place), step.update.target.slice, gast.Store())
            step.update.target = target
            block[j : step.last + 1] = block[j + 1 : step.last]
            changed = True
            continue
        in_place = type(block[j]) is gast.AugAssign and _is_element_of(block[j].target, place)
        looked_at = block[j].value if in_place else block[j]
        if in_place and _mentions(looked_at, place, effects):
            return changed
        if not in_place and not _passes(block[j], place, effects):
            return changed
        if _stores_into(block[j], shapes):
            return changed
        j += 1
    return changed


def _terms(tree: Tree) -> list[Any]:
    if type(tree) is gast.BinOp and type(tree.op) in ADDITIVE:
        return [*_terms(tree.left), *_terms(tree.right)]
    return [tree]


def _shape_of(before: list[Any], key: str, effects: Effects) -> Any:
    """Return `x` where a name was last bound to `np.zeros_like(x)` and `x` still is what it was."""
    for i in range(len(before) - 1, -1, -1):
        s = before[i]
        if type(s) not in SIMPLE:
            return None
        if key in bound(s) and type(s) is not gast.AugAssign:
            shape = _zeros_like(s, effects)
            if shape is None or any(_stores_into(t, {gast.dump(shape)}) for t in before[i:]):
                return None
            return shape
    return None


def _zeros_like(s: Stmt, effects: Effects) -> Any:
    """Return `o.x` of `key = np.zeros_like(o.x)`."""
    call = getattr(s, "value", None)
    if type(s) is not gast.Assign or not isinstance(call, gast.Call) or len(call.args) != 1:
        return None
    if call.keywords or effects.context.resolve(call.func) is not np.zeros_like:
        return None
    shape = call.args[0]
    plain = type(shape) is gast.Attribute and type(shape.value) is gast.Name
    return shape if plain else None


def _stores_into(s: Stmt, shapes: set[str]) -> bool:
    """Whether a statement binds one of these attributes, or a name that they are reached by."""
    kept = [part for part in nodes(s) if type(getattr(part, "ctx", None)) is gast.Store]
    stored = {part.attr for part in kept if type(part) is gast.Attribute}
    stored |= {part.id for part in kept if type(part) is gast.Name}
    return any(
        f"attr='{key}'" in shape or f"id='{key}'" in shape for key in stored for shape in shapes
    )


class _Step:
    """The statements that add one element: `t = zeros_like(x); t[i] += g; b.x = b.x + t`."""

    def __init__(self, shape: Any, update: Stmt, last: int) -> None:
        self.shape = shape
        self.update = update
        self.last = last


def _element_step(block: list[Any], j: int, place: Expr, effects: Effects) -> _Step | None:
    first = block[j]
    shape = _zeros_like(first, effects)
    if shape is None or j + 2 >= len(block) or type(first.targets[0]) is not gast.Name:
        return None
    key = first.targets[0].id
    update = block[j + 1]
    if not isinstance(update, gast.AugAssign) or type(update.op) not in ADDITIVE:
        return None
    owner = getattr(update.target, "value", None)
    if not isinstance(update.target, gast.Subscript) or not isinstance(owner, gast.Name):
        return None
    if owner.id != key or key in reads(update.value) or key in reads(update.target.slice):
        return None
    if _mentions(update.value, place, effects) or _mentions(update.target.slice, place, effects):
        return None
    last = j + 2
    rest = added_to(block[last], place)
    if type(rest) is not gast.Name or rest.id != key:
        return None
    total = sum(p.id == key for p in effects.parts(gast.Name))
    return _Step(shape, update, last) if total == 3 else None


def _is_element_of(target: Expr, place: Expr) -> bool:
    owner = getattr(target, "value", None)
    same = owner is not None and gast.dump(as_load(owner)) == gast.dump(as_load(place))
    return type(target) is gast.Subscript and same
