"""Lists as a whole: as arrays, added up, and lists of the parts of an array.

What one loop appended in each of its trips lies in rows already: the array of a list is a copy of them, and
the list of the parts of an array has that array for its rows.
"""

from __future__ import annotations

from dataclasses import replace

from tapeless.lower.affine import Affine
from tapeless.lower.indexing import Key, indexed
from tapeless.lower.loops import Cell
from tapeless.lower.precision import FLOATS, precision_of
from tapeless.lower.state import State
from tapeless.lower.values import Array, Listed, Number, Sort, Stack, Value, axis, axis_key


def length(state: State, stack: Stack) -> Affine:
    """Return how many items a list has, which one loop filled, and of which none was taken."""
    running = any(trip is filling for trip in state.trips for filling in stack.filled_by)
    ended = len(stack.filled_by) == 1 and not running
    span = stack.filled_by[0].span if ended else None
    if stack.top is not None or stack.taken or span is None:
        raise state.refused("a list that is not filled by one loop in each of its trips")
    return span.length + len(stack.ahead)


def last_of(state: State, found: Listed) -> Value:
    """Take the last item of a list of which it is known what it holds."""
    demand_here(state, found)
    if not found.items:
        raise state.refused("a list that is emptied before it is filled")
    return found.items.pop()


def demand_here(state: State, found: Listed) -> None:
    """Refuse to change such a list in a loop or branch: it would be known no longer."""
    if len(state.trips) != found.level:
        raise state.refused("a list that is changed in some trips or branches")


def is_of_literals(found: object) -> bool:
    """Whether a constant is a number, or a list or tuple of such."""
    if type(found) in (list, tuple):
        return all(map(is_of_literals, found))  # type: ignore[call-overload]
    return type(found) in (bool, int, float)


def array_of(state: State, stack: Stack, along: int = 0) -> Array:
    """Return the array of the items of a list, side by side along an axis of their own."""
    view = rows_of(state, stack)
    order = list(range(1, len(view.dims)))
    order.insert(along, 0)
    put = {axis_key(old): axis(new) for new, old in enumerate(order)}
    axes = tuple(form.put(put) for form in view.axes)
    return state.copied(replace(view, axes=axes, dims=tuple(view.dims[k] for k in order)))


def rows_of(state: State, stack: Stack) -> Array:
    """Return the view of all that a list of numbers or arrays holds."""
    if not stack.items:
        raise state.refused("a list that is read before it is filled")
    item, count = stack.items[0], length(state, stack)
    if isinstance(item, Number) and isinstance(item.expr, Cell) and not stack.integers:
        dtype = state.program.dtypes[item.expr.array]
        item = Array(item.expr.array, item.expr.index, (), dtype)
    if isinstance(item, Number) and not item.is_whole and state.is_lasting(item.expr):
        return Array(None, (), (count,), precision_of(item), uniform=item.expr)
    if not isinstance(item, Array) or item.base is None or item.dtype not in FLOATS:
        raise state.refused("an array of a list of other than floats or arrays of floats")
    put = {axis_key(k): axis(k + 1) for k in range(len(item.dims))} | {f"{stack.place}.0": axis(0)}
    axes = tuple(form.put(put) for form in item.axes)
    known = state.extents.entry.keys() | {axis_key(k) for k in range(len(item.dims) + 1)}
    if any(not form.symbols <= known for form in (*axes, *item.dims)):
        raise state.refused("an array of a list of views that differ from trip to trip")
    return Array(item.base, axes, (count, *item.dims), item.dtype)


def parts_of(state: State, g: Array, stack: Stack) -> Stack:
    """Return the list of the parts of an array along its first axis, as many as a list has items."""
    state.demand_equal(g.dims[0], length(state, stack))
    if isinstance(stack.items[0], Number):
        g = state.copied(g)  # of an array of numbers a list holds what they are now
    put = {axis_key(0): Affine(0, ((f"{stack.place}.0", 1),))}
    put |= {axis_key(k): axis(k - 1) for k in range(1, len(g.dims))}
    part = replace(g, axes=tuple(f.put(put) for f in g.axes), dims=g.dims[1:], fresh=False)
    return _alike(stack, part if part.dims else Number(part.at(()), _sort(state, stack, g)))


def _sort(state: State, stack: Stack, g: Array) -> Sort:
    item = stack.items[0]
    if not isinstance(item, Number) or item.sort not in ("py", "np", "either") or g.dtype != "f8":
        raise state.refused("a list of the entries of an array in another precision")
    return "py"


def copies_of(state: State, value: Value, stack: Stack) -> Stack:
    """Return a list that holds one thing as often as a list has items."""
    length(state, stack)
    return _alike(stack, state.frozen(value, "t") if isinstance(value, Number) else value)


def _alike(stack: Stack, item: Value) -> Stack:
    return replace(stack, items=[item], rows=[], integers={}, is_whole=True)


def item_of(state: State, stack: Stack, key: Key) -> Value:
    """Return an item of a list that a loop filled."""
    row = indexed(state, rows_of(state, stack), [key])
    item = stack.items[0]
    return Number(row.at(()), item.sort) if isinstance(item, Number) else row
