"""Polynomials: values, fits and arithmetic of coefficients, in powers and other bases.

The value of a series is linear in its coefficients, and its derivative in the place is the value of
the differentiated series. Arithmetic of coefficients is linear or a convolution.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, legendre, polynomial

from tapeless.errors import GradientError
from tapeless.rules.declare import register_gradient, zero_gradient
from tapeless.rules.results import parts, series, shapes
from tapeless.runtime import (
    derivative_factors,
    fitted_bars,
    fitted_dot,
    polynomial_slope,
    powers_of,
    series_slope,
    vander_slope,
)

_ONE_SERIES = "the values of one series are differentiated, not of several"

# Coefficients of powers, the highest first


@register_gradient(np.polyval, kind=parts.polynomial)
def np_polyval(p: Any, x: Any) -> Any:
    y = np.polyval(p, x)

    def grad(y_bar: Any) -> Any:
        p_bar = powers_of(x, len(p)).T @ np.ravel(y_bar)
        return p_bar, y_bar * np.polyval(polynomial_slope(p), x)

    def jvp(p_dot: Any, x_dot: Any) -> Any:
        return np.polyval(p_dot, x) + np.polyval(polynomial_slope(p), x) * x_dot

    return y, grad, jvp


@register_gradient(np.vander, kind=series.table_of_powers)
def np_vander(x: Any, N: Any = None, increasing: Any = False) -> Any:
    """Each row depends on its number alone."""
    y = np.vander(x, N, increasing)

    def grad(y_bar: Any) -> Any:
        slope = vander_slope(x, np.shape(y_bar)[1], increasing)
        return np.sum(y_bar * slope, axis=1), None, None

    def jvp(x_dot: Any) -> Any:
        return vander_slope(x, np.shape(y)[1], increasing) * np.expand_dims(x_dot, 1)

    return y, grad, jvp


@register_gradient(np.polyfit, kind=parts.coefficients)
def np_polyfit(x: Any, y: Any, deg: Any) -> Any:
    """Least squares of the powers of x."""
    if np.iscomplexobj(x):
        raise GradientError("np.polyfit is differentiated for real places only")
    c = np.polyfit(x, y, deg)

    def grad(c_bar: Any) -> Any:
        bars = fitted_bars(c_bar, x, y, c)
        return bars[0], bars[1], None

    def jvp(x_dot: Any, y_dot: Any) -> Any:
        return fitted_dot(x_dot, y_dot, x, y, c)

    return c, grad, jvp


@register_gradient(np.roots, kind=series.roots)
def np_roots(p: Any) -> Any:
    """A root r of p moves by -sum r^(n - i) dp[i] / p'(r)."""
    r = np.roots(p)
    real = not np.iscomplexobj(p)

    def grad(r_bar: Any) -> Any:
        slopes = -np.vander(r, len(p)) / np.expand_dims(np.polyval(np.polyder(p), r), 1)
        p_bar = r_bar @ slopes.astype(r.dtype)
        return np.real(p_bar) if real else p_bar

    def jvp(p_dot: Any) -> Any:
        slopes = -np.vander(r, len(p)) / np.expand_dims(np.polyval(np.polyder(p), r), 1)
        return slopes.astype(r.dtype) @ p_dot

    return r, grad, jvp


@register_gradient(polynomial.polyroots, kind=series.roots)
def polynomial_polyroots(c: Any) -> Any:
    """As `np.roots`, with the lowest coefficient first."""
    r = polynomial.polyroots(c)
    real = not np.iscomplexobj(c)

    def grad(r_bar: Any) -> Any:
        slope = polynomial.polyval(r, polynomial.polyder(c))
        c_bar = r_bar @ (-polynomial.polyvander(r, len(c) - 1) / np.expand_dims(slope, 1))
        return np.real(c_bar) if real else c_bar

    def jvp(c_dot: Any) -> Any:
        slope = polynomial.polyval(r, polynomial.polyder(c))
        return (-polynomial.polyvander(r, len(c) - 1) / np.expand_dims(slope, 1)) @ c_dot

    return r, grad, jvp


@register_gradient(np.polyadd, kind=series.coefficients, linear=("a1", "a2"))
def np_polyadd(a1: Any, a2: Any) -> Any:
    """The lowest coefficients stand side by side."""
    y = np.polyadd(a1, a2)
    n1 = np.size(a1)
    n2 = np.size(a2)

    def grad(y_bar: Any) -> Any:
        a1_bar = y_bar[-1] if np.ndim(a1) == 0 else y_bar[len(y_bar) - n1 :]
        a2_bar = y_bar[-1] if np.ndim(a2) == 0 else y_bar[len(y_bar) - n2 :]
        return a1_bar, a2_bar

    return y, grad


