"""The distributions that are written out: their values are SciPy's, and so are their slopes."""

import numpy as np
import pytest

stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")

import tapeless as tl  # noqa: E402
from tapeless.errors import NoGradientError  # noqa: E402
from tapeless.rules import declare  # noqa: E402
from tapeless.rules.scipy.stats.formulas import CONTINUOUS as NAMED  # noqa: E402
from tapeless.rules.scipy.stats.formulas import DISCRETE  # noqa: E402
from tapeless.rules.scipy.stats.more_formulas import MORE  # noqa: E402
from tapeless.source.loader import load  # noqa: E402
from tapeless.testing import check_grads  # noqa: E402

declare.find_rule(stats.norm.logpdf)
CONTINUOUS = {name: known for name, known in (NAMED | MORE).items() if hasattr(stats, name)}

SHAPES = {
    "t": (4.5,), "chi2": (3.5,), "gamma": (2.5,), "beta": (2.5, 1.5), "lognorm": (0.7,),
    "weibull_min": (1.7,), "pareto": (2.3,), "invgamma": (3.2,), "truncnorm": (-0.8, 1.6),
    "skewnorm": (1.4,), "vonmises": (1.3,), "genextreme": (0.3,), "poisson": (2.6,),
    "bernoulli": (0.3,), "binom": (6, 0.4), "nbinom": (3.5, 0.6), "geom": (0.35,), "betabinom": (6, 1.4, 2.2),
    "erlang": (2,), "chi": (3.5,), "nakagami": (1.6,), "loggamma": (1.7,), "gennorm": (1.4,), "f": (3.5, 5.5),
    "betaprime": (2.5, 3.5), "invgauss": (1.3,), "exponnorm": (0.8,), "rice": (0.9,), "lomax": (2.3,),
    "genpareto": (0.3,), "fisk": (2.4,), "burr": (2.1, 1.4), "burr12": (2.1, 1.4), "gompertz": (0.8,),
    "weibull_max": (1.7,), "genlogistic": (1.4,), "johnsonsu": (0.3, 1.4), "johnsonsb": (0.3, 1.4),
    "powerlaw": (1.6,), "triang": (0.4,), "truncexpon": (4.5,), "loguniform": (0.1, 4.2),
}  # fmt: skip
# where the derivative in a shape is known for the density alone
NOT_IN_SHAPES = {
    "t", "chi2", "gamma", "beta", "invgamma", "vonmises", "erlang", "chi", "nakagami", "loggamma", "gennorm",
    "f", "betaprime",
}  # fmt: skip
POINTS = np.array([-3.0, -0.2, 0.3, 0.45, 0.9, 1.35, 2.0, 4.0])
COUNTS = np.array([-1.0, 0.0, 1.0, 2.0, 2.5, 6.0, 9.0])


def written_for(name, methods):
    distribution = getattr(stats, name)
    bound = {
        m: declare.find_written(getattr(distribution, m))
        for m in methods
        if hasattr(distribution, m)
    }
    return {method: function for method, function in bound.items() if function is not None}


CONTINUOUS_METHODS = ["pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf"]
DISCRETE_METHODS = ["pmf", "logpmf", "cdf", "sf", "logcdf", "logsf"]
MOMENTS = ["mean", "var", "std", "median", "entropy", "interval"]


def check_moments(name, *parameters):
    """Compare the methods that are given parameters alone with SciPy's."""
    for method, function in written_for(name, MOMENTS).items():
        args = (0.8, *parameters) if method == "interval" else parameters
        wanted = getattr(getattr(stats, name), method)(*args)
        assert np.allclose(function(*args), wanted, rtol=1e-8, equal_nan=True), method


