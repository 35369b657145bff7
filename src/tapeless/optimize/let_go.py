"""Arrays are let go of where the most are held, if nothing reads them any more.

    wave_bar = wave / np.sqrt(1.0 + wave * wave)      ->      the same
    ratio_bar = wave_bar * sine                               del wave
                                                              ratio_bar = wave_bar * sine

A function keeps what its names hold until it returns. The forward sweep is made to keep much, so the most
is held at some statement of the reverse sweep. What is held is estimated from the kinds: all long axes
count alike, short ones little, and arrays without a long one do not count at all. Names are let go of where
more would be held than the least that the most can be, and before that where a statement asks for memory
while a good share of what is held is not read any more. Memory that was given back is in the cache, and has
its pages: of many long vectors it takes as much time to get new ones as to compute what stands in them.
"""

from __future__ import annotations

import math
from typing import Any

import gast
import numpy as np

from tapeless.kinds import Array, Dim, Size, count_of
from tapeless.optimize.analyses import effects_of, generated_in, liveness_of, version_of
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.sizes import LARGE, for_arguments_at_hand
from tapeless.tree.blocks import binds_one_name
from tapeless.tree.classes import COMPUTED, SIMPLE
from tapeless.tree.comments import is_comment
from tapeless.tree.names import children, nodes
from tapeless.tree.trees import Expr, Stmt

_LONG = 100  # what an axis of unknown size counts
_SHORT = 4  # what others count
_LARGE = 10 * _LONG  # of fewer vectors there is no need to let go
_WORTH = 0.85  # the share of what is held otherwise that is worth the statements
_SHARE = 0.2  # the share of what is held that is given back wherever memory is asked for
_SMALL = 0.05  # a share of what is held at most that is not worth a statement
_TRIFLING = 0.15  # a share of the largest array that is not worth a name in a statement


def let_go(function: gast.FunctionDef, context: Context) -> None:
    """Delete names of arrays before statements where more than need be would be held.

    Examples
    --------
    >>> import gast
    >>> from tapeless.kinds import UNKNOWN, Size
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(x):
    ...     a = 2.0 * x
    ...     b = a * a
    ...     a_bar = b * a
    ...     b_bar = a_bar * b
    ...     c_bar = b_bar * a_bar
    ...     x_bar = c_bar * b_bar * x
    ...     return x_bar
    ... ''').body[0]
    >>> i = ("argument", 0)
    >>> matrix = Array((Size((i, 0)), Size((i, 1))))
    >>> kinds = dict.fromkeys(("a", "b", "a_bar", "b_bar", "c_bar", "x_bar"), matrix)
    >>> names = lambda key: key.endswith("_bar")
    >>> let_go(function, Context(temporaries=names, kind_of=lambda k: kinds.get(k, UNKNOWN), reverse=True))
    >>> print(unparse(function), end="")
    def f(x):
        a = 2.0 * x
        b = a * a
        a_bar = b * a
        del a
        b_bar = a_bar * b
        del b
        c_bar = b_bar * a_bar
        del a_bar
        x_bar = c_bar * b_bar * x
        return x_bar
    """
    sizes = {s: _size_of(s, context) for s in function.body if _key_of(s)}
    if sum(size > 0 for size in sizes.values()) < 3:
        return
    version_of(function, context)
    effects = effects_of(function, context)
    if effects.stacks:  # what the forward loops save is most of what is held
        return
    alone = _sizes_of_their_own(sizes, effects)
    dead = _dying(function, context, alone, effects)
    needs = {s: _needs(s, sizes.get(s, 0.0), context) for s in function.body}
    least = _most_held(function.body, sizes, needs, alone, dead)
    most = _most_held(function.body, sizes, needs, alone, {})
    if most < _LARGE or least > _WORTH * most:
        return
    function.body = _with_deletions(function.body, sizes, needs, alone, dead, least)


def _with_deletions(
    block: list[Any], sizes: dict[Any, float], needs: dict[Any, float], alone: dict[str, float],
    dead: dict[Any, list[str]], least: float,
) -> list[Any]:  # fmt: skip
    """Delete what is dead before each statement where much is, or more than the least would be held."""
    made: list[Any] = []
    held = 0.0
    largest = max(sizes.values())
    waiting: list[str] = []
    for s in block:
        needed = held + needs[s]
        worth = [key for key in waiting if alone[key] >= _TRIFLING * largest]
        freed = sum(alone[key] for key in worth)
        spares = needs[s] > 0.0 and freed >= _SHARE * held
        if worth and (spares or needed > least) and freed >= _SMALL * least:
            made.append(gast.Delete([gast.Name(key, gast.Del(), None, None) for key in worth]))
            held -= freed
            waiting = [key for key in waiting if key not in worth]
        made.append(s)
        held += sizes.get(s, 0.0)
        waiting += dead.get(s, [])
    return made


def _key_of(s: Stmt) -> str | None:
    """Return the name that a statement binds to an array, or to what a forward half keeps besides one."""
    if binds_one_name(s):
        return str(s.targets[0].id)
    return str(s.targets[0].elts[1].id) if _calls_forward_half(s) else None


