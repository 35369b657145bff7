"""Bessel functions and their relatives (DLMF, chapters 9 and 10), Struve and Airy functions.

A derivative is a difference or sum of the functions of neighbouring orders. It is taken at whole
orders as well as between them; the order itself has no derivative in closed form.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from tapeless.rules.declare import elementwise, register_gradient, written_out
from tapeless.rules.reasons import no_derivative
from tapeless.rules.results.special import array_function, complex_function, several
from tapeless.rules.traits import traits
from tapeless.runtime.special import real_argument

traits(special.y0, special.y1, special.yv, special.yve, special.kv, special.kve, poles=True)
traits(
    special.k0, special.k0e, special.k1, special.k1e, special.hankel1, special.hankel2, poles=True
)
traits(special.hankel1e, special.hankel2e, special.spherical_yn, special.spherical_kn, poles=True)
traits(special.ker, special.kei, special.kerp, special.keip, poles=True)

# Of the first and second kind (DLMF 10.6)


@elementwise(special.j0)
def special_j0(y: Any, x: Any) -> Any:
    return -special.j1(x)


@elementwise(special.j1)
def special_j1(y: Any, x: Any) -> Any:
    return 0.5 * (special.j0(x) - special.jv(2, x))


@elementwise(special.jv)
def special_jv(y: Any, v: Any, z: Any) -> Any:
    return None, 0.5 * (special.jv(v - 1, z) - special.jv(v + 1, z))


@elementwise(special.jve)
def special_jve(y: Any, v: Any, z: Any) -> Any:
    return None, 0.5 * (special.jve(v - 1, real_argument(z)) - special.jve(v + 1, z))


@elementwise(special.y0)
def special_y0(y: Any, x: Any) -> Any:
    return -special.y1(x)


@elementwise(special.y1)
def special_y1(y: Any, x: Any) -> Any:
    return special.y0(x) - y / x


@elementwise(special.yn)
def special_yn(y: Any, n: Any, x: Any) -> Any:
    return None, 0.5 * (special.yv(n - 1, x) - special.yv(n + 1, x))


@elementwise(special.yv)
def special_yv(y: Any, v: Any, z: Any) -> Any:
    return None, 0.5 * (special.yv(v - 1, z) - special.yv(v + 1, z))


@elementwise(special.yve)
def special_yve(y: Any, v: Any, z: Any) -> Any:
    return None, 0.5 * (special.yve(v - 1, real_argument(z)) - special.yve(v + 1, z))


@elementwise(special.hankel1, kind=complex_function)
def special_hankel1(y: Any, v: Any, z: Any) -> Any:
    return None, 0.5 * (special.hankel1(v - 1, z) - special.hankel1(v + 1, z))


@elementwise(special.hankel2, kind=complex_function)
def special_hankel2(y: Any, v: Any, z: Any) -> Any:
    return None, 0.5 * (special.hankel2(v - 1, z) - special.hankel2(v + 1, z))


@elementwise(special.hankel1e, kind=complex_function)
def special_hankel1e(y: Any, v: Any, z: Any) -> Any:
    return None, 0.5 * (special.hankel1e(v - 1, z) - special.hankel1e(v + 1, z)) - 1j * y


@elementwise(special.hankel2e, kind=complex_function)
def special_hankel2e(y: Any, v: Any, z: Any) -> Any:
    return None, 0.5 * (special.hankel2e(v - 1, z) - special.hankel2e(v + 1, z)) + 1j * y


# Modified (DLMF 10.29)


@elementwise(special.i0)
def special_i0(y: Any, x: Any) -> Any:
    return special.i1(x)


@elementwise(special.i1)
def special_i1(y: Any, x: Any) -> Any:
    return 0.5 * (special.i0(x) + special.iv(2, x))


@elementwise(special.iv)
def special_iv(y: Any, v: Any, z: Any) -> Any:
    return None, 0.5 * (special.iv(v - 1, z) + special.iv(v + 1, z))


@elementwise(special.i0e)
def special_i0e(y: Any, x: Any) -> Any:
    return special.i1e(x) - np.sign(x) * y


@elementwise(special.i1e)
def special_i1e(y: Any, x: Any) -> Any:
    return 0.5 * (special.i0e(x) + special.ive(2, x)) - np.sign(x) * y


@elementwise(special.ive)
def special_ive(y: Any, v: Any, z: Any) -> Any:
    neighbours = special.ive(v - 1, z) + special.ive(v + 1, z)
    return None, 0.5 * neighbours - np.sign(real_argument(z)) * y


@elementwise(special.k0)
def special_k0(y: Any, x: Any) -> Any:
    return -special.k1(x)


@elementwise(special.k1)
def special_k1(y: Any, x: Any) -> Any:
    return -special.k0(x) - y / x


@elementwise(special.k0e)
def special_k0e(y: Any, x: Any) -> Any:
    return y - special.k1e(x)


@elementwise(special.k1e)
def special_k1e(y: Any, x: Any) -> Any:
    return y - special.k0e(x) - y / x


@elementwise(special.kn)
def special_kn(y: Any, n: Any, x: Any) -> Any:
    return None, -0.5 * (special.kv(n - 1, x) + special.kv(n + 1, x))


@elementwise(special.kv)
def special_kv(y: Any, v: Any, z: Any) -> Any:
    return None, -0.5 * (special.kv(v - 1, z) + special.kv(v + 1, z))


@elementwise(special.kve)
def special_kve(y: Any, v: Any, z: Any) -> Any:
    return None, y - 0.5 * (special.kve(v - 1, z) + special.kve(v + 1, z))


_ORDER = "no closed formula is known for the derivative of a Bessel function in its order"
for _fn in (special.jv, special.jve, special.yv, special.yve, special.iv, special.ive):
    no_derivative(_ORDER, _fn, parameter="v")
for _fn in (special.kv, special.kve, special.hankel1, special.hankel2, special.struve):
    no_derivative(_ORDER, _fn, parameter="v")
no_derivative(_ORDER, special.hankel1e, special.hankel2e, special.modstruve, parameter="v")
no_derivative("its order is an integer", special.kn, special.yn, parameter="n")


# Spherical: where they are finite at 0, the derivative of a derivative is one of the neighbouring orders'
# (DLMF 10.51.2 and 10.51.5), and elsewhere what their equation says (DLMF 10.47.1)


@elementwise(special.spherical_jn, kind=array_function)
def special_spherical_jn(y: Any, n: Any, z: Any, derivative: Any = False) -> Any:
    if derivative:
        below = n * special.spherical_jn(np.abs(n - 1), z, derivative=True)
        above = (n + 1) * special.spherical_jn(n + 1, z, derivative=True)
        return None, (below - above) / (2 * n + 1), None
    return None, special.spherical_jn(n, z, derivative=True), None


@elementwise(special.spherical_yn, kind=array_function)
def special_spherical_yn(y: Any, n: Any, z: Any, derivative: Any = False) -> Any:
    if derivative:
        rest = (1.0 - n * (n + 1) / z**2) * special.spherical_yn(n, z)
        return None, -2.0 * y / z - rest, None
    return None, special.spherical_yn(n, z, derivative=True), None


@elementwise(special.spherical_in, kind=array_function)
def special_spherical_in(y: Any, n: Any, z: Any, derivative: Any = False) -> Any:
    if derivative:
        below = n * special.spherical_in(np.abs(n - 1), z, derivative=True)
        above = (n + 1) * special.spherical_in(n + 1, z, derivative=True)
        return None, (below + above) / (2 * n + 1), None
    return None, special.spherical_in(n, z, derivative=True), None


@elementwise(special.spherical_kn, kind=array_function)
def special_spherical_kn(y: Any, n: Any, z: Any, derivative: Any = False) -> Any:
    if derivative:
        rest = (1.0 + n * (n + 1) / z**2) * special.spherical_kn(n, z)
        return None, rest - 2.0 * y / z, None
    return None, special.spherical_kn(n, z, derivative=True), None


for _fn in (
    special.spherical_jn, special.spherical_yn, special.spherical_in, special.spherical_kn,
):  # fmt: skip
    no_derivative("its order is an integer", _fn, parameter="n")


# Struve (DLMF 11.4.25 and its like for the modified one, which are finite at 0) and Airy


@elementwise(special.struve)
def special_struve(y: Any, v: Any, x: Any) -> Any:
    k = np.where(v == 0.0, 1.0, v)  # of order 0 that of order -1 is known by that of order 1
    rest = (x / 2.0) ** k * special.rgamma(k + 1.5) / math.sqrt(math.pi)
    slope = 0.5 * (special.struve(k - 1.0, x) - special.struve(k + 1.0, x) + rest)
    return None, np.where(v == 0.0, 2.0 / math.pi - special.struve(1.0, x), slope)


@elementwise(special.modstruve)
def special_modstruve(y: Any, v: Any, x: Any) -> Any:
    k = np.where(v == 0.0, 1.0, v)
    rest = (x / 2.0) ** k * special.rgamma(k + 1.5) / math.sqrt(math.pi)
    slope = 0.5 * (special.modstruve(k - 1.0, x) + special.modstruve(k + 1.0, x) + rest)
    return None, np.where(v == 0.0, 2.0 / math.pi + special.modstruve(1.0, x), slope)


@register_gradient(special.airy, kind=several(4))
def special_airy(z: Any, /) -> Any:
    """Both functions solve w'' = z w (DLMF 9.2.1)."""
    y = special.airy(z)

    def grad(ai_bar: Any, aip_bar: Any, bi_bar: Any, bip_bar: Any) -> Any:
        ai, aip, bi, bip = y
        return ai_bar * aip + bi_bar * bip + z * (aip_bar * ai + bip_bar * bi)

    def jvp(z_dot: Any) -> Any:
        ai, aip, bi, bip = y
        return aip * z_dot, z * ai * z_dot, bip * z_dot, z * bi * z_dot

    return y, grad, jvp


# Derivatives of a given order, by those of the neighbouring orders (DLMF 10.6.7 and 10.29.5)


def slopes_of_order(function: Any, v: Any, z: Any, n: Any, sign: Any) -> Any:
    """Return the n-th derivative of a Bessel function, a binomial sum over n + 1 orders."""
    total = function(v - n, z)
    share = 1.0
    for i in range(1, n + 1):
        share = sign * share * (n - i + 1) / i
        total = total + share * function(v - n + 2 * i, z)
    return total / 2.0**n


def special_jvp(v: Any, z: Any, n: Any = 1) -> Any:
    return slopes_of_order(special.jv, v, z, n, -1.0)


def special_yvp(v: Any, z: Any, n: Any = 1) -> Any:
    return slopes_of_order(special.yv, v, z, n, -1.0)


def special_ivp(v: Any, z: Any, n: Any = 1) -> Any:
    return slopes_of_order(special.iv, v, z, n, 1.0)


def special_kvp(v: Any, z: Any, n: Any = 1) -> Any:
    return (-1.0) ** n * slopes_of_order(special.kv, v, z, n, 1.0)


def special_h1vp(v: Any, z: Any, n: Any = 1) -> Any:
    return slopes_of_order(special.hankel1, v, z, n, -1.0)


def special_h2vp(v: Any, z: Any, n: Any = 1) -> Any:
    return slopes_of_order(special.hankel2, v, z, n, -1.0)


for _function in (special_jvp, special_yvp, special_ivp, special_kvp, special_h1vp, special_h2vp):
    written_out(getattr(special, _function.__name__.removeprefix("special_")), _function)


# Kelvin functions: ber + i bei and ker + i kei solve w'' + w'/x = i w (DLMF 10.61.3)


@elementwise(special.ber)
def special_ber(y: Any, x: Any) -> Any:
    return special.berp(x)


@elementwise(special.bei)
def special_bei(y: Any, x: Any) -> Any:
    return special.beip(x)


@elementwise(special.ker)
def special_ker(y: Any, x: Any) -> Any:
    return special.kerp(x)


@elementwise(special.kei)
def special_kei(y: Any, x: Any) -> Any:
    return special.keip(x)


@elementwise(special.berp)
def special_berp(y: Any, x: Any) -> Any:
    return -special.bei(x) - y / np.where(x == 0.0, np.inf, x)


@elementwise(special.beip)
def special_beip(y: Any, x: Any) -> Any:
    return np.where(x == 0.0, 0.5, special.ber(x) - y / np.where(x == 0.0, np.inf, x))


@elementwise(special.kerp)
def special_kerp(y: Any, x: Any) -> Any:
    return -special.kei(x) - y / x


@elementwise(special.keip)
def special_keip(y: Any, x: Any) -> Any:
    return special.ker(x) - y / x
