"""What a loop saves for another: lists become rows of blocks.

A list that a nest of loops appends to once in every trip, and that a nest like it, or a loop over the list
itself, empties in the other direction, needs no list: what the trips t, u save is row t, u. A number is
kept in an array of one axis per loop, an array in one of as many axes more. A view of memory that is still
there is not copied; it stays the place in memory that it is.

A list that is filled in some trips only, or in several places, is *counted*: a variable holds the number
of rows in use, as many rows are made as trips could need, and to take from an empty list is checked. Where
nobody knows how many trips there are, as in a `while` loop, there are a few rows, and twice as many each time
that all are used.
"""

from __future__ import annotations

from dataclasses import replace

from tapeless.lower.affine import Affine, symbol
from tapeless.lower.loops import (
    GROWN,
    Assign,
    Cell,
    If,
    Num,
    Op,
    Product,
    Store,
    Var,
    Whole,
    Window,
)
from tapeless.lower.precision import FLOATS, sort_of
from tapeless.lower.refused import NotLowered
from tapeless.lower.state import State
from tapeless.lower.values import (
    Array,
    Items,
    Known,
    Listed,
    Masked,
    Maybe,
    Number,
    Span,
    Stack,
    Trip,
    Value,
    axis,
    axis_key,
    whole,
)

SOME = Affine(64)  # rows that there are at first where nobody knows how many are needed
DTYPES = {"int": "i", "np int": "i", "bool": "b", "f4": "f4"}


def begun(state: State, made_by: int = 0) -> Stack:
    """Return an empty list."""
    place = state.fresh("row")
    stack = Stack(state.hint, len(state.trips), place, made_by)
    if place in state.counted:
        stack.top = state.fresh(f"{state.hint}_count")
        state.mutable.add(stack.top)
        state.emit(Assign(stack.top, Whole(Affine())))
    return stack


def begun_with(state: State, items: tuple[Value, ...], made_by: int) -> Stack:
    """Return a list of numbers or arrays, which a loop will fill further."""
    stack = begun(state, made_by)
    if stack.top is not None:
        raise state.refused("a list that begins with items and is not filled by one loop")
    for item in items:
        if isinstance(item, Array) and item.base is not None:
            state.seal(item)
    stack.ahead = items
    state.emit(If(Num(True), stack.beginning, []))
    state.beginnings.append(stack.beginning)
    return stack


def push(state: State, stack: Stack, value: Value) -> None:
    """Save what a trip of a loop keeps."""
    trips = tuple(state.trips[stack.level :])
    if not trips and state.unrolling:
        raise state.known_better(state.listed, stack.made_by, "a list that is filled item by item")
    if stack.taken:
        raise state.refused("a list that is filled again after it was emptied")
    if stack.top is not None:
        _push_counted(state, stack, value, trips)
        return
    if not trips or not all(trip.is_each for trip in trips) or stack.items:
        raise counted(state, stack)
    spans = [_span_of(state, trip) for trip in trips]
    for span in spans:
        state.extents.demand_positive(state.extents.lowest(span.length))
    stack.filled_by = trips
    if stack.ahead:
        _push_after(state, stack, value, spans)
        return
    places = tuple(symbol(f"{stack.place}.{k}") for k in range(len(trips)))
    rows = tuple(s.place(symbol(t.var)) for s, t in zip(spans, trips, strict=True))
    counts = tuple(state.extents.highest(span.length) for span in spans)
    stack.items.append(_Keeper(state, stack, places, rows, counts).kept(value))


def _push_after(state: State, stack: Stack, value: Value, spans: list[Span]) -> None:
    """Save what a trip keeps in a list that begins with other items, which are rows like it."""
    if len(spans) > 1 or not all(_is_like(state, item, value) for item in stack.ahead):
        raise state.refused("a list of things that are not alike")
    (span,), first = spans, Affine(len(stack.ahead))
    row = span.place(symbol(stack.filled_by[0].var)) + first
    counts = (state.extents.highest(span.length) + first,)
    keeper = _Keeper(state, stack, (symbol(f"{stack.place}.0"),), (row,), counts)
    stack.items.append(keeper.kept_as_row(value))
    rows, loops, state.loops = stack.rows[0], state.loops, []
    with state.block() as written:
        for k, item in enumerate(stack.ahead):
            keeper.row = (Affine(k),)
            keeper.write_item(rows, item)
    state.loops = loops
    stack.beginning += written


