"""Random draws: those whose parameters only shift and stretch what is drawn.

A draw `y` from a location-scale family is `loc + scale * z`, where `z` is drawn from the stream of the
generator and does not depend on the parameters. So `z = (y - loc) / scale` is the derivative in the scale,
read off the draw that was made: nothing is drawn twice. Parameters of other draws change the stream
itself, and no derivative is declared for them.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tapeless.rules.declare import elementwise
from tapeless.rules.reasons import no_derivative, understood

# Methods of generators: the generator comes first.


@elementwise(
    np.random.Generator.normal,
    np.random.Generator.laplace,
    np.random.Generator.logistic,
    np.random.Generator.gumbel,
    np.random.RandomState.normal,
    np.random.RandomState.laplace,
    np.random.RandomState.logistic,
    np.random.RandomState.gumbel,
)
def generator_location_scale(
    y: Any, self: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None
) -> Any:
    return None, 1.0, (y - loc) / scale, None


@elementwise(np.random.Generator.uniform, np.random.RandomState.uniform)
def generator_uniform(y: Any, self: Any, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    return None, (high - y) / (high - low), (y - low) / (high - low), None


@elementwise(
    np.random.Generator.exponential,
    np.random.Generator.rayleigh,
    np.random.RandomState.exponential,
    np.random.RandomState.rayleigh,
)
def generator_scale(y: Any, self: Any, scale: Any = 1.0, size: Any = None) -> Any:
    return None, y / scale, None


@elementwise(np.random.Generator.lognormal, np.random.RandomState.lognormal)
def generator_lognormal(
    y: Any, self: Any, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None
) -> Any:
    return None, y, y * (np.log(y) - mean) / sigma, None


@elementwise(
    np.random.Generator.weibull,
    np.random.Generator.power,
    np.random.RandomState.weibull,
    np.random.RandomState.power,
)
def generator_root(y: Any, self: Any, a: Any, size: Any = None) -> Any:
    """Return the partial of what is drawn as `z ** (1 / a)`."""
    return None, -y * np.log(y) / a, None


@elementwise(np.random.Generator.pareto, np.random.RandomState.pareto)
def generator_pareto(y: Any, self: Any, a: Any, size: Any = None) -> Any:
    return None, -(1.0 + y) * np.log1p(y) / a, None


@elementwise(np.random.Generator.gamma, np.random.RandomState.gamma)
def generator_gamma(y: Any, self: Any, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
    return None, None, y / scale, None


# Functions of the global generators


@elementwise(np.random.normal, np.random.laplace, np.random.logistic, np.random.gumbel)
def location_scale(y: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    return 1.0, (y - loc) / scale, None


@elementwise(np.random.uniform)
def uniform(y: Any, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    return (high - y) / (high - low), (y - low) / (high - low), None


@elementwise(np.random.exponential, np.random.rayleigh)
def scale(y: Any, scale: Any = 1.0, size: Any = None) -> Any:
    return y / scale, None


@elementwise(np.random.lognormal)
def lognormal(y: Any, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
    return y, y * (np.log(y) - mean) / sigma, None


@elementwise(np.random.weibull, np.random.power)
def root(y: Any, a: Any, size: Any = None) -> Any:
    return -y * np.log(y) / a, None


@elementwise(np.random.pareto)
def pareto(y: Any, a: Any, size: Any = None) -> Any:
    return -(1.0 + y) * np.log1p(y) / a, None


@elementwise(np.random.gamma)
def gamma(y: Any, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
    return None, y / scale, None


@elementwise(random.gauss, random.normalvariate)
def random_gauss(y: Any, mu: Any = 0.0, sigma: Any = 1.0) -> Any:
    return 1.0, (y - mu) / sigma


@elementwise(random.uniform)
def random_uniform(y: Any, a: Any, b: Any) -> Any:
    return (b - y) / (b - a), (y - a) / (b - a)


# What is drawn without parameters that vary is constant; of other parameters there is no derivative.

_OWNERS = (np.random, np.random.Generator, np.random.RandomState)


def _named(*labels: str) -> list[Any]:
    """Return the functions and methods of generators that have one of some names."""
    return [getattr(owner, label) for label in labels for owner in _OWNERS if hasattr(owner, label)]


understood(
    "what it returns does not depend on what varies",
    *_named("rand", "randn", "random", "random_sample", "standard_normal", "standard_exponential"),
    *_named("standard_cauchy", "randint", "integers", "seed", "bytes"),
    np.random.default_rng,
    np.random.RandomState,
)
understood("written as a store of the entries in their new order", *_named("shuffle"))
understood("written as the entries at drawn places", *_named("choice", "permutation"))
no_derivative(
    "of numbers that vary draw the places: x[rng.permutation(len(x))]", *_named("permuted")
)
no_derivative(
    "take mean + np.linalg.cholesky(cov) @ rng.standard_normal(len(mean))",
    *_named("multivariate_normal"),
)
no_derivative(
    "a count jumps where its parameters change; differentiate what is expected of it",
    *_named("binomial", "negative_binomial", "poisson", "geometric", "hypergeometric"),
    *_named("multinomial", "logseries", "zipf", "multivariate_hypergeometric"),
)
no_derivative(
    "its shape changes which numbers are drawn; only locations and scales have a derivative",
    *_named("beta", "dirichlet", "standard_gamma", "chisquare", "noncentral_chisquare", "f"),
    *_named("noncentral_f", "standard_t", "triangular", "vonmises", "wald"),
)
no_derivative(
    "it changes which numbers are drawn; only the scale has a derivative",
    *_named("gamma"),
    parameter="shape",
)
