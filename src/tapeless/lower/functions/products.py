"""Products of vectors and matrices: of two vectors a sum, of matrices `np.dot`."""

from __future__ import annotations

import math
import operator
import string
from dataclasses import replace

import numpy as np

import tapeless.lower.functions.pieces as pieces
import tapeless.lower.functions.stacked as stacked
import tapeless.runtime as runtime
from tapeless.lower.affine import Affine
from tapeless.lower.arithmetic import literal
from tapeless.lower.functions.registry import lowers
from tapeless.lower.functions.shaping import array, integers, unbroadcast, without_axis
from tapeless.lower.functions.stacked import window
from tapeless.lower.indexing import transposed
from tapeless.lower.loops import Num, Op, Product
from tapeless.lower.precision import FLOATS
from tapeless.lower.state import State
from tapeless.lower.values import Array, Items, Known, Number, Value, axis_key, number, with_axis

_TWO = number(2)
LABELS = string.ascii_lowercase
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
    if min(len(a.dims), len(b.dims)) > 1 and _are_large(state, *left.dims[-2:], right.dims[-1]):
        return stacked.each_product(state, a, b)
    x, y = with_axis(left, len(left.dims)), with_axis(right, len(right.dims) - 2)
    products = state.pointwise(lambda p, q: Op("*", (p, q)), [x, y])
    made = state.reduced(products, [len(products.dims) - 2], "+", Num(0.0))
    assert isinstance(made, Array)
    if len(a.dims) == 1:
        made = without_axis(made, len(made.dims) - 2)
    return without_axis(made, len(made.dims) - 1) if len(b.dims) == 1 else made


def _are_large(state: State, *sizes: Affine) -> bool:
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


@lowers(np.einsum)
def einsum(state: State, subscripts: Value, a: Value, b: Value) -> Value:
    """Return the sums of products of two arrays that a text of labels names."""
    text = subscripts.value if isinstance(subscripts, Known) else None
    terms, arrow, result = text.partition("->") if isinstance(text, str) else ("", "", "")
    first, comma, second = terms.partition(",")
    parts = [first, second, result]
    if not (arrow and comma and result and set(result) <= set(first + second)):
        raise state.refused(
            "`np.einsum` of other than two arrays, with `->` and an array as result"
        )
    if not all(part.isalpha() and len(set(part)) == len(part) for part in parts):
        raise state.refused("`np.einsum` with a label twice in one array")
    return _summed(state, (first, array(state, a)), (second, array(state, b)), result)


@lowers(np.tensordot)
def tensordot(state: State, a: Value, b: Value, axes: Value = _TWO) -> Value:
    """Return the sums of products over axes of two arrays."""
    a, b = array(state, a), array(state, b)
    first, second, result = _labelled(state, a, b, axes)
    return _summed(state, (first, a), (second, b), result)


@lowers(runtime.tensordot_left_bar)
def tensordot_left_bar(state: State, g: Value, a: Value, b: Value, axes: Value = _TWO) -> Value:
    """Return the cotangent of the first factor: sums over the axes that only the second one has."""
    b = array(state, b)
    first, second, result = _labelled(state, array(state, a), b, axes)
    return _summed(state, (result, array(state, g)), (second, b), first)


@lowers(runtime.tensordot_right_bar)
def tensordot_right_bar(state: State, g: Value, a: Value, b: Value, axes: Value = _TWO) -> Value:
    """Return the cotangent of the second factor: sums over the axes that only the first one has."""
    a = array(state, a)
    first, second, result = _labelled(state, a, array(state, b), axes)
    return _summed(state, (first, a), (result, array(state, g)), second)


def _labelled(state: State, a: Array, b: Array, axes: Value) -> tuple[str, str, str]:
    """Return labels for the axes of two arrays, and of their `np.tensordot`: what is summed is alike."""
    first, second = LABELS[: len(a.dims)], list(LABELS[len(a.dims) : len(a.dims) + len(b.dims)])
    pairs = _pairs(state, a, b, axes)
    for p, q in pairs:
        state.demand_equal(a.dims[p], b.dims[q])
        second[q] = first[p]
    result = [x for x in (*first, *second) if (x in first) != (x in second)]
    if not pairs or not result:
        raise state.refused("`np.tensordot` over no axes, or over all of them")
    return first, "".join(second), "".join(result)