def _is_like(state: State, a: Value, b: Value) -> bool:
    """Whether two items may be rows of one block: floats or arrays of floats of one shape."""
    if isinstance(a, Number) and isinstance(b, Number):
        is_float = not any(x.is_whole or x.sort == "bool" for x in (a, b))
        return is_float and (a.sort == "f4") == (b.sort == "f4")
    if not isinstance(a, Array) or not isinstance(b, Array) or len(a.dims) != len(b.dims):
        return False
    for mine, theirs in zip(a.dims, b.dims, strict=True):
        state.demand_equal(mine, theirs)
    return a.dtype == b.dtype and a.dtype in FLOATS


def counted(state: State, stack: Stack) -> NotLowered:
    """Say that a list needs a count of its rows: the function is run again with one."""
    if stack.place not in state.counted:
        state.counted.add(stack.place)
        state.is_resorted = True
    return state.refused("a list that is not filled once in every trip of one loop")


def _span_of(state: State, trip: Trip) -> Span:
    if trip.span is None:
        raise state.refused("a list that is filled in a `while` loop")
    return trip.span


def _push_counted(state: State, stack: Stack, value: Value, trips: tuple[Trip, ...]) -> None:
    assert stack.top is not None
    count = _most(state, trips)
    top = symbol(stack.top)
    keeper = _Keeper(state, stack, (symbol(f"{stack.place}.0"),), (top,), (count or SOME,))
    keeper.grows = count is None
    if not stack.items:
        stack.items.append(keeper.kept(value))
    else:
        for rows in stack.rows:
            if count is None:
                keeper.grow(rows)
            else:
                alloc = state.allocs[rows]
                alloc.dims = (alloc.dims[0] + count, *alloc.dims[1:])
                state.program.arrays[rows] = alloc.dims
        keeper.keep_again(stack.items[0], value)
    state.emit(Assign(stack.top, Whole(top + 1)))


def _most(state: State, trips: tuple[Trip, ...]) -> Affine | None:
    """Return how often loops come to a place at most; None where it is not known."""
    count = Affine(1)
    for trip in trips:
        if trip.var:
            if trip.span is None:
                return None
            length = state.extents.highest(trip.span.length)
            if not (count.is_const or length.is_const):
                return None
            count = count * length.const if length.is_const else length * count.const
    state.extents.demand_positive(count)
    return count


