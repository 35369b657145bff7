"""Running sums and products along an axis.

The derivative of a running sum is a running sum in reverse. That of a running product divides by nothing:
entries may be zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.errors import GradientError
from tapeless.rules.declare import register_gradient
from tapeless.rules.results import reductions
from tapeless.runtime import cumprod_bar, cumprod_dot, if_inexact, reverse_cumsum, tangent_in


@register_gradient((np.cumsum, np.ndarray.cumsum), kind=reductions.cumulative, total=True)
def np_cumsum(a: Any, axis: Any = None, dtype: Any = None, out: None = None) -> Any:
    """Here y[k] = sum of a[i] for i <= k, so a_bar[i] = sum of y_bar[k] for k >= i."""
    y = np.cumsum(a, axis=axis, dtype=dtype)
    shape = np.shape(a)
    kept = y.dtype

    def grad(y_bar: Any) -> Any:
        seed = y_bar if dtype is None else if_inexact(y_bar, kept)
        if axis is None or np.ndim(a) == 0:
            return np.reshape(reverse_cumsum(seed, 0), shape), None, None, None
        return reverse_cumsum(seed, axis), None, None, None

    def jvp(a_dot: Any) -> Any:
        if dtype is None:
            return np.cumsum(a_dot, axis=axis)
        return tangent_in(np.cumsum(a_dot, axis=axis), kept)

    return y, grad, jvp


@register_gradient((np.cumprod, np.ndarray.cumprod), kind=reductions.cumulative)
def np_cumprod(a: Any, axis: Any = None, dtype: Any = None, out: None = None) -> Any:
    """Here dy[k] / da[i] = y[k] / a[i] for i <= k, without the division where a has zeros."""
    if dtype is not None and np.iscomplexobj(a):
        raise GradientError(
            "np.cumprod of complex numbers has no gradient with dtype=", fix="convert them before"
        )
    y = np.cumprod(a, axis=axis, dtype=dtype)
    kept = y.dtype

    def grad(y_bar: Any) -> Any:
        seed = y_bar if dtype is None else if_inexact(y_bar, kept)
        if axis is None or np.ndim(a) == 0:
            rows_bar = cumprod_bar(seed, np.ravel(a), y, 0)
            return np.reshape(rows_bar, np.shape(a)), None, None, None
        return cumprod_bar(seed, a, y, axis), None, None, None

    def jvp(a_dot: Any) -> Any:
        if axis is None or np.ndim(a) == 0:
            rows_dot = cumprod_dot(np.ravel(a_dot), np.ravel(a), y, 0)
            return rows_dot if dtype is None else tangent_in(rows_dot, kept)
        running_dot = cumprod_dot(a_dot, a, y, axis)
        return running_dot if dtype is None else tangent_in(running_dot, kept)

    return y, grad, jvp


if hasattr(np, "cumulative_sum"):  # since NumPy 2.1

    @register_gradient(np.cumulative_sum, kind=reductions.running)
    def np_cumulative_sum(
        x: Any, /, *, axis: Any = None, dtype: Any = None, out: None = None,
        include_initial: Any = False,
    ) -> Any:  # fmt: skip
        """As `cumsum`; the sum of nothing, if it stands in front, is constant."""
        y = np.cumulative_sum(x, axis=axis, dtype=dtype, include_initial=include_initial)
        along = 0 if axis is None else axis
        kept = y.dtype

        def grad(y_bar: Any) -> Any:
            seed = y_bar if dtype is None else if_inexact(y_bar, kept)
            sums_bar = np.delete(seed, 0, axis=along) if include_initial else seed
            return reverse_cumsum(sums_bar, along), None, None, None, None

        def jvp(x_dot: Any) -> Any:
            sums_dot = np.cumulative_sum(x_dot, axis=axis, include_initial=include_initial)
            return sums_dot if dtype is None else tangent_in(sums_dot, kept)

        return y, grad, jvp


if hasattr(np, "cumulative_prod"):  # since NumPy 2.1

    @register_gradient(np.cumulative_prod, kind=reductions.running)
    def np_cumulative_prod(
        x: Any, /, *, axis: Any = None, dtype: Any = None, out: None = None,
        include_initial: Any = False,
    ) -> Any:  # fmt: skip
        """As `cumprod`; the product of nothing, if it stands in front, is constant."""
        y = np.cumulative_prod(x, axis=axis, dtype=dtype, include_initial=include_initial)
        along = 0 if axis is None else axis
        kept = y.dtype

        def grad(y_bar: Any) -> Any:
            seed = y_bar if dtype is None else if_inexact(y_bar, kept)
            products_bar = np.delete(seed, 0, axis=along) if include_initial else seed
            products = np.delete(y, 0, axis=along) if include_initial else y
            return cumprod_bar(products_bar, x, products, along), None, None, None, None

        def jvp(x_dot: Any) -> Any:
            products = np.delete(y, 0, axis=along) if include_initial else y
            moved = cumprod_dot(x_dot, x, products, along)
            products_dot = np.insert(moved, 0, 0.0, axis=along) if include_initial else moved
            return products_dot if dtype is None else tangent_in(products_dot, kept)

        return y, grad, jvp


@register_gradient(np.nancumsum, kind=reductions.cumulative, selects=True)
def np_nancumsum(a: Any, axis: Any = None, dtype: Any = None, out: None = None) -> Any:
    """As `cumsum`, where entries that are not numbers count as 0."""
    y = np.nancumsum(a, axis=axis, dtype=dtype)
    kept = y.dtype

    def grad(y_bar: Any) -> Any:
        seed = y_bar if dtype is None else if_inexact(y_bar, kept)
        if axis is None:
            a_bar = np.reshape(reverse_cumsum(seed, 0), np.shape(a))
            return np.where(np.isnan(a), 0.0, a_bar), None, None, None
        return np.where(np.isnan(a), 0.0, reverse_cumsum(seed, axis)), None, None, None

    def jvp(a_dot: Any) -> Any:
        sums_dot = np.cumsum(np.where(np.isnan(a), 0.0, a_dot), axis=axis)
        return sums_dot if dtype is None else tangent_in(sums_dot, kept)

    return y, grad, jvp


@register_gradient(np.nancumprod, kind=reductions.cumulative, selects=True)
def np_nancumprod(a: Any, axis: Any = None, dtype: Any = None, out: None = None) -> Any:
    """As `cumprod`, where entries that are not numbers count as 1."""
    y = np.nancumprod(a, axis=axis, dtype=dtype)
    kept = y.dtype

    def grad(y_bar: Any) -> Any:
        seed = y_bar if dtype is None else if_inexact(y_bar, kept)
        known = np.where(np.isnan(a), 1.0, a)
        if axis is None:
            a_bar = np.reshape(cumprod_bar(seed, np.ravel(known), y, 0), np.shape(a))
            return np.where(np.isnan(a), 0.0, a_bar), None, None, None
        return np.where(np.isnan(a), 0.0, cumprod_bar(seed, known, y, axis)), None, None, None

    def jvp(a_dot: Any) -> Any:
        known = np.where(np.isnan(a), 1.0, a)
        moved = np.where(np.isnan(a), 0.0, a_dot)
        if axis is None:
            rows_dot = cumprod_dot(np.ravel(moved), np.ravel(known), y, 0)
            return rows_dot if dtype is None else tangent_in(rows_dot, kept)
        running_dot = cumprod_dot(moved, known, y, axis)
        return running_dot if dtype is None else tangent_in(running_dot, kept)

    return y, grad, jvp
