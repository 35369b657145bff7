"""Statistics: quantiles, covariances, counts with weights, and what skips missing entries.

A quantile is a weighted mean of two neighbours in the sorted order; a covariance is a product of
deviations; a count with weights is linear in them. What skips entries that are not numbers gives
them no cotangent.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.errors import GradientError
from tapeless.rules.arguments import as_given
from tapeless.rules.declare import register_gradient, zero_gradient
from tapeless.rules.results import reductions
from tapeless.runtime import (
    average_ties,
    conjugate,
    correlation_bar,
    correlation_dot,
    covariance_bar,
    covariance_dot,
    divide_or_zero,
    expand_reduced,
    if_inexact,
    missing_in,
    neighbours,
    product_of_others,
    quantile_bar,
    quantile_dot,
    quantile_q_bar,
    quantile_q_dot,
    real_part,
    scaled_deviations,
    share_ties,
    shares_of_extreme,
    sorted_places,
    tangent_in,
    unbroadcast,
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
def np_nanmedian(
    a: Any, axis: Any = None, out: None = None, overwrite_input: Any = False, keepdims: Any = False
) -> Any:
    """The entries in the middle share the cotangent."""
    if overwrite_input:
        raise GradientError(
            "np.nanmedian with overwrite_input=True has no gradient", fix="leave it out"
        )
    y = np.nanmedian(a, axis=axis, keepdims=keepdims)

    def grad(y_bar: Any) -> Any:
        return quantile_bar(y_bar, a, 0.5, axis, "linear", True), None, None, None, None

    def jvp(a_dot: Any) -> Any:
        y_dot = quantile_dot(a_dot, a, 0.5, axis, "linear", True)
        return np.reshape(y_dot, np.shape(y))

    return y, grad, jvp


# Reductions of the entries that are numbers


@register_gradient(np.nanmax, kind=reductions.reduced, selects=True)
def np_nanmax(
    a: Any, axis: Any = None, out: None = None, keepdims: Any = False, initial: Any = None,
    where: Any = None,
) -> Any:  # fmt: skip
    """The entries that attain the maximum share the cotangent equally, with `initial` if that does."""
    y = np.nanmax(a, axis=axis, keepdims=keepdims, **as_given(initial=initial, where=where))

    def grad(y_bar: Any) -> Any:
        if initial is None:
            share = share_ties(a == expand_reduced(y, axis, keepdims), axis, y.dtype)
            return expand_reduced(y_bar, axis, keepdims) * share, None, None, None, None, None
        shares = shares_of_extreme(a, y, axis, keepdims, initial, where)
        spread = expand_reduced(y_bar, axis, keepdims)
        return spread * shares[0], None, None, None, np.sum(spread * shares[1]), None

    def jvp(a_dot: Any, initial_dot: Any = 0.0) -> Any:
        if initial is None:
            share = share_ties(a == expand_reduced(y, axis, keepdims), axis, y.dtype)
            return np.sum(share * a_dot, axis=axis, keepdims=keepdims)
        shares = shares_of_extreme(a, y, axis, keepdims, initial, where)
        moved = np.sum(shares[0] * a_dot, axis=axis, keepdims=keepdims)
        return moved + np.reshape(shares[1], np.shape(y)) * initial_dot

    return y, grad, jvp


@register_gradient(np.nanmin, kind=reductions.reduced, selects=True)
def np_nanmin(
    a: Any, axis: Any = None, out: None = None, keepdims: Any = False, initial: Any = None,
    where: Any = None,
) -> Any:  # fmt: skip
    """The entries that attain the minimum share the cotangent equally, with `initial` if that does."""
    y = np.nanmin(a, axis=axis, keepdims=keepdims, **as_given(initial=initial, where=where))

    def grad(y_bar: Any) -> Any:
        if initial is None:
            share = share_ties(a == expand_reduced(y, axis, keepdims), axis, y.dtype)
            return expand_reduced(y_bar, axis, keepdims) * share, None, None, None, None, None
        shares = shares_of_extreme(a, y, axis, keepdims, initial, where)
        spread = expand_reduced(y_bar, axis, keepdims)
        return spread * shares[0], None, None, None, np.sum(spread * shares[1]), None

    def jvp(a_dot: Any, initial_dot: Any = 0.0) -> Any:
        if initial is None:
            share = share_ties(a == expand_reduced(y, axis, keepdims), axis, y.dtype)
            return np.sum(share * a_dot, axis=axis, keepdims=keepdims)
        shares = shares_of_extreme(a, y, axis, keepdims, initial, where)
        moved = np.sum(shares[0] * a_dot, axis=axis, keepdims=keepdims)
        return moved + np.reshape(shares[1], np.shape(y)) * initial_dot

    return y, grad, jvp


@register_gradient(np.nanprod, kind=reductions.reduced, selects=True)
def np_nanprod(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: Any = False,
    initial: Any = None, where: Any = None,
) -> Any:  # fmt: skip
    """The product of the other entries that are numbers."""
    given = as_given(dtype=dtype, initial=initial, where=where)
    y = np.nanprod(a, axis=axis, keepdims=keepdims, **given)
    kept = y.dtype

    def grad(y_bar: Any) -> Any:
        seed = y_bar if dtype is None else if_inexact(y_bar, kept)
        missing = np.isnan(a) if where is None else missing_in(a, where)
        known = np.where(missing, 1.0, a)
        first = seed if initial is None else seed * initial
        spread = expand_reduced(first, axis, keepdims)
        a_bar = np.where(missing, 0.0, spread * product_of_others(known, axis))
        initial_bar = np.sum(seed * np.prod(known, axis=axis, keepdims=keepdims))
        return a_bar, None, None, None, None, initial_bar, None

    def jvp(a_dot: Any, initial_dot: Any = 0.0) -> Any:
        missing = np.isnan(a) if where is None else missing_in(a, where)
        known = np.where(missing, 1.0, a)
        change = np.where(missing, 0.0, a_dot * product_of_others(known, axis))
        total = np.sum(change, axis=axis, keepdims=keepdims)
        product = np.prod(known, axis=axis, keepdims=keepdims)
        raised = total if initial is None else initial * total + product * initial_dot
        return raised if dtype is None else tangent_in(raised, kept)

    return y, grad, jvp


@register_gradient(np.nanvar, kind=reductions.real_reduced, selects=True)
def np_nanvar(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, ddof: Any = 0,
    keepdims: Any = False, *, where: Any = None, mean: Any = None, correction: Any = None,
) -> Any:  # fmt: skip
    """As `var`, of the entries that are numbers."""
    lost = ddof if correction is None else correction
    given = as_given(dtype=dtype, where=where, mean=mean)
    y = np.nanvar(a, axis=axis, ddof=lost, keepdims=keepdims, **given)

    def grad(y_bar: Any) -> Any:
        known = ~np.isnan(a) if where is None else ~missing_in(a, where)
        scaled = scaled_deviations(a, axis, mean, known, lost)
        a_bar = 2.0 * expand_reduced(y_bar, axis, keepdims) * conjugate(scaled)
        mean_bar = None if mean is None else -unbroadcast(a_bar, mean)
        return a_bar, None, None, None, None, None, None, mean_bar, None

    def jvp(a_dot: Any, mean_dot: Any = 0.0) -> Any:
        known = ~np.isnan(a) if where is None else ~missing_in(a, where)
        scaled = scaled_deviations(a, axis, mean, known, lost)
        moved = a_dot if mean is None else a_dot - mean_dot
        return 2.0 * np.sum(real_part(conjugate(scaled) * moved), axis=axis, keepdims=keepdims)

    return y, grad, jvp


@register_gradient(np.nanstd, kind=reductions.real_reduced, selects=True)
def np_nanstd(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, ddof: Any = 0,
    keepdims: Any = False, *, where: Any = None, mean: Any = None, correction: Any = None,
) -> Any:  # fmt: skip
    """As `std`, of the entries that are numbers: 0 where they are all equal."""
    lost = ddof if correction is None else correction
    given = as_given(dtype=dtype, where=where, mean=mean)
    y = np.nanstd(a, axis=axis, ddof=lost, keepdims=keepdims, **given)

    def grad(y_bar: Any) -> Any:
        known = ~np.isnan(a) if where is None else ~missing_in(a, where)
        scaled = scaled_deviations(a, axis, mean, known, lost)
        scale = expand_reduced(divide_or_zero(y_bar, y), axis, keepdims)
        a_bar = scale * conjugate(scaled)
        mean_bar = None if mean is None else -unbroadcast(a_bar, mean)
        return a_bar, None, None, None, None, None, None, mean_bar, None

    def jvp(a_dot: Any, mean_dot: Any = 0.0) -> Any:
        known = ~np.isnan(a) if where is None else ~missing_in(a, where)
        scaled = scaled_deviations(a, axis, mean, known, lost)
        moved = a_dot if mean is None else a_dot - mean_dot
        change = np.sum(real_part(conjugate(scaled) * moved), axis=axis, keepdims=keepdims)
        return divide_or_zero(change, y)

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
