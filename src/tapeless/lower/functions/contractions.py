"""Sums of products of arrays whose axes have labels: `einsum`, `tensordot` and their cotangents.

Arrays are multiplied entry by entry under one loop per label, and what the result does not have is summed.
Two of them that are large matrices, or stacks of these, are left to `np.dot`.
"""

from __future__ import annotations

import string
from collections.abc import Sequence

import numpy as np

import tapeless.runtime as runtime
from tapeless.lower.affine import Affine
from tapeless.lower.arithmetic import literal
from tapeless.lower.functions.products import are_large, product
from tapeless.lower.functions.registry import lowers
from tapeless.lower.functions.shaping import array, broadcast_to, integers
from tapeless.lower.indexing import transposed
from tapeless.lower.loops import Expr, Num, Op
from tapeless.lower.precision import FLOATS
from tapeless.lower.state import State
from tapeless.lower.values import Array, Items, Known, Number, Value, number, whole, with_axis
from tapeless.runtime.einsum import einsum_labels, einsum_transposed, transposed_of_two

_TWO = number(2)
LABELS = string.ascii_lowercase
Labelled = tuple[str, Array | Number]  # a number has no labels


@lowers(np.einsum)
def einsum(state: State, subscripts: Value, *operands: Value) -> Value:
    """Return the sums of products of arrays that a text of labels names."""
    text = subscripts.value if isinstance(subscripts, Known) else None
    if not isinstance(text, str) or "." in text:
        raise state.refused("`np.einsum` of what is no text, or has dots in it")
    given = [x if isinstance(x, Number) else array(state, x) for x in operands]
    terms, result = einsum_labels(text, _ranks(given))
    if len(terms) != len(given):
        raise state.refused("`np.einsum` of other arrays than its text names")
    return _summed(state, list(zip(terms, given, strict=True)), result)


@lowers(transposed_of_two)
def subscripts_of_cotangent(state: State, *asked: Value) -> Value:
    """Return the text by which a cotangent of two arrays is found, None where there is none."""
    subscripts, *numbers = asked
    found = [literal(x) for x in numbers if isinstance(x, Number)]
    if not isinstance(subscripts, Known) or len(found) < len(numbers):
        raise state.refused("`np.einsum` of what is no text")
    return Known(transposed_of_two(subscripts.value, *found))  # type: ignore[arg-type]


@lowers(runtime.einsum_bar)
def einsum_bar(state: State, g: Value, subscripts: Value, operands: Value, i: Value) -> Value:
    """Return the cotangent of one of the operands, whose labels all stand elsewhere, too."""
    which = literal(i) if isinstance(i, Number) else None
    if (
        not isinstance(operands, Items)
        or type(which) is not int
        or not isinstance(subscripts, Known)
    ):
        raise state.refused("the cotangent of operands that are not known")
    given = [array(state, x) for x in operands.items]
    text, found, labels = einsum_transposed(subscripts.value, _ranks(given), which)
    if len(set(labels)) < len(labels) or any(dim == Affine(1) for x in given for dim in x.dims):
        raise state.refused("the cotangent of an array that is repeated, or of its diagonal")
    others = [*given[:which], *given[which + 1 :]]
    made = einsum(state, Known(text), g, *others) if others else g
    return _spread(state, made, found, labels, given[which])


def _spread(state: State, g: Value, found: str, labels: str, like: Array) -> Value:
    """Repeat a cotangent along the axes that were summed in an array alone."""
    if found == labels:
        return g
    if isinstance(g, Array):
        for place, label in enumerate(labels):
            if label not in found:
                g = with_axis(g, place)
    return broadcast_to(state, g, Items(tuple(map(whole, like.dims))))


@lowers(runtime.einsum_bars)
def einsum_bars(state: State, g: Value, subscripts: Value, operands: Value) -> Value:
    """Return the cotangents of all operands."""
    count = len(operands.items) if isinstance(operands, Items) else 0
    return Items(tuple(einsum_bar(state, g, subscripts, operands, number(i)) for i in range(count)))


def _ranks(operands: Sequence[Array | Number]) -> tuple[int, ...]:
    return tuple(len(x.dims) if isinstance(x, Array) else 0 for x in operands)


@lowers(np.tensordot)
def tensordot(state: State, a: Value, b: Value, axes: Value = _TWO) -> Value:
    """Return the sums of products over axes of two arrays."""
    a, b = array(state, a), array(state, b)
    first, second, result = _labelled(state, a, b, axes)
    return _summed(state, [(first, a), (second, b)], result)


