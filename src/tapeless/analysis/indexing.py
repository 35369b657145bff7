"""The kind of `x[index]` for an array: which dimensions stay, and whether it is a view.

Basic indices (integers, slices, `...`, None) make views; integer arrays, lists and masks make
copies. A slice with literal ends cuts a known number off a dimension, so `u[1:-1]` and `u[2:]` are
known to be equally long.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import gast

from tapeless.analysis.abstract import Value
from tapeless.analysis.interpret.items import item_of
from tapeless.analysis.interpret.state import Interpreter
from tapeless.kinds import (
    BOOL,
    NONE,
    Array,
    Count,
    Dim,
    Inert,
    Integer,
    Kind,
    List,
    Number,
    Real,
    Sequence,
    Size,
    Tuple,
    count_of,
    is_listed,
    is_truth,
    some_number,
)
from tapeless.ranks import broadcast_dims
from tapeless.tree.trees import Expr, Tree


def index_items(tree: Tree) -> list[Any]:
    """List the items of an index."""
    return list(tree.elts) if type(tree) is gast.Tuple else [tree]


def indexed_kind(owner: Any, index: Expr, interpreter: Interpreter, env: Any, tree: Tree) -> Kind:
    """Return the kind of an array, or number, indexed by an expression."""
    items = index_items(index)
    kinds = [
        None
        if type(i) is gast.Slice
        else _as_index_array(
            interpreter.eval(i, env).kind, interpreter, (interpreter.point(tree), n)
        )
        for n, i in enumerate(items)
    ]
    whole = None if type(index) is gast.Slice else interpreter.eval(index, env).kind
    if type(index) is not gast.Tuple and isinstance(whole, (Tuple, Sequence)):
        if not isinstance(whole, Tuple) or not any(isinstance(k, Array) for k in whole.items):
            return some_number(owner.regions | interpreter.fresh(tree), owner)
        items, kinds = [index] * len(whole.items), list(whole.items)  # one for each dimension
    copies = any(_is_advanced(k) for k in kinds if k is not None)
    basic = all(_is_basic(k) for k in kinds if k is not None)
    regions = interpreter.fresh(tree) if copies else owner.regions
    if not copies and not basic:
        regions |= interpreter.fresh(tree)
    unknown = some_number(regions if copies else owner.regions | interpreter.fresh(tree), owner)
    if isinstance(owner, Number):
        return unknown
    dims = _indexed_dims(owner.dims, items, kinds, interpreter, env, tree)
    if dims is None:
        return replace(unknown, is_scalar_on_a_way=_may_select_entry(owner, kinds))
    if dims or Inert("ellipsis") in kinds:
        return Array(dims, owner.dtype, regions)
    if owner.dtype == "i":
        return Integer(of_numpy=True)
    return BOOL if owner.dtype == "b" else Real(owner.dtype)


def _as_index_array(kind: Kind, interpreter: Interpreter, point: Hashable) -> Kind:
    """Show a list, tuple or range of integers as the integer array that it stands for."""
    if is_listed(kind):
        item = item_of(interpreter, Value(kind), Integer(), None).kind
        if isinstance(item, Integer):
            items = kind.items if isinstance(kind, Tuple) else interpreter.displayed(kind)
            return Array((Size((point, "list")) if items is None else len(items),), "i")
    return kind


def is_basic_index(index: Expr, kind_of: Any) -> bool:
    """Whether an index certainly makes a view or a scalar."""
    items = index_items(index)
    return all(type(i) is gast.Slice or _is_basic(kind_of(i)) for i in items)


def is_copying_index(index: Expr, kind_of: Any) -> bool:
    """Whether an index certainly makes a copy."""
    items = index_items(index)
    return any(type(i) is not gast.Slice and _is_advanced(kind_of(i)) for i in items)


def is_element_index(owner: Kind, index: Expr, kind_of: Any) -> bool:
    """Whether an index certainly selects one element."""
    items = index_items(index)
    return (
        isinstance(owner, Array)
        and len(items) == len(owner.dims)
        and all(type(i) is not gast.Slice and isinstance(kind_of(i), Integer) for i in items)
    )


def _may_select_entry(owner: Array, kinds: list[Any]) -> bool:
    """Whether an index, of which something is not known, may be that of one entry."""
    known = (Array, List)
    may_be_integers = all(k is not None and not isinstance(k, known) for k in kinds)
    return may_be_integers and len(kinds) >= len(owner.dims)


def _is_basic(kind: Kind) -> bool:
    return isinstance(kind, Integer) or kind in (
        NONE,
        Inert("slice"),
        Inert("ellipsis"),
    )


def _is_advanced(kind: Kind) -> bool:
    """Whether an index is an array, a list or a mask; one of rank 0 counts as an integer."""
    return isinstance(kind, List) or isinstance(kind, Array) and kind.dims != () or is_truth(kind)


def _are_apart(kinds: list[Any]) -> bool:
    """Whether other items stand between the arrays and integers of an index: these axes come first then."""
    places = [i for i, kind in enumerate(kinds) if isinstance(kind, (Array, Integer))]
    return len(places) <= places[-1] - places[0]


def _indexed_dims(
    dims: tuple[Dim, ...],
    items: list[Any],
    kinds: list[Any],
    interpreter: Interpreter,
    env: Any,
    tree: Tree,
) -> tuple[Dim, ...] | None:
    point = interpreter.point(tree)
    used = sum(_consumed(kind) for kind in kinds)
    if used > len(dims):
        return None
    left = list(dims)
    made: list[Dim] = []
    advanced: list[tuple[Dim, ...]] = []
    position: int | None = None
    for i, (item, kind) in enumerate(zip(items, kinds, strict=True)):
        if kind is None:
            made.append(_sliced(left.pop(0), item, interpreter, env, (point, i)))
        elif kind == NONE:
            made.append(1)
        elif kind == Inert("slice"):
            left.pop(0)
            made.append(Size((point, i, "slice")))
        elif kind == Inert("ellipsis"):
            made += [left.pop(0) for _ in range(len(dims) - used)]
        elif isinstance(kind, Integer):
            left.pop(0)
            if any(isinstance(k, Array) for k in kinds):
                advanced.append(())
                position = len(made) if position is None else position
        elif isinstance(kind, Array) and kind.dtype == "b":
            left = left[len(kind.dims) :]
            advanced.append((Size((point, i, "mask")),))
            position = len(made) if position is None else position
        elif isinstance(kind, Array) and kind.dtype == "i":
            left.pop(0)
            advanced.append(kind.dims)
            position = len(made) if position is None else position
        else:
            return None
    if advanced:
        if _are_apart(kinds):
            position = 0
        together: tuple[Dim, ...] = ()
        for shape in advanced:
            together = broadcast_dims(together, shape)
        made[position:position] = list(together)
    return (*made, *left)


def _consumed(kind: Any) -> int:
    if kind is None or isinstance(kind, Integer) or kind == Inert("slice"):
        return 1
    if isinstance(kind, Array):
        return len(kind.dims) if kind.dtype == "b" else 1
    return 0


def _sliced(dim: Dim, item: Any, interpreter: Interpreter, env: Any, point: Hashable) -> Dim:
    lower, upper, step = (
        _bound(part, interpreter, env) for part in (item.lower, item.upper, item.step)
    )
    if step in (-1,) and lower is None and upper is None:
        return dim
    count = _count_of_slice(dim, lower, upper, step)
    shortest = Size((point, "slice"), least=_shortest(dim, lower, upper, step), count=count)
    if step not in (None, 1) or ... in (lower, upper):
        return shortest
    if isinstance(dim, int) and not isinstance(lower, Size) and not isinstance(upper, Size):
        return len(range(dim)[lower:upper])
    if isinstance(dim, int):
        return shortest
    start = 0 if lower is None else lower
    stop = _cut_from_end(upper, dim)
    if not isinstance(start, int) or start < 0 or stop is None:
        return shortest
    return replace(dim, cut=dim.cut + start + stop)


def _count_of_slice(dim: Dim, *bounds: Any) -> Count | None:
    """Return how many entries a slice has, where that of the axis is known."""
    known = count_of(dim)
    plain = all(b is None or type(b) is int for b in bounds) and bounds[2] != 0
    if known is None or not plain:
        return None
    return replace(known, number=len(range(known.number)[slice(*bounds)]))


def _shortest(dim: Dim, lower: Any, upper: Any, step: Any) -> int:
    """Return how many entries a slice of an axis has at least, if any.

    A longer axis has no shorter slice, but for one that begins at the end and ends from the start.

    Examples
    --------
    >>> n = Size("n", least=8)
    >>> [_shortest(n, *bounds) for bounds in [(None, None, 2), (1, 4, None), (-3, None, None), (-3, 4, None)]]
    [4, 3, 3, 1]
    """
    bounds = lower, upper, step
    if not all(b is None or type(b) is int for b in bounds) or step == 0:
        return 1
    if lower is not None and lower < 0 and upper is not None and upper >= 0:
        return 1
    if step is not None and step < 0 and (lower, upper) != (None, None):
        return 1
    size = dim if isinstance(dim, int) else max(dim.least - dim.cut, 0)
    return max(len(range(size)[lower:upper:step]), 1)


def _cut_from_end(upper: Any, dim: Size) -> int | None:
    if upper is None:
        return 0
    if isinstance(upper, int) and upper < 0:
        return -upper
    if isinstance(upper, Size) and upper.symbol == dim.symbol and upper.cut >= dim.cut:
        return upper.cut - dim.cut
    return None


def _bound(part: Tree, interpreter: Interpreter, env: Any) -> Any:
    if part is None:
        return None
    kind = interpreter.eval(part, env).kind
    if isinstance(kind, Integer) and kind.value is not None:
        return kind.value
    return None if kind == NONE else ...