@register_gradient(np.polysub, kind=series.coefficients, linear=("a1", "a2"))
def np_polysub(a1: Any, a2: Any) -> Any:
    """The lowest coefficients stand side by side."""
    y = np.polysub(a1, a2)
    n1 = np.size(a1)
    n2 = np.size(a2)

    def grad(y_bar: Any) -> Any:
        a1_bar = y_bar[-1] if np.ndim(a1) == 0 else y_bar[len(y_bar) - n1 :]
        a2_bar = y_bar[-1] if np.ndim(a2) == 0 else y_bar[len(y_bar) - n2 :]
        return a1_bar, -a2_bar

    return y, grad


@register_gradient(np.polymul, kind=series.coefficients)
def np_polymul(a1: Any, a2: Any) -> Any:
    """A convolution, of which NumPy leaves out highest coefficients that are zero."""
    y = np.polymul(a1, a2)
    lost = len(a1) + len(a2) - 1 - len(y)

    def grad(y_bar: Any) -> Any:
        full = np.concatenate([np.zeros(lost, dtype=y_bar.dtype), y_bar])
        a1_bar = np.convolve(full, a2[::-1], mode="valid")
        return a1_bar, np.convolve(full, a1[::-1], mode="valid")

    def jvp(a1_dot: Any, a2_dot: Any) -> Any:
        return (np.convolve(a1_dot, a2) + np.convolve(a1, a2_dot))[lost:]

    return y, grad, jvp


@register_gradient(
    np.polyder,
    kind=shapes.unchanged_by(0, 1, "m", series.coefficients),
    view="sometimes",
    selects=True,
    linear=True,
)
def np_polyder(p: Any, m: Any = 1) -> Any:
    """Each coefficient is multiplied, and the last ones are lost."""
    y = np.polyder(p, m)
    n = len(p)

    def grad(y_bar: Any) -> Any:
        factors = derivative_factors(n, m).astype(y_bar.dtype)
        return np.concatenate([y_bar * factors, np.zeros(min(m, n), dtype=y_bar.dtype)]), None

    return y, grad


@register_gradient(
    np.polyint,
    kind=shapes.unchanged_by(0, 1, "m", series.coefficients),
    view="sometimes",
    linear=("p", "k"),
)
def np_polyint(p: Any, m: Any = 1, k: Any = None) -> Any:
    """Each coefficient is divided, and what was given for the constants comes after."""
    y = np.polyint(p, m, k)
    n = np.size(p)

    def grad(y_bar: Any) -> Any:
        p_bar = y_bar[:n] / derivative_factors(n + m, m).astype(y_bar.dtype)
        if k is None:
            return p_bar, None, None
        factors = np.cumprod(np.maximum(np.arange(m), 1))[::-1].astype(y_bar.dtype)
        k_bar = y_bar[n:] / factors
        if np.size(k) == 1:
            return p_bar, None, np.reshape(np.sum(k_bar), np.shape(k))
        return p_bar, None, k_bar

    return y, grad


zero_gradient(derivative_factors)

# Series in other bases, the lowest degree first


@register_gradient(polynomial.polyval)
def polynomial_polyval(x: Any, c: Any) -> Any:
    """The value of the differentiated series in x; the functions of the basis in c."""
    if np.ndim(c) != 1:
        raise GradientError(_ONE_SERIES, fix="take the values of one series after the other")
    y = polynomial.polyval(x, c)

    def grad(y_bar: Any) -> Any:
        basis = polynomial.polyvander(np.ravel(x), len(c) - 1)
        return y_bar * polynomial.polyval(x, polynomial.polyder(c)), np.ravel(y_bar) @ basis

    def jvp(x_dot: Any, c_dot: Any) -> Any:
        return polynomial.polyval(x, polynomial.polyder(c)) * x_dot + polynomial.polyval(x, c_dot)

    return y, grad, jvp


@register_gradient(polynomial.polyvander, kind=series.table_of_powers)
def polynomial_polyvander(x: Any, deg: Any) -> Any:
    """Each row depends on its number alone."""
    y = polynomial.polyvander(x, deg)

    def grad(y_bar: Any) -> Any:
        return np.sum(y_bar * series_slope(y, polynomial.polyder), axis=-1), None

    def jvp(x_dot: Any) -> Any:
        return series_slope(y, polynomial.polyder) * np.expand_dims(x_dot, -1)

    return y, grad, jvp


@register_gradient(polynomial.polyder, kind=series.coefficients, selects=True, linear=True)
def polynomial_polyder(c: Any) -> Any:
    """Linear: its transpose is that of the derivatives of the basis."""
    y = polynomial.polyder(c)

    def grad(y_bar: Any) -> Any:
        return y_bar @ polynomial.polyder(np.eye(len(c), dtype=y_bar.dtype))

    return y, grad


