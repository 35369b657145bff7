"""Every rule of statistics.py and quantiles.py, run by itself."""

import numpy as np
import pytest

from tapeless.errors import GradientError
from tapeless.rules import declare, quantiles, statistics
from tapeless.testing import check_rule


def normal(*shape):
    return np.asarray(np.random.default_rng(len(shape)).normal(size=shape))


x1, x2, x3 = normal(5), normal(3, 4), normal(2, 3, 4)
waves = x2 + 1j * normal(4, 3).T
gaps = np.where(np.arange(24).reshape(2, 3, 4) % 5 == 1, np.nan, x3)
QUANTILES = [np.quantile, np.nanquantile, np.percentile, np.nanpercentile]
NAN = [np.nanmax, np.nanmin, np.nanprod, np.nanvar, np.nanstd, np.nanmedian]
RUNNING = [np.nancumsum, np.nancumprod]

CALLS = [
    (np.cov, (x2,)),
    (np.cov, (x1,)),
    (np.cov, (x2, None, False)),
    (np.cov, (x2[:1], None, False, True)),  # one variable, before NumPy 2.2
    (np.cov, (x2, x2 * x2)),
    (np.cov, (x2, x2[0], True, True)),
    (np.cov, (x2, x2[:, 0], False, False, 0)),
    (np.cov, (x1, x1 * x1, True, False, 2)),
    (np.cov, (waves,)),
    (np.corrcoef, (x2,)),
    (np.corrcoef, (x2, None, False)),
    (np.corrcoef, (x2, x2 * x2)),
    (np.corrcoef, (x1,)),
    (np.bincount, (np.array([0, 2, 2, 1, 4]), x1)),
    (np.bincount, (np.array([0, 2, 2, 1, 4]), x1, 9)),
]


@pytest.mark.parametrize(("fn", "args"), CALLS)
def test_rule(fn, args):
    check_rule(fn, *args)


@pytest.mark.parametrize("rest", [(), (0,), (-1,), ((0, 2),)])
@pytest.mark.parametrize("fn", QUANTILES)
def test_quantiles(fn, rest):
    whole = 100.0 if "percentile" in fn.__name__ else 1.0
    for q in (0.3, 0.77, np.array([0.13, 0.6]), np.array([[0.2], [0.45]])):
        if np.ndim(q) == 2 and fn in (np.nanquantile, np.nanpercentile):
            continue
        check_rule(fn, x3, q * whole, *rest)
        check_rule(fn, x3, q * whole, *rest, keepdims=True)


METHODS = [
    *["lower", "higher", "midpoint", "nearest", "inverted_cdf", "averaged_inverted_cdf", "hazen"],
    *["closest_observation", "interpolated_inverted_cdf", "weibull", "median_unbiased"],
    "normal_unbiased",
]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("fn", QUANTILES)
def test_methods_of_quantiles(fn, method):
    whole = 100.0 if "percentile" in fn.__name__ else 1.0
    for q in (0.31, np.array([0.13, 0.57])):
        check_rule(fn, x2, q * whole, 1, method=method)


def test_quantiles_agree_with_median_and_extremes():
    a = np.array([2.0, 1.0, 2.0, 5.0, 5.0, 2.0])
    for q, fn in ((0.0, np.min), (0.5, np.median), (1.0, np.max)):
        found = quantiles.np_quantile(a, q)[1](1.0)[0]
        np.testing.assert_allclose(found, declare.find_rule(fn).function(a)[1](1.0)[0])


def test_quantiles_with_weights_are_entries():
    weights = np.array([[1.0, 2.0, 0.5, 1.5]] * 3)
    for fn in QUANTILES:
        whole = 100.0 if "percentile" in fn.__name__ else 1.0
        for q in (0.31, np.array([0.13, 0.57])):
            rest = {"weights": weights, "method": "inverted_cdf"}
            check_rule(fn, x2, q * whole, 1, check_float32=False, **rest)
            check_rule(fn, x2, q * whole, keepdims=True, check_float32=False, **rest)


def test_what_is_overwritten_is_refused():
    with pytest.raises(GradientError, match="overwritten"):
        quantiles.np_quantile(x1, 0.5, overwrite_input=True)
    with pytest.raises(GradientError, match="axes of q"):
        quantiles.np_nanquantile(x1, np.array([[0.5]]))


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2)])
@pytest.mark.parametrize("fn", NAN)
def test_of_what_is_not_missing(fn, axis):
    for keepdims in (False, True):
        check_rule(fn, x3, axis, keepdims=keepdims)
        check_missing(fn, axis, keepdims=keepdims)
    if fn in (np.nanvar, np.nanstd) and axis != 0:
        check_rule(fn, x3, axis, ddof=1)
        check_missing(fn, axis, ddof=1)


@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("fn", RUNNING)
def test_running(fn, axis):
    check_rule(fn, x3, axis)
    check_missing(fn, axis)


@pytest.mark.parametrize("fn", [np.nanquantile, np.nanpercentile])
def test_quantiles_of_what_is_not_missing(fn):
    for axis in (None, 1, (0, 2)):
        check_missing(fn, axis, q=0.4 if fn is np.nanquantile else 40.0)


def check_missing(fn, axis, **rest):
    """Compare with differences where entries are missing: these have no cotangent."""
    rule = declare.find_rule(fn).function
    run = lambda a: rule(a, axis=axis, **rest)
    y, grad, jvp = run(gaps)
    rng = np.random.default_rng(3)
    y_bar, a_dot = rng.normal(size=np.shape(y)), rng.normal(size=gaps.shape)
    a_bar = grad(y_bar)[0]
    np.testing.assert_array_equal(a_bar[np.isnan(gaps)], 0.0)
    d = 1e-6
    slope = (run(gaps + d * a_dot)[0] - run(gaps - d * a_dot)[0]) / (2 * d)
    np.testing.assert_allclose(jvp(a_dot), slope, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(np.sum(a_bar * a_dot), np.sum(y_bar * slope), rtol=1e-5, atol=1e-7)


def test_spread_of_equal_entries_is_flat():
    y, grad, jvp = statistics.np_nanstd(np.array([2.0, np.nan, 2.0]))
    np.testing.assert_array_equal(grad(1.0)[0], np.zeros(3))
    assert jvp(np.ones(3)) == 0.0


def rules_here():
    return {
        primal: rule.function
        for primal, rule in declare._RULES.items()
        if rule.form != "zero" and rule.function.__module__ == statistics.__name__
    }


def test_every_rule_is_checked():
    given = {*QUANTILES, *NAN, *RUNNING}
    assert set(rules_here()) <= {fn for fn, _ in CALLS} | given
