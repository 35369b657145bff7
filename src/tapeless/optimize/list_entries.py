"""The adjoint of a vector that was unpacked is made of the adjoints of its entries.

    x_bar = np.zeros_like(x)
    x_bar[0] += a_bar            ->      x_bar = np.array([a_bar, b_bar])
    x_bar[1] += b_bar

How many entries there are, the unpacking says, or the kind of the vector.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import gast
import numpy as np

from tapeless.kinds import Array
from tapeless.optimize.analyses import effects_of, generated_in, version_of
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.tree.blocks import all_blocks
from tapeless.tree.classes import ADDITIVE
from tapeless.tree.names import reads
from tapeless.tree.signs import integer
from tapeless.tree.trees import Stmt


def list_entries(function: gast.FunctionDef, context: Context) -> bool:
    """Make the adjoint of a vector of the adjoints of all its entries.

    Examples
    --------
    >>> import gast
    >>> from tapeless.externals import MISSING
    >>> from tapeless.kinds import Real, Size
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(x, w):
    ...     a, b = x
    ...     x_bar = np.zeros_like(x)
    ...     x_bar[0] += 2.0 * a
    ...     x_bar[1] -= 3.0 * b
    ...     w_bar = np.zeros_like(w)
    ...     w_bar[0] += 2.0 * a
    ... ''').body[0]
    >>> kinds = {"x": Array((Size(0),)), "w": Array((Size(1),)), "a": Real(), "b": Real()}
    >>> np_ = lambda tree: getattr(np, getattr(tree, "attr", ""), MISSING)
    >>> list_entries(function, Context(np_, lambda key: key.endswith("_bar"), kinds.get, reverse=True))
    True
    >>> print(unparse(function), end="")
    def f(x, w):
        a, b = x
        x_bar = np.array([2.0 * a, -(3.0 * b)])
        w_bar = np.zeros_like(w)
        w_bar[0] += 2.0 * a
    """
    generated = generated_in(function, context)
    changed = False
    for block in all_blocks(function.body):
        for i in reversed(range(len(block))):
            if id(block[i]) in generated and _zeros_of(block[i], context) is not None:
                effects = effects_of(function, context)
                entries = _entries(block, i, effects, generated)
                if entries:
                    numpy = block[i].value.func.value
                    array = gast.Attribute(numpy, "array", gast.Load())
                    listed = gast.List(entries, gast.Load())
                    block[i].value = gast.copy_location(
                        gast.Call(array, [listed], []), block[i].value
                    )
                    del block[i + 1 : i + 1 + len(entries)]
                    version_of(function, context)
                    changed = True
    return changed


def _zeros_of(s: Stmt, context: Context) -> str | None:
    """Return `x` of `x_bar = np.zeros_like(x)`; None for any other statement."""
    if type(s) is not gast.Assign or type(s.targets[0]) is not gast.Name:
        return None
    call = s.value
    plain = type(call) is gast.Call and len(call.args) == 1 and not call.keywords
    if not plain or type(call.func) is not gast.Attribute or type(call.args[0]) is not gast.Name:
        return None
    zeros = context.resolve(call.func) is np.zeros_like
    return call.args[0].id if zeros and type(call.func.value) is gast.Name else None


def _entries(block: list[Any], i: int, effects: Effects, generated: Set[int]) -> list[Any]:
    """Return what is added to each entry of the zeros that a statement binds; nothing if not to all."""
    key, to = _zeros_of(block[i], effects.context), block[i].targets[0].id
    n = _length(key, effects)
    found: dict[int, Any] = {}
    for s in block[i + 1 : i + 1 + n]:
        at = _place_added_to(s, to) if id(s) in generated else None
        if at is None or at in found or not 0 <= at < n or to in reads(s.value):
            return []
        if not (effects.is_scalar(s.value) and effects.is_float(s.value)):
            return []
        found[at] = gast.UnaryOp(gast.USub(), s.value) if type(s.op) is gast.Sub else s.value
    return [found[at] for at in sorted(found)] if len(found) == n else []


def _place_added_to(s: Stmt, to: str) -> int | None:
    if type(s) is not gast.AugAssign or type(s.op) not in ADDITIVE:
        return None
    place = s.target
    if type(place) is not gast.Subscript or getattr(place.value, "id", "") != to:
        return None
    return integer(place.slice)


def _length(key: str | None, effects: Effects) -> int:
    """Return how many entries a vector of doubles has for sure; 0 where that is not known."""
    kind = effects.kind(key) if key is not None else None
    if not isinstance(kind, Array) or kind.dtype != "f8" or len(kind.dims) != 1:
        return 0
    [size] = kind.dims
    if isinstance(size, int):
        return size
    bound = len(effects.values.get(str(key), [])) + (key in effects.parameters)
    for s in effects.function.body if bound == 1 else []:
        place: Any = s.targets[0] if type(s) is gast.Assign else None
        if type(place) is gast.Tuple and getattr(s.value, "id", "") == key:
            if not any(type(item) is gast.Starred for item in place.elts):
                return len(place.elts)
    return 0
