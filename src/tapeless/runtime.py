"""All that generated code may import: each an ordinary, documented function.

The functions ask for ranks and shapes in plain `if`s. Where the tool knows the answers it folds
the tests and prints the branch that remains; where it does not, the call stays in the text. So the
same text serves generated code of every rank, and can be read and run by itself.
"""

from __future__ import annotations

import functools
import inspect
import math
import string
import types
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from tapeless.variables import Variable


def unbroadcast(g: Any, x: Any) -> Any:
    """Sum `g` over the axes along which `x` was broadcast to the shape of `g`.

    Parameters
    ----------
    g
        A cotangent with the shape of a broadcast result.
    x
        The operand, a scalar or an array.

    Returns
    -------
    A scalar or an array with the shape of `x`.

    Examples
    --------
    >>> unbroadcast(np.ones((2, 3)), np.zeros(3))
    array([2., 2., 2.])
    >>> unbroadcast(np.ones((2, 3)), np.zeros((2, 1)))
    array([[3.],
           [3.]])
    """
    if np.shape(g) == np.shape(x):
        return g
    if np.ndim(x) == 0:
        return np.sum(g)
    if np.ndim(g) == np.ndim(x) + 1 and 1 not in np.shape(x):
        return np.sum(g, axis=0)
    return sum_to_shape(g, np.shape(x))


def sum_to_shape(g: Any, shape: tuple[int, ...]) -> Any:
    """Sum `g` down to `shape`: the transpose of broadcasting `shape` to the shape of `g`.

    Where `g` is smaller than `shape` it is an adjoint that was left to broadcast, and is
    returned at full shape.
    """
    g = np.sum(g, axis=tuple(range(np.ndim(g) - len(shape))))
    stretched = tuple(
        i for i, n in enumerate(shape[len(shape) - np.ndim(g) :]) if n == 1 and g.shape[i] != 1
    )
    if stretched:
        g = np.sum(g, axis=stretched, keepdims=True)
    return g


# Reductions


def unreduce(g: Any, shape: tuple[int, ...], axis: Any = None, keepdims: bool = False) -> Any:
    """Spread the cotangent of a sum over the shape of what was summed (a read-only view).

    Examples
    --------
    >>> unreduce(np.array([1.0, 2.0]), (2, 3), 1)
    array([[1., 1., 1.],
           [2., 2., 2.]])
    """
    if len(shape) == 0:
        return g
    return np.broadcast_to(expand_reduced(g, axis, keepdims), shape)


