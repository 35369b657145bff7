"""Of the shape of a distribution, by its samples: tests of whether it is normal, and k-statistics.

The k-statistics of Fisher are the functions of power sums whose means are the cumulants.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import special, stats

from tapeless.errors import GradientError
from tapeless.rules.declare import written_out
from tapeless.rules.scipy.stats.hypotheses import Tested

_ALL = "statistics of samples are differentiated for nan_policy='propagate'"


def size_along(a: Any, axis: Any) -> Any:
    """Return how many samples there are along an axis, None for all."""
    return np.size(a) if axis is None else np.shape(a)[axis]


def p_value_of_normal(z: Any, alternative: Any) -> Any:
    """Return how probable a statistic at least as extreme is, by the normal distribution."""
    if alternative == "less":
        return special.ndtr(z)
    if alternative == "greater":
        return special.ndtr(-z)
    if alternative == "two-sided":
        return 2.0 * special.ndtr(-np.abs(z))
    raise ValueError("`alternative` must be 'less', 'greater', or 'two-sided'.")


def stats_kstat(
    data: Any, n: Any = 2, *, axis: Any = None, nan_policy: Any = "propagate",
    keepdims: Any = False,
) -> Any:  # fmt: skip
    """The sums are those of what is apart from the mean, which nothing but the first depends on."""
    if nan_policy != "propagate":
        raise GradientError(_ALL)
    if n not in (1, 2, 3, 4):
        raise ValueError("k-statistics only supported for 1<=n<=4")
    size = size_along(data, axis)
    if n == 1:
        return np.mean(data, axis=axis, keepdims=keepdims)
    apart = data - np.mean(data, axis=axis, keepdims=True)
    second = np.sum(apart**2, axis=axis, keepdims=keepdims)
    if n == 2:
        return second / (size - 1.0)
    if n == 3:
        third = np.sum(apart**3, axis=axis, keepdims=keepdims)
        return size * third / ((size - 1.0) * (size - 2.0))
    fourth = np.sum(apart**4, axis=axis, keepdims=keepdims)
    above = size * (size + 1.0) * fourth - 3.0 * (size - 1.0) * second**2
    return above / ((size - 1.0) * (size - 2.0) * (size - 3.0))


def stats_kstatvar(
    data: Any, n: Any = 2, *, axis: Any = None, nan_policy: Any = "propagate",
    keepdims: Any = False,
) -> Any:  # fmt: skip
    size = size_along(data, axis)
    k2 = stats_kstat(data, 2, axis=axis, nan_policy=nan_policy, keepdims=keepdims)
    if n == 1:
        return k2 / size
    if n != 2:
        raise ValueError("Only n=1 or n=2 supported.")
    k4 = stats_kstat(data, 4, axis=axis, keepdims=keepdims)
    return (2.0 * size * k2**2 + (size - 1.0) * k4) / (size * (size + 1.0))


def stats_skewtest(
    a: Any, axis: Any = 0, nan_policy: Any = "propagate", alternative: Any = "two-sided", *,
    keepdims: Any = False,
) -> Any:  # fmt: skip
    """Skewness, brought to a normal distribution by an inverse sine (D'Agostino 1970)."""
    if nan_policy != "propagate":
        raise GradientError(_ALL)
    n = 1.0 * size_along(a, axis)
    if n < 8:
        raise GradientError("skewtest is differentiated for eight samples or more")
    scale = math.sqrt((n + 1.0) * (n + 3.0) / (6.0 * (n - 2.0)))
    y = scale * stats.skew(a, axis=axis, keepdims=keepdims)
    above = 3.0 * (n**2 + 27.0 * n - 70.0) * (n + 1.0) * (n + 3.0)
    beta2 = above / ((n - 2.0) * (n + 5.0) * (n + 7.0) * (n + 9.0))
    width = math.sqrt(2.0 * (beta2 - 1.0)) - 1.0
    z = np.arcsinh(y * math.sqrt(0.5 * (width - 1.0))) / math.sqrt(0.5 * math.log(width))
    return Tested(z, p_value_of_normal(z, alternative))


def stats_kurtosistest(
    a: Any, axis: Any = 0, nan_policy: Any = "propagate", alternative: Any = "two-sided", *,
    keepdims: Any = False,
) -> Any:  # fmt: skip
    """Kurtosis, brought to a normal distribution by a cube root (Anscombe and Glynn 1983)."""
    if nan_policy != "propagate":
        raise GradientError(_ALL)
    n = 1.0 * size_along(a, axis)
    if n < 5:
        raise GradientError("kurtosistest is differentiated for five samples or more")
    below = (n + 1.0) ** 2 * (n + 3.0) * (n + 5.0)
    spread = math.sqrt(24.0 * n * (n - 2.0) * (n - 3.0) / below)
    b2 = stats.kurtosis(a, axis=axis, fisher=False, keepdims=keepdims)
    x = (b2 - 3.0 * (n - 1.0) / (n + 1.0)) / spread
    root = math.sqrt(6.0 * (n + 3.0) * (n + 5.0) / (n * (n - 2.0) * (n - 3.0)))
    skewness = 6.0 * (n * n - 5.0 * n + 2.0) / ((n + 7.0) * (n + 9.0)) * root
    df = 6.0 + 8.0 / skewness * (2.0 / skewness + math.sqrt(1.0 + 4.0 / skewness**2))
    quotient = (1.0 - 2.0 / df) / (1.0 + x * math.sqrt(2.0 / (df - 4.0)))
    z = (1.0 - 2.0 / (9.0 * df) - np.cbrt(quotient)) / math.sqrt(2.0 / (9.0 * df))
    return Tested(z, p_value_of_normal(z, alternative))


def stats_normaltest(
    a: Any, axis: Any = 0, nan_policy: Any = "propagate", *, keepdims: Any = False
) -> Any:
    skewed = stats_skewtest(a, axis, nan_policy, keepdims=keepdims).statistic
    peaked = stats_kurtosistest(a, axis, nan_policy, keepdims=keepdims).statistic
    statistic = skewed**2 + peaked**2
    return Tested(statistic, np.exp(-0.5 * statistic))


def stats_jarque_bera(
    x: Any, *, axis: Any = None, nan_policy: Any = "propagate", keepdims: Any = False
) -> Any:
    if nan_policy != "propagate":
        raise GradientError(_ALL)
    skewed = stats.skew(x, axis=axis, keepdims=keepdims)
    peaked = stats.kurtosis(x, axis=axis, keepdims=keepdims)
    statistic = size_along(x, axis) / 6.0 * (skewed**2 + 0.25 * peaked**2)
    return Tested(statistic, np.exp(-0.5 * statistic))


class Described(NamedTuple):
    """What `describe` returns."""

    nobs: Any
    minmax: Any
    mean: Any
    variance: Any
    skewness: Any
    kurtosis: Any


def stats_describe(
    a: Any, axis: Any = 0, ddof: Any = 1, bias: Any = True, nan_policy: Any = "propagate"
) -> Any:
    if nan_policy != "propagate":
        raise GradientError(_ALL)
    ends = np.min(a, axis=axis), np.max(a, axis=axis)
    mean, variance = np.mean(a, axis=axis), np.var(a, axis=axis, ddof=ddof)
    skewed = stats.skew(a, axis=axis, bias=bias)
    peaked = stats.kurtosis(a, axis=axis, bias=bias)
    return Described(size_along(a, axis), ends, mean, variance, skewed, peaked)


for _function in (
    stats_kstat, stats_kstatvar, stats_skewtest, stats_kurtosistest, stats_normaltest,
    stats_jarque_bera, stats_describe,
):  # fmt: skip
    written_out(
        getattr(stats, _function.__name__.removeprefix("stats_")), _function, of_arrays=True
    )
