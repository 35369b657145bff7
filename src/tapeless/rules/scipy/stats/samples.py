"""Statistics of samples, written out."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from tapeless.errors import GradientError
from tapeless.rules.declare import written_out, zero_gradient

zero_gradient(stats.rankdata)
_ALL = "statistics of samples are differentiated for nan_policy='propagate' and keepdims=False"


def stats_zscore(a: Any, axis: Any = 0, ddof: Any = 0, nan_policy: Any = "propagate") -> Any:
    if nan_policy != "propagate":
        raise GradientError(_ALL)
    centred = a - np.mean(a, axis=axis, keepdims=True)
    return centred / np.std(a, axis=axis, ddof=ddof, keepdims=True)


def stats_gmean(
    a: Any, axis: Any = 0, dtype: Any = None, weights: Any = None, nan_policy: Any = "propagate",
    keepdims: Any = False,
) -> Any:  # fmt: skip
    if nan_policy != "propagate" or keepdims or dtype is not None:
        raise GradientError(_ALL)
    if weights is None:
        return np.exp(np.mean(np.log(a), axis=axis))
    return np.exp(np.sum(weights * np.log(a), axis=axis) / np.sum(weights, axis=axis))


def stats_hmean(
    a: Any, axis: Any = 0, dtype: Any = None, *, weights: Any = None,
    nan_policy: Any = "propagate", keepdims: Any = False,
) -> Any:  # fmt: skip
    if nan_policy != "propagate" or keepdims or dtype is not None or weights is not None:
        raise GradientError(_ALL)
    return 1.0 / np.mean(1.0 / a, axis=axis)


def stats_sem(
    a: Any, axis: Any = 0, ddof: Any = 1, nan_policy: Any = "propagate", *, keepdims: Any = False
) -> Any:
    if nan_policy != "propagate" or keepdims:
        raise GradientError(_ALL)
    size = np.size(a) if axis is None else np.shape(a)[axis]
    return np.std(a, axis=axis, ddof=ddof) / np.sqrt(size)


def stats_moment(
    a: Any, order: Any = 1, axis: Any = 0, nan_policy: Any = "propagate", *, center: Any = None,
    keepdims: Any = False,
) -> Any:  # fmt: skip
    if nan_policy != "propagate" or keepdims:
        raise GradientError(_ALL)
    middle = np.mean(a, axis=axis, keepdims=True) if center is None else center
    return np.mean((a - middle) ** order, axis=axis)


def standard_moment(a: Any, order: Any, axis: Any) -> Any:
    """Return a central moment in units of the standard deviation."""
    centred = a - np.mean(a, axis=axis, keepdims=True)
    variance = np.mean(centred**2, axis=axis)
    return np.mean(centred**order, axis=axis) / variance ** (0.5 * order)


def stats_skew(
    a: Any, axis: Any = 0, bias: Any = True, nan_policy: Any = "propagate", *,
    keepdims: Any = False,
) -> Any:  # fmt: skip
    if nan_policy != "propagate" or keepdims:
        raise GradientError(_ALL)
    found = standard_moment(a, 3, axis)
    n = np.size(a) if axis is None else np.shape(a)[axis]
    return found if bias else found * np.sqrt((n - 1.0) * n) / (n - 2.0)


def stats_kurtosis(
    a: Any, axis: Any = 0, fisher: Any = True, bias: Any = True, nan_policy: Any = "propagate", *,
    keepdims: Any = False,
) -> Any:  # fmt: skip
    if nan_policy != "propagate" or keepdims:
        raise GradientError(_ALL)
    found = standard_moment(a, 4, axis)
    if not bias:
        n = np.size(a) if axis is None else np.shape(a)[axis]
        found = 3.0 + ((n**2 - 1.0) * found - 3.0 * (n - 1.0) ** 2) / ((n - 2.0) * (n - 3.0))
    return found - 3.0 if fisher else found


def stats_entropy(
    pk: Any, qk: Any = None, base: Any = None, axis: Any = 0, *, nan_policy: Any = "propagate",
    keepdims: Any = False,
) -> Any:  # fmt: skip
    if nan_policy != "propagate" or keepdims:
        raise GradientError(_ALL)
    p = pk / np.sum(pk, axis=axis, keepdims=True)
    safe = np.where(p > 0, p, 1.0)
    if qk is None:
        found = -np.sum(p * np.log(safe), axis=axis)
    else:
        q = qk / np.sum(qk, axis=axis, keepdims=True)
        found = np.sum(p * (np.log(safe) - np.log(np.where(p > 0, q, 1.0))), axis=axis)
    return found if base is None else found / np.log(base)


for _function in (
    stats_zscore, stats_gmean, stats_hmean, stats_sem, stats_moment, stats_skew, stats_kurtosis,
    stats_entropy,
):  # fmt: skip
    written_out(getattr(stats, _function.__name__.removeprefix("stats_")), _function)
