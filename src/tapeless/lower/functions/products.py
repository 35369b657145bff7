"""Products of vectors and matrices: of two vectors a sum, of matrices `np.dot`."""

from __future__ import annotations

import operator

import numpy as np

from tapeless.lower.functions.registry import lowers
from tapeless.lower.functions.shaping import array
from tapeless.lower.indexing import transposed
from tapeless.lower.loops import Num, Op, Product, Window
from tapeless.lower.state import State, with_axis
from tapeless.lower.values import Array, Known, Value, axis


@lowers(np.dot, np.matmul, operator.matmul)
def product(state: State, a: Value, b: Value) -> Value:
    """Return the product of arrays of one or two axes."""
    a, b = array(state, a), array(state, b)
    if a.dtype != "f8" or b.dtype != "f8":
        raise state.refused("a product of arrays that are not of float64")
    if not 1 <= len(a.dims) <= 2 or not 1 <= len(b.dims) <= 2:
        raise state.refused("a product of arrays of more than two axes")
    inner = a.dims[-1], b.dims[0]
    state.demand_equal(*inner)
    if len(a.dims) == len(b.dims) == 1:
        products = state.pointwise(lambda p, q: Op("*", (p, q)), [a, b])
        return state.reduced(products, [0], "+", Num(0.0))
    return _of_matrices(state, a, b)


def _of_matrices(state: State, a: Array, b: Array) -> Array:
    dims = a.dims[:-1] + b.dims[1:]
    left, right = _window(state, a), _window(state, b)
    result = state.made(dims)
    assert result.base is not None
    state.emit(Product(result.base, left, right))
    return result


def _window(state: State, x: Array) -> Window:
    """Return an array as a whole block, perhaps transposed; another view is copied."""
    if x.base is not None and len(x.axes) == len(x.dims):
        block = state.program.arrays[x.base]
        orders = [(0,)] if len(x.dims) == 1 else [(0, 1), (1, 0)]
        for order in orders:  # axis k of the view is axis order[k] of the block
            axes = tuple(axis(order.index(k)) for k in range(len(order)))
            if x.axes == axes and x.dims == tuple(block[k] for k in order):
                return Window(x.base, order)
    copied = state.copied(x)
    assert copied.base is not None
    return Window(copied.base, tuple(range(len(x.dims))))


@lowers(np.outer)
def outer(state: State, a: Value, b: Value) -> Value:
    """Return all products of the entries of two vectors."""
    a, b = array(state, a), array(state, b)
    if len(a.dims) != 1 or len(b.dims) != 1:
        raise state.refused("`np.outer` of what are not two vectors")
    return state.pointwise(lambda p, q: Op("*", (p, q)), [with_axis(a, 1), b])


@lowers(np.einsum)
def einsum(state: State, subscripts: Value, a: Value, b: Value) -> Value:
    """Return the sums of products of two arrays that a text of labels names."""
    text = subscripts.value if isinstance(subscripts, Known) else None
    terms, arrow, result = text.partition("->") if isinstance(text, str) else ("", "", "")
    first, comma, second = terms.partition(",")
    labels = list(result) + [
        label for label in dict.fromkeys(first + second) if label not in result
    ]
    parts = [first, second, result]
    if not (arrow and comma and result and set(result) <= set(first + second)):
        raise state.refused(
            "`np.einsum` of other than two arrays, with `->` and an array as result"
        )
    if not all(part.isalpha() and len(set(part)) == len(part) for part in parts):
        raise state.refused("`np.einsum` with a label twice in one array")
    x, y = (
        _with_labels(state, array(state, z), own, labels) for z, own in ((a, first), (b, second))
    )
    products = state.pointwise(lambda p, q: Op("*", (p, q)), [x, y])
    summed = list(range(len(result), len(labels)))
    return state.reduced(products, summed, "+", Num(0.0)) if summed else products


def _with_labels(state: State, x: Array, own: str, labels: list[str]) -> Array:
    """Return the view of an array that has an axis for each label, in their order."""
    if len(own) != len(x.dims) or x.dtype != "f8":
        raise state.refused("`np.einsum` of an array that the labels do not fit, or not of float64")
    x = transposed(x, [own.index(label) for label in labels if label in own])
    for place, label in enumerate(labels):
        if label not in own:
            x = with_axis(x, place)
    return x
