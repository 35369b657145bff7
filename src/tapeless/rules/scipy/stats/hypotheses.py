"""Tests of hypotheses about samples, with their p-values and intervals, written out.

What SciPy returns is a pair, or five numbers, which has attributes beside them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import special, stats

from tapeless.errors import GradientError
from tapeless.rules.declare import written_out

_PLAIN = "tests of means are differentiated for nan_policy='propagate', trim=0 and no method"
_TINY = 1.0e-20  # what SciPy adds to `1 - r` in `linregress`


class Interval(NamedTuple):
    """What `confidence_interval` returns."""

    low: Any
    high: Any


@dataclass
class Tested:
    """What a test returns: a pair of its statistic and the p-value."""

    statistic: Any
    pvalue: Any

    def __iter__(self) -> Any:
        return iter((self.statistic, self.pvalue))

    def __getitem__(self, place: Any) -> Any:
        return (self.statistic, self.pvalue)[place]

    def __len__(self) -> int:
        return 2

    def __add__(self, others: Any) -> Any:
        return (*self, *others)


@dataclass
class MeanTested(Tested):
    """What a t-test returns."""

    df: Any
    alternative: Any
    standard_error: Any
    estimate: Any

    def confidence_interval(self, confidence_level: Any = 0.95) -> Any:
        """Return an interval that holds the mean with some probability."""
        if self.alternative == "less":
            high = special.stdtrit(self.df, confidence_level) * self.standard_error + self.estimate
            return Interval(np.full_like(high, -np.inf)[()], high)
        if self.alternative == "greater":
            low = special.stdtrit(self.df, 1.0 - confidence_level) * self.standard_error
            return Interval(low + self.estimate, np.full_like(low, np.inf)[()])
        tail = 0.5 * (1.0 - confidence_level)
        low = special.stdtrit(self.df, tail) * self.standard_error + self.estimate
        high = special.stdtrit(self.df, 1.0 - tail) * self.standard_error + self.estimate
        return Interval(low, high)


def p_value_of_student(t: Any, df: Any, alternative: Any) -> Any:
    """Return how probable a statistic at least as extreme is, by the distribution of Student."""
    if alternative == "less":
        return special.stdtr(df, t)
    if alternative == "greater":
        return special.stdtr(df, -t)
    if alternative == "two-sided":
        return 2.0 * special.stdtr(df, -np.abs(t))
    raise ValueError("`alternative` must be 'less', 'greater', or 'two-sided'.")


def tested_mean(estimate: Any, apart: Any, error: Any, df: Any, alternative: Any) -> Any:
    """Return the result of a t-test of how far an estimate is apart from what it should be."""
    t = apart / error
    p = p_value_of_student(t, df, alternative)
    if np.ndim(df) != np.ndim(t):
        df = np.broadcast_to(df, np.shape(t))
    return MeanTested(t, p, df, alternative, error, estimate)


def stats_ttest_ind(
    a: Any, b: Any, *, axis: Any = 0, equal_var: Any = True, nan_policy: Any = "propagate",
    alternative: Any = "two-sided", trim: Any = 0, method: Any = None, keepdims: Any = False,
) -> Any:  # fmt: skip
    """Without equal variances the degrees of freedom are those of Welch (1947)."""
    if nan_policy != "propagate" or trim != 0 or method is not None:
        raise GradientError(_PLAIN)
    n = np.size(a) if axis is None else np.shape(a)[axis]
    m = np.size(b) if axis is None else np.shape(b)[axis]
    apart = np.mean(a, axis=axis, keepdims=keepdims) - np.mean(b, axis=axis, keepdims=keepdims)
    v = np.sum((a - np.mean(a, axis=axis, keepdims=True)) ** 2, axis=axis, keepdims=keepdims)
    w = np.sum((b - np.mean(b, axis=axis, keepdims=True)) ** 2, axis=axis, keepdims=keepdims)
    if equal_var:
        error = np.sqrt((v + w) / (n + m - 2.0) * (1.0 / n + 1.0 / m))
        df = np.full_like(error, n + m - 2.0)[()]
        return tested_mean(apart, apart, error, df, alternative)
    first, second = v / (n - 1) / n, w / (m - 1) / m
    df = (first + second) ** 2 / (first**2 / (n - 1) + second**2 / (m - 1))
    return tested_mean(apart, apart, np.sqrt(first + second), df, alternative)


def stats_ttest_1samp(
    a: Any, popmean: Any, axis: Any = 0, nan_policy: Any = "propagate",
    alternative: Any = "two-sided", *, keepdims: Any = False,
) -> Any:  # fmt: skip
    if nan_policy != "propagate":
        raise GradientError(_PLAIN)
    if np.ndim(popmean) > 0 and axis is not None and not keepdims:
        popmean = np.squeeze(popmean, axis=axis)
    n = np.size(a) if axis is None else np.shape(a)[axis]
    mean = np.mean(a, axis=axis, keepdims=keepdims)
    error = np.sqrt(np.var(a, axis=axis, ddof=1, keepdims=keepdims) / n)
    return tested_mean(mean, mean - popmean, error, n - 1, alternative)


def stats_ttest_rel(
    a: Any, b: Any, axis: Any = 0, nan_policy: Any = "propagate", alternative: Any = "two-sided",
    *, keepdims: Any = False,
) -> Any:  # fmt: skip
    return stats_ttest_1samp(
        a - b, 0.0, axis=axis, nan_policy=nan_policy, alternative=alternative, keepdims=keepdims
    )


@dataclass
class Correlation(Tested):
    """What `pearsonr` returns: its statistic is the correlation."""

    size: Any
    alternative: Any

    @property
    def correlation(self) -> Any:
        """The statistic, by its other name."""
        return self.statistic

    def confidence_interval(self, confidence_level: Any = 0.95, method: Any = None) -> Any:
        """Return an interval of the correlation, by the transformation of Fisher."""
        if method is not None:
            raise GradientError("the interval of `pearsonr` is differentiated for no method")
        z, ones = np.arctanh(self.statistic), np.ones_like(self.statistic)[()]
        level = (
            0.5 + 0.5 * confidence_level if self.alternative == "two-sided" else confidence_level
        )
        reach = special.ndtri(level * ones) / math.sqrt(self.size - 3)
        low = -ones if self.alternative == "less" else np.tanh(z - reach)
        return Interval(low, ones if self.alternative == "greater" else np.tanh(z + reach))


def stats_pearsonr(
    x: Any, y: Any, *, alternative: Any = "two-sided", method: Any = None, axis: Any = 0
) -> Any:
    """The correlation of independent samples has a beta distribution between -1 and 1."""
    if method is not None:
        raise GradientError("pearsonr is differentiated for no method")
    if axis is None:
        return stats_pearsonr(np.ravel(x), np.ravel(y), alternative=alternative)
    a, b = x - np.mean(x, axis=axis, keepdims=True), y - np.mean(y, axis=axis, keepdims=True)
    lengths = np.sqrt(np.sum(a * a, axis=axis) * np.sum(b * b, axis=axis))
    r = np.sum(a * b, axis=axis) / lengths
    size = np.shape(x)[axis]
    half = 0.5 * size - 1.0
    if alternative == "less":
        p = special.betainc(half, half, 0.5 * (1.0 + r))
    elif alternative == "greater":
        p = special.betainc(half, half, 0.5 * (1.0 - r))
    else:
        p = 2.0 * special.betainc(half, half, 0.5 * (1.0 - np.abs(r)))
    return Correlation(r, p, size, alternative)


@dataclass
class Line:
    """What `linregress` returns: five numbers, and the error of the intercept beside them."""

    slope: Any
    intercept: Any
    rvalue: Any
    pvalue: Any
    stderr: Any
    intercept_stderr: Any

    def __iter__(self) -> Any:
        return iter((self.slope, self.intercept, self.rvalue, self.pvalue, self.stderr))

    def __getitem__(self, place: Any) -> Any:
        return (self.slope, self.intercept, self.rvalue, self.pvalue, self.stderr)[place]

    def __len__(self) -> int:
        return 5

    def __add__(self, others: Any) -> Any:
        return (*self, *others)


def stats_linregress(x: Any, y: Any, alternative: Any = "two-sided") -> Any:
    """The line is found in double precision, whatever the samples are."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    mean, free = np.mean(x), np.size(x) - 2
    a, b = x - mean, y - np.mean(y)
    xx, xy, yy = np.mean(a * a), np.mean(a * b), np.mean(b * b)
    slope = xy / xx
    intercept = np.mean(y) - slope * mean
    r = xy / np.sqrt(xx * yy)
    t = r * np.sqrt(free / ((1.0 - r + _TINY) * (1.0 + r + _TINY)))
    error = np.sqrt((1.0 - r**2) * yy / xx / free)
    p = p_value_of_student(t, free, alternative)
    return Line(slope, intercept, r, p, error, error * np.sqrt(xx + mean**2))


for _function in (
    stats_ttest_ind, stats_ttest_1samp, stats_ttest_rel, stats_pearsonr, stats_linregress,
):  # fmt: skip
    written_out(
        getattr(stats, _function.__name__.removeprefix("stats_")), _function, of_arrays=True
    )
