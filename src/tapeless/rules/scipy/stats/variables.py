"""Random variables of the newer interface of `scipy.stats`: `Normal(mu=..., sigma=...)` and `Uniform`."""

from __future__ import annotations

from typing import Any, NamedTuple

from scipy import stats

from tapeless.rules.declare import written_out


class NormalVariable(NamedTuple):
    """What `stats.Normal` makes."""

    mu: Any
    sigma: Any

    def pdf(self, x: Any) -> Any:
        """Return the density."""
        return stats.norm.pdf(x, self.mu, self.sigma)

    def logpdf(self, x: Any) -> Any:
        """Return the logarithm of the density."""
        return stats.norm.logpdf(x, self.mu, self.sigma)

    def cdf(self, x: Any) -> Any:
        """Return the probability of at most."""
        return stats.norm.cdf(x, self.mu, self.sigma)

    def logcdf(self, x: Any) -> Any:
        """Return the logarithm of the probability of at most."""
        return stats.norm.logcdf(x, self.mu, self.sigma)

    def ccdf(self, x: Any) -> Any:
        """Return the probability of more."""
        return stats.norm.sf(x, self.mu, self.sigma)

    def logccdf(self, x: Any) -> Any:
        """Return the logarithm of the probability of more."""
        return stats.norm.logsf(x, self.mu, self.sigma)

    def icdf(self, p: Any) -> Any:
        """Return the quantile."""
        return stats.norm.ppf(p, self.mu, self.sigma)

    def iccdf(self, p: Any) -> Any:
        """Return the quantile from above."""
        return stats.norm.isf(p, self.mu, self.sigma)

    def mean(self) -> Any:
        """Return the mean."""
        return stats.norm.mean(self.mu, self.sigma)

    def median(self) -> Any:
        """Return the median."""
        return stats.norm.median(self.mu, self.sigma)

    def variance(self) -> Any:
        """Return the variance."""
        return stats.norm.var(self.mu, self.sigma)

    def standard_deviation(self) -> Any:
        """Return the standard deviation."""
        return stats.norm.std(self.mu, self.sigma)

    def entropy(self) -> Any:
        """Return the entropy."""
        return stats.norm.entropy(self.mu, self.sigma)


class UniformVariable(NamedTuple):
    """What `stats.Uniform` makes."""

    a: Any
    b: Any

    def pdf(self, x: Any) -> Any:
        """Return the density."""
        return stats.uniform.pdf(x, self.a, self.b - self.a)

    def logpdf(self, x: Any) -> Any:
        """Return the logarithm of the density."""
        return stats.uniform.logpdf(x, self.a, self.b - self.a)

    def cdf(self, x: Any) -> Any:
        """Return the probability of at most."""
        return stats.uniform.cdf(x, self.a, self.b - self.a)

    def ccdf(self, x: Any) -> Any:
        """Return the probability of more."""
        return stats.uniform.sf(x, self.a, self.b - self.a)

    def icdf(self, p: Any) -> Any:
        """Return the quantile."""
        return stats.uniform.ppf(p, self.a, self.b - self.a)

    def mean(self) -> Any:
        """Return the mean."""
        return 0.5 * (self.a + self.b)

    def variance(self) -> Any:
        """Return the variance."""
        return stats.uniform.var(self.a, self.b - self.a)

    def entropy(self) -> Any:
        """Return the entropy."""
        return stats.uniform.entropy(self.a, self.b - self.a)


def normal_variable(*, mu: Any = 0.0, sigma: Any = 1.0) -> Any:
    return NormalVariable(mu, sigma)


def uniform_variable(*, a: Any = 0.0, b: Any = 1.0) -> Any:
    return UniformVariable(a, b)


if hasattr(stats, "Normal"):  # since SciPy 1.15
    written_out(stats.Normal, normal_variable, always=True)
    written_out(stats.Uniform, uniform_variable, always=True)