def _calls_forward_half(s: Stmt) -> bool:
    """Whether a statement binds one result of a call, and one thing more."""
    if type(s) is not gast.Assign or type(s.value) is not gast.Call:
        return False
    parts = getattr(s.targets[0], "elts", ())
    return len(parts) == 2 and all(type(part) is gast.Name for part in parts)


def _size_of(s: Stmt, context: Context) -> float:
    """Estimate how large the array is that a statement binds; 0 for anything else.

    A forward half keeps one that is as large as its result, at least.
    """
    result: Any = s.targets[0]
    kind = context.kind_of((result if type(result) is gast.Name else result.elts[0]).id)
    if not isinstance(kind, Array) or type(s.value) in (gast.Name, gast.Subscript, gast.Attribute):
        return 0.0
    size = math.prod(map(_length, kind.dims))
    return float(size) if size >= _LONG else 0.0


def _length(dim: Dim) -> int:
    """Return what an axis counts: its size where it is known, much where it may be long."""
    count = count_of(dim)
    if count is not None:
        return count.number
    return _LONG if isinstance(dim, Size) and _may_be_long(dim) else _SHORT


def _may_be_long(dim: Size) -> bool:
    """Whether a size is one of an argument that was not seen to be short."""
    origin = dim.symbol[0] if isinstance(dim.symbol, tuple) else None
    is_given = isinstance(origin, tuple) and origin[0] == "argument"
    return is_given and not (1 < dim.least < LARGE and for_arguments_at_hand())


def _is_its_own(s: Stmt, effects: Effects) -> bool:
    """Whether a name is bound once, here, to an array that nothing else shows."""
    key = str(_key_of(s))
    if len(effects.values.get(key, ())) != 1:
        return False
    if _calls_forward_half(s):
        return effects.context.temporaries(key) and key not in effects.scoped
    return effects.alone(key) and effects.is_fresh(s.value)


def _sizes_of_their_own(sizes: dict[Any, float], effects: Effects) -> dict[str, float]:
    """Map the names that alone show an array to its size."""
    return {
        str(_key_of(s)): size for s, size in sizes.items() if size > 0 and _is_its_own(s, effects)
    }


def _dying(
    function: gast.FunctionDef, context: Context, alone: dict[str, float], effects: Effects
) -> dict[Any, list[str]]:
    """List, for each statement, the names of arrays that nothing reads after it.

    What the user has named is kept through the forward sweep.
    """
    block, liveness = function.body, liveness_of(function, context)
    generated = generated_in(function, context)
    reverse = next((i for i, s in enumerate(block) if id(s) in generated), len(block))
    found: dict[Any, list[str]] = {}
    held: list[str] = []
    for i, s in enumerate(block):
        key = _key_of(s)
        if key in alone:
            held.append(key)
        if is_comment(s):
            continue
        live = liveness.live_after(s)
        gone = [key for key in held if key not in live]
        if i + 1 < reverse:
            gone = [key for key in gone if effects.context.temporaries(key)]
        found[s] = gone
        held = [key for key in held if key not in gone]
    return found


def _needs(s: Stmt, size: float, context: Context) -> float:
    """Estimate what a statement needs for a time: its result, and what that is computed from."""
    if type(s) not in SIMPLE or getattr(s, "value", None) is None:
        return size
    needed, _ = _computed(s.value, context)
    return max(needed, size)


def _computed(tree: Expr, context: Context) -> tuple[float, float]:
    """Estimate what is needed at most to compute an expression, and what its value takes.

    A value is as large as the largest array in it. What a name holds is there anyway.
    """
    if type(tree) is gast.Name or type(tree) not in (*COMPUTED, gast.Call):
        return 0.0, 0.0
    needed = held = 0.0
    for part in children(tree):
        if isinstance(part, gast.expr):
            most, size = _computed(part, context)
            needed, held = max(needed, held + most), held + size
    kinds = [context.kind_of(p.id) for p in nodes(tree) if type(p) is gast.Name]
    sizes = [math.prod(map(_length, kind.dims)) for kind in kinds if isinstance(kind, Array)]
    own = float(max(sizes, default=0)) if _is_entrywise(tree, context) else 0.0
    return max(needed, held + own), own


def _is_entrywise(tree: Expr, context: Context) -> bool:
    """Whether a value is as large as what it is computed from."""
    if type(tree) is gast.Call:
        return isinstance(context.resolve(tree.func), np.ufunc)
    return type(getattr(tree, "op", None)) is not gast.MatMult


def _most_held(
    block: list[Any],
    sizes: dict[Any, float],
    needs: dict[Any, float],
    alone: dict[str, float],
    dead: dict[Any, list[str]],
) -> float:
    """Return what is held at most at once if what is dead after a statement is let go of there."""
    held = most = 0.0
    for s in block:
        most = max(most, held + needs[s])
        held += sizes.get(s, 0.0) - sum(alone[key] for key in dead.get(s, ()))
    return most
