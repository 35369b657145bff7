"""Lists and tuples of numbers that SciPy's functions are given beside what varies count as arrays."""

import numpy as np
import pytest

pytest.importorskip("scipy", reason="SciPy is not installed")

from scipy import interpolate, linalg, special, stats  # noqa: E402

import tapeless as tl  # noqa: E402
from tapeless.testing import check_grads  # noqa: E402


def counted(m):
    p = m / (1.0 + m)
    of_several = stats.binom.logpmf([1, 2], [3, 4], p) + stats.nbinom.logpmf([1, 2], 3, p)
    return np.sum(stats.poisson.logpmf([1, 2], m)) + np.sum(of_several + stats.geom.pmf((1, 2), p))


def measured(m):
    inside = stats.truncnorm.logpdf([0.1, 0.2], -3, [1, 2], 0.1 * m)
    return np.sum(inside) + np.sum(stats.norm.logpdf([m, 1.0], [m, 2.0], m))


def frozen(m):
    several = stats.norm([0.0, m], [m, 2.0]).logpdf([0.3, 0.7])
    return np.sum(several) + stats.dirichlet.logpdf([0.3, 0.7], [m, 1.0])


def of_several_variables(m):
    cov = [[1.0 + m, 0.1], [0.1, 2.0]]
    both = stats.multivariate_normal([m, 1.0], cov).pdf([[0.1, 0.2], [0.3, 0.4]])
    return np.sum(both) + stats.multivariate_normal.logpdf([0.1, 0.2], [m, 1.0], cov)


def solved(m):
    x = linalg.solve([[m, 1.0], [0.0, 2.0]], [1.0, m])
    return np.sum(x) * special.logsumexp([m, 1.0, 2.0], b=[1, 2, 3])


def between(m):
    places, values = [0.0, 1.0, 2.0, 3.0, 4.0], [m, 1.0, 2.0, m, 0.3]
    curve = interpolate.Akima1DInterpolator(places, values)(m / 2)
    line = interpolate.interp1d(places, values)(m / 2)
    return curve * interpolate.PchipInterpolator(places, values)(m / 2) + line


@pytest.mark.parametrize(
    "f",
    [counted, measured, frozen, of_several_variables, solved, between],
    ids=lambda f: f.__name__,
)
def test_lists_beside_what_varies(f):
    check_grads(f, 1.37, order=1)


def test_a_pair_of_arrays_stays_a_pair():
    column, row, b = np.array([4.0, 1.0, 0.5]), np.array([4.0, 0.3, 0.2]), np.array([1.0, 2.0, 3.0])
    check_grads(lambda c, r, b: linalg.solve_toeplitz((c, r), b), column, row, b, order=1)


def solved_with_a_list_of_factors(a, b):
    factors, total = list(linalg.lu_factor(a)), 0.0
    for transposed in (0, 1):
        if total < 10.0:
            b = linalg.lu_solve(factors, b, trans=transposed)
        total = total + np.sum(b**2)
    return total + np.sum(linalg.cho_solve(list(linalg.cho_factor(a @ a.T)), b) ** 2)


def test_a_list_of_factors_and_pivots_stays_a_list():
    """The integers of the pivots have no adjoint, beside a matrix that has one."""
    a, b = np.array([[3.0, 0.4, 0.1], [0.2, 2.0, -0.3], [0.5, 0.6, 4.0]]), np.array([1.0, 2.0, 3.0])
    check_grads(solved_with_a_list_of_factors, a, b, order=2)


def test_a_list_of_counts_is_an_array_in_the_text():
    text = tl.source(lambda m: np.sum(stats.poisson.logpmf([1, 2], m)), like=(1.0,))
    assert "np.array([1, 2])" in text
    assert "np_where" not in text
