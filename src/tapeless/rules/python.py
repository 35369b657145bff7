"""Rules of Python's own functions: the `math` module, `operator` and the builtins.

Partials of `math` functions are written with `math` functions, which are several times as fast on
numbers as NumPy's. The one difference that matters is division: Python raises an exception where
NumPy gives infinity, so that where a derivative is infinite at a point at which the function itself
is defined (the root at 0, the arc sine at 1) the quotient is taken by NumPy.

`min` and `max` of several numbers return one of them, the first that will do, and that one takes
the whole derivative. Whatever returns a truth value, an integer, a text or the identity of a thing
is listed at the end as piecewise constant. Operators that are ufuncs too stand beside the ufuncs.
"""

from __future__ import annotations

import bisect
import builtins
import logging
import math
import operator
import sys
import warnings
from typing import Any

import numpy as np

from tapeless.rules.declare import elementwise, register_gradient, zero_gradient
from tapeless.rules.results import scalars
from tapeless.rules.traits import traits
from tapeless.runtime import (
    at_item,
    cotangents_of_sum,
    divide_or_zero,
    is_function,
    polygamma,
    power_in_base,
    power_in_exponent,
    product_of_others,
    unbroadcast,
)

# Powers, exponentials and logarithms of the math module


@elementwise(math.sqrt, floating=True)
def math_sqrt(y: Any, x: Any) -> Any:
    return np.divide(0.5, y)


@elementwise(math.cbrt)
def math_cbrt(y: Any, x: Any) -> Any:
    return np.divide(1.0, 3.0 * y**2)


@elementwise(math.pow)
def math_pow(y: Any, x1: Any, x2: Any) -> Any:
    return power_in_base(x1, x2), power_in_exponent(y, x1)


@elementwise(math.exp, floating=True)
def math_exp(y: Any, x: Any) -> Any:
    return y


@elementwise(math.exp2)
def math_exp2(y: Any, x: Any) -> Any:
    return y * math.log(2.0)


@elementwise(math.expm1)
def math_expm1(y: Any, x: Any) -> Any:
    return math.exp(x)


@elementwise(math.log, floating=True)
def math_log(y: Any, x: Any, base: Any = None) -> Any:
    if base is None:
        return 1.0 / x, None
    return 1.0 / (x * math.log(base)), -y / (base * math.log(base))


@elementwise(math.log2)
def math_log2(y: Any, x: Any) -> Any:
    return 1.0 / (x * math.log(2.0))


@elementwise(math.log10)
def math_log10(y: Any, x: Any) -> Any:
    return 1.0 / (x * math.log(10.0))


@elementwise(math.log1p)
def math_log1p(y: Any, x: Any) -> Any:
    return 1.0 / (1.0 + x)


# Trigonometric and hyperbolic functions of the math module


@elementwise(math.sin, floating=True)
def math_sin(y: Any, x: Any) -> Any:
    return math.cos(x)


@elementwise(math.cos, floating=True)
def math_cos(y: Any, x: Any) -> Any:
    return -math.sin(x)


@elementwise(math.tan, floating=True)
def math_tan(y: Any, x: Any) -> Any:
    return 1.0 + y**2


@elementwise(math.asin)
def math_asin(y: Any, x: Any) -> Any:
    return np.divide(1.0, math.sqrt(1.0 - x**2))


@elementwise(math.acos)
def math_acos(y: Any, x: Any) -> Any:
    return np.divide(-1.0, math.sqrt(1.0 - x**2))


@elementwise(math.atan)
def math_atan(y: Any, x: Any) -> Any:
    return 1.0 / (1.0 + x**2)


@elementwise(math.atan2)
def math_atan2(y: Any, x1: Any, x2: Any) -> Any:
    return np.divide(x2, x1**2 + x2**2), np.divide(-x1, x1**2 + x2**2)


@elementwise(math.degrees)
def math_degrees(y: Any, x: Any) -> Any:
    return 180.0 / math.pi


