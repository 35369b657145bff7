"""Logistic and error functions, entropies, losses, powers and sums of exponentials."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from tapeless.errors import GradientError
from tapeless.rules.declare import built_in_zero, elementwise, register_gradient
from tapeless.rules.results.special import (
    array_function,
    complex_function,
    log_of_sum,
    normalized,
    several,
)
from tapeless.rules.traits import traits
from tapeless.runtime import expand_reduced, unbroadcast
from tapeless.runtime.special import (
    boxcox_exponent_slope,
    divide_unless_zero,
    exponential_weights,
    exprel_slope,
    spence_slope,
    voigt_slope,
    wofz_slope,
)

built_in_zero(special.round)
traits(np.log, np.log1p, special.erfinv, special.erfcinv, special.ndtri, special.expi, poles=True)
traits(exprel_slope, spence_slope, boxcox_exponent_slope, poles=True)

# Logistic functions


@elementwise(special.expit)
def special_expit(y: Any, x: Any) -> Any:
    return y * (1.0 - y)


@elementwise(special.logit)
def special_logit(y: Any, x: Any) -> Any:
    return 1.0 / (x * (1.0 - x))


@elementwise(special.log_expit)
def special_log_expit(y: Any, x: Any) -> Any:
    return -np.expm1(y)


if hasattr(special, "softplus"):  # since SciPy 1.16

    @elementwise(special.softplus, kind=array_function)
    def special_softplus(y: Any, x: Any) -> Any:
        return special.expit(x)


# Error functions


@elementwise(special.erf)
def special_erf(y: Any, x: Any) -> Any:
    return 2.0 / math.sqrt(math.pi) * np.exp(-np.square(x))


@elementwise(special.erfc)
def special_erfc(y: Any, x: Any) -> Any:
    return -2.0 / math.sqrt(math.pi) * np.exp(-np.square(x))


@elementwise(special.erfcx)
def special_erfcx(y: Any, x: Any) -> Any:
    return 2.0 * x * y - 2.0 / math.sqrt(math.pi)


@elementwise(special.erfi)
def special_erfi(y: Any, x: Any) -> Any:
    return 2.0 / math.sqrt(math.pi) * np.exp(np.square(x))


@elementwise(special.erfinv)
def special_erfinv(y: Any, x: Any) -> Any:
    return 0.5 * math.sqrt(math.pi) * np.exp(np.square(y))


@elementwise(special.erfcinv)
def special_erfcinv(y: Any, x: Any) -> Any:
    return -0.5 * math.sqrt(math.pi) * np.exp(np.square(y))


@elementwise(special.dawsn)
def special_dawsn(y: Any, x: Any) -> Any:
    return 1.0 - 2.0 * x * y


@elementwise(special.wofz, kind=complex_function)
def special_wofz(y: Any, z: Any) -> Any:
    return wofz_slope(y, z)


@elementwise(special.voigt_profile)
def special_voigt_profile(y: Any, x: Any, sigma: Any, gamma: Any) -> Any:
    slope = voigt_slope(x, sigma, gamma)
    along = np.real((x + 1j * gamma) * slope)
    return np.real(slope), -(y + along) / sigma, -np.imag(slope)


@register_gradient(special.fresnel, kind=several(2))
def special_fresnel(x: Any, /) -> Any:
    """The integrals of sin(pi t^2 / 2) and cos(pi t^2 / 2)."""
    y = special.fresnel(x)

    def grad(s_bar: Any, c_bar: Any) -> Any:
        angle = 0.5 * math.pi * np.square(x)
        return s_bar * np.sin(angle) + c_bar * np.cos(angle)

    def jvp(x_dot: Any) -> Any:
        angle = 0.5 * math.pi * np.square(x)
        return np.sin(angle) * x_dot, np.cos(angle) * x_dot

    return y, grad, jvp


# The normal distribution


@elementwise(special.ndtr)
def special_ndtr(y: Any, x: Any) -> Any:
    return np.exp(-0.5 * np.square(x)) / math.sqrt(2.0 * math.pi)


@elementwise(special.log_ndtr)
def special_log_ndtr(y: Any, x: Any) -> Any:
    # The density over the probability, which both underflow; their quotient does not.
    return math.sqrt(2.0 / math.pi) / special.erfcx(-math.sqrt(0.5) * x)


@elementwise(special.ndtri)
def special_ndtri(y: Any, x: Any) -> Any:
    return math.sqrt(2.0 * math.pi) * np.exp(0.5 * np.square(y))


@elementwise(special.ndtri_exp)
def special_ndtri_exp(y: Any, x: Any) -> Any:
    return math.sqrt(0.5 * math.pi) * special.erfcx(-math.sqrt(0.5) * y)


@elementwise(special.owens_t)
def special_owens_t(y: Any, h: Any, a: Any) -> Any:
    half = np.exp(-0.5 * np.square(h)) / (2.0 * math.sqrt(2.0 * math.pi))
    in_a = np.exp(-0.5 * np.square(h) * (1.0 + a**2)) / (2.0 * math.pi * (1.0 + a**2))
    return -half * special.erf(math.sqrt(0.5) * a * h), in_a


# Entropies


@elementwise(special.entr)
def special_entr(y: Any, x: Any) -> Any:
    return -1.0 - np.log(x)


@elementwise(special.rel_entr)
def special_rel_entr(z: Any, x: Any, y: Any) -> Any:
    return 1.0 + np.log(x / y), -x / y


@elementwise(special.kl_div)
def special_kl_div(z: Any, x: Any, y: Any) -> Any:
    return np.log(x / y), 1.0 - x / y


@elementwise(special.xlogy)
def special_xlogy(z: Any, x: Any, y: Any) -> Any:
    return np.log(y), divide_unless_zero(x, y)


@elementwise(special.xlog1py)
def special_xlog1py(z: Any, x: Any, y: Any) -> Any:
    return np.log1p(y), divide_unless_zero(x, 1.0 + y)


# Losses


@elementwise(special.huber)
def special_huber(y: Any, delta: Any, r: Any) -> Any:
    return np.maximum(np.abs(r) - delta, 0.0), np.minimum(np.maximum(r, -delta), delta)


@elementwise(special.pseudo_huber)
def special_pseudo_huber(y: Any, delta: Any, r: Any) -> Any:
    slope = r / np.sqrt(1.0 + np.square(r / delta))
    return (2.0 * y - r * slope) / delta, slope


# Powers, exponentials and logarithms


@elementwise(special.cbrt)
def special_cbrt(y: Any, x: Any) -> Any:
    return 1.0 / (3.0 * y**2)


@elementwise(special.exp2)
def special_exp2(y: Any, x: Any) -> Any:
    return y * math.log(2.0)


@elementwise(special.exp10)
def special_exp10(y: Any, x: Any) -> Any:
    return y * math.log(10.0)


@elementwise(special.expm1)
def special_expm1(y: Any, x: Any) -> Any:
    return np.exp(x)


@elementwise(special.log1p)
def special_log1p(y: Any, x: Any) -> Any:
    return 1.0 / (1.0 + x)


@elementwise(special.powm1)
def special_powm1(z: Any, x: Any, y: Any) -> Any:
    return y * np.power(x, y - 1.0), (1.0 + z) * np.log(x)


@elementwise(special.exprel)
def special_exprel(y: Any, x: Any) -> Any:
    return exprel_slope(x)


@elementwise(special.spence)
def special_spence(y: Any, z: Any) -> Any:
    return spence_slope(z)


@elementwise(special.boxcox)
def special_boxcox(y: Any, x: Any, lmbda: Any) -> Any:
    return np.power(x, lmbda - 1.0), boxcox_exponent_slope(np.log(x), lmbda)


@elementwise(special.boxcox1p)
def special_boxcox1p(y: Any, x: Any, lmbda: Any) -> Any:
    return np.power(1.0 + x, lmbda - 1.0), boxcox_exponent_slope(np.log1p(x), lmbda)


@elementwise(special.inv_boxcox)
def special_inv_boxcox(x: Any, y: Any, lmbda: Any) -> Any:
    slope = np.power(x, 1.0 - lmbda)
    return slope, -slope * boxcox_exponent_slope(np.log(x), lmbda)


@elementwise(special.inv_boxcox1p)
def special_inv_boxcox1p(x: Any, y: Any, lmbda: Any) -> Any:
    slope = np.power(1.0 + x, 1.0 - lmbda)
    return slope, -slope * boxcox_exponent_slope(np.log1p(x), lmbda)


# Trigonometric functions


@elementwise(special.cosm1)
def special_cosm1(y: Any, x: Any) -> Any:
    return -np.sin(x)


@elementwise(special.sindg)
def special_sindg(y: Any, x: Any) -> Any:
    return math.pi / 180.0 * special.cosdg(x)


@elementwise(special.cosdg)
def special_cosdg(y: Any, x: Any) -> Any:
    return -math.pi / 180.0 * special.sindg(x)


@elementwise(special.tandg)
def special_tandg(y: Any, x: Any) -> Any:
    return math.pi / 180.0 * (1.0 + y**2)


@elementwise(special.cotdg)
def special_cotdg(y: Any, x: Any) -> Any:
    return -math.pi / 180.0 * (1.0 + y**2)


@elementwise(special.radian)
def special_radian(y: Any, d: Any, m: Any, s: Any) -> Any:
    return math.pi / 180.0, math.pi / 10800.0, math.pi / 648000.0


# Sums of exponentials


@register_gradient(special.logsumexp, kind=log_of_sum)
def special_logsumexp(
    a: Any, axis: Any = None, b: Any = None, keepdims: Any = False, return_sign: Any = False
) -> Any:
    """Here y = log(s sum b exp(a)), so dy = s sum b exp(a - y) da + s sum exp(a - y) db.

    The sign s is 1 where it is not asked for. It is constant, as that of a real number is.
    """
    if return_sign and (np.iscomplexobj(a) or b is not None and np.iscomplexobj(b)):
        raise GradientError(
            "the sign of scipy.special.logsumexp is a phase for complex numbers, and is not differentiated",
            fix="take np.sum(b * np.exp(a)), and np.abs and np.angle of it",
        )
    y = special.logsumexp(a, axis=axis, b=b, keepdims=keepdims, return_sign=return_sign)

    def grad(*y_bars: Any) -> Any:
        log_sum = y[0] if return_sign else y
        shares = exponential_weights(a, expand_reduced(log_sum, axis, keepdims))
        if return_sign:
            shares = shares * expand_reduced(y[1], axis, keepdims)
        terms_bar = expand_reduced(y_bars[0], axis, keepdims) * shares
        if b is None:
            return terms_bar, None, None, None, None
        return unbroadcast(terms_bar * b, a), None, unbroadcast(terms_bar, b), None, None

    def jvp(a_dot: Any, b_dot: Any = 0.0) -> Any:
        log_sum = y[0] if return_sign else y
        shares = exponential_weights(a, expand_reduced(log_sum, axis, keepdims))
        if return_sign:
            shares = shares * expand_reduced(y[1], axis, keepdims)
        moved = shares * a_dot if b is None else shares * (b * a_dot + b_dot)
        y_dot = np.sum(moved, axis=axis, keepdims=keepdims)
        return (y_dot, np.zeros_like(y_dot)) if return_sign else y_dot

    return y, grad, jvp


@register_gradient(special.softmax, kind=normalized)
def special_softmax(x: Any, axis: Any = None) -> Any:
    """Here dy = y (dx - sum y dx)."""
    y = special.softmax(x, axis=axis)

    def grad(y_bar: Any) -> Any:
        z_bar = y_bar * y
        return z_bar - y * np.sum(z_bar, axis=axis, keepdims=True), None

    def jvp(x_dot: Any) -> Any:
        z_dot = y * x_dot
        return z_dot - y * np.sum(z_dot, axis=axis, keepdims=True)

    return y, grad, jvp


@register_gradient(special.log_softmax, kind=normalized)
def special_log_softmax(x: Any, axis: Any = None) -> Any:
    """Here dy = dx - sum exp(y) dx."""
    y = special.log_softmax(x, axis=axis)

    def grad(y_bar: Any) -> Any:
        return y_bar - np.exp(y) * np.sum(y_bar, axis=axis, keepdims=True), None

    def jvp(x_dot: Any) -> Any:
        return x_dot - np.sum(np.exp(y) * x_dot, axis=axis, keepdims=True)

    return y, grad, jvp
