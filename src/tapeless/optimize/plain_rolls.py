"""What is rolled only to be added is added where it belongs.

    x_bar += np.roll(d, 1, axis=0)      ->      x_bar[1:] += d[:-1]
                                                x_bar[:1] += d[-1:]

No rolled copy is made. This is done in the reverse sweep, for arrays that are known to have one shape and
share no memory, and for steps that are not longer than the axis. It is done last: what is differentiated
again keeps the roll.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from tapeless.externals import is_one_of
from tapeless.kinds import Array, Dim
from tapeless.optimize.analyses import body_of, effects_of, generated_in, version_of
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.tree.blocks import all_blocks
from tapeless.tree.build import assign, const, name
from tapeless.tree.signs import integer
from tapeless.tree.trees import Expr, Stmt


@dataclass(frozen=True)
class Roll:
    """An array that is rolled: `np.roll(key, shift, axis)`."""

    key: str
    shift: int
    axis: int


def plain_rolls(function: gast.FunctionDef, context: Context) -> None:
    """Add what is rolled in two parts: what stays within the axis, and what comes in at its other end.

    Examples
    --------
    >>> import gast
    >>> from tapeless.kinds import Size
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(y_bar):
    ...     d = 0.5 * y_bar
    ...     x_bar = -4.0 * d + np.roll(d, 1, axis=1) - np.roll(d, -1, axis=0)
    ...     return x_bar
    ... ''').body[0]
    >>> resolve = lambda tree: np.roll if gast.unparse(tree) == "np.roll" else None
    >>> matrix = Array((Size(0), Size(1)))
    >>> plain_rolls(function, Context(resolve, kind_of=lambda key: matrix, reverse=True))
    >>> print(unparse(function), end="")
    def f(y_bar):
        d = 0.5 * y_bar
        x_bar = -4.0 * d
        x_bar[:, 1:] += d[:, :-1]
        x_bar[:, :1] += d[:, -1:]
        x_bar[:-1] -= d[1:]
        x_bar[-1:] -= d[:1]
        return x_bar
    """
    if not any(_is_roll(call, context) for call in body_of(function, context).parts(gast.Call)):
        return
    generated = generated_in(function, context)
    effects = effects_of(function, context)
    for block in all_blocks(function.body):
        block[:] = [
            made for s in block for made in (id(s) in generated and _in_parts(s, effects)) or [s]
        ]
    version_of(function, context)


def _is_roll(tree: Any, context: Context) -> bool:
    return type(tree) is gast.Call and is_one_of(context.resolve(tree.func), (np.roll,))


def _in_parts(s: Stmt, effects: Effects) -> list[Stmt] | None:
    """Return the statements that add what a statement rolls and adds; None if that is not what it does."""
    first: list[Stmt] = []
    if type(s) is gast.AugAssign and type(s.target) is gast.Name:
        to, op, added = s.target.id, s.op, s.value
    elif _binds_sum(s):
        to, op, added = s.targets[0].id, s.value.op, s.value.right
        first = [gast.copy_location(assign(to, s.value.left), s)]
    else:
        return None
    if type(op) not in (gast.Add, gast.Sub):
        return None
    roll = _roll_of(added, to, effects)
    if roll is None or (first and not _has_full_shape(s.value.left, to, effects)):
        return None
    before = [part for each in first for part in _in_parts(each, effects) or [each]]
    return [*before, *(gast.copy_location(made, s) for made in _written(to, op, roll))]


def _binds_sum(s: Stmt) -> bool:
    """Whether a statement binds a name to the sum of what is computed there and something else."""
    if type(s) is not gast.Assign or type(s.targets[0]) is not gast.Name:
        return False
    return type(s.value) is gast.BinOp and type(s.value.left) in (gast.BinOp, gast.UnaryOp)


def _roll_of(tree: Expr, to: str, effects: Effects) -> Roll | None:
    """Return what is rolled, if it has the shape of that to which it is added, and other memory."""
    if not _is_roll(tree, effects.context):
        return None
    given = dict(zip(("a", "shift", "axis"), tree.args, strict=False))
    given |= {keyword.arg: keyword.value for keyword in tree.keywords}
    array: Any = given.get("a")
    if type(array) is not gast.Name or "shift" not in given:
        return None
    kind, target = effects.context.kind_of(array.id), effects.context.kind_of(to)
    if not isinstance(kind, Array) or not isinstance(target, Array) or kind.dims != target.dims:
        return None
    rank = len(kind.dims)
    shift = integer(given["shift"])
    axis = integer(given["axis"]) if "axis" in given else 0 if rank == 1 else None
    if not shift or axis is None or not -rank <= axis < rank:
        return None
    if abs(shift) > _least(kind.dims[axis]):
        return None
    if effects.meet(effects.seen_through(array), effects.seen_through(name(to))):
        return None
    return Roll(array.id, shift, axis % rank)


def _least(dim: Dim) -> int:
    """Return the length for which a step is right: of an axis without entries, any step of one is."""
    return dim if isinstance(dim, int) else max(dim.least - dim.cut, 1)


def _has_full_shape(tree: Expr, to: str, effects: Effects) -> bool:
    """Whether a sum that is bound to a name has its shape and dtype before the last addend is added.

    Arithmetic makes neither smaller: one operand that has them is enough.
    """
    kind = effects.context.kind_of(to)
    return isinstance(kind, Array) and kind.dtype is not None and _operates_on(tree, kind, effects)


def _operates_on(tree: Expr, kind: Array, effects: Effects) -> bool:
    """Whether one operand of some arithmetic is an array of a kind."""
    if type(tree) is gast.Name:
        found = effects.context.kind_of(tree.id)
        return isinstance(found, Array) and (found.dims, found.dtype) == (kind.dims, kind.dtype)
    if type(tree) is gast.UnaryOp and type(tree.op) is gast.USub:
        return _operates_on(tree.operand, kind, effects)
    if type(tree) is gast.BinOp and type(tree.op) is not gast.MatMult:
        return any(_operates_on(part, kind, effects) for part in (tree.left, tree.right))
    return False


def _written(to: str, op: Any, roll: Roll) -> list[Stmt]:
    """Write the two parts of what is rolled, each where it belongs."""
    n = abs(roll.shift)
    later, earlier = (n, None), (None, -n)
    first, last = (None, n), (-n, None)
    parts = (
        ((later, earlier), (first, last)) if roll.shift > 0 else ((earlier, later), (last, first))
    )
    return [
        gast.AugAssign(
            _sliced(to, roll.axis, place, gast.Store()),
            type(op)(),
            _sliced(roll.key, roll.axis, part, gast.Load()),
        )
        for place, part in parts
    ]


def _sliced(key: str, axis: int, part: tuple[int | None, int | None], context: Any) -> Expr:
    """Write some entries of an array along one axis."""
    lower, upper = (None if bound is None else const(bound) for bound in part)
    items = [gast.Slice(None, None, None) for _ in range(axis)] + [gast.Slice(lower, upper, None)]
    index: Any = gast.Tuple(items, gast.Load()) if axis else items[0]
    return gast.Subscript(name(key), index, context)
