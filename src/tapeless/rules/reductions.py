"""Reductions: sums, products, extrema and moments along axes.

A reduction maps the entries along some axes to one entry. Its derivative spreads the cotangent
back over those axes, weighted by the partials: 1 for a sum, 1/n for a mean, the product of the
other entries for a product, an equal share among those that tie for an extremum. Only the shape of
the operand is kept where the partials do not depend on its entries.

`axis`, `keepdims` and `ddof` stand where the primal accepts them; what follows a parameter that is
not supported (`dtype`, `out`, ...) can be given by keyword only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.rules.declare import register_gradient
from tapeless.rules.results import reductions
from tapeless.runtime import (
    align_weights,
    align_weights_bar,
    conjugate,
    cumprod_bar,
    cumprod_dot,
    divide_by_spread,
    expand_reduced,
    median_share,
    product_of_others,
    real_part,
    reduced_size,
    reverse_cumsum,
    share_ties,
    unreduce,
)


@register_gradient((np.sum, np.ndarray.sum), kind=reductions.reduced, total=True, linear=True)
def np_sum(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """Here dy = sum da."""
    y = np.sum(a, axis=axis, keepdims=keepdims)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        return unreduce(y_bar, shape, axis, keepdims), None, None

    return y, grad


@register_gradient(np.nansum, kind=reductions.reduced, selects=True)
def np_nansum(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """Here dy = sum of da where a is a number."""
    y = np.nansum(a, axis=axis, keepdims=keepdims)

    def grad(y_bar: Any) -> Any:
        return np.where(np.isnan(a), 0.0, expand_reduced(y_bar, axis, keepdims)), None, None

    def jvp(a_dot: Any) -> Any:
        return np.sum(np.where(np.isnan(a), 0.0, a_dot), axis=axis, keepdims=keepdims)

    return y, grad, jvp


@register_gradient(
    (np.mean, np.ndarray.mean), kind=reductions.float_reduced, total=True, linear=True
)
def np_mean(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """Here dy = sum da / n."""
    y = np.mean(a, axis=axis, keepdims=keepdims)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        return unreduce(y_bar / reduced_size(shape, axis), shape, axis, keepdims), None, None

    return y, grad


@register_gradient(np.average, kind=reductions.average)
def np_average(a: Any, axis: Any = None, weights: Any = None, *, keepdims: Any = False) -> Any:
    """Here y = sum w a / s with s = sum w, so dy = sum (w da + (a - y) dw) / s."""
    y = np.average(a, axis=axis, weights=weights, keepdims=keepdims)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        if weights is None:
            a_bar = unreduce(y_bar / reduced_size(shape, axis), shape, axis, keepdims)
            return a_bar, None, None, None
        w = np.broadcast_to(align_weights(weights, shape, axis), shape)
        scaled = expand_reduced(y_bar, axis, keepdims) / np.sum(w, axis=axis, keepdims=True)
        w_bar = scaled * (a - expand_reduced(y, axis, keepdims))
        return scaled * w, None, align_weights_bar(w_bar, np.shape(weights), axis), None

    def jvp(a_dot: Any, weights_dot: Any = None) -> Any:
        if weights is None:
            return np.mean(a_dot, axis=axis, keepdims=keepdims)
        w = np.broadcast_to(align_weights(weights, shape, axis), shape)
        w_dot = align_weights(weights_dot, shape, axis)
        change = a_dot * w + (a - expand_reduced(y, axis, keepdims)) * w_dot
        return np.sum(change, axis=axis, keepdims=keepdims) / np.sum(
            w, axis=axis, keepdims=keepdims
        )

    return y, grad, jvp


@register_gradient((np.prod, np.ndarray.prod), kind=reductions.reduced)
def np_prod(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """Here dy/da[i] is the product of the other entries; never y / a[i], which fails at 0."""
    y = np.prod(a, axis=axis, keepdims=keepdims)

    def grad(y_bar: Any) -> Any:
        a_bar = expand_reduced(y_bar, axis, keepdims) * product_of_others(a, axis)
        return a_bar, None, None

    def jvp(a_dot: Any) -> Any:
        return np.sum(a_dot * product_of_others(a, axis), axis=axis, keepdims=keepdims)

    return y, grad, jvp


@register_gradient((np.max, np.amax, np.ndarray.max), kind=reductions.reduced, selects=True)
def np_max(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The entries that attain the maximum share the cotangent equally."""
    y = np.max(a, axis=axis, keepdims=keepdims)

    def grad(y_bar: Any) -> Any:
        share = share_ties(a == expand_reduced(y, axis, keepdims), axis, y.dtype)
        return expand_reduced(y_bar, axis, keepdims) * share, None, None

    def jvp(a_dot: Any) -> Any:
        share = share_ties(a == expand_reduced(y, axis, keepdims), axis, y.dtype)
        return np.sum(share * a_dot, axis=axis, keepdims=keepdims)

    return y, grad, jvp


