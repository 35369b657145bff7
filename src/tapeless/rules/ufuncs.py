"""Rules of NumPy's elementwise functions, and of the operators that do the same.

Each entry of the result depends on the entries of the arguments at the same place only, so the
Jacobian is diagonal and the partial of each argument says all. A partial is written in terms of
the result wherever that is as short as writing it in terms of the argument: then the argument need
not be kept for the reverse sweep. Constants are Python numbers, which leave single precision
single.

Where the derivative does not exist the value is a choice: the slope of the absolute value at 0 is
0, equal arguments of a maximum or minimum take half each, `clip` has no slope at its limits and
hypot none at the origin. A root has infinite slope at 0.

Functions of a complex argument that are not holomorphic (`abs`, `real`, `imag`, `conj`, `angle`)
are written in the general form: cotangents pair with tangents bilinearly, without conjugation, so
that the cotangent of ``z = x + 1j * y`` is the derivative in `x` less ``1j`` times that in `y`.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from tapeless.rules.declare import elementwise, register_gradient
from tapeless.rules.results import entrywise, shapes
from tapeless.runtime import (
    bessel_i1,
    clip_at_lower,
    clip_at_upper,
    clip_interior,
    divide_or_zero,
    finite_parts,
    power_in_base,
    power_in_exponent,
    rest_of_extremum,
    rest_of_maximum,
    share_of_extremum,
    share_of_logaddexp,
    share_of_maximum,
    sinc_slope,
    unbroadcast,
)

# Arithmetic


@elementwise(np.add, operator.add, kind=entrywise.keeping_integers)
def np_add(y: Any, x1: Any, x2: Any) -> Any:
    return 1.0, 1.0


@elementwise(np.subtract, operator.sub, kind=entrywise.keeping_integers)
def np_subtract(y: Any, x1: Any, x2: Any) -> Any:
    return 1.0, -1.0


@elementwise(np.multiply, operator.mul, kind=entrywise.keeping_integers)
def np_multiply(y: Any, x1: Any, x2: Any) -> Any:
    return x2, x1


@elementwise(np.divide, operator.truediv)
def np_divide(y: Any, x1: Any, x2: Any) -> Any:
    return 1.0 / x2, -y / x2


@elementwise(np.negative, operator.neg, kind=entrywise.keeping_integers)
def np_negative(y: Any, x: Any) -> Any:
    return -1.0


@elementwise(np.positive, operator.pos, kind=entrywise.keeping_integers)
def np_positive(y: Any, x: Any) -> Any:
    return 1.0


@elementwise(np.power, operator.pow, kind=entrywise.keeping_integers)
@elementwise(np.float_power, kind=entrywise.in_double)
def np_power(y: Any, x1: Any, x2: Any) -> Any:
    return power_in_base(y, x1, x2), power_in_exponent(y, x1)


@elementwise(np.remainder, operator.mod, kind=entrywise.keeping_integers)
def np_remainder(y: Any, x1: Any, x2: Any) -> Any:
    return 1.0, -(x1 // x2)


@elementwise(np.fmod, kind=entrywise.keeping_integers)
def np_fmod(y: Any, x1: Any, x2: Any) -> Any:
    # The quotient may round up to a whole number that the dividend does not reach.
    return 1.0, -np.rint((x1 - y) / x2)


@register_gradient(np.divmod, kind=entrywise.whole_and_rest)
def np_divmod(x1: Any, x2: Any) -> Any:
    quotient, remainder = np.divmod(x1, x2)

    def grad(quotient_bar: Any, remainder_bar: Any) -> Any:
        return unbroadcast(remainder_bar, x1), unbroadcast(-remainder_bar * quotient, x2)

    def jvp(x1_dot: Any, x2_dot: Any) -> Any:
        return 0.0 * quotient, x1_dot - quotient * x2_dot

    return (quotient, remainder), grad, jvp


@register_gradient(np.modf, kind=entrywise.fraction_and_whole)
def np_modf(x: Any) -> Any:
    fraction, whole = np.modf(x)

    def grad(fraction_bar: Any, whole_bar: Any) -> Any:
        return fraction_bar

    def jvp(x_dot: Any) -> Any:
        return x_dot, 0.0 * whole

    return (fraction, whole), grad, jvp


@register_gradient(np.frexp, kind=entrywise.mantissas_and_exponents)
def np_frexp(x: Any) -> Any:
    mantissa, exponent = np.frexp(x)

    def grad(mantissa_bar: Any, exponent_bar: Any) -> Any:
        return np.ldexp(mantissa_bar, -exponent)

    def jvp(x_dot: Any) -> Any:
        return np.ldexp(x_dot, -exponent), 0.0 * exponent

    return (mantissa, exponent), grad, jvp


@register_gradient(np.ldexp, linear=True)
def np_ldexp(x1: Any, x2: Any) -> Any:
    y = np.ldexp(x1, x2)

    def grad(y_bar: Any) -> Any:
        return unbroadcast(np.ldexp(y_bar, x2), x1), None

    return y, grad


@elementwise(np.nextafter, selects=True)
def np_nextafter(y: Any, x1: Any, x2: Any) -> Any:
    return 1.0, None


# Roots, powers, exponentials and logarithms


@elementwise(np.sqrt, floating=True)
def np_sqrt(y: Any, x: Any) -> Any:
    return 0.5 / y


@elementwise(np.cbrt)
def np_cbrt(y: Any, x: Any) -> Any:
    return 1.0 / (3.0 * y**2)


@elementwise(np.square, kind=entrywise.keeping_integers)
def np_square(y: Any, x: Any) -> Any:
    return 2.0 * x


@elementwise(np.reciprocal)
def np_reciprocal(y: Any, x: Any) -> Any:
    return -y / x


@elementwise(np.exp, floating=True)
def np_exp(y: Any, x: Any) -> Any:
    return y


@elementwise(np.exp2)
def np_exp2(y: Any, x: Any) -> Any:
    return y * math.log(2.0)


@elementwise(np.expm1)
def np_expm1(y: Any, x: Any) -> Any:
    # Not y + 1: that cancels where x is very negative.
    return np.exp(x)


@elementwise(np.log, floating=True)
def np_log(y: Any, x: Any) -> Any:
    return 1.0 / x


@elementwise(np.log2)
def np_log2(y: Any, x: Any) -> Any:
    return 1.0 / (x * math.log(2.0))


@elementwise(np.log10)
def np_log10(y: Any, x: Any) -> Any:
    return 1.0 / (x * math.log(10.0))


@elementwise(np.log1p)
def np_log1p(y: Any, x: Any) -> Any:
    return 1.0 / (1.0 + x)


@elementwise(np.logaddexp)
def np_logaddexp(y: Any, x1: Any, x2: Any) -> Any:
    return share_of_logaddexp(x1, x2), share_of_logaddexp(x2, x1)


@elementwise(np.logaddexp2)
def np_logaddexp2(y: Any, x1: Any, x2: Any) -> Any:
    return np.exp2(x1 - y), np.exp2(x2 - y)


# Trigonometric functions


@elementwise(np.sin, floating=True)
def np_sin(y: Any, x: Any) -> Any:
    return np.cos(x)


@elementwise(np.cos, floating=True)
def np_cos(y: Any, x: Any) -> Any:
    return -np.sin(x)


@elementwise(np.tan, floating=True)
def np_tan(y: Any, x: Any) -> Any:
    return 1.0 + y**2


@elementwise(np.arcsin)
def np_arcsin(y: Any, x: Any) -> Any:
    return 1.0 / np.sqrt(1.0 - x**2)


@elementwise(np.arccos)
def np_arccos(y: Any, x: Any) -> Any:
    return -1.0 / np.sqrt(1.0 - x**2)


@elementwise(np.arctan)
def np_arctan(y: Any, x: Any) -> Any:
    return 1.0 / (1.0 + x**2)


@elementwise(np.arctan2)
def np_arctan2(y: Any, x1: Any, x2: Any) -> Any:
    # np.square, for Python numbers too: 0 / 0 is nan there, not an exception.
    return x2 / (np.square(x1) + np.square(x2)), -x1 / (np.square(x1) + np.square(x2))


@elementwise(np.hypot, kind=entrywise.real_elementwise)
def np_hypot(y: Any, x1: Any, x2: Any) -> Any:
    return divide_or_zero(x1, y), divide_or_zero(x2, y)


@elementwise(np.degrees, np.rad2deg)
def np_degrees(y: Any, x: Any) -> Any:
    return 180.0 / math.pi


@elementwise(np.radians, np.deg2rad)
def np_radians(y: Any, x: Any) -> Any:
    return math.pi / 180.0


@elementwise(np.sinc)
def np_sinc(y: Any, x: Any) -> Any:
    return sinc_slope(y, x)


# Hyperbolic functions


@elementwise(np.sinh, floating=True)
def np_sinh(y: Any, x: Any) -> Any:
    return np.cosh(x)


@elementwise(np.cosh, floating=True)
def np_cosh(y: Any, x: Any) -> Any:
    return np.sinh(x)


@elementwise(np.tanh, floating=True)
def np_tanh(y: Any, x: Any) -> Any:
    return 1.0 - y**2


@elementwise(np.arcsinh)
def np_arcsinh(y: Any, x: Any) -> Any:
    return 1.0 / np.sqrt(1.0 + x**2)


@elementwise(np.arccosh)
def np_arccosh(y: Any, x: Any) -> Any:
    # Two roots: their product is on the principal branch, the root of x**2 - 1 is not.
    return 1.0 / (np.sqrt(x - 1.0) * np.sqrt(x + 1.0))


@elementwise(np.arctanh)
def np_arctanh(y: Any, x: Any) -> Any:
    return 1.0 / (1.0 - np.square(x))


# Bessel functions


@elementwise(np.i0, kind=entrywise.in_array)
def np_i0(y: Any, x: Any) -> Any:
    return bessel_i1(x)


@elementwise(bessel_i1)
def runtime_bessel_i1(y: Any, x: Any) -> Any:
    return np.i0(x) - np.where(x == 0, 0.5, y / np.where(x == 0, 1.0, x))


# Signs, extrema and limits


@elementwise(np.fabs, kind=entrywise.real_elementwise)
def np_fabs(y: Any, x: Any) -> Any:
    return np.sign(x)


@elementwise(np.copysign, selects=True)
def np_copysign(y: Any, x1: Any, x2: Any) -> Any:
    return np.sign(x1) * np.copysign(1.0, x2), None


@elementwise(np.heaviside, selects=True)
def np_heaviside(y: Any, x1: Any, x2: Any) -> Any:
    return None, x1 == 0


@elementwise(np.maximum, kind=entrywise.keeping_integers, selects=True)
def np_maximum(y: Any, x1: Any, x2: Any) -> Any:
    return share_of_maximum(y, x1, x2), rest_of_maximum(y, x1, x2)


@elementwise(np.minimum, np.fmax, np.fmin, kind=entrywise.keeping_integers, selects=True)
def np_minimum(y: Any, x1: Any, x2: Any) -> Any:
    return share_of_extremum(y, x1, x2), rest_of_extremum(y, x1, x2)


@elementwise(np.clip, kind=entrywise.clipped, selects=True)
def np_clip(
    y: Any, a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None
) -> Any:
    lower = min if a_min is None else a_min
    upper = max if a_max is None else a_max
    return (
        clip_interior(a, lower, upper),
        clip_at_lower(a, lower, upper),
        clip_at_upper(a, lower, upper),
        clip_at_lower(a, lower, upper),
        clip_at_upper(a, lower, upper),
    )


@elementwise(np.ndarray.clip, kind=entrywise.keeping_integers, selects=True)
def ndarray_clip(y: Any, self: Any, min: Any = None, max: Any = None) -> Any:
    return (
        clip_interior(self, min, max),
        clip_at_lower(self, min, max),
        clip_at_upper(self, min, max),
    )


@register_gradient(np.nan_to_num, kind=shapes.same_shape, view="if asked", selects=True)
def np_nan_to_num(x: Any, *, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    y = np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)

    def grad(y_bar: Any) -> Any:
        if np.iscomplexobj(x):
            return finite_parts(y_bar, x), None, None, None
        nan_bar = unbroadcast(y_bar * np.isnan(x), nan)
        posinf_bar = unbroadcast(y_bar * np.isposinf(x), posinf)
        neginf_bar = unbroadcast(y_bar * np.isneginf(x), neginf)
        return y_bar * np.isfinite(x), nan_bar, posinf_bar, neginf_bar

    def jvp(x_dot: Any, nan_dot: Any = 0.0, posinf_dot: Any = 0.0, neginf_dot: Any = 0.0) -> Any:
        if np.iscomplexobj(x):
            return finite_parts(x_dot, x)
        replaced_dot = np.isposinf(x) * posinf_dot + np.isneginf(x) * neginf_dot
        return np.isfinite(x) * x_dot + np.isnan(x) * nan_dot + replaced_dot

    return y, grad, jvp


@register_gradient(np.unwrap, kind=shapes.unwrapped)
def np_unwrap(p: Any, discont: Any = None, axis: int = -1, *, period: Any = 2 * math.pi) -> Any:
    y = np.unwrap(p, discont=discont, axis=axis, period=period)
    jumps = (y - p) / period

    def grad(y_bar: Any) -> Any:
        return y_bar, None, None, unbroadcast(y_bar * jumps, period)

    def jvp(p_dot: Any, period_dot: Any = 0.0) -> Any:
        return p_dot + jumps * period_dot

    return y, grad, jvp
