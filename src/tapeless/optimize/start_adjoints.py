"""The first cotangent of an array is its adjoint, where it has the shape and the dtype of the array.

    x_bar = np.zeros_like(x)      ->      x_bar = 2.0 * x
    x_bar += 2.0 * x

Zeros to which all is added are written where a part of an adjoint may come first. Where the whole does,
they would cost a pass through the memory. What is bound in their place is new: it is added to.

    x_bar = [0.0] * len(x)        ->      x_bar = [2.0] * len(x)
    add_to(x_bar, [2.0] * len(x))
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from tapeless.kinds import Array, Real
from tapeless.optimize.analyses import effects_of, generated_in, version_of
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.optimize.same_shapes import Shapes
from tapeless.runtime import add_to
from tapeless.tree.blocks import all_blocks, binds_one_name
from tapeless.tree.classes import ARITHMETIC
from tapeless.tree.names import reads
from tapeless.tree.trees import Expr, Stmt


def start_adjoints(function: gast.FunctionDef, context: Context) -> bool:
    """Bind an adjoint to its first cotangent.

    Examples
    --------
    >>> import gast
    >>> from tapeless.externals import MISSING
    >>> from tapeless.kinds import UNKNOWN, Size
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(x, w):
    ...     x_bar = np.zeros_like(x)
    ...     x_bar += 2.0 * x
    ...     w_bar = np.zeros_like(w)
    ...     w_bar += x + w
    ... ''').body[0]
    >>> kinds = {"x": Array((Size(0), Size(1))), "w": Array((Size(2), Size(3)))}
    >>> known = lambda key: kinds.get(key, UNKNOWN)
    >>> np_ = lambda tree: getattr(np, getattr(tree, "attr", ""), MISSING)
    >>> start_adjoints(function, Context(np_, lambda key: key.endswith("_bar"), known, reverse=True))
    True
    >>> print(unparse(function), end="")
    def f(x, w):
        x_bar = 2.0 * x
        w_bar = np.zeros_like(w)
        w_bar += x + w
    """
    generated = generated_in(function, context)
    changed = False
    for block in all_blocks(function.body):
        for i in range(len(block) - 1, 0, -1):
            zeros, added = block[i - 1], block[i]
            if id(added) in generated and _starts_list(zeros, added, context):
                zeros.value = added.value.args[1]
                del block[i]
                version_of(function, context)
                changed = True
                continue
            if id(added) in generated and _starts(zeros, added, context):
                effects = effects_of(function, context)
                if _is_like(added.value, zeros.value.args[0], Shapes(function, effects)):
                    added = gast.copy_location(gast.Assign(zeros.targets, added.value, None), added)
                    block[i - 1 : i + 1] = [added]
                    version_of(function, context)
                    changed = True
    return changed


def _starts_list(zeros: Stmt, added: Stmt, context: Context) -> bool:
    """Whether two statements are `x_bar = [0.0] * len(x)` and `add_to(x_bar, [g] * n)`."""
    call: Any = added.value if type(added) is gast.Expr else None
    if type(call) is not gast.Call or not call.args or context.resolve(call.func) is not add_to:
        return False
    if not binds_one_name(zeros) or not _repeats(zeros.value):
        return False
    [item], key = zeros.value.left.elts, zeros.targets[0].id
    if getattr(item, "value", None) != 0.0 or getattr(call.args[0], "id", None) != key:
        return False
    return _repeats(call.args[1]) and key not in reads(call.args[1])


def _repeats(tree: Expr) -> bool:
    """Whether an expression is a list of one item, repeated."""
    repeats = type(tree) is gast.BinOp and type(tree.op) is gast.Mult
    return repeats and type(tree.left) is gast.List and len(tree.left.elts) == 1


def _starts(zeros: Stmt, added: Stmt, context: Context) -> bool:
    """Whether two statements are `x_bar = np.zeros_like(x)` and `x_bar += a op b`."""
    if (
        type(zeros) is not gast.Assign
        or type(added) is not gast.AugAssign
        or len(zeros.targets) != 1
    ):
        return False
    key, made = getattr(zeros.targets[0], "id", None), zeros.value
    if type(made) is not gast.Call or len(made.args) != 1 or made.keywords:
        return False
    if context.resolve(made.func) is not np.zeros_like or type(made.args[0]) is not gast.Name:
        return False
    if key is None or key != getattr(added.target, "id", None) or type(added.op) is not gast.Add:
        return False
    return type(added.value) in ARITHMETIC and key not in reads(added.value)


def _is_like(value: Expr, x: Any, shapes: Shapes) -> bool:
    """Whether an expression gives an array of the shape and the dtype of another, in memory of its own."""
    effects = shapes.effects
    kind = effects.kind(x.id)
    if not isinstance(kind, Array) or not kind.dims or not effects.is_array(value):
        return False
    found = shapes.of(value, here=True)
    if found is None or found != shapes.of(x, here=True):
        return False
    return _keeps_dtype(set(reads(value)) - {x.id}, kind.dtype, effects)


def _keeps_dtype(names: set[str], dtype: str, effects: Effects) -> bool:
    """Whether what is computed from an array and from what some names hold has the dtype of the array."""
    for key in names:
        kind = effects.kind(key)
        plain = isinstance(kind, (Array, Real)) and kind.dtype == dtype and dtype != "?"
        if not plain and effects.context.resolve(gast.Name(key, gast.Load(), None, None)) is not np:
            return False
    return True
