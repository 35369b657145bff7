"""Lists of cotangents: as many zeros as a list has items, to which cotangents are added item by item.

Such a list is a block of rows, whose shape is that of what is put into it first. It is made where the list
began, which may be before a loop around, and holds nothing but zeros until then. Where a loop reads an item
before that is known, the function is run again with what was found: a later trip may read what an earlier one
put there.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

import tapeless.lower.indexing as indexing
import tapeless.lower.listed as listed
from tapeless.lower.affine import Affine, symbol
from tapeless.lower.carried import is_alone, mentions, seal_both
from tapeless.lower.loops import Num
from tapeless.lower.state import State
from tapeless.lower.values import (
    Array,
    Cotangents,
    Listed,
    Number,
    Stack,
    Value,
    axis,
    axis_key,
    number,
    whole,
)


def begun(state: State, count: Affine) -> Cotangents:
    """Return a list of zeros."""
    if state.loops or state.trips:
        raise state.refused("a list of cotangents that is made in a loop or a branch")
    bars = Cotangents(state.hint, count, state.fresh("row"), state.out, len(state.out))
    if bars.label in state.shapes:
        _make(state, bars, *state.shapes[bars.label])
    return bars


def copied(state: State, stack: Stack) -> Value:
    """Return a copy of a list: of one that was made as a whole, as rows that can be added to."""
    listed.length(state, stack)
    if not stack.is_whole or state.loops or state.trips:
        return replace(stack)
    return of_rows(state, listed.rows_of(state, stack))


def item(state: State, bars: Cotangents, key: indexing.Key) -> Value:
    """Return one of the cotangents: a zero where nothing was added to any of them."""
    form = key.form if isinstance(key, Number) else None
    if bars.taken and (form is None or not form.is_const or not form.const >= 0):
        raise state.refused("an item of a list of which some are taken")
    if bars.block is None:
        bars.is_read = bars.is_read or bool(state.trips)
        return number(0.0)
    return as_item(indexing.indexed(state, bars.block, [key]))


def as_item(row: Array) -> Value:
    """Return what is in a row: an array, or one of Python's floats."""
    return row if row.dims else Number(row.at(()), "py")


@dataclass(frozen=True)
class Known:
    """What is known by name where an item is put into a list.

    Attributes
    ----------
    env
        What names stand for.
    live
        The names that are read later.
    given
        What the function was given.
    """

    env: dict[str, Value]
    live: Set[str]
    given: Sequence[Value]

    def is_alone(self, state: State, value: Value) -> bool:
        """Whether no name that is read later stands for an array."""
        env = {**self.env, "": value}
        return is_alone(state, "", env, self.live, self.given)

    def holders(self, base: str) -> list[str]:
        """List the names that are read later, and stand for something in a block."""
        return [
            key
            for key, value in self.env.items()
            if (key in self.live or isinstance(value, (Stack, Listed)))
            and not isinstance(value, Cotangents)
            and mentions(value, base)
        ]


def store(
    state: State, bars: Cotangents, key: indexing.Key, value: Value, known: Known, updates: bool
) -> None:
    """Put a cotangent in the place of another, or update it.

    An item is an array of its own in NumPy, and a row here. A name that stands for the old item keeps it, so
    it gets a copy; and what is stored and has a name, too, must not be stored into from here on.
    """
    if isinstance(value, Array):
        block = _block(state, bars, value.dims, value.dtype)
    elif isinstance(value, Number) and not value.is_whole and value.sort != "bool":
        block = bars.block or _block(state, bars, (), "f4" if value.sort == "f4" else "f8")
    else:
        raise state.refused("a cotangent that is no float and no array")
    assert block.base is not None
    row = indexing.indexed(state, block, [key])
    _keep_old(state, row, known, updates)
    if updates:
        state.store(row, value)
        return
    if isinstance(value, Array) and not (value.base != block.base and known.is_alone(state, value)):
        seal_both(state, block, value)
    state.fill(row, value)


