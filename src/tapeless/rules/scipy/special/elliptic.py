"""Elliptic integrals and functions (DLMF, chapters 19 and 22) and hypergeometric functions.

The parameter is `m`, the square of the modulus. The complete integrals are hypergeometric functions
of it, and so are their derivatives: there nothing cancels where `m` is 0.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from tapeless.rules.declare import elementwise, register_gradient, written_out
from tapeless.rules.reasons import no_derivative
from tapeless.rules.results.special import several
from tapeless.rules.traits import traits
from tapeless.runtime.special import (
    amplitude_root,
    complete_elliptic_slope,
    ellipeinc_slope,
    ellipkinc_slope,
    elliprj_slope,
)

traits(special.hyp2f1, special.hyperu, special.ellipk, special.ellipkm1, poles=True)


@elementwise(special.ellipk)
def special_ellipk(y: Any, m: Any) -> Any:
    return math.pi / 8.0 * complete_elliptic_slope(0.5, m) / (1.0 - m)


@elementwise(special.ellipkm1)
def special_ellipkm1(y: Any, p: Any) -> Any:
    return -math.pi / 8.0 * complete_elliptic_slope(0.5, 1.0 - p) / p


@elementwise(special.ellipe)
def special_ellipe(y: Any, m: Any) -> Any:
    return -math.pi / 8.0 * complete_elliptic_slope(1.5, m)


@elementwise(special.ellipkinc)
def special_ellipkinc(y: Any, phi: Any, m: Any) -> Any:
    return 1.0 / amplitude_root(phi, m), ellipkinc_slope(y, phi, m)


@elementwise(special.ellipeinc)
def special_ellipeinc(y: Any, phi: Any, m: Any) -> Any:
    return amplitude_root(phi, m), ellipeinc_slope(y, phi, m)


def special_agm(a: Any, b: Any) -> Any:
    """The mean of Gauss by the complete integral of the first kind (DLMF 19.8.5)."""
    return 0.25 * math.pi * (a + b) / special.ellipk(((a - b) / (a + b)) ** 2)


written_out(special.agm, special_agm)


@register_gradient(special.ellipj, kind=several(4))
def special_ellipj(u: Any, m: Any, /) -> Any:
    """Jacobi's functions sn, cn, dn and the amplitude (DLMF 22.13), in the argument."""
    y = special.ellipj(u, m)

    def grad(sn_bar: Any, cn_bar: Any, dn_bar: Any, ph_bar: Any) -> Any:
        sn, cn, dn, _ = y
        return sn_bar * cn * dn - cn_bar * sn * dn - m * dn_bar * sn * cn + ph_bar * dn, None

    def jvp(u_dot: Any) -> Any:
        sn, cn, dn, _ = y
        return cn * dn * u_dot, -sn * dn * u_dot, -m * sn * cn * u_dot, dn * u_dot

    return y, grad, jvp


no_derivative("it is differentiated in the argument alone", special.ellipj, parameter="m")


# Carlson's symmetric integrals: DLMF 19.16 defines them, 19.18 and partial fractions of the integrands give
# the slopes; the last of each by the degree of homogeneity


@elementwise(special.elliprf)
def special_elliprf(w: Any, x: Any, y: Any, z: Any) -> Any:
    in_x = -special.elliprd(y, z, x) / 6.0
    in_y = -special.elliprd(x, z, y) / 6.0
    return in_x, in_y, -special.elliprd(x, y, z) / 6.0


@elementwise(special.elliprc)
def special_elliprc(w: Any, x: Any, y: Any) -> Any:
    """It is ``elliprf(x, y, y)``; for negative `y`, where that has no value, by partial fractions."""
    second = np.where(np.real(y) > 0.0, y, 1.0)
    beyond = np.where(np.real(y) > 0.0, 2.0 + x, x - y)
    in_x = np.where(
        np.real(y) > 0.0,
        -special.elliprd(second, second, x) / 6.0,
        (1.0 / np.sqrt(x) - w) / (2.0 * beyond),
    )
    return in_x, -(0.5 * w + x * in_x) / y


@elementwise(special.elliprd)
def special_elliprd(w: Any, x: Any, y: Any, z: Any) -> Any:
    in_x, in_y = elliprj_slope(x, y, z, z), elliprj_slope(y, x, z, z)
    return in_x, in_y, -(1.5 * w + x * in_x + y * in_y) / z


@elementwise(special.elliprg)
def special_elliprg(w: Any, x: Any, y: Any, z: Any) -> Any:
    first = special.elliprf(x, y, z) / 4.0
    in_x = first - x * special.elliprd(y, z, x) / 12.0
    in_y = first - y * special.elliprd(x, z, y) / 12.0
    return in_x, in_y, first - z * special.elliprd(x, y, z) / 12.0


@elementwise(special.elliprj)
def special_elliprj(w: Any, x: Any, y: Any, z: Any, p: Any) -> Any:
    in_x, in_y = elliprj_slope(x, y, z, p), elliprj_slope(y, x, z, p)
    in_z = elliprj_slope(z, x, y, p)
    return in_x, in_y, in_z, -(1.5 * w + x * in_x + y * in_y + z * in_z) / p


# Hypergeometric functions (DLMF 13.3, 15.5)


@elementwise(special.hyp0f1)
def special_hyp0f1(y: Any, v: Any, z: Any) -> Any:
    return None, special.hyp0f1(v + 1.0, z) / v


@elementwise(special.hyp1f1)
def special_hyp1f1(y: Any, a: Any, b: Any, x: Any) -> Any:
    return None, None, a / b * special.hyp1f1(a + 1.0, b + 1.0, x)


@elementwise(special.hyp2f1)
def special_hyp2f1(y: Any, a: Any, b: Any, c: Any, z: Any) -> Any:
    return None, None, None, a * b / c * special.hyp2f1(a + 1.0, b + 1.0, c + 1.0, z)


@elementwise(special.hyperu)
def special_hyperu(y: Any, a: Any, b: Any, x: Any) -> Any:
    return None, None, -a * special.hyperu(a + 1.0, b + 1.0, x)


_PARAMETER = "no closed formula is known for the derivative in this parameter"
for _fn, _parameters in (
    (special.hyp0f1, "v"),
    (special.hyp1f1, "ab"),
    (special.hyp2f1, "abc"),
    (special.hyperu, "ab"),
):
    for _key in _parameters:
        no_derivative(_PARAMETER, _fn, parameter=_key)
