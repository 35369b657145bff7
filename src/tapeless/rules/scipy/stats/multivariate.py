"""Densities of several variables, written out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import linalg, special, stats

from tapeless.rules.declare import written_out
from tapeless.rules.reasons import no_derivative


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


def dirichlet_mean(alpha: Any) -> Any:
    """Return the expected proportions."""
    return alpha / np.sum(alpha)


def dirichlet_var(alpha: Any) -> Any:
    """Return the variances of the proportions."""
    total = np.sum(alpha)
    return alpha * (total - alpha) / (total**2 * (total + 1.0))


def dirichlet_entropy(alpha: Any) -> Any:
    """Return the entropy."""
    total = np.sum(alpha)
    size = np.sum(special.gammaln(alpha)) - special.gammaln(total)
    within = (total - np.shape(alpha)[0]) * special.psi(total)
    return size + within - np.sum((alpha - 1.0) * special.psi(alpha))


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


def log_determinant(matrix: Any) -> Any:
    """Return the logarithm of the determinant of a positive definite matrix."""
    return 2.0 * np.sum(np.log(np.diag(linalg.cholesky(matrix, lower=True))))


def multivariate_normal_entropy(mean: Any = None, cov: Any = 1.0) -> Any:
    """Return the entropy."""
    if np.ndim(cov) < 2:
        cov = cov * np.eye(np.size(cov) if mean is None else np.size(mean))
    return 0.5 * (np.shape(cov)[0] * (1.0 + math.log(2.0 * math.pi)) + log_determinant(cov))


def multivariate_t_logpdf(x: Any, loc: Any = None, shape: Any = 1.0, df: Any = 1) -> Any:
    """Return the logarithm of the density, by the Cholesky factor of the shape."""
    if np.ndim(shape) < 2:
        shape = shape * np.eye(np.size(shape) if loc is None else np.size(loc))
    size = np.shape(shape)[0]
    if loc is None:
        loc = np.zeros(size)
    factor = linalg.cholesky(shape, lower=True)
    columns = np.reshape(x - loc, (-1, size)).T
    distances = np.sum(linalg.solve_triangular(factor, columns, lower=True) ** 2, axis=0)
    half = 0.5 * (df + size)
    log_size = special.gammaln(half) - special.gammaln(0.5 * df)
    log_size = log_size - 0.5 * size * np.log(df * math.pi) - np.sum(np.log(np.diag(factor)))
    found = log_size - half * np.log1p(distances / df)
    return np.squeeze(np.reshape(found, np.shape(x)[:-1]))


def multivariate_t_pdf(x: Any, loc: Any = None, shape: Any = 1.0, df: Any = 1) -> Any:
    """Return the density."""
    return np.exp(multivariate_t_logpdf(x, loc, shape, df))


def wishart_logpdf(x: Any, df: Any, scale: Any) -> Any:
    """Return the logarithm of the density at one matrix."""
    size = np.shape(scale)[0]
    trace = np.trace(linalg.solve(scale, x, assume_a="pos"))
    log_size = 0.5 * df * (size * math.log(2.0) + log_determinant(scale))
    powers = 0.5 * (df - size - 1.0) * log_determinant(x) - 0.5 * trace
    return powers - log_size - special.multigammaln(0.5 * df, size)


def wishart_pdf(x: Any, df: Any, scale: Any) -> Any:
    """Return the density at one matrix."""
    return np.exp(wishart_logpdf(x, df, scale))


def wishart_mean(df: Any, scale: Any) -> Any:
    """Return the expected matrix."""
    return df * scale


def invwishart_logpdf(x: Any, df: Any, scale: Any) -> Any:
    """Return the logarithm of the density at one matrix."""
    size = np.shape(scale)[0]
    trace = np.trace(linalg.solve(x, scale, assume_a="pos"))
    log_size = 0.5 * df * (log_determinant(scale) - size * math.log(2.0))
    powers = -0.5 * (df + size + 1.0) * log_determinant(x) - 0.5 * trace
    return powers + log_size - special.multigammaln(0.5 * df, size)


def invwishart_pdf(x: Any, df: Any, scale: Any) -> Any:
    """Return the density at one matrix."""
    return np.exp(invwishart_logpdf(x, df, scale))


def multinomial_logpmf(x: Any, n: Any, p: Any) -> Any:
    """Return the logarithm of the probability; the last one is what the others leave."""
    last = 1.0 - np.sum(p[..., :-1], axis=-1, keepdims=True)
    shares = np.concatenate([p[..., :-1], last], axis=-1)
    counts = np.asarray(x)
    ways = special.gammaln(n + 1.0) - np.sum(special.gammaln(counts + 1.0), axis=-1)
    possible = np.sum(counts, axis=-1) == n
    return np.where(possible, ways + np.sum(special.xlogy(counts, shares), axis=-1), -np.inf)[()]


def multinomial_pmf(x: Any, n: Any, p: Any) -> Any:
    """Return the probability."""
    return np.exp(multinomial_logpmf(x, n, p))


for _function in (
    multivariate_normal_logpdf, multivariate_normal_pdf, multivariate_normal_entropy,
    multivariate_t_logpdf, multivariate_t_pdf, wishart_logpdf, wishart_pdf, wishart_mean,
    invwishart_logpdf, invwishart_pdf, multinomial_logpmf, multinomial_pmf,
    dirichlet_logpdf, dirichlet_pdf, dirichlet_mean, dirichlet_var, dirichlet_entropy,
):  # fmt: skip
    _owner, _, _method = _function.__name__.rpartition("_")
    written_out(getattr(getattr(stats, _owner), _method), _function, of_arrays=True)
no_derivative(
    "it is estimated by random points; differentiate the density, and integrate by a rule of your own",
    *(getattr(stats.multivariate_normal, key) for key in ("cdf", "logcdf")),
    stats.multivariate_t.cdf,
)