@elementwise(math.radians)
def math_radians(y: Any, x: Any) -> Any:
    return math.pi / 180.0


@elementwise(math.sinh, floating=True)
def math_sinh(y: Any, x: Any) -> Any:
    return math.cosh(x)


@elementwise(math.cosh, floating=True)
def math_cosh(y: Any, x: Any) -> Any:
    return math.sinh(x)


@elementwise(math.tanh, floating=True)
def math_tanh(y: Any, x: Any) -> Any:
    return 1.0 - y**2


@elementwise(math.asinh)
def math_asinh(y: Any, x: Any) -> Any:
    return 1.0 / math.sqrt(1.0 + x**2)


@elementwise(math.acosh)
def math_acosh(y: Any, x: Any) -> Any:
    return np.divide(1.0, math.sqrt(x - 1.0) * math.sqrt(x + 1.0))


@elementwise(math.atanh)
def math_atanh(y: Any, x: Any) -> Any:
    return 1.0 / (1.0 - x**2)


# The gamma and error functions


@elementwise(math.gamma)
def math_gamma(y: Any, x: Any) -> Any:
    return y * polygamma(0, x)


@elementwise(math.lgamma)
def math_lgamma(y: Any, x: Any) -> Any:
    return polygamma(0, x)


@elementwise(polygamma)
def runtime_polygamma(y: Any, n: Any, x: Any) -> Any:
    return None, polygamma(n + 1, x)


@elementwise(math.erf)
def math_erf(y: Any, x: Any) -> Any:
    return 2.0 / math.sqrt(math.pi) * math.exp(-(x**2))


@elementwise(math.erfc)
def math_erfc(y: Any, x: Any) -> Any:
    return -2.0 / math.sqrt(math.pi) * math.exp(-(x**2))


# Signs, remainders and the parts of a number


@elementwise(math.fabs)
def math_fabs(y: Any, x: Any) -> Any:
    return np.sign(x)


@elementwise(math.copysign, selects=True)
def math_copysign(y: Any, x1: Any, x2: Any) -> Any:
    return np.sign(x1) * math.copysign(1.0, x2), None


@elementwise(math.fmod, math.remainder)
def math_fmod(y: Any, x1: Any, x2: Any) -> Any:
    return 1.0, -round((x1 - y) / x2)


@elementwise(math.nextafter, selects=True)
def math_nextafter(y: Any, x1: Any, x2: Any) -> Any:
    return 1.0, None


@elementwise(math.ldexp)
def math_ldexp(y: Any, x1: Any, x2: Any) -> Any:
    return math.ldexp(1.0, x2), None


@register_gradient(math.modf, kind=scalars.fraction_and_whole)
def math_modf(x: Any, /) -> Any:
    fraction, whole = math.modf(x)

    def grad(fraction_bar: Any, whole_bar: Any) -> Any:
        return fraction_bar

    def jvp(x_dot: Any) -> Any:
        return x_dot, 0.0

    return (fraction, whole), grad, jvp


@register_gradient(math.frexp, kind=scalars.mantissa_and_exponent)
def math_frexp(x: Any, /) -> Any:
    mantissa, exponent = math.frexp(x)

    def grad(mantissa_bar: Any, exponent_bar: Any) -> Any:
        return math.ldexp(mantissa_bar, -exponent)

    def jvp(x_dot: Any) -> Any:
        return math.ldexp(x_dot, -exponent), 0.0

    return (mantissa, exponent), grad, jvp


# Functions of several numbers


@register_gradient(math.hypot)
def math_hypot(*coordinates: Any) -> Any:
    y = math.hypot(*coordinates)

    def grad(y_bar: Any) -> Any:
        return tuple([y_bar * divide_or_zero(x, y) for x in coordinates])

    def jvp(*coordinates_dot: Any) -> Any:
        return sum(
            [
                x_dot * divide_or_zero(x, y)
                for x, x_dot in zip(coordinates, coordinates_dot, strict=True)
            ]
        )

    return y, grad, jvp