@register_gradient(chebyshev.chebval, kind=series.series_value)
def chebyshev_chebval(x: Any, c: Any) -> Any:
    """The value of the differentiated series in x; the functions of the basis in c."""
    if np.ndim(c) != 1:
        raise GradientError(_ONE_SERIES, fix="take the values of one series after the other")
    y = chebyshev.chebval(x, c)

    def grad(y_bar: Any) -> Any:
        basis = chebyshev.chebvander(np.ravel(x), len(c) - 1)
        return y_bar * chebyshev.chebval(x, chebyshev.chebder(c)), np.ravel(y_bar) @ basis

    def jvp(x_dot: Any, c_dot: Any) -> Any:
        return chebyshev.chebval(x, chebyshev.chebder(c)) * x_dot + chebyshev.chebval(x, c_dot)

    return y, grad, jvp


@register_gradient(chebyshev.chebvander, kind=series.table_of_powers)
def chebyshev_chebvander(x: Any, deg: Any) -> Any:
    """Each row depends on its number alone."""
    y = chebyshev.chebvander(x, deg)

    def grad(y_bar: Any) -> Any:
        return np.sum(y_bar * series_slope(y, chebyshev.chebder), axis=-1), None

    def jvp(x_dot: Any) -> Any:
        return series_slope(y, chebyshev.chebder) * np.expand_dims(x_dot, -1)

    return y, grad, jvp


@register_gradient(chebyshev.chebder, kind=series.coefficients, selects=True, linear=True)
def chebyshev_chebder(c: Any) -> Any:
    """Linear: its transpose is that of the derivatives of the basis."""
    y = chebyshev.chebder(c)

    def grad(y_bar: Any) -> Any:
        return y_bar @ chebyshev.chebder(np.eye(len(c), dtype=y_bar.dtype))

    return y, grad


@register_gradient(legendre.legval, kind=series.series_value)
def legendre_legval(x: Any, c: Any) -> Any:
    """The value of the differentiated series in x; the functions of the basis in c."""
    if np.ndim(c) != 1:
        raise GradientError(_ONE_SERIES, fix="take the values of one series after the other")
    y = legendre.legval(x, c)

    def grad(y_bar: Any) -> Any:
        basis = legendre.legvander(np.ravel(x), len(c) - 1)
        return y_bar * legendre.legval(x, legendre.legder(c)), np.ravel(y_bar) @ basis

    def jvp(x_dot: Any, c_dot: Any) -> Any:
        return legendre.legval(x, legendre.legder(c)) * x_dot + legendre.legval(x, c_dot)

    return y, grad, jvp


@register_gradient(legendre.legvander, kind=series.table_of_powers)
def legendre_legvander(x: Any, deg: Any) -> Any:
    """Each row depends on its number alone."""
    y = legendre.legvander(x, deg)

    def grad(y_bar: Any) -> Any:
        return np.sum(y_bar * series_slope(y, legendre.legder), axis=-1), None

    def jvp(x_dot: Any) -> Any:
        return series_slope(y, legendre.legder) * np.expand_dims(x_dot, -1)

    return y, grad, jvp


@register_gradient(legendre.legder, kind=series.coefficients, selects=True, linear=True)
def legendre_legder(c: Any) -> Any:
    """Linear: its transpose is that of the derivatives of the basis."""
    y = legendre.legder(c)

    def grad(y_bar: Any) -> Any:
        return y_bar @ legendre.legder(np.eye(len(c), dtype=y_bar.dtype))

    return y, grad


@register_gradient(hermite.hermval, kind=series.series_value)
def hermite_hermval(x: Any, c: Any) -> Any:
    """The value of the differentiated series in x; the functions of the basis in c."""
    if np.ndim(c) != 1:
        raise GradientError(_ONE_SERIES, fix="take the values of one series after the other")
    y = hermite.hermval(x, c)

    def grad(y_bar: Any) -> Any:
        basis = hermite.hermvander(np.ravel(x), len(c) - 1)
        return y_bar * hermite.hermval(x, hermite.hermder(c)), np.ravel(y_bar) @ basis

    def jvp(x_dot: Any, c_dot: Any) -> Any:
        return hermite.hermval(x, hermite.hermder(c)) * x_dot + hermite.hermval(x, c_dot)

    return y, grad, jvp


@register_gradient(hermite.hermvander, kind=series.table_of_powers)
def hermite_hermvander(x: Any, deg: Any) -> Any:
    """Each row depends on its number alone."""
    y = hermite.hermvander(x, deg)

    def grad(y_bar: Any) -> Any:
        return np.sum(y_bar * series_slope(y, hermite.hermder), axis=-1), None

    def jvp(x_dot: Any) -> Any:
        return series_slope(y, hermite.hermder) * np.expand_dims(x_dot, -1)

    return y, grad, jvp


@register_gradient(hermite.hermder, kind=series.coefficients, selects=True, linear=True)
def hermite_hermder(c: Any) -> Any:
    """Linear: its transpose is that of the derivatives of the basis."""
    y = hermite.hermder(c)

    def grad(y_bar: Any) -> Any:
        return y_bar @ hermite.hermder(np.eye(len(c), dtype=y_bar.dtype))

    return y, grad
