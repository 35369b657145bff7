"""Tests of groups, of counts and of the shape of a distribution: statistics and p-values in programs."""

import numpy as np
import pytest

scipy = pytest.importorskip("scipy", reason="SciPy is not installed")

from scipy import stats  # noqa: E402

import tapeless as tl  # noqa: E402
from tapeless.errors import GradientError  # noqa: E402
from tapeless.rules.declare import find_written  # noqa: E402
from tapeless.testing import check_grads  # noqa: E402

SCIPY = tuple(map(int, scipy.__version__.split(".")[:2]))
rng = np.random.default_rng(0)
a, b, c = rng.normal(size=9), rng.normal(size=6) + 0.3, 1.4 * rng.normal(size=7)
table, small = rng.uniform(1.0, 9.0, size=(3, 4)), rng.uniform(3.0, 9.0, size=(2, 2))
shares = rng.uniform(0.1, 0.9, size=(4, 3))
numbers = np.array([0.3, 0.5, 0.8, 1.2])
METHODS = ("fisher", "pearson", "mudholkar_george", "tippett", "stouffer")


def groups(a, b, c):
    f, p = stats.f_oneway(a, b, c)
    spread, middles = stats.bartlett(a, b, c), stats.levene(a, b, center="mean")
    trimmed = stats.levene(a, b, c, center="trimmed", proportiontocut=0.2)
    return f * p + spread.statistic * spread.pvalue + middles[0] + trimmed.pvalue


def groups_by_columns(a, b):
    first, second = np.reshape(a, (3, 3)), np.outer(b, [1.0, -0.3, 2.0])
    kept = stats.f_oneway(first, second, axis=0, keepdims=True)
    return np.sum(kept.statistic * kept.pvalue) + stats.f_oneway(first, second, axis=None)[1]


def by_numbers(v):
    one = stats.ttest_ind_from_stats(v[0], v[1], 9, v[2], v[3], 7)
    other = stats.ttest_ind_from_stats(
        mean1=v[0], std1=v[1], nobs1=9, mean2=v[2], std2=v[3], nobs2=7, equal_var=False,
        alternative="less",
    )  # fmt: skip
    listed = stats.f_oneway([v[0], v[1], 2.0], [v[2], 1.0, 0.5]).pvalue
    return one.pvalue * other.statistic + listed * stats.kstat([v[0], 1.0, v[2]])


def combined(shares):
    each = [np.sum(stats.combine_pvalues(shares, method).pvalue) for method in METHODS]
    weighed = stats.combine_pvalues(shares[0], method="stouffer", weights=[1.0, 2.0, 3.0])
    kept = stats.combine_pvalues(shares, axis=1, keepdims=True)
    return sum(each) + weighed.statistic + np.sum(kept.statistic)


def counts(table):
    plain = stats.chisquare(table[0])
    given = stats.chisquare(table[0], f_exp=np.full(4, np.sum(table[0]) / 4.0), ddof=1)
    free = stats.power_divergence(table, lambda_="cressie-read", axis=1, keepdims=True)
    other = stats.power_divergence(table[1], f_exp=np.full(4, np.sum(table[1]) / 4.0), ddof=1)
    kept = stats.chisquare(table, axis=1, keepdims=True).statistic
    return plain.statistic * given.pvalue + np.sum(free.pvalue) * other[0] + np.sum(kept)


def tables(table, small):
    statistic, p, dof, expected = stats.chi2_contingency(table)
    corrected = stats.chi2_contingency(small)
    plain = stats.chi2_contingency(small, correction=False, lambda_="log-likelihood", method=None)
    whole = statistic * p + dof * np.sum(expected**2) + corrected.pvalue
    return whole + plain.statistic + plain.expected_freq[0, 1]


def cumulants(a):
    products = stats.kstat(a) * stats.kstat(a, 3) + stats.kstat(a, n=4) * stats.kstatvar(a, 1)
    kept = stats.kstat(np.reshape(a, (3, 3)), axis=0, keepdims=True) + stats.kstatvar(
        np.reshape(a, (3, 3)), n=1, axis=0, keepdims=True
    )
    return products + stats.kstatvar(a) + np.sum(kept**2)


