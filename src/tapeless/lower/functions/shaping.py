"""Views, copies, and what is said of shapes: no entry is computed here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

import tapeless.lower.cotangents as cotangents
import tapeless.lower.listed as listed
import tapeless.lower.masked as masked
import tapeless.runtime as runtime
from tapeless.lower.affine import Affine
from tapeless.lower.functions.registry import lowers
from tapeless.lower.indexing import transposed
from tapeless.lower.loops import Call, Expr, Num, Op, Product, Whole, Window
from tapeless.lower.precision import cast, sort_of
from tapeless.lower.state import State
from tapeless.lower.values import (
    Array,
    Cotangents,
    Items,
    Known,
    Masked,
    Number,
    Stack,
    Value,
    number,
    whole,
    whole_block,
    with_axis,
)

_NONE = Known(None)
LARGEST = 2.0**62


def array(state: State, x: Value) -> Array:
    """Refuse what is no array."""
    if not isinstance(x, Array):
        raise state.refused("what is no array where an array is needed")
    return x


def integers(state: State, x: Value, rank: int) -> list[int]:
    """Return axes as literals, counted from the front."""
    if isinstance(x, Known) and x.value is None:
        return list(range(rank))
    found = x.items if isinstance(x, Items) else (x,)
    axes = []
    for part in found:
        form = part.form if isinstance(part, Number) else None
        if form is None or not form.is_const or not -rank <= form.const < rank:
            raise state.refused("an axis that is no literal")
        axes.append(form.const % rank)
    return axes


def flag(state: State, x: Value) -> bool:
    """Return a truth value that is known."""
    if isinstance(x, Number) and isinstance(x.expr, Num) and isinstance(x.expr.value, bool):
        return x.expr.value
    raise state.refused("an option that is no literal")


def float_dtype(state: State, x: Value, otherwise: str = "f8") -> str:
    """Return the precision that an option `dtype` asks for."""
    if isinstance(x, Known) and x.value is None:
        return otherwise
    try:
        found = np.dtype(x.value) if isinstance(x, Known) else None
    except TypeError:
        found = None
    if found not in (np.float64, np.float32):
        raise state.refused("a dtype other than float64 and float32")
    return "f8" if found == np.float64 else "f4"


@lowers(np.shape)
def shape(state: State, x: Value) -> Value:
    """Return the sizes."""
    return Items(() if isinstance(x, Number) else tuple(map(whole, array(state, x).dims)))


@lowers(len)
def length(state: State, x: Value) -> Value:
    """Return the size of the first axis, or the number of items."""
    if isinstance(x, Items):
        return whole(Affine(len(x.items)))
    if isinstance(x, Stack):
        return whole(listed.length(state, x))
    if isinstance(x, Cotangents):
        return cotangents.length(state, x)
    found = array(state, x)
    if not found.dims:
        raise state.refused("the length of an array without axes")
    return whole(found.dims[0])


@lowers(np.ndim)
def ndim(state: State, x: Value) -> Value:
    """Return the number of axes."""
    return whole(Affine(0 if isinstance(x, Number) else len(array(state, x).dims)))


@lowers(np.copy, np.ndarray.copy)
def copy(state: State, x: Value) -> Value:
    """Return the same entries in memory of their own."""
    return state.copied(array(state, x))


@lowers(np.ndarray.astype)
def astype(state: State, x: Value, dtype: Value) -> Value:
    """Return a copy in a precision."""
    found = float_dtype(state, dtype)
    x = array(state, x)
    return state.pointwise(lambda p: cast(p, x.dtype, found), [x], found)


@lowers(np.array)
def as_new_array(state: State, x: Value, dtype: Value = _NONE) -> Value:
    """Return a copy of an array, or the array of what a list holds."""
    made = _new_array(state, x)
    if float_dtype(state, dtype, made.dtype) != made.dtype:
        raise state.refused("an array in another precision than what it is made of")
    return made


@lowers(np.asarray)
def as_array(state: State, x: Value, dtype: Value = _NONE) -> Value:
    """Return an array itself, or the array of what a list holds."""
    if not isinstance(x, Array):
        return as_new_array(state, x, dtype)
    if float_dtype(state, dtype, x.dtype) != x.dtype:
        raise state.refused("an array in another precision than what it is made of")
    return x


def _new_array(state: State, x: Value) -> Array:
    if isinstance(x, Stack) and x.items:
        return listed.array_of(state, x)
    if isinstance(x, Cotangents):
        return state.copied(cotangents.rows_of(state, x))
    if isinstance(x, Items) and all(isinstance(item, Number) for item in x.items):
        return _of_numbers(state, [item for item in x.items if isinstance(item, Number)])
    if isinstance(x, Items) and all(isinstance(item, Items) for item in x.items):
        return _of_rows(state, [_new_array(state, item) for item in x.items])
    return state.copied(array(state, x))


def _of_rows(state: State, rows: list[Array]) -> Array:
    result = state.made((Affine(len(rows)), *rows[0].dims), rows[0].dtype)
    for k, row in enumerate(rows):
        if row.dims != rows[0].dims or row.dtype != rows[0].dtype:
            raise state.refused("an array of rows that are not alike")
        axes = (Affine(k), *(Affine(0, ((f"@{i}", 1),)) for i in range(len(row.dims))))
        state.fill(Array(result.base, axes, row.dims), row)
    return result


def _of_numbers(state: State, items: list[Number]) -> Array:
    if not items or all(item.sort in ("int", "np int", "bool") for item in items):
        raise state.refused("an array of integers")
    from_floats = [_as_float(state, item) for item in items]
    result = state.made((Affine(len(items)),), "f4" if all(x.sort == "f4" for x in items) else "f8")
    for k, item in enumerate(from_floats):
        state.store(Array(result.base, (Affine(k),), (), result.dtype), item)
    return result


def _as_float(state: State, x: Number) -> Number:
    if x.sort in ("int", "np int", "bool"):
        raise state.refused("an array of integers and floats")
    return x


@lowers(np.transpose, np.ndarray.transpose)
def transpose(state: State, x: Value, *axes: Value) -> Value:
    """Return the view with its axes in another order."""
    x = array(state, x)
    if not axes or axes == (_NONE,):
        return transposed(x, list(reversed(range(len(x.dims)))))
    order = axes[0] if len(axes) == 1 and isinstance(axes[0], Items) else Items(axes)
    return transposed(x, integers(state, order, len(x.dims)))


@lowers(np.swapaxes, np.ndarray.swapaxes)
def swapaxes(state: State, x: Value, first: Value, second: Value) -> Value:
    """Return the view with two axes changed."""
    x = array(state, x)
    (p,), (q,) = (integers(state, k, len(x.dims)) for k in (first, second))
    order = list(range(len(x.dims)))
    order[p], order[q] = order[q], order[p]
    return transposed(x, order)


@lowers(np.moveaxis)
def moveaxis(state: State, x: Value, source: Value, destination: Value) -> Value:
    """Return the view with one axis at another place."""
    x = array(state, x)
    (old,), (new,) = (integers(state, k, len(x.dims)) for k in (source, destination))
    order = [k for k in range(len(x.dims)) if k != old]
    order.insert(new, old)
    return transposed(x, order)


@lowers(np.expand_dims)
def expand_dims(state: State, x: Value, axis: Value) -> Value:
    """Return the view with an axis of size 1 more."""
    if isinstance(x, Number):
        if integers(state, axis, 1) == [0]:
            return state.uniform(x, (Affine(1),))
    x = array(state, x)
    (place,) = integers(state, axis, len(x.dims) + 1)
    return with_axis(x, place)


@lowers(np.squeeze)
def squeeze(state: State, x: Value, axis: Value) -> Value:
    """Return the view without an axis of size 1."""
    x = array(state, x)
    (place,) = integers(state, axis, len(x.dims))
    if x.dims[place] != Affine(1):
        raise state.refused("an axis that is not known to be of size 1")
    made = without_axis(x, place)
    return made if made.dims else Number(made.at(()), sort_of(made.dtype))


def without_axis(x: Array, place: int) -> Array:
    """Return an array without an axis of size 1."""
    put = {f"@{place}": Affine()}
    put |= {f"@{k}": Affine(0, ((f"@{k - 1}", 1),)) for k in range(place + 1, len(x.dims))}
    dims = x.dims[:place] + x.dims[place + 1 :]
    axes = tuple(form.put(put) for form in x.axes)
    return replace(x, axes=axes, dims=dims, fresh=False)


@lowers(np.reshape, np.ndarray.reshape)
def reshape(state: State, x: Value, *to: Value) -> Value:
    """Return an array of another shape: a view where axes of size 1 come or go, else a copy."""
    x = array(state, x)
    wanted = _sizes(state, to[0] if len(to) == 1 else Items(to))
    wanted = _with_rest(state, x, wanted)
    one = Affine(1)
    same = state.extents.canonical
    if [same(d) for d in wanted if d != one] != [same(d) for d in x.dims if d != one]:
        return _shared(state, x, _reshaped_copy(state, x, wanted))
    while one in x.dims and len(x.dims) > 1:
        x = without_axis(x, x.dims.index(one))
    for k, dim in enumerate(wanted):
        if dim == one and (k >= len(x.dims) or x.dims[k] != one):
            x = with_axis(x, k)
    return x


def _shared(state: State, x: Array, made: Array) -> Array:
    """Refuse later stores into what is a view in NumPy, and a copy here."""
    state.note_copy(x, made)
    for block in (x, made):
        if block.base is not None:
            state.seal(block)
    return made


@lowers(np.ravel, np.ndarray.ravel)
def ravel(state: State, x: Value) -> Value:
    """Return the entries one after the other: a view, if they lie so."""
    x = array(state, x)
    if sum(dim != Affine(1) for dim in x.dims) < 2:
        return reshape(state, x, number(-1))
    return _shared(state, x, array(state, flatten(state, x)))


@lowers(np.ndarray.flatten)
def flatten(state: State, x: Value) -> Value:
    """Return a copy of the entries one after the other."""
    x = array(state, x)
    wide = [dim for dim in x.dims if dim != Affine(1)]
    if len(wide) < 2:
        return state.copied(array(state, reshape(state, x, number(-1))))
    sizes = [dim.const for dim in wide if dim.is_const]
    others = [dim for dim in wide if not dim.is_const]
    if len(others) > 1:
        others = [_product(state, others)]
    count = (others[0] if others else Affine(1)) * math.prod(sizes)
    return _reshaped_copy(state, x, (count,))


def _product(state: State, dims: list[Affine]) -> Affine:
    """Return the product of sizes as a size of its own."""
    found = dims[0]
    for dim in dims[1:]:
        product = state.product(found, dim)
        if product is None:
            raise state.refused("the number of entries of an array whose sizes depend on a loop")
        found = product
    return found


def _with_rest(state: State, x: Array, wanted: tuple[Affine, ...]) -> tuple[Affine, ...]:
    """Put the size that is left in the place of -1, where it is one axis of the array."""
    rest = Affine(-1)
    if rest not in wanted:
        return wanted
    if len(wanted) == 1 and sum(d != Affine(1) for d in x.dims) <= 1:
        return (next((d for d in x.dims if d != Affine(1)), Affine(1)),)
    left = [d for d in x.dims if d not in wanted]
    if wanted.count(rest) > 1 or len(left) != 1 or len(x.dims) != len(wanted):
        raise state.refused("a shape with -1")
    return tuple(left[0] if d == rest else d for d in wanted)


def _reshaped_copy(state: State, x: Array, wanted: tuple[Affine, ...]) -> Array:
    """Have NumPy write the entries of an array in another shape."""
    counts = [count_of(dims) for dims in (x.dims, wanted)]
    state.check(Op("==", tuple(counts)), "ValueError", "cannot reshape array")
    made = state.made(wanted, x.dtype)
    assert made.base is not None
    window = Window(_block_of(state, x), tuple(range(len(x.dims))))
    state.emit(Product(made.base, "np.reshape", (window,)))
    return made


def _block_of(state: State, x: Array) -> str:
    """Return a block of our own, which lies in memory in order, that an array is the whole of."""
    if x.base is not None and x.base not in state.program.given:
        block = whole_block(x.base, state.program.arrays[x.base])
        if (x.axes, x.dims) == (block.axes, block.dims):
            return x.base
    copied = state.copied(x)
    assert copied.base is not None
    return copied.base


def count_of(dims: Sequence[Affine]) -> Expr:
    """Return the number of entries of an array of such sizes."""
    factors = tuple(Whole(d) for d in dims if d != Affine(1))
    return Op("*", factors) if len(factors) > 1 else factors[0] if factors else Whole(Affine(1))


def _sizes(state: State, x: Value) -> tuple[Affine, ...]:
    items = x.items if isinstance(x, Items) else (x,)
    return tuple(state.form(item, "a size") for item in items)


@lowers(math.prod)
def count_of_entries(state: State, x: Value) -> Value:
    """Return a product of sizes; where it would not fit into an integer of 64 bits the NumPy text runs."""
    sizes = _sizes(state, x)
    product = count_of(sizes)
    if isinstance(product, Op):
        as_floats = tuple(Call("float", (size,)) for size in product.args)
        fits = Op("<", (Call("abs", (Op("*", as_floats),)), Num(LARGEST)))
        state.check(fits, "OverflowError", "a product of sizes is too large")
    return Number(product, "int")


@lowers(np.size)
def size(state: State, x: Value) -> Value:
    """Return the number of entries."""
    return (
        whole(Affine(1)) if isinstance(x, Number) else Number(count_of(array(state, x).dims), "int")
    )


@lowers(np.broadcast_to)
def broadcast_to(state: State, x: Value, to: Value) -> Value:
    """Return the view that repeats what is there."""
    dims = _sizes(state, to)
    mask = masked.mask_of(state, dims[0]) if dims else None
    if mask is not None:
        repeated = broadcast_to(state, x, Items(tuple(map(whole, (*mask.dims, *dims[1:])))))
        return Masked(array(state, repeated), mask)
    if isinstance(x, Number):
        return replace(state.uniform(x, dims), read_only=True)
    x = array(state, x)
    made = state.broadcast([dims, x.dims])
    if made != dims or len(x.dims) > len(dims):
        raise state.refused("a shape that the array is not known to be broadcast to")
    ahead = len(dims) - len(x.dims)
    put: dict[str, Affine] = {}
    for k, dim in enumerate(x.dims):
        one = dim == Affine(1)
        put[f"@{k}"] = Affine() if one else Affine(0, ((f"@{k + ahead}", 1),))
    axes = tuple(form.put(put) for form in x.axes)
    return replace(x, axes=axes, dims=dims, fresh=False, read_only=True)


@lowers(runtime.unbroadcast)
def unbroadcast(state: State, g: Value, x: Value) -> Value:
    """Return the sum over the axes along which something was broadcast: often none."""
    if isinstance(g, Number) and isinstance(x, Number):
        return g
    g = array(state, g)
    if isinstance(x, Number):
        return state.reduced(g, range(len(g.dims)), "+", Num(0.0))
    dims = array(state, x).dims
    ahead = len(g.dims) - len(dims)
    summed = [k for k in range(len(g.dims)) if k < ahead]
    for k, dim in enumerate(dims, ahead):
        if dim == Affine(1) and g.dims[k] != dim:
            summed.append(k)
        elif state.extents.canonical(dim - g.dims[k]) != Affine():
            state.demand_equal(dim, g.dims[k])
    if not summed:
        return g
    made = state.reduced(g, summed, "+", Num(0.0))
    if isinstance(made, Number):
        return state.copied(state.uniform(made, (Affine(1),) * len(dims)))
    assert isinstance(made, Array)
    for k in summed:
        if k >= ahead:
            made = with_axis(made, k - ahead)
    return made