class _Keeper:
    """Writes values into a row, and says what they are in terms of the places of the row."""

    def __init__(
        self, state: State, stack: Stack, places: tuple[Affine, ...], row: tuple[Affine, ...],
        counts: tuple[Affine, ...],
    ) -> None:  # fmt: skip
        self.state, self.stack = state, stack
        self.places, self.row, self.counts = places, row, counts
        self.grows = False

    def kept(self, value: Value) -> Value:
        """Write a value into rows that are made for it."""
        state = self.state
        if isinstance(value, Items):
            return type(value)(tuple(map(self.kept, value.items)))
        if isinstance(value, Listed):
            return Listed(list(map(self.kept, value.items)), value.level)
        if isinstance(value, Known):
            return value
        if isinstance(value, Masked):
            values, mask = self.kept(value.values), self.kept(value.mask)
            assert isinstance(values, Array) and isinstance(mask, Array)
            return Masked(values, mask)
        if isinstance(value, Maybe):
            there = self.kept_number(Number(value.there, "bool"))
            return Maybe(self.kept(value.value), there.expr)
        if isinstance(value, Number):
            return self.kept_number(value)
        if not isinstance(value, Array):
            raise state.refused("a list that holds lists")
        if value.base is None or value.base in state.lasting:
            return self.view(value)
        rows = self.rows(value.base, tuple(map(state.extents.highest, value.dims)), value.dtype)
        state.copies.sealed.add(rows)
        self.write(rows, value)
        return self.at(rows, self.places, self.view(replace(value, axes=())))

    def kept_as_row(self, value: Value) -> Value:
        """Write a float, or an array of floats, into rows that are made for it."""
        state = self.state
        if isinstance(value, Number):
            rows = self.rows(self.stack.name, (), DTYPES.get(value.sort, "f8"))
            made: Value = Number(Cell(rows, self.places), "f4" if value.sort == "f4" else "either")
        else:
            assert isinstance(value, Array)
            rows = self.rows(value.base or self.stack.name, value.dims, value.dtype)
            state.copies.sealed.add(rows)
            made = self.at(rows, self.places, value)
        self.write_item(rows, value)
        return made

    def write_item(self, rows: str, value: Value) -> None:
        """Write a number or an array into a row."""
        if isinstance(value, Number):
            self.state.emit(Store(Cell(rows, self.row), value.expr))
        else:
            assert isinstance(value, Array)
            self.write(rows, value)

    def kept_number(self, value: Number) -> Number:
        state = self.state
        is_lasting = state.is_stable(value.expr) and not _depends_on_loops(state, value)
        if is_lasting and self.stack.top is None:
            return value
        hint = value.expr.name if isinstance(value.expr, Var) else self.stack.name
        rows = self.rows(hint, (), DTYPES.get(value.sort, "f8"))
        state.emit(Store(Cell(rows, self.row), value.expr))
        return Number(Cell(rows, self.places), value.sort)

    def view(self, value: Array) -> Array:
        """Keep the place of memory that is still there: what it depends on besides the trip."""
        state = self.state
        forms = (*value.axes, *value.dims)
        own = {axis_key(k) for k in range(len(value.dims))}
        found = frozenset[str]().union(*(form.symbols for form in forms)) - own
        put = {key: self.integer(key) for key in sorted(found - state.extents.entry.keys())}
        axes = tuple(form.put(put) for form in value.axes)
        dims = tuple(form.put(put) for form in value.dims)
        uniform = value.uniform
        if uniform is not None and not state.is_lasting(uniform):
            uniform = self.kept_number(Number(uniform, sort_of(value.dtype))).expr
        return replace(value, axes=axes, dims=dims, uniform=uniform)

    def in_places(self, form: Affine) -> Affine:
        """Return where a loop begins, which may depend on the variables of loops around it."""
        others = form.symbols - self.state.extents.entry.keys()
        return form.put({key: self.integer(key) for key in sorted(others)})

    def integer(self, key: str) -> Affine:
        """Return an integer in terms of the places of the row: the variable of a trip, or a kept one."""
        if self.stack.top is None:
            for trip, place in zip(self.stack.filled_by, self.places, strict=True):
                if trip.var == key and trip.span is not None:
                    return self.in_places(trip.span.start) + place * trip.span.step
        label = f"{self.stack.place}:{len(self.stack.integers)}"
        rows = self.rows(key, (), "i")
        self.state.emit(Store(Cell(rows, self.row), Whole(symbol(key))))
        self.stack.integers[label] = Cell(rows, self.places)
        return symbol(label)

    def at(self, rows: str, row: tuple[Affine, ...], like: Array) -> Array:
        shifted = tuple(map(axis, range(len(like.dims))))
        return Array(rows, (*row, *shifted), like.dims, like.dtype)

    def write(self, rows: str, value: Array) -> None:
        self.state.fill(self.at(rows, self.row, value), value)
        if value.base is not None:
            self.state.seal(value)
            self.state.copies.note_kept(value.base, rows, self.state.trips)

    def rows(self, hint: str, dims: tuple[Affine, ...], dtype: str) -> str:
        state = self.state
        for dim in (*self.counts, *dims):
            if not dim.symbols <= state.extents.entry.keys():
                raise state.refused("an array saved in a loop whose size depends on the loop")
        name = f"{state.renamed.get(hint, hint)}_saved"
        made = state.made((*self.counts, *dims), dtype, name)
        assert made.base is not None
        self.stack.rows.append(made.base)
        if self.grows:
            self.grow(made.base)
        return made.base

    def grow(self, rows: str) -> None:
        """Make rows longer where all are used."""
        axes = tuple(range(len(self.state.program.arrays[rows])))
        self.state.emit(Product(rows, GROWN, (Window(rows, axes),), at=self.row))

    def keep_again(self, like: Value, value: Value) -> None:
        """Write a value into rows that were made for another one like it."""
        state = self.state
        if isinstance(like, Items) and isinstance(value, Items):
            if len(like.items) == len(value.items):
                for p, q in zip(like.items, value.items, strict=True):
                    self.keep_again(p, q)
                return
        if isinstance(like, Masked) and isinstance(value, Masked):
            self.keep_again(like.values, value.values)
            self.keep_again(like.mask, value.mask)
            return
        if isinstance(like, Maybe) and isinstance(value, Maybe):
            self.keep_again(like.value, value.value)
            self.keep_again(Number(like.there, "bool"), Number(value.there, "bool"))
            return
        if isinstance(like, Number) and isinstance(value, Number) and isinstance(like.expr, Cell):
            if like.sort == value.sort:
                state.emit(Store(Cell(like.expr.array, self.row), value.expr))
                return
        if isinstance(like, Array) and isinstance(value, Array) and like.base in self.stack.rows:
            if len(like.dims) == len(value.dims) and like.dtype == value.dtype:
                for mine, theirs in zip(like.dims, value.dims, strict=True):
                    state.demand_equal(mine, theirs)
                assert like.base is not None
                self.write(like.base, value)
                return
        if not isinstance(like, Known) or like != value:
            raise state.refused("a list of things that are not alike")


