"""Tests of hypotheses about samples: statistics, p-values and intervals, in programs."""

import inspect

import numpy as np
import pytest

scipy = pytest.importorskip("scipy", reason="SciPy is not installed")
stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")

import tapeless as tl  # noqa: E402
from tapeless.errors import GradientError  # noqa: E402
from tapeless.rules.declare import find_written  # noqa: E402
from tapeless.testing import check_grads  # noqa: E402

x = np.array([0.3, 1.2, 0.8, -0.4, 0.9])
y = np.array([0.1, 0.7, 1.9, 0.2, 1.4, 0.6])
table = np.array([[0.3, 1.2], [0.8, -0.4], [0.9, 0.2]])
SCIPY = tuple(map(int, scipy.__version__.split(".")[:2]))
SIDES = ["two-sided", "less", "greater"]


def independent(x, y):
    same = stats.ttest_ind(x, y)
    t, p = stats.ttest_ind(x, y, equal_var=False, alternative="greater")
    low, high = stats.ttest_ind(x, y, equal_var=False).confidence_interval(0.9)
    return same.statistic + np.log(same.pvalue) + same.df + t * p + low * high


def taken(primal, **keywords):
    """Return those of some keywords that this SciPy takes."""
    return {key: v for key, v in keywords.items() if key in inspect.signature(primal).parameters}


OF_GROUPS = taken(stats.ttest_ind, trim=0, method=None)  # since SciPy 1.15
HALF = 0.5 if SCIPY >= (1, 14) else np.full_like(table, 0.5)
OF_A_PAIR = taken(stats.pearsonr, axis=0, method=None)  # since SciPy 1.14


def along_axes(table):
    t, p = stats.ttest_1samp(table, 0.1, nan_policy="propagate")
    rows = stats.ttest_1samp(table, [[0.1], [0.2], [0.3]], axis=1, alternative="less")
    both = stats.ttest_ind(
        table, table**2, axis=None, keepdims=True, nan_policy="propagate", **OF_GROUPS
    )
    paired = stats.ttest_rel(table, HALF, axis=0, nan_policy="propagate", keepdims=True)
    kept = stats.ttest_1samp(table, 0.2, keepdims=True)
    unlike = np.sum(both[0] * both[1]) + np.sum(paired.pvalue * kept.pvalue)
    return t @ p + np.sum(rows.statistic * rows.pvalue) + unlike


class Study:
    """Groups that are compared, each with the next."""

    def __init__(self, groups):
        self.groups = groups

    def p_values(self):
        found = np.zeros(len(self.groups) - 1)
        for i in range(len(self.groups) - 1):
            found[i] = stats.ttest_ind(self.groups[i], self.groups[i + 1]).pvalue
        return found


def studied(x, y):
    paired = [stats.ttest_rel(x, s * y[:5], alternative="greater") for s in (0.5, 1.0)]
    found = np.log(Study([x, y, x * y[:5]]).p_values())
    return np.sum(found) + sum(r.pvalue * r.statistic for r in paired)


def correlated(x, y):
    r = stats.pearsonr(x, y[:5])
    low, high = r.confidence_interval(0.9)
    less = stats.pearsonr(x, y[:5], alternative="less", **OF_A_PAIR)
    one_sided = stats.pearsonr(x, y[:5], alternative="greater").confidence_interval().low
    return r.correlation * r.pvalue + low * high + less[1] + one_sided


def fitted(x, y):
    line = stats.linregress(x, y[:5])
    slope, intercept, *rest = stats.linregress(y[:5], x, alternative="less")
    return line.slope * line.intercept_stderr + line.pvalue + slope * intercept + rest[1] * line[4]


def of_lists(x, y):
    t, p = stats.ttest_ind([x[0], x[1], 2.0], [1.0, y[2], 3.0, 0.5])
    return t * p + stats.ttest_1samp([x[0], x[1], 0.3], x[3]).statistic


@pytest.mark.parametrize("f", [independent, studied, correlated, fitted, of_lists])
def test_programs(f):
    check_grads(f, x, y, order=2, rtol=1e-5)


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_axes(mode):
    check_grads(along_axes, table, order=2, rtol=1e-5, modes=(mode,))


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_values_and_dtypes_are_those_of_scipy(side, dtype):
    a, b = table.astype(dtype), (table**2 + 0.1).astype(dtype)
    calls = [
        (stats.ttest_ind, (a, b), {"keepdims": True}),
        (stats.ttest_ind, (a, b), {"equal_var": False}),
        (stats.ttest_1samp, (a, 0.3), {"axis": None}),
        (stats.ttest_rel, (a, b), {}),
        (stats.pearsonr, (a[:, 0], b[:, 0]), {}),
        (stats.linregress, (a[:, 0], b[:, 0]), {}),
    ]
    for primal, args, keywords in calls:
        expected = primal(*args, alternative=side, **keywords)
        found = find_written(primal)(*args, alternative=side, **keywords)
        for one, other in zip(found, expected, strict=True):
            assert np.shape(one) == np.shape(other)
            assert one.dtype == other.dtype or SCIPY < (1, 14)  # which computed some in double
            np.testing.assert_allclose(one, other, rtol=1e-12 if dtype is np.float64 else 1e-4)


@pytest.mark.parametrize("side", SIDES)
def test_intervals_are_those_of_scipy(side):
    for primal, other in ((stats.ttest_ind, y), (stats.ttest_1samp, 0.3), (stats.pearsonr, y[:5])):
        expected = primal(x, other, alternative=side).confidence_interval(0.9)
        found = find_written(primal)(x, other, alternative=side).confidence_interval(0.9)
        np.testing.assert_allclose(found, expected)


def test_trimmed_means_are_refused():
    with pytest.raises(GradientError, match="trim=0"):
        tl.grad(lambda x: stats.ttest_ind(x, y, trim=0.2).pvalue)(x)


@pytest.mark.skipif(SCIPY < (1, 15), reason="SciPy takes these keywords since 1.14 and 1.15")
def test_keywords_that_change_nothing():
    def f(x, y):
        r = stats.pearsonr(x, y, axis=0, method=None).statistic
        return r * stats.ttest_ind(x, y, trim=0, method=None).statistic

    tl.check_grads(f, np.array([0.3, 1.1, 0.7, 0.2]), np.array([0.9, 0.4, 1.3, 1.1]), order=1)
