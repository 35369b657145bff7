"""Which sums are at least one, whatever is summed up.

Numbers that their largest was subtracted from are zero or less, and one of them is zero. So one of their
exponentials is 1 exactly, the others are not below 0, and the sum is at least 1, rounded and with underflow:
who divides by it, or takes its logarithm, meets no pole. What is not a number stays none.

    top = np.max(x, axis=1, keepdims=True)
    e = np.exp(x - top)
    total = np.sum(e, axis=1)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import gast
import numpy as np

from tapeless.analysis.calls import RuleCall
from tapeless.analysis.cancelling_shifts import literals_asked, normalized_axes
from tapeless.analysis.facts import Facts
from tapeless.externals import is_one_of
from tapeless.kinds import Array, Real
from tapeless.ranks import dims_of
from tapeless.tree.blocks import inner_blocks, is_whole
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import all_names, binds, binds_in_block, functions_within
from tapeless.tree.trees import Expr, Stmt

_LARGEST = (np.max, np.ndarray.max)
_SUMS = (np.sum, np.ndarray.sum)


@dataclass(frozen=True)
class _Largest:
    """The largest entries of what a statement bound, along axes that are counted from the end."""

    of: Any
    axes: tuple[int, ...]
    kept: bool


@dataclass(frozen=True)
class _Shifted:
    """Zero or less, and zero once along some axes; or the exponentials of such."""

    axes: tuple[int, ...]
    exponential: bool = False


_Known = dict[str, Any]


def sums_above_one(function: CoreFunction, facts: Facts) -> frozenset[Expr]:
    """Return the expressions of a function that are sums of at least one.

    Examples
    --------
    >>> from tapeless.analysis.abstract import Value
    >>> from tapeless.kinds import Size
    >>> from tapeless.specialize.program import AnalysedProgram
    >>> program = AnalysedProgram()
    >>> facts = program.analyse(program.core(_softmax), (Value(Array((Size("n"), Size("k")))),), {})
    >>> [gast.unparse(tree).strip() for tree in sums_above_one(facts.function, facts)]
    ['np.sum(e, axis=1, keepdims=True)']
    """
    if not any(is_one_of(called.found, _LARGEST) for called in facts.calls.values()):
        return frozenset()
    inner = functions_within(gast.Module(function.tree.body, []))
    bound = {key: object() for f in inner for key in all_names(f)}
    return frozenset(_in_block(function.tree.body, {}, bound, facts))


def _softmax(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


def _in_block(
    block: list[Stmt], known: _Known, bound: dict[str, Any], facts: Facts
) -> Iterator[Expr]:
    """Walk the sums in a block, given what is known of names before it, and what bound these."""
    for s in block:
        inner = inner_blocks(s)
        fresh = binds(s).union(*map(binds_in_block, inner))
        kept = {key: found for key, found in known.items() if key not in fresh}
        for body in inner:  # as a loop comes to it again, its names may have been bound at its end
            yield from _in_block(body, dict(kept), bound | {key: object() for key in fresh}, facts)
        found = None if inner else _of_statement(s, known, bound, facts)
        if found is True:
            yield s.value
        for key in fresh:
            known.pop(key, None)
            bound[key] = s
        if isinstance(found, (_Largest, _Shifted)):
            known[s.targets[0].id] = found


def _of_statement(s: Stmt, known: _Known, bound: dict[str, Any], facts: Facts) -> Any:
    """Return what a statement makes of what is known; True for a sum of at least one."""
    if type(s) is not gast.Assign or type(s.targets[0]) is not gast.Name:
        return None
    made = facts.results.get(s)
    if made is None or not isinstance(made.kind, (Array, Real)) or made.kind.dtype[0] != "f":
        return None
    if facts.is_stored(made.kind):
        return None
    value = s.value
    if type(value) is gast.Name:
        return known.get(value.id)
    if type(value) is gast.BinOp and type(value.op) is gast.Sub:
        return _difference(value, known, bound)
    if type(value) is gast.Subscript and type(value.value) is gast.Name:
        return _with_last_axis(known.get(value.value.id), value.slice)
    called = facts.calls.get(value) if type(value) is gast.Call else None
    return _of_call(s, called, known, bound, facts) if isinstance(called, RuleCall) else None


def _difference(value: Expr, known: _Known, bound: dict[str, Any]) -> _Shifted | None:
    """Tell whether the largest entries are subtracted from those that they are the largest of."""
    if type(value.left) is not gast.Name or type(value.right) is not gast.Name:
        return None
    top = known.get(value.right.id)
    if not isinstance(top, _Largest) or top.of != (value.left.id, bound.get(value.left.id)):
        return None
    return _Shifted(top.axes) if top.kept else None


def _with_last_axis(top: Any, index: Expr) -> _Largest | None:
    """Follow `top[:, None]`, where the last axis is put back."""
    items = index.elts if type(index) is gast.Tuple else []
    back = len(items) > 1 and all(map(is_whole, items[:-1]))
    back = back and getattr(items[-1], "value", ...) is None
    if not back or not isinstance(top, _Largest) or top.axes != (-1,) or top.kept:
        return None
    return replace(top, kept=True)


def _of_call(s: Stmt, called: RuleCall, known: _Known, bound: dict[str, Any], facts: Facts) -> Any:
    first, *rest = called.operands(s.value.args) or [None]
    if type(first) is not gast.Name:
        return None
    given, dims = known.get(first.id), dims_of(facts.kind(s, first.id))
    asked = literals_asked(facts, s, s.value.keywords, rest)
    if called.found is np.exp and isinstance(given, _Shifted) and not asked:
        return replace(given, exponential=True)
    if dims is None or len(rest) > 1 or asked.keys() - {"axis", "keepdims"}:
        return None
    axes, keeps = normalized_axes(asked.get("axis"), len(dims)), asked.get("keepdims", False)
    if axes is None or not isinstance(keeps, bool):
        return None
    if is_one_of(called.found, _LARGEST) and not facts.is_stored(facts.kind(s, first.id)):
        every = len(axes) == len(dims)
        return _Largest((first.id, bound.get(first.id)), tuple(sorted(axes)), keeps or every)
    if is_one_of(called.found, _SUMS) and isinstance(given, _Shifted) and given.exponential:
        return True if set(given.axes) <= set(axes) else None
    return None
