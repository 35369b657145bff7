"""Cotangents of the two sides of products of matrices, vectors and tensors.

A product is linear in each side, so the cotangent of one side is a product of the cotangent of the
result with the other. What was broadcast, or summed in one stroke, is summed or spread again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.runtime.broadcasting import unbroadcast


def matmul_left_bar(y_bar: Any, a: Any, b: Any) -> Any:
    """Return the cotangent of `a` in ``a @ b``.

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
    """Return the cotangent of `b` in ``a @ b``.

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
    """Return the cotangent of `a` in ``np.dot(a, b)``."""
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
    """Return the cotangent of `b` in ``np.dot(a, b)``."""
    if np.ndim(b) == 0:
        return np.sum(y_bar * a)
    if np.ndim(a) == 0:
        return y_bar * a
    if np.ndim(b) == 1 or np.ndim(b) == 2:
        return matmul_right_bar(y_bar, a, b)
    return np.moveaxis(sum_of_outer(a, y_bar, np.ndim(a) - 1), 0, -2)


def inner_left_bar(y_bar: Any, a: Any, b: Any) -> Any:
    """Return the cotangent of `a` in ``np.inner(a, b)``."""
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
    """Return the cotangent of `b` in ``np.inner(a, b)``."""
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
    """Return the contracted axes of both operands of `np.tensordot`, counted from 0.

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
    """Return the cotangent of `a` in ``np.tensordot(a, b, axes)``.

    `y_bar` is contracted with the free axes of `b`; what remains are the free axes of `a` and its
    contracted ones, in the order in which `b` has them.
    """
    if isinstance(axes, int) and axes == 1 and np.ndim(b) == 2:
        return np.tensordot(y_bar, b.T, axes=1)
    a_axes, b_axes = tensordot_axes(axes, np.ndim(a), np.ndim(b))
    a_free = [i for i in range(np.ndim(a)) if i not in a_axes]
    b_free = [i for i in range(np.ndim(b)) if i not in b_axes]
    order = a_free + [a_axes[i] for i in np.argsort(b_axes)]
    summed = list(range(len(a_free), np.ndim(y_bar)))
    return np.transpose(np.tensordot(y_bar, b, axes=(summed, b_free)), np.argsort(order))


def tensordot_right_bar(y_bar: Any, a: Any, b: Any, axes: Any = 2) -> Any:
    """Return the cotangent of `b` in ``np.tensordot(a, b, axes)``."""
    if isinstance(axes, int) and axes == 1 and np.ndim(a) == 2:
        return np.tensordot(a.T, y_bar, axes=1)
    a_axes, b_axes = tensordot_axes(axes, np.ndim(a), np.ndim(b))
    a_free = [i for i in range(np.ndim(a)) if i not in a_axes]
    b_free = [i for i in range(np.ndim(b)) if i not in b_axes]
    order = [b_axes[i] for i in np.argsort(a_axes)] + b_free
    summed = list(range(len(a_free)))
    return np.transpose(np.tensordot(a, y_bar, axes=(a_free, summed)), np.argsort(order))


def kron_left_bar(y_bar: Any, a: Any, b: Any) -> Any:
    """Return the cotangent of `a` in ``np.kron(a, b)``."""
    if np.ndim(a) == 0:
        return np.sum(y_bar * b)
    if np.ndim(b) == 0:
        return y_bar * b
    return sum_of_blocks(kron_blocks(y_bar, a, b), b, 1, np.shape(a))


def kron_right_bar(y_bar: Any, a: Any, b: Any) -> Any:
    """Return the cotangent of `b` in ``np.kron(a, b)``."""
    if np.ndim(b) == 0:
        return np.sum(y_bar * a)
    if np.ndim(a) == 0:
        return y_bar * a
    return sum_of_blocks(kron_blocks(y_bar, a, b), a, 0, np.shape(b))


def kron_blocks(y_bar: Any, a: Any, b: Any) -> Any:
    """Split each axis of a Kronecker product into the axis of `a` and that of `b`."""
    return np.reshape(y_bar, kron_sizes(np.shape(a), np.shape(b)))