def _pairs(state: State, a: Array, b: Array, axes: Value) -> list[tuple[int, int]]:
    """Return the pairs of axes of two arrays that `np.tensordot` sums over."""
    if isinstance(axes, Number):
        count = literal(axes)
        if type(count) is int and 0 <= count <= min(len(a.dims), len(b.dims)):
            return [(len(a.dims) - count + k, k) for k in range(count)]
    if isinstance(axes, Items) and len(axes.items) == 2:
        own = [integers(state, x, len(z.dims)) for x, z in zip(axes.items, (a, b), strict=True)]
        return list(zip(*own, strict=True)) if len(own[0]) == len(own[1]) else []
    raise state.refused("`np.tensordot` over axes that are not known")


def _summed(state: State, left: tuple[str, Array], right: tuple[str, Array], result: str) -> Value:
    """Return the sums of products of two arrays whose axes have labels."""
    by_matrices = _as_matrices(state, left, right, result)
    if by_matrices is not None:
        return by_matrices
    labels = _in_order(left[0], right[0], result)
    x, y = (_with_labels(state, z, own, labels) for own, z in (left, right))
    products = state.pointwise(lambda p, q: Op("*", (p, q)), [x, y])
    summed = [k for k, label in enumerate(labels) if label not in result]
    made = state.reduced(products, summed, "+", Num(0.0)) if summed else products
    kept = [label for label in labels if label in result]
    assert isinstance(made, Array)
    if kept == list(result):
        return made
    return transposed(made, [kept.index(label) for label in result])


def _as_matrices(
    state: State, left: tuple[str, Array], right: tuple[str, Array], result: str
) -> Value | None:
    """Return sums over one label as products of large matrices, where they are such."""
    (first, a), (second, b) = left, right
    stack = [x for x in result if x in first and x in second]
    summed = [x for x in first if x in second and x not in result]
    own = [
        [x for x in part if x not in other] for part, other in ((first, second), (second, first))
    ]
    if not len(summed) == len(own[0]) == len(own[1]) == 1 or a.dtype != b.dtype:
        return None
    sizes = {x: d for part, z in (left, right) for x, d in zip(part, z.dims, strict=False)}
    if not _are_large(state, *(sizes[x] for x in (*own[0], *summed, *own[1]))):
        return None
    if (len(first), len(second)) != (len(a.dims), len(b.dims)) or a.dtype not in FLOATS:
        return None
    x = transposed(a, [first.index(label) for label in (*stack, *own[0], *summed)])
    y = transposed(b, [second.index(label) for label in (*stack, *summed, *own[1])])
    made = product(state, x, y)
    order = [*stack, *own[0], *own[1]]
    assert isinstance(made, Array)
    return transposed(made, [order.index(label) for label in result])


def _in_order(first: str, second: str, result: str) -> list[str]:
    """Return labels in the order of loops: innermost the one that is the last axis of most arrays.

    If that is summed, each entry of the result is found at once; else rows are added to rows, in the
    order in which they are read.
    """
    lasts = [part[-1] for part in (result, second, first)]
    inner = max(lasts, key=lasts.count)
    appear = dict.fromkeys(first + second)
    outer = [*appear] if inner in result else [*result, *(x for x in appear if x not in result)]
    return [*(label for label in outer if label != inner), inner]


def _with_labels(state: State, x: Array, own: str, labels: list[str]) -> Array:
    """Return the view of an array that has an axis for each label, in their order."""
    if len(own) != len(x.dims) or x.dtype not in FLOATS:
        raise state.refused("`np.einsum` of an array that the labels do not fit, or not of floats")
    x = transposed(x, [own.index(label) for label in labels if label in own])
    for place, label in enumerate(labels):
        if label not in own:
            x = with_axis(x, place)
    return x
