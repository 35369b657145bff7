"""Quantiles that have no formula: those of implicit functions, F(z, shapes) = q.

SciPy finds them. Where the derivative of the distribution function in the shapes is known, so is that of
the quantile: dz/dq = 1 / f(z), and dz/ds = -F_s(z) / f(z), with f the density.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special, stats

from tapeless.rules.declare import elementwise
from tapeless.rules.reasons import no_derivative
from tapeless.rules.results.entrywise import real_elementwise
from tapeless.runtime.distributions import (
    log_normal_mass,
    mass_on_circle,
    quantile_on_circle,
    skew_normal_quantile,
    truncated_normal_quantile,
)


@elementwise(mass_on_circle, kind=real_elementwise, total=True)
def mass_on_circle_partials(y: Any, kappa: Any, z: Any) -> Any:
    """The concentration has no formula: its share is left out, and refused where it varies."""
    return None, np.exp(kappa * special.cosm1(z)) / (2.0 * math.pi * special.i0e(kappa))


@elementwise(quantile_on_circle, kind=real_elementwise)
def quantile_on_circle_partials(z: Any, kappa: Any, q: Any) -> Any:
    """The inverse of `mass_on_circle`, of whose concentration it has no formula either."""
    return None, 2.0 * math.pi * special.i0e(kappa) * np.exp(-kappa * special.cosm1(z))


@elementwise(skew_normal_quantile, kind=real_elementwise)
def skew_normal_quantile_partials(z: Any, q: Any, a: Any) -> Any:
    """With F = Phi(z) - 2 T(z, a): T_a = exp(-(1 + a^2) z^2 / 2) / (2 pi (1 + a^2)) (Owen 1956)."""
    density = math.sqrt(2.0 / math.pi) * np.exp(-0.5 * z**2) * special.ndtr(a * z)
    return 1.0 / density, np.exp(-0.5 * (1.0 + a**2) * z**2) / (math.pi * (1.0 + a**2)) / density


@elementwise(truncated_normal_quantile, kind=real_elementwise)
def truncated_normal_quantile_partials(z: Any, q: Any, a: Any, b: Any) -> Any:
    """With Phi(z) = (1 - q) Phi(a) + q Phi(b), and phi the density of a normal number."""
    at_q = math.sqrt(2.0 * math.pi) * np.exp(log_normal_mass(a, b) + 0.5 * z**2)
    at_a, at_b = (1.0 - q) * np.exp(0.5 * (z**2 - a**2)), q * np.exp(0.5 * (z**2 - b**2))
    return at_q, at_a, at_b


no_derivative(
    "the distribution function has no formula in its concentration",
    mass_on_circle,
    quantile_on_circle,
    parameter="kappa",
)
no_derivative(
    "it is a numerical integral: integrate what is asked of its density", stats.skewnorm.entropy
)
no_derivative(
    "it is a numerical integral: integrate what is asked of its density",
    *(getattr(stats.vonmises, key) for key in ("var", "std")),
)
no_derivative(
    "it is a sum over all counts: sum scipy.special.entr of the probabilities",
    *(getattr(stats, key).entropy for key in ("poisson", "binom", "nbinom", "betabinom")),
)
no_derivative(
    "the distribution of Cauchy has no moments",
    *(getattr(stats.cauchy, key) for key in ("mean", "var", "std")),
)
