"""The classes of `numpy.polynomial`, and `np.poly1d`, through the whole tool."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.errors import GradientError, TapelessError
from tapeless.rules.polynomial_classes import CLASSES
from tapeless.testing import check_grads

rng = np.random.default_rng(0)
c, d, w = rng.normal(size=4), rng.normal(size=3), rng.normal(size=5)
x, y = rng.uniform(0.1, 1.0, size=5), rng.normal(size=5)
PLACES = np.array([0.1, 0.3])
given_poly1d = np.poly1d([1.0, 2.0, -1.0])


def programs(cls):
    outside = cls([1.0, 2.0, 0.5], domain=[0, 2])

    def arithmetic(c, d, x):
        p, q = cls(c), cls(d)
        r = 2.0 * p - q * p + (1.0 - q) / 3.0 + p**2 - [1.0, 2.0]
        return w @ (r + -q)(x)

    def calculus(c, x):
        p, q = cls(c), cls(c, domain=[0.0, 2.0])
        by_value = w @ p.integ(2, [1.0], 0.2)(x) * p.deriv(2)(0.3)
        return by_value + w @ q.deriv()(x) + w @ q.integ(lbnd=x[0])(x)

    def fit(x, y):
        p = cls.fit(x, y, 2)
        return w @ np.sin(p(x * x)) + p.deriv()(0.5)

    def roots(d):
        made = cls.fromroots(d)(PLACES) + cls.fromroots(d, [0.0, 2.0])(PLACES)
        return np.sum(made) + np.sum(np.abs(cls(d, domain=[0.0, 3.0]).roots()) ** 2)

    def constants(x):
        inside = cls([1.0, 2.0, 3.0]) * cls.basis(2) + cls.identity()
        return w @ inside(x) + w @ outside(x)

    def parts(c, x):
        p = cls(c)
        ends, values = p.linspace(4)
        sizes = p.degree() + len(p) + np.sum(p.domain) + np.sum(p.window)
        return sizes * np.sum(p.coef**2) + ends @ values + p.cutdeg(2)(x[0]) * p.truncate(2)(x[1])

    def division(c, d, x):
        p, q = cls(c), cls(d)
        quotient, rest = divmod(p, q)
        return w @ (quotient * quotient + rest)(x) + (p // q)(0.2) * (p % q)(0.7) + (q // 2.0)(0.3)

    def conversions(c, x):
        p = cls(c, domain=[0.0, 2.0])
        powers = p.convert(kind=np.polynomial.Polynomial)
        back = cls.cast(powers).convert([0.0, 3.0])
        return np.sum(powers.coef**3) + w @ p(0.5 * back)(x) + p(cls([0.5]))(0.1)

    return (
        (arithmetic, (c, d, x)), (calculus, (c, x)), (fit, (x, y)), (roots, (d,)),
        (constants, (x,)), (parts, (c, x)), (division, (c, d, x)), (conversions, (c, x)),
    )  # fmt: skip


NAMES = (
    "arithmetic", "calculus", "fit", "roots", "constants", "parts", "division", "conversions",
)  # fmt: skip


@pytest.mark.sampled(10)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("prefix", CLASSES)
def test_series(prefix, name):
    f, args = next(pair for pair in programs(CLASSES[prefix]) if pair[0].__name__ == name)
    value, gradients = tl.value_and_grad(f, wrt=tuple(range(len(args))))(*args)
    np.testing.assert_allclose(value, f(*args), rtol=1e-12)
    directions = tuple(rng.normal(size=a.shape) for a in args)
    moved = tl.jvp(f, args, directions)[1]
    expected = [
        f(*(a + s * v for a, v in zip(args, directions, strict=True))) for s in (1e-6, -1e-6)
    ]
    np.testing.assert_allclose(moved, (expected[0] - expected[1]) / 2e-6, rtol=1e-5, atol=1e-6)
    pairs = zip(gradients, directions, strict=True)
    np.testing.assert_allclose(sum(np.sum(g * v) for g, v in pairs), moved, rtol=1e-8)


def slope_of_products(c, x):
    p = np.polynomial.Legendre(c, domain=[0.0, 2.0])
    return (2.0 * p * p.deriv() - p)(x)


def slope_of_poly1d(c, x):
    p = np.poly1d(c)
    return (2.0 * p * p.deriv() - p)(x)


@pytest.mark.parametrize("f", [slope_of_products, slope_of_poly1d])
def test_second_order(f):
    check_grads(f, d, 0.3, rtol=1e-5)


def arithmetic_of_poly1d(c, d, x):
    p, q = np.poly1d(c), np.poly1d(d)
    r = 2.0 * p - q * p + (1.0 - q) / 3.0 + p**2 - [1.0, 2.0] + given_poly1d
    return w @ (r + -q)(x)


def calculus_of_poly1d(c, x):
    p = np.poly1d(c)
    return w @ p.deriv()(x) + w @ p.integ(1, 0.5)(x) * p.deriv(2)(0.3)


def parts_of_poly1d(c, d):
    p, q = np.poly1d(c), np.poly1d(d, True)
    entries = p[0] * p[2] + p[7] + (p.order + p.o + len(p)) * np.sum(p.c * p.coef)
    return entries + q(0.3) + np.sum(np.abs(q.r) ** 2) + p.coeffs @ p.coefficients


@pytest.mark.parametrize(
    ("f", "args"),
    [(arithmetic_of_poly1d, (c, d, x)), (calculus_of_poly1d, (c, x)), (parts_of_poly1d, (c, d))],
)
def test_poly1d(f, args):
    np.testing.assert_allclose(tl.value_and_grad(f)(*args)[0], f(*args), rtol=1e-12)
    check_grads(f, *args, order=1, rtol=1e-5)


def test_poly1d_that_was_made_outside():
    slope = given_poly1d.deriv()
    np.testing.assert_allclose(tl.grad(lambda x: np.sum(given_poly1d(x)))(x), slope(x))


def test_what_is_fitted_is_converted_to_powers_of_the_places():
    def weighed(y):
        return np.sum(np.polynomial.Polynomial.fit(x, y, 2).convert().coef ** 2)

    check_grads(weighed, y, order=1)


def test_the_text_has_no_object():
    def value(c: np.ndarray, x: np.ndarray):
        return np.sum(np.polynomial.Chebyshev(c).deriv()(x))

    assert "Series" not in tl.source(value, like=(c, x))


def test_series_of_other_domains_are_not_combined():
    def total(c):
        p = np.polynomial.Legendre(c, [0.0, 1.0]) + np.polynomial.Legendre(c)
        return p(0.3)

    with pytest.raises(TypeError, match="Domains differ"):
        tl.grad(total)(c)


def test_leading_zeros_are_refused_where_they_vary():
    with pytest.raises(GradientError, match="highest coefficients"):
        tl.grad(lambda c: np.poly1d(c)(0.3))(0.0 * c)


def test_a_loop_over_a_series_is_no_loop_over_its_fields():
    def total(c):
        y = 0.0
        for k in np.polynomial.Polynomial(c):
            y = y + k
        return y

    with pytest.raises((TapelessError, TypeError)):
        tl.grad(total)(c)
