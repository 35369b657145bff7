"""Series of polynomials: one rule for six bases, run by itself and through the tool."""

import numpy as np
import pytest
from numpy.polynomial import chebyshev, laguerre, legendre

import tapeless as tl
from tapeless.errors import GradientError
from tapeless.rules.polynomial_series import BASES
from tapeless.testing import check_grads, check_rule

rng = np.random.default_rng(0)
c, d, x, table = rng.normal(size=4), rng.normal(size=3), rng.normal(size=5), rng.normal(size=(4, 2))

CALLS = [
    *(("val", (z, c)) for z in (x, 0.3, table, x[:0])),
    *(("val", (z, table)) for z in (x, 0.3)),
    ("val", (x[:2], table, False)),
    *(("vander", (z, n)) for z in (x, table) for n in (0, 1, 3)),
    *(("der", (c, *more)) for more in ((), (2,), (2, 0.5), (5,))),
    ("der", (c[:1],)),
    ("der", (table, 1, 0.5, 1)),
    *(("int", (c, 1, *more)) for more in ((), ([1.0],), (0.4,), ([1.0], 0.3, 0.5))),
    ("int", (table, 1, [], 0.3, 0.5)),
    *((name, pair) for name in ("add", "sub", "mul") for pair in ((c, d), (d, c), (c, 2.0))),
    ("roots", (c,)),
]


@pytest.mark.parametrize("prefix", BASES)
def test_rules(prefix):
    for name, args in CALLS:
        check_rule(getattr(BASES[prefix], prefix + name), *args, check_rtol=1e-5)


def product_at_places(x, c, d):
    y = laguerre.lagmul(laguerre.lagadd(c, d), legendre.legsub(d, [1.0, 2.0]))
    return laguerre.lagval(x, y) * chebyshev.chebval(x, chebyshev.chebint(c))


def test_second_order_of_products():
    check_grads(product_at_places, x[:2], c, d[:2], rtol=1e-5)


def fitted(x, y, w):
    return legendre.legfit(x, y, 2), laguerre.lagfit(x, y, 1, w=w), chebyshev.chebfromroots(y)


def test_fits_and_roots():
    check_grads(fitted, np.linspace(0.1, 1.0, 5), x, np.arange(1.0, 6.0), order=1, rtol=1e-5)


def test_a_highest_coefficient_that_is_zero_is_refused_where_it_varies():
    def value(c, d):
        return chebyshev.chebval(0.3, chebyshev.chebmul(c, d))

    zero = np.array([1.0, 0.0])
    np.testing.assert_allclose(tl.grad(value)(c, zero), chebyshev.chebvander(0.3, 3)[0])
    with pytest.raises(GradientError, match="highest coefficients"):
        tl.grad(value)(zero, c)
    with pytest.raises(GradientError, match="highest coefficients"):
        tl.jvp(value, (zero, c), (zero + 1.0, c))


def test_two_integrals_at_once_are_refused():
    with pytest.raises(GradientError, match="once in a call"):
        tl.grad(lambda c: np.sum(chebyshev.chebint(c, 2)))(c)