@pytest.mark.parametrize("name", CONTINUOUS)
def test_values(name):
    for method, function in written_for(name, CONTINUOUS_METHODS).items():
        x = np.array([0.05, 0.4, 0.5, 0.9]) if method in ("ppf", "isf") else POINTS
        for scale in (1.3, -1.0):
            args = (x, *SHAPES.get(name, ()), 0.1, scale)
            with np.errstate(all="ignore"):
                found, wanted = function(*args), getattr(getattr(stats, name), method)(*args)
            assert np.allclose(found, wanted, rtol=1e-8, equal_nan=True), method
    check_moments(name, *SHAPES.get(name, ()), 0.1, 1.3)


@pytest.mark.parametrize("name", DISCRETE)
def test_values_of_counts(name):
    for method, function in written_for(name, DISCRETE_METHODS).items():
        invalid = (*SHAPES[name][:-1], -0.5)
        for shapes in (SHAPES[name],) if "log" in method else (SHAPES[name], invalid):
            with np.errstate(all="ignore"):
                found = function(COUNTS, *shapes, 1)
                wanted = getattr(getattr(stats, name), method)(COUNTS, *shapes, 1)
            assert np.allclose(found, wanted, equal_nan=True), method
    check_moments(name, *SHAPES[name], 1)


def sum_of_methods(name, methods, passed, varying=()):
    """Write a function of the place, shapes, location and scale that adds up methods."""
    terms = [
        f"np.sum(stats.{name}.{m}({'q' if m in ('ppf', 'isf') else 'x'}, {passed}loc, scale))"
        for m in methods
    ]
    text = f"def f(x, q, {''.join(f'{key}, ' for key in varying)}loc, scale):\n    return "
    return load(text + " + ".join(terms), "f", {"stats": stats, "np": np})["f"]


INSIDE, Q = np.array([0.35, 0.8]), np.array([0.2, 0.7])


@pytest.mark.parametrize("name", CONTINUOUS)
def test_slopes(name):
    methods = list(written_for(name, CONTINUOUS_METHODS))
    known, values = CONTINUOUS[name], SHAPES.get(name, ())
    x = INSIDE + {"pareto": 1.5, "weibull_max": -1.5}.get(name, 0.0)
    constant = "".join(f"{value}, " for value in values)
    varying = "".join(f"{key}, " for key in known.shapes)
    if name != "norm":  # of the others those follow from these
        methods = [m for m in methods if m in ("logpdf", "cdf", "sf", "ppf", "isf")]
    modes = ("reverse", "forward") if name == "weibull_min" else ("reverse",)
    if name in NOT_IN_SHAPES:
        check_grads(
            sum_of_methods(name, methods[1:], constant), x, Q, 0.1, 1.3, order=1, modes=modes
        )
        methods = ["logpdf"]
    f = sum_of_methods(name, methods, varying, known.shapes)
    check_grads(f, x, Q, *values, 0.1, 1.3, order=1, modes=modes)


def counts(k, mu, p, r):
    poisson = stats.poisson.logpmf(k, mu) + stats.poisson.pmf(k, mu) + stats.poisson.cdf(k, mu)
    binom = stats.binom.logpmf(k, 7, p) + stats.binom.cdf(k, 7, p) + stats.binom.sf(k, 7, p)
    others = stats.geom.logpmf(k, p) + stats.nbinom.logpmf(k, r, p)
    return np.sum(poisson + binom + others) + stats.bernoulli.logpmf(1, p)


def several(x, mean, root, alpha):
    cov = root @ root.T + np.eye(2)
    normal = stats.multivariate_normal(mean, cov)
    density = np.sum(normal.logpdf(x) + stats.multivariate_normal.pdf(x, mean, cov))
    density = density + np.sum(stats.multivariate_t.logpdf(x, mean, cov, alpha[0] + 2.0))
    matrices = stats.wishart.logpdf(x.T @ x + cov, 4.5, cov)
    matrices = matrices + stats.invwishart.logpdf(x.T @ x + cov, alpha[1] + 2.0, cov)
    counts = stats.multinomial.logpmf([1, 2, 1], 4, alpha / np.sum(alpha)) + normal.entropy()
    return density + matrices + counts + stats.dirichlet.logpdf(np.array([0.2, 0.3, 0.5]), alpha)


