"""Probabilities of distributions in the argument and in parameters that enter as arguments.

The derivative of a probability is a density, and that of a quantile its reciprocal. In a shape it is that
of an incomplete gamma or beta function.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from tapeless.rules.declare import elementwise
from tapeless.rules.reasons import no_derivative
from tapeless.runtime.shape_derivatives import (
    betainc_scores,
    gammainc_scores,
    stdtr_df_slope,
    student_log_size,
)
from tapeless.runtime.special import kolmogorov_slope, scaled_log, scaled_log1p, weak


@elementwise(special.stdtr)
def special_stdtr(y: Any, df: Any, t: Any) -> Any:
    log_size = student_log_size(df)
    density = np.exp(-0.5 * (df + 1.0) * np.log1p(np.square(t) / df) - log_size)
    return stdtr_df_slope(df, t), density


@elementwise(special.stdtrit)
def special_stdtrit(t: Any, df: Any, p: Any) -> Any:
    log_size = student_log_size(df)
    width = np.exp(0.5 * (df + 1.0) * np.log1p(np.square(t) / df) + log_size)
    return -stdtr_df_slope(df, t) * width, width


@elementwise(special.chdtr)
def special_chdtr(y: Any, v: Any, x: Any) -> Any:
    powers = scaled_log(0.5 * v - 1.0, 0.5 * x) - 0.5 * x
    of_shape = 0.5 * gammainc_scores(1, 0.5 * v, 0.5 * x)
    return of_shape, 0.5 * np.exp(powers - weak(special.gammaln(0.5 * v)))


@elementwise(special.chdtrc)
def special_chdtrc(y: Any, v: Any, x: Any) -> Any:
    powers = scaled_log(0.5 * v - 1.0, 0.5 * x) - 0.5 * x
    of_shape = -0.5 * gammainc_scores(1, 0.5 * v, 0.5 * x)
    return of_shape, -0.5 * np.exp(powers - weak(special.gammaln(0.5 * v)))


@elementwise(special.chdtri)
def special_chdtri(x: Any, v: Any, p: Any) -> Any:
    powers = scaled_log(0.5 * v - 1.0, 0.5 * x) - 0.5 * x
    width = 2.0 * np.exp(weak(special.gammaln(0.5 * v)) - powers)
    return -0.5 * gammainc_scores(1, 0.5 * v, 0.5 * x) * width, -width


@elementwise(special.gdtr)
def special_gdtr(y: Any, a: Any, b: Any, x: Any) -> Any:
    density = np.exp(scaled_log(b - 1.0, a * x) - a * x - weak(special.gammaln(b)))
    return x * density, gammainc_scores(1, b, a * x), a * density


@elementwise(special.gdtrc)
def special_gdtrc(y: Any, a: Any, b: Any, x: Any) -> Any:
    density = np.exp(scaled_log(b - 1.0, a * x) - a * x - weak(special.gammaln(b)))
    return -x * density, -gammainc_scores(1, b, a * x), -a * density


@elementwise(special.fdtr)
def special_fdtr(y: Any, dfn: Any, dfd: Any, x: Any) -> Any:
    a, b = 0.5 * dfn, 0.5 * dfd
    powers = scaled_log(a - 1.0, a * x / b) - (a + b) * np.log1p(a * x / b)
    share = a * x / (b + a * x)
    density = a / b * np.exp(powers - weak(special.betaln(a, b)))
    of_dfn = 0.5 * betainc_scores(1, 0, a, b, share) + 0.5 * density * x / a
    of_dfd = 0.5 * betainc_scores(0, 1, a, b, share) - 0.5 * density * x / b
    return of_dfn, of_dfd, density


@elementwise(special.fdtrc)
def special_fdtrc(y: Any, dfn: Any, dfd: Any, x: Any) -> Any:
    a, b = 0.5 * dfn, 0.5 * dfd
    powers = scaled_log(a - 1.0, a * x / b) - (a + b) * np.log1p(a * x / b)
    share = a * x / (b + a * x)
    density = -a / b * np.exp(powers - weak(special.betaln(a, b)))
    of_dfn = -0.5 * betainc_scores(1, 0, a, b, share) + 0.5 * density * x / a
    of_dfd = -0.5 * betainc_scores(0, 1, a, b, share) - 0.5 * density * x / b
    return of_dfn, of_dfd, density


@elementwise(special.kolmogorov)
def special_kolmogorov(y: Any, x: Any) -> Any:
    return kolmogorov_slope(x)


@elementwise(special.kolmogi)
def special_kolmogi(x: Any, p: Any) -> Any:
    return 1.0 / kolmogorov_slope(x)


# Counts: the derivative of a sum of terms telescopes to one term


@elementwise(special.pdtr)
def special_pdtr(y: Any, k: Any, m: Any) -> Any:
    whole = weak(np.floor(k))
    return None, -np.exp(scaled_log(whole, m) - m - weak(special.gammaln(whole + 1.0)))


@elementwise(special.pdtrc)
def special_pdtrc(y: Any, k: Any, m: Any) -> Any:
    whole = weak(np.floor(k))
    return None, np.exp(scaled_log(whole, m) - m - weak(special.gammaln(whole + 1.0)))


@elementwise(special.bdtr)
def special_bdtr(y: Any, k: Any, n: Any, p: Any) -> Any:
    whole = weak(np.floor(k))
    powers = scaled_log(whole, p) + scaled_log1p(n - whole - 1.0, -p)
    return None, None, -np.exp(powers - weak(special.betaln(whole + 1.0, n - whole)))


@elementwise(special.bdtrc)
def special_bdtrc(y: Any, k: Any, n: Any, p: Any) -> Any:
    whole = weak(np.floor(k))
    powers = scaled_log(whole, p) + scaled_log1p(n - whole - 1.0, -p)
    return None, None, np.exp(powers - weak(special.betaln(whole + 1.0, n - whole)))


@elementwise(special.nbdtr)
def special_nbdtr(y: Any, k: Any, n: Any, p: Any) -> Any:
    powers = scaled_log(n - 1.0, p) + scaled_log1p(k, -p)
    return None, None, np.exp(powers - weak(special.betaln(k + 1.0, n)))


@elementwise(special.nbdtrc)
def special_nbdtrc(y: Any, k: Any, n: Any, p: Any) -> Any:
    powers = scaled_log(n - 1.0, p) + scaled_log1p(k, -p)
    return None, None, -np.exp(powers - weak(special.betaln(k + 1.0, n)))


_COUNT = "a count is an integer"
for _fn in (
    special.pdtr,
    special.pdtrc,
    special.bdtr,
    special.bdtrc,
    special.nbdtr,
    special.nbdtrc,
):
    for _key in ("k", "n"):
        no_derivative(_COUNT, _fn, parameter=_key)
