"""The standard formulas of distributions, as SciPy's reference gives them.

`z` is the standardized argument, `q` a probability, `k` a count. `ndtr`, `gammainc` and the like are
those of `scipy.special`: tails are computed as tails, and not as differences from 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Continuous:
    """The formulas of a continuous distribution; empty where there is none.

    Attributes
    ----------
    shapes, valid
        The names of the shape parameters, and what they must fulfil.
    support, interior
        Where the density is not 0, and a place inside.
    clipped
        `z` brought into the support, for probabilities; empty where their formulas have no slope at the
        ends: they are computed inside then, as the density is.
    logpdf, cdf, sf, logcdf, logsf
        Formulas in `z`.
    ppf, isf
        Formulas in `q`.
    mean, var, entropy
        Of the standard variable.
    """

    shapes: tuple[str, ...] = ()
    valid: tuple[str, ...] = ()
    support: str = ""
    interior: str = ""
    clipped: str = ""
    logpdf: str = ""
    cdf: str = ""
    sf: str = ""
    logcdf: str = ""
    logsf: str = ""
    ppf: str = ""
    isf: str = ""
    mean: str = ""
    var: str = ""
    entropy: str = ""

    def probabilities(self) -> Iterator[tuple[str, str]]:
        """List the probabilities; the logarithms follow where they have no formula of their own."""
        for method in ("cdf", "sf"):
            formula, log = getattr(self, method), getattr(self, f"log{method}")
            if formula:
                yield method, formula
            if formula or log:
                yield f"log{method}", log or f"np.log({formula})"

    def moments(self) -> Iterator[tuple[str, str]]:
        """List mean, variance and entropy."""
        if self.mean:
            yield "mean", f"loc + scale * ({self.mean})"
        if self.var:
            yield "var", f"scale**2 * ({self.var})"
        if self.entropy:
            yield "entropy", f"np.log(scale) + ({self.entropy})"

    def quantiles(self) -> Iterator[tuple[str, str]]:
        """List the quantiles."""
        for method in ("ppf", "isf"):
            if getattr(self, method):
                yield method, getattr(self, method)


@dataclass(frozen=True)
class Discrete:
    """The formulas of a discrete distribution; `first` is the least count."""

    shapes: tuple[str, ...]
    valid: tuple[str, ...]
    support: str
    interior: str
    logpmf: str = ""
    cdf: str = ""
    sf: str = ""
    first: int = 0
    mean: str = ""
    var: str = ""
    entropy: str = ""


POSITIVE: dict[str, Any] = {
    "support": "z >= 0",
    "interior": "1.0",
    "clipped": "np.maximum(z, 0.0)",
}
ABOVE_0: dict[str, Any] = {
    "support": "z > 0",
    "interior": "1.0",
}
UNIT: dict[str, Any] = {
    "support": "(z >= 0) & (z <= 1)",
    "interior": "0.5",
    "clipped": "np.minimum(np.maximum(z, 0.0), 1.0)",
}
# of `truncnorm`: the density at both ends, and what the ends add to the second moment
_AT_A, _AT_B = (
    f"np.exp(-0.5 * {end}**2 - 0.5 * math.log(2.0 * math.pi) - log_normal_mass(a, b))"
    for end in "ab"
)
_ENDS = f"np.where(np.isinf(a), 0.0, a) * {_AT_A} - np.where(np.isinf(b), 0.0, b) * {_AT_B}"

CONTINUOUS = {
    "norm": Continuous(
        logpdf="-0.5 * z**2 - 0.5 * math.log(2.0 * math.pi)",
        cdf="special.ndtr(z)",
        sf="special.ndtr(-z)",
        logcdf="special.log_ndtr(z)",
        logsf="special.log_ndtr(-z)",
        ppf="special.ndtri(q)",
        isf="-special.ndtri(q)",
        mean="0.0",
        var="1.0",
        entropy="0.5 * math.log(2.0 * math.pi) + 0.5",
    ),
    "t": Continuous(
        ("df",),
        ("df > 0",),
        logpdf="special.gammaln(0.5 * (df + 1.0)) - special.gammaln(0.5 * df)"
        " - 0.5 * (np.log(df) + math.log(math.pi)) - 0.5 * (df + 1.0) * np.log1p(z**2 / df)",
        cdf="special.stdtr(df, z)",
        sf="special.stdtr(df, -z)",
        ppf="special.stdtrit(df, q)",
        isf="-special.stdtrit(df, q)",
        mean="np.where(df > 1, 0.0, np.inf)",
        var="np.where(df > 2, 1.0 + 2.0 / np.where(df > 2, df - 2.0, 1.0), np.where(df > 1, "
        "np.inf, np.nan))",
        entropy="0.5 * (df + 1.0) * (special.psi(0.5 * (df + 1.0)) - special.psi(0.5 * df)) + 0.5"
        " * np.log(df) + special.betaln(0.5 * df, 0.5)",
    ),
    "chi2": Continuous(
        ("df",),
        ("df > 0",),
        **POSITIVE,
        logpdf="special.xlogy(0.5 * df - 1.0, z) - 0.5 * z"
        " - special.gammaln(0.5 * df) - 0.5 * math.log(2.0) * df",
        cdf="special.chdtr(df, z)",
        sf="special.chdtrc(df, z)",
        ppf="2.0 * special.gammaincinv(0.5 * df, q)",
        isf="special.chdtri(df, q)",
        mean="df",
        var="2.0 * df",
        entropy="0.5 * df + math.log(2.0) + special.gammaln(0.5 * df) + (1.0 - 0.5 * df)"
        " * special.psi(0.5 * df)",
    ),
    "gamma": Continuous(
        ("a",),
        ("a > 0",),
        **POSITIVE,
        logpdf="special.xlogy(a - 1.0, z) - z - special.gammaln(a)",
        cdf="special.gammainc(a, z)",
        sf="special.gammaincc(a, z)",
        ppf="special.gammaincinv(a, q)",
        isf="special.gammainccinv(a, q)",
        mean="a",
        var="a",
        entropy="(1.0 - a) * special.psi(a) + a + special.gammaln(a)",
    ),
    "beta": Continuous(
        ("a", "b"),
        ("a > 0", "b > 0"),
        **UNIT,
        logpdf="special.xlog1py(b - 1.0, -z) + special.xlogy(a - 1.0, z) - special.betaln(a, b)",
        cdf="special.betainc(a, b, z)",
        sf="special.betaincc(a, b, z)",
        ppf="special.betaincinv(a, b, q)",
        isf="special.betainccinv(a, b, q)",
        mean="a / (a + b)",
        var="a * b / ((a + b) ** 2 * (a + b + 1.0))",
        entropy="special.betaln(a, b) - (a - 1.0) * special.psi(a) - (b - 1.0) * special.psi(b)"
        " + (a + b - 2.0) * special.psi(a + b)",
    ),
    "expon": Continuous(
        **POSITIVE,
        logpdf="-z",
        cdf="-np.expm1(-z)",
        sf="np.exp(-z)",
        logsf="-z",
        ppf="-np.log1p(-q)",
        isf="-np.log(q)",
        mean="1.0",
        var="1.0",
        entropy="1.0",
    ),
    "laplace": Continuous(
        logpdf="-np.abs(z) - math.log(2.0)",
        cdf="np.where(z > 0, 1.0 - 0.5 * np.exp(-np.abs(z)), 0.5 * np.exp(-np.abs(z)))",
        sf="np.where(z < 0, 1.0 - 0.5 * np.exp(-np.abs(z)), 0.5 * np.exp(-np.abs(z)))",
        ppf="np.where(q > 0.5, -np.log(2.0 * (1.0 - q)), np.log(2.0 * q))",
        isf="np.where(q > 0.5, np.log(2.0 * (1.0 - q)), -np.log(2.0 * q))",
        mean="0.0",
        var="2.0",
        entropy="1.0 + math.log(2.0)",
    ),
    "logistic": Continuous(
        logpdf="-np.abs(z) - 2.0 * np.log1p(np.exp(-np.abs(z)))",
        cdf="special.expit(z)",
        sf="special.expit(-z)",
        logcdf="special.log_expit(z)",
        logsf="special.log_expit(-z)",
        ppf="special.logit(q)",
        isf="-special.logit(q)",
        mean="0.0",
        var="math.pi**2 / 3.0",
        entropy="2.0",
    ),
    "lognorm": Continuous(
        ("s",),
        ("s > 0",),
        **ABOVE_0,
        logpdf="-0.5 * (np.log(z) / s) ** 2 - np.log(s * z) - 0.5 * math.log(2.0 * math.pi)",
        cdf="special.ndtr(np.log(z) / s)",
        sf="special.ndtr(-np.log(z) / s)",
        logcdf="special.log_ndtr(np.log(z) / s)",
        logsf="special.log_ndtr(-np.log(z) / s)",
        ppf="np.exp(s * special.ndtri(q))",
        isf="np.exp(-s * special.ndtri(q))",
        mean="np.exp(0.5 * s**2)",
        var="np.expm1(s**2) * np.exp(s**2)",
        entropy="0.5 + 0.5 * math.log(2.0 * math.pi) + np.log(s)",
    ),
    "cauchy": Continuous(
        logpdf="-math.log(math.pi) - np.log1p(z**2)",
        cdf="np.arctan2(1.0, -z) / np.pi",
        sf="np.arctan2(1.0, z) / np.pi",
        ppf="np.tan(np.pi * (q - 0.5))",
        isf="-np.tan(np.pi * (q - 0.5))",
        entropy="math.log(4.0 * math.pi)",
    ),
    "uniform": Continuous(
        **UNIT,
        logpdf="0.0 * z",
        cdf="z",
        sf="1.0 - z",
        ppf="q",
        isf="1.0 - q",
        mean="0.5",
        var="1.0 / 12.0",
        entropy="0.0",
    ),
    "weibull_min": Continuous(
        ("c",),
        ("c > 0",),
        **POSITIVE,
        logpdf="np.log(c) + special.xlogy(c - 1.0, z) - z**c",
        cdf="-np.expm1(-(z**c))",
        sf="np.exp(-(z**c))",
        logsf="-(z**c)",
        ppf="(-np.log1p(-q)) ** (1.0 / c)",
        isf="(-np.log(q)) ** (1.0 / c)",
        mean="special.gamma(1.0 + 1.0 / c)",
        var="special.gamma(1.0 + 2.0 / c) - special.gamma(1.0 + 1.0 / c) ** 2",
        entropy="1.0 + 0.5772156649015329 * (1.0 - 1.0 / c) - np.log(c)",
    ),
    "gumbel_r": Continuous(
        logpdf="-z - np.exp(-z)",
        cdf="np.exp(-np.exp(-z))",
        sf="-np.expm1(-np.exp(-z))",
        logcdf="-np.exp(-z)",
        ppf="-np.log(-np.log(q))",
        isf="-np.log(-np.log1p(-q))",
        mean="0.5772156649015329",
        var="math.pi**2 / 6.0",
        entropy="1.0 + 0.5772156649015329",
    ),
    "gumbel_l": Continuous(
        logpdf="z - np.exp(z)",
        cdf="-np.expm1(-np.exp(z))",
        sf="np.exp(-np.exp(z))",
        logsf="-np.exp(z)",
        ppf="np.log(-np.log1p(-q))",
        isf="np.log(-np.log(q))",
        mean="-0.5772156649015329",
        var="math.pi**2 / 6.0",
        entropy="1.0 + 0.5772156649015329",
    ),
    "pareto": Continuous(
        ("b",),
        ("b > 0",),
        support="z >= 1",
        interior="1.0",
        clipped="np.maximum(z, 1.0)",
        logpdf="np.log(b) - (b + 1.0) * np.log(z)",
        cdf="-np.expm1(-b * np.log(z))",
        sf="np.exp(-b * np.log(z))",
        logsf="-b * np.log(z)",
        ppf="np.exp(-np.log1p(-q) / b)",
        isf="np.exp(-np.log(q) / b)",
        mean="np.where(b > 1, b / np.where(b > 1, b - 1.0, 1.0), np.inf)",
        var="np.where(b > 2, b / ((b - 1.0) ** 2 * np.where(b > 2, b - 2.0, 1.0)), np.inf)",
        entropy="1.0 + 1.0 / b - np.log(b)",
    ),
    "invgamma": Continuous(
        ("a",),
        ("a > 0",),
        **ABOVE_0,
        logpdf="-(a + 1.0) * np.log(z) - special.gammaln(a) - 1.0 / z",
        cdf="special.gammaincc(a, 1.0 / z)",
        sf="special.gammainc(a, 1.0 / z)",
        ppf="1.0 / special.gammainccinv(a, q)",
        isf="1.0 / special.gammaincinv(a, q)",
        mean="np.where(a > 1, 1.0 / np.where(a > 1, a - 1.0, 1.0), np.inf)",
        var="np.where(a > 2, 1.0 / ((a - 1.0) ** 2 * np.where(a > 2, a - 2.0, 1.0)), np.inf)",
        entropy="a + special.gammaln(a) - (1.0 + a) * special.psi(a)",
    ),
    "halfnorm": Continuous(
        **POSITIVE,
        logpdf="math.log(2.0) - 0.5 * math.log(2.0 * math.pi) - 0.5 * z**2",
        cdf="special.erf(math.sqrt(0.5) * z)",
        sf="2.0 * special.ndtr(-z)",
        logsf="math.log(2.0) + special.log_ndtr(-z)",
        ppf="special.ndtri(0.5 * (1.0 + q))",
        isf="-special.ndtri(0.5 * q)",
        mean="math.sqrt(2.0 / math.pi)",
        var="1.0 - 2.0 / math.pi",
        entropy="0.5 + 0.5 * math.log(0.5 * math.pi)",
    ),
    "rayleigh": Continuous(
        **POSITIVE,
        logpdf="np.log(z) - 0.5 * z**2",
        cdf="-np.expm1(-0.5 * z**2)",
        sf="np.exp(-0.5 * z**2)",
        logsf="-0.5 * z**2",
        ppf="np.sqrt(-2.0 * np.log1p(-q))",
        isf="np.sqrt(-2.0 * np.log(q))",
        mean="math.sqrt(0.5 * math.pi)",
        var="2.0 - 0.5 * math.pi",
        entropy="1.0 + 0.5 * 0.5772156649015329 - 0.5 * math.log(2.0)",
    ),
    "truncnorm": Continuous(
        ("a", "b"),
        ("a < b",),
        support="(z >= a) & (z <= b)",
        interior="a",
        logpdf="-0.5 * z**2 - 0.5 * math.log(2.0 * math.pi) - log_normal_mass(a, b)",
        cdf="np.exp(log_normal_mass(a, z) - log_normal_mass(a, b))",
        sf="np.exp(log_normal_mass(z, b) - log_normal_mass(a, b))",
        logcdf="log_normal_mass(a, z) - log_normal_mass(a, b)",
        logsf="log_normal_mass(z, b) - log_normal_mass(a, b)",
        ppf="truncated_normal_quantile(q, a, b)",
        isf="-truncated_normal_quantile(q, -b, -a)",
        mean=f"{_AT_A} - {_AT_B}",
        var=f"1.0 + {_ENDS} - ({_AT_A} - {_AT_B}) ** 2",
        entropy=f"0.5 * math.log(2.0 * math.pi) + 0.5 + log_normal_mass(a, b) + 0.5 * ({_ENDS})",
    ),
    "skewnorm": Continuous(
        ("a",),
        logpdf="math.log(2.0) - 0.5 * z**2 - 0.5 * math.log(2.0 * math.pi) + special.log_ndtr(a * z)",
        cdf="special.ndtr(z) - 2.0 * special.owens_t(z, a)",
        sf="special.ndtr(-z) + 2.0 * special.owens_t(z, a)",
        ppf="skew_normal_quantile(q, a)",
        isf="-skew_normal_quantile(q, -a)",
        mean="math.sqrt(2.0 / math.pi) * a / np.sqrt(1.0 + a**2)",
        var="1.0 - 2.0 / math.pi * a**2 / (1.0 + a**2)",
    ),
    "vonmises": Continuous(
        ("kappa",),
        ("kappa >= 0",),
        cdf="mass_on_circle(kappa, z)",
        sf="mass_on_circle(kappa, -z)",
        ppf="quantile_on_circle(kappa, q)",
        isf="-quantile_on_circle(kappa, q)",
        mean="0.0",
        logpdf="kappa * special.cosm1(z) - math.log(2.0 * math.pi) - np.log(special.i0e(kappa))",
        entropy="math.log(2.0 * math.pi) + np.log(special.i0e(kappa)) + kappa * (1.0"
        " - special.i1e(kappa) / special.i0e(kappa))",
    ),
    "genextreme": Continuous(
        ("c",),
        support="c * z < 1",
        interior="0.0",
        logpdf="(1.0 - c) * scaled_log1p_of(c, z) - np.exp(scaled_log1p_of(c, z))",
    ),
}

DISCRETE = {
    "poisson": Discrete(
        ("mu",),
        ("mu >= 0",),
        "(k >= 0) & (k == np.floor(k))",
        "0.0",
        "special.xlogy(k, mu) - special.gammaln(k + 1.0) - mu",
        "special.pdtr(k, mu)",
        "special.pdtrc(k, mu)",
        mean="mu",
        var="mu",
    ),
    "bernoulli": Discrete(
        ("p",),
        ("p >= 0", "p <= 1"),
        "(k == 0) | (k == 1)",
        "0.0",
        "special.xlogy(k, p) + special.xlog1py(1.0 - k, -p)",
        "np.where(k < 1, 1.0 - p, 1.0)",
        "np.where(k < 1, p, 0.0)",
        mean="p",
        var="p * (1.0 - p)",
        entropy="special.entr(p) + special.entr(1.0 - p)",
    ),
    "binom": Discrete(
        ("n", "p"),
        ("n >= 0", "n == np.floor(n)", "p >= 0", "p <= 1"),
        "(k >= 0) & (k <= n) & (k == np.floor(k))",
        "0.0",
        "special.gammaln(n + 1.0) - special.gammaln(k + 1.0) - special.gammaln(n - k + 1.0)"
        " + special.xlogy(k, p) + special.xlog1py(n - k, -p)",
        "special.bdtr(np.minimum(k, n), n, p)",
        "special.bdtrc(np.minimum(k, n), n, p)",
        mean="n * p",
        var="n * p * (1.0 - p)",
    ),
    "nbinom": Discrete(
        ("n", "p"),
        ("n > 0", "p > 0", "p <= 1"),
        "(k >= 0) & (k == np.floor(k))",
        "0.0",
        "special.gammaln(n + k) - special.gammaln(k + 1.0) - special.gammaln(n)"
        " + n * np.log(p) + special.xlog1py(k, -p)",
        "special.betainc(n, k + 1.0, p)",
        "special.betaincc(n, k + 1.0, p)",
        mean="n * (1.0 - p) / p",
        var="n * (1.0 - p) / p**2",
    ),
    "geom": Discrete(
        ("p",),
        ("p > 0", "p <= 1"),
        "(k >= 1) & (k == np.floor(k))",
        "1.0",
        "special.xlog1py(k - 1.0, -p) + np.log(p)",
        "-np.expm1(np.log1p(-p) * k)",
        "np.exp(np.log1p(-p) * k)",
        first=1,
        mean="1.0 / p",
        var="(1.0 - p) / p**2",
        entropy="(special.entr(p) + special.entr(1.0 - p)) / p",
    ),
    "betabinom": Discrete(
        ("n", "a", "b"),
        ("n >= 0", "n == np.floor(n)", "a > 0", "b > 0"),
        "(k >= 0) & (k <= n) & (k == np.floor(k))",
        "0.0",
        "special.betaln(k + a, n - k + b) - np.log(n + 1.0) - special.betaln(n - k + 1.0, k + 1.0)"
        " - special.betaln(a, b)",
        mean="n * a / (a + b)",
        var="n * (a / (a + b)) * (b / (a + b)) * (a + b + n) / (a + b + 1.0)",
    ),
}