def test_counts_and_several_variables():
    f = lambda mu, p, r: counts(np.array([1, 3]), mu, p, r)
    check_grads(f, 2.5, 0.4, 3.5, order=1, modes=("reverse",))
    x, root = np.array([[0.3, -0.2], [1.0, 0.4]]), np.array([[1.0, 0.3], [-0.4, 0.8]])
    alpha = np.array([1.5, 2.0, 0.7])
    check_grads(several, x, np.array([0.1, 0.2]), root, alpha, order=1, modes=("reverse",))
    args = (x, np.array([0.1, 0.2]), root, alpha)
    assert np.allclose(tl.value_and_grad(several)(*args)[0], several(*args))


def likelihood(theta, x):
    return -np.sum(stats.norm.logpdf(x, theta[0], np.exp(theta[1])))


def test_second_order_and_what_lies_outside():
    x = np.array([0.2, -1.0, 0.7])
    check_grads(lambda theta: likelihood(theta, x), np.array([0.3, 0.1]), order=2)
    slope = tl.grad(lambda x: np.sum(stats.expon.pdf(x)))
    assert np.allclose(slope(np.array([-1.0, 1.0])), [0.0, -np.exp(-1.0)])
    by_name = tl.grad(lambda s: stats.gamma.logpdf(1.2, a=2.0, scale=s))
    assert np.allclose(by_name(2.0), -2.0 / 2.0 + 1.2 / 4.0)


def with_a_constant(x):
    return stats.norm.ppf(0.975) * x + stats.gamma.cdf(1.0, 2.0) * x**2


def test_calls_of_constants():
    check_grads(with_a_constant, 2.0, order=1)


def of_shapes(a, b):
    tails = stats.gamma.cdf(1.2, a) * stats.chi2.sf(3.0, b) + stats.t.cdf(0.7, a) * stats.t.ppf(
        0.2, b
    )
    quantiles = stats.gamma.ppf(0.4, a) + stats.beta.ppf(0.4, a, b) + stats.invgamma.isf(0.3, b)
    return tails + quantiles + stats.beta.logcdf(0.3, a, b) + stats.chi2.ppf(0.6, a)


def test_probabilities_in_their_shapes():
    check_grads(of_shapes, 2.1, 3.3, order=2, modes=("forward",), rtol=1e-5)
    check_grads(of_shapes, 2.1, 3.3, order=1, modes=("reverse",))


def test_refusals():
    with pytest.raises(tl.TapelessError):
        tl.grad(lambda a: stats.crystalball.logpdf(1.2, a, 3.0))(2.0)
    with pytest.raises(NoGradientError, match="in `a`: a shape parameter changes the draws"):
        tl.grad(lambda a: stats.gamma(a).rvs(random_state=0))(2.0)
    with pytest.raises(NoGradientError, match="no formula in its concentration"):
        tl.grad(lambda m: stats.vonmises(m, 0.3).cdf(1.2))(2.0)
    with pytest.raises(NoGradientError, match="random points"):
        tl.grad(lambda m: stats.multivariate_normal.cdf(np.zeros(2), m))(np.ones(2))


def frozen(x, m, s, a):
    d = stats.norm(m, scale=s)
    e = stats.gamma(a, loc=m) if a > 1.0 else stats.gamma(2.0)
    prior = d.logpdf(x) + d.cdf(x) * d.pdf(x) + d.logsf(0.2)
    shape = d.mean() * d.std() + d.entropy() + d.interval(0.9)[1] + d.median() + e.var()
    return np.sum(prior) + shape + e.logpdf(4.0) + stats.poisson(a).logpmf(2)


PRIOR = stats.norm(0.3, scale=1.2)


