"""Tests of whether groups have the same mean or spread, and of p-values together, written out.

Each compares how the groups differ with how the samples within them do.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special, stats

from tapeless.errors import GradientError
from tapeless.rules.declare import written_out
from tapeless.rules.scipy.stats.hypotheses import Tested, p_value_of_student

_GROUPS = "tests of groups are differentiated for nan_policy='propagate'"


def p_value_of_fisher(f: Any, first: Any, second: Any) -> Any:
    """Return how probable a quotient of variances at least as large is (DLMF 8.17)."""
    return special.betainc(0.5 * second, 0.5 * first, second / (second + first * f))


def means_and_squares(samples: Any, axis: Any, keepdims: Any) -> Any:
    """Return, group by group, how many samples it has, their mean, and the squares of what is apart."""
    means = np.stack([np.mean(s, axis=axis, keepdims=keepdims) for s in samples])
    apart = [s - np.mean(s, axis=axis, keepdims=True) for s in samples]
    squares = np.stack([np.sum(a**2, axis=axis, keepdims=keepdims) for a in apart])
    sizes = np.array([np.size(s) if axis is None else np.shape(s)[axis] for s in samples])
    shape = (len(samples),) + (1,) * (np.ndim(means) - 1)
    return np.reshape(sizes.astype(means.dtype), shape), means, squares


def stats_f_oneway(
    *samples: Any, axis: Any = 0, equal_var: Any = True, nan_policy: Any = "propagate",
    keepdims: Any = False,
) -> Any:  # fmt: skip
    """Without equal variances each group weighs as much as its mean is certain (Welch 1951)."""
    if nan_policy != "propagate":
        raise GradientError(_GROUPS)
    if len(samples) < 2:
        raise TypeError(f"at least two inputs are required; got {len(samples)}.")
    k = len(samples)
    n, means, squares = means_and_squares([np.asarray(s) for s in samples], axis, keepdims)
    weights = n + 0.0 * squares if equal_var else n * (n - 1.0) / squares
    shares = weights / np.sum(weights, axis=0)
    middle = np.sum(shares * means, axis=0)
    between = np.sum(weights * (means - middle) ** 2, axis=0) / (k - 1)
    if equal_var:
        free = np.sum(n) - k
        f = between / (np.sum(squares, axis=0) / free)
        return Tested(f, p_value_of_fisher(f, k - 1, free))
    unsure = np.sum((1.0 - shares) ** 2 / (n - 1.0), axis=0)
    f = between / (1.0 + 2.0 * (k - 2) / (k**2 - 1) * unsure)
    return Tested(f, p_value_of_fisher(f, k - 1, (k**2 - 1) / (3.0 * unsure)))


def stats_bartlett(
    *samples: Any, axis: Any = 0, nan_policy: Any = "propagate", keepdims: Any = False
) -> Any:
    """Compare the mean of the logarithms of the variances with the logarithm of their mean."""
    if nan_policy != "propagate":
        raise GradientError(_GROUPS)
    if len(samples) < 2:
        raise ValueError("Must enter at least two input sample vectors.")
    k = len(samples)
    n, _, squares = means_and_squares([np.asarray(s) for s in samples], axis, keepdims)
    free = n - 1.0
    total = np.sum(free)
    pooled = np.log(np.sum(squares, axis=0) / total)
    apart = total * pooled - np.sum(free * np.log(squares / free), axis=0)
    statistic = apart / (1.0 + (np.sum(1.0 / free) - 1.0 / total) / (3.0 * (k - 1)))
    return Tested(statistic, special.chdtrc(k - 1.0, statistic))


def middle_of(a: Any, center: Any, proportiontocut: Any, axis: Any) -> Any:
    """Return the middle of the samples along an axis, which is kept."""
    if center == "median":
        return np.median(a, axis=axis, keepdims=True)
    if center == "mean":
        return np.mean(a, axis=axis, keepdims=True)
    if center == "trimmed":
        return np.expand_dims(stats.trim_mean(a, proportiontocut, axis=axis), axis)
    raise ValueError("center must be 'mean', 'median' or 'trimmed'.")


def stats_levene(
    *samples: Any, center: Any = "median", proportiontocut: Any = 0.05, axis: Any = 0,
    nan_policy: Any = "propagate", keepdims: Any = False,
) -> Any:  # fmt: skip
    """The analysis of variance of how far the samples are from the middle of their group."""
    if axis is None:
        raise GradientError("levene is differentiated along an axis", fix="flatten the samples")
    groups = [np.asarray(s) for s in samples]
    apart = [np.abs(s - middle_of(s, center, proportiontocut, axis)) for s in groups]
    return stats_f_oneway(*apart, axis=axis, nan_policy=nan_policy, keepdims=keepdims)


def stats_ttest_ind_from_stats(
    mean1: Any, std1: Any, nobs1: Any, mean2: Any, std2: Any, nobs2: Any, equal_var: Any = True,
    alternative: Any = "two-sided",
) -> Any:  # fmt: skip
    first, second = np.asarray(std1) ** 2, np.asarray(std2) ** 2
    if equal_var:
        df = nobs1 + nobs2 - 2.0
        pooled = ((nobs1 - 1) * first + (nobs2 - 1) * second) / df
        error = np.sqrt(pooled * (1.0 / nobs1 + 1.0 / nobs2))
    else:
        first, second = first / nobs1, second / nobs2
        df = (first + second) ** 2 / (first**2 / (nobs1 - 1) + second**2 / (nobs2 - 1))
        error = np.sqrt(first + second)
    t = (np.asarray(mean1) - np.asarray(mean2)) / error
    return Tested(t, p_value_of_student(t, df, alternative))


def stats_combine_pvalues(
    pvalues: Any, method: Any = "fisher", weights: Any = None, *, axis: Any = 0,
    nan_policy: Any = "propagate", keepdims: Any = False,
) -> Any:  # fmt: skip
    """Each method adds up one function of the p-values, whose distribution is known."""
    if nan_policy != "propagate":
        raise GradientError(_GROUPS)
    p = np.asarray(pvalues)
    n = 1.0 * (np.size(p) if axis is None else np.shape(p)[axis])
    if method == "stouffer":
        w = np.ones_like(p) if weights is None else np.asarray(weights)
        length = np.sqrt(np.sum(w * w, axis=axis, keepdims=keepdims))
        z = -np.sum(w * special.ndtri(p), axis=axis, keepdims=keepdims) / length
        return Tested(z, special.ndtr(-z))
    if method == "tippett":
        least = np.min(p, axis=axis, keepdims=keepdims)
        return Tested(least, 1.0 - (1.0 - least) ** n)
    low = -np.sum(np.log(p), axis=axis, keepdims=keepdims)
    high = np.sum(np.log1p(-p), axis=axis, keepdims=keepdims)
    if method == "fisher":
        return Tested(2.0 * low, special.chdtrc(2.0 * n, 2.0 * low))
    if method == "pearson":
        return Tested(2.0 * high, special.chdtr(2.0 * n, -2.0 * high))
    if method != "mudholkar_george":
        raise ValueError(f"Invalid method {method!r}.")
    df = 5.0 * n + 4.0
    t = (low + high) * (math.sqrt(3.0 / n) / math.pi * math.sqrt(df / (df - 2.0)))
    return Tested(low + high, special.stdtr(df, -t))


for _function in (
    stats_f_oneway, stats_bartlett, stats_levene, stats_ttest_ind_from_stats, stats_combine_pvalues,
):  # fmt: skip
    written_out(
        getattr(stats, _function.__name__.removeprefix("stats_")), _function, of_arrays=True
    )
