"""Rules of Python's builtins.

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
import time
import warnings
from typing import Any

import numpy as np

from tapeless.rules.declare import built_in_zero, elementwise, register_gradient
from tapeless.rules.results import entrywise, scalars
from tapeless.rules.traits import traits
from tapeless.runtime import (
    at_item,
    cotangents_of_sum,
    field_names,
    finds_method,
    is_function,
    is_set,
    names_in,
    own_names,
    power_in_base,
    power_in_exponent,
    single_index,
    unbroadcast,
)

# Builtins


@elementwise(pow, kind=entrywise.keeping_integers)
def builtin_pow(y: Any, base: Any, exp: Any, mod: Any = None) -> Any:
    return power_in_base(y, base, exp), power_in_exponent(y, base), None


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


@register_gradient(divmod, kind=entrywise.whole_and_rest)
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
        if len(args) == 3:
            chosen = args.index(y)
            return (
                y_bar if chosen == 0 else 0.0,
                y_bar if chosen == 1 else 0.0,
                y_bar if chosen == 2 else 0.0,
            )
        bars = at_item(y_bar, args.index(y), args)
        return (*bars,)

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
        if len(args) == 3:
            chosen = args.index(y)
            return (
                y_bar if chosen == 0 else 0.0,
                y_bar if chosen == 1 else 0.0,
                y_bar if chosen == 2 else 0.0,
            )
        bars = at_item(y_bar, args.index(y), args)
        return (*bars,)

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

built_in_zero(
    field_names,
    names_in,
    finds_method,
    is_function,
    is_set,
    own_names,
    operator.lt,
    operator.le,
    operator.eq,
    operator.ne,
    operator.ge,
    operator.gt,
    operator.is_,
    operator.is_not,
    operator.contains,
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
)

built_in_zero(
    operator.index, operator.indexOf, operator.countOf, operator.length_hint, single_index, hash,
    bisect.bisect_left, bisect.bisect_right, kind=scalars.whole_number,
)  # fmt: skip
built_in_zero(
    math.floor, math.ceil, math.trunc, math.factorial, math.comb, math.perm, math.gcd, math.lcm,
    math.isqrt, kind=scalars.whole_number,
)  # fmt: skip
built_in_zero(math.isnan, math.isinf, math.isfinite, math.isclose, kind=scalars.truth, tests=True)
built_in_zero(math.ulp)

# Piecewise constant: what builtins tell about a thing

built_in_zero(round, len, all, any, range, slice)
built_in_zero(int, bool, recasts=True)
built_in_zero(
    isinstance, issubclass, callable, hasattr, is_set, field_names, names_in, type, id, hash
)
built_in_zero(
    str, repr, ascii, format, print, builtins.bin, builtins.oct, builtins.hex, ord, chr, bytes
)

traits(
    len, range, abs, float, int, bool, complex, min, max, sum, tuple, list, dict, zip, enumerate,
    reversed, isinstance, round, slice, pow, pure=True,
)  # fmt: skip
traits(len, type, isinstance, dict.fromkeys, asks_form=(0,))
traits(dict.items, dict.keys, dict.values, dict.get, pure=True, view="always")

# What writes messages

built_in_zero(
    warnings.warn, logging.log, logging.debug, logging.info, logging.warning, logging.error,
    logging.exception, logging.critical,
)  # fmt: skip

# Clocks: another call gives another number

traits(
    time.time, time.monotonic, time.perf_counter, time.process_time, time.thread_time,
    kind=scalars.real_number, pure=False,
)  # fmt: skip