class Model:
    def __init__(self):
        self.prior = stats.gamma(2.0, scale=1.5)


def with_given(x, d, model):
    return np.sum(PRIOR.logpdf(x) * d.cdf(x) + model.prior.logpdf(x))


def test_frozen_distributions():
    x = np.array([0.3, 1.1])
    check_grads(frozen, x, 0.2, 1.4, 2.5, order=1, modes=("reverse",))
    by_x = lambda x: with_given(x, stats.t(4.0, 0.1), Model())
    given = (x, stats.t(4.0, 0.1), Model())
    slope = tl.grad(with_given)(*given)
    step = np.array([1e-6, 0.0])
    assert np.allclose((by_x(x + step) - by_x(x - step)) / 2e-6, slope[0])
    text = tl.source(with_given, like=given)
    assert "logpdf" not in text and "cdf" not in text  # the formulas stand there


def by_variables(x, m, s):
    v, u = stats.Normal(mu=m, sigma=s), stats.Uniform(a=m, b=m + s)
    tails = v.logcdf(x) * v.ccdf(x) + v.icdf(0.3) + v.entropy() + u.cdf(x)
    return tails + v.logpdf(x) + v.standard_deviation() * v.mean() + u.logpdf(x) + u.variance()


@pytest.mark.skipif(not hasattr(stats, "Normal"), reason="this SciPy has no stats.Normal")
def test_random_variables():
    assert np.isclose(
        tl.value_and_grad(by_variables)(0.7, 0.2, 1.4)[0], by_variables(0.7, 0.2, 1.4)
    )
    check_grads(by_variables, 0.7, 0.2, 1.4, order=1, modes=("reverse",))


def drawn(m, s):
    y = stats.norm.rvs(m, s, size=3, random_state=0)
    z = stats.gamma(2.5, loc=m, scale=s).rvs(size=(2, 3), random_state=np.random.default_rng(1))
    return np.sum(y**2 * z) + stats.expon.rvs(scale=s, random_state=2) ** 2


def test_draws():
    value, slopes = tl.value_and_grad(drawn, (0, 1))(0.4, 1.3)
    assert value == drawn(0.4, 1.3)
    check_grads(drawn, 0.4, 1.3, order=1)


@pytest.mark.parametrize("method", ["pdf", "cdf", "sf"])
def test_lognormal_shapes_below_the_support(method):
    """The logarithm of 0 times a density of 0 is no slope."""
    fn = getattr(stats.lognorm, method)
    x = np.array([-1.0, -0.01, 0.0, 0.8])
    f = lambda s: np.sum(np.sin(fn(x, s, scale=1.2)))
    check_grads(f, np.array(0.7), order=2, replay=True, rtol=1e-5)


@pytest.mark.parametrize(
    "distribution, shapes",
    [
        (stats.fisk, (2.4,)),
        (stats.invgauss, (1.3,)),
        (stats.burr, (2.1, 1.4)),
        (stats.johnsonsb, (0.3, 1.4)),
        (stats.truncnorm, (-0.8, 1.6)),
        (stats.invgamma, (3.2,)),
    ],
)
@pytest.mark.parametrize("method", ["cdf", "sf", "logcdf", "logsf"])
def test_probabilities_outside_of_the_support(distribution, shapes, method):
    """They are 0 or 1 there, whatever the shapes; a method may be called by a name of its own."""
    probability = getattr(distribution, method)
    x = np.array([-3.0, 0.4, 0.9, 7.0])
    assert np.allclose(
        tl.value_and_grad(lambda shape: np.exp(probability(-3.0, shape, *shapes[1:])))(shapes[0]),
        (np.exp(probability(-3.0, *shapes)), 0.0),
    )
    check_grads(
        lambda *shapes: np.sum(np.exp(probability(x, *shapes))),
        *map(np.array, shapes),
        order=1,
        rtol=1e-5,
    )
