"""Products of vectors and matrices: of two vectors a sum, of matrices `np.dot`."""

from __future__ import annotations

import math
import operator
from dataclasses import replace

import numpy as np

import tapeless.lower.functions.pieces as pieces
import tapeless.lower.functions.stacked as stacked
import tapeless.runtime as runtime
from tapeless.lower.affine import Affine
from tapeless.lower.functions.registry import lowers
from tapeless.lower.functions.shaping import array, unbroadcast, without_axis
from tapeless.lower.functions.stacked import window
from tapeless.lower.indexing import transposed
from tapeless.lower.loops import Num, Op, Product
from tapeless.lower.precision import FLOATS
from tapeless.lower.state import State
from tapeless.lower.values import Array, Items, Number, Value, axis_key, number, with_axis

LARGE = 2048  # products of numbers, from which on one of matrices is left to `np.dot`


@lowers(np.dot, np.ndarray.dot)
def dot(state: State, a: Value, b: Value) -> Value:
    """Return the product of arrays of one or two axes."""
    if isinstance(a, Array) and isinstance(b, Array) and max(len(a.dims), len(b.dims)) <= 2:
        return product(state, a, b)
    raise state.refused("`np.dot` of numbers, or of arrays of more than two axes")


@lowers(np.inner)
def inner(state: State, a: Value, b: Value) -> Value:
    """Return the product of two vectors."""
    if not all(isinstance(x, Array) and len(x.dims) == 1 for x in (a, b)):
        raise state.refused("`np.inner` of other than two vectors")
    return dot(state, a, b)


@lowers(np.matmul, operator.matmul)
def product(state: State, a: Value, b: Value) -> Value:
    """Return the product of vectors and matrices, or of stacks of these."""
    a, b = array(state, a), array(state, b)
    if a.dtype != b.dtype or a.dtype not in FLOATS:
        raise state.refused("a product of arrays that are not of floats, or of several precisions")
    if len(a.dims) > 2 or len(b.dims) > 2:
        return _of_stacks(state, a, b)
    state.demand_equal(a.dims[-1], b.dims[0])
    if len(a.dims) == len(b.dims) == 1:
        products = state.pointwise(lambda p, q: Op("*", (p, q)), [a, b])
        return state.reduced(products, [0], "+", Num(0.0))
    return _of_matrices(state, a, b)


def _of_stacks(state: State, a: Array, b: Array) -> Value:
    """Multiply matrices in stacks, or each of a stack with one: small ones as loops over all axes."""
    left = a if len(a.dims) > 1 else with_axis(a, 0)
    right = b if len(b.dims) > 1 else with_axis(b, 1)
    state.demand_equal(left.dims[-1], right.dims[-2])
    if min(len(a.dims), len(b.dims)) > 1 and are_large(state, *left.dims[-2:], right.dims[-1]):
        return stacked.each_product(state, a, b)
    x, y = with_axis(left, len(left.dims)), with_axis(right, len(right.dims) - 2)
    products = state.pointwise(lambda p, q: Op("*", (p, q)), [x, y])
    made = state.reduced(products, [len(products.dims) - 2], "+", Num(0.0))
    assert isinstance(made, Array)
    if len(a.dims) == 1:
        made = without_axis(made, len(made.dims) - 2)
    return without_axis(made, len(made.dims) - 1) if len(b.dims) == 1 else made


def are_large(state: State, *sizes: Affine) -> bool:
    """Whether a call of `np.dot` is less than a product of matrices of such sizes takes as loops."""
    return math.prod(map(state.extents.likely, sizes)) >= LARGE


@lowers(runtime.matmul_left_bar)
def left_bar(state: State, g: Value, a: Value, b: Value) -> Value:
    """Return the cotangent of `a` in ``a @ b``."""
    g, a, b = (array(state, x) for x in (g, a, b))
    if len(a.dims) < 2 or len(b.dims) < 2:
        raise state.refused("the cotangent of a product of a vector and a stack")
    return unbroadcast(state, product(state, g, _flipped(b)), a)


@lowers(runtime.matmul_right_bar)
def right_bar(state: State, g: Value, a: Value, b: Value) -> Value:
    """Return the cotangent of `b` in ``a @ b``."""
    g, a, b = (array(state, x) for x in (g, a, b))
    if len(a.dims) < 2 or len(b.dims) < 2:
        raise state.refused("the cotangent of a product of a vector and a stack")
    return unbroadcast(state, product(state, _flipped(a), g), b)


def _flipped(x: Array) -> Array:
    """Return the view whose last two axes are exchanged."""
    *first, p, q = range(len(x.dims))
    return transposed(x, [*first, q, p])


@lowers(np.cross)
def cross(state: State, a: Value, b: Value) -> Value:
    """Return the vectors that are perpendicular to two of three components each."""
    a, b = array(state, a), array(state, b)
    for x in (a, b):
        state.demand_equal(x.dims[-1], Affine(3))
    made = [
        state.pointwise(
            lambda p, q, r, s: Op("-", (Op("*", (p, q)), Op("*", (r, s)))),
            [component(a, i), component(b, j), component(a, j), component(b, i)],
        )
        for i, j in ((1, 2), (2, 0), (0, 1))
    ]
    return pieces.stack(state, Items(tuple(made)), number(-1))


def component(x: Array, k: int) -> Array:
    """Return the view of one place along the last axis."""
    last = len(x.dims) - 1
    axes = tuple(form.put({axis_key(last): Affine(k)}) for form in x.axes)
    return replace(x, axes=axes, dims=x.dims[:-1], fresh=False)


def _at_end(state: State, *axes: Value) -> None:
    if any(not isinstance(x, Number) or x.form != Affine(-1) for x in axes):
        raise state.refused("`np.cross` along other axes than the last")


@lowers(runtime.cross_left_bar)
def cross_left_bar(state: State, g: Value, a: Value, b: Value, *axes: Value) -> Value:
    """Return the cotangent of `a` in ``np.cross(a, b)``."""
    _at_end(state, *axes)
    return unbroadcast(state, cross(state, b, g), a)


@lowers(runtime.cross_right_bar)
def cross_right_bar(state: State, g: Value, a: Value, b: Value, *axes: Value) -> Value:
    """Return the cotangent of `b` in ``np.cross(a, b)``."""
    _at_end(state, *axes)
    return unbroadcast(state, cross(state, g, a), b)


def _of_matrices(state: State, a: Array, b: Array) -> Array:
    dims = a.dims[:-1] + b.dims[1:]
    left, right = window(state, a), window(state, b)
    result = state.made(dims, a.dtype)
    assert result.base is not None
    state.emit(Product(result.base, "np.dot", (left, right)))
    return result


@lowers(np.outer)
def outer(state: State, a: Value, b: Value) -> Value:
    """Return all products of the entries of two vectors."""
    a, b = array(state, a), array(state, b)
    if len(a.dims) != 1 or len(b.dims) != 1:
        raise state.refused("`np.outer` of what are not two vectors")
    return state.pointwise(lambda p, q: Op("*", (p, q)), [with_axis(a, 1), b])
