"""Statistics: covariances, counts with weights, and what skips missing entries.

A covariance is a product of deviations; a count with weights is linear in them. What skips entries
that are not numbers gives them no cotangent.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.errors import GradientError
from tapeless.rules.arguments import as_given
from tapeless.rules.declare import register_gradient
from tapeless.rules.results import reductions
from tapeless.runtime import (
    conjugate,
    correlation_bar,
    correlation_dot,
    covariance_bar,
    covariance_dot,
    covariance_weights_bar,
    divide_or_zero,
    expand_reduced,
    if_inexact,
    missing_in,
    product_of_others,
    real_part,
    scaled_deviations,
    share_ties,
    shares_of_extreme,
    tangent_in,
    unbroadcast,
    variables_bars,
    variables_of,
    weighted_covariance_bar,
    weighted_covariance_dot,
)

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


@register_gradient(np.nanprod, kind=reductions.summed, selects=True)
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
def np_cov(
    m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: Any = None,
    fweights: Any = None, aweights: Any = None, *, dtype: Any = None,
) -> Any:  # fmt: skip
    """With deviations D from the means, C = D D^H / n, so D_bar = (C_bar + C_bar^H) conj(D) / n.

    With weights W it is C = D W D^H / n, and n depends on the weights.
    """
    given = as_given(fweights=fweights, aweights=aweights, dtype=dtype)
    c = np.cov(m, y, rowvar=rowvar, bias=bias, ddof=ddof, **given)
    lost = (0 if bias else 1) if ddof is None else ddof

    def grad(c_bar: Any) -> Any:
        rows = variables_of(m, y, rowvar)
        if fweights is None and aweights is None:
            bars = variables_bars(covariance_bar(c_bar, rows, lost), m, y, rowvar)
            return bars[0], bars[1], None, None, None, None, None, None
        rows_bar = weighted_covariance_bar(c_bar, rows, lost, fweights, aweights)
        bars = variables_bars(rows_bar, m, y, rowvar)
        if aweights is None:
            return bars[0], bars[1], None, None, None, None, None, None
        weights_bar = covariance_weights_bar(c_bar, c, rows, lost, fweights, aweights)
        return bars[0], bars[1], None, None, None, None, weights_bar, None

    def jvp(m_dot: Any, y_dot: Any = None, aweights_dot: Any = None) -> Any:
        more_dot = None if y is None else y_dot
        rows_dot = variables_of(m_dot, more_dot, rowvar)
        rows = variables_of(m, y, rowvar)
        if fweights is None and aweights is None:
            return np.reshape(covariance_dot(rows_dot, rows, lost), np.shape(c))
        return weighted_covariance_dot(rows_dot, aweights_dot, c, rows, lost, fweights, aweights)

    return c, grad, jvp


@register_gradient(np.corrcoef, kind=reductions.covariance)
def np_corrcoef(x: Any, y: Any = None, rowvar: Any = True, *, dtype: Any = None) -> Any:
    """With standardized rows Z, C = Z Z^T; what changes their norm changes nothing."""
    if np.iscomplexobj(x):
        raise GradientError("np.corrcoef is differentiated for real variables only")
    c = np.corrcoef(x, y, rowvar=rowvar, **as_given(dtype=dtype))

    def grad(c_bar: Any) -> Any:
        rows_bar = correlation_bar(c_bar, variables_of(x, y, rowvar))
        bars = variables_bars(rows_bar, x, y, rowvar)
        return bars[0], bars[1], None, None

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
