"""Entries that a mask selects: they stay at their places, and what is done to them is done to all.

    s = x[m] * 2.0               for i in range(n):
    y[m] = s             ->          if m[i]:
    t = np.sum(s)                        y[i] = x[i] * 2.0
                                 for i in range(n):
                                     t += x[i] * 2.0 if m[i] else 0.0

How many they are is counted only where it is asked. Two selections go together where their masks are the same
array, or are found to hold the same when the loops run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import tapeless.lower.indexing as indexing
from tapeless.lower.affine import Affine, symbol
from tapeless.lower.loops import Assign, Check, Expr, If, Num, Op, Stmt, Whole, cell_of
from tapeless.lower.precision import FLOATS, cast
from tapeless.lower.state import State
from tapeless.lower.values import Array, Items, Masked, Number, Value, whole, with_axis


def is_mask(keys: Sequence[indexing.Key]) -> bool:
    """Whether an index is one mask."""
    return len(keys) == 1 and isinstance(keys[0], Array) and keys[0].dtype == "b"


def taken(state: State, x: Array, mask: Array) -> Masked:
    """Return the entries of an array where a mask holds, as they are now."""
    _demand_fits(state, x, mask)
    return Masked(state.copied(x), mask)


def _demand_fits(state: State, x: Array, mask: Array) -> None:
    if x.dtype not in FLOATS or len(mask.dims) > len(x.dims):
        raise state.refused("a selection of what are no floats, or by a mask of more axes")
    for mine, theirs in zip(x.dims, mask.dims, strict=False):
        if (mine == Affine(1)) != (theirs == Affine(1)):
            raise state.refused("a selection by a mask of another shape")
        state.demand_equal(mine, theirs)


def part(state: State, x: Masked, keys: Sequence[indexing.Key]) -> Value:
    """Return a part of each of the entries that a vector selects."""
    if len(x.mask.dims) != 1 or not keys or keys[0] != (None, None, None):
        raise state.refused("an item of what a mask selects")
    return Masked(indexing.indexed(state, x.values, keys), x.mask)


def store(state: State, x: Array, mask: Array, value: Value) -> None:
    """Store into the entries of an array where a mask holds."""
    _demand_fits(state, x, mask)
    if isinstance(value, Masked):
        _demand_same(state, mask, value.mask)
        value = value.values
    elif isinstance(value, Array):
        _demand_repeated(state, value, len(x.dims) - len(mask.dims))
    if x.base is None or not isinstance(value, (Array, Number)):
        raise state.refused("a store into what cannot be written")
    state.demand_writable(x)
    state.touch(x.base)
    source: Value = state.frozen(value, "t") if isinstance(value, Number) else value
    if isinstance(source, Array) and source.base == x.base:
        source = state.copied(source)

    def body(index: tuple[Affine, ...]) -> list[Stmt]:
        entry = state.entry(source, index, x.dims)
        stored = state.stored(cell_of(x.at(index)), entry, source)
        stored.line = state.line
        return [If(mask.at(index[: len(mask.dims)]), [stored], [])]

    state.over(x.dims, body)


def lifted(state: State, apply: Callable[..., Value], operands: Sequence[Value]) -> Value:
    """Apply a function of entries to selections by one mask, and to what is the same for each of them."""
    (first, *others) = [x for x in operands if isinstance(x, Masked)]
    for other in others:
        _demand_same(state, first.mask, other.mask)
    rest = len(first.values.dims) - len(first.mask.dims)
    for x in operands:
        if isinstance(x, Array):
            _demand_repeated(state, x, rest)
    made = apply(*(x.values if isinstance(x, Masked) else x for x in operands))
    if isinstance(made, Number):
        made = state.uniform(made, first.values.dims)
    if not isinstance(made, Array) or len(made.dims) != len(first.values.dims):
        raise state.refused("a function of the entries that a mask selects")
    return Masked(made, first.mask)


def _demand_repeated(state: State, x: Array, rest: int) -> None:
    """Demand that an array is the same for each entry that is selected."""
    if len(x.dims) > rest + 1 or len(x.dims) == rest + 1 and x.dims[0] != Affine(1):
        raise state.refused("an array beside the entries that a mask selects")


def _demand_same(state: State, a: Array, b: Array) -> None:
    """Check that two masks select the same entries."""
    if a == b:
        return
    if len(a.dims) != len(b.dims):
        raise state.refused("entries that several masks select")
    for mine, theirs in zip(a.dims, b.dims, strict=True):
        state.demand_equal(mine, theirs)

    def body(index: tuple[Affine, ...]) -> list[Stmt]:
        same = Op("==", (a.at(index), b.at(index)))
        return [Check(same, "ValueError", "masks that differ")]

    state.over(a.dims, body)


def filled(state: State, x: Masked, value: float) -> Array:
    """Return an array that has a number where the mask does not hold."""
    mask = x.mask
    for place in range(len(mask.dims), len(x.values.dims)):
        mask = with_axis(mask, place)
    other = cast(Num(value), None, x.values.dtype)

    def formula(test: Expr, entry: Expr) -> Expr:
        return Op("if", (test, entry, other))

    return state.pointwise(formula, [mask, x.values])


def count(state: State, mask: Array) -> Affine:
    """Count the places where a mask holds."""
    name = state.fresh("count")
    state.mutable.add(name)
    state.emit(Assign(name, Whole(Affine())))

    def body(index: tuple[Affine, ...]) -> list[Stmt]:
        step = Assign(name, Whole(symbol(name) + 1), line=state.line)
        return [If(mask.at(index), [step], [])]

    state.over(mask.dims, body)
    state.mutable.discard(name)  # from here on nobody binds it
    state.masks[name] = mask
    return symbol(name)


def shape(state: State, x: Masked) -> Items:
    """Return the shape of what is selected: its first size is counted."""
    rest = x.values.dims[len(x.mask.dims) :]
    return Items(tuple(map(whole, (count(state, x.mask), *rest))))


def mask_of(state: State, size: Affine) -> Array | None:
    """Return the mask whose places were counted."""
    return next((mask for name, mask in state.masks.items() if size == symbol(name)), None)
