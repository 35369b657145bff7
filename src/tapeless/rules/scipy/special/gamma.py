"""The gamma function and what is made of it, exponential integrals and zeta functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from tapeless.rules.declare import built_in_zero, elementwise, register_gradient
from tapeless.rules.reasons import no_derivative
from tapeless.rules.results.special import array_function, complex_function, several
from tapeless.rules.traits import traits
from tapeless.runtime import times_partial
from tapeless.runtime.special import (
    multigammaln_slope,
    rgamma_curvature,
    rgamma_slope,
    trigamma,
)

built_in_zero(special.gammasgn)
traits(special.gamma, special.psi, special.polygamma, special.zeta, special.gammaln, poles=True)
traits(special.beta, trigamma, multigammaln_slope, poles=True)

_ORDER = "its order is an integer"
_FIRST = "no closed formula is known for the derivative of the zeta function in its exponent"


@elementwise(special.gamma)
def special_gamma(y: Any, z: Any) -> Any:
    return y * special.psi(z)


@elementwise(special.gammaln, special.loggamma)
def special_gammaln(y: Any, x: Any) -> Any:
    return special.psi(x)


@elementwise(special.rgamma)
def special_rgamma(y: Any, z: Any) -> Any:
    return rgamma_slope(y, z)


@elementwise(rgamma_slope)
def rgamma_slope_partials(slope: Any, y: Any, x: Any) -> Any:
    """The whole derivative in `x`, of which `y` is a function: at the zeros there are only limits."""
    return None, rgamma_curvature(x)


no_derivative("its third derivative is not written", rgamma_curvature, parameter="x")


@elementwise(special.psi)
def special_psi(y: Any, z: Any) -> Any:
    return trigamma(z)


@elementwise(special.polygamma, kind=array_function)
def special_polygamma(y: Any, n: Any, x: Any) -> Any:
    return None, special.polygamma(n + 1, x)


no_derivative(_ORDER, special.polygamma, parameter="n")


@elementwise(special.multigammaln, kind=array_function)
def special_multigammaln(y: Any, a: Any, d: Any) -> Any:
    return multigammaln_slope(a, d), None


no_derivative("its dimension is an integer", special.multigammaln, parameter="d")


@elementwise(special.beta)
def special_beta(y: Any, a: Any, b: Any) -> Any:
    of_sum = special.psi(a + b)
    return y * (special.psi(a) - of_sum), y * (special.psi(b) - of_sum)


@elementwise(special.betaln)
def special_betaln(y: Any, a: Any, b: Any) -> Any:
    of_sum = special.psi(a + b)
    return special.psi(a) - of_sum, special.psi(b) - of_sum


@elementwise(special.poch)
def special_poch(y: Any, z: Any, m: Any) -> Any:
    of_sum = special.psi(z + m)
    return y * (of_sum - special.psi(z)), y * of_sum


@elementwise(special.binom)
def special_binom(y: Any, n: Any, k: Any) -> Any:
    rest = special.psi(n - k + 1.0)
    return y * (special.psi(n + 1.0) - rest), y * (rest - special.psi(k + 1.0))


@elementwise(special.comb, kind=array_function)
def special_comb(y: Any, N: Any, k: Any) -> Any:
    rest = special.psi(N - k + 1.0)
    return y * (special.psi(N + 1.0) - rest), y * (rest - special.psi(k + 1.0))


@elementwise(special.factorial, kind=array_function)
def special_factorial(y: Any, n: Any) -> Any:
    return y * special.psi(n + 1.0)


# Exponential integrals


@elementwise(special.exp1)
def special_exp1(y: Any, z: Any) -> Any:
    return -np.exp(-z) / z


@elementwise(special.expi)
def special_expi(y: Any, x: Any) -> Any:
    return np.exp(x) / x


@elementwise(special.expn)
def special_expn(y: Any, n: Any, x: Any) -> Any:
    if isinstance(n, int) and n == 0:
        return None, -y * (1.0 + 1.0 / x)
    return None, -special.expn(n - 1, x)


no_derivative(_ORDER, special.expn, parameter="n")


@register_gradient(special.sici, kind=several(2))
def special_sici(x: Any, /) -> Any:
    """The integrals of sin(t) / t and cos(t) / t."""
    y = special.sici(x)

    def grad(si_bar: Any, ci_bar: Any) -> Any:
        return si_bar * np.sinc(x / math.pi) + times_partial(ci_bar, np.cos(x), over=x)

    def jvp(x_dot: Any) -> Any:
        return np.sinc(x / math.pi) * x_dot, np.cos(x) / x * x_dot

    return y, grad, jvp


@register_gradient(special.shichi, kind=several(2))
def special_shichi(x: Any, /) -> Any:
    """The integrals of sinh(t) / t and cosh(t) / t."""
    y = special.shichi(x)

    def grad(shi_bar: Any, chi_bar: Any) -> Any:
        slope = 0.5 * (special.exprel(x) + special.exprel(-x))
        return shi_bar * slope + times_partial(chi_bar, np.cosh(x), over=x)

    def jvp(x_dot: Any) -> Any:
        slope = 0.5 * (special.exprel(x) + special.exprel(-x))
        return slope * x_dot, np.cosh(x) / x * x_dot

    return y, grad, jvp


# Zeta and Lambert functions


@elementwise(special.zeta)
def special_zeta(y: Any, x: Any, q: Any) -> Any:
    return None, -x * special.zeta(x + 1.0, q)


no_derivative(_FIRST, special.zeta, special.zetac, parameter="x")
no_derivative(_FIRST, special.zetac)


@elementwise(special.lambertw, kind=complex_function)
def special_lambertw(w: Any, z: Any, k: Any = 0, tol: Any = 1e-8) -> Any:
    return np.exp(-w) / (1.0 + w), None, None


@elementwise(special.wrightomega)
def special_wrightomega(y: Any, z: Any) -> Any:
    return y / (1.0 + y)
