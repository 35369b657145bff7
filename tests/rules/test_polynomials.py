"""Every rule of polynomials.py, run by itself."""

import numpy as np
import pytest

from tapeless.rules import declare, polynomials
from tapeless.testing import check_grads, check_rule


def normal(*shape):
    return np.asarray(np.random.default_rng(len(shape)).normal(size=shape))


x1 = normal(5)
places = np.array([-1.0, -0.3, 0.2, 0.9, 1.4])
CALLS = [
    (np.vander, (x1,)),
    (np.vander, (x1, 3)),
    (np.vander, (x1, 4, True)),
    (np.vander, (x1, 1)),
    (np.polyfit, (places, x1, 2)),
    (np.polydiv, (np.array([1.0, -3.5, 2.0, 1.5, 0.7]), np.array([1.2, 0.4, -0.6]))),
    (np.roots, (np.array([1.0, -3.5, 2.0, 1.5]),)),
    (np.polyfit, (places, normal(5, 3), 1)),
    (np.polyadd, (x1, x1[:3])),
    (np.polyadd, (x1[:2], x1)),
    (np.polysub, (x1, x1[:3])),
    (np.polysub, (x1[:2], x1)),
    (np.polymul, (x1, x1[:3])),
    *((np.polyder, (x1, m)) for m in (0, 1, 2, 4)),
    *((np.polyint, (x1, m)) for m in (0, 1, 3)),
]


@pytest.mark.parametrize(("fn", "args"), CALLS)
def test_rule(fn, args):
    check_rule(fn, *args, check_rtol=1e-5)


def fit(x, y):
    return np.polyfit(x, y, 2) ** 2


def sizes_of_roots(p):
    return np.sum(np.abs(np.roots(p)) ** 2) + np.sum(np.imag(np.polynomial.polynomial.polyroots(p)))


def test_roots_may_be_complex():
    check_grads(sizes_of_roots, np.array([0.3, 1.2, -0.7, 2.1]), rtol=1e-5)


def test_inside_functions():
    check_grads(fit, places, x1, rtol=1e-5)


def rules_here():
    return {
        primal: rule.function
        for primal, rule in declare._RULES.items()
        if rule.form != "zero" and rule.function.__module__ == polynomials.__name__
    }


def test_every_rule_is_checked():
    assert set(rules_here()) <= {fn for fn, _ in CALLS} | {np.polyval}