@register_gradient(math.dist)
def math_dist(p: Any, q: Any, /) -> Any:
    y = math.dist(p, q)

    def grad(y_bar: Any) -> Any:
        p_bar = [y_bar * divide_or_zero(a - b, y) for a, b in zip(p, q, strict=True)]
        return p_bar, [-g for g in p_bar]

    def jvp(p_dot: Any, q_dot: Any) -> Any:
        return sum(
            [
                (a_dot - b_dot) * divide_or_zero(a - b, y)
                for a, b, a_dot, b_dot in zip(p, q, p_dot, q_dot, strict=True)
            ]
        )

    return y, grad, jvp


@register_gradient(math.fsum, linear=True)
def math_fsum(seq: Any, /) -> Any:
    y = math.fsum(seq)

    def grad(y_bar: Any) -> Any:
        return cotangents_of_sum(y_bar, seq)

    return y, grad


@register_gradient(math.prod)
def math_prod(iterable: Any, /, *, start: Any = 1) -> Any:
    y = math.prod(iterable, start=start)

    def grad(y_bar: Any) -> Any:
        others = product_of_others(np.asarray(iterable))
        if isinstance(iterable, np.ndarray):
            return y_bar * start * others, y_bar * math.prod(iterable)
        return [y_bar * start * other for other in others], y_bar * math.prod(iterable)

    def jvp(iterable_dot: Any, start_dot: Any = 0.0) -> Any:
        others = product_of_others(np.asarray(iterable))
        items_dot = sum([other * x_dot for other, x_dot in zip(others, iterable_dot, strict=True)])
        return start * items_dot + math.prod(iterable) * start_dot

    return y, grad, jvp


if sys.version_info >= (3, 12):

    @register_gradient(math.sumprod)
    def math_sumprod(p: Any, q: Any, /) -> Any:
        y = math.sumprod(p, q)

        def grad(y_bar: Any) -> Any:
            return [y_bar * b for b in q], [y_bar * a for a in p]

        def jvp(p_dot: Any, q_dot: Any) -> Any:
            return math.sumprod(p_dot, q) + math.sumprod(p, q_dot)

        return y, grad, jvp


if sys.version_info >= (3, 13):

    @elementwise(math.fma)
    def math_fma(y: Any, x1: Any, x2: Any, x3: Any) -> Any:
        return x2, x1, 1.0


# Builtins


@elementwise(pow)
def builtin_pow(y: Any, base: Any, exp: Any, mod: Any = None) -> Any:
    return power_in_base(base, exp), power_in_exponent(y, base), None


@register_gradient(float, recasts=True, linear=True)
def builtin_float(x: Any = 0.0, /) -> Any:
    y = float(x)
    shape = np.shape(x)

    def grad(y_bar: Any) -> Any:
        if shape == ():
            return y_bar
        return np.reshape(y_bar, shape)

    return y, grad


@register_gradient(complex, linear=("real", "imag"))
def builtin_complex(real: Any = 0.0, imag: Any = 0.0) -> Any:
    z = complex(real, imag)

    def grad(z_bar: Any) -> Any:
        if np.iscomplexobj(real):
            return z_bar, -np.imag(z_bar)
        return np.real(z_bar), -np.imag(z_bar)

    return z, grad


@register_gradient(divmod)
def builtin_divmod(x: Any, y: Any, /) -> Any:
    quotient, remainder = divmod(x, y)

    def grad(quotient_bar: Any, remainder_bar: Any) -> Any:
        return unbroadcast(remainder_bar, x), unbroadcast(-remainder_bar * quotient, y)

    def jvp(x_dot: Any, y_dot: Any) -> Any:
        return 0.0 * quotient, x_dot - quotient * y_dot

    return (quotient, remainder), grad, jvp


@register_gradient(sum, linear=("iterable", "start"))
def builtin_sum(iterable: Any, /, start: Any = 0) -> Any:
    y = sum(iterable, start)

    def grad(y_bar: Any) -> Any:
        return cotangents_of_sum(y_bar, iterable), unbroadcast(y_bar, start)

    return y, grad