def expand_reduced(y: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Put back the axes that a reduction dropped, so that `y` broadcasts against its operand.

    Examples
    --------
    >>> expand_reduced(np.array([1.0, 2.0]), 1)
    array([[1.],
           [2.]])
    """
    if axis is None or keepdims:
        return y
    return np.expand_dims(y, axis)


def reduced_size(shape: tuple[int, ...], axis: Any = None) -> int:
    """Count the entries that a reduction over `axis` combines into one.

    Examples
    --------
    >>> reduced_size((2, 3, 4), (0, -1))
    8
    """
    if axis is None and len(shape) == 1:
        return shape[0]
    if axis is None:
        return math.prod(shape)
    if isinstance(axis, int):
        return shape[axis]
    return math.prod(shape[i] for i in normalize_axis_tuple(axis, len(shape)))


def share_ties(hit: Any, axis: Any, dtype: Any) -> Any:
    """Divide one unit equally among the true entries along `axis`.

    Examples
    --------
    >>> share_ties(np.array([True, False, True]), None, float)
    array([0.5, 0. , 0.5])
    """
    return hit / np.sum(hit, axis=axis, keepdims=True, dtype=dtype)


def divide_or_zero(a: Any, b: Any) -> Any:
    """Divide, with 0 wherever `b` is 0.

    Examples
    --------
    >>> divide_or_zero(np.array([1.0, 2.0]), np.array([0.0, 4.0]))
    array([0. , 0.5])
    """
    return np.where(b == 0, 0.0, a / np.where(b == 0, 1.0, b))


def times_partial(g: Any, partial: Any, over: Any = None) -> Any:
    """Multiply a cotangent by the partial ``partial / over``, with 0 where it is 0 times infinity.

    Where nothing depends on a value its cotangent is 0, and stays 0 at a pole of the function that
    computed the value. Elsewhere a pole gives infinity, as it should.

    Examples
    --------
    >>> root = np.array([0.0, 0.0, 2.0])
    >>> times_partial(np.array([0.0, 1.0, 1.0]), 0.5, over=root)
    array([0.  ,  inf, 0.25])
    """
    if isinstance(g, float) and g == 0.0 and np.ndim(partial) == np.ndim(over) == 0:
        return g
    with np.errstate(divide="ignore", invalid="ignore"):
        product = g * partial if over is None else np.divide(g * partial, over)
    undecided = np.isnan(product)
    if not undecided.any():
        return product
    return np.where(undecided & (g == 0), 0.0, product)[()]


def partial_or_zero(g: Any, partial: Any, over: Any = None) -> Any:
    """Give the partial by which `times_partial` multiplies: 0 where `g` is 0 at a pole.

    Examples
    --------
    >>> partial_or_zero(np.array([0.0, 0.0]), 0.5, over=np.array([0.0, 2.0]))
    array([0.  , 0.25])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = partial if over is None else np.divide(partial, over)
    return np.where((g == 0) & ~np.isfinite(ratio), 0.0, ratio)[()]


def divide_by_spread(g: Any, spread: Any, mean: Any) -> Any:
    """Divide by a standard deviation, with 0 where it is no more than the rounding of the mean.

    Examples
    --------
    >>> divide_by_spread(np.ones(2), np.array([1e-17, 0.5]), np.array([0.1, 0.1]))
    array([0., 2.])
    """
    flat = spread <= 4 * np.finfo(np.result_type(spread)).eps * np.abs(mean)
    return np.where(flat, 0.0, g / np.where(flat, 1.0, spread))


def conjugate(x: Any) -> Any:
    """Conjugate what is complex; what is real is returned as it is."""
    if np.iscomplexobj(x):
        return np.conj(x)
    return x


def real_part(x: Any) -> Any:
    """Give the real part of what is complex; what is real is returned as it is."""
    if np.iscomplexobj(x):
        return np.real(x)
    return x


def product_of_others(x: Any, axis: Any = None) -> Any:
    """For each entry the product of all the others along `axis`: right where entries are 0.

    Examples
    --------
    >>> product_of_others(np.array([2.0, 0.0, 5.0]))
    array([ 0., 10.,  0.])
    """
    if np.ndim(x) == 0:
        return np.ones_like(x)[()]
    if axis is None:
        return np.reshape(product_of_others_last(np.ravel(x)), np.shape(x))
    if isinstance(axis, int):
        return np.swapaxes(product_of_others_last(np.swapaxes(x, axis, -1)), axis, -1)
    axes = normalize_axis_tuple(axis, np.ndim(x))
    if len(axes) == 0:
        return np.ones_like(x)
    ends = tuple(range(-len(axes), 0))
    moved = np.moveaxis(x, axes, ends)
    rows = np.reshape(moved, (*moved.shape[: -len(axes)], reduced_size(np.shape(x), axes)))
    return np.moveaxis(np.reshape(product_of_others_last(rows), moved.shape), ends, axes)


def product_of_others_last(x: Any) -> Any:
    """For each entry the product of what stands before it times that of what stands after it."""
    one = np.ones_like(x[..., :1])
    before = np.concatenate([one, np.cumprod(x[..., :-1], axis=-1)], axis=-1)
    after = np.concatenate([one, np.cumprod(x[..., :0:-1], axis=-1)], axis=-1)
    return before * after[..., ::-1]


def reverse_cumsum(g: Any, axis: int = 0) -> Any:
    """Sum from each entry to the end: the transpose of `cumsum`.

    Examples
    --------
    >>> reverse_cumsum(np.array([1.0, 2.0, 3.0]))
    array([6., 5., 3.])
    """
    return np.flip(np.cumsum(np.flip(g, axis), axis=axis), axis)


def cumprod_bar(y_bar: Any, x: Any, y: Any, axis: int = 0) -> Any:
    """Transpose the derivative of ``y = np.cumprod(x, axis)``.

    ``dy[k] / dx[i] = y[k] / x[i]`` for ``i <= k``. Where a product is 0 the sum over `k` is done by
    Horner's rule, ``tail[i] = y_bar[i] + x[i + 1] * tail[i + 1]``, without dividing.
    """
    if np.all(y != 0):
        return reverse_cumsum(y_bar * y, axis) / x
    rows = np.moveaxis(x, axis, 0)
    rows_bar = np.moveaxis(y_bar, axis, 0)
    before = np.concatenate([np.ones_like(rows[:1]), np.moveaxis(y, axis, 0)[:-1]])
    tail = np.zeros_like(rows[0])
    tails = []
    for i in range(len(rows) - 1, -1, -1):
        if i < len(rows) - 1:
            tail = rows[i + 1] * tail
        tail = rows_bar[i] + tail
        tails.append(tail)
    return np.moveaxis(before * np.stack(tails[::-1]), 0, axis)


def cumprod_dot(x_dot: Any, x: Any, y: Any, axis: int = 0) -> Any:
    """Apply the derivative of ``y = np.cumprod(x, axis)``: right where entries are 0."""
    if np.all(y != 0):
        return y * np.cumsum(x_dot / x, axis=axis)
    rows = np.moveaxis(x, axis, 0)
    rows_dot = np.moveaxis(x_dot, axis, 0)
    before = np.concatenate([np.ones_like(rows[:1]), np.moveaxis(y, axis, 0)[:-1]])
    total = np.zeros_like(rows[0])
    totals = []
    for i in range(len(rows)):
        total = total * rows[i] + before[i] * rows_dot[i]
        totals.append(total)
    return np.moveaxis(np.stack(totals), 0, axis)


def align_weights(weights: Any, shape: tuple[int, ...], axis: Any) -> Any:
    """Shape the weights of `np.average` so that they broadcast against the averaged array."""
    if np.shape(weights) == shape:
        return weights
    axes = normalize_axis_tuple(axis, len(shape))
    kept = [n if i in axes else 1 for i, n in enumerate(shape)]
    return np.reshape(np.transpose(weights, np.argsort(axes)), kept)


def align_weights_bar(g: Any, weights_shape: tuple[int, ...], axis: Any) -> Any:
    """Transpose `align_weights`: sum over the other axes, back to the order of the weights."""
    if np.shape(g) == weights_shape:
        return g
    axes = normalize_axis_tuple(axis, np.ndim(g))
    others = tuple(i for i in range(np.ndim(g)) if i not in axes)
    return np.transpose(np.sum(g, axis=others), np.argsort(np.argsort(axes)))


# Products


def matmul_left_bar(y_bar: Any, a: Any, b: Any) -> Any:
    """Give the cotangent of `a` in ``a @ b``.

    Examples
    --------
    >>> matmul_left_bar(np.ones(2), np.ones((2, 3)), np.arange(3.0))
    array([[0., 1., 2.],
           [0., 1., 2.]])
    """
    if np.ndim(a) == 2 and np.ndim(b) == 2:
        return y_bar @ b.T
    if np.ndim(a) == 2 and np.ndim(b) == 1:
        return np.outer(y_bar, b)
    if np.ndim(a) == 1 and np.ndim(b) == 2:
        return b @ y_bar
    if np.ndim(a) == 1 and np.ndim(b) == 1:
        return y_bar * b
    if np.ndim(b) == 1:
        return y_bar[..., None] * b
    if np.ndim(a) == 1:
        return np.sum((b @ y_bar[..., None])[..., 0], axis=tuple(range(np.ndim(b) - 2)))
    return unbroadcast(y_bar @ np.swapaxes(b, -1, -2), a)


def matmul_right_bar(y_bar: Any, a: Any, b: Any) -> Any:
    """Give the cotangent of `b` in ``a @ b``.

    Examples
    --------
    >>> matmul_right_bar(np.ones(2), np.ones((2, 3)), np.ones(3))
    array([2., 2., 2.])
    """
    if np.ndim(a) == 2 and np.ndim(b) == 2:
        return a.T @ y_bar
    if np.ndim(a) == 2 and np.ndim(b) == 1:
        return a.T @ y_bar
    if np.ndim(a) == 1 and np.ndim(b) == 2:
        return np.outer(a, y_bar)
    if np.ndim(a) == 1 and np.ndim(b) == 1:
        return y_bar * a
    if np.ndim(b) == 1:
        return np.tensordot(y_bar, a, axes=np.ndim(y_bar))
    if np.ndim(a) == 1:
        return a[:, None] * y_bar[..., None, :]
    if np.ndim(b) == 2:
        return sum_of_outer(a, y_bar, np.ndim(a) - 1)
    return unbroadcast(np.swapaxes(a, -1, -2) @ y_bar, b)


def sum_of_outer(a: Any, b: Any, count: int) -> Any:
    """Contract the first `count` axes of `a` with the first `count` axes of `b`.

    Examples
    --------
    >>> sum_of_outer(np.ones((2, 5, 3)), np.ones((2, 5, 4)), 2).shape
    (3, 4)
    """
    axes = tuple(range(count))
    return np.tensordot(a, b, axes=(axes, axes))


def dot_left_bar(y_bar: Any, a: Any, b: Any) -> Any:
    """Give the cotangent of `a` in ``np.dot(a, b)``."""
    if np.ndim(a) == 0:
        return np.sum(y_bar * b)
    if np.ndim(b) == 0:
        return y_bar * b
    if np.ndim(b) == 1 or (np.ndim(a) <= 2 and np.ndim(b) == 2):
        return matmul_left_bar(y_bar, a, b)
    summed = tuple(range(np.ndim(a) - 1, np.ndim(y_bar)))
    others = (*range(np.ndim(b) - 2), np.ndim(b) - 1)
    return np.tensordot(y_bar, b, axes=(summed, others))


def dot_right_bar(y_bar: Any, a: Any, b: Any) -> Any:
    """Give the cotangent of `b` in ``np.dot(a, b)``."""
    if np.ndim(b) == 0:
        return np.sum(y_bar * a)
    if np.ndim(a) == 0:
        return y_bar * a
    if np.ndim(b) == 1 or np.ndim(b) == 2:
        return matmul_right_bar(y_bar, a, b)
    return np.moveaxis(sum_of_outer(a, y_bar, np.ndim(a) - 1), 0, -2)


def inner_left_bar(y_bar: Any, a: Any, b: Any) -> Any:
    """Give the cotangent of `a` in ``np.inner(a, b)``."""
    if np.ndim(a) == 0:
        return np.sum(y_bar * b)
    if np.ndim(b) == 0 or (np.ndim(a) == 1 and np.ndim(b) == 1):
        return y_bar * b
    if np.ndim(a) == 2 and np.ndim(b) == 2:
        return y_bar @ b
    if np.ndim(a) == 2 and np.ndim(b) == 1:
        return np.outer(y_bar, b)
    return np.tensordot(y_bar, b, axes=np.ndim(b) - 1)


def inner_right_bar(y_bar: Any, a: Any, b: Any) -> Any:
    """Give the cotangent of `b` in ``np.inner(a, b)``."""
    if np.ndim(b) == 0:
        return np.sum(y_bar * a)
    if np.ndim(a) == 0 or (np.ndim(a) == 1 and np.ndim(b) == 1):
        return y_bar * a
    if np.ndim(a) == 2 and np.ndim(b) == 2:
        return y_bar.T @ a
    if np.ndim(a) == 2 and np.ndim(b) == 1:
        return y_bar @ a
    return sum_of_outer(y_bar, a, np.ndim(a) - 1)


def tensordot_axes(axes: Any, a_ndim: int, b_ndim: int) -> tuple[list[int], list[int]]:
    """Give the contracted axes of both operands of `np.tensordot`, counted from 0.

    Examples
    --------
    >>> tensordot_axes(2, 3, 2)
    ([1, 2], [0, 1])
    >>> tensordot_axes((-1, 0), 3, 2)
    ([2], [0])
    """
    if np.ndim(axes) == 0:
        return list(range(a_ndim - axes, a_ndim)), list(range(axes))
    a_axes = [axes[0]] if np.ndim(axes[0]) == 0 else axes[0]
    b_axes = [axes[1]] if np.ndim(axes[1]) == 0 else axes[1]
    return [int(i) % a_ndim for i in a_axes], [int(i) % b_ndim for i in b_axes]


def tensordot_left_bar(y_bar: Any, a: Any, b: Any, axes: Any = 2) -> Any:
    """Give the cotangent of `a` in ``np.tensordot(a, b, axes)``.

    `y_bar` is contracted with the free axes of `b`; what remains are the free axes of `a` and its
    contracted ones, in the order in which `b` has them.
    """
    a_axes, b_axes = tensordot_axes(axes, np.ndim(a), np.ndim(b))
    a_free = [i for i in range(np.ndim(a)) if i not in a_axes]
    b_free = [i for i in range(np.ndim(b)) if i not in b_axes]
    order = a_free + [a_axes[i] for i in np.argsort(b_axes)]
    summed = list(range(len(a_free), np.ndim(y_bar)))
    return np.transpose(np.tensordot(y_bar, b, axes=(summed, b_free)), np.argsort(order))


def tensordot_right_bar(y_bar: Any, a: Any, b: Any, axes: Any = 2) -> Any:
    """Give the cotangent of `b` in ``np.tensordot(a, b, axes)``."""
    a_axes, b_axes = tensordot_axes(axes, np.ndim(a), np.ndim(b))
    a_free = [i for i in range(np.ndim(a)) if i not in a_axes]
    b_free = [i for i in range(np.ndim(b)) if i not in b_axes]
    order = [b_axes[i] for i in np.argsort(a_axes)] + b_free
    summed = list(range(len(a_free)))
    return np.transpose(np.tensordot(a, y_bar, axes=(a_free, summed)), np.argsort(order))


def kron_left_bar(y_bar: Any, a: Any, b: Any) -> Any:
    """Give the cotangent of `a` in ``np.kron(a, b)``."""
    if np.ndim(a) == 0:
        return np.sum(y_bar * b)
    if np.ndim(b) == 0:
        return y_bar * b
    blocks, rank = kron_blocks(y_bar, a, b)
    full = np.reshape(b, (1,) * (rank - np.ndim(b)) + np.shape(b))
    summed = tuple(range(1, 2 * rank, 2))
    return np.reshape(np.tensordot(blocks, full, axes=(summed, tuple(range(rank)))), np.shape(a))


def kron_right_bar(y_bar: Any, a: Any, b: Any) -> Any:
    """Give the cotangent of `b` in ``np.kron(a, b)``."""
    if np.ndim(b) == 0:
        return np.sum(y_bar * a)
    if np.ndim(a) == 0:
        return y_bar * a
    blocks, rank = kron_blocks(y_bar, a, b)
    full = np.reshape(a, (1,) * (rank - np.ndim(a)) + np.shape(a))
    summed = tuple(range(0, 2 * rank, 2))
    return np.reshape(np.tensordot(blocks, full, axes=(summed, tuple(range(rank)))), np.shape(b))


def kron_blocks(y_bar: Any, a: Any, b: Any) -> tuple[Any, int]:
    """Split each axis of a Kronecker product into the axis of `a` and that of `b`."""
    rank = max(np.ndim(a), np.ndim(b))
    a_shape = (1,) * (rank - np.ndim(a)) + np.shape(a)
    b_shape = (1,) * (rank - np.ndim(b)) + np.shape(b)
    sizes = [n for pair in zip(a_shape, b_shape, strict=True) for n in pair]
    return np.reshape(y_bar, sizes), rank


@functools.lru_cache(maxsize=1024)
def einsum_labels(subscripts: str, ranks: tuple[int, ...]) -> tuple[tuple[str, ...], str]:
    """Spell out the subscripts of `np.einsum`: no blanks, no ellipsis, an explicit result.

    Examples
    --------
    >>> einsum_labels("ij, jk", (2, 2))
    (('ij', 'jk'), 'ik')
    >>> einsum_labels("...i,i->...", (3, 1))
    (('ABi', 'i'), 'AB')
    """
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    used = set(subscripts)
    spare = [c for c in string.ascii_uppercase + string.ascii_lowercase if c not in used]
    hidden = [
        rank - len(term) + 3 if "..." in term else 0
        for term, rank in zip(terms, ranks, strict=True)
    ]
    ellipsis = "".join(spare[: max(hidden)])
    spelled = tuple(
        term.replace("...", ellipsis[len(ellipsis) - count :])
        for term, count in zip(terms, hidden, strict=True)
    )
    if arrow:
        return spelled, output.replace("...", ellipsis)
    letters = inputs.replace(",", "").replace(".", "")
    once = [c for c in sorted(set(letters)) if letters.count(c) == 1]
    return spelled, ellipsis + "".join(once)


@functools.lru_cache(maxsize=1024)
def einsum_transposed(subscripts: str, ranks: tuple[int, ...], i: int) -> tuple[str, str, str]:
    """Give the subscripts of the einsum that computes the cotangent of operand `i`.

    Returns
    -------
    The subscripts, which take the cotangent of the result first and the other operands after it;
    the labels of what they compute; the labels of the operand.

    Examples
    --------
    >>> einsum_transposed("ij,jk->ik", (2, 2), 0)
    ('ik,jk->ij', 'ij', 'ij')
    >>> einsum_transposed("ii->", (2,), 0)
    ('->', '', 'ii')
    """
    terms, output = einsum_labels(subscripts, ranks)
    given = [output, *terms[:i], *terms[i + 1 :]]
    found = "".join(c for c in dict.fromkeys(terms[i]) if any(c in term for term in given))
    return ",".join(given) + "->" + found, found, terms[i]


def einsum_bar(y_bar: Any, subscripts: str, operands: tuple[Any, ...], i: int) -> Any:
    """Give the cotangent of ``operands[i]`` in ``np.einsum(subscripts, *operands)``.

    It is the einsum of the cotangent with the other operands. A label that only this operand has
    was summed, so its cotangent is spread; a label that it has twice selects a diagonal, so its
    cotangent is put there. An axis of length 1 stretches to the others' length, in both directions.

    Examples
    --------
    >>> a, b = np.ones((2, 3)), np.ones((3, 4))
    >>> einsum_bar(np.ones((2, 4)), "ij,jk->ik", (a, b), 0)
    array([[4., 4., 4.],
           [4., 4., 4.]])
    """
    a = operands[i]
    others = operands[:i] + operands[i + 1 :]
    ranks = tuple(np.ndim(operand) for operand in operands)
    transposed, found, labels = einsum_transposed(subscripts, ranks, i)
    g = np.einsum(transposed, y_bar, *others)
    if found == labels and np.shape(g) == np.shape(a):
        return g
    sizes = dict(zip(labels, np.shape(a), strict=True))
    stretched = tuple(k for k, c in enumerate(found) if sizes[c] == 1 and np.shape(g)[k] != 1)
    g = np.sum(g, axis=stretched, keepdims=True)
    distinct = "".join(dict.fromkeys(labels))
    missing = tuple(k for k, c in enumerate(distinct) if c not in found)
    g = np.broadcast_to(np.expand_dims(g, missing), tuple(sizes[c] for c in distinct))
    if distinct == labels:
        return g
    return spread_on_diagonal(g, distinct, labels, sizes)


def spread_on_diagonal(g: Any, distinct: str, labels: str, sizes: dict[str, int]) -> Any:
    """Put `g`, whose axes are `distinct`, where repeated `labels` agree; elsewhere 0."""
    spare = iter(c for c in string.ascii_letters if c not in labels)
    seen: set[str] = set()
    result, terms, eyes = "", [distinct], []
    for c in labels:
        if c in seen:
            other = next(spare)
            terms.append(c + other)
            eyes.append(np.eye(sizes[c], dtype=np.result_type(g)))
            result += other
        else:
            seen.add(c)
            result += c
    return np.einsum(",".join(terms) + "->" + result, g, *eyes)


def cross_bar(y_bar: Any, other: Any, x: Any, x_axis: int, other_axis: int, y_axis: int) -> Any:
    """Give the cotangent of `x` in ``np.cross(x, other)``: ``other`` x ``y_bar``.

    The vectors lie along the axes given, as in `np.cross`; its other operand has the negative.
    """
    moved = np.moveaxis(x, x_axis, -1)
    g = np.cross(other, y_bar, axisa=other_axis, axisb=y_axis, axisc=-1)
    return np.moveaxis(unbroadcast(g, moved), -1, x_axis)


def multi_dot_bars(y_bar: Any, arrays: Any) -> list[Any]:
    """Give the cotangents of the arrays in ``np.linalg.multi_dot(arrays)``.

    Each is the product of the transposes of what stands to the left, of `y_bar`, and of the
    transposes of what stands to the right, in the cheapest order.
    """
    last = len(arrays) - 1
    first_shape = np.shape(np.atleast_2d(arrays[0]))
    last_shape = np.shape(arrays[last]) if np.ndim(arrays[last]) == 2 else (-1, 1)
    matrices = [
        np.reshape(arrays[0], first_shape),
        *arrays[1:last],
        np.reshape(arrays[last], last_shape),
    ]
    flipped = [np.transpose(matrix) for matrix in matrices]
    rows = np.reshape(y_bar, (matrices[0].shape[0], matrices[last].shape[1]))
    return [
        np.reshape(
            np.linalg.multi_dot([*flipped[:i][::-1], rows, *flipped[i + 1 :][::-1]]),
            np.shape(arrays[i]),
        )
        for i in range(len(arrays))
    ]


def power_in_base(x: Any, n: Any) -> Any:
    """Differentiate ``x ** n`` in `x`: zero for the exponent 0, also where `x` is 0.

    Examples
    --------
    >>> power_in_base(3.0, 2)
    6.0
    >>> power_in_base(np.zeros(3), np.array([0.0, 1.0, 2.0]))
    array([0., 1., 0.])
    """
    if isinstance(n, (int, float)) and n == 2:
        return 2.0 * x
    if isinstance(n, (int, float)) and n == 1:
        return 1.0
    if isinstance(n, (int, float)) and n == 0:
        return 0.0
    if isinstance(n, (int, float)) and n == -1:
        return -1.0 / x**2
    if isinstance(n, (int, float)) and n == 0.5:
        return 0.5 / np.sqrt(x)
    if isinstance(n, (int, float)) and 0 < n < 1:
        return n * np.power(x, n - 1.0)
    if isinstance(n, (int, float)):
        return float(n) * x ** (n - 1)
    return n * np.power(1.0 * x, np.where(n == 0, 0, n - 1))


def power_in_exponent(y: Any, x: Any) -> Any:
    """Differentiate ``y = x ** n`` in `n`: zero where the base is not positive.

    Examples
    --------
    >>> power_in_exponent(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    array([0., 0.])
    """
    if isinstance(x, (int, float)) and x > 0:
        return y * math.log(x)
    if isinstance(x, (int, float)):
        return 0.0
    if np.iscomplexobj(x):
        return y * np.log(np.where(x == 0, 1.0, x))
    return np.where(x > 0, y, 0.0) * np.log(np.where(x > 0, x, 1.0))


def share_of_extremum(y: Any, x1: Any, x2: Any) -> Any:
    """Tell which part of `y`, the greater or lesser of `x1` and `x2`, is that of `x1`.

    Returns
    -------
    1 where `y` is `x1` alone, 0.5 where the two are equal, 0 elsewhere; in the dtype of `y`.

    Examples
    --------
    >>> x = np.array([1.0, 2.0, 3.0])
    >>> share_of_extremum(np.maximum(x, 2.0), x, 2.0)
    array([0. , 0.5, 1. ])
    """
    return np.divide(y == x1, 1 + (x1 == x2), dtype=np.result_type(y))


def share_of_maximum(y: Any, x1: Any, x2: Any) -> Any:
    """Tell which part of ``y = maximum(x1, x2)`` is that of `x1`; a step function for ``x2 = 0``.

    Examples
    --------
    >>> share_of_maximum(np.array([0.0, 1.0]), np.array([-1.0, 1.0]), 0.0)
    array([0., 1.])
    """
    if isinstance(x2, (int, float)) and x2 == 0:
        return np.heaviside(x1, 0.5)
    return share_of_extremum(y, x1, x2)


def clip_interior(x: Any, lower: Any, upper: Any) -> Any:
    """Tell where `clip` returns `x` itself, strictly between the limits.

    Examples
    --------
    >>> clip_interior(np.array([0.0, 1.0, 2.0]), 0.0, 2.0)
    array([False,  True, False])
    """
    if lower is None and upper is None:
        return 1.0
    if lower is None:
        return x < upper
    if upper is None:
        return x > lower
    return (x > lower) & (x < upper)


def clip_at_lower(x: Any, lower: Any, upper: Any) -> Any:
    """Tell where `clip` returns its lower limit.

    Examples
    --------
    >>> clip_at_lower(np.array([0.0, 1.0, 2.0]), 1.0, None)
    array([ True,  True, False])
    """
    if lower is None:
        return 0.0
    if upper is None:
        return x <= lower
    return (x <= lower) & (lower < upper)


def clip_at_upper(x: Any, lower: Any, upper: Any) -> Any:
    """Tell where `clip` returns its upper limit, which wins where the limits cross.

    Examples
    --------
    >>> clip_at_upper(np.array([0.0, 1.0, 2.0]), None, 1.0)
    array([False,  True,  True])
    """
    if upper is None:
        return 0.0
    if lower is None:
        return x >= upper
    return (x >= upper) | (lower >= upper)


def sinc_slope(y: Any, x: Any) -> Any:
    """Differentiate ``y = np.sinc(x)``; by its power series near 0, where the quotient cancels.

    Examples
    --------
    >>> float(sinc_slope(np.sinc(1.0), 1.0))
    -1.0
    """
    near = np.abs(x) < 0.1
    s = np.where(near, x, 0.0)
    u = (np.pi * s) ** 2
    series = -1 / 3 + u * (
        1 / 30 + u * (-1 / 840 + u * (1 / 45360 + u * (-1 / 3991680 + u / 518918400)))
    )
    quotient = (np.cos(np.pi * x) - y) / np.where(near, 1.0, x)
    return np.where(near, np.pi**2 * s * series, quotient)


def bessel_i1(x: Any) -> Any:
    """Compute the modified Bessel function of order one, the derivative of `np.i0`.

    The mean of ``sinh(x * cos(t)) * cos(t)`` over a quarter period is taken at equally spaced
    points, which for a periodic analytic function is exact up to rounding.

    Examples
    --------
    >>> round(float(bessel_i1(1.0)), 12)
    0.565159103992
    """
    angles = (np.arange(64) + 0.5) * (math.pi / 128)
    cosines = np.cos(angles).astype(np.result_type(x, 0.0))
    return np.mean(np.sinh(np.expand_dims(x, -1) * cosines) * cosines, axis=-1)


_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def polygamma(n: int, x: float) -> float:
    """Compute the derivative of order ``n + 1`` of the logarithm of the gamma function.

    Examples
    --------
    >>> round(polygamma(0, 1.0), 12)
    -0.577215664902
    >>> round(polygamma(1, 1.0), 12)
    1.644934066848
    """
    if n == 0 and x < 0:
        return polygamma(0, 1.0 - x) - math.pi / math.tan(math.pi * x)
    sign = -1.0 if n % 2 == 0 else 1.0
    shifted = 0.0
    while x < 20 + n:
        shifted += sign * math.factorial(n) / x ** (n + 1)
        x += 1.0
    if n == 0:
        tail = math.log(x) - 0.5 / x
    else:
        tail = sign * (math.factorial(n - 1) / x**n + 0.5 * math.factorial(n) / x ** (n + 1))
    for k, bernoulli in enumerate(_BERNOULLI, start=1):
        rising = math.factorial(2 * k + n - 1) / math.factorial(2 * k)
        tail += sign * bernoulli * rising / x ** (2 * k + n)
    return shifted + tail


def cast(g: Any, dtype: Any) -> Any:
    """Give the cotangent `g` the dtype of the argument that it belongs to.

    Examples
    --------
    >>> cast(np.array([1.0, 2.0]), np.float32)
    array([1., 2.], dtype=float32)
    """
    if np.iscomplexobj(g) and np.dtype(dtype).kind != "c":
        return np.real(g).astype(dtype)
    return np.asarray(g).astype(dtype)


def if_inexact(g: Any, dtype: Any) -> Any:
    """Give `g`, or zeros where it belongs to a value of an integer dtype, which jumps.

    Examples
    --------
    >>> if_inexact(2.0, np.float32), if_inexact(2.0, np.int64)
    (2.0, 0.0)
    """
    return g if np.issubdtype(dtype, np.inexact) else 0.0 * g


def array_bar(g: Any, x: Any) -> Any:
    """Turn the cotangent of ``np.array(x)`` into that of `x`, in the dtype and structure of `x`.

    Examples
    --------
    >>> array_bar(np.array([[1.0, 2.0], [3.0, 4.0]]), [[0.0, 0.0], np.zeros(2)])
    [[1.0, 2.0], array([3., 4.])]
    """
    if isinstance(x, np.ndarray):
        return np.reshape(cast(g, x.dtype), x.shape)
    if isinstance(x, (list, tuple)):
        return [array_bar(g[i], item) for i, item in enumerate(x)]
    return cast(g, np.result_type(x)).item()


def array_dot(x_dot: Any, y: Any) -> Any:
    """Give the tangent of ``y = np.array(x)``, in the dtype and shape of `y`.

    Examples
    --------
    >>> array_dot([[1.0, 2], (3, 4.0)], np.zeros((2, 2), np.float32))
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    if np.issubdtype(y.dtype, np.inexact):
        return np.reshape(cast(np.array(x_dot), y.dtype), y.shape)
    return np.zeros(y.shape)


def interval_bar(g: Any, weights: Any, end: Any, axis: int = 0) -> Any:
    """Give the cotangent of one end of ``np.linspace``, whose points give it `weights`.

    Examples
    --------
    >>> float(interval_bar(np.ones(3), np.array([0.0, 0.5, 1.0]), 2.0))
    1.5
    """
    weighted = np.tensordot(np.moveaxis(g, axis, -1), cast(weights, g.dtype), 1)
    return unbroadcast(weighted, end)


def meshgrid_bar(bars: tuple[Any, ...], xs: tuple[Any, ...], indexing: str = "xy") -> list[Any]:
    """Give the cotangents of the arguments of ``np.meshgrid``, one sum over each grid.

    Examples
    --------
    >>> meshgrid_bar((np.ones((3, 2)), np.ones((3, 2))), (np.zeros(2), np.zeros(3)))
    [array([3., 3.]), array([2., 2., 2.])]
    """
    axes = list(range(len(xs)))
    if indexing == "xy" and len(xs) > 1:
        axes[:2] = 1, 0
    return [
        np.reshape(np.sum(g, axis=tuple(i for i in range(len(xs)) if i != axis)), np.shape(x))
        for g, x, axis in zip(bars, xs, axes, strict=True)
    ]


def cotangents_of_sum(g: Any, xs: Any) -> Any:
    """Share out the cotangent of ``sum(xs)`` over the items of `xs`.

    Examples
    --------
    >>> cotangents_of_sum(2.0, [1.0, 3.0])
    [2.0, 2.0]
    """
    if isinstance(xs, np.ndarray):
        return np.broadcast_to(g, np.shape(xs))
    return [unbroadcast(g, x) for x in xs]


def at_item(g: Any, i: int, xs: Any) -> Any:
    """Give the cotangents of the sequence `xs` whose item `i` alone was selected.

    Examples
    --------
    >>> at_item(2.0, 1, [5.0, 7.0])
    [0.0, 2.0]
    """
    if isinstance(xs, np.ndarray):
        return np.where(np.arange(len(xs)) == i, g, np.zeros_like(xs))
    return [g if k == i else 0.0 for k in range(len(xs))]


# Shapes


def transpose(a: Any) -> Any:
    """Swap the last two axes: the transpose of a matrix, or of each of a stack of matrices."""
    if np.ndim(a) == 2:
        return a.T
    return np.swapaxes(a, -1, -2)


def inverse_axes(axes: Any) -> Any:
    """Give the permutation of axes that undoes ``np.transpose(x, axes)``.

    Examples
    --------
    >>> inverse_axes((1, -1, 0))
    (2, 0, 1)
    """
    order = normalize_axis_tuple(axes, len(axes))
    return tuple(order.index(i) for i in range(len(order)))


def put_at(g: Any, index: Any, shape: tuple[int, ...]) -> Any:
    """Write `g` at the flat places `index`, all different, of zeros.

    Examples
    --------
    >>> put_at(np.array([1.0, 2.0]), np.array([3, 0]), (2, 2))
    array([[2., 0.],
           [0., 1.]])
    """
    spread = np.zeros(math.prod(shape), dtype=np.result_type(g))
    spread[np.ravel(index)] = np.ravel(g)
    return np.reshape(spread, shape)


def add_at(g: Any, index: Any, shape: tuple[int, ...]) -> Any:
    """Add up `g` at the flat places `index`, which may repeat, of zeros.

    Examples
    --------
    >>> add_at(np.array([1.0, 2.0, 3.0]), np.array([1, 0, 1]), (3,))
    array([2., 4., 0.])
    """
    spread = np.zeros(math.prod(shape), dtype=np.result_type(g))
    np.add.at(spread, np.ravel(index), np.ravel(g))
    return np.reshape(spread, shape)


def flat_places(shape: tuple[int, ...]) -> Any:
    """Number the entries of an array of this shape, in the order of its ravel.

    Examples
    --------
    >>> flat_places((2, 2))
    array([[0, 1],
           [2, 3]])
    """
    return np.reshape(np.arange(math.prod(shape)), shape)


def shapes_of(arrays: Any) -> list[tuple[int, ...]]:
    """Give the shape of each array of a sequence."""
    return [np.shape(x) for x in arrays]


def split_like(g: Any, shapes: Any, sizes: Any, axis: int) -> list[Any]:
    """Cut `g` along `axis` into pieces of the given sizes, and give each its shape.

    Examples
    --------
    >>> split_like(np.arange(3.0), [(2,), ()], [2, 1], 0)
    [array([0., 1.]), array(2.)]
    """
    pieces = np.split(g, np.cumsum(sizes)[:-1], axis=axis)
    return [np.reshape(piece, shape) for piece, shape in zip(pieces, shapes, strict=True)]


def concatenate_bars(y_bar: Any, shapes: Any, axis: Any = 0) -> list[Any]:
    """Give the cotangents of the arrays in ``np.concatenate(arrays, axis)``."""
    if axis is None:
        return split_like(y_bar, shapes, [math.prod(shape) for shape in shapes], 0)
    return split_like(y_bar, shapes, [shape[axis] for shape in shapes], axis)


def stack_bars(y_bar: Any, axis: int = 0) -> list[Any]:
    """Give the cotangents of the arrays in ``np.stack(arrays, axis)``."""
    return list(np.moveaxis(y_bar, axis, 0))


def vstack_bars(y_bar: Any, shapes: Any) -> list[Any]:
    """Give the cotangents of the arrays in ``np.vstack(arrays)``."""
    return split_like(y_bar, shapes, [s[0] if len(s) > 1 else 1 for s in shapes], 0)


def hstack_bars(y_bar: Any, shapes: Any) -> list[Any]:
    """Give the cotangents of the arrays in ``np.hstack(arrays)``."""
    axis = 0 if np.ndim(y_bar) == 1 else 1
    return split_like(y_bar, shapes, [s[axis] if len(s) > 0 else 1 for s in shapes], axis)


def dstack_bars(y_bar: Any, shapes: Any) -> list[Any]:
    """Give the cotangents of the arrays in ``np.dstack(arrays)``."""
    return split_like(y_bar, shapes, [s[2] if len(s) > 2 else 1 for s in shapes], 2)


def column_stack_bars(y_bar: Any, shapes: Any) -> list[Any]:
    """Give the cotangents of the arrays in ``np.column_stack(arrays)``."""
    return split_like(y_bar, shapes, [s[1] if len(s) > 1 else 1 for s in shapes], 1)


def crop(g: Any, pad_width: Any, shape: tuple[int, ...]) -> Any:
    """Cut away what `np.pad` has put around an array of this shape.

    Examples
    --------
    >>> crop(np.arange(5.0), (2, 1), (2,))
    array([2., 3.])
    """
    widths = np.broadcast_to(pad_width, (len(shape), 2))
    return g[tuple(slice(start, start + n) for (start, _), n in zip(widths, shape, strict=True))]


def tile_bar(y_bar: Any, shape: tuple[int, ...], reps: Any) -> Any:
    """Give the cotangent of an array of this shape in ``np.tile(array, reps)``."""
    counts = (reps,) if np.ndim(reps) == 0 else tuple(reps)
    rank = max(len(counts), len(shape))
    counts = (1,) * (rank - len(counts)) + counts
    sizes = (1,) * (rank - len(shape)) + shape
    blocks = [n for pair in zip(counts, sizes, strict=True) for n in pair]
    summed = tuple(range(0, 2 * rank, 2))
    return np.reshape(np.sum(np.reshape(y_bar, blocks), axis=summed), shape)


def repeat_bar(y_bar: Any, shape: tuple[int, ...], repeats: Any, axis: Any = None) -> Any:
    """Give the cotangent of an array of this shape in ``np.repeat(array, repeats, axis)``."""
    if isinstance(repeats, int) and axis is None:
        return np.reshape(np.sum(np.reshape(y_bar, (math.prod(shape), repeats)), axis=1), shape)
    return add_at(y_bar, np.repeat(flat_places(shape), repeats, axis=axis), shape)


def diagonal_bar(
    y_bar: Any, shape: tuple[int, ...], offset: int = 0, axis1: int = 0, axis2: int = 1
) -> Any:
    """Give the cotangent of an array of this shape in ``np.diagonal(array, offset, ...)``.

    Examples
    --------
    >>> diagonal_bar(np.array([1.0, 2.0]), (2, 3), 1)
    array([[0., 1., 0.],
           [0., 0., 2.]])
    """
    return put_at(y_bar, np.diagonal(flat_places(shape), offset, axis1, axis2), shape)


def trace_bar(
    y_bar: Any, shape: tuple[int, ...], offset: int = 0, axis1: int = 0, axis2: int = 1
) -> Any:
    """Give the cotangent of an array of this shape in ``np.trace(array, offset, ...)``."""
    eye = np.eye(shape[axis1], shape[axis2], offset, dtype=np.result_type(y_bar))
    if len(shape) == 2 and axis1 == 0 and axis2 == 1:
        return y_bar * eye
    axes = normalize_axis_tuple((axis1, axis2), len(shape))
    return np.moveaxis(np.expand_dims(y_bar, (-2, -1)) * eye, (-2, -1), axes)


def split_bar(y_bars: Any, shape: tuple[int, ...], indices_or_sections: Any, axis: int) -> Any:
    """Give the cotangent of an array of this shape in ``np.split(array, ...)``.

    The pieces' cotangents are joined; or added up, where the places to split at do not increase,
    so that the pieces overlap.
    """
    if isinstance(indices_or_sections, int):
        return np.concatenate(y_bars, axis=axis)
    joined = np.concatenate(y_bars, axis=axis)
    if np.shape(joined) == shape:
        return joined
    places = np.array_split(flat_places(shape), indices_or_sections, axis=axis)
    return add_at(joined, np.concatenate(places, axis=axis), shape)


def join_like(pieces: Any, shape: tuple[int, ...], sizes: Any, axis: int) -> Any:
    """Join pieces along `axis` to one array of this shape: the transpose of `split_like`."""
    before, after = shape[:axis], shape[axis:][1:]
    return np.concatenate(
        [np.reshape(piece, (*before, n, *after)) for piece, n in zip(pieces, sizes, strict=True)],
        axis=axis,
    )


# Selection


def choice_bars(y_bar: Any, chosen: Any, choices: Any) -> Any:
    """Give each choice the cotangents of the entries where `chosen` is its number."""
    bars = [
        unbroadcast(np.where(chosen == i, y_bar, 0.0), choice) for i, choice in enumerate(choices)
    ]
    if isinstance(choices, np.ndarray):
        return np.stack(bars)
    return bars


def interp_cell(x: Any, xp: Any) -> tuple[Any, Any, Any]:
    """Find where `np.interp` looks: the number of the cell, the place in it, and if x is inside.

    Examples
    --------
    >>> interp_cell(np.array([0.5, 3.0]), np.array([0.0, 1.0, 2.0]))
    (array([0, 1]), array([0.5, 2. ]), array([ True, False]))
    """
    points = np.asarray(xp)
    cell = np.clip(np.searchsorted(points, x, side="right") - 1, 0, len(points) - 2)
    inside = (x >= points[0]) & (x <= points[-1])
    return cell, (x - points[cell]) / (points[cell + 1] - points[cell]), inside


def interp_slope(x: Any, xp: Any, fp: Any) -> Any:
    """Give the derivative of ``np.interp(x, xp, fp)`` in `x`: 0 outside the points.

    Examples
    --------
    >>> interp_slope(np.array([0.5, 3.0]), np.array([0.0, 1.0, 2.0]), np.array([0.0, 4.0, 5.0]))
    array([4., 0.])
    """
    points, values = np.asarray(xp), np.asarray(fp)
    cell, _, inside = interp_cell(x, points)
    rise = values[cell + 1] - values[cell]
    return np.where(inside, rise / (points[cell + 1] - points[cell]), 0.0)


def interp_spread(g: Any, x: Any, xp: Any) -> Any:
    """Share `g` between the two points around each `x`: what lies outside is left out."""
    cell, place, inside = interp_cell(x, xp)
    kept = np.where(inside, g, 0.0)
    return add_at(kept * (1.0 - place), cell, np.shape(xp)) + add_at(
        kept * place, cell + 1, np.shape(xp)
    )


def interp_fp_bar(y_bar: Any, x: Any, xp: Any, left: Any, right: Any) -> Any:
    """Give the cotangent of `fp` in ``np.interp(x, xp, fp, left, right)``."""
    fp_bar = interp_spread(y_bar, x, xp)
    if left is None:
        below = np.sum(np.where(x < xp[0], y_bar, 0.0))
        fp_bar = fp_bar + put_at(below, 0, np.shape(xp))
    if right is None:
        above = np.sum(np.where(x > xp[-1], y_bar, 0.0))
        fp_bar = fp_bar + put_at(above, len(xp) - 1, np.shape(xp))
    return fp_bar


def pad_axis(g: Any, before: int, after: int, axis: int) -> Any:
    """Put zeros before and after along one axis.

    Examples
    --------
    >>> pad_axis(np.ones((1, 2)), 1, 0, 0)
    array([[0., 0.],
           [1., 1.]])
    """
    place = axis % np.ndim(g)
    widths = [(before, after) if i == place else (0, 0) for i in range(np.ndim(g))]
    return np.pad(g, widths)


def diff_bar(y_bar: Any, shape: tuple[int, ...], n: int = 1, axis: int = -1) -> Any:
    """Give the cotangent of an array of this shape in ``np.diff(array, n, axis)``.

    Examples
    --------
    >>> diff_bar(np.array([1.0, 2.0]), (3,))
    array([-1., -1.,  2.])
    """
    if shape[axis] <= n:
        return np.zeros(shape, dtype=np.result_type(y_bar))
    return (-1) ** n * np.diff(pad_axis(y_bar, n, n, axis), n, axis)


def gradient_bar(g: Any, h: Any, axis: int, edge_order: int = 1) -> Any:
    """Transpose `np.gradient` along one axis of spacing `h`.

    Inside, ``y[i] = (f[i + 1] - f[i - 1]) / (2 h)``; at the ends a one-sided difference of the
    first or second order.
    """
    rows = np.moveaxis(g, axis, 0) / h
    inner = 0.5 * rows[1:-1]
    first, last = rows[:1], rows[-1:]
    n = len(rows)
    if edge_order == 1:
        head = np.concatenate([-first, first])
        tail = np.concatenate([-last, last])
    else:
        head = np.concatenate([-1.5 * first, 2.0 * first, -0.5 * first])
        tail = np.concatenate([0.5 * last, -2.0 * last, 1.5 * last])
    ends = pad_axis(head, 0, n - len(head), 0) + pad_axis(tail, n - len(tail), 0, 0)
    return np.moveaxis(pad_axis(inner, 2, 0, 0) - pad_axis(inner, 0, 2, 0) + ends, 0, axis)


def trapezoid_y_bar(g: Any, y: Any, x: Any, dx: Any, axis: int) -> Any:
    """Give the cotangent of `y` in ``np.trapezoid(y, x, dx, axis)``."""
    steps = trapezoid_steps(x, dx, axis)
    shape = np.shape(np.moveaxis(y, axis, -1))
    halves = np.broadcast_to(
        0.5 * np.expand_dims(g, -1) * steps, (*shape[:-1], max(shape[-1] - 1, 0))
    )
    return np.moveaxis(pad_axis(halves, 1, 0, -1) + pad_axis(halves, 0, 1, -1), -1, axis)


def trapezoid_steps_bar(g: Any, y: Any, axis: int) -> Any:
    """Give the cotangents of the widths of the trapezoids: their mean heights, axis last."""
    heights = np.moveaxis(y, axis, -1)
    return 0.5 * np.expand_dims(g, -1) * (heights[..., 1:] + heights[..., :-1])


def trapezoid_x_bar(g: Any, y: Any, x: Any, axis: int) -> Any:
    """Give the cotangent of `x` in ``np.trapezoid(y, x, axis=axis)``."""
    steps_bar = trapezoid_steps_bar(g, y, axis)
    moved_bar = diff_bar(steps_bar, (*np.shape(steps_bar)[:-1], np.shape(steps_bar)[-1] + 1))
    if np.ndim(x) == 1:
        return sum_to_shape(moved_bar, np.shape(x))
    return unbroadcast(np.moveaxis(moved_bar, -1, axis), x)


def trapezoid_steps(x: Any, dx: Any, axis: int) -> Any:
    """Give the widths of the trapezoids, along the last axis."""
    if x is None:
        return dx
    if np.ndim(x) == 1:
        return np.diff(x)
    return np.moveaxis(np.diff(x, axis=axis), axis, -1)


def convolve_full_bar(y_bar: Any, n: int, m: int, mode: str = "full", flipped: bool = False) -> Any:
    """Fill up the cotangent of a convolution of lengths n and m to that of the full one."""
    if mode == "full":
        return y_bar
    short = min(n, m)
    before = short - 1 if mode == "valid" else (short - 1) // 2
    if mode == "same" and flipped:
        before = short // 2
    return np.pad(y_bar, (before, n + m - 1 - np.size(y_bar) - before))


# Linear algebra


def outer(a: Any, b: Any) -> Any:
    """Multiply every entry of the last axis of `a` with every one of `b`, for each of a stack."""
    if np.ndim(a) == 1 and np.ndim(b) == 1:
        return np.outer(a, b)
    return a[..., :, None] * b[..., None, :]


def symmetric(a: Any) -> Any:
    """Give the mean of a matrix and its transpose."""
    return 0.5 * (a + transpose(a))


def half_tril(a: Any) -> Any:
    """Give the lower triangle with half of the diagonal.

    Examples
    --------
    >>> half_tril(np.full((2, 2), 4.0))
    array([[2., 0.],
           [4., 2.]])
    """
    return 0.5 * (np.tril(a) + np.tril(a, -1))


def solve_right(a: Any, b: Any) -> Any:
    """Solve ``x @ a == b`` for `x`.

    Examples
    --------
    >>> solve_right(np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([[2.0, 8.0]]))
    array([[1., 2.]])
    """
    return transpose(np.linalg.solve(transpose(a), transpose(b)))


def cofactors(a: Any, determinant: Any) -> Any:
    """Give the partials of the determinant: its product with the transposed inverse.

    Where the matrix is singular, or nearly so, they come from the singular values, without
    dividing: ``det(u) det(vh) u diag(d) vh``, where d holds the products of the others.
    """
    if np.all(determinant != 0):
        inverse = np.linalg.inv(a)
        reach = np.sum(np.abs(a), axis=(-2, -1)) * np.sum(np.abs(inverse), axis=(-2, -1))
        if np.all(reach < 1e10):
            return np.expand_dims(determinant, (-2, -1)) * transpose(inverse)
    u, s, vh = np.linalg.svd(a)
    turn = np.expand_dims(np.linalg.det(u) * np.linalg.det(vh), (-2, -1))
    return turn * conjugate(u * np.expand_dims(product_of_others(s, -1), -2) @ vh)


def matrix_power_change(a: Any, change: Any, n: int) -> Any:
    """Apply the derivative of ``np.linalg.matrix_power(a, n)`` to a change of `a`.

    The power of the block matrix ``[[a, change], [0, a]]`` has it in its upper right block (Higham
    2008, Functions of Matrices, theorem 3.6), at the cost of one power of twice the size.
    """
    upper = np.concatenate([a, change], axis=-1)
    lower = np.concatenate([np.zeros_like(a), a], axis=-1)
    power = np.linalg.matrix_power(np.concatenate([upper, lower], axis=-2), n)
    size = np.shape(a)[-1]
    return power[..., :size, size:]


def over_gaps(m: Any, w: Any) -> Any:
    """Divide ``m[i, j]`` by ``w[j] - w[i]``, with 0 on the diagonal and for 0 / 0.

    Examples
    --------
    >>> over_gaps(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 2.0]))
    array([[ 0.,  2.],
           [-3.,  0.]])
    """
    gaps = np.expand_dims(w, -2) - np.expand_dims(w, -1)
    mute = np.eye(np.shape(w)[-1], dtype=bool) | ((gaps == 0) & (m == 0))
    return np.where(mute, 0.0, m / np.where(mute, 1.0, gaps))


def svd_bar(u_bar: Any, s_bar: Any, vh_bar: Any, u: Any, s: Any, vh: Any) -> Any:
    """Give the cotangent of `a` in the reduced ``u, s, vh = np.linalg.svd(a)``.

    Rotations within the singular vectors turn with ``1 / (s[j]**2 - s[i]**2)``; what leaves the
    space that they span, for an oblong matrix, with ``1 / s``.
    """
    row, column, v_bar = np.expand_dims(s, -2), np.expand_dims(s, -1), transpose(vh_bar)
    left = transpose(u) @ u_bar
    right = vh @ v_bar
    inner = over_gaps(left - transpose(left), s * s) * row
    inner = inner + column * over_gaps(right - transpose(right), s * s)
    a_bar = (u * np.expand_dims(s_bar, -2) + u @ inner) @ vh
    if np.shape(u)[-2] > np.shape(u)[-1]:
        a_bar = a_bar + ((u_bar - u @ left) / row) @ vh
    if np.shape(vh)[-1] > np.shape(vh)[-2]:
        a_bar = a_bar + u @ transpose((v_bar - transpose(vh) @ right) / row)
    return a_bar


def svd_dot(a_dot: Any, u: Any, s: Any, vh: Any) -> tuple[Any, Any, Any]:
    """Apply the derivative of the reduced ``u, s, vh = np.linalg.svd(a)``."""
    row, column, v = np.expand_dims(s, -2), np.expand_dims(s, -1), transpose(vh)
    inner = transpose(u) @ a_dot @ v
    flipped = transpose(inner)
    u_dot = u @ over_gaps(inner * row + column * flipped, s * s)
    v_dot = v @ over_gaps(column * inner + flipped * row, s * s)
    if np.shape(u)[-2] > np.shape(u)[-1]:
        u_dot = u_dot + (a_dot @ v - u @ inner) / row
    if np.shape(vh)[-1] > np.shape(vh)[-2]:
        v_dot = v_dot + (transpose(a_dot) @ u - v @ flipped) / row
    return u_dot, np.diagonal(inner, axis1=-2, axis2=-1), transpose(v_dot)


def norm_slope(x: Any, y: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Give the partials of ``y = np.linalg.norm(x, ord, axis)``, 0 where all entries are 0.

    Examples
    --------
    >>> norm_slope(np.array([3.0, -4.0]), 7.0, 1)
    array([ 1., -1.])
    """
    full = expand_reduced(y, axis, keepdims)
    if ord is None or ord == "fro":
        return divide_or_zero(conjugate(x), full)
    if np.ndim(axis) == 1 and len(axis) == 2:
        return matrix_norm_slope(x, ord, axis)
    if axis is None and np.ndim(x) == 2:
        return matrix_norm_slope(x, ord, (0, 1))
    direction = conjugate(np.sign(x))
    if ord == 1:
        return direction
    if ord == 2:
        return divide_or_zero(conjugate(x), full)
    if ord == np.inf or ord == -np.inf:
        return share_ties(np.abs(x) == full, axis, full.dtype) * direction
    if ord == 0:
        return direction * 0.0
    return direction * divide_or_zero(np.abs(x), full) ** (ord - 1)


