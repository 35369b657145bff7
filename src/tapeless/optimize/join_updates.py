"""Small rearrangements of neighbouring statements.

A first value and what is added to it next become one sum; a push stands above the store whose old
value it keeps, so that the old value needs no name; two branches that only choose a value become a
conditional expression.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.optimize.analyses import calls_stacks, effects_of, generated_in, liveness_of
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.optimize.values import is_adjoint, is_stack_call
from tapeless.optimize.widths import fits
from tapeless.tree.blocks import (
    all_blocks,
    may_bind,
    may_read,
    stored_names,
)
from tapeless.tree.build import const, is_same_tree, name, unshared
from tapeless.tree.classes import ADDITIVE, ASSIGNMENTS, JUMPS, MULTIPLICATIVE
from tapeless.tree.comments import is_comment
from tapeless.tree.names import nodes, reads
from tapeless.tree.sums import terms_added
from tapeless.tree.trees import Expr, Stmt, Tree

WIDTH = 80


def join_updates(function: gast.FunctionDef, context: Context) -> bool:
    """Join `x_bar = a; x_bar += b` to `x_bar = a + b`, where `a` is new and the line stays short.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(x, w):
    ...     x_bar = 2.0 * w
    ...     x_bar += x
    ...     w_bar = x
    ...     w_bar += w
    ...     return x_bar, w_bar
    ... ''').body[0]
    >>> context = Context(temporaries=lambda key: key.endswith("bar"), reverse=True)
    >>> join_updates(function, context)
    True
    >>> print(unparse(function), end="")
    def f(x, w):
        x_bar = 2.0 * w + x
        w_bar = x
        w_bar += w
        return x_bar, w_bar

    Two equal updates become one.
    """
    effects = effects_of(function, context)
    generated = set(generated_in(function, context))  # what is joined is added
    updates = [part.target for part in effects.parts(gast.AugAssign)]
    updated = {place.id for place in updates if type(place) is gast.Name}
    stored = _stored_into(effects)
    changed = False
    for block in all_blocks(function.body):
        i = 0
        while i + 1 < len(block):
            joined = (
                _join(block, i, effects, generated, updated, stored)
                or _double(block, i, effects, generated)
                or _join_slots(block, i, effects, generated)
            )
            changed = joined or changed
            if not joined:
                i += 1
    return changed


def _stored_into(effects: Effects) -> set[str]:
    """Collect the names that must stay arrays, of rank 0 too: a sum of such is a number."""
    places = [part for part in effects.parts(gast.Subscript) if type(part.ctx) is gast.Store]
    added = [call.args[0] for call in effects.parts(gast.Call) if effects.is_added_at(call)]
    return {key for place in [*places, *added] for key in _owners(place)}


def _join_slots(block: list[Any], i: int, effects: Effects, generated: set[int]) -> bool:
    """Write `b.x = g; b.x = b.x + h + k` as `b.x = g + h + k`."""
    first, second = block[i], block[i + 1]
    if id(first) not in generated or id(second) not in generated:
        return False
    added = _added_to_slot(second)
    if added is None or type(first) is not gast.Assign or len(first.targets) != 1:
        return False
    place = first.targets[0]
    if gast.dump(place) != gast.dump(second.targets[0]):
        return False
    if not all(effects.is_pure(s.value) for s in (first, second)):
        return False
    if any(set(_owners(place)) & set(reads(term)) for term in added):
        return False
    value = first.value
    for term in added:
        value = gast.BinOp(value, gast.Add(), term)
    joined = gast.Assign([place], value, None)
    if not fits(joined, WIDTH):
        return False
    block[i] = joined
    generated.add(id(joined))
    del block[i + 1]
    return True


def _added_to_slot(s: Stmt) -> list[Any] | None:
    """Return `g` and `h` of `b.x = b.x + g + h`; None for anything else."""
    if type(s) is not gast.Assign or type(s.targets[0]) is not gast.Attribute:
        return None
    terms = terms_added(s)
    if terms is None:
        return None
    return None if type(terms[-1]) is gast.BinOp else terms


def _double(block: list[Any], i: int, effects: Effects, generated: set[int]) -> bool:
    """Write `x += g; x += g` as `x += 2.0 * g`: doubling rounds nothing."""
    first, second = block[i], block[i + 1]
    if type(first) is not gast.AugAssign or id(first) not in generated:
        return False
    if not is_same_tree(first, second) or type(first.op) not in ADDITIVE:
        return False
    if type(first.value) is gast.Name or effects.is_listlike(first.value):
        return False
    if not effects.is_pure(first.value) or _changes(first, effects):
        return False
    first.value = _twice(first.value)
    del block[i + 1]
    return True


def _changes(s: Stmt, effects: Effects) -> bool:
    """Whether an update changes what it reads besides what it updates."""
    asked = reads(s.value)
    if type(s.target) is gast.Subscript:
        asked = [*asked, *reads(s.target.slice)]
    elif type(s.target) is gast.Name and s.target.id in asked:
        return True
    seen = {key for n in asked for key in effects.seen_through(name(n))}
    return effects.meet(seen, effects.seen_through(s.target))


def _owners(place: Expr) -> list[str]:
    return [part.id for part in nodes(place) if type(part) is gast.Name]


def _twice(tree: Tree) -> Any:
    """Write `2.0 * a * b` for `a * b`."""
    if type(tree) is gast.BinOp and type(tree.op) in MULTIPLICATIVE:
        return gast.BinOp(_twice(tree.left), tree.op, tree.right)
    return gast.BinOp(const(2.0), gast.Mult(), tree)


def _join(
    block: list[Any],
    i: int,
    effects: Effects,
    generated: set[int],
    updated: set[str],
    stored: set[str],
) -> bool:
    first = block[i]
    if id(first) not in generated or type(first) is not gast.Assign:
        return False
    place = first.targets[0]
    if len(first.targets) != 1 or type(place) is not gast.Name:
        return False
    key = place.id
    if key not in updated:
        return False
    j = _next_mention(block, i, key, effects)
    if j is None:
        return False
    second = block[j]
    if type(second) is not gast.AugAssign or type(second.target) is not gast.Name:
        return False
    if second.target.id != key or not effects.context.temporaries(key) or key in effects.scoped:
        return False
    if key in reads(second.value) or type(second.op) not in ADDITIVE:
        return False
    if not effects.is_fresh(first.value) or effects.is_listlike(first.value):
        return False
    if not effects.is_pure(first.value):
        return False
    if type(first.value) is gast.Call and _is_zeros(first.value):
        return False  # the shape is wanted
    if key in stored and not effects.is_array(first.value):
        return False
    joined = gast.Assign([place], gast.BinOp(first.value, second.op, second.value), None)
    if not fits(joined, WIDTH - 1):
        return False
    block[j] = joined
    del block[i]
    return True


def _next_mention(block: list[Any], i: int, key: str, effects: Effects) -> int | None:
    """Find the next statement that names what the i-th one binds, if its value may move there."""
    value = block[i].value
    asked, read, body = effects.touch(value).reads, set(reads(value)), effects.body
    for j in range(i + 1, len(block)):
        s = block[j]
        if key in body.may_read(s) or key in body.may_bind(s):
            return j
        if not isinstance(s, (gast.Assign, gast.AugAssign, gast.Expr)) or is_comment(s):
            return None
        if not read.isdisjoint(body.may_bind(s)):
            return None
        if asked and effects.collide(asked, effects.touch(s)):
            return None
    return None


def _is_zeros(call: Expr) -> bool:
    return type(call.func) is gast.Attribute and call.func.attr.startswith(("zeros", "full"))


def raise_pushes(function: gast.FunctionDef, context: Context) -> bool:
    """Push what a store destroys above the store.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(u, n):
    ...     saved = []
    ...     for i in range(n):
    ...         u_old = u[i]
    ...         u[i] = 2.0
    ...         saved.append((u_old, n))
    ... ''').body[0]
    >>> context = Context(temporaries=lambda key: key in ("saved", "u_old"))
    >>> raise_pushes(function, context)
    True
    >>> print(unparse(function), end="")
    def f(u, n):
        saved = []
        for i in range(n):
            u_old = u[i]
            saved.append((u_old, n))
            u[i] = 2.0
    """
    if not calls_stacks(function, context):
        return False
    effects = effects_of(function, context)
    generated = generated_in(function, context)
    changed = False
    for block in all_blocks(function.body):
        for i in range(len(block)):
            if _is_push(block[i], effects):
                raised = _raise_push(block, i, effects, id(block[i]) in generated)
                changed = raised or changed
    return changed


def _is_push(s: Stmt, effects: Effects) -> bool:
    if not (type(s) is gast.Expr and type(s.value) is gast.Call):
        return False
    call = s.value
    if not is_stack_call(call) or call.func.attr != "append":
        return False
    parts = call.args[0].elts if type(call.args[0]) is gast.Tuple else [call.args[0]]
    return call.func.value.id in effects.stacks and all(type(p) is gast.Name for p in parts)


def _raise_push(block: list[Any], i: int, effects: Effects, alone: bool) -> bool:
    """Raise a push above stores; where it is the tool's alone, up to what binds its one name."""
    push = block[i]
    stack = push.value.func.value.id
    names = set(reads(push.value.args[0]))
    j = i
    while j > 0:
        before = block[j - 1]
        if type(before) not in ASSIGNMENTS or type(before) in JUMPS:
            break
        if names & may_bind(before) or stack in may_read(before):
            break
        j -= 1
    above = block[j - 1] if j > 0 else None
    stores = [s for s in block[j:i] if not stored_names(_place(s))]
    alone = alone and type(push.value.args[0]) is gast.Name
    if not (stores or alone) or not isinstance(above, gast.Assign):
        return False
    key = stored_names(above.targets[0])
    if len(key) == 1 and effects.context.temporaries(next(iter(key))) and key <= names:
        block.insert(j, block.pop(i))
        return j < i
    return False


