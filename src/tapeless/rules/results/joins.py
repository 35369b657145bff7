"""Kinds of what makes one array of several, or of lists."""

from __future__ import annotations

from dataclasses import replace

from tapeless.kinds import (
    UNKNOWN,
    Array,
    Count,
    Dim,
    Integer,
    Kind,
    Number,
    Sequence,
    Size,
    Tuple,
    count_of,
    is_listed,
    is_number,
    regions_of,
    some_number,
)
from tapeless.ranks import broadcast_dims, dims_of, dtype_of, literal, promote
from tapeless.rules.results.call import Call, dtype_argument, item_kind, part_of_call


def joined_arrays(call: Call, keyword: str) -> Kind:
    """Return the kind of the arrays that a call joins, of which NumPy makes arrays where they are lists."""
    given = call.argument(0, keyword)
    if not isinstance(given, Tuple):
        return given
    lists = {i: k for i, k in enumerate(given.items) if isinstance(k, (Tuple, Sequence))}
    made = {i: nested_array(k, part_of_call(call, f"item {i}"), None) for i, k in lists.items()}
    return replace(given, items=tuple(made.get(i, k) for i, k in enumerate(given.items)))


def _joined_dtype(call: Call, item: Kind) -> str:
    """Return the code of the dtype that joined arrays have: that of the items, or what is asked for."""
    return dtype_argument(call, len(call.args)) or dtype_of(item)


def concatenate(call: Call) -> Kind:
    arrays = joined_arrays(call, "arrays")
    item = item_kind(arrays, call)
    told = len(call.args) > 1 or "axis" in call.keywords
    axis = call.argument(1, "axis") if told else Integer(0)
    dims = None if item is None else dims_of(item)
    if item is None or dims is None or not dims or not isinstance(axis, Integer):
        return call.unknown
    shapes = [dims_of(x) or () for x in arrays.items] if isinstance(arrays, Tuple) else []
    code, along = _joined_dtype(call, item), literal(axis)
    if not shapes or not isinstance(along, int) or not -len(dims) <= along < len(dims):
        return call.array(tuple(call.size(i) for i in range(len(dims))), code)
    return call.array(_joined_dims(call, shapes, along % len(dims)), code)


def _joined_dims(call: Call, shapes: list[tuple[Dim, ...]], along: int) -> tuple[Dim, ...]:
    """Return the dimensions of arrays one after the other: along the other axes they are alike."""
    dims = [min(sizes, key=_is_unknown) for sizes in zip(*shapes, strict=True)]
    parts = [shape[along] for shape in shapes]
    counts = [count_of(part) for part in parts]
    axes = [count.axes for count in counts if count is not None]
    total = sum(count.number for count in counts if count is not None)
    if len(axes) < len(parts):
        dims[along] = call.size(along)
    elif any(axes):
        least = sum(part for part in parts if isinstance(part, int))
        count = Count(total, frozenset().union(*axes))
        dims[along] = Size((call.point, along), least=max(least, 1), count=count)
    else:
        dims[along] = total
    return tuple(dims)


def _is_unknown(dim: Dim) -> int:
    """Sort dimensions by how much is known of them: a number first."""
    return 0 if isinstance(dim, int) else 1 if dim.count is not None else 2


def stack(call: Call) -> Kind:
    arrays = joined_arrays(call, "arrays")
    item = item_kind(arrays, call)
    dims = None if item is None else dims_of(item)
    axis = literal(call.keywords.get("axis", Integer(0)))
    if len(call.args) > 1:
        axis = literal(call.args[1])
    if item is None or dims is None or not isinstance(axis, int):
        return call.unknown
    count: Dim = len(arrays.items) if isinstance(arrays, Tuple) else call.size("count")
    axis %= len(dims) + 1
    return call.array((*dims[:axis], count, *dims[axis:]), _joined_dtype(call, item))


def vstack(call: Call) -> Kind:
    return joined(call, 2)


def hstack(call: Call) -> Kind:
    return joined(call, 1)


def joined(call: Call, least_rank: int) -> Kind:
    """Return the kind of arrays that are joined after they were brought to a rank at least."""
    arrays = joined_arrays(call, "tup")
    item = item_kind(arrays, call)
    items = [item] if item is not None else list(getattr(arrays, "items", ()))
    shapes = [dims_of(part) for part in items]
    if not items or None in shapes:
        return call.unknown
    rank = max(least_rank, *(len(dims or ()) for dims in shapes))
    code = promote([dtype_of(part) for part in items], [False] * len(items))
    return call.array(
        tuple(call.size(i) for i in range(rank)), dtype_argument(call, len(call.args)) or code
    )


