"""Quantiles: means of two neighbours in the sorted order.

Which neighbours is piecewise constant, and how far the quantile is from each is linear in its place,
or constant, as the method says. The methods are those of R. J. Hyndman and Y. Fan, "Sample quantiles
in statistical packages" (1996).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.errors import GradientError
from tapeless.rules.arguments import as_given
from tapeless.rules.declare import built_in_zero, register_gradient
from tapeless.rules.results import reductions
from tapeless.runtime import (
    average_ties,
    axes_behind,
    chosen_entries_bar,
    chosen_entries_dot,
    chosen_shares,
    neighbours,
    quantile_bar,
    quantile_dot,
    quantile_q_bar,
    quantile_q_dot,
    quantile_shape,
    sorted_places,
)

_OVERWRITES = "what is overwritten while quantiles are found is not followed"
_AXES_OF_NAN = "NumPy orders the axes of q differently where it skips what is not a number"


@register_gradient(np.quantile, kind=reductions.quantile, selects=True)
def np_quantile(
    a: Any, q: Any, axis: Any = None, out: None = None, overwrite_input: Any = False,
    method: Any = "linear", keepdims: Any = False, *, weights: Any = None,
) -> Any:  # fmt: skip
    """A mean of two neighbours in the sorted order, weighted by how far q is from each.

    With weights it is an entry, which one does not change under small changes of the weights.
    """
    if overwrite_input:
        raise GradientError(_OVERWRITES, fix="leave out overwrite_input")
    given = as_given(weights=weights)
    y = np.quantile(a, q, axis=axis, method=method, keepdims=keepdims, **given)

    def grad(y_bar: Any) -> Any:
        if weights is not None:
            return (
                chosen_entries_bar(y_bar, a, y, q, axis),
                None,
                None,
                None,
                None,
                None,
                None,
                None,
            )
        a_bar = quantile_bar(y_bar, a, q, axis, method)
        q_bar = quantile_q_bar(y_bar, a, q, axis, method)
        return a_bar, q_bar, None, None, None, None, None, None

    def jvp(a_dot: Any, q_dot: Any = 0.0, weights_dot: Any = None) -> Any:
        if weights is not None:
            return chosen_entries_dot(a_dot, a, y, q, axis)
        moved = quantile_dot(a_dot, a, q, axis, method)
        slid = quantile_q_dot(q_dot, a, q, axis, method)
        return np.reshape(moved + slid, np.shape(y))

    return y, grad, jvp


@register_gradient(np.percentile, kind=reductions.quantile, selects=True)
def np_percentile(
    a: Any, q: Any, axis: Any = None, out: None = None, overwrite_input: Any = False,
    method: Any = "linear", keepdims: Any = False, *, weights: Any = None,
) -> Any:  # fmt: skip
    """As `quantile`, of hundredths."""
    if overwrite_input:
        raise GradientError(_OVERWRITES, fix="leave out overwrite_input")
    given = as_given(weights=weights)
    y = np.percentile(a, q, axis=axis, method=method, keepdims=keepdims, **given)
    share = np.true_divide(q, 100.0)

    def grad(y_bar: Any) -> Any:
        if weights is not None:
            return (
                chosen_entries_bar(y_bar, a, y, q, axis),
                None,
                None,
                None,
                None,
                None,
                None,
                None,
            )
        a_bar = quantile_bar(y_bar, a, share, axis, method)
        q_bar = quantile_q_bar(y_bar, a, share, axis, method) / 100.0
        return a_bar, q_bar, None, None, None, None, None, None

    def jvp(a_dot: Any, q_dot: Any = 0.0, weights_dot: Any = None) -> Any:
        if weights is not None:
            return chosen_entries_dot(a_dot, a, y, q, axis)
        moved = quantile_dot(a_dot, a, share, axis, method)
        slid = quantile_q_dot(q_dot, a, share, axis, method) / 100.0
        return np.reshape(moved + slid, np.shape(y))

    return y, grad, jvp


@register_gradient(np.nanquantile, kind=reductions.quantile, selects=True)
def np_nanquantile(
    a: Any, q: Any, axis: Any = None, out: None = None, overwrite_input: Any = False,
    method: Any = "linear", keepdims: Any = False, *, weights: Any = None,
) -> Any:  # fmt: skip
    """As `quantile`, of the entries that are numbers."""
    if overwrite_input:
        raise GradientError(_OVERWRITES, fix="leave out overwrite_input")
    if np.ndim(q) > 1:
        raise GradientError(_AXES_OF_NAN, fix="give the places in one row")
    given = as_given(weights=weights)
    y = np.nanquantile(a, q, axis=axis, method=method, keepdims=keepdims, **given)

    def grad(y_bar: Any) -> Any:
        if weights is not None:
            return (
                chosen_entries_bar(y_bar, a, y, q, axis),
                None,
                None,
                None,
                None,
                None,
                None,
                None,
            )
        a_bar = quantile_bar(y_bar, a, q, axis, method, True)
        q_bar = quantile_q_bar(y_bar, a, q, axis, method, True)
        return a_bar, q_bar, None, None, None, None, None, None

    def jvp(a_dot: Any, q_dot: Any = 0.0, weights_dot: Any = None) -> Any:
        if weights is not None:
            return chosen_entries_dot(a_dot, a, y, q, axis)
        moved = quantile_dot(a_dot, a, q, axis, method, True)
        slid = quantile_q_dot(q_dot, a, q, axis, method, True)
        return np.reshape(moved + slid, np.shape(y))

    return y, grad, jvp


@register_gradient(np.nanpercentile, kind=reductions.quantile, selects=True)
def np_nanpercentile(
    a: Any, q: Any, axis: Any = None, out: None = None, overwrite_input: Any = False,
    method: Any = "linear", keepdims: Any = False, *, weights: Any = None,
) -> Any:  # fmt: skip
    """As `percentile`, of the entries that are numbers."""
    if overwrite_input:
        raise GradientError(_OVERWRITES, fix="leave out overwrite_input")
    if np.ndim(q) > 1:
        raise GradientError(_AXES_OF_NAN, fix="give the places in one row")
    given = as_given(weights=weights)
    y = np.nanpercentile(a, q, axis=axis, method=method, keepdims=keepdims, **given)
    share = np.true_divide(q, 100.0)

    def grad(y_bar: Any) -> Any:
        if weights is not None:
            return (
                chosen_entries_bar(y_bar, a, y, q, axis),
                None,
                None,
                None,
                None,
                None,
                None,
                None,
            )
        a_bar = quantile_bar(y_bar, a, share, axis, method, True)
        q_bar = quantile_q_bar(y_bar, a, share, axis, method, True) / 100.0
        return a_bar, q_bar, None, None, None, None, None, None

    def jvp(a_dot: Any, q_dot: Any = 0.0, weights_dot: Any = None) -> Any:
        if weights is not None:
            return chosen_entries_dot(a_dot, a, y, q, axis)
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


# What the gradients above call, for derivatives of higher order


@register_gradient(average_ties, linear=True)
def runtime_average_ties(g: Any, a: Any, places: Any) -> Any:
    """Averaging is symmetric: its transpose is itself."""
    y = average_ties(g, a, places)

    def grad(y_bar: Any) -> Any:
        return average_ties(y_bar, a, places), None, None

    return y, grad


built_in_zero(sorted_places, neighbours, chosen_shares, quantile_shape, axes_behind)
