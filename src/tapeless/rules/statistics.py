"""Statistics: quantiles, covariances, counts with weights, and what skips missing entries.

A quantile is a weighted mean of two neighbours in the sorted order; a covariance is a product of
deviations; a count with weights is linear in them. What skips entries that are not numbers gives
them no cotangent.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.errors import GradientError
from tapeless.rules.declare import register_gradient, zero_gradient
from tapeless.rules.results import reductions
from tapeless.runtime import (
    average_ties,
    conjugate,
    correlation_bar,
    correlation_dot,
    covariance_bar,
    covariance_dot,
    cumprod_bar,
    cumprod_dot,
    divide_or_zero,
    expand_reduced,
    neighbours,
    product_of_others,
    quantile_bar,
    quantile_dot,
    quantile_q_bar,
    quantile_q_dot,
    real_part,
    reverse_cumsum,
    share_ties,
    sorted_places,
    variables_bars,
    variables_of,
)

_METHODS = "linear, lower, higher, midpoint and nearest are differentiated"
_AXES_OF_NAN = "NumPy orders the axes of q differently where it skips what is not a number"

# Quantiles


@register_gradient(np.quantile, kind=reductions.quantile, selects=True)
def np_quantile(
    a: Any, q: Any, axis: Any = None, *, method: Any = "linear", keepdims: Any = False
) -> Any:
    """A mean of two neighbours in the sorted order, weighted by how far q is from each."""
    if method not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise GradientError(f"np.quantile with method={method!r} has no gradient", fix=_METHODS)
    y = np.quantile(a, q, axis=axis, method=method, keepdims=keepdims)

    def grad(y_bar: Any) -> Any:
        a_bar = quantile_bar(y_bar, a, q, axis, method)
        q_bar = quantile_q_bar(y_bar, a, q, axis, method)
        return a_bar, q_bar, None, None, None

    def jvp(a_dot: Any, q_dot: Any = 0.0) -> Any:
        moved = quantile_dot(a_dot, a, q, axis, method)
        slid = quantile_q_dot(q_dot, a, q, axis, method)
        return np.reshape(moved + slid, np.shape(y))

    return y, grad, jvp


@register_gradient(np.percentile, kind=reductions.quantile, selects=True)
def np_percentile(
    a: Any, q: Any, axis: Any = None, *, method: Any = "linear", keepdims: Any = False
) -> Any:
    """As `quantile`, of hundredths."""
    if method not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise GradientError(f"np.percentile with method={method!r} has no gradient", fix=_METHODS)
    y = np.percentile(a, q, axis=axis, method=method, keepdims=keepdims)
    share = np.true_divide(q, 100.0)

    def grad(y_bar: Any) -> Any:
        a_bar = quantile_bar(y_bar, a, share, axis, method)
        q_bar = quantile_q_bar(y_bar, a, share, axis, method) / 100.0
        return a_bar, q_bar, None, None, None

    def jvp(a_dot: Any, q_dot: Any = 0.0) -> Any:
        moved = quantile_dot(a_dot, a, share, axis, method)
        slid = quantile_q_dot(q_dot, a, share, axis, method) / 100.0
        return np.reshape(moved + slid, np.shape(y))

    return y, grad, jvp


@register_gradient(np.nanquantile, kind=reductions.quantile, selects=True)
def np_nanquantile(
    a: Any, q: Any, axis: Any = None, *, method: Any = "linear", keepdims: Any = False
) -> Any:
    """As `quantile`, of the entries that are numbers."""
    if method not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise GradientError(f"np.nanquantile with method={method!r} has no gradient", fix=_METHODS)
    if np.ndim(q) > 1:
        raise GradientError(_AXES_OF_NAN, fix="give the places in one row")
    y = np.nanquantile(a, q, axis=axis, method=method, keepdims=keepdims)

    def grad(y_bar: Any) -> Any:
        a_bar = quantile_bar(y_bar, a, q, axis, method, True)
        q_bar = quantile_q_bar(y_bar, a, q, axis, method, True)
        return a_bar, q_bar, None, None, None

    def jvp(a_dot: Any, q_dot: Any = 0.0) -> Any:
        moved = quantile_dot(a_dot, a, q, axis, method, True)
        slid = quantile_q_dot(q_dot, a, q, axis, method, True)
        return np.reshape(moved + slid, np.shape(y))

    return y, grad, jvp


@register_gradient(np.nanpercentile, kind=reductions.quantile, selects=True)
def np_nanpercentile(
    a: Any, q: Any, axis: Any = None, *, method: Any = "linear", keepdims: Any = False
) -> Any:
    """As `percentile`, of the entries that are numbers."""
    if method not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise GradientError(
            f"np.nanpercentile with method={method!r} has no gradient", fix=_METHODS
        )
    if np.ndim(q) > 1:
        raise GradientError(_AXES_OF_NAN, fix="give the places in one row")
    y = np.nanpercentile(a, q, axis=axis, method=method, keepdims=keepdims)
    share = np.true_divide(q, 100.0)

    def grad(y_bar: Any) -> Any:
        a_bar = quantile_bar(y_bar, a, share, axis, method, True)
        q_bar = quantile_q_bar(y_bar, a, share, axis, method, True) / 100.0
        return a_bar, q_bar, None, None, None

    def jvp(a_dot: Any, q_dot: Any = 0.0) -> Any:
        moved = quantile_dot(a_dot, a, share, axis, method, True)
        slid = quantile_q_dot(q_dot, a, share, axis, method, True) / 100.0
        return np.reshape(moved + slid, np.shape(y))

    return y, grad, jvp


@register_gradient(np.nanmedian, kind=reductions.float_reduced, selects=True)
def np_nanmedian(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The entries in the middle share the cotangent."""
    y = np.nanmedian(a, axis=axis, keepdims=keepdims)

    def grad(y_bar: Any) -> Any:
        return quantile_bar(y_bar, a, 0.5, axis, "linear", True), None, None

    def jvp(a_dot: Any) -> Any:
        y_dot = quantile_dot(a_dot, a, 0.5, axis, "linear", True)
        return np.reshape(y_dot, np.shape(y))

    return y, grad, jvp


