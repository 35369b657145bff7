"""Incomplete gamma and beta functions, in the argument and in their shapes.

In the argument they are integrals of a density. In a shape they are integrals of density times score, which
`runtime/shape_derivatives.py` computes; of those, too, the derivatives are such integrals. An inverse
moves so that the probability stays: by the derivative in the shape, divided by the density.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from tapeless.rules.declare import elementwise
from tapeless.rules.reasons import no_derivative
from tapeless.rules.traits import traits
from tapeless.runtime.shape_derivatives import (
    beta_density,
    betainc_scores,
    gamma_density,
    gammainc_scores,
    stdtr_df_curvature,
    stdtr_df_slope,
    student_density,
    student_log_size,
    student_score,
)
from tapeless.runtime.special import divide_unless_zero, scaled_log, scaled_log1p, trigamma, weak


@elementwise(special.gammainc)
def special_gammainc(y: Any, a: Any, x: Any) -> Any:
    density = np.exp(scaled_log(a - 1.0, x) - x - weak(special.gammaln(a)))
    return gammainc_scores(1, a, x), density


@elementwise(special.gammaincc)
def special_gammaincc(y: Any, a: Any, x: Any) -> Any:
    density = np.exp(scaled_log(a - 1.0, x) - x - weak(special.gammaln(a)))
    return -gammainc_scores(1, a, x), -density


@elementwise(special.gammaincinv)
def special_gammaincinv(x: Any, a: Any, y: Any) -> Any:
    of_shape = divide_unless_zero(-gammainc_scores(1, a, x), gamma_density(a, x))
    return of_shape, np.exp(weak(special.gammaln(a)) + x - scaled_log(a - 1.0, x))


@elementwise(special.gammainccinv)
def special_gammainccinv(x: Any, a: Any, y: Any) -> Any:
    of_shape = divide_unless_zero(-gammainc_scores(1, a, x), gamma_density(a, x))
    return of_shape, -np.exp(weak(special.gammaln(a)) + x - scaled_log(a - 1.0, x))


@elementwise(special.betainc)
def special_betainc(y: Any, a: Any, b: Any, x: Any) -> Any:
    powers = scaled_log(a - 1.0, x) + scaled_log1p(b - 1.0, -x)
    density = np.exp(powers - weak(special.betaln(a, b)))
    return betainc_scores(1, 0, a, b, x), betainc_scores(0, 1, a, b, x), density


@elementwise(special.betaincc)
def special_betaincc(y: Any, a: Any, b: Any, x: Any) -> Any:
    powers = scaled_log(a - 1.0, x) + scaled_log1p(b - 1.0, -x)
    density = np.exp(powers - weak(special.betaln(a, b)))
    return -betainc_scores(1, 0, a, b, x), -betainc_scores(0, 1, a, b, x), -density


@elementwise(special.betaincinv)
def special_betaincinv(x: Any, a: Any, b: Any, y: Any) -> Any:
    powers = scaled_log(a - 1.0, x) + scaled_log1p(b - 1.0, -x)
    of_a = divide_unless_zero(-betainc_scores(1, 0, a, b, x), beta_density(a, b, x))
    of_b = divide_unless_zero(-betainc_scores(0, 1, a, b, x), beta_density(a, b, x))
    return of_a, of_b, np.exp(weak(special.betaln(a, b)) - powers)


@elementwise(special.betainccinv)
def special_betainccinv(x: Any, a: Any, b: Any, y: Any) -> Any:
    powers = scaled_log(a - 1.0, x) + scaled_log1p(b - 1.0, -x)
    of_a = divide_unless_zero(-betainc_scores(1, 0, a, b, x), beta_density(a, b, x))
    of_b = divide_unless_zero(-betainc_scores(0, 1, a, b, x), beta_density(a, b, x))
    return of_a, of_b, -np.exp(weak(special.betaln(a, b)) - powers)


@elementwise(gammainc_scores, says_more=True)
def gammainc_scores_partials(y: Any, n: Any, a: Any, x: Any) -> Any:
    """Differentiate the density, and in the shape the score, too."""
    score = np.log(np.where(x > 0, x, 1.0)) - special.psi(a)
    fewer = gammainc_scores(n - 1, a, x) if n > 0 else 0.0
    of_shape = gammainc_scores(n + 1, a, x) - n * trigamma(a) * fewer
    return None, of_shape, gamma_density(a, x) * score**n


@elementwise(betainc_scores, says_more=True)
def betainc_scores_partials(y: Any, m: Any, n: Any, a: Any, b: Any, x: Any) -> Any:
    """Differentiate the density, and in the shapes both scores, too."""
    of_sum, mean = trigamma(a + b), special.psi(a + b)
    fewer_a = m * betainc_scores(m - 1, n, a, b, x) if m > 0 else 0.0
    fewer_b = n * betainc_scores(m, n - 1, a, b, x) if n > 0 else 0.0
    both = of_sum * (fewer_a + fewer_b)
    of_a = betainc_scores(m + 1, n, a, b, x) - trigamma(a) * fewer_a + both
    of_b = betainc_scores(m, n + 1, a, b, x) - trigamma(b) * fewer_b + both
    score_a = np.log(np.where(x > 0, x, 1.0)) - special.psi(a) + mean
    score_b = np.log1p(-np.where(x < 1, x, 0.0)) - special.psi(b) + mean
    return None, None, of_a, of_b, beta_density(a, b, x) * score_a**m * score_b**n


@elementwise(stdtr_df_slope, says_more=True)
def stdtr_df_slope_partials(y: Any, df: Any, t: Any) -> Any:
    """Differentiate the density in the degrees of freedom, where the argument moves."""
    return stdtr_df_curvature(df, t), student_density(df, t) * student_score(df, t)


traits(gamma_density, beta_density, student_density, student_log_size, says_more=True)
for _key in ("m", "n"):
    no_derivative("it is a power", betainc_scores, parameter=_key)
no_derivative("it is a power", gammainc_scores, parameter="n")
