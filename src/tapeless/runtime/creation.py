"""Arrays made from numbers, lists and other arrays, backwards: in the dtype that the argument had."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.runtime.broadcasting import unbroadcast


def cast(g: Any, dtype: Any) -> Any:
    """Return the cotangent `g` in the dtype of the argument that it belongs to.

    That of an integer, which counts as a real number, stays a float.

    Examples
    --------
    >>> cast(np.array([1.0, 2.0]), np.float32)
    array([1., 2.], dtype=float32)
    >>> cast(1.5, np.int64)
    array(1.5)
    """
    kind = np.dtype(dtype).kind
    if kind in "iub":
        dtype = np.float64
    if np.iscomplexobj(g) and kind != "c":
        return np.real(g).astype(dtype)
    return np.asarray(g).astype(dtype)


def if_inexact(g: Any, dtype: Any) -> Any:
    """Return `g`, or zeros where it belongs to a value of an integer dtype, which jumps.

    Examples
    --------
    >>> if_inexact(2.0, np.float32), if_inexact(2.0, np.int64)
    (2.0, 0.0)
    """
    return 0.0 * g if np.dtype(dtype).kind in "iub" else g  # objects may be floats


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
        doubles = isinstance(g, np.ndarray) and g.dtype == np.float64
        if doubles and all(isinstance(item, float) for item in x):
            return g.tolist()
        return [array_bar(g[i], item) for i, item in enumerate(x)]
    return cast(g, np.result_type(x)).item()


def double_bar(y_bar: Any, value: Any) -> Any:
    """Return the cotangent of `value` in ``np.float64(value)``, in its dtype and structure.

    Examples
    --------
    >>> double_bar(2.0, 1.0), double_bar(np.ones(2), [1.0, 2.0])
    (2.0, [1.0, 1.0])
    """
    if isinstance(value, float):
        return y_bar
    return array_bar(y_bar, value)


def array_dot(x_dot: Any, y: Any) -> Any:
    """Return the tangent of ``y = np.array(x)``, in the dtype and shape of `y`.

    Examples
    --------
    >>> array_dot([[1.0, 2], (3, 4.0)], np.zeros((2, 2), np.float32))
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    if y.dtype.kind in "iub":
        return np.zeros(y.shape)
    return np.reshape(cast(np.array(_full_rows(x_dot, y.shape)), y.dtype), y.shape)


def _full_rows(x_dot: Any, shape: tuple[int, ...]) -> Any:
    """Fill the rows of which it is only known that they are zero: 0.0 stands for a whole one.

    Examples
    --------
    >>> _full_rows([0.0, np.ones(2)], (2, 2))
    [array([0., 0.]), array([1., 1.])]
    """
    if len(shape) < 2 or not isinstance(x_dot, (list, tuple)):
        return x_dot
    below = shape[1:]
    return [np.full(below, r) if isinstance(r, float) else _full_rows(r, below) for r in x_dot]


def interval_bar(g: Any, weights: Any, end: Any, axis: int = 0) -> Any:
    """Return the cotangent of one end of ``np.linspace``, whose points give it `weights`.

    Examples
    --------
    >>> float(interval_bar(np.ones(3), np.array([0.0, 0.5, 1.0]), 2.0))
    1.5
    """
    weighted = np.moveaxis(g, axis, -1) @ cast(weights, g.dtype)
    return unbroadcast(weighted, end)


def beside_ends(base: Any, start: Any, stop: Any, axis: int) -> Any:
    """Give the bases of ``np.logspace`` an axis, where that of the numbers is.

    Examples
    --------
    >>> beside_ends(np.ones(3), np.zeros((2, 3)), 1.0, 1).shape
    (1, 1, 3)
    """
    missing = max(np.ndim(start), np.ndim(stop)) - np.ndim(base)
    return np.expand_dims(np.reshape(base, (1,) * missing + np.shape(base)), axis)


def meshgrid_bar(bars: tuple[Any, ...], xs: tuple[Any, ...], indexing: str = "xy") -> list[Any]:
    """Return the cotangents of the arguments of ``np.meshgrid``, one sum over each grid.

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
        if np.ndim(g)
        else np.zeros(np.shape(x))  # nothing reached this grid
        for g, x, axis in zip(bars, xs, axes, strict=True)
    ]
