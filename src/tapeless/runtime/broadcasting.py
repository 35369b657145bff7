"""Broadcasting backwards: what was repeated to a larger shape is summed to the smaller one."""

from __future__ import annotations

from typing import Any

import numpy as np


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
    if isinstance(g, float) and isinstance(x, float):  # NumPy takes a while to find their shapes
        return g
    if isinstance(g, np.ndarray) and isinstance(x, np.ndarray) and g.shape == x.shape:
        return g
    if np.shape(g) == np.shape(x):
        return g
    if np.ndim(x) == 0:
        return np.sum(g)
    if np.ndim(g) < np.ndim(x):  # a store drops leading axes, which have one entry
        return np.reshape(sum_to_shape(g, np.shape(x)[np.ndim(x) - np.ndim(g) :]), np.shape(x))
    if np.ndim(g) == np.ndim(x) + 1 and 1 not in np.shape(x):
        return np.sum(g, axis=0)
    return sum_to_shape(g, np.shape(x))


def summed(g: Any) -> Any:
    """Sum the cotangent of a number that may have been broadcast; a number stays what it is.

    Examples
    --------
    >>> summed(2.0), summed(np.ones(3)), summed(np.array(4.0))
    (2.0, np.float64(3.0), np.float64(4.0))
    """
    return g if np.ndim(g) == 0 and not isinstance(g, np.ndarray) else np.sum(g)


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
