"""Reductions: sums, products, extrema and moments along axes.

A reduction maps the entries along some axes to one entry. Its derivative spreads the cotangent
back over those axes, weighted by the partials: 1 for a sum, 1/n for a mean, the product of the
other entries for a product, an equal share among those that tie for an extremum. Only the shape of
the operand is kept where the partials do not depend on its entries.

The parameters are those of NumPy. None stands for what is not given: then `where` is everything, and
`initial` nothing. An `out` is stored into before any rule is asked; a result in whole numbers jumps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.errors import GradientError
from tapeless.rules.arguments import as_given
from tapeless.rules.declare import built_in_zero, register_gradient
from tapeless.rules.results import reductions
from tapeless.rules.results.signals import like
from tapeless.runtime import (
    align_weights,
    align_weights_bar,
    conjugate,
    divide_by_spread,
    expand_reduced,
    if_inexact,
    median_share,
    missing_in,
    product_of_others,
    real_part,
    reduced_size,
    scaled_deviations,
    share_ties,
    shares_of_extreme,
    tangent_in,
    unbroadcast,
    unreduce,
)


@register_gradient((np.sum, np.ndarray.sum), kind=reductions.summed, total=True)
def np_sum(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: Any = False,
    initial: Any = None, where: Any = None,
) -> Any:  # fmt: skip
    """Here dy = sum da."""
    y = np.sum(
        a, axis=axis, dtype=dtype, keepdims=keepdims, **as_given(initial=initial, where=where)
    )
    shape = np.shape(a)
    kept = y.dtype

    def grad(y_bar: Any) -> Any:
        if dtype is None and where is None:
            initial_bar = np.sum(y_bar)
            return unreduce(y_bar, shape, axis, keepdims), None, None, None, None, initial_bar, None
        seed = y_bar if dtype is None else if_inexact(y_bar, kept)
        spread = unreduce(seed, shape, axis, keepdims)
        chosen = spread if where is None else np.where(where, spread, 0.0)
        return chosen, None, None, None, None, np.sum(seed), None

    def jvp(a_dot: Any, initial_dot: Any = 0.0) -> Any:
        if dtype is None and initial is None and where is None:
            return np.sum(a_dot, axis=axis, keepdims=keepdims)
        moved = a_dot if where is None else np.where(where, a_dot, 0.0)
        total = np.sum(moved, axis=axis, keepdims=keepdims)
        raised = total if initial is None else total + initial_dot
        return raised if dtype is None else tangent_in(raised, kept)

    return y, grad, jvp


@register_gradient(np.nansum, kind=reductions.summed, selects=True)
def np_nansum(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: Any = False,
    initial: Any = None, where: Any = None,
) -> Any:  # fmt: skip
    """Here dy = sum of da where a is a number."""
    y = np.nansum(
        a, axis=axis, dtype=dtype, keepdims=keepdims, **as_given(initial=initial, where=where)
    )
    kept = y.dtype

    def grad(y_bar: Any) -> Any:
        seed = y_bar if dtype is None else if_inexact(y_bar, kept)
        missing = np.isnan(a) if where is None else missing_in(a, where)
        spread = np.where(missing, 0.0, expand_reduced(seed, axis, keepdims))
        return spread, None, None, None, None, np.sum(seed), None

    def jvp(a_dot: Any, initial_dot: Any = 0.0) -> Any:
        missing = np.isnan(a) if where is None else missing_in(a, where)
        total = np.sum(np.where(missing, 0.0, a_dot), axis=axis, keepdims=keepdims)
        raised = total if initial is None else total + initial_dot
        return raised if dtype is None else tangent_in(raised, kept)

    return y, grad, jvp


@register_gradient((np.mean, np.ndarray.mean), kind=reductions.float_reduced, total=True)
def np_mean(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: Any = False, *,
    where: Any = None,
) -> Any:  # fmt: skip
    """Here dy = sum da / n."""
    y = np.mean(a, axis=axis, dtype=dtype, keepdims=keepdims, **as_given(where=where))
    shape = np.shape(a)
    kept = y.dtype

    def grad(y_bar: Any) -> Any:
        if dtype is None and where is None:
            scaled = y_bar / reduced_size(shape, axis)
            return unreduce(scaled, shape, axis, keepdims), None, None, None, None, None
        seed = y_bar if dtype is None else if_inexact(y_bar, kept)
        chosen = np.broadcast_to(True if where is None else where, shape)
        share = share_ties(chosen, axis, kept)
        return expand_reduced(seed, axis, keepdims) * share, None, None, None, None, None

    def jvp(a_dot: Any) -> Any:
        if dtype is None and where is None:
            return np.mean(a_dot, axis=axis, keepdims=keepdims)
        chosen = np.broadcast_to(True if where is None else where, shape)
        share = share_ties(chosen, axis, kept)
        mean_dot = np.sum(share * a_dot, axis=axis, keepdims=keepdims)
        return mean_dot if dtype is None else tangent_in(mean_dot, kept)

    return y, grad, jvp


@register_gradient(np.average, kind=reductions.average)
def np_average(
    a: Any, axis: Any = None, weights: Any = None, returned: Any = False, *, keepdims: Any = False
) -> Any:
    """Here y = sum w a / s with s = sum w, so dy = sum (w da + (a - y) dw) / s and ds = sum dw."""
    found = np.average(a, axis=axis, weights=weights, returned=returned, keepdims=keepdims)
    y = found[0] if returned else found
    shape = np.shape(a)

    def grad(*y_bars: Any) -> Any:
        if weights is None:
            a_bar = unreduce(y_bars[0] / reduced_size(shape, axis), shape, axis, keepdims)
            return a_bar, None, None, None, None
        w = np.broadcast_to(align_weights(weights, shape, axis), shape)
        scaled = expand_reduced(y_bars[0], axis, keepdims) / np.sum(w, axis=axis, keepdims=True)
        shift = scaled * (a - expand_reduced(y, axis, keepdims))
        w_bar = shift + expand_reduced(y_bars[1], axis, keepdims) if returned else shift
        return scaled * w, None, align_weights_bar(w_bar, np.shape(weights), axis), None, None

    def jvp(a_dot: Any, weights_dot: Any = None) -> Any:
        if weights is None:
            y_dot = np.mean(a_dot, axis=axis, keepdims=keepdims)
            return (y_dot, np.zeros_like(y_dot)) if returned else y_dot
        w = np.broadcast_to(align_weights(weights, shape, axis), shape)
        w_dot = np.broadcast_to(align_weights(weights_dot, shape, axis), shape)
        change = a_dot * w + (a - expand_reduced(y, axis, keepdims)) * w_dot
        raised = np.sum(change, axis=axis, keepdims=keepdims)
        y_dot = raised / np.sum(w, axis=axis, keepdims=keepdims)
        return (y_dot, np.sum(w_dot, axis=axis, keepdims=keepdims)) if returned else y_dot

    return found, grad, jvp


@register_gradient((np.prod, np.ndarray.prod), kind=reductions.summed)
def np_prod(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: Any = False,
    initial: Any = None, where: Any = None,
) -> Any:  # fmt: skip
    """Here dy/da[i] is the product of the other entries; never y / a[i], which fails at 0."""
    if dtype is not None and np.iscomplexobj(a):
        raise GradientError(
            "np.prod of complex numbers has no gradient with dtype=", fix="convert them before"
        )
    given = as_given(dtype=dtype, initial=initial, where=where)
    y = np.prod(a, axis=axis, keepdims=keepdims, **given)
    kept = y.dtype

    def grad(y_bar: Any) -> Any:
        seed = y_bar if dtype is None else if_inexact(y_bar, kept)
        first = seed if initial is None else seed * initial
        if where is None:
            a_bar = expand_reduced(first, axis, keepdims) * product_of_others(a, axis)
            initial_bar = np.sum(seed * np.prod(a, axis=axis, keepdims=keepdims))
            return a_bar, None, None, None, None, initial_bar, None
        known = np.where(where, a, 1.0)
        others = np.where(where, product_of_others(known, axis), 0.0)
        product = np.prod(known, axis=axis, keepdims=keepdims)
        spread = expand_reduced(first, axis, keepdims) * others
        return spread, None, None, None, None, np.sum(seed * product), None

    def jvp(a_dot: Any, initial_dot: Any = 0.0) -> Any:
        if dtype is None and initial is None and where is None:
            return np.sum(a_dot * product_of_others(a, axis), axis=axis, keepdims=keepdims)
        known = a if where is None else np.where(where, a, 1.0)
        moved = a_dot if where is None else np.where(where, a_dot, 0.0)
        total = np.sum(moved * product_of_others(known, axis), axis=axis, keepdims=keepdims)
        product = np.prod(known, axis=axis, keepdims=keepdims)
        raised = total if initial is None else initial * total + product * initial_dot
        return raised if dtype is None else tangent_in(raised, kept)

    return y, grad, jvp


@register_gradient((np.max, np.amax, np.ndarray.max), kind=reductions.reduced, selects=True)
def np_max(
    a: Any, axis: Any = None, out: None = None, keepdims: Any = False, initial: Any = None,
    where: Any = None,
) -> Any:  # fmt: skip
    """The entries that attain the maximum share the cotangent equally, with `initial` if that does."""
    y = np.max(a, axis=axis, keepdims=keepdims, **as_given(initial=initial, where=where))

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


@register_gradient((np.min, np.amin, np.ndarray.min), kind=reductions.reduced, selects=True)
def np_min(
    a: Any, axis: Any = None, out: None = None, keepdims: Any = False, initial: Any = None,
    where: Any = None,
) -> Any:  # fmt: skip
    """The entries that attain the minimum share the cotangent equally, with `initial` if that does."""
    y = np.min(a, axis=axis, keepdims=keepdims, **as_given(initial=initial, where=where))

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


@register_gradient(np.ptp, kind=reductions.reduced, selects=True)
def np_ptp(a: Any, axis: Any = None, out: None = None, keepdims: Any = False) -> Any:
    """The maximum minus the minimum: each end shares its cotangent among its ties."""
    y = np.ptp(a, axis=axis, keepdims=keepdims)

    def grad(y_bar: Any) -> Any:
        top = share_ties(a == np.max(a, axis=axis, keepdims=True), axis, y.dtype)
        bottom = share_ties(a == np.min(a, axis=axis, keepdims=True), axis, y.dtype)
        return expand_reduced(y_bar, axis, keepdims) * (top - bottom), None, None, None

    def jvp(a_dot: Any) -> Any:
        top = share_ties(a == np.max(a, axis=axis, keepdims=True), axis, y.dtype)
        bottom = share_ties(a == np.min(a, axis=axis, keepdims=True), axis, y.dtype)
        return np.sum((top - bottom) * a_dot, axis=axis, keepdims=keepdims)

    return y, grad, jvp


@register_gradient((np.var, np.ndarray.var), kind=reductions.real_reduced)
def np_var(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, ddof: Any = 0,
    keepdims: Any = False, *, where: Any = None, mean: Any = None, correction: Any = None,
) -> Any:  # fmt: skip
    """Here y = sum |a - m|^2 / (n - ddof); dm contributes nothing, unless it was given."""
    if dtype is not None and np.iscomplexobj(a):
        raise GradientError(
            "np.var of complex numbers has no gradient with dtype=", fix="convert them before"
        )
    lost = ddof if correction is None else correction
    given = as_given(dtype=dtype, where=where, mean=mean)
    y = np.var(a, axis=axis, ddof=lost, keepdims=keepdims, **given)

    def grad(y_bar: Any) -> Any:
        if where is None:
            middle = np.mean(a, axis=axis, keepdims=True) if mean is None else mean
            deviation = conjugate(a - middle)
            count = reduced_size(np.shape(a), axis) - lost
            a_bar = 2.0 * expand_reduced(y_bar, axis, keepdims) * deviation / count
        else:
            scaled = scaled_deviations(a, axis, mean, where, lost)
            a_bar = 2.0 * expand_reduced(y_bar, axis, keepdims) * conjugate(scaled)
        if mean is None:
            return a_bar, None, None, None, None, None, None, None, None
        mean_bar = -unbroadcast(a_bar, mean)
        return unbroadcast(a_bar, a), None, None, None, None, None, None, mean_bar, None

    def jvp(a_dot: Any, mean_dot: Any = 0.0) -> Any:
        moved = a_dot if mean is None else a_dot - mean_dot
        if where is not None:
            scaled = scaled_deviations(a, axis, mean, where, lost)
            change = real_part(conjugate(scaled) * moved)
            return 2.0 * np.sum(change, axis=axis, keepdims=keepdims)
        middle = np.mean(a, axis=axis, keepdims=True) if mean is None else mean
        deviation = conjugate(a - middle)
        count = reduced_size(np.shape(a), axis) - lost
        total = np.sum(real_part(deviation * moved), axis=axis, keepdims=keepdims)
        return 2.0 * total / count

    return y, grad, jvp


@register_gradient((np.std, np.ndarray.std), kind=reductions.real_reduced)
def np_std(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, ddof: Any = 0,
    keepdims: Any = False, *, where: Any = None, mean: Any = None, correction: Any = None,
) -> Any:  # fmt: skip
    """Here dy = d(y^2) / (2 y), with 0 where the entries are all equal."""
    if dtype is not None and np.iscomplexobj(a):
        raise GradientError(
            "np.std of complex numbers has no gradient with dtype=", fix="convert them before"
        )
    lost = ddof if correction is None else correction
    given = as_given(dtype=dtype, where=where, mean=mean)
    y = np.std(a, axis=axis, ddof=lost, keepdims=keepdims, **given)

    def grad(y_bar: Any) -> Any:
        spread = expand_reduced(y, axis, keepdims)
        if where is not None:
            scaled = scaled_deviations(a, axis, mean, where, lost)
            y_bar = expand_reduced(y_bar, axis, keepdims)
            a_bar = divide_by_spread(y_bar, spread, scaled) * conjugate(scaled)
        else:
            middle = np.mean(a, axis=axis, keepdims=True) if mean is None else mean
            count = reduced_size(np.shape(a), axis) - lost
            scale = divide_by_spread(expand_reduced(y_bar, axis, keepdims), spread, middle) / count
            a_bar = scale * conjugate(a - middle)
        if mean is None:
            return a_bar, None, None, None, None, None, None, None, None
        mean_bar = -unbroadcast(a_bar, mean)
        return unbroadcast(a_bar, a), None, None, None, None, None, None, mean_bar, None

    def jvp(a_dot: Any, mean_dot: Any = 0.0) -> Any:
        moved = a_dot if mean is None else a_dot - mean_dot
        spread = expand_reduced(y, axis, keepdims)
        if where is not None:
            scaled = scaled_deviations(a, axis, mean, where, lost)
            change = divide_by_spread(1.0, spread, scaled) * real_part(conjugate(scaled) * moved)
            return np.sum(change, axis=axis, keepdims=keepdims)
        middle = np.mean(a, axis=axis, keepdims=True) if mean is None else mean
        count = reduced_size(np.shape(a), axis) - lost
        scale = divide_by_spread(1.0, spread, middle) / count
        change = scale * real_part(conjugate(a - middle) * moved)
        return np.sum(change, axis=axis, keepdims=keepdims)

    return y, grad, jvp


@register_gradient(np.nanmean, kind=reductions.float_reduced, selects=True)
def np_nanmean(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: Any = False, *,
    where: Any = None,
) -> Any:  # fmt: skip
    """Here dy = sum da / n over the n entries that are numbers."""
    y = np.nanmean(a, axis=axis, dtype=dtype, keepdims=keepdims, **as_given(where=where))

    def grad(y_bar: Any) -> Any:
        chosen = ~np.isnan(a) if where is None else ~np.isnan(a) & where
        share = share_ties(chosen, axis, y.dtype)
        return expand_reduced(y_bar, axis, keepdims) * share, None, None, None, None, None

    def jvp(a_dot: Any) -> Any:
        chosen = ~np.isnan(a) if where is None else ~np.isnan(a) & where
        share = share_ties(chosen, axis, y.dtype)
        return np.sum(share * a_dot, axis=axis, keepdims=keepdims)

    return y, grad, jvp


built_in_zero(median_share, kind=like(0, "a"))


@register_gradient(np.median, kind=reductions.float_reduced, selects=True)
def np_median(
    a: Any, axis: Any = None, out: None = None, overwrite_input: Any = False, keepdims: Any = False
) -> Any:
    """The entries in the middle share the cotangent: the one, or the two half each."""
    if overwrite_input:
        raise GradientError(
            "np.median with overwrite_input=True has no gradient", fix="leave it out"
        )
    y = np.median(a, axis=axis, keepdims=keepdims)

    def grad(y_bar: Any) -> Any:
        a_bar = expand_reduced(y_bar, axis, keepdims) * median_share(a, axis)
        return a_bar, None, None, None, None

    def jvp(a_dot: Any) -> Any:
        return np.sum(median_share(a, axis) * a_dot, axis=axis, keepdims=keepdims)

    return y, grad, jvp
