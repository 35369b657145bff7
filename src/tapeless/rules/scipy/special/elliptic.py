"""Elliptic integrals and functions (DLMF, chapters 19 and 22) and hypergeometric functions.

The parameter is `m`, the square of the modulus. The complete integrals are hypergeometric functions
of it, and so are their derivatives: there nothing cancels where `m` is 0.
"""

from __future__ import annotations

import math
from typing import Any

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


@elementwise(special.elliprf)
def special_elliprf(w: Any, x: Any, y: Any, z: Any) -> Any:
    in_x = -special.elliprd(y, z, x) / 6.0
    in_y = -special.elliprd(x, z, y) / 6.0
    return in_x, in_y, -special.elliprd(x, y, z) / 6.0


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
