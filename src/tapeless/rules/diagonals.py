"""Diagonals and triangles: the entries outside have no influence, the others keep their places."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.rules.declare import register_gradient
from tapeless.rules.results import shapes
from tapeless.runtime import diag_bar, diagonal_bar, if_inexact, trace_bar, unbroadcast


@register_gradient(np.diag, kind=shapes.diag, view="always", selects=True, linear=True)
def np_diag(v: Any, k: Any = 0) -> Any:
    """Put a vector on a diagonal, or take a diagonal: each undoes the other."""
    y = np.diag(v, k)
    shape = np.shape(v)

    def grad(y_bar: Any) -> Any:
        return diag_bar(y_bar, shape, k), None

    return y, grad


@register_gradient(np.diagflat, kind=shapes.diagflat, linear=True)
def np_diagflat(v: Any, k: Any = 0) -> Any:
    """Put the raveled entries on a diagonal."""
    y = np.diagflat(v, k)
    shape = np.shape(v)

    def grad(y_bar: Any) -> Any:
        return np.reshape(np.diag(y_bar, k), shape), None

    return y, grad


@register_gradient(
    (np.diagonal, np.ndarray.diagonal), kind=shapes.diagonal, view="always", selects=True,
    linear=True,
)  # fmt: skip
def np_diagonal(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    """The cotangent goes onto the diagonal."""
    y = np.diagonal(a, offset=offset, axis1=axis1, axis2=axis2)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        return diagonal_bar(y_bar, shape, offset, axis1, axis2), None, None, None

    return y, grad


@register_gradient((np.trace, np.ndarray.trace), kind=shapes.trace, selects=True, linear=True)
def np_trace(
    a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None, out: None = None
) -> Any:
    """The sum of the diagonal: its cotangent times the identity (Giles 2008, 2.2.3)."""
    y = np.trace(a, offset=offset, axis1=axis1, axis2=axis2, dtype=dtype)
    shape = np.shape(a)
    kept = y.dtype

    def grad(y_bar: Any) -> Any:
        seed = y_bar if dtype is None else if_inexact(y_bar, kept)
        return trace_bar(seed, shape, offset, axis1, axis2), None, None, None, None, None

    return y, grad


@register_gradient(np.tril, kind=shapes.triangle, selects=True, linear=True)
def np_tril(m: Any, k: Any = 0) -> Any:
    """What was set to zero has no influence; a vector was first repeated in rows."""
    y = np.tril(m, k)

    def grad(y_bar: Any) -> Any:
        return unbroadcast(np.tril(y_bar, k), m), None

    return y, grad


@register_gradient(np.triu, kind=shapes.triangle, selects=True, linear=True)
def np_triu(m: Any, k: Any = 0) -> Any:
    """What was set to zero has no influence; a vector was first repeated in rows."""
    y = np.triu(m, k)

    def grad(y_bar: Any) -> Any:
        return unbroadcast(np.triu(y_bar, k), m), None

    return y, grad
