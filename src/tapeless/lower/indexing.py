"""Views as arithmetic on indices, and entries with the checks that they are there.

`u[1:-1]` is the block of `u` at `i + 1`; `u[::-1]` at `n - 1 - i`; `u.T` has its axes in another order.
An index is checked only where the loops around and the sizes do not tell that it is in bounds: where they
can tell it at entry it is checked there, else where it stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tapeless.lower.affine import Affine
from tapeless.lower.loops import Expr, Op, Whole
from tapeless.lower.state import State
from tapeless.lower.values import Array, Items, Known, Number, Value, axis, axis_key

Key = Value | tuple[Value | None, Value | None, Value | None]


def indexed(state: State, x: Array, keys: Sequence[Key]) -> Array:
    """Return the view of an array at integers, slices, `None` and `...`; of no axes for an entry."""
    keys = _without_ellipsis(state, x, keys)
    put: dict[str, Affine] = {}
    dims: list[Affine] = []
    own = 0
    for key in keys:
        if isinstance(key, Known) and key.value is None:
            dims.append(Affine(1))
            continue
        if own == len(x.dims):
            raise state.refused("more indices than axes")
        size = x.dims[own]
        if isinstance(key, tuple):
            start, length, step = _slice(state, key, size)
            put[axis_key(own)] = axis(len(dims)) * step + start
            dims.append(length)
        elif isinstance(key, Number) and key.is_whole:
            at = place(state, state.form(key), size)
            put[axis_key(own)] = at if is_direct(state, x, own) else from_front(state, at, size)
        else:
            raise state.refused("an index that is no integer and no slice")
        own += 1
    for k in range(own, len(x.dims)):
        put[axis_key(k)] = axis(len(dims))
        dims.append(x.dims[k])
    # two renamings of one set of symbols: all at once
    axes = tuple(form.put(put) for form in x.axes)
    return replace(x, axes=axes, dims=tuple(dims), fresh=False)


def _without_ellipsis(state: State, x: Array, keys: Sequence[Key]) -> list[Key]:
    found = list(keys)
    for i, key in enumerate(found):
        if isinstance(key, Known) and key.value is Ellipsis:
            used = sum(not (isinstance(k, Known) and k.value is None) for k in found) - 1
            everything: list[Key] = [(None, None, None)] * (len(x.dims) - used)
            return [*found[:i], *everything, *found[i + 1 :]]
    return found


def place(state: State, index: Affine, size: Affine) -> Affine:
    """Return an index that is checked to be in bounds, counted from the front if that is known."""
    extents = state.extents
    if index.is_const and index.const < 0:
        extents.demand_positive(size + index)
        return size + index
    from_front = extents.is_positive(index)
    if from_front and extents.follows_at_entry(size - 1 - index):
        return index
    if not from_front and extents.is_positive(-1 - index):  # it is counted from the end
        if extents.follows_at_entry(size + index):
            return size + index
    low = Op("<=", (Whole(Affine() if from_front else -size), Whole(index)))
    high = Op("<", (Whole(index), Whole(size)))
    test = high if from_front else Op("and", (low, high))
    state.check(test, "IndexError", "index is out of bounds")
    return index


def is_direct(state: State, x: Array, k: int) -> bool:
    """Whether an axis is an axis of the block itself: what is negative counts from the same end."""
    if x.base is None:
        return True
    block = state.program.arrays[x.base]
    return any(
        form == axis(k) and size == x.dims[k] for form, size in zip(x.axes, block, strict=True)
    )


def from_front(state: State, index: Affine, size: Affine) -> Affine:
    """Return an index that is in bounds as one that is counted from the front."""
    if state.extents.is_positive(index):
        return index
    return state.form(Number(counted_from_front(index, size), "int"))


def counted_from_front(index: Affine, size: Affine) -> Expr:
    """Return the formula for an index that is counted from the front."""
    is_negative = Op("<", (Whole(index), Whole(Affine())))
    return Op("if", (is_negative, Whole(size + index), Whole(index)))


def _slice(
    state: State, key: tuple[Value | None, Value | None, Value | None], size: Affine
) -> tuple[Affine, Affine, int]:
    """Return start, length and step of a slice of an axis."""
    start, stop, step = (_bound(state, part) for part in key)
    by = 1 if step is None else step.const
    if step is not None and (not step.is_const or by == 0):
        raise state.refused("a slice whose step is no literal")
    if by < 0:
        return _backwards(state, start, stop, size, by)
    first = _end(state, start, size, size) if start is not None else Affine()
    last = _end(state, stop, size, size) if stop is not None else size
    length = last - first
    if by > 1:
        length = _every(state, length, by)
    state.extents.demand_positive(length)
    return first, length, by


def _backwards(
    state: State, start: Affine | None, stop: Affine | None, size: Affine, by: int
) -> tuple[Affine, Affine, int]:
    """Return start, length and step of a slice that goes to the front; its ends lie within the axis."""
    first = size - 1 if start is None else _end(state, start, size - 1, size)
    last = Affine(-1) if stop is None else _end(state, stop, size - 1, size)
    length = first - last if by == -1 else _every(state, first - last, -by)
    state.extents.demand_positive(length)
    return first, length, by


def _every(state: State, length: Affine, by: int) -> Affine:
    """Return how many places there are when only each `by`-th counts."""
    if length.is_const:
        return Affine(-(-length.const // by))
    found = state.quotient(length + (by - 1), Affine(by))
    if found is None:
        raise state.refused("a slice with a step, of an axis whose size depends on a loop")
    return found


def _bound(state: State, part: Value | None) -> Affine | None:
    if part is None or isinstance(part, Known) and part.value is None:
        return None
    return state.form(part, "a bound of a slice")


def _end(state: State, bound: Affine, most: Affine, size: Affine) -> Affine:
    """Return the end of a slice of an axis, which is demanded to be at most some place."""
    extents = state.extents
    if bound.is_const and bound.const < 0:
        bound = size + bound
    elif not extents.is_positive(bound) and not extents.follows_at_entry(bound):
        raise state.refused("a bound of a slice that may be negative")
    if not extents.follows_at_entry(bound):
        raise state.refused("a bound of a slice that may be negative")
    if not extents.follows_at_entry(most - bound):
        raise state.refused("a bound of a slice that may lie beyond the axis")
    return bound


def transposed(x: Array, order: Sequence[int]) -> Array:
    """Return the view with its axes in another order.

    Examples
    --------
    >>> from tapeless.lower.affine import symbol
    >>> from tapeless.lower.values import whole_block
    >>> x = whole_block("x", (Affine(2), Affine(3)))
    >>> print(transposed(x, (1, 0)).at((symbol("i"), symbol("j"))).index[0])
    j
    """
    put = {axis_key(old): axis(new) for new, old in enumerate(order)}
    axes = tuple(form.put(put) for form in x.axes)
    return replace(x, axes=axes, dims=tuple(x.dims[k] for k in order), fresh=False)


def item(state: State, x: Items, key: Value) -> Value:
    """Return an item of a tuple at a literal place."""
    form = key.form if isinstance(key, Number) else None
    if form is None or not form.is_const or not -len(x.items) <= form.const < len(x.items):
        raise state.refused("an item of a tuple whose place is no literal")
    return x.items[form.const]
