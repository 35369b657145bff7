"""Derivatives of incomplete gamma and beta functions in their shape parameters.

Such a function is an integral of a density, and the logarithm of the density has a simple derivative in a
shape: for the gamma distribution ``log(t) - psi(a)``, the *score*. So the derivative in the shape is the
integral of density times score, higher ones are integrals of powers of scores, and

    d/da of the integral of score**n  =  that of score**(n + 1)  -  n * psi'(a) * that of score**(n - 1).

The integrals are computed on a half line from the argument on, where the density falls, by the
double-exponential rule ``d = scale * exp(u - exp(-u))`` with equal steps in `u` (Takahasi and Mori 1974):
it is exact to about 1e-12 whatever scales the decay has. Beyond the peak the integral over the other
tail is taken, so small tails keep their relative precision.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from tapeless.runtime.special import weak

_STEP = 0.0625
_NODES = np.arange(-3.625, 14.0, _STEP)
_DISTANCES = np.exp(_NODES - np.exp(-_NODES))
_WEIGHTS = _STEP * _DISTANCES * (1.0 + np.exp(-_NODES))


def gammainc_scores(n: int, a: Any, x: Any) -> Any:
    """Integrate the gamma density times ``(log(t) - psi(a))**n`` from 0 to `x`.

    For `n` of 0 this is `scipy.special.gammainc`, for 1 its derivative in `a`.

    Examples
    --------
    >>> h = 1e-5
    >>> slope = (special.gammainc(2.0 + h, 1.5) - special.gammainc(2.0 - h, 1.5)) / (2.0 * h)
    >>> bool(abs(gammainc_scores(1, 2.0, 1.5) - slope) < 1e-7)
    True
    """
    if n == 0:
        return special.gammainc(a, x)
    dtype = np.result_type(a, x, 0.0)
    a, x = np.broadcast_arrays(np.asarray(a, dtype=float), np.asarray(x, dtype=float))
    x = np.clip(x, 1e-300, 1e300)
    whole = 0.0 if n == 1 else _gamma_below(n, a, a) + _gamma_above(n, a, a)
    below, above = _gamma_below(n, a, np.minimum(x, a)), _gamma_above(n, a, np.maximum(x, a))
    return np.where(x <= a, below, whole - above).astype(dtype)[()]


def _gamma_below(n: int, a: Any, x: Any) -> Any:
    """Integrate from 0 to `x`, in the logarithm of the variable, where the density rises."""
    scale = _width(a - x, x)[..., None]
    a, x = a[..., None], x[..., None]
    s = np.log(x) - scale * _DISTANCES
    density = np.exp(a * s - np.exp(s) - special.gammaln(a))
    return np.sum(density * (s - special.psi(a)) ** n * scale * _WEIGHTS, axis=-1)


def _gamma_above(n: int, a: Any, x: Any) -> Any:
    """Integrate from `x` to infinity, where the density falls."""
    scale = (x * _width(x - a, x))[..., None]
    a, x = a[..., None], x[..., None]
    t = x + scale * _DISTANCES
    s = np.log(t)
    density = np.exp((a - 1.0) * s - t - special.gammaln(a))
    return np.sum(density * (s - special.psi(a)) ** n * scale * _WEIGHTS, axis=-1)


def _width(slope: Any, curvature: Any) -> Any:
    """Return the distance in which ``slope * d + curvature * d**2 / 2`` comes to 1."""
    return 2.0 / (slope + np.sqrt(slope**2 + 2.0 * curvature))


def betainc_scores(m: int, n: int, a: Any, b: Any, x: Any) -> Any:
    """Integrate the beta density times powers of its scores in `a` and `b`, from 0 to `x`.

    The scores are ``log(t) - psi(a) + psi(a + b)`` and ``log(1 - t) - psi(b) + psi(a + b)``. For `m` and `n`
    of 0 this is `scipy.special.betainc`, for 1 and 0 its derivative in `a`.

    Examples
    --------
    >>> h = 1e-5
    >>> slope = special.betainc(2.0, 3.0 + h, 0.4) - special.betainc(2.0, 3.0 - h, 0.4)
    >>> bool(abs(betainc_scores(0, 1, 2.0, 3.0, 0.4) - slope / (2.0 * h)) < 1e-7)
    True
    """
    if m + n == 0:
        return special.betainc(a, b, x)
    dtype = np.result_type(a, b, x, 0.0)
    a, b, x = np.broadcast_arrays(*[np.asarray(z, dtype=float) for z in (a, b, x)])
    s, peak = special.logit(np.clip(x, 1e-300, 1.0)), np.log(a) - np.log(b)
    s = np.minimum(s, 700.0)
    whole = 0.0
    if m + n > 1:
        whole = _beta_below(m, n, a, b, peak) + _beta_below(n, m, b, a, -peak)
    below = _beta_below(m, n, a, b, np.minimum(s, peak))
    above = _beta_below(n, m, b, a, -np.maximum(s, peak))
    return np.where(s <= peak, below, whole - above).astype(dtype)[()]


def _beta_below(m: int, n: int, a: Any, b: Any, logit: Any) -> Any:
    """Integrate from 0 on, in the logit of the variable, where the density rises."""
    left, right = special.expit(logit), special.expit(-logit)
    scale = _width(a * right - b * left, (a + b) * left * right)[..., None]
    a, b = a[..., None], b[..., None]
    s = logit[..., None] - scale * _DISTANCES
    log_t, log_rest = special.log_expit(s), special.log_expit(-s)
    of_sum = special.psi(a + b)
    scores = (log_t - special.psi(a) + of_sum) ** m * (log_rest - special.psi(b) + of_sum) ** n
    density = np.exp(a * log_t + b * log_rest - special.betaln(a, b))
    return np.sum(density * scores * scale * _WEIGHTS, axis=-1)


def gamma_density(a: Any, x: Any) -> Any:
    """Return the density of the gamma distribution, the derivative of `scipy.special.gammainc` in `x`.

    Examples
    --------
    >>> float(gamma_density(1.0, 0.0))
    1.0
    """
    return np.exp(special.xlogy(a - 1.0, x) - x - special.gammaln(a))


def beta_density(a: Any, b: Any, x: Any) -> Any:
    """Return the density of the beta distribution, the derivative of `scipy.special.betainc` in `x`.

    Examples
    --------
    >>> float(beta_density(1.0, 1.0, 0.5))
    1.0
    """
    powers = special.xlogy(a - 1.0, x) + special.xlog1py(b - 1.0, -x)
    return np.exp(powers - special.betaln(a, b))


def student_density(df: Any, t: Any) -> Any:
    """Return the density of Student's distribution.

    Examples
    --------
    >>> round(float(student_density(1.0, 0.0) * np.pi), 12)
    1.0
    """
    return np.exp(-0.5 * (df + 1.0) * np.log1p(np.square(t) / df) - student_log_size(df))


def student_log_size(df: Any) -> Any:
    """Return the logarithm of what Student's density is divided by.

    Examples
    --------
    >>> round(float(np.exp(student_log_size(1.0)) / np.pi), 12)
    1.0
    """
    half = np.asarray(0.5, np.result_type(df, 0.0))  # a weak one makes single precision double here
    return weak(0.5 * np.log(df) + special.betaln(0.5 * df, half))


def student_score(df: Any, t: Any) -> Any:
    """Differentiate the logarithm of Student's density in its degrees of freedom.

    Examples
    --------
    >>> round(float(2.0 * student_score(1.0, 1.0)), 12)
    0.69314718056
    """
    square = np.square(t)
    constant = special.psi(0.5 * (df + 1.0)) - special.psi(0.5 * df) - 1.0 / df
    shares = (df + 1.0) * square / (df * (df + square))
    return 0.5 * (constant - np.log1p(square / df) + shares)


def stdtr_df_slope(df: Any, t: Any) -> Any:
    """Differentiate `scipy.special.stdtr` in its degrees of freedom.

    The probability between ``-t`` and `t` is an incomplete beta function of ``t**2 / (df + t**2)``.

    Examples
    --------
    >>> h = 1e-5
    >>> slope = (special.stdtr(3.0 + h, 0.7) - special.stdtr(3.0 - h, 0.7)) / (2.0 * h)
    >>> bool(abs(stdtr_df_slope(3.0, 0.7) - slope) < 1e-7)
    True
    """
    inside = np.square(t) / (df + np.square(t))
    of_shape = np.sign(t) * betainc_scores(0, 1, 0.5, 0.5 * df, inside)
    return 0.25 * of_shape - 0.5 * t / df * student_density(df, t)


def stdtr_df_curvature(df: Any, t: Any) -> Any:
    """Differentiate `stdtr_df_slope` in the degrees of freedom.

    Examples
    --------
    >>> h = 1e-4
    >>> slope = (stdtr_df_slope(3.0 + h, 0.7) - stdtr_df_slope(3.0 - h, 0.7)) / (2.0 * h)
    >>> bool(abs(stdtr_df_curvature(3.0, 0.7) - slope) < 1e-7)
    True
    """
    half, whole = 0.5 * df, 0.5 * (df + 1.0)
    inside = np.square(t) / (df + np.square(t))
    spread = special.zeta(2.0, half) - special.zeta(2.0, whole)
    second = betainc_scores(0, 2, 0.5, half, inside) - spread * betainc_scores(
        0, 0, 0.5, half, inside
    )
    score = -np.log1p(np.square(t) / df) - special.psi(half) + special.psi(whole)
    density = student_density(df, t)
    moved = density * t / df * (0.25 * score + 0.5 * student_score(df, t) - 0.5 / df)
    return 0.125 * np.sign(t) * second - moved
