"""What the formulas of distributions need besides `scipy.special`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special, stats


def log_normal_mass(a: Any, b: Any) -> Any:
    """Return the logarithm of the probability that a standard normal number is between two.

    It is computed in the lower tail, where nothing cancels.

    Examples
    --------
    >>> round(float(log_normal_mass(30.0, 31.0)), 6)
    -454.321244
    """
    upper = a > 0
    low = special.log_ndtr(np.where(upper, -b, a))
    high = special.log_ndtr(np.where(upper, -a, b))
    return high + np.log1p(-np.exp(low - high))


def mass_on_circle(kappa: Any, z: Any) -> Any:
    """Return the distribution function of von Mises, which goes on beyond one turn.

    Examples
    --------
    >>> round(float(mass_on_circle(1.3, 0.0)), 6)
    0.5
    """
    return stats.vonmises._cdf(z, kappa)


def quantile_on_circle(kappa: Any, q: Any) -> Any:
    """Return the quantile of von Mises.

    Examples
    --------
    >>> round(float(quantile_on_circle(0.0, 0.75)), 6)  # a quarter of the circle
    1.570796
    """
    return stats.vonmises.ppf(q, kappa)


def skew_normal_quantile(q: Any, a: Any) -> Any:
    """Return the quantile of the standard skew normal distribution.

    Examples
    --------
    >>> round(float(skew_normal_quantile(0.5, 0.0)), 6)
    0.0
    """
    return stats.skewnorm.ppf(q, a)


def truncated_normal_quantile(q: Any, a: Any, b: Any) -> Any:
    """Return the quantile of a standard normal number that is between two.

    Examples
    --------
    >>> round(float(truncated_normal_quantile(0.5, -1.0, 1.0)), 6)
    0.0
    """
    return stats.truncnorm.ppf(q, a, b)


def scaled_log1p_of(c: Any, z: Any) -> Any:
    """Return ``log(1 - c * z) / c``; near ``-z``, its limit where `c` is 0, by its power series.

    Examples
    --------
    >>> float(scaled_log1p_of(0.0, 2.0))
    -2.0
    """
    u = c * np.where(np.isinf(z), np.sign(z) * 1e30, z)
    near = np.abs(u) < 0.1
    s = np.where(near, u, 0.0)
    series = 0.0 * s
    for k in range(17, 0, -1):
        series = series * s + 1.0 / k
    far = np.where(near, 1.0, c)
    return np.where(near, -z * series, np.log1p(-np.where(near, 0.0, c * z)) / far)


def positive(x: Any) -> Any:
    """Return what must be positive, and nan where it is not.

    Examples
    --------
    >>> positive(np.array([2.0, -1.0]))
    array([ 2., nan])
    """
    return np.where(x > 0, x, np.nan)[()]


def probability(q: Any) -> Any:
    """Return what must be between 0 and 1, and nan where it is not.

    Examples
    --------
    >>> float(probability(0.5)), float(probability(1.5))
    (0.5, nan)
    """
    return np.where((q >= 0) & (q <= 1), q, np.nan)[()]
