"""The tangent of a custom gradient: its `grad` is linear in the upstream, so the transpose of it.

That is the reverse sweep of the pullback in the upstream.
"""

from __future__ import annotations

import copy
from typing import Any

import gast

from tapeless.differentiate.custom.callees import pullback_callee
from tapeless.differentiate.custom.customs import Custom, NotSplicedError
from tapeless.differentiate.custom.pullbacks import pullback_function
from tapeless.differentiate.forward.writer import TangentWriter
from tapeless.errors import TapelessError
from tapeless.kinds import Array, Kind, Real, Tuple, differentiable, is_number
from tapeless.protocol.authors import Key
from tapeless.tree.build import as_load, assign, const, name, quote_expression
from tapeless.tree.trees import Expr, Stmt


def transposed(
    sweep: TangentWriter,
    s: Stmt,
    key: str,
    custom: Custom,
    wanted: tuple[Key, ...],
    dots: list[Expr],
) -> list[Any]:
    """Write the tangent of a custom gradient: the reverse sweep of its pullback in the upstream.

    Raises
    ------
    TapelessError, NotSplicedError
        If the pullback cannot be written, or differentiated.
    """
    module = sweep.module
    before = len(module.functions), dict(module.splits)
    try:
        return _transposed(sweep, s, key, custom, wanted, dots)
    except (TapelessError, NotSplicedError):
        del module.functions[before[0] :]
        module.splits = before[1]
        raise


def _transposed(
    sweep: TangentWriter,
    s: Stmt,
    key: str,
    custom: Custom,
    wanted: tuple[Key, ...],
    dots: list[Expr],
) -> list[Any]:
    operands = dict(custom.operands)
    if not all(is_number(sweep.operand_kind(s, operands[k])) for k in wanted):
        raise NotSplicedError("an argument is a container")
    written = pullback_function(sweep, s, custom, wanted)
    callee = pullback_callee(sweep, s, written)
    split = sweep.module.split(callee)
    result = callee.facts.returned.kind
    of = sweep.result(s).kind
    zero = sweep.zero(name(key), of)
    if split is None:
        return [assign(sweep.dot(key), zero)]
    if split.memory or split.undoes or any(i > 0 for i in [*split.values, *split.shadows]):
        raise NotSplicedError("its grad keeps state")
    if len(wanted) > 1 and not isinstance(result, Tuple):
        raise NotSplicedError("how many gradients its grad returns is not visible")
    saved = sweep.names.fresh(f"saved_{custom.label}")
    forward = gast.Call(
        name(split.forward), [_somewhere(sweep, name(key), of), *written.arguments], []
    )
    place = as_load(gast.Tuple([name(sweep.unread), name(saved)], gast.Load()))
    seeds: Any = dots[0] if len(dots) == 1 else gast.Tuple(dots, gast.Load())
    dot = sweep.dot(key)
    reverse = gast.Call(name(split.reverse), [name(saved), seeds], [])
    made: list[Any] = [assign(place, forward)]
    if split.values:
        return [*made, assign(dot, reverse)]
    if not split.shadows:
        return [assign(dot, zero)]
    reverse.args.append(name(dot))
    return [*made, assign(dot, copy.deepcopy(zero)), gast.Expr(reverse)]


def _somewhere(sweep: TangentWriter, value: Expr, kind: Kind) -> Expr:
    """Write an upstream at which a `grad` shows what it multiplies by.

    A linear function has the same transpose everywhere, but authors test whether the upstream is zero,
    to spare the work, and cut it off at round limits: the transpose at none of these is another.
    """
    if isinstance(kind, Real):
        return const(0.5)
    if isinstance(kind, Array) and kind.dtype[0] in "fc":
        return quote_expression("np.full_like(y, 0.5)", np=sweep.numpy, y=value)
    if isinstance(kind, Tuple):
        items = [
            _somewhere(sweep, gast.Subscript(value, const(i), gast.Load()), item)
            for i, item in enumerate(kind.items)
        ]
        return gast.Tuple(items, gast.Load())
    if differentiable(kind):
        raise NotSplicedError("what its grad is given is not known here")
    return sweep.zero(value, kind)
