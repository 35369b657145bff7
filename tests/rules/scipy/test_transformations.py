"""Samples that are transformed, trimmed and compared, and angles: values and derivatives."""

import numpy as np
import pytest

pytest.importorskip("scipy", reason="SciPy is not installed")

from scipy import stats  # noqa: E402

import tapeless as tl  # noqa: E402
from tapeless.rules import declare  # noqa: E402
from tapeless.testing import check_grads  # noqa: E402

rng = np.random.default_rng(3)
A, B = rng.uniform(0.3, 2.0, (4, 3)), rng.normal(size=(4, 3))
KEPT = {"axis": 1, "keepdims": True}

WRITTEN = [
    (stats.zmap, (A, B), {"axis": 1, "ddof": 1}),
    (stats.gzscore, (A,), {"axis": 1, "ddof": 1}),
    *((stats.gstd, (A,), kept) for kept in ({}, KEPT, {"axis": None, "ddof": 0})),
    (stats.boxcox, (A[0], 0.3), {}),
    (stats.boxcox, (A[0], 0.0), {}),
    *((stats.boxcox_llf, (0.3, A), kept) for kept in ({}, KEPT)),
    *((stats.yeojohnson, (B.ravel(), lmbda), {}) for lmbda in (0.0, 0.7, 2.0)),
    *((stats.yeojohnson_llf, (0.7, B), kept) for kept in ({}, KEPT)),
    *((stats.tmean, (A,), kept) for kept in ({}, KEPT, {"limits": (0.5, None)})),
    *((stats.tvar, (A, (None, 1.9)), kept) for kept in ({}, KEPT, {"axis": None, "ddof": 0})),
    (stats.tstd, (A, (A[0, 0], 1.9), (False, True)), {"axis": None}),
    (stats.tsem, (A, (0.1, 1.9), (True, False)), KEPT),
    *((stats.median_abs_deviation, (A,), kept) for kept in ({}, KEPT, {"axis": None})),
    (stats.median_abs_deviation, (A,), {"scale": "normal", "center": np.median}),
    (stats.wasserstein_distance, (A[:, 0], B.ravel()), {}),
    (stats.energy_distance, (A[:, 0], B.ravel()), {}),
    *((stats.circmean, (B, 1.5, -0.5), kept) for kept in ({}, KEPT)),
    *((stats.circvar, (B,), kept) for kept in ({}, KEPT)),
    *((stats.circstd, (B, 1.5, -0.5), kept) for kept in ({}, KEPT, {"normalize": True})),
]


@pytest.mark.parametrize(
    ("fn", "args", "keywords"), WRITTEN, ids=lambda x: getattr(x, "__name__", "")
)
def test_what_is_written_out_has_the_value_of_scipy(fn, args, keywords):
    found, wanted = declare.find_written(fn)(*args, **keywords), fn(*args, **keywords)
    assert np.shape(found) == np.shape(wanted)
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-14)


def scores(a, b):
    spread = np.sum(stats.gstd(a, keepdims=True) * stats.zmap(b, a, ddof=1))
    return spread * np.sum(stats.gzscore(a, axis=1) ** 3)


def by_exponents(a, b, lmbda):
    moved = stats.boxcox(a[0], lmbda) * stats.yeojohnson(b[0], lmbda)
    likely = stats.boxcox_llf(lmbda, a) + stats.yeojohnson_llf(lmbda, b)
    return np.sum(moved) + np.sum(likely**2)


def within_limits(a):
    spread = stats.tvar(a, (0.1, 1.9), axis=1) * stats.tsem(a, axis=1)
    return np.sum(spread * stats.tstd(a, axis=1)) * stats.tmean(a, (None, 1.9))


def by_order(a, b):
    apart = stats.wasserstein_distance(a[:, 0], b[:, 0]) * stats.energy_distance(a[:, 1], b[:, 1])
    return apart * np.sum(stats.median_abs_deviation(a, axis=1) ** 2)


def of_angles(b):
    directions = stats.circmean(b, high=1.5, low=-0.5, axis=1) * stats.circvar(b, axis=1)
    return np.sum(directions**2) + stats.circstd(b)


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("f", "args"),
    [
        (scores, (A, B)), (by_exponents, (A, B, 0.7)), (within_limits, (A,)), (by_order, (A, B)),
        (of_angles, (B,)),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)  # fmt: skip
def test_derivatives(f, args):
    check_grads(f, *args)


def test_what_is_refused():
    with pytest.raises(tl.TapelessError, match="a search finds"):
        tl.grad(lambda a: np.sum(stats.boxcox(a)[0]))(A[0])
    with pytest.raises(tl.TapelessError, match="not weighed"):
        tl.grad(lambda a: stats.wasserstein_distance(a, a, a, a))(A[0])