@register_gradient((np.min, np.amin, np.ndarray.min), kind=reductions.reduced, selects=True)
def np_min(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The entries that attain the minimum share the cotangent equally."""
    y = np.min(a, axis=axis, keepdims=keepdims)

    def grad(y_bar: Any) -> Any:
        share = share_ties(a == expand_reduced(y, axis, keepdims), axis, y.dtype)
        return expand_reduced(y_bar, axis, keepdims) * share, None, None

    def jvp(a_dot: Any) -> Any:
        share = share_ties(a == expand_reduced(y, axis, keepdims), axis, y.dtype)
        return np.sum(share * a_dot, axis=axis, keepdims=keepdims)

    return y, grad, jvp


@register_gradient(np.ptp, kind=reductions.reduced, selects=True)
def np_ptp(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The maximum minus the minimum: each end shares its cotangent among its ties."""
    y = np.ptp(a, axis=axis, keepdims=keepdims)

    def grad(y_bar: Any) -> Any:
        top = share_ties(a == np.max(a, axis=axis, keepdims=True), axis, y.dtype)
        bottom = share_ties(a == np.min(a, axis=axis, keepdims=True), axis, y.dtype)
        return expand_reduced(y_bar, axis, keepdims) * (top - bottom), None, None

    def jvp(a_dot: Any) -> Any:
        top = share_ties(a == np.max(a, axis=axis, keepdims=True), axis, y.dtype)
        bottom = share_ties(a == np.min(a, axis=axis, keepdims=True), axis, y.dtype)
        return np.sum((top - bottom) * a_dot, axis=axis, keepdims=keepdims)

    return y, grad, jvp


@register_gradient((np.var, np.ndarray.var), kind=reductions.real_reduced)
def np_var(a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False) -> Any:
    """Here y = sum |a - m|^2 / (n - ddof); dm contributes nothing, since sum (a - m) = 0."""
    y = np.var(a, axis=axis, ddof=ddof, keepdims=keepdims)

    def grad(y_bar: Any) -> Any:
        deviation = conjugate(a - np.mean(a, axis=axis, keepdims=True))
        count = reduced_size(np.shape(a), axis) - ddof
        a_bar = 2.0 * expand_reduced(y_bar, axis, keepdims) * deviation / count
        return a_bar, None, None, None

    def jvp(a_dot: Any) -> Any:
        deviation = conjugate(a - np.mean(a, axis=axis, keepdims=True))
        count = reduced_size(np.shape(a), axis) - ddof
        total = np.sum(real_part(deviation * a_dot), axis=axis, keepdims=keepdims)
        return 2.0 * total / count

    return y, grad, jvp


@register_gradient((np.std, np.ndarray.std), kind=reductions.real_reduced)
def np_std(a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False) -> Any:
    """Here dy = d(y^2) / (2 y), with 0 where the entries are all equal."""
    y = np.std(a, axis=axis, ddof=ddof, keepdims=keepdims)

    def grad(y_bar: Any) -> Any:
        mean = np.mean(a, axis=axis, keepdims=True)
        count = reduced_size(np.shape(a), axis) - ddof
        spread = expand_reduced(y, axis, keepdims)
        scale = divide_by_spread(expand_reduced(y_bar, axis, keepdims), spread, mean) / count
        return scale * conjugate(a - mean), None, None, None

    def jvp(a_dot: Any) -> Any:
        mean = np.mean(a, axis=axis, keepdims=True)
        count = reduced_size(np.shape(a), axis) - ddof
        scale = divide_by_spread(1.0, expand_reduced(y, axis, keepdims), mean) / count
        change = scale * real_part(conjugate(a - mean) * a_dot)
        return np.sum(change, axis=axis, keepdims=keepdims)

    return y, grad, jvp


@register_gradient(
    (np.cumsum, np.ndarray.cumsum), kind=reductions.cumulative, total=True, linear=True
)
def np_cumsum(a: Any, axis: Any = None) -> Any:
    """Here y[k] = sum of a[i] for i <= k, so a_bar[i] = sum of y_bar[k] for k >= i."""
    y = np.cumsum(a, axis=axis)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        if axis is None:
            return np.reshape(reverse_cumsum(y_bar, 0), shape), None
        return reverse_cumsum(y_bar, axis), None

    return y, grad


@register_gradient((np.cumprod, np.ndarray.cumprod), kind=reductions.cumulative)
def np_cumprod(a: Any, axis: Any = None) -> Any:
    """Here dy[k] / da[i] = y[k] / a[i] for i <= k, without the division where a has zeros."""
    y = np.cumprod(a, axis=axis)

    def grad(y_bar: Any) -> Any:
        if axis is None:
            return np.reshape(cumprod_bar(y_bar, np.ravel(a), y, 0), np.shape(a)), None
        return cumprod_bar(y_bar, a, y, axis), None

    def jvp(a_dot: Any) -> Any:
        if axis is None:
            return cumprod_dot(np.ravel(a_dot), np.ravel(a), y, 0)
        return cumprod_dot(a_dot, a, y, axis)

    return y, grad, jvp


if hasattr(np, "cumulative_sum"):  # since NumPy 2.1

    @register_gradient(np.cumulative_sum, kind=reductions.running, linear=True)
    def np_cumulative_sum(x: Any, /, *, axis: Any = None, include_initial: Any = False) -> Any:
        """As `cumsum`; the sum of nothing, if it stands in front, is constant."""
        y = np.cumulative_sum(x, axis=axis, include_initial=include_initial)
        along = 0 if axis is None else axis

        def grad(y_bar: Any) -> Any:
            sums_bar = np.delete(y_bar, 0, axis=along) if include_initial else y_bar
            return reverse_cumsum(sums_bar, along), None, None

        return y, grad


if hasattr(np, "cumulative_prod"):  # since NumPy 2.1

    @register_gradient(np.cumulative_prod, kind=reductions.running)
    def np_cumulative_prod(x: Any, /, *, axis: Any = None) -> Any:
        """As `cumprod`."""
        y = np.cumulative_prod(x, axis=axis)
        along = 0 if axis is None else axis

        def grad(y_bar: Any) -> Any:
            return cumprod_bar(y_bar, x, y, along), None

        def jvp(x_dot: Any) -> Any:
            return cumprod_dot(x_dot, x, y, along)

        return y, grad, jvp


@register_gradient(np.nanmean, kind=reductions.float_reduced, selects=True)
def np_nanmean(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """Here dy = sum da / n over the n entries that are numbers."""
    y = np.nanmean(a, axis=axis, keepdims=keepdims)

    def grad(y_bar: Any) -> Any:
        share = share_ties(~np.isnan(a), axis, y.dtype)
        return expand_reduced(y_bar, axis, keepdims) * share, None, None

    def jvp(a_dot: Any) -> Any:
        share = share_ties(~np.isnan(a), axis, y.dtype)
        return np.sum(share * a_dot, axis=axis, keepdims=keepdims)

    return y, grad, jvp


@register_gradient(np.median, kind=reductions.float_reduced, selects=True)
def np_median(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The entries in the middle share the cotangent: the one, or the two half each."""
    y = np.median(a, axis=axis, keepdims=keepdims)

    def grad(y_bar: Any) -> Any:
        return expand_reduced(y_bar, axis, keepdims) * median_share(a, axis), None, None

    def jvp(a_dot: Any) -> Any:
        return np.sum(median_share(a, axis) * a_dot, axis=axis, keepdims=keepdims)

    return y, grad, jvp