def _place(s: Stmt) -> Any:
    return s.targets[0] if type(s) is gast.Assign else s.target


def choose_values(function: gast.FunctionDef, context: Context) -> bool:
    """Write two branches that only choose the value of a temporary as a conditional expression.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(x, y):
    ...     if x > 0:
    ...         v = x
    ...     else:
    ...         v = -y
    ...     u = v
    ...     return u
    ... ''').body[0]
    >>> choose_values(function, Context(temporaries=lambda key: key == "v"))
    True
    >>> print(unparse(function), end="")
    def f(x, y):
        v = x if x > 0 else -y
        u = v
        return u
    """
    liveness = liveness_of(function, context)
    scoped = liveness.scoped
    changed = False
    for block in all_blocks(function.body):
        for i, s in enumerate(block[:-1]):
            made = _choice(s, context)
            following = block[i + 1]
            if made is None or is_comment(following):
                continue
            key = made.targets[0].id
            if key in scoped or key in liveness.live_after(following) or is_adjoint(key, context):
                continue
            if reads(following).count(key) == 1:
                block[i], changed = made, True
    return changed


def _choice(s: Stmt, context: Context) -> Any:
    if type(s) is not gast.If or len(s.body) != 1 or len(s.orelse) != 1:
        return None
    yes, no = s.body[0], s.orelse[0]
    if not (type(yes) is gast.Assign and type(no) is gast.Assign):
        return None
    a, b = yes.targets, no.targets
    if len(a) != 1 or len(b) != 1 or type(a[0]) is not gast.Name:
        return None
    if gast.dump(a[0]) != gast.dump(b[0]) or not context.temporaries(a[0].id):
        return None
    return gast.Assign([unshared(a[0])], gast.IfExp(s.test, yes.value, no.value), None)