@lowers(runtime.tensordot_left_bar)
def tensordot_left_bar(state: State, g: Value, a: Value, b: Value, axes: Value = _TWO) -> Value:
    """Return the cotangent of the first factor: sums over the axes that only the second one has."""
    b = array(state, b)
    first, second, result = _labelled(state, array(state, a), b, axes)
    return _summed(state, [(result, array(state, g)), (second, b)], first)


@lowers(runtime.tensordot_right_bar)
def tensordot_right_bar(state: State, g: Value, a: Value, b: Value, axes: Value = _TWO) -> Value:
    """Return the cotangent of the second factor: sums over the axes that only the first one has."""
    a = array(state, a)
    first, second, result = _labelled(state, a, array(state, b), axes)
    return _summed(state, [(first, a), (result, array(state, g))], second)


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


def _summed(state: State, operands: list[Labelled], result: str) -> Value:
    """Return the sums of products of arrays whose axes have labels."""
    by_matrices = _as_matrices(state, operands, result)
    if by_matrices is not None:
        return by_matrices
    _check_labels(state, operands, result)
    labels = _in_order([own for own, _ in operands], result)
    widened = [_with_labels(x, own, labels) for own, x in operands]
    products: Value = widened[0]
    if len(widened) > 1:
        products = state.pointwise(lambda *entries: _product(entries), widened)
    if not isinstance(products, Array):
        raise state.refused("`np.einsum` of numbers alone")
    summed = [k for k, label in enumerate(labels) if label not in result]
    made = state.reduced(products, summed, "+", Num(0.0)) if summed else products
    kept = [label for label in labels if label in result]
    if not isinstance(made, Array) or kept == list(result):
        return made
    return transposed(made, [kept.index(label) for label in result])


def _product(entries: Sequence[Expr]) -> Expr:
    made, *others = entries
    for entry in others:
        made = Op("*", (made, entry))
    return made


def _check_labels(state: State, operands: list[Labelled], result: str) -> None:
    """Refuse a diagonal, a view, and labels that do not fit the arrays."""
    if any(len(set(labels)) < len(labels) for labels in (result, *(own for own, _ in operands))):
        raise state.refused("`np.einsum` with a label twice in one array")
    if len(operands) == 1 and len(operands[0][0]) == len(result):
        raise state.refused("`np.einsum` that gives a view")
    for own, x in operands:
        is_fit = not own if isinstance(x, Number) else len(own) == len(x.dims)
        if not is_fit or isinstance(x, Array) and x.dtype not in FLOATS:
            raise state.refused(
                "`np.einsum` of an array that the labels do not fit, or not of floats"
            )


def _as_matrices(state: State, operands: list[Labelled], result: str) -> Value | None:
    """Return sums over one label as products of large matrices, where they are such."""
    if len(operands) != 2:
        return None
    (first, a), (second, b) = operands
    if not isinstance(a, Array) or not isinstance(b, Array):
        return None
    stack = [x for x in result if x in first and x in second]
    summed = [x for x in first if x in second and x not in result]
    own = [
        [x for x in part if x not in other] for part, other in ((first, second), (second, first))
    ]
    if not len(summed) == len(own[0]) == len(own[1]) == 1 or a.dtype != b.dtype:
        return None
    sizes = {
        x: d for part, z in ((first, a), (second, b)) for x, d in zip(part, z.dims, strict=False)
    }
    if not are_large(state, *(sizes[x] for x in (*own[0], *summed, *own[1]))):
        return None
    if (len(first), len(second)) != (len(a.dims), len(b.dims)) or a.dtype not in FLOATS:
        return None
    x = transposed(a, [first.index(label) for label in (*stack, *own[0], *summed)])
    y = transposed(b, [second.index(label) for label in (*stack, *summed, *own[1])])
    made = product(state, x, y)
    order = [*stack, *own[0], *own[1]]
    assert isinstance(made, Array)
    return transposed(made, [order.index(label) for label in result])


def _in_order(terms: list[str], result: str) -> list[str]:
    """Return labels in the order of loops: innermost the one that is the last axis of most arrays.

    If that is summed, each entry of the result is found at once; else rows are added to rows, in the
    order in which they are read.
    """
    lasts = [part[-1] for part in (result, *reversed(terms)) if part]
    appear = dict.fromkeys("".join(terms))
    if not lasts:
        return [*appear]
    inner = max(lasts, key=lasts.count)
    outer = [*appear] if inner in result else [*result, *(x for x in appear if x not in result)]
    return [*(label for label in outer if label != inner), inner]


def _with_labels(x: Array | Number, own: str, labels: list[str]) -> Array | Number:
    """Return the view of an array that has an axis for each label, in their order."""
    if isinstance(x, Number):
        return x
    x = transposed(x, [own.index(label) for label in labels if label in own])
    for place, label in enumerate(labels):
        if label not in own:
            x = with_axis(x, place)
    return x