def normality(a):
    skewed, peaked = stats.skewtest(a), stats.kurtosistest(a, alternative="less")
    both, moments = stats.normaltest(a), stats.jarque_bera(a)
    return skewed.pvalue * peaked.pvalue + both.statistic * both.pvalue + moments[0] * moments[1]


def described(a):
    rows = np.reshape(a, (3, 3))
    d = stats.describe(rows)
    n, (low, high), _, _, skewness, kurtosis = d
    whole = stats.describe(rows, axis=None, ddof=0, bias=False)
    sums = n * np.sum(low * high) + np.sum(skewness * kurtosis) + whole.skewness
    return np.sum(d.mean * d.variance) + sums + d.minmax[0][0]


def tuples_joined(a):
    line = stats.linregress(a[:6], b) + (a[0],)
    return line[5] * line[0] + sum(stats.ttest_1samp(a, 0.1) + (1.0,))


PROGRAMS = [
    (groups, (a, b, c)), (groups_by_columns, (a, b)), (by_numbers, (numbers,)), (combined, (shares,)),
    (counts, (table,)), (tables, (table, small)), (cumulants, (a,)), (normality, (a,)),
    (described, (a,)), (tuples_joined, (a,)),
]  # fmt: skip


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_programs(f, args):
    assert np.isclose(tl.value_and_grad(f)(*args)[0], f(*args), rtol=1e-10)
    check_grads(f, *args, order=1, rtol=1e-5)


@pytest.mark.parametrize(("f", "args"), [(cumulants, (a,))])
def test_second_order(f, args):
    check_grads(f, *args, order=2, modes=("reverse",), rtol=1e-5)


@pytest.mark.skipif(
    SCIPY < (1, 17), reason="what a sample may be, and equal_var, are those of SciPy 1.17"
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_values_and_dtypes_are_those_of_scipy(dtype):
    x, y, t, p = (each.astype(dtype) for each in (table, table**2, small, shares))
    calls = [
        (stats.f_oneway, (x, y), {"equal_var": False, "keepdims": True}),
        (stats.f_oneway, (x, y, x), {"axis": -1}),
        (stats.bartlett, (x, y), {"axis": None}),
        (stats.bartlett, (x, y), {"keepdims": True}),
        (stats.levene, (x, y), {"axis": 1, "keepdims": True}),
        (stats.power_divergence, (x, None, 0, 1, "neyman"), {}),
        (stats.power_divergence, (x,), {"lambda_": "mod-log-likelihood"}),
        (stats.chisquare, (x[0], x[1]), {"sum_check": False}),
        (stats.combine_pvalues, (p, "pearson"), {"axis": None}),
        (stats.chi2_contingency, (t,), {}),
        (stats.kurtosistest, (x,), {"axis": None, "keepdims": True}),
        (stats.normaltest, (x,), {"axis": None, "keepdims": True}),
        (stats.skewtest, (x,), {"axis": None, "keepdims": True, "alternative": "greater"}),
        (stats.jarque_bera, (x,), {"axis": 0, "keepdims": True}),
    ]
    for primal, args, keywords in calls:
        expected, found = primal(*args, **keywords), find_written(primal)(*args, **keywords)
        for one, other in zip(found, expected, strict=True):
            assert np.shape(one) == np.shape(other)
            assert np.asarray(one).dtype == np.asarray(other).dtype
            np.testing.assert_allclose(one, other, rtol=1e-10 if dtype is np.float64 else 2e-4)


def test_counts_of_other_sums_are_refused():
    with pytest.raises(ValueError, match="must agree"):
        tl.grad(lambda t: stats.chisquare(t, f_exp=[1.0, 2.0]).statistic)(np.array([1.0, 3.0]))


def test_samples_of_which_some_are_left_out_are_refused():
    with pytest.raises(GradientError, match="propagate"):
        tl.grad(lambda a: stats.kstat(a, nan_policy="omit"))(a)