def _depends_on_loops(state: State, value: Number) -> bool:
    form = value.form
    if form is not None:
        return not form.symbols <= state.extents.entry.keys()
    return not state.is_lasting(value.expr)


def at_row(state: State, stack: Stack, row: tuple[Affine, ...]) -> Value:
    """Return what was saved in a row."""
    if not stack.items:
        raise state.refused("a list that is read before it is filled")
    put = {f"{stack.place}.{k}": form for k, form in enumerate(row)}
    for label, cell in stack.integers.items():
        kept = Cell(cell.array, tuple(form.put(put) for form in cell.index))
        put[label] = state.form(Number(kept, "int"))
    return _at_row(state, stack.items[0], put)


def _at_row(state: State, value: Value, put: dict[str, Affine]) -> Value:
    if isinstance(value, Items):
        return type(value)(tuple(_at_row(state, v, put) for v in value.items))
    if isinstance(value, Masked):
        values, mask = (_at_row(state, x, put) for x in (value.values, value.mask))
        assert isinstance(values, Array) and isinstance(mask, Array)
        return Masked(values, mask)
    if isinstance(value, Maybe):
        there = _at_row(state, Number(value.there, "bool"), put)
        assert isinstance(there, Number)
        return Maybe(_at_row(state, value.value, put), there.expr)
    if isinstance(value, Listed):
        return Listed([_at_row(state, v, put) for v in value.items], len(state.trips))
    if isinstance(value, Number) and isinstance(value.expr, Cell):
        cell = Cell(value.expr.array, tuple(form.put(put) for form in value.expr.index))
        return state.frozen(Number(cell, value.sort), "saved")
    if isinstance(value, Array):
        axes = tuple(form.put(put) for form in value.axes)
        dims = tuple(form.put(put) for form in value.dims)
        uniform = value.uniform
        if isinstance(uniform, Cell):
            made = _at_row(state, Number(uniform, sort_of(value.dtype)), put)
            assert isinstance(made, Number)
            uniform = made.expr
        return replace(value, axes=axes, dims=dims, fresh=False, uniform=uniform)
    return value


def taken_whole(state: State, stack: Stack) -> Span:
    """Return the range of rows of a list that a loop visits from its end."""
    if stack.top is not None and not stack.taken:
        stack.taken += 1
        used = state.frozen(whole(symbol(stack.top)), f"{stack.name}_rows")
        return Span(Affine(), state.form(used))
    if len(stack.filled_by) != 1 or stack.taken:
        raise state.refused("a list that is visited, and not filled once by one loop")
    stack.taken += 1
    return Span(Affine(), _span_of(state, stack.filled_by[0]).length + len(stack.ahead))


def is_filled(state: State, stack: Stack) -> Number:
    """Return whether anything is left in a list."""
    if stack.top is None:
        raise counted(state, stack)
    return Number(Op("<", (Whole(Affine()), Whole(symbol(stack.top)))), "bool")


def pop(state: State, stack: Stack) -> Value:
    """Take back what was saved last."""
    if not stack.items:
        raise state.refused("a list that is emptied before it is filled")
    stack.taken += 1
    if stack.top is not None:
        top = symbol(stack.top)
        state.check(Op("<", (Whole(Affine()), Whole(top))), "IndexError", "pop from empty list")
        state.emit(Assign(stack.top, Whole(top - 1)))
        last = state.frozen(whole(top), f"{stack.name}_row")
        return at_row(state, stack, (state.form(last),))
    if stack.taken > 1 or not _empties(state, stack):
        raise counted(state, stack)
    rows = zip(stack.filled_by, state.trips[stack.level :], strict=True)
    put: dict[str, Affine] = {}
    row = []
    for filled, emptied in rows:
        row.append(_put(_span_of(state, filled), put).place(symbol(emptied.var)) + len(stack.ahead))
        put[filled.var] = symbol(emptied.var)
    return at_row(state, stack, tuple(row))


def _empties(state: State, stack: Stack) -> bool:
    """Whether the loops around run as those that filled a list, the other way."""
    trips = state.trips[stack.level :]
    if len(trips) != len(stack.filled_by):
        return False
    put: dict[str, Affine] = {}
    for filled, emptied in zip(stack.filled_by, trips, strict=True):
        if not emptied.is_each or emptied.span is None or filled.span is None:
            return False
        span = _put(filled.span, put)
        if emptied.span.reversed != span and emptied.span != span.reversed:
            return False
        put[filled.var] = symbol(emptied.var)
    return True


def _put(span: Span, put: dict[str, Affine]) -> Span:
    return Span(span.start.put(put), span.stop.put(put), span.step)