# Reductions of the entries that are numbers


@register_gradient(np.nanmax, kind=reductions.reduced, selects=True)
def np_nanmax(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The entries that attain the maximum share the cotangent equally."""
    y = np.nanmax(a, axis=axis, keepdims=keepdims)

    def grad(y_bar: Any) -> Any:
        share = share_ties(a == expand_reduced(y, axis, keepdims), axis, y.dtype)
        return expand_reduced(y_bar, axis, keepdims) * share, None, None

    def jvp(a_dot: Any) -> Any:
        share = share_ties(a == expand_reduced(y, axis, keepdims), axis, y.dtype)
        return np.sum(share * a_dot, axis=axis, keepdims=keepdims)

    return y, grad, jvp


@register_gradient(np.nanmin, kind=reductions.reduced, selects=True)
def np_nanmin(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The entries that attain the minimum share the cotangent equally."""
    y = np.nanmin(a, axis=axis, keepdims=keepdims)

    def grad(y_bar: Any) -> Any:
        share = share_ties(a == expand_reduced(y, axis, keepdims), axis, y.dtype)
        return expand_reduced(y_bar, axis, keepdims) * share, None, None

    def jvp(a_dot: Any) -> Any:
        share = share_ties(a == expand_reduced(y, axis, keepdims), axis, y.dtype)
        return np.sum(share * a_dot, axis=axis, keepdims=keepdims)

    return y, grad, jvp


@register_gradient(np.nanprod, kind=reductions.reduced, selects=True)
def np_nanprod(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The product of the other entries that are numbers."""
    y = np.nanprod(a, axis=axis, keepdims=keepdims)

    def grad(y_bar: Any) -> Any:
        others = product_of_others(np.where(np.isnan(a), 1.0, a), axis)
        spread = expand_reduced(y_bar, axis, keepdims)
        return np.where(np.isnan(a), 0.0, spread * others), None, None

    def jvp(a_dot: Any) -> Any:
        others = product_of_others(np.where(np.isnan(a), 1.0, a), axis)
        change = np.where(np.isnan(a), 0.0, a_dot * others)
        return np.sum(change, axis=axis, keepdims=keepdims)

    return y, grad, jvp


@register_gradient(np.nanvar, kind=reductions.real_reduced, selects=True)
def np_nanvar(a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False) -> Any:
    """As `var`, of the entries that are numbers."""
    y = np.nanvar(a, axis=axis, ddof=ddof, keepdims=keepdims)

    def grad(y_bar: Any) -> Any:
        missing = np.isnan(a)
        deviation = np.where(missing, 0.0, a - np.nanmean(a, axis=axis, keepdims=True))
        count = np.sum(~missing, axis=axis, keepdims=True, dtype=y.dtype) - ddof
        a_bar = 2.0 * expand_reduced(y_bar, axis, keepdims) * conjugate(deviation) / count
        return a_bar, None, None, None

    def jvp(a_dot: Any) -> Any:
        missing = np.isnan(a)
        deviation = np.where(missing, 0.0, a - np.nanmean(a, axis=axis, keepdims=True))
        count = np.sum(~missing, axis=axis, keepdims=keepdims, dtype=y.dtype) - ddof
        return (
            2.0
            * np.sum(real_part(conjugate(deviation) * a_dot), axis=axis, keepdims=keepdims)
            / count
        )

    return y, grad, jvp


@register_gradient(np.nanstd, kind=reductions.real_reduced, selects=True)
def np_nanstd(a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False) -> Any:
    """As `std`, of the entries that are numbers: 0 where they are all equal."""
    y = np.nanstd(a, axis=axis, ddof=ddof, keepdims=keepdims)

    def grad(y_bar: Any) -> Any:
        missing = np.isnan(a)
        deviation = np.where(missing, 0.0, a - np.nanmean(a, axis=axis, keepdims=True))
        count = np.sum(~missing, axis=axis, keepdims=True, dtype=y.dtype) - ddof
        scale = expand_reduced(divide_or_zero(y_bar, y), axis, keepdims) / count
        return scale * conjugate(deviation), None, None, None

    def jvp(a_dot: Any) -> Any:
        missing = np.isnan(a)
        deviation = np.where(missing, 0.0, a - np.nanmean(a, axis=axis, keepdims=True))
        count = np.sum(~missing, axis=axis, keepdims=keepdims, dtype=y.dtype) - ddof
        change = np.sum(real_part(conjugate(deviation) * a_dot), axis=axis, keepdims=keepdims)
        return divide_or_zero(change, y) / count

    return y, grad, jvp


@register_gradient(np.nancumsum, kind=reductions.cumulative, selects=True)
def np_nancumsum(a: Any, axis: Any = None) -> Any:
    """As `cumsum`, where entries that are not numbers count as 0."""
    y = np.nancumsum(a, axis=axis)

    def grad(y_bar: Any) -> Any:
        if axis is None:
            a_bar = np.reshape(reverse_cumsum(y_bar, 0), np.shape(a))
            return np.where(np.isnan(a), 0.0, a_bar), None
        return np.where(np.isnan(a), 0.0, reverse_cumsum(y_bar, axis)), None

    def jvp(a_dot: Any) -> Any:
        return np.cumsum(np.where(np.isnan(a), 0.0, a_dot), axis=axis)

    return y, grad, jvp


@register_gradient(np.nancumprod, kind=reductions.cumulative, selects=True)
def np_nancumprod(a: Any, axis: Any = None) -> Any:
    """As `cumprod`, where entries that are not numbers count as 1."""
    y = np.nancumprod(a, axis=axis)

    def grad(y_bar: Any) -> Any:
        known = np.where(np.isnan(a), 1.0, a)
        if axis is None:
            a_bar = np.reshape(cumprod_bar(y_bar, np.ravel(known), y, 0), np.shape(a))
            return np.where(np.isnan(a), 0.0, a_bar), None
        return np.where(np.isnan(a), 0.0, cumprod_bar(y_bar, known, y, axis)), None

    def jvp(a_dot: Any) -> Any:
        known = np.where(np.isnan(a), 1.0, a)
        moved = np.where(np.isnan(a), 0.0, a_dot)
        if axis is None:
            return cumprod_dot(np.ravel(moved), np.ravel(known), y, 0)
        return cumprod_dot(moved, known, y, axis)

    return y, grad, jvp


# Covariances


@register_gradient(np.cov, kind=reductions.covariance)
def np_cov(m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: Any = None) -> Any:
    """With deviations D from the means, C = D D^H / n, so D_bar = (C_bar + C_bar^H) conj(D) / n."""
    c = np.cov(m, y, rowvar=rowvar, bias=bias, ddof=ddof)
    lost = (0 if bias else 1) if ddof is None else ddof

    def grad(c_bar: Any) -> Any:
        rows_bar = covariance_bar(c_bar, variables_of(m, y, rowvar), lost)
        bars = variables_bars(rows_bar, m, y, rowvar)
        return bars[0], bars[1], None, None, None

    def jvp(m_dot: Any, y_dot: Any = None) -> Any:
        more_dot = None if y is None else y_dot
        rows_dot = variables_of(m_dot, more_dot, rowvar)
        c_dot = covariance_dot(rows_dot, variables_of(m, y, rowvar), lost)
        return np.reshape(c_dot, np.shape(c))

    return c, grad, jvp


@register_gradient(np.corrcoef, kind=reductions.covariance)
def np_corrcoef(x: Any, y: Any = None, rowvar: Any = True) -> Any:
    """With standardized rows Z, C = Z Z^T; what changes their norm changes nothing."""
    if np.iscomplexobj(x):
        raise GradientError("np.corrcoef is differentiated for real variables only")
    c = np.corrcoef(x, y, rowvar=rowvar)

    def grad(c_bar: Any) -> Any:
        rows_bar = correlation_bar(c_bar, variables_of(x, y, rowvar))
        bars = variables_bars(rows_bar, x, y, rowvar)
        return bars[0], bars[1], None

    def jvp(x_dot: Any, y_dot: Any = None) -> Any:
        more_dot = None if y is None else y_dot
        rows_dot = variables_of(x_dot, more_dot, rowvar)
        c_dot = correlation_dot(rows_dot, variables_of(x, y, rowvar))
        return np.reshape(c_dot, np.shape(c))

    return c, grad, jvp


# Counts


@register_gradient(np.bincount, kind=reductions.bincount, linear=("weights",))
def np_bincount(x: Any, /, weights: Any = None, minlength: Any = 0) -> Any:
    """A weight goes into the bin that its number names; mere counts are constant."""
    y = np.bincount(x, weights=weights, minlength=minlength)

    def grad(y_bar: Any) -> Any:
        return None, None if weights is None else y_bar[x], None

    return y, grad


# What the gradients above call, for derivatives of higher order


@register_gradient(average_ties, linear=True)
def runtime_average_ties(g: Any, a: Any, places: Any) -> Any:
    """Averaging is symmetric: its transpose is itself."""
    y = average_ties(g, a, places)

    def grad(y_bar: Any) -> Any:
        return average_ties(y_bar, a, places), None, None

    return y, grad


zero_gradient(sorted_places, neighbours)
