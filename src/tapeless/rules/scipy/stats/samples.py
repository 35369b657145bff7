"""Statistics of samples, written out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, special, stats

from tapeless.errors import GradientError
from tapeless.rules.declare import built_in_zero, written_out

built_in_zero(stats.rankdata)
_ALL = "statistics of samples are differentiated for nan_policy='propagate'"
_DROPPED = "this statistic is differentiated for nan_policy='propagate' and keepdims=False"


def stats_zscore(a: Any, axis: Any = 0, ddof: Any = 0, nan_policy: Any = "propagate") -> Any:
    if nan_policy != "propagate":
        raise GradientError(_ALL)
    centred = a - np.mean(a, axis=axis, keepdims=True)
    return centred / np.std(a, axis=axis, ddof=ddof, keepdims=True)


def stats_gmean(
    a: Any, axis: Any = 0, dtype: Any = None, weights: Any = None, nan_policy: Any = "propagate",
    keepdims: Any = False,
) -> Any:  # fmt: skip
    if nan_policy != "propagate" or dtype is not None:
        raise GradientError(_ALL)
    return np.exp(mean_of(np.log(a), axis, weights, keepdims))


def stats_hmean(
    a: Any, axis: Any = 0, dtype: Any = None, *, weights: Any = None,
    nan_policy: Any = "propagate", keepdims: Any = False,
) -> Any:  # fmt: skip
    if nan_policy != "propagate" or dtype is not None:
        raise GradientError(_ALL)
    return 1.0 / mean_of(1.0 / a, axis, weights, keepdims)


def stats_pmean(
    a: Any, p: Any, *, axis: Any = 0, dtype: Any = None, weights: Any = None,
    nan_policy: Any = "propagate", keepdims: Any = False,
) -> Any:  # fmt: skip
    if nan_policy != "propagate" or dtype is not None:
        raise GradientError(_ALL)
    if p == 0:
        return np.exp(mean_of(np.log(a), axis, weights, keepdims))
    return mean_of(a**p, axis, weights, keepdims) ** (1.0 / p)


def mean_of(a: Any, axis: Any, weights: Any, keepdims: Any) -> Any:
    """Return the mean along an axis, of what counts by its weight where there are weights."""
    if weights is None:
        return np.mean(a, axis=axis, keepdims=keepdims)
    return np.average(a, axis=axis, weights=weights, keepdims=keepdims)


def stats_trim_mean(
    a: Any, proportiontocut: Any, axis: Any = 0, *, nan_policy: Any = "propagate",
    keepdims: Any = False,
) -> Any:  # fmt: skip
    """The mean of what is left in the middle: of those that are cut the derivative is 0."""
    if nan_policy != "propagate" or keepdims:
        raise GradientError(_DROPPED)
    if axis is None:
        return stats_trim_mean(np.ravel(a), proportiontocut)
    n = np.shape(a)[axis]
    cut = int(proportiontocut * n)
    if cut > n - cut:
        raise ValueError("Proportion too big.")
    ordered = np.sort(a, axis=axis)
    if np.ndim(a) > 1:
        ordered = np.moveaxis(ordered, axis, 0)
    return np.mean(ordered[cut : n - cut], axis=0)


def stats_sem(
    a: Any, axis: Any = 0, ddof: Any = 1, nan_policy: Any = "propagate", *, keepdims: Any = False
) -> Any:
    if nan_policy != "propagate":
        raise GradientError(_ALL)
    size = np.size(a) if axis is None else np.shape(a)[axis]
    return np.std(a, axis=axis, ddof=ddof, keepdims=keepdims) / np.sqrt(size)


def stats_variation(
    a: Any, axis: Any = 0, nan_policy: Any = "propagate", ddof: Any = 0, *, keepdims: Any = False
) -> Any:
    if nan_policy != "propagate":
        raise GradientError(_ALL)
    mean = np.mean(a, axis=axis, keepdims=keepdims)
    return np.std(a, axis=axis, ddof=ddof, keepdims=keepdims) / mean


def stats_moment(
    a: Any, order: Any = 1, axis: Any = 0, nan_policy: Any = "propagate", *, center: Any = None,
    keepdims: Any = False,
) -> Any:  # fmt: skip
    if nan_policy != "propagate":
        raise GradientError(_ALL)
    middle = np.mean(a, axis=axis, keepdims=True) if center is None else center
    return np.mean((a - middle) ** order, axis=axis, keepdims=keepdims)


def standard_moment(a: Any, order: Any, axis: Any, keepdims: Any) -> Any:
    """Return a central moment in units of the standard deviation."""
    centred = a - np.mean(a, axis=axis, keepdims=True)
    variance = np.mean(centred**2, axis=axis, keepdims=keepdims)
    return np.mean(centred**order, axis=axis, keepdims=keepdims) / variance ** (0.5 * order)


def stats_skew(
    a: Any, axis: Any = 0, bias: Any = True, nan_policy: Any = "propagate", *,
    keepdims: Any = False,
) -> Any:  # fmt: skip
    if nan_policy != "propagate":
        raise GradientError(_ALL)
    found = standard_moment(a, 3, axis, keepdims)
    n = np.size(a) if axis is None else np.shape(a)[axis]
    return found if bias or n < 3 else found * np.sqrt((n - 1.0) * n) / (n - 2.0)


def stats_kurtosis(
    a: Any, axis: Any = 0, fisher: Any = True, bias: Any = True, nan_policy: Any = "propagate", *,
    keepdims: Any = False,
) -> Any:  # fmt: skip
    if nan_policy != "propagate":
        raise GradientError(_ALL)
    found = standard_moment(a, 4, axis, keepdims)
    n = np.size(a) if axis is None else np.shape(a)[axis]
    if not bias and n > 3:
        found = 3.0 + ((n**2 - 1.0) * found - 3.0 * (n - 1.0) ** 2) / ((n - 2.0) * (n - 3.0))
    return found - 3.0 if fisher else found


def stats_entropy(
    pk: Any, qk: Any = None, base: Any = None, axis: Any = 0, *, nan_policy: Any = "propagate",
    keepdims: Any = False,
) -> Any:  # fmt: skip
    if nan_policy != "propagate":
        raise GradientError(_ALL)
    p = pk / np.sum(pk, axis=axis, keepdims=True)
    safe = np.where(p > 0, p, 1.0)
    if qk is None:
        found = -np.sum(p * np.log(safe), axis=axis, keepdims=keepdims)
    else:
        q = qk / np.sum(qk, axis=axis, keepdims=True)
        beyond = np.log(safe) - np.log(np.where(p > 0, q, 1.0))
        found = np.sum(p * beyond, axis=axis, keepdims=keepdims)
    return found if base is None else found / np.log(base)


@dataclass
class Density:
    """A sum of Gaussian kernels at the columns of `dataset`."""

    dataset: Any
    weights: Any
    factor: Any

    def logpdf(self, x: Any) -> Any:
        """Return the logarithm of the density at the columns of an array."""
        size = np.shape(self.dataset)[0]
        points = np.reshape(x, (size, -1))
        middle = self.dataset @ self.weights
        centred = self.dataset - np.expand_dims(middle, -1)
        cov = (centred * self.weights) @ centred.T / (1.0 - np.sum(self.weights**2))
        factor = linalg.cholesky(cov, lower=True) * self.factor
        a = linalg.solve_triangular(factor, self.dataset, lower=True)
        b = linalg.solve_triangular(factor, points, lower=True)
        energy = 0.5 * np.sum((a[:, :, None] - b[:, None, :]) ** 2, axis=0)
        log_size = 0.5 * size * math.log(2.0 * math.pi) + np.sum(np.log(np.diag(factor)))
        return special.logsumexp(-energy, axis=0, b=self.weights[:, None]) - log_size

    def evaluate(self, points: Any) -> Any:
        """Return the density at the columns of an array."""
        return np.exp(self.logpdf(points))

    def pdf(self, x: Any) -> Any:
        """Return the density at the columns of an array."""
        return np.exp(self.logpdf(x))

    def __call__(self, points: Any) -> Any:
        """Return the density at the columns of an array."""
        return np.exp(self.logpdf(points))


def stats_gaussian_kde(dataset: Any, bw_method: Any = None, weights: Any = None) -> Any:
    data = np.atleast_2d(dataset)
    size, count = np.shape(data)
    shares = np.ones(count) / count if weights is None else weights / np.sum(weights)
    effective = 1.0 / np.sum(shares**2)
    if bw_method is None or bw_method == "scott":
        factor = effective ** (-1.0 / (size + 4))
    elif bw_method == "silverman":
        factor = (effective * (size + 2.0) / 4.0) ** (-1.0 / (size + 4))
    else:
        factor = 1.0 * bw_method
    return Density(data, shares, factor)


def stats_iqr(
    x: Any, axis: Any = None, rng: Any = (25, 75), scale: Any = 1.0, nan_policy: Any = "propagate",
    interpolation: Any = "linear", keepdims: Any = False,
) -> Any:  # fmt: skip
    if nan_policy != "propagate" or isinstance(scale, str):
        raise GradientError(_ALL, fix="give `scale` as a number")
    low = np.percentile(x, rng[0], axis=axis, method=interpolation, keepdims=keepdims)
    high = np.percentile(x, rng[1], axis=axis, method=interpolation, keepdims=keepdims)
    return (high - low) / scale


written_out(stats.gaussian_kde, stats_gaussian_kde, always=True)
for _function in (
    stats_zscore, stats_gmean, stats_hmean, stats_sem, stats_moment, stats_skew, stats_kurtosis,
    stats_entropy, stats_trim_mean, stats_iqr, stats_pmean, stats_variation,
):  # fmt: skip
    written_out(getattr(stats, _function.__name__.removeprefix("stats_")), _function)