def kron_sizes(a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the sizes of the axes of a Kronecker product, each split in two.

    Examples
    --------
    >>> kron_sizes((2, 3), (4,))
    (2, 1, 3, 4)
    """
    rank = max(len(a_shape), len(b_shape))
    a_sizes = (1,) * (rank - len(a_shape)) + a_shape
    b_sizes = (1,) * (rank - len(b_shape)) + b_shape
    return tuple(n for pair in zip(a_sizes, b_sizes, strict=True) for n in pair)


def sum_of_blocks(blocks: Any, x: Any, first: int, shape: Any) -> Any:
    """Multiply split axes with `x`, which has every second one from `first`, and sum over these."""
    rank = np.ndim(blocks) // 2
    full = np.reshape(x, (1,) * (rank - np.ndim(x)) + np.shape(x))
    axes = tuple(range(first, 2 * rank, 2))
    return np.reshape(np.tensordot(blocks, full, axes=(axes, tuple(range(rank)))), shape)


def cross_left_bar(y_bar: Any, a: Any, b: Any, a_axis: int, b_axis: int, y_axis: int) -> Any:
    """Return the cotangent of `a` in ``np.cross(a, b)``, whose vectors lie along the axes given.

    Examples
    --------
    >>> cross_left_bar(np.array([0.0, 0.0, 1.0]), np.ones(3), np.array([1.0, 0.0, 0.0]), -1, -1, -1)
    array([ 0., -1.,  0.])
    """
    at_end = a_axis == -1 and b_axis == -1 and y_axis == -1
    if at_end and np.shape(a)[-1] == 3 and np.shape(b)[-1] == 3:
        return unbroadcast(np.cross(b, y_bar), a)
    return cross_bar(y_bar, b, a, a_axis, b_axis, y_axis)


def cross_right_bar(y_bar: Any, a: Any, b: Any, a_axis: int, b_axis: int, y_axis: int) -> Any:
    """Return the cotangent of `b` in ``np.cross(a, b)``, whose vectors lie along the axes given."""
    at_end = a_axis == -1 and b_axis == -1 and y_axis == -1
    if at_end and np.shape(a)[-1] == 3 and np.shape(b)[-1] == 3:
        return unbroadcast(np.cross(y_bar, a), b)
    return cross_bar(-y_bar, a, b, b_axis, a_axis, y_axis)


def cross_bar(y_bar: Any, other: Any, x: Any, x_axis: int, other_axis: int, y_axis: int) -> Any:
    """Return the cotangent of `x` in ``np.cross(x, other)``: ``other`` x ``y_bar``.

    The vectors lie along the axes given, as in `np.cross`; its other operand has the negative.
    """
    if np.shape(x)[x_axis] != 3 or np.shape(other)[other_axis] != 3:
        from tapeless.errors import GradientError

        raise GradientError(
            "np.cross is differentiated for vectors of three components",
            fix="write a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0] for vectors in the plane",
        )
    moved = np.moveaxis(x, x_axis, -1)
    g = np.cross(other, y_bar, axisa=other_axis, axisb=y_axis, axisc=-1)
    return np.moveaxis(unbroadcast(g, moved), -1, x_axis)


def multi_dot_bars(y_bar: Any, arrays: Any) -> list[Any]:
    """Return the cotangents of the arrays in ``np.linalg.multi_dot(arrays)``.

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


def outer_left_bar(y_bar: Any, a: Any, b: Any) -> Any:
    """Return the cotangent of `a` in ``np.outer(a, b)``, whose operands are raveled.

    Examples
    --------
    >>> outer_left_bar(np.ones((2, 3)), np.ones(2), np.arange(3.0))
    array([3., 3.])
    """
    if np.ndim(a) == 1 and np.ndim(b) == 1:
        return y_bar @ b
    return np.reshape(y_bar @ np.ravel(b), np.shape(a))


def outer_right_bar(y_bar: Any, a: Any, b: Any) -> Any:
    """Return the cotangent of `b` in ``np.outer(a, b)``, whose operands are raveled.

    Examples
    --------
    >>> outer_right_bar(np.ones((2, 3)), np.arange(2.0), np.ones(3))
    array([1., 1., 1.])
    """
    if np.ndim(a) == 1 and np.ndim(b) == 1:
        return a @ y_bar
    return np.reshape(np.ravel(a) @ y_bar, np.shape(b))


def outer(a: Any, b: Any) -> Any:
    """Multiply every entry of the last axis of `a` with every one of `b`, for each of a stack."""
    if np.ndim(a) == 1 and np.ndim(b) == 1:
        return np.outer(a, b)
    return a[..., :, None] * b[..., None, :]
