"""Distributions of several variables with their parameters, as `frozen` has those of one."""

from __future__ import annotations

from typing import Any, NamedTuple

from scipy import stats

from tapeless.rules.declare import written_out
from tapeless.rules.scipy.stats.multivariate import (
    dirichlet_entropy,
    dirichlet_logpdf,
    dirichlet_mean,
    dirichlet_pdf,
    dirichlet_var,
    invwishart_logpdf,
    invwishart_pdf,
    multinomial_logpmf,
    multinomial_pmf,
    multivariate_normal_entropy,
    multivariate_normal_logpdf,
    multivariate_normal_pdf,
    multivariate_t_logpdf,
    multivariate_t_pdf,
    wishart_logpdf,
    wishart_mean,
    wishart_pdf,
)


class FrozenMultivariateNormal(NamedTuple):
    """The normal distribution of given mean and covariance."""

    mean: Any
    cov: Any

    def logpdf(self, x: Any) -> Any:
        """Return the logarithm of the density."""
        return multivariate_normal_logpdf(x, self.mean, self.cov)

    def pdf(self, x: Any) -> Any:
        """Return the density."""
        return multivariate_normal_pdf(x, self.mean, self.cov)

    def entropy(self) -> Any:
        """Return the entropy."""
        return multivariate_normal_entropy(self.mean, self.cov)


def frozen_multivariate_normal(mean: Any = None, cov: Any = 1.0) -> Any:
    """Return the distribution with its parameters."""
    return FrozenMultivariateNormal(mean, cov)


class FrozenMultivariateT(NamedTuple):
    """Student's distribution of several variables, with given parameters."""

    loc: Any
    shape: Any
    df: Any

    def logpdf(self, x: Any) -> Any:
        """Return the logarithm of the density."""
        return multivariate_t_logpdf(x, self.loc, self.shape, self.df)

    def pdf(self, x: Any) -> Any:
        """Return the density."""
        return multivariate_t_pdf(x, self.loc, self.shape, self.df)


def frozen_multivariate_t(loc: Any = None, shape: Any = 1.0, df: Any = 1) -> Any:
    """Return the distribution with its parameters."""
    return FrozenMultivariateT(loc, shape, df)


class FrozenDirichlet(NamedTuple):
    """The distribution of Dirichlet with given parameters."""

    alpha: Any

    def logpdf(self, x: Any) -> Any:
        """Return the logarithm of the density."""
        return dirichlet_logpdf(x, self.alpha)

    def pdf(self, x: Any) -> Any:
        """Return the density."""
        return dirichlet_pdf(x, self.alpha)

    def mean(self) -> Any:
        """Return the mean."""
        return dirichlet_mean(self.alpha)

    def var(self) -> Any:
        """Return the variances."""
        return dirichlet_var(self.alpha)

    def entropy(self) -> Any:
        """Return the entropy."""
        return dirichlet_entropy(self.alpha)


def frozen_dirichlet(alpha: Any) -> Any:
    """Return the distribution with its parameters."""
    return FrozenDirichlet(alpha)


class FrozenWishart(NamedTuple):
    """The distribution of Wishart with given parameters."""

    df: Any
    scale: Any

    def logpdf(self, x: Any) -> Any:
        """Return the logarithm of the density."""
        return wishart_logpdf(x, self.df, self.scale)

    def pdf(self, x: Any) -> Any:
        """Return the density."""
        return wishart_pdf(x, self.df, self.scale)

    def mean(self) -> Any:
        """Return the mean."""
        return wishart_mean(self.df, self.scale)


def frozen_wishart(df: Any, scale: Any) -> Any:
    """Return the distribution with its parameters."""
    return FrozenWishart(df, scale)


class FrozenInvwishart(NamedTuple):
    """The inverse of the distribution of Wishart with given parameters."""

    df: Any
    scale: Any

    def logpdf(self, x: Any) -> Any:
        """Return the logarithm of the density."""
        return invwishart_logpdf(x, self.df, self.scale)

    def pdf(self, x: Any) -> Any:
        """Return the density."""
        return invwishart_pdf(x, self.df, self.scale)


def frozen_invwishart(df: Any, scale: Any) -> Any:
    """Return the distribution with its parameters."""
    return FrozenInvwishart(df, scale)


class FrozenMultinomial(NamedTuple):
    """The distribution of counts with given parameters."""

    n: Any
    p: Any

    def logpmf(self, x: Any) -> Any:
        """Return the logarithm of the probability."""
        return multinomial_logpmf(x, self.n, self.p)

    def pmf(self, x: Any) -> Any:
        """Return the probability."""
        return multinomial_pmf(x, self.n, self.p)


def frozen_multinomial(n: Any, p: Any) -> Any:
    """Return the distribution with its parameters."""
    return FrozenMultinomial(n, p)


for _frozen in (
    frozen_multivariate_normal, frozen_multivariate_t, frozen_dirichlet, frozen_wishart,
    frozen_invwishart, frozen_multinomial,
):  # fmt: skip
    _name = _frozen.__name__.removeprefix("frozen_")
    written_out(getattr(stats, _name), _frozen, always=True, of_arrays=True)
