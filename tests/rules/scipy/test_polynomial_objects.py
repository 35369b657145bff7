"""Orthogonal and piecewise polynomials as objects, and polynomials that functions of NumPy are given."""

import numpy as np
import pytest

pytest.importorskip("scipy", reason="SciPy is not installed")

from scipy import interpolate, special  # noqa: E402

import tapeless as tl  # noqa: E402
from tapeless.errors import GradientError, NoGradientError  # noqa: E402
from tapeless.rules.declare import find_written  # noqa: E402
from tapeless.testing import check_grads  # noqa: E402

x = np.array([0.3, -0.5, 0.7, 0.1])
places, ends = np.array([0.15, 0.65, 1.2, 1.7]), np.array([0.0, 0.5, 1.0, 2.0])
FAMILIES = [
    (special.legendre, ()), (special.chebyt, ()), (special.chebyu, ()), (special.chebyc, ()),
    (special.chebys, ()), (special.sh_legendre, ()), (special.sh_chebyt, ()),
    (special.sh_chebyu, ()), (special.laguerre, ()), (special.hermite, ()),
    (special.hermitenorm, ()), (special.genlaguerre, (0.5,)), (special.gegenbauer, (0.4,)),
    (special.jacobi, (0.5, 1.0)), (special.sh_jacobi, (2.0, 1.2)),
]  # fmt: skip
outside = special.legendre(3)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("maker", [pair[0] for pair in FAMILIES], ids=lambda f: f.__name__)
def test_values_are_those_of_scipy(maker):
    given = dict(FAMILIES)[maker]
    for n in (0, 1, 5):
        for monic in (False, True):
            expected, found = maker(n, *given, monic), find_written(maker)(n, *given, monic)
            np.testing.assert_allclose(found(x), expected(x), atol=1e-12)
            np.testing.assert_allclose(found.coeffs, expected.coeffs, atol=1e-12)
            np.testing.assert_allclose(found.weights, expected.weights)


def expansion(x):
    total = 0.0
    for n in range(4):
        total = total + np.sum(special.hermite(n)(x) * np.exp(-0.5 * x**2))
    weighed = special.genlaguerre(4, 0.5)(x) * special.jacobi(3, alpha=0.5, beta=1.0, monic=True)(x)
    return total + np.sum(weighed + special.sh_jacobi(3, 2.0, 1.2)(x) * special.chebys(3)(x))


def as_polynomials(x):
    p = special.legendre(4)
    q = p.deriv()
    rule = np.sum(
        special.legendre(6).weights[:, 1] * np.sin(x[0] * special.legendre(6).weights[:, 0])
    )
    sums = np.sum((p * 2.0 + q)(x)) + p[2] * x[0] + np.sum(p.c) * x[1]
    return np.sum(q(x) * special.chebyc(4)(x)) * p.order + sums + rule


def given_to_numpy(x):
    by_value = np.sum(np.polyval(special.legendre(3), x)) + np.sum(outside(x) ** 2)
    p = np.poly1d([1.0, x[0], -3.0])
    return by_value + np.sum(np.polyval(p, x)) + np.sum(np.abs(np.roots(p))) + np.sum(np.array(p))


def test_values_of_a_degree():
    def f(x):
        scaled = special.eval_chebyc(4, x) * special.eval_chebys(3, x)
        return np.sum(scaled + special.eval_sh_jacobi(3, 2.0, 1.2, x) * special.eval_chebyc(0, x))

    check_grads(f, x, order=2, modes=("reverse",))


@pytest.mark.parametrize("f", [expansion, as_polynomials, given_to_numpy])
def test_orthogonal(f):
    assert np.isclose(tl.value_and_grad(f)(x)[0], f(x), rtol=1e-12)
    check_grads(f, x, order=1, rtol=1e-5)


def test_second_order():
    check_grads(given_to_numpy, x, order=2, modes=("reverse",), rtol=1e-5)


def test_a_high_degree_keeps_its_digits():
    n, slope = 40, tl.grad(lambda z: special.legendre(40)(z))(0.3)
    by_formula = (
        n * (special.eval_legendre(n - 1, 0.3) - 0.3 * special.eval_legendre(n, 0.3)) / 0.91
    )
    assert np.isclose(slope, by_formula, rtol=1e-10)


def test_weights_that_vary_are_refused():
    with pytest.raises(NoGradientError, match="not in its degree or weight"):
        tl.grad(lambda a: np.sum(special.genlaguerre(4, a).coeffs))(0.5)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.polyder(np.poly1d([1.0, x[0], 2.0]))(x[1]),
        lambda x: np.polyval([1.0, x[0]], np.poly1d([1.0, x[1]]))(2.0),
    ],
)
def test_functions_that_give_polynomials_are_refused(f):
    with pytest.raises(GradientError, match="objects of class Poly1d"):
        tl.grad(f)(x)


# Piecewise polynomials


def by_powers(c, z):
    p = interpolate.PPoly(c, ends)
    slopes = np.sum(p(z, 1)) + np.sum(p.derivative()(z) ** 2) + p.integrate(0.2, z[3])
    return np.sum(p(z) ** 2) + slopes + np.sum(p.antiderivative()(z)) + p(z[0])


def by_bernstein(c, z):
    p = interpolate.BPoly(c, ends, extrapolate=False)
    slopes = np.sum(p(z, nu=1)) + np.sum(p.derivative()(z) ** 2) + p.integrate(0.2, z[3])
    return np.sum(p(z) ** 2) + slopes + np.sum(p.antiderivative()(z)) + p(z[0])


c = np.random.default_rng(0).normal(size=(3, 3))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("f", [by_powers, by_bernstein])
def test_piecewise(f):
    assert np.isclose(tl.value_and_grad(f)(c, places)[0], f(c, places), rtol=1e-12)
    check_grads(f, c, places, order=1, rtol=1e-5)


@pytest.mark.parametrize("cls", [interpolate.PPoly, interpolate.BPoly])
@pytest.mark.parametrize("extrapolate", [None, False])
def test_piecewise_values_are_those_of_scipy(cls, extrapolate):
    z = np.array([[-0.2, 0.1, 0.5], [1.7, 2.0, 2.3]])
    for given in (c, np.stack([c, c**2], axis=-1)):
        expected = cls(given, ends, extrapolate, axis=0)
        found = find_written(cls)(given, ends, extrapolate, axis=0)
        for nu in (0, 1):
            np.testing.assert_allclose(found(z, nu), expected(z, nu), atol=1e-12)
        np.testing.assert_allclose(
            found.antiderivative(2)(z), expected.antiderivative(2)(z), atol=1e-12
        )


def test_modified_akima():
    def f(y, z):
        curve = interpolate.Akima1DInterpolator(np.arange(6.0), y, method="makima")
        return np.sum(curve(z) ** 2)

    y = np.array([0.3, 1.2, 0.7, 0.9, 2.1, 1.4])
    assert np.isclose(tl.value_and_grad(f)(y, places)[0], f(y, places), rtol=1e-12)
    check_grads(f, y, places, order=1, rtol=1e-5)
