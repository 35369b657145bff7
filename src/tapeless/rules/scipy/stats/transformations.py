"""Samples that are made more alike, or nearer to a normal distribution, written out."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special, stats

from tapeless.errors import GradientError
from tapeless.rules.declare import written_out

_ALL = "samples are transformed with a derivative for nan_policy='propagate'"
_SEARCHED = "the exponent that a search finds is not differentiated"
_GIVE = "give the exponent as `lmbda`"


def stats_zmap(
    scores: Any, compare: Any, axis: Any = 0, ddof: Any = 0, nan_policy: Any = "propagate"
) -> Any:
    if nan_policy != "propagate":
        raise GradientError(_ALL)
    centred = np.asarray(scores) - np.mean(compare, axis=axis, keepdims=True)
    return centred / np.std(compare, axis=axis, ddof=ddof, keepdims=True)


def stats_gzscore(a: Any, *, axis: Any = 0, ddof: Any = 0, nan_policy: Any = "propagate") -> Any:
    logs = np.log(a)
    return stats_zmap(logs, logs, axis, ddof, nan_policy)


def stats_gstd(
    a: Any, axis: Any = 0, ddof: Any = 1, *, keepdims: Any = False, nan_policy: Any = "propagate"
) -> Any:
    if nan_policy != "propagate":
        raise GradientError(_ALL)
    return np.exp(np.std(np.log(a), axis=axis, ddof=ddof, keepdims=keepdims))


def stats_boxcox(x: Any, lmbda: Any = None, alpha: Any = None, optimizer: Any = None) -> Any:
    if lmbda is None:
        raise GradientError(_SEARCHED, fix=_GIVE)
    return special.boxcox(x, lmbda)


def stats_boxcox_llf(
    lmb: Any, data: Any, *, axis: Any = 0, keepdims: Any = False, nan_policy: Any = "propagate"
) -> Any:
    """Return the likelihood of an exponent; see Box and Cox, 1964, equation 8."""
    if nan_policy != "propagate":
        raise GradientError(_ALL)
    count = np.size(data) if axis is None else np.shape(data)[axis]
    spread = np.log(np.var(special.boxcox(data, lmb), axis=axis, keepdims=keepdims))
    slopes = (lmb - 1.0) * np.sum(np.log(data), axis=axis, keepdims=keepdims)
    return slopes - 0.5 * count * spread


def stats_yeojohnson(x: Any, lmbda: Any = None) -> Any:
    """Transform what is positive as Box and Cox do, by one more, and what is negative mirrored."""
    if lmbda is None:
        raise GradientError(_SEARCHED, fix=_GIVE)
    x = np.asarray(x)
    above = special.boxcox1p(np.where(x < 0.0, 0.0, x), lmbda)
    return above - special.boxcox1p(np.where(x < 0.0, -x, 0.0), 2.0 - lmbda)


def stats_yeojohnson_llf(
    lmb: Any, data: Any, *, axis: Any = 0, nan_policy: Any = "propagate", keepdims: Any = False
) -> Any:
    """Return the likelihood of an exponent; see Yeo and Johnson, 2000, section 3."""
    if nan_policy != "propagate":
        raise GradientError(_ALL)
    x = np.asarray(data)
    count = np.size(x) if axis is None else np.shape(x)[axis]
    spread = np.log(np.var(stats_yeojohnson(x, lmb), axis=axis, keepdims=keepdims))
    slopes = np.sum(np.sign(x) * np.log1p(np.abs(x)), axis=axis, keepdims=keepdims)
    return (lmb - 1.0) * slopes - 0.5 * count * spread


for _function in (
    stats_zmap, stats_gzscore, stats_gstd, stats_boxcox, stats_boxcox_llf, stats_yeojohnson,
    stats_yeojohnson_llf,
):  # fmt: skip
    written_out(getattr(stats, _function.__name__.removeprefix("stats_")), _function)
