"""Densities of several variables, written out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import linalg, special, stats

from tapeless.rules.declare import written_out


def dirichlet_logpdf(x: Any, alpha: Any) -> Any:
    """Return the logarithm of the density; the last of the proportions may be left out."""
    if np.shape(x)[0] < np.shape(alpha)[0]:
        x = np.concatenate([x, 1.0 - np.sum(x, axis=0, keepdims=True)])
    weights = np.reshape(alpha - 1.0, (-1,) + (1,) * (np.ndim(x) - 1))
    size = special.gammaln(np.sum(alpha)) - np.sum(special.gammaln(alpha))
    return size + np.sum(special.xlogy(weights, x), axis=0)


def dirichlet_pdf(x: Any, alpha: Any) -> Any:
    """Return the density."""
    return np.exp(dirichlet_logpdf(x, alpha))


def multivariate_normal_logpdf(x: Any, mean: Any = None, cov: Any = 1.0) -> Any:
    """Return the logarithm of the density, by the Cholesky factor of the covariance."""
    if np.ndim(cov) < 2:
        cov = cov * np.eye(np.size(cov) if mean is None else np.size(mean))
    size = np.shape(cov)[0]
    if mean is None:
        mean = np.zeros(size)
    if size == 1 and np.ndim(x) == 1:
        x = np.expand_dims(x, -1)
    shape = np.shape(x)[:-1]
    factor = linalg.cholesky(cov, lower=True)
    columns = np.reshape(x - mean, (-1, size)).T
    distances = np.sum(linalg.solve_triangular(factor, columns, lower=True) ** 2, axis=0)
    log_size = size * math.log(2.0 * math.pi) + 2.0 * np.sum(np.log(np.diag(factor)))
    return np.squeeze(np.reshape(-0.5 * (log_size + distances), shape))


def multivariate_normal_pdf(x: Any, mean: Any = None, cov: Any = 1.0) -> Any:
    """Return the density."""
    return np.exp(multivariate_normal_logpdf(x, mean, cov))


written_out(stats.multivariate_normal.logpdf, multivariate_normal_logpdf)
written_out(stats.multivariate_normal.pdf, multivariate_normal_pdf)
written_out(stats.dirichlet.logpdf, dirichlet_logpdf)
written_out(stats.dirichlet.pdf, dirichlet_pdf)
