"""A formula that holds at one value alone has not the slope of the function there.

Powers at exponents such as 2, distributions at shapes such as 0, quotients of what vanishes together.
"""

import math

import numpy as np
import pytest
from scipy import special, stats

import tapeless as tl
import tapeless.testing

X = np.array([0.4, 1.3, 2.2])
FROM_0 = np.array([0.0, 0.5, 2.0])


def power(x, n):
    return x**n


def power_of_entries(x, n):
    total = 0.0
    for entry in x:
        if entry > 1.0:
            total += entry**n
        else:
            total += pow(entry, n) * n
    return total


class Growth:
    def __init__(self, exponent):
        self.exponent = exponent

    def __call__(self, size):
        return np.sin(np.power(size, self.exponent))


def growth(size, exponent):
    return np.sum(Growth(exponent)(size))


@pytest.mark.parametrize("n", [-1.0, 0.0, 0.5, 1.0, 2.0, 3.0])
def test_powers_whose_exponent_varies(n):
    tapeless.testing.check_grads(power, 0.4, n, order=3, replay=True)
    tapeless.testing.check_grads(math.pow, 0.4, n)
    tapeless.testing.check_grads(power_of_entries, X, n, replay=True)
    tapeless.testing.check_grads(growth, X, n, replay=True)


def test_powers_with_an_exponent_for_each_entry():
    def total(x, n):
        return np.sum(x**n)

    n = np.array([0.0, 1.0, 2.0])
    tapeless.testing.check_grads(total, X, n, order=3, replay=True)
    tapeless.testing.check_grads(total, X[:, None], n, replay=True)
    tapeless.testing.check_grads(total, X.astype(np.float32), n.astype(np.float32), order=1)
    tapeless.testing.check_grads(lambda x: total(x, n), np.array([0.0, -1.3, 2.2]))


def test_powers_at_a_base_of_zero():
    hessian = tl.hessian(power, wrt=(0, 1))
    assert hessian(0.0, 2.0) == ((2.0, 0.0), (0.0, 0.0))
    assert hessian(0.0, 0.0) == ((0.0, 0.0), (0.0, 0.0))


def test_a_norm_of_any_order():
    def norm(x, p):
        return np.sum(np.abs(x) ** p) ** (1.0 / p)

    for p in (1.0, 2.0, 3.5):
        tapeless.testing.check_grads(norm, np.array([0.4, -1.3, 2.2]), p, replay=True)


@pytest.mark.parametrize("c", [0.0, -0.2])
@pytest.mark.parametrize("name", ["genextreme", "genpareto"])
def test_distributions_whose_shape_may_be_zero(name, c):
    distribution = getattr(stats, name)

    def likelihood(x, c, scale):
        return np.sum(distribution.logpdf(x, c, 0.1, scale))

    tapeless.testing.check_grads(likelihood, X, c, 1.3)


def test_probabilities_where_the_shape_is_zero():
    def total(x, c):
        return np.sum(stats.genpareto.logsf(x, c) ** 2)

    tapeless.testing.check_grads(total, X, np.array([1e-9, 0.0, 0.2]), replay=True)
    assert tl.vjp(lambda x: stats.genpareto.logsf(x, 0.0), np.inf)[0] == -np.inf


@pytest.mark.parametrize("name", ["gamma", "weibull_min", "gennorm"])
def test_distributions_at_a_shape_of_one(name):
    distribution = getattr(stats, name)

    def likelihood(x, a):
        return np.sum(distribution.logpdf(x, a))

    tapeless.testing.check_grads(likelihood, X, 1.0, replay=True)


def test_a_beta_distribution_that_is_uniform():
    def likelihood(x, a, b):
        return np.sum(stats.beta.logpdf(x, a, b))

    tapeless.testing.check_grads(likelihood, X / 3.0, 1.0, 1.0, replay=True)


def test_products_with_logarithms_where_the_factor_is_zero():
    def total(x, y):
        return np.sum(special.xlogy(x, y) * special.xlog1py(x, y) + special.xlogy(x, y))

    tapeless.testing.check_grads(total, np.array([0.0, 1.0, 2.0]), X, replay=True)
    assert special.xlogy(0.0, 0.0) == tl.vjp(special.xlogy, 0.0, 0.0)[0] == 0.0


@pytest.mark.parametrize("m", [0.0, 0.0999, 0.1001])
def test_incomplete_elliptic_integrals(m):
    def both(phi, m):
        return np.sum(special.ellipkinc(phi, m) * special.ellipeinc(phi, m))

    tapeless.testing.check_grads(both, X / 2.0, m, replay=True)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: special.spherical_jn(np.array([0, 1, 3])[:, None], x),
        lambda x: special.spherical_in(np.array([0, 1, 3])[:, None], x),
        lambda x: special.diric(math.pi * x, 4) + special.diric(x, 3),
        lambda x: special.rgamma(-x) + special.rgamma(1.0 - 2.0 * x),
        lambda x: special.sici(x)[0] * special.shichi(x)[0],
    ],
)
def test_quotients_where_both_vanish(function):
    tapeless.testing.check_grads(lambda x: np.sum(function(x)), FROM_0, replay=True)
