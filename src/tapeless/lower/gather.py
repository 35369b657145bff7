"""Entries at places that arrays of integers name: read one by one, and stored or added to one by one.

    for i in range(n):
        place = first[i]
        if not (-m <= place and place < m):
            raise IndexError("index is out of bounds")
        between[i] = x[place]

Arrays of places are broadcast to one shape. The axes of that shape stand where the first of the places
stood if nothing else stands between them, and at the front otherwise, as in NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import tapeless.lower.indexing as indexing
from tapeless.lower.affine import Affine, symbol
from tapeless.lower.loops import Assign, Check, Expr, Num, Op, Stmt, Store, Whole, cell_of
from tapeless.lower.precision import cast
from tapeless.lower.state import State
from tapeless.lower.values import Array, Display, Items, Known, Number, Value

EVERYTHING = (None, None, None)


def is_fancy(keys: Sequence[indexing.Key]) -> bool:
    """Whether an index has arrays in it."""
    return any(isinstance(key, Array) for key in keys)


def as_key(state: State, x: Value) -> indexing.Key:
    """Return a part of an index: a list of integers is an array of them, `slice(a, b)` a slice."""
    if isinstance(x, Known) and isinstance(x.value, slice) and x.value == slice(None):
        return EVERYTHING
    if isinstance(x, Items) and x.items and all(_is_integer(item) for item in x.items):
        made = state.made((Affine(len(x.items)),), "i", "places")
        for k, item in enumerate(x.items):
            assert isinstance(item, Number)
            state.emit(Store(cell_of(made.at((Affine(k),))), item.expr))
        return made
    return x


def _is_integer(x: Value) -> bool:
    return isinstance(x, Number) and x.is_whole


def keys_of(state: State, x: indexing.Key) -> list[indexing.Key]:
    """Return the parts of an index that is one value: a tuple has several."""
    if isinstance(x, Items) and not isinstance(x, Display):
        return [as_key(state, item) for item in x.items]
    return [x if isinstance(x, tuple) else as_key(state, x)]


@dataclass
class _Selection:
    """What an index selects: the array with the axes that are selected from, and the places."""

    array: Array
    places: dict[int, Array | Number]
    dims: tuple[Affine, ...]  # of the places, broadcast
    front: int  # where these axes stand in the result

    @property
    def result_dims(self) -> tuple[Affine, ...]:
        kept = [d for k, d in enumerate(self.array.dims) if k not in self.places]
        return (*kept[: self.front], *self.dims, *kept[self.front :])

    def over(self, state: State, body: Callable[[tuple[Affine, ...], Expr], Stmt]) -> None:
        """Write loops over the result, with a statement on each entry; a place is read once for a row."""
        count = len(self.dims)

        def rows(index: tuple[Affine, ...]) -> list[Stmt]:
            found: list[Stmt] = []
            places = self.found_places(state, index, found)
            with state.block() as inner:
                rest = self.result_dims[count:]
                state.over(rest, lambda more: [body((*index, *more), self.at(places, more))])
            return [*found, *inner]

        def entries(index: tuple[Affine, ...]) -> list[Stmt]:
            found: list[Stmt] = []
            own = index[self.front : self.front + count]
            rest = (*index[: self.front], *index[self.front + count :])
            places = self.found_places(state, own, found)
            return [*found, body(index, self.at(places, rest))]

        if self.front == 0:
            state.over(self.dims, rows)
        else:
            state.over(self.result_dims, entries)

    def at(self, places: dict[int, Affine], rest: tuple[Affine, ...]) -> Expr:
        """Return the entry of the array at places along some axes and at an index along the others."""
        others = iter(rest)
        axes = range(len(self.array.dims))
        return self.array.at(tuple(places[k] if k in places else next(others) for k in axes))

    def found_places(
        self, state: State, index: tuple[Affine, ...], before: list[Stmt]
    ) -> dict[int, Affine]:
        """Return the places for an index into their shape; what finds and checks them stands before."""
        found = {}
        for k, places in self.places.items():
            size = self.array.dims[k]
            form = _place(state, places, index, self.dims, before)
            low = Op("<=", (Whole(-size), Whole(form)))
            high = Op("<", (Whole(form), Whole(size)))
            before.append(Check(Op("and", (low, high)), "IndexError", "index is out of bounds"))
            if not indexing.is_direct(state, self.array, k):
                name = state.fresh("place")
                before.append(Assign(name, indexing.counted_from_front(form, size)))
                form = symbol(name)
            found[k] = form
        return found


def _place(
    state: State, x: Array | Number, index: tuple[Affine, ...], dims: tuple[Affine, ...],
    before: list[Stmt],
) -> Affine:  # fmt: skip
    name = state.fresh("place")
    before.append(Assign(name, state.entry(x, index, dims)))
    return symbol(name)


def _selection(state: State, x: Array, keys: Sequence[indexing.Key]) -> _Selection:
    if any(isinstance(key, Array) and key.dtype != "i" for key in keys):
        raise state.refused("an index that is an array of other than integers")
    if any(isinstance(key, Known) for key in keys):
        raise state.refused("`None` and `...` beside arrays in an index")
    basic = [key if isinstance(key, tuple) else EVERYTHING for key in keys]
    view = indexing.indexed(state, x, basic)
    places: dict[int, Array | Number] = {}
    for k, key in enumerate(keys):
        if isinstance(key, Number) and key.is_whole:
            places[k] = state.frozen(key, "place")
        elif isinstance(key, Array):
            places[k] = key
        elif not isinstance(key, tuple):
            raise state.refused("an index that is no integer and no slice")
    dims = state.broadcast([p.dims for p in places.values() if isinstance(p, Array)])
    is_one_stretch = max(places) - min(places) + 1 == len(places)
    if any(axis_form.symbols and view.base is None for axis_form in view.axes):
        raise state.refused("an index into a repeated number")
    return _Selection(view, places, dims, min(places) if is_one_stretch else 0)


def taken(state: State, x: Array, keys: Sequence[indexing.Key]) -> Array:
    """Return the entries at the places that arrays name, in memory of their own."""
    selection = _selection(state, x, keys)
    made = state.made(selection.result_dims, x.dtype)

    selection.over(state, lambda index, value: Store(cell_of(made.at(index)), value))
    return made


def scatter(state: State, x: Array, keys: Sequence[indexing.Key], value: Value, sign: str) -> None:
    """Store into the entries at the places that arrays name, or add to them, one after the other."""
    selection = _selection(state, x, keys)
    if x.base is None or not isinstance(value, (Array, Number)):
        raise state.refused("a store into what cannot be written")
    state.demand_writable(x)
    state.touch(x.base)
    dims = selection.result_dims
    source: Value = state.frozen(value, "t") if isinstance(value, Number) else value
    if isinstance(source, Array):
        shape = state.broadcast([dims, source.dims])
        if shape != dims:
            raise state.refused("a store of an array of more axes")
        source = state.copied(source) if source.base == x.base else source

    selection.over(
        state,
        lambda index, cell: state.stored(
            cell_of(cell), state.entry(source, index, dims), source, sign
        ),
    )


def last_stored(state: State, x: Array, keys: Sequence[indexing.Key]) -> Array:
    """Return the entries at places that a vector names, zeros for those that a later one names again."""
    selection = _selection(state, x, keys)
    if len(selection.dims) != 1:
        raise state.refused("a store at places that are no vector")
    dims, along = selection.result_dims, selection.front
    order = state.made(x.dims, "i", "order")
    _selection(state, order, keys).over(
        state, lambda index, cell: Store(cell_of(cell), Whole(index[along]))
    )
    found, ranks = taken(state, x, keys), taken(state, order, keys)
    made, zero = state.made(dims, x.dtype), cast(Num(0.0), None, x.dtype)

    def body(index: tuple[Affine, ...]) -> list[Stmt]:
        is_last = Op("==", (ranks.at(index), Whole(index[along])))
        return [Store(cell_of(made.at(index)), Op("if", (is_last, found.at(index), zero)))]

    state.over(dims, body)
    return made
