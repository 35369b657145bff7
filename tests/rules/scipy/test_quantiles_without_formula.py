"""Quantiles that SciPy finds by iterations: those of implicit functions, and distributions of several."""

import numpy as np
import pytest

stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")

import tapeless as tl  # noqa: E402
from tapeless.testing import check_grads, check_replay  # noqa: E402

q = np.array([0.15, 0.6])


def quantiles(q, a, b, m, s):
    narrow = stats.truncnorm.ppf(q, a, b, m, s) + stats.truncnorm(a, b).isf(q)
    return narrow * stats.skewnorm.ppf(q, a, m, s) + stats.skewnorm.isf(q, b)


def of_one_end(q, a):
    above = stats.truncnorm.ppf(q, a, np.inf) + stats.truncnorm.isf(q, -np.inf, a)
    return above + stats.truncnorm.var(a, np.inf) * stats.truncnorm.mean(-np.inf, a)


def on_a_circle(q, m, s):
    each = stats.vonmises.ppf(q, 1.3, m, s) * stats.vonmises.isf(q, 0.4, m)
    return each + stats.vonmises.mean(0.3, m)


def moments(a, b, m, s):
    spread = stats.truncnorm.std(a, b, m, s) + stats.truncnorm.median(a, b, m, s)
    return spread * stats.truncnorm.entropy(a, b, m, s) + stats.geom.entropy(0.2 * s)


@pytest.mark.parametrize(
    "f, args",
    [
        (quantiles, (q, -0.7, 1.1, 0.2, 1.3)),
        (of_one_end, (q, 0.4)),
        (on_a_circle, (q, 0.2, 1.3)),
        (moments, (-0.7, 1.1, 0.2, 1.3)),
    ],
)
def test_both_modes_to_second_order(f, args):
    check_grads(f, *args, order=2, rtol=1e-5)
    check_replay(lambda *args: np.sum(f(*args)), *args)


def test_quantiles_far_out():
    """In the upper tail nothing cancels, as the other end is turned around."""
    slope = tl.grad(lambda a: stats.truncnorm.isf(0.3, a, np.inf))(20.0)
    h = 1e-4
    near = [stats.truncnorm.isf(0.3, 20.0 + e, np.inf) for e in (h, -h)]
    assert np.isclose(slope, (near[0] - near[1]) / (2.0 * h), rtol=1e-5)


def of_several(x, m, root, alpha):
    cov = root @ root.T + np.eye(2)
    student = stats.multivariate_t(m, cov, alpha[0] + 2.0)
    shares = stats.dirichlet(alpha)
    matrices = stats.wishart(alpha[1] + 3.0, cov)
    counts = stats.multinomial(4, shares.mean())
    density = student.logpdf(x) * student.pdf(x) + shares.logpdf(np.array([0.2, 0.3, 0.5]))
    spread = np.sum(shares.var() * alpha) + shares.entropy() + shares.pdf([0.3, 0.3, 0.4])
    drawn = matrices.logpdf(cov + 0.1) + matrices.pdf(cov) + np.sum(matrices.mean() * root)
    inverse = stats.invwishart(alpha[1] + 3.0, cov)
    drawn = drawn + inverse.logpdf(cov + 0.2) * inverse.pdf(cov)
    return density + spread + drawn + counts.logpmf([1, 2, 1]) * counts.pmf([2, 1, 1])


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_distributions_of_several_with_their_parameters(mode):
    args = (
        np.array([0.3, -0.2]), np.array([0.1, 0.2]), np.array([[1.0, 0.3], [-0.4, 0.8]]),
        np.array([1.5, 2.0, 0.7]),
    )  # fmt: skip
    assert np.isclose(tl.value_and_grad(of_several)(*args)[0], of_several(*args))
    check_grads(of_several, *args, order=2, rtol=1e-5, modes=(mode,))


@pytest.mark.parametrize(
    "f, reason",
    [
        (lambda x: stats.poisson.entropy(x), "sum over all counts"),
        (lambda x: stats.binom(5, x).entropy(), "sum over all counts"),
        (lambda x: stats.skewnorm.entropy(x), "numerical integral"),
        (lambda x: stats.vonmises.std(x), "numerical integral"),
        (lambda x: stats.cauchy.mean(x), "no moments"),
        (lambda x: stats.vonmises.ppf(0.3, x), "no formula in its concentration"),
    ],
)
def test_what_has_no_formula_is_refused_by_name(f, reason):
    with pytest.raises(tl.NoGradientError, match=reason):
        tl.grad(f)(0.7)
