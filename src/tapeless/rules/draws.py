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


@elementwise(random.gauss, random.normalvariate)
def random_gauss(y: Any, mu: Any = 0.0, sigma: Any = 1.0) -> Any:
    return 1.0, (y - mu) / sigma


@elementwise(random.uniform)
def random_uniform(y: Any, a: Any, b: Any) -> Any:
    return (b - y) / (b - a), (y - a) / (b - a)
