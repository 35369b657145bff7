"""Partials of SciPy's special functions that need a formula of their own somewhere.

Most follow from quotients whose numerator and denominator vanish together: there a power series takes
over, or the limit stands. They are imported by the rules for `scipy.special` alone, and so are written
with it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from tapeless.errors import GradientError


def divide_unless_zero(a: Any, b: Any) -> Any:
    """Return ``a / b``, with 0 where both are 0.

    Examples
    --------
    >>> divide_unless_zero(np.array([0.0, 2.0]), np.array([0.0, 4.0]))
    array([0. , 0.5])
    """
    # wherever `b` is not 0 the slope in `a` is that of the quotient, also where `a` is 0
    return a / np.where((a == 0) & (b == 0), 1.0, b)


def exprel_slope(x: Any) -> Any:
    """Differentiate ``exprel(x) = expm1(x) / x``; by its power series near 0.

    Examples
    --------
    >>> float(exprel_slope(0.0)), float(exprel_slope(1.0))
    (0.5, 1.0)
    """
    near = np.abs(x) < 0.3
    s = np.where(near, x, 0.0)
    series = 0.0 * s
    for k in range(14, -1, -1):
        series = series * s + (k + 1) / math.factorial(k + 2)
    far = np.where(near, 1.0, x)
    return np.where(near, series, (np.exp(far) - special.exprel(far)) / far)


def spence_slope(x: Any) -> Any:
    """Differentiate `scipy.special.spence`: ``-log(x) / (x - 1)``; by its power series near 1.

    Examples
    --------
    >>> float(spence_slope(1.0))
    -1.0
    """
    u = x - 1.0
    near = np.abs(u) < 0.02
    s = np.where(near, u, 0.0)
    series = 0.0 * s
    for k in range(10, -1, -1):
        series = series * s - (-1.0) ** k / (k + 1)
    return np.where(near, series, -np.log(x) / np.where(near, 1.0, u))


def rgamma_slope(y: Any, x: Any) -> Any:
    """Differentiate ``y = 1 / gamma(x)``: ``(-1)**n * n!`` at its zeros ``-n``.

    Examples
    --------
    >>> rgamma_slope(np.zeros(3), np.array([0.0, -1.0, -2.0]))
    array([ 1., -1.,  2.])
    """
    at_zero = (x <= 0) & (x == np.round(x))
    n = np.where(at_zero, -x, 0.0)
    limit = np.cos(math.pi * n) * special.gamma(n + 1.0)
    return np.where(at_zero, limit, -y * special.psi(np.where(at_zero, 1.0, x)))


def rgamma_curvature(x: Any) -> Any:
    """Differentiate ``1 / gamma(x)`` twice, also at its zeros.

    Examples
    --------
    >>> round(float(rgamma_curvature(0.0)), 12)
    1.154431329803
    """
    at_zero = (x <= 0) & (x == np.round(x))
    n = np.where(at_zero, -x, 0.0)
    limit = -2.0 * np.cos(math.pi * n) * special.gamma(n + 1.0) * special.psi(n + 1.0)
    regular = np.where(at_zero, 1.0, x)
    score = special.psi(regular)
    curvature = special.rgamma(regular) * (score**2 - special.polygamma(1, regular))
    return np.where(at_zero, limit, curvature)


def multigammaln_slope(a: Any, d: Any) -> Any:
    """Differentiate the logarithm of the multivariate gamma function: a sum of digammas.

    Examples
    --------
    >>> float(multigammaln_slope(2.0, 1) - special.psi(2.0))
    0.0
    """
    return np.sum(special.psi(np.expand_dims(a, -1) - 0.5 * np.arange(d)), axis=-1)


def boxcox_exponent_slope(log_x: Any, lmbda: Any) -> Any:
    """Differentiate ``(x**lmbda - 1) / lmbda`` in the exponent, given the logarithm of ``x``.

    Examples
    --------
    >>> float(boxcox_exponent_slope(2.0, 0.0))
    2.0
    """
    return log_x**2 * exprel_slope(lmbda * log_x)


def amplitude_root(phi: Any, m: Any) -> Any:
    """Return ``sqrt(1 - m sin(phi)**2)``, the integrand of incomplete elliptic integrals.

    Examples
    --------
    >>> float(amplitude_root(math.pi / 2, 0.75))
    0.5
    """
    return np.sqrt(1.0 - m * np.sin(phi) ** 2)


def elliptic_series(phi: Any, m: Any, powers: Any) -> Any:
    """Sum ``k * powers[k] * m**(k - 1)`` times the integral of ``sin**(2 * k)`` up to `phi`, from 1 on.

    The derivative in `m` of the integral of ``sum(powers[k] * (m * sin**2) ** k)``.

    Examples
    --------
    >>> abs(float(elliptic_series(1.0, 0.0, [1.0, 0.5])) - (2.0 - math.sin(2.0)) / 8.0) < 1e-15
    True
    """
    sine, cosine = np.sin(phi), np.cos(phi)
    integral, odd, power, total = phi, sine, 1.0, 0.0
    for k in range(1, len(powers)):
        integral = ((2 * k - 1) * integral - odd * cosine) / (2 * k)
        odd = odd * sine**2
        total = total + k * powers[k] * power * integral
        power = power * m
    return total


# The binomial series of `(1 - t) ** -0.5` and `(1 - t) ** 0.5`
_INVERSE_ROOT = [math.comb(2 * k, k) / 4.0**k for k in range(17)]
_ROOT = [math.comb(2 * k, k) / (4.0**k * (1.0 - 2.0 * k)) for k in range(17)]


def ellipkinc_slope(y: Any, phi: Any, m: Any) -> Any:
    """Differentiate the incomplete elliptic integral of the first kind in `m` (DLMF 19.4.5).

    Near 0, where the quotient cancels, by its power series.

    Examples
    --------
    >>> abs(float(ellipkinc_slope(1.0, 1.0, 0.0)) - (2.0 - math.sin(2.0)) / 8.0) < 1e-15
    True
    """
    near = np.abs(m) < 0.1
    k = np.where(near, 0.5, m)
    part = np.sin(2.0 * phi) / (4.0 * (1.0 - k) * amplitude_root(phi, k))
    quotient = (special.ellipeinc(phi, k) / (1.0 - k) - y) / (2.0 * k) - part
    return np.where(near, elliptic_series(phi, np.where(near, m, 0.0), _INVERSE_ROOT), quotient)


def ellipeinc_slope(y: Any, phi: Any, m: Any) -> Any:
    """Differentiate the incomplete elliptic integral of the second kind in `m` (DLMF 19.4.6).

    Near 0, where the quotient cancels, by its power series.

    Examples
    --------
    >>> abs(float(ellipeinc_slope(1.0, 1.0, 0.0)) - (math.sin(2.0) - 2.0) / 8.0) < 1e-15
    True
    """
    near = np.abs(m) < 0.1
    k = np.where(near, 0.5, m)
    quotient = (y - special.ellipkinc(phi, k)) / (2.0 * k)
    return np.where(near, elliptic_series(phi, np.where(near, m, 0.0), _ROOT), quotient)


_NODES = (
    -0.04,
    -0.03,
    -0.02,
    -0.01,
    0.01,
    0.02,
    0.03,
    0.04,
)  # how far a pole is from where one looks


def elliprj_slope(x: Any, y: Any, z: Any, p: Any) -> Any:
    """Differentiate Carlson's ``elliprj(x, y, z, p)`` in `x`: by partial fractions of its integrand.

    Of the integral (DLMF 19.16.2) the slope is that of ``-3 / (4 (t + x) (t + p) s(t))``, a difference of
    integrals of the third and second kind over ``p - x``. Where these nearly meet, and the quotient
    cancels, it is interpolated in `p` between places to both sides.

    Examples
    --------
    >>> round(float(elliprj_slope(1.0, 1.0, 1.0, 1.0)), 12)  # of 3/2 times the integral of t ** -5/2
    -0.3
    """
    share = p / np.where(x == 0.0, 1.0, x) - 1.0
    near = (np.abs(share) < 0.005) & (x != 0.0)
    apart, second = np.where(near, 2.0 * x, p), special.elliprd(y, z, x)
    quotient = (special.elliprj(x, y, z, apart) - second) / (apart - x)
    inside, between = np.where(near, share, 0.0), np.zeros_like(share)
    for node in _NODES:
        weight: Any = 1.0
        for other in _NODES:
            if other != node:
                weight = weight * (inside - other) / (node - other)
        third = special.elliprj(x, y, z, x + node * x)
        between = between + weight * (third - second) / (node * np.where(near, x, 1.0))
    return 0.5 * np.where(near, between, quotient)


def wofz_slope(y: Any, z: Any) -> Any:
    """Differentiate the Faddeeva function ``y = wofz(z)`` (DLMF 7.10.2).

    Examples
    --------
    >>> complex(wofz_slope(1.0, 0.0)) == 2j / math.sqrt(math.pi)
    True
    """
    return 2j / math.sqrt(math.pi) - 2.0 * z * y


def voigt_slope(x: Any, sigma: Any, gamma: Any) -> Any:
    """Differentiate the complex Voigt function ``wofz(z) / (sigma * sqrt(2 * pi))`` in ``x``.

    Here ``z = (x + 1j * gamma) / (sigma * sqrt(2))``; the profile is the real part.

    Examples
    --------
    >>> round(float(np.real(voigt_slope(0.0, 1.0, 0.5))), 12)
    0.0
    """
    z = (x + 1j * gamma) / (sigma * math.sqrt(2.0))
    return wofz_slope(special.wofz(z), z) / (2.0 * math.sqrt(math.pi) * sigma**2)


def exponential_weights(a: Any, y: Any) -> Any:
    """Return ``exp(a - y)``, the shares of a sum with logarithm `y`; 0 where all terms are 0.

    Examples
    --------
    >>> exponential_weights(np.array([-np.inf, 0.0]), 0.0)
    array([0., 1.])
    >>> exponential_weights(np.array([-np.inf, -np.inf]), -np.inf)
    array([0., 0.])
    """
    return np.exp(a - np.where((y == -np.inf) & (a == -np.inf), 0.0, y))


def real_argument(x: Any) -> Any:
    """Return a real number as it is; a complex one is refused: a scaling by a modulus has no slope.

    Examples
    --------
    >>> real_argument(2.0)
    2.0
    """
    if np.iscomplexobj(x):
        raise GradientError(
            "Bessel functions that are scaled by a modulus have no complex derivative",
            fix="scale the function itself, by a function that has one",
        )
    return x


def trigamma(x: Any) -> Any:
    """Differentiate the digamma function of a real number: the Hurwitz zeta function of 2.

    Examples
    --------
    >>> round(float(trigamma(1.0)), 12)
    1.644934066848
    """
    if np.iscomplexobj(x):
        raise GradientError("scipy.special.psi is differentiated for real arguments only")
    return special.zeta(2.0, x)


def weak(value: Any) -> Any:
    """Return a number of NumPy's as one of Python's, which leaves single precision single.

    Examples
    --------
    >>> weak(np.float64(2.0)) * np.ones(2, dtype=np.float32)
    array([2., 2.], dtype=float32)
    """
    return value if np.ndim(value) else float(value)


def scaled_log(c: Any, x: Any) -> Any:
    """Return ``c * log(x)``, 0 where `c` is 0 and there is no logarithm.

    A number `c` leaves single precision single.

    Examples
    --------
    >>> scaled_log(np.array([0.0, 2.0]), np.array([0.0, 1.0]))
    array([0., 0.])
    """
    return c * np.log(np.where((c == 0) & (x <= 0), 1.0, x))


def scaled_log1p(c: Any, x: Any) -> Any:
    """Return ``c * log(1 + x)``, 0 where `c` is 0 and there is no logarithm.

    A number `c` leaves single precision single.

    Examples
    --------
    >>> scaled_log1p(np.array([0.0, 2.0]), np.array([-1.0, 0.0]))
    array([0., 0.])
    """
    return c * np.log1p(np.where((c == 0) & (x <= -1), 0.0, x))


def complete_elliptic_slope(b: Any, m: Any) -> Any:
    """Return the hypergeometric function of which derivatives of complete elliptic integrals are made.

    Examples
    --------
    >>> float(complete_elliptic_slope(0.5, 0.0))
    1.0
    """
    dtype = np.result_type(m, 0.0)
    half, two = np.asarray(0.5, dtype), np.asarray(2.0, dtype)
    return special.hyp2f1(half, np.asarray(b, dtype), two, m)


def kolmogorov_slope(x: Any) -> Any:
    """Differentiate the tail of Kolmogorov's distribution: a theta series (DLMF 20.7.32 below 1).

    Examples
    --------
    >>> bool(np.allclose(kolmogorov_slope(np.array([0.0, 1.0])), [0.0, -1.07194855836]))
    True
    """
    low, high = np.where(x < 1.0, x, 1.0), np.where(x < 1.0, 1.0, x)
    square = np.where(low > 0.03, low, 1.0) ** 2
    below, above = 0.0 * square, 0.0 * high
    for k in range(1, 6):
        odd = (2 * k - 1) ** 2 * math.pi**2 / 8.0
        below = below + np.exp(-odd / square) * (1.0 - 2.0 * odd / square) / square
        above = above - (-1.0) ** k * k**2 * np.exp(-2.0 * k**2 * high**2)
    slopes = np.where(x < 1.0, math.sqrt(2.0 * math.pi) * below, -8.0 * high * above)
    return np.where(x > 0.03, slopes, 0.0)[()]