def matrix_norm_slope(x: Any, ord: Any, axis: tuple[int, int]) -> Any:
    """Give the partials of the norm `ord` of the matrices along the two axes."""
    if ord == "nuc" or ord == 2 or ord == -2:
        u, s, vh = np.linalg.svd(np.moveaxis(x, axis, (-2, -1)), full_matrices=False)
        if ord == "nuc":
            share = np.sign(s)
        else:
            extreme = s[..., :1] if ord == 2 else s[..., -1:]
            share = np.sign(s) * share_ties(s == extreme, -1, s.dtype)
        return np.moveaxis(conjugate(u * np.expand_dims(share, -2) @ vh), (-2, -1), axis)
    summed, compared = axis if ord == 1 or ord == -1 else (axis[1], axis[0])
    sums = np.sum(np.abs(x), axis=summed, keepdims=True)
    extreme = np.max(sums, axis=compared, keepdims=True)
    if ord < 0:
        extreme = np.min(sums, axis=compared, keepdims=True)
    return share_ties(sums == extreme, compared, sums.dtype) * conjugate(np.sign(x))


def powers_of(x: Any, n: int) -> Any:
    """Give the powers below `n` of each number, the highest first, in the dtype of `x`.

    Examples
    --------
    >>> powers_of(np.array([2.0, 3.0]), 3)
    array([[4., 2., 1.],
           [9., 3., 1.]])
    """
    powers = np.expand_dims(np.ravel(x), 1) ** np.arange(n - 1, -1, -1)
    return powers.astype(np.result_type(x))