def _keep_old(state: State, row: Array, known: Known, updates: bool) -> None:
    """Give the name that stands for an item which is replaced a copy of it."""
    base = str(row.base)
    holders = known.holders(base)
    if not row.dims or not holders:
        return
    (key, *others) = holders
    if updates or others or known.env[key] != row or any(mentions(x, base) for x in known.given):
        raise state.refused("an item of a list that is replaced while a name stands for it")
    made = state.copied(row)
    state.note_copy(row, made)
    if base in state.copies.sealed:
        state.seal(made)
    known.env[key] = made


def rows_of(state: State, bars: Cotangents) -> Array:
    """Return all that a list holds, row by row; zeros as long as nothing was put into it."""
    if bars.taken:
        raise state.refused("an array of a list of which some items are taken")
    return _block(state, bars, (), "f8") if bars.block is None else bars.block


def of_rows(state: State, rows: Array) -> Cotangents:
    """Return a list of the rows of an array, which are copied."""
    bars = begun(state, rows.dims[0])
    made = state.copied(rows)
    state.lasting.discard(str(made.base))
    bars.block = replace(made, fresh=False)
    return bars


def add(state: State, bars: Cotangents, g: Value) -> None:
    """Add the cotangents in another list, one to each."""
    if not isinstance(g, (Stack, Cotangents)):
        raise state.refused("cotangents that are added to a list of them, and are no list")
    rows = listed.rows_of(state, g) if isinstance(g, Stack) else rows_of(state, g)
    state.demand_equal(bars.count, rows.dims[0])
    state.store(_block(state, bars, rows.dims[1:], rows.dtype), rows, "+")


def pop(state: State, bars: Cotangents) -> Value:
    """Take the last cotangent, in a loop that takes all of them."""
    bars.taken += 1
    trip = state.trips[-1] if len(state.trips) == 1 else None
    span = trip.span if trip is not None and trip.is_each else None
    same = state.extents.canonical
    is_all = span is not None and same(span.length) == same(bars.count)
    is_some = span is not None and state.extents.follows_at_entry(bars.count - span.length)
    if bars.taken > 1 or trip is None or span is None or not (is_all or is_some):
        raise state.refused("a list of cotangents that is not taken by one loop, one in each trip")
    if bars.block is None:
        bars.is_read = True
        return number(0.0)
    row = bars.count - 1 - span.place(symbol(trip.var))
    put = {axis_key(0): row}
    put |= {axis_key(k): axis(k - 1) for k in range(1, len(bars.block.dims))}
    axes = tuple(form.put(put) for form in bars.block.axes)
    found = as_item(replace(bars.block, axes=axes, dims=bars.block.dims[1:], fresh=False))
    return state.frozen(found, "saved") if isinstance(found, Number) else found


def length(state: State, bars: Cotangents) -> Value:
    """Return how many there are."""
    if bars.taken:
        raise state.refused("the length of a list of which some are taken")
    return whole(bars.count)


def _block(state: State, bars: Cotangents, dims: tuple[Affine, ...], dtype: str) -> Array:
    """Return the rows, which are made when something is put into one."""
    if bars.block is not None:
        if len(bars.block.dims) != len(dims) + 1 or bars.block.dtype != dtype:
            raise state.refused("a list of cotangents that are not alike")
        return bars.block
    if bars.is_read:
        state.shapes[bars.label] = dims, dtype
        state.is_resorted = True
        raise state.refused("a list of cotangents that is read before its shape is known")
    return _make(state, bars, dims, dtype)


def _make(state: State, bars: Cotangents, dims: tuple[Affine, ...], dtype: str) -> Array:
    at_entry = state.extents.entry.keys()
    if any(not dim.symbols <= at_entry for dim in (bars.count, *dims)):
        raise state.refused("a list of cotangents whose sizes depend on a loop")
    loops, state.loops = state.loops, []
    with state.block() as written:
        made = state.made((bars.count, *dims), dtype, bars.name)
        state.fill(made, Number(Num(0.0), "py"))
    state.loops = loops
    bars.out[bars.place : bars.place] = written
    state.lasting.discard(str(made.base))  # a row is not the same array for good
    bars.block = replace(made, fresh=False)
    return bars.block