def array(call: Call) -> Kind:
    """Return the kind of an array of what is given, of a rank at least where that is asked for."""
    made, least = _array_of_given(call), literal(call.keywords.get("ndmin", Integer(0)))
    if not isinstance(made, Array) or not isinstance(least, int):
        return call.unknown
    return replace(made, dims=(1,) * (least - len(made.dims)) + made.dims)


def _array_of_given(call: Call) -> Kind:
    x = call.argument(0, "object")
    code = dtype_argument(call)
    if is_number(x):
        dims = dims_of(x)
        if dims is None:
            return call.unknown
        return Array(dims, code or dtype_of(x), call.region)
    return nested_array(x, call, code)


def nested_array(x: Kind, call: Call, code: str | None) -> Kind:
    item = item_kind(x, call)
    if item is None:
        return call.unknown
    count: Dim = len(x.items) if isinstance(x, Tuple) else call.size("count")
    if isinstance(item, (Tuple, Sequence)):
        inner = nested_array(item, part_of_call(call, "inner"), code)
        if not isinstance(inner, Array):
            return call.unknown
        return Array((count, *inner.dims), inner.dtype, call.region)
    dims = dims_of(item)
    if dims is None:
        return call.unknown
    return Array((count, *dims), code or dtype_of(item), call.region)


def array_of_items(call: Call) -> Kind:
    """Return the kind of the array that is made of a list or tuple; of anything else its own."""
    made = nested_array(call.first, call, None) if is_listed(call.first) else call.first
    return made if isinstance(made, Array) else call.first


def asarray(call: Call) -> Kind:
    x = call.argument(0, "a")
    code = dtype_argument(call)
    if isinstance(x, Array) and code in (None, x.dtype):
        return x
    if isinstance(x, Number):
        return some_number(x.regions | call.region, x)
    made = array(call)
    return replace(made, regions=made.regions | regions_of(x)) if isinstance(made, Array) else made


def contiguous(call: Call) -> Kind:
    made = asarray(call)
    return (
        made
        if isinstance(made, Array) and made.dims
        else some_number(call.region | regions_of(made), made)
    )


def block(call: Call) -> Kind:
    """Return the kind of a block: of the depth of its lists, or the highest rank in them."""
    rank = block_rank(call.argument(0, "arrays"))
    if rank is None:
        return call.unknown
    return call.array(tuple(call.size(i) for i in range(rank)), "?")


def block_rank(part: Kind, depth: int = 0) -> int | None:
    if isinstance(part, (Tuple, Sequence)):
        items = part.items if isinstance(part, Tuple) else (part.item,)
        ranks = [block_rank(item, depth + 1) for item in items]
        return None if None in ranks else max((r for r in ranks if r is not None), default=None)
    dims = dims_of(part)
    return None if dims is None else max(depth, len(dims))


def meshgrid(call: Call) -> Kind:
    n = len(call.args)
    code = promote([dtype_of(a) for a in call.args], [False] * n)
    dense = "sparse" not in call.keywords
    grids = [
        Array(tuple(call.size(i if dense else (i, k)) for i in range(n)), code, call.region)
        for k in range(n)
    ]
    if any(is_listed(a) and not isinstance(a, Tuple) for a in call.args):
        return Sequence(grids[0])
    return Tuple(tuple(grids))


def broadcast_together(call: Call) -> Kind:
    """Return the kinds of views of arrays in the shape to which they broadcast."""
    shapes = [dims_of(kind) for kind in call.args]
    if not shapes:
        return UNKNOWN
    if None in shapes:
        return Tuple(tuple(some_number(regions_of(a) | call.region, a) for a in call.args))
    dims: tuple[Dim, ...] = ()
    for each in shapes:
        dims = broadcast_dims(dims, each or ())
    return Tuple(tuple(Array(dims, dtype_of(a), regions_of(a) | call.region) for a in call.args))


def chosen(call: Call) -> Kind:
    """Return the kind of entries of the choices, one for each place: all are broadcast together."""
    places, choices = (
        array_of_items(Call([kind], {}, (call.point, i), call.region))
        for i, kind in enumerate((call.first, call.argument(1, "choices")))
    )
    dims, each = dims_of(places), dims_of(choices)
    if dims is None or not each:
        return call.unknown
    return call.array(broadcast_dims(dims, each[1:]), dtype_of(choices))
