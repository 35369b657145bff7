"""Values of orthogonal polynomials (DLMF 18.9) and Legendre functions (DLMF 14.10).

The derivative of a polynomial of one family is a polynomial of the same or a neighbouring family, of
one degree less: no quotient, so nothing is lost at the ends of the interval.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from tapeless.rules.declare import elementwise, written_out
from tapeless.rules.reasons import no_derivative
from tapeless.rules.results.special import complex_function
from tapeless.rules.traits import traits

traits(special.lpmv, poles=True)


@elementwise(special.eval_legendre)
def special_eval_legendre(y: Any, n: Any, x: Any) -> Any:
    return None, 0.5 * (n + 1) * special.eval_jacobi(n - 1, 1.0, 1.0, x)


@elementwise(special.eval_sh_legendre)
def special_eval_sh_legendre(y: Any, n: Any, x: Any) -> Any:
    return None, (n + 1) * special.eval_jacobi(n - 1, 1.0, 1.0, 2.0 * x - 1.0)


@elementwise(special.eval_chebyt)
def special_eval_chebyt(y: Any, n: Any, x: Any) -> Any:
    return None, n * special.eval_chebyu(n - 1, x)


@elementwise(special.eval_sh_chebyt)
def special_eval_sh_chebyt(y: Any, n: Any, x: Any) -> Any:
    return None, 2.0 * n * special.eval_chebyu(n - 1, 2.0 * x - 1.0)


@elementwise(special.eval_chebyc)
def special_eval_chebyc(y: Any, n: Any, x: Any) -> Any:
    return None, n * special.eval_chebyu(n - 1, 0.5 * x)


@elementwise(special.eval_chebys)
def special_eval_chebys(y: Any, n: Any, x: Any) -> Any:
    return None, special.eval_gegenbauer(n - 1, 2.0, 0.5 * x)


@elementwise(special.eval_sh_jacobi)
def special_eval_sh_jacobi(y: Any, n: Any, p: Any, q: Any, x: Any) -> Any:
    lower = special.eval_jacobi(n - 1, p - q + 1.0, q, 2.0 * x - 1.0)
    return None, None, None, (n + p) * lower / special.binom(2.0 * n + p - 1.0, n)


@elementwise(special.eval_chebyu)
def special_eval_chebyu(y: Any, n: Any, x: Any) -> Any:
    return None, 2.0 * special.eval_gegenbauer(n - 1, 2.0, x)


@elementwise(special.eval_sh_chebyu)
def special_eval_sh_chebyu(y: Any, n: Any, x: Any) -> Any:
    return None, 4.0 * special.eval_gegenbauer(n - 1, 2.0, 2.0 * x - 1.0)


@elementwise(special.eval_gegenbauer)
def special_eval_gegenbauer(y: Any, n: Any, alpha: Any, x: Any) -> Any:
    return None, None, 2.0 * alpha * special.eval_gegenbauer(n - 1, alpha + 1.0, x)


@elementwise(special.eval_jacobi)
def special_eval_jacobi(y: Any, n: Any, alpha: Any, beta: Any, x: Any) -> Any:
    lower = special.eval_jacobi(n - 1, alpha + 1.0, beta + 1.0, x)
    return None, None, None, 0.5 * (n + alpha + beta + 1.0) * lower


@elementwise(special.eval_laguerre)
def special_eval_laguerre(y: Any, n: Any, x: Any) -> Any:
    return None, -special.eval_genlaguerre(n - 1, 1.0, x)


@elementwise(special.eval_genlaguerre)
def special_eval_genlaguerre(y: Any, n: Any, alpha: Any, x: Any) -> Any:
    return None, None, -special.eval_genlaguerre(n - 1, alpha + 1.0, x)


@elementwise(special.eval_hermite)
def special_eval_hermite(y: Any, n: Any, x: Any) -> Any:
    return None, 2.0 * n * special.eval_hermite(np.maximum(n - 1, 0), x)


@elementwise(special.eval_hermitenorm)
def special_eval_hermitenorm(y: Any, n: Any, x: Any) -> Any:
    return None, n * special.eval_hermitenorm(np.maximum(n - 1, 0), x)


@elementwise(special.lpmv)
def special_lpmv(y: Any, m: Any, v: Any, x: Any) -> Any:
    lower = (v + m) * special.lpmv(m, v - 1.0, x)
    return None, None, (lower - v * x * y) / (1.0 - np.square(x))


_DEGREE = "a polynomial is differentiated in its argument, not in its degree or weight"
for _fn in (
    special.eval_legendre, special.eval_sh_legendre, special.eval_chebyt, special.eval_sh_chebyt,
    special.eval_chebyu, special.eval_sh_chebyu, special.eval_gegenbauer, special.eval_jacobi,
    special.eval_laguerre, special.eval_genlaguerre, special.eval_hermite,
    special.eval_hermitenorm, special.eval_chebyc, special.eval_chebys, special.eval_sh_jacobi,
):  # fmt: skip
    for _key in ("n", "alpha", "beta", "p", "q"):
        no_derivative(_DEGREE, _fn, parameter=_key)
for _key in ("m", "v"):
    no_derivative("it is differentiated in its argument alone", special.lpmv, parameter=_key)


# Spherical harmonics: neighbouring orders, and no quotient that fails at the poles (DLMF 14.10)

if hasattr(special, "sph_harm_y"):  # since SciPy 1.15

    @elementwise(special.sph_harm_y, kind=complex_function)
    def special_sph_harm_y(y: Any, n: Any, m: Any, theta: Any, phi: Any) -> Any:
        above = ((n - m) * (n + m + 1.0)) ** 0.5 * special.sph_harm_y(n, m + 1, theta, phi)
        below = ((n + m) * (n - m + 1.0)) ** 0.5 * special.sph_harm_y(n, m - 1, theta, phi)
        half = np.copysign(0.5, np.sin(theta))  # they are functions of the cosine
        slope = half * (np.exp(-1j * phi) * above - np.exp(1j * phi) * below)
        return None, None, slope, 1j * m * y

    for _key in ("n", "m"):
        no_derivative("its degree and order are integers", special.sph_harm_y, parameter=_key)


def special_diric(x: Any, n: Any) -> Any:
    """The periodic sinc function: a quotient of two, at the distance from the nearest whole turn."""
    turns = np.round(x / (2.0 * math.pi))
    part = x / (2.0 * math.pi) - turns
    return (-1.0) ** (turns * (n - 1)) * np.sinc(n * part) / np.sinc(part)


written_out(special.diric, special_diric)
