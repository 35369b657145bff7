"""The functions of `np.emath`, which leave the real numbers where real arguments have no real value.

Each is that of NumPy itself, of an argument that is made complex where an entry lies outside the real
domain. To make it complex changes no entry, so a cotangent passes, and of it the real part where the
argument is real.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.rules.declare import register_gradient, written_out
from tapeless.rules.results import shapes
from tapeless.runtime import complex_below_zero, complex_beyond_one


@register_gradient(complex_below_zero, kind=shapes.perhaps_complex, view="sometimes")
def complex_below_zero_rule(x: Any) -> Any:
    y = complex_below_zero(x)

    def grad(y_bar: Any) -> Any:
        return y_bar

    def jvp(x_dot: Any) -> Any:
        return x_dot

    return y, grad, jvp


@register_gradient(complex_beyond_one, kind=shapes.perhaps_complex, view="sometimes")
def complex_beyond_one_rule(x: Any) -> Any:
    y = complex_beyond_one(x)

    def grad(y_bar: Any) -> Any:
        return y_bar

    def jvp(x_dot: Any) -> Any:
        return x_dot

    return y, grad, jvp


def emath_sqrt(x: Any) -> Any:
    return np.sqrt(complex_below_zero(x))


def emath_log(x: Any) -> Any:
    return np.log(complex_below_zero(x))


def emath_log2(x: Any) -> Any:
    return np.log2(complex_below_zero(x))


def emath_log10(x: Any) -> Any:
    return np.log10(complex_below_zero(x))


def emath_logn(n: Any, x: Any) -> Any:
    return np.log(complex_below_zero(x)) / np.log(complex_below_zero(n))


def emath_power(x: Any, p: Any) -> Any:
    return np.power(complex_below_zero(x), p * 1.0)


def emath_arccos(x: Any) -> Any:
    return np.arccos(complex_beyond_one(x))


def emath_arcsin(x: Any) -> Any:
    return np.arcsin(complex_beyond_one(x))


def emath_arctanh(x: Any) -> Any:
    return np.arctanh(complex_beyond_one(x))


for _function in (
    emath_sqrt, emath_log, emath_log2, emath_log10, emath_logn, emath_power, emath_arccos,
    emath_arcsin, emath_arctanh,
):  # fmt: skip
    written_out(getattr(np.emath, _function.__name__.removeprefix("emath_")), _function)