def polynomial_slope(p: Any) -> Any:
    """Differentiate the polynomial with coefficients `p`, the highest power first.

    Examples
    --------
    >>> polynomial_slope(np.array([1.0, 5.0, 7.0]))
    array([2., 5.])
    """
    coefficients = np.asarray(p)
    return coefficients[:-1] * np.arange(len(p) - 1, 0, -1).astype(coefficients.dtype)


def median_share(a: Any, axis: Any = None) -> Any:
    """Give the partials of the median: one half each to the two entries in the middle.

    Examples
    --------
    >>> median_share(np.array([4.0, 1.0, 2.0, 9.0]))
    array([0.5, 0. , 0.5, 0. ])
    """
    axes = normalize_axis_tuple(range(np.ndim(a)) if axis is None else axis, np.ndim(a))
    kept = np.moveaxis(a, axes, tuple(range(-len(axes), 0)))
    size = reduced_size(np.shape(a), axes)
    rows = np.sort(np.reshape(kept, (*np.shape(kept)[: np.ndim(a) - len(axes)], size)), axis=-1)
    lower = np.expand_dims(rows[..., (size - 1) // 2], axes)
    upper = np.expand_dims(rows[..., size // 2], axes)
    dtype = np.result_type(a)
    return 0.5 * (share_ties(a == lower, axis, dtype) + share_ties(a == upper, axis, dtype))


# Adjoints of containers and of memory


class AdjointMemory:
    """One adjoint for each mutable thing, found by the thing itself.

    A view of an array gets the same view of the array's adjoint buffer. A list, dict or object
    gets a list, dict or record of the same shape whose slots start at 0.0. What an entry is for is
    kept alive with it, or its identity could come back for something else.

    Examples
    --------
    >>> bars, a = AdjointMemory(), np.zeros(4)
    >>> bars[a[1:]][0] += 2.0
    >>> bars[a]
    array([0., 2., 0., 0.])
    """

    def __init__(self) -> None:
        self.found: dict[int, tuple[Any, Any]] = {}
        self.kept: dict[int, tuple[Any, Any]] = {}
        self.recalled: dict[int, Any] = {}

    def __getitem__(self, x: Any) -> Any:
        """Give the adjoint of an array, list, dict or object."""
        if not isinstance(x, np.ndarray):
            if isinstance(x, (float, int, np.generic)):
                return 0.0
            if id(x) not in self.found:
                self.found[id(x)] = x, empty_shadow(x)
            return self.found[id(x)][1]
        owner = x
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        if id(owner) not in self.found:
            self.found[id(owner)] = owner, np.zeros_like(owner, subok=False)
        adjoint = self.found[id(owner)][1]
        if x is owner:
            return adjoint
        offset = x.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
        strides = adjoint.strides
        if owner.strides != strides:
            raise_layout(owner)
        return np.ndarray(x.shape, x.dtype, adjoint, offset, x.strides)

    def recall(self, x: Any) -> Any:
        """Give the adjoint of what an argument holds; 0.0 if it was never asked for.

        Raises
        ------
        GradientError
            If the same thing was recalled already: its adjoint cannot be told apart by place.
        """
        owner = x
        while isinstance(owner, np.ndarray) and isinstance(owner.base, np.ndarray):
            owner = owner.base
        if id(owner) not in self.found:
            return 0.0
        if id(x) in self.recalled:
            from tapeless.errors import GradientError

            raise GradientError(
                f"one {type(x).__name__} stands in two places of the arguments, and what reaches "
                "it cannot be told apart",
                fix="pass a copy in one of them",
            )
        self.recalled[id(x)] = x
        return self[x]

    def keep(self, x: Any) -> None:
        """Remember, once, what an array, list, dict or object outside the arguments holds."""
        if id(x) not in self.kept and not isinstance(x, (float, int, tuple)):
            held = x if hasattr(x, "copy") else vars(x)
            self.kept[id(x)] = x, held.copy()

    def put_back(self) -> None:
        """Give everything that was kept what it held."""
        for x, held in self.kept.values():
            if isinstance(x, (np.ndarray, list)):
                x[:] = held
            else:
                slots = x if isinstance(x, dict) else vars(x)
                slots.clear()
                slots.update(held)


def raise_layout(owner: Any) -> None:
    """Refuse an owner of memory whose adjoint cannot have the same layout."""
    from tapeless.errors import GradientError

    raise GradientError(
        f"an array of shape {owner.shape} with strides {owner.strides} is stored into",
        fix="copy it before storing into it",
    )


def check_layout(x: Any) -> None:
    """Refuse memory of which a view and a copy cannot be told apart by its adjoint's layout."""
    owner = x
    while isinstance(getattr(owner, "base", None), np.ndarray):
        owner = owner.base
    if isinstance(owner, np.ndarray) and not owner.flags.c_contiguous:
        raise_layout(owner)


class AdjointRecord:
    """The adjoints of an object's attributes; an attribute that nothing touched is 0.0."""

    def __getattr__(self, key: str) -> float:
        if key.startswith("__"):
            raise AttributeError(key)
        return 0.0


def empty_shadow(x: Any) -> Any:
    """Give the shadow of a list, dict or object, its slots untouched."""
    if isinstance(x, (list, tuple)):
        return [0.0] * len(x)
    if isinstance(x, dict):
        return dict.fromkeys(x, 0.0)
    return AdjointRecord()


def attributes_of(x: Any) -> dict[str, Any]:
    """Give the attributes of an object that can have adjoints; a Variable has its value."""
    return {"value": x.held} if isinstance(x, Variable) else vars(x)


def zeros(x: Any) -> Any:
    """Give the zero adjoint of a value: full arrays, containers of zeros, None for what has none.

    Examples
    --------
    >>> zeros({"w": np.ones(2), "n": 3, "b": 1.0})
    {'w': array([0., 0.]), 'n': 0.0, 'b': 0.0}
    """
    if isinstance(x, np.ndarray):
        return np.zeros_like(x) if x.dtype.kind in "fc" else None
    if isinstance(x, str) or x is None or callable(x):
        return None
    if isinstance(x, (int, float, complex, np.generic)):
        return 0.0
    if isinstance(x, (list, tuple)):
        return [zeros(item) for item in x]
    if isinstance(x, dict):
        return {key: zeros(item) for key, item in x.items()}
    if not hasattr(x, "__dict__"):
        return None
    record = AdjointRecord()
    for key, item in attributes_of(x).items():
        setattr(record, key, zeros(item))
    return record


def with_slots(shadow: Any, x: Any) -> Any:
    """Give the slots of a shadow that hold containers, and that nothing touched, their shadows."""
    if isinstance(x, (list, tuple)):
        for i, item in enumerate(x):
            if isinstance(item, (list, tuple, dict)) or hasattr(item, "__dict__"):
                shadow[i] = full(shadow[i], item)
    elif isinstance(x, dict):
        for key, item in x.items():
            if isinstance(item, (list, tuple, dict)) or hasattr(item, "__dict__"):
                shadow[key] = full(shadow.get(key, 0.0), item)
    else:
        for key, item in vars(x).items():
            if isinstance(item, (list, tuple, dict)) or hasattr(item, "__dict__"):
                setattr(shadow, key, full(getattr(shadow, key), item))
    return shadow


def full(g: Any, x: Any) -> Any:
    """Give a cotangent at the full shape of `x`: an untouched one is the literal 0.0."""
    if isinstance(g, float) and not isinstance(x, float):
        if isinstance(x, np.ndarray):
            return np.full(x.shape, g, x.dtype)
        if g == 0.0 and not isinstance(x, np.generic):
            return zeros(x)
    return g


def narrowed(y_bar: Any, g: Any) -> Any:
    """Give the cotangent of an adjoint `g` that `full` brought to its full shape."""
    if isinstance(y_bar, (list, tuple, dict)):
        return 0.0 if isinstance(g, float) else y_bar
    return unbroadcast(y_bar, g)


def add(a: Any, b: Any) -> Any:
    """Add two adjoints of one value, numbers or structures; neither is changed."""
    if isinstance(a, float) and a == 0.0 or a is None:
        return copied(b)
    if isinstance(b, float) and b == 0.0 or b is None:
        return a
    if isinstance(a, (list, tuple)):
        return [add(p, q) for p, q in zip(a, b, strict=True)]
    if isinstance(a, dict):
        return {key: add(a[key], b.get(key)) for key in a}
    if isinstance(a, AdjointRecord):
        made = copied(a)
        add_to(made, b)
        return made
    return a + b


def add_to(shadow: Any, g: Any) -> None:
    """Add a cotangent of the same structure to a list, dict, record or array in place."""
    if g is None or isinstance(g, float) and g == 0.0:
        return
    if isinstance(shadow, np.ndarray):
        shadow += g
    elif isinstance(shadow, list):
        for i, item in enumerate(g):
            shadow[i] = add(shadow[i], item)
    elif isinstance(shadow, dict):
        for key, item in g.items():
            shadow[key] = add(shadow.get(key, 0.0), item)
    elif isinstance(g, AdjointRecord):
        for key, item in vars(g).items():
            setattr(shadow, key, add(getattr(shadow, key), item))
    elif isinstance(shadow, float):
        from tapeless.errors import GradientError

        raise GradientError(
            "an attribute or item is a number here and may be an array elsewhere in the text",
            fix="annotate the parameters, or give like=",
        )
    else:  # of a Variable, which stood for its value
        shadow.value = add(shadow.value, g)


def add_to_items(bars: AdjointMemory, shadow: Any, items: Any, g: Any) -> None:
    """Add cotangents of the items of a list or dict: arrays have theirs in the adjoint memory."""
    places = items if isinstance(items, dict) else range(len(items))
    for place in places:
        if isinstance(items[place], (np.ndarray, list, dict)) or hasattr(items[place], "__dict__"):
            add_to(bars[items[place]], g[place])
        else:
            shadow[place] = add(shadow[place], g[place])


def values_of(xs: Any) -> Any:
    """Give a list or tuple with its Variables replaced by their values."""
    items = [x.value if isinstance(x, Variable) else x for x in xs]
    return items if isinstance(xs, list) else tuple(items)


def add_to_values(bars: AdjointMemory, shadow: Any, xs: Any, g: Any) -> None:
    """Add the cotangents of `values_of(xs)`: those of Variables are in the adjoint memory."""
    for i, x in enumerate(xs):
        if isinstance(x, Variable):
            add_to(bars[x], g[i])
        elif shadow is not None:
            shadow[i] = add(shadow[i], g[i])


def remember_items(bars: AdjointMemory, x: Any, g: Any, places: tuple[int, ...]) -> list[Any]:
    """Add cotangents of some items of a tuple to the adjoint memory; give those of the others."""
    for i in places:
        add_to(bars[x[i]], g[i])
    return [0.0 if i in places else item for i, item in enumerate(g)]


def recalled_items(bars: AdjointMemory, x: Any, g: Any, places: tuple[tuple[int, ...], ...]) -> Any:
    """Give the cotangents of the items of a tuple, those at some places from the adjoint memory.

    A place says by which indices an item is reached in nested tuples. What stands in two places, or
    is a view of what stands in another, is counted once: it is taken out of the memory.
    """
    if () in places:
        return taken_out(bars[x])
    if not places:
        return g
    made = []
    for i, item in enumerate(x):
        inside = tuple(place[1:] for place in places if place[0] == i)
        part = g[i] if isinstance(g, (list, tuple)) else 0.0
        made.append(recalled_items(bars, item, part, inside))
    return made


def taken_out(shadow: Any) -> Any:
    """Give a copy of an adjoint and leave zeros.

    Examples
    --------
    >>> a = np.ones(2)
    >>> taken_out(a), a
    (array([1., 1.]), array([0., 0.]))
    """
    made = copied(shadow)
    if isinstance(shadow, np.ndarray):
        shadow[...] = 0.0
    elif isinstance(shadow, (list, dict)):
        for key in range(len(shadow)) if isinstance(shadow, list) else shadow:
            shadow[key] = 0.0
    elif isinstance(shadow, AdjointRecord):
        for name in vars(shadow):
            setattr(shadow, name, 0.0)
    return made


def add_to_slice(shadow: Any, index: slice, g: Any) -> None:
    """Add cotangents to a slice of a list's shadow."""
    for i, item in zip(range(len(shadow))[index], g, strict=True):
        shadow[i] = add(shadow[i], item)


def copied(g: Any) -> Any:
    """Copy the containers of an adjoint; numbers and arrays are copied too."""
    if isinstance(g, np.ndarray):
        return g.copy()
    if isinstance(g, (list, tuple)):
        return [copied(item) for item in g]
    if isinstance(g, dict):
        return {key: copied(item) for key, item in g.items()}
    if isinstance(g, AdjointRecord):
        made = AdjointRecord()
        for key, item in vars(g).items():
            setattr(made, key, copied(item))
        return made
    return g


def fold_repeats(g: Any, n: int) -> Any:
    """Add up the cotangents of `items * count`, where `items` has `n` items."""
    made = [0.0] * n
    for i, item in enumerate(g):
        made[i % n] = add(made[i % n], item)
    return made


_ABSENT: Any = type("Absent", (), {"__repr__": lambda self: "ABSENT"})()


def slot(x: Any, key: Any) -> Any:
    """Give what a slot of a dict or object holds, or a mark that there is none."""
    if isinstance(x, dict):
        return x.get(key, _ABSENT)
    return x.__dict__.get(key, _ABSENT) if hasattr(x, "__dict__") else getattr(x, key, _ABSENT)


def set_slot(x: Any, key: Any, value: Any) -> None:
    """Put back what `slot` gave: a slot that was not there is taken away again."""
    if isinstance(x, dict):
        if value is _ABSENT:
            x.pop(key, None)
        else:
            x[key] = value
    elif value is _ABSENT:
        delattr(x, key)
    else:
        setattr(x, key, value)


def item_place(items: Any, i: int) -> int:
    """Give the index, counted from the start, of the item that `i` stands for."""
    return i if i >= 0 else len(items) + i


def insert_place(items: Any, i: int) -> int:
    """Give the index at which `items.insert(i, ...)` puts the new item."""
    return max(0, len(items) + i) if i < 0 else min(i, len(items))


def slice_place(items: Any, start: Any, stop: Any) -> int:
    """Give the index at which the items of a store into a slice start."""
    return slice(start, stop).indices(len(items))[0]


def shuffled_order(shuffle: Any, x: Any) -> Any:
    """Give the order into which `shuffle` puts the entries of an array along its first axis.

    The same draws are made as for the array itself.
    """
    order = np.arange(len(x))
    shuffle(order)
    return order


def flat_index(x: Any, index: Any) -> tuple[Any, ...]:
    """Give the index, one entry per dimension, that `x.flat[index]` stands for.

    Examples
    --------
    >>> x = np.zeros((2, 3))
    >>> [int(i) for i in flat_index(x, 4)]
    [1, 1]
    """
    return np.unravel_index(np.arange(np.size(x))[index], np.shape(x))


def zipped(rows: Any) -> list[Any]:
    """Give the columns of rows, as `list(zip(*rows))` does.

    Examples
    --------
    >>> zipped([[1, 2], [3, 4]])
    [(1, 3), (2, 4)]
    """
    count = shortest(rows)
    columns = []
    for i in range(count):
        column = []
        for row in rows:
            column.append(row[i])
        columns.append(tuple(column))
    return columns


def shortest(rows: Any) -> int:
    """Give the length of the shortest of some rows, 0 where there are none."""
    return min((len(row) for row in rows), default=0)


def sorted_items(items: Any, *, key: Any = None, reverse: bool = False) -> list[Any]:
    """Give the items in order, as `sorted` does.

    Examples
    --------
    >>> sorted_items([3.0, 1.0, 2.0], reverse=True)
    [3.0, 2.0, 1.0]
    """
    found = []
    for i in order_of(items, key, reverse):
        found.append(items[i])
    return found


def order_of(items: Any, key: Any = None, reverse: bool = False) -> list[int]:
    """Give the indices of items in their order."""
    keys = list(items) if key is None else [key(item) for item in items]
    return sorted(range(len(keys)), key=lambda i: keys[i], reverse=reverse)


def largest(items: Any, *, key: Any = None, default: Any = None) -> Any:
    """Give the item with the greatest key, as `max` of one argument does."""
    if len(items) == 0 and default is not None:
        return default
    return items[index_of_extreme(items, key, True)]


def smallest(items: Any, *, key: Any = None, default: Any = None) -> Any:
    """Give the item with the least key, as `min` of one argument does."""
    if len(items) == 0 and default is not None:
        return default
    return items[index_of_extreme(items, key, False)]


def index_of_extreme(items: Any, key: Any, greatest: bool) -> int:
    """Give the first index at which the key is greatest, or least."""
    keys = list(items) if key is None else [key(item) for item in items]
    return keys.index(max(keys) if greatest else min(keys))


def reduced(function: Any, items: Any, *initial: Any) -> Any:
    """Fold items into one value, as `functools.reduce` does.

    Examples
    --------
    >>> reduced(lambda a, b: 10 * a + b, [1, 2, 3])
    123
    """
    start = 0
    if len(initial) == 1:
        value = initial[0]
    else:
        value = items[0]
        start = 1
    for i in range(start, len(items)):
        value = function(value, items[i])
    return value


def last_writes(g: Any, index: Any) -> Any:
    """Give the cotangents of the items of a store: where indices repeat, the last one counts."""
    order = np.zeros(g.shape, dtype=np.intp)
    taken = g[index]
    places = np.arange(1, taken.size + 1).reshape(taken.shape)
    order[index] = places
    return np.where(order[index] == places, taken, 0.0)


def as_gradient(g: Any, x: Any, bars: AdjointMemory | None = None) -> Any:
    """Give an adjoint the structure, shapes and dtypes of its primal; nothing is shared.

    Parts without derivative (integers, strings, None) are None. What of `x` has its adjoint in the
    adjoint memory gets it from there.

    Examples
    --------
    >>> as_gradient({"w": 0.0}, {"w": np.ones(2), "n": 3})
    {'w': array([0., 0.]), 'n': None}
    """
    if bars is not None and not isinstance(x, Variable):
        g = add(g, bars.recall(x))
    if isinstance(x, np.ndarray):
        if x.dtype.kind not in "fc":
            return None
        made = np.empty_like(x, subok=False)
        made[...] = g if g is not None else 0.0
        return made
    if isinstance(x, Variable):
        g = g if bars is None else bars[x]
        return as_gradient(g.value if isinstance(g, AdjointRecord) else g, x.held)
    if isinstance(x, (bool, int, str, np.integer, np.bool_)) or x is None:
        return None
    if isinstance(x, np.generic):
        return x.dtype.type(0.0 if g is None else g)
    if isinstance(x, (float, complex)):
        return 0.0 if g is None else g
    untouched = g is None or isinstance(g, float)
    if isinstance(x, dict):
        slots = {k: as_gradient(None if untouched else g.get(k), v, bars) for k, v in x.items()}
        return slots if type(x) is dict else type(x)(slots)
    if isinstance(x, (list, tuple)):
        items = [as_gradient(None if untouched else g[i], v, bars) for i, v in enumerate(x)]
        return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
    if not hasattr(x, "__dict__") or isinstance(x, _SHARED):
        return None
    made = object.__new__(type(x))
    for key, item in vars(x).items():
        made.__dict__[key] = as_gradient(None if untouched else getattr(g, key), item, bars)
    return made


def fresh_stacks(saved: Any) -> Any:
    """Copy the stacks of a split derivative, so that a pullback can empty them."""
    made: dict[int, Any] = {}

    def copy(item: Any) -> Any:
        if type(item) is tuple:
            return tuple(copy(part) for part in item)
        if type(item) is not list:
            return item
        if id(item) not in made:
            made[id(item)] = [copy(part) for part in item]
        return made[id(item)]

    return copy(saved)


def private(value: Any) -> Any:
    """Copy a structure of arrays, containers and objects; what was shared stays shared in the copy.

    A view of an array becomes the same view of the copied array.

    Examples
    --------
    >>> a = np.zeros(3)
    >>> b, row = private((a, a[1:]))
    >>> row[0] = 5.0
    >>> b, a
    (array([0., 5., 0.]), array([0., 0., 0.]))
    """
    return _Copier().copy(value)


_SHARED = (
    type,
    np.ufunc,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.ModuleType,
)


def _slots(x: Any) -> dict[str, Any] | None:
    """Give what an object holds by attribute, in `__slots__` too; None for one without."""
    declared = [c.__dict__["__slots__"] for c in type(x).__mro__ if "__slots__" in c.__dict__]
    keys = [k for names in declared for k in ((names,) if isinstance(names, str) else names)]
    if not keys and not hasattr(x, "__dict__"):
        return None
    held = {key: getattr(x, key) for key in keys if key[:2] != "__" and hasattr(x, key)}
    return {**held, **getattr(x, "__dict__", {})}


class _Copier:
    def __init__(self) -> None:
        self.made: dict[int, tuple[Any, Any]] = {}

    def copy(self, x: Any) -> Any:
        if isinstance(x, np.ndarray):
            return self.array(x)
        if isinstance(x, tuple):
            items = [self.copy(item) for item in x]
            return type(x)(*items) if hasattr(x, "_fields") else tuple(items)
        if isinstance(x, Variable):
            return x
        if id(x) in self.made:
            return self.made[id(x)][1]
        if isinstance(x, list):
            made: Any = []
            self.made[id(x)] = x, made
            made.extend(self.copy(item) for item in x)
            return made
        if isinstance(x, dict):
            made = x.copy()
            self.made[id(x)] = x, made
            for key, item in x.items():
                made[key] = self.copy(item)
            return made
        slots = _slots(x)
        if slots is None or isinstance(x, _SHARED):
            return x
        if type(x).__module__ in ("numpy", "builtins"):
            return x
        made = object.__new__(type(x))
        self.made[id(x)] = x, made
        for key, item in slots.items():
            object.__setattr__(made, key, self.copy(item))
        return made

    def array(self, x: Any) -> Any:
        owner = x
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        if id(owner) not in self.made:
            self.made[id(owner)] = owner, np.array(owner, subok=False, order="K")
        made = self.made[id(owner)][1]
        if x is owner:
            return made
        if made.strides != owner.strides:
            return x.copy()
        offset = x.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
        return np.ndarray(x.shape, x.dtype, made, offset, x.strides)


def as_cotangent(g: Any, y: Any) -> Any:
    """Check a cotangent or tangent given for `y` and bring it to the form that sweeps use.

    Raises
    ------
    GradientError
        If its structure or shape is not that of `y`.
    """
    from tapeless.errors import GradientError

    if isinstance(y, (bool, int, str, np.bool_, np.integer)) and not isinstance(
        g, (float, complex)
    ):
        return None if not isinstance(g, (int, np.number)) else float(g)
    if isinstance(y, np.ndarray):
        if y.dtype.kind not in "fc":
            return None
        g = np.asarray(g)
        if g.shape != y.shape:
            raise GradientError(f"a cotangent of shape {g.shape} was given for shape {y.shape}")
        return g.astype(y.dtype) if g.dtype != y.dtype and g.dtype.kind in "iubf" else g.copy()
    if isinstance(y, (float, complex, np.number)):
        if g is None or np.ndim(g) != 0:
            raise GradientError(f"a cotangent of shape {np.shape(g)} was given for a scalar")
        return g if isinstance(g, (float, complex, np.inexact)) else float(g)
    if isinstance(y, (list, tuple)):
        if g is None:
            return zeros(y)
        if not isinstance(g, (list, tuple)) or len(g) != len(y):
            raise GradientError(
                f"a cotangent with {len(y)} items is needed, one for each of {type(y).__name__}"
            )
        return [as_cotangent(p, q) for p, q in zip(g, y, strict=True)]
    if isinstance(y, dict):
        if g is None:
            return zeros(y)
        return {key: as_cotangent(g.get(key), item) for key, item in y.items()}
    if y is None or not hasattr(y, "__dict__") or callable(y):
        return None
    made = AdjointRecord()
    if isinstance(y, Variable):
        setattr(made, "value", as_cotangent(np.zeros(y.shape) if g is None else g, y.held))  # noqa: B010
        return made
    for key, item in vars(y).items():
        setattr(made, key, as_cotangent(getattr(g, key, None), item))
    return made


# Tangents of containers


def zero_tangent(x: Any) -> Any:
    """Give the zero tangent of a value: of its structure, with None for what has no derivative.

    Examples
    --------
    >>> zero_tangent({"w": np.ones(2), "n": 3, "label": "a"})
    {'w': array([0., 0.]), 'n': 0.0, 'label': None}
    """
    return _tangent_of(x, None, {})


def private_tangent(x_dot: Any, x: Any) -> Any:
    """Give a copy of a tangent with the structure of its primal, zeros where it says nothing.

    Examples
    --------
    >>> private_tangent({"w": np.ones(2), "n": None}, {"w": np.ones(2), "n": 3})
    {'w': array([1., 1.]), 'n': 0.0}
    """
    return _tangent_of(x, x_dot, {})


def _tangent_of(x: Any, given: Any, met: dict[int, tuple[Any, Any]]) -> Any:
    if isinstance(x, (bool, int, float, complex, np.generic)):
        return 0.0 if given is None else given
    if x is None or isinstance(x, (str, bytes)):
        return None
    if isinstance(x, tuple):
        return tuple(_tangent_of(item, _part(given, i), met) for i, item in enumerate(x))
    if id(x) in met:
        return met[id(x)][1]
    made: Any = None
    if isinstance(x, np.ndarray):
        made = private(x) if x.dtype.kind in "fc" else np.zeros(x.shape)
        made[...] = 0.0 if given is None else given
        met[id(x)] = x, made
    elif isinstance(x, list):
        made = []
        met[id(x)] = x, made
        made += [_tangent_of(item, _part(given, i), met) for i, item in enumerate(x)]
    elif isinstance(x, dict):
        made = {}
        met[id(x)] = x, made
        for key, item in x.items():
            inner = None if given is None or isinstance(given, float) else given.get(key)
            made[key] = _tangent_of(item, inner, met)
    elif hasattr(x, "__dict__") and not callable(x) and not isinstance(x, type):
        made = AdjointRecord()
        met[id(x)] = x, made
        for key, item in attributes_of(x).items():
            setattr(made, key, _tangent_of(item, _attribute(given, key), met))
    return made


def _part(given: Any, i: int) -> Any:
    return None if given is None or isinstance(given, float) else given[i]


def _attribute(given: Any, key: str) -> Any:
    return None if given is None or isinstance(given, float) else getattr(given, key, None)


def record_of(**attributes: Any) -> AdjointRecord:
    """Give the tangents or adjoints of an object with these attributes.

    Examples
    --------
    >>> record_of(x=2.0).x
    2.0
    """
    made = AdjointRecord()
    for key, value in attributes.items():
        setattr(made, key, value)
    return made


def broadcast_like(g: Any, y: Any) -> Any:
    """Give `g` at the full shape of `y`, as an array that may be stored into.

    Examples
    --------
    >>> broadcast_like(2.0, np.ones(3))
    array([2., 2., 2.])
    """
    if not isinstance(y, np.ndarray):
        return g
    return np.array(np.broadcast_to(g, y.shape))


def value_and_pullback(function: Any, *args: Any, **keywords: Any) -> tuple[Any, Any]:
    """Call a function that returns its value and `grad`, last, and take the two apart."""
    returned = function(*args, **keywords)
    return (returned[0] if len(returned) == 2 else returned), returned[-1]


def transpose_grad(grad: Any, y: Any, tangents: tuple[Any, ...]) -> Any:
    """Give the tangent of `y` from the `grad` of its rule, which is linear in its upstream.

    Each entry of the tangent is the inner product of the tangents of the arguments with what
    `grad` makes of the unit cotangent of that entry; so `grad` runs once for each entry of `y`.

    Parameters
    ----------
    grad
        Maps the cotangent of `y`, or one for each item of a tuple `y`, to those of the arguments.
    y
        The value.
    tangents
        The tangents of the arguments, None for those that are constant.

    Examples
    --------
    >>> float(transpose_grad(lambda g: (3.0 * g, g * np.ones(2)), 1.0, (2.0, np.array([1.0, 5.0]))))
    12.0
    """
    separate = isinstance(y, tuple) and _takes_several(grad)

    def slope(upstream: Any) -> Any:
        returned = grad(*upstream) if separate else grad(upstream)
        several = isinstance(returned, (tuple, list))
        bare = isinstance(tangents[0], (tuple, list)) and several and len(returned) != 1
        if len(tangents) == 1 and (bare or not several):
            returned = (returned,)
        total = 0.0
        for g, x_dot in zip(returned, tangents, strict=False):
            total = total + _inner(g, x_dot)
        return total

    return _along_units(y, zeros_of_value(y), slope)


def _takes_several(grad: Any) -> bool:
    kinds = [p.kind for p in inspect.signature(grad).parameters.values()]
    named = [k for k in kinds if k in (k.POSITIONAL_ONLY, k.POSITIONAL_OR_KEYWORD)]
    return len(named) > 1 or any(k is k.VAR_POSITIONAL for k in kinds)


def zeros_of_value(y: Any) -> Any:
    """Give a zero cotangent of the types of a value: its tuples stay tuples."""
    if isinstance(y, tuple):
        return tuple(zeros_of_value(item) for item in y)
    if isinstance(y, list):
        return [zeros_of_value(item) for item in y]
    if isinstance(y, dict):
        return {key: zeros_of_value(item) for key, item in y.items()}
    return zeros(y)


def _along_units(y: Any, zero: Any, slope: Any) -> Any:
    """Replace each number in a structure by `slope` of the structure with a unit there."""
    if isinstance(y, np.ndarray):
        if zero is None:
            return None
        made = np.zeros_like(y)
        for index in np.ndindex(y.shape):
            unit = np.zeros_like(y)
            unit[index] = 1.0
            made[index] = slope(unit)
        return made
    if isinstance(y, (tuple, list)):
        found = [
            _along_units(
                item, part, lambda u, i=i: slope(type(zero)([*zero[:i], u, *zero[i + 1 :]]))
            )
            for i, (item, part) in enumerate(zip(y, zero, strict=True))
        ]
        return tuple(found) if isinstance(y, tuple) else found
    if isinstance(y, dict):
        return {
            key: _along_units(item, zero[key], lambda u, key=key: slope({**zero, key: u}))
            for key, item in y.items()
        }
    return None if zero is None else slope(type(y)(1.0) if isinstance(y, np.generic) else 1.0)


def _inner(g: Any, x_dot: Any) -> Any:
    if g is None or x_dot is None:
        return 0.0
    if isinstance(x_dot, dict):
        return sum(_inner(g[key], item) for key, item in x_dot.items())
    if isinstance(x_dot, (list, tuple)):
        return sum(_inner(part, item) for part, item in zip(g, x_dot, strict=True))
    if isinstance(x_dot, AdjointRecord):
        return sum(_inner(getattr(g, key), item) for key, item in vars(x_dot).items())
    product = np.sum(g * x_dot)
    return float(product) if isinstance(x_dot, float) and isinstance(g, float) else product


def shared_alike(y_dot: Any, y: Any, x_dot: Any, x: Any) -> Any:
    """Give a tangent that shares memory with that of `x` exactly if `y` shares memory with `x`.

    Raises
    ------
    GradientError
        If that cannot be had, because the tangent of `x` has another layout than `x`.
    """
    if y is x:
        return x_dot
    shared = np.may_share_memory(x, y)
    if np.may_share_memory(x_dot, y_dot) == shared:
        return y_dot
    if not shared:
        return y_dot.copy()
    from tapeless.errors import GradientError

    raise GradientError(
        f"a view of an array of shape {x.shape} is stored into, and its tangent has another layout",
        fix="copy the array, or store into it by its own indices",
    )


def unit(value: Any, rule: Any, *args: Any, **kwargs: Any) -> Any:
    """Give `value`, which is what the custom gradient `rule` returns for these arguments.

    The call marks the value in text that is differentiated again: its derivative is the rule's.
    """
    return value