@register_gradient(max, selects=True)
def builtin_max(*args: Any) -> Any:
    y = max(*args)

    def grad(y_bar: Any) -> Any:
        if len(args) == 1:
            return (at_item(y_bar, list(args[0]).index(y), args[0]),)
        if len(args) == 2:
            return 0.0 if args[1] > args[0] else y_bar, y_bar if args[1] > args[0] else 0.0
        return tuple(at_item(y_bar, args.index(y), args))

    def jvp(*args_dot: Any) -> Any:
        if len(args) == 1:
            return args_dot[0][list(args[0]).index(y)]
        return args_dot[args.index(y)]

    return y, grad, jvp


@register_gradient(min, selects=True)
def builtin_min(*args: Any) -> Any:
    y = min(*args)

    def grad(y_bar: Any) -> Any:
        if len(args) == 1:
            return (at_item(y_bar, list(args[0]).index(y), args[0]),)
        if len(args) == 2:
            return 0.0 if args[1] < args[0] else y_bar, y_bar if args[1] < args[0] else 0.0
        return tuple(at_item(y_bar, args.index(y), args))

    def jvp(*args_dot: Any) -> Any:
        if len(args) == 1:
            return args_dot[0][list(args[0]).index(y)]
        return args_dot[args.index(y)]

    return y, grad, jvp


# What the gradients of sums and selections call, for derivatives of higher order


@register_gradient(cotangents_of_sum, linear=True)
def runtime_cotangents_of_sum(g: Any, xs: Any) -> Any:
    y = cotangents_of_sum(g, xs)

    def grad(y_bar: Any) -> Any:
        return sum(y_bar, 0.0 * g), None

    return y, grad


@register_gradient(at_item, linear=True)
def runtime_at_item(g: Any, i: int, xs: Any) -> Any:
    y = at_item(g, i, xs)

    def grad(y_bar: Any) -> Any:
        return y_bar[i], None, None

    return y, grad


# Piecewise constant: comparisons, logic and integer arithmetic

zero_gradient(
    is_function,
    operator.lt,
    operator.le,
    operator.eq,
    operator.ne,
    operator.ge,
    operator.gt,
    operator.is_,
    operator.is_not,
    operator.contains,
    operator.countOf,
    operator.indexOf,
    operator.not_,
    operator.truth,
    operator.and_,
    operator.or_,
    operator.xor,
    operator.inv,
    operator.invert,
    operator.lshift,
    operator.rshift,
    operator.floordiv,
    operator.index,
    operator.length_hint,
    bisect.bisect_left,
    bisect.bisect_right,
)

zero_gradient(
    math.floor, math.ceil, math.trunc, math.factorial, math.comb, math.perm, math.gcd, math.lcm,
    math.isqrt, kind=scalars.whole_number,
)  # fmt: skip
zero_gradient(math.isnan, math.isinf, math.isfinite, math.isclose, kind=scalars.truth, tests=True)
zero_gradient(math.ulp)

# Piecewise constant: what builtins tell about a thing

zero_gradient(round, len, all, any, range, slice)
zero_gradient(int, bool, recasts=True)
zero_gradient(isinstance, issubclass, callable, hasattr, type, id, hash)
zero_gradient(
    str, repr, ascii, format, print, builtins.bin, builtins.oct, builtins.hex, ord, chr, bytes
)

traits(
    len, range, abs, float, int, bool, complex, min, max, sum, tuple, list, dict, zip, enumerate,
    reversed, isinstance, round, slice, pow, pure=True,
)  # fmt: skip
traits(len, type, isinstance, dict.fromkeys, asks_form=(0,))
traits(dict.items, dict.keys, dict.values, dict.get, pure=True, view="always")

# What writes messages

zero_gradient(
    warnings.warn, logging.log, logging.debug, logging.info, logging.warning, logging.error,
    logging.exception, logging.critical,
)  # fmt: skip
