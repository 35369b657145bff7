"""Polynomials by the coefficients of powers, the highest first: values, fits and arithmetic.

The value is linear in the coefficients. Their arithmetic is linear, or a convolution.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.errors import GradientError
from tapeless.rules.declare import built_in_zero, register_gradient
from tapeless.rules.results import parts, series, shapes
from tapeless.rules.traits import traits
from tapeless.runtime import (
    derivative_factors,
    dividend_bar,
    division_dots,
    divisor_bar,
    fitted_bars,
    fitted_dot,
    polynomial_slope,
    powers_of,
    vander_slope,
)

traits(dividend_bar, divisor_bar, shows=())


@register_gradient(np.polyval, kind=parts.polynomial)
def np_polyval(p: Any, x: Any) -> Any:
    y = np.polyval(p, x)

    def grad(y_bar: Any) -> Any:
        p_bar = powers_of(x, len(p)).T @ np.ravel(y_bar)
        return p_bar, y_bar * np.polyval(polynomial_slope(p), x)

    def jvp(p_dot: Any, x_dot: Any) -> Any:
        return np.polyval(p_dot, x) + np.polyval(polynomial_slope(p), x) * x_dot

    return y, grad, jvp


@register_gradient(np.polydiv, kind=series.divided)
def np_polydiv(u: Any, v: Any) -> Any:
    """Of u = q v + r only q and r vary with the coefficients: the tangent is divided by v again."""
    y = np.polydiv(u, v)
    q = y[0]
    r = y[1]

    def grad(q_bar: Any, r_bar: Any) -> Any:
        u_bar = dividend_bar(q_bar, r_bar, u, v)
        return u_bar, divisor_bar(u_bar, q, v)

    def jvp(u_dot: Any, v_dot: Any) -> Any:
        return division_dots(u_dot, v_dot, q, r, v)

    return y, grad, jvp


@register_gradient(np.vander, kind=series.powers)
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
def np_polyfit(x: Any, y: Any, deg: Any, *, w: Any = None) -> Any:
    """Least squares of the powers of x; weights multiply both them and the values."""
    if np.iscomplexobj(x):
        raise GradientError("np.polyfit is differentiated for real places only")
    c = np.polyfit(x, y, deg, w=w)

    def grad(c_bar: Any) -> Any:
        if w is None:
            bars = fitted_bars(c_bar, x, y, c)
            return bars[0], bars[1], None, None
        weighted_bars = fitted_bars(c_bar, x, y, c, w)
        return weighted_bars[0], weighted_bars[1], None, weighted_bars[2]

    def jvp(x_dot: Any, y_dot: Any, w_dot: Any = None) -> Any:
        if w is None:
            return fitted_dot(x_dot, y_dot, x, y, c)
        return fitted_dot(x_dot, y_dot, x, y, c, w, w_dot)

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


built_in_zero(derivative_factors)
