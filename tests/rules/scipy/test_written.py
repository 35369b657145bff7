"""Statistics of samples, further transforms and signals, written out."""

import numpy as np
import pytest

pytest.importorskip("scipy", reason="SciPy is not installed")

from scipy import fft, signal, stats  # noqa: E402

import tapeless as tl  # noqa: E402
from tapeless.rules import declare  # noqa: E402
from tapeless.testing import check_grads, check_rule  # noqa: E402

rng = np.random.default_rng(1)


def moments(a):
    plain = np.sum(stats.zscore(a) ** 3) + np.sum(stats.sem(a)) + np.sum(stats.moment(a, 3))
    corrected = np.sum(stats.skew(a, bias=False))
    return plain + corrected + np.sum(stats.skew(a) * stats.kurtosis(a, bias=False))


def means(p):
    entropies = np.sum(stats.entropy(p)) + stats.entropy(p[:, 0], p[:, 1], base=2)
    return np.sum(stats.gmean(p) * stats.hmean(p)) + entropies


def weighted_means(p):
    w = np.array([1.0, 2.0, 0.5])
    shares = p / stats.gmean(p, axis=1, weights=w, keepdims=True)
    powers = stats.pmean(p, 3, axis=-1, weights=w, keepdims=True) + stats.pmean(p[0], 0)
    return np.sum(shares**3 * powers) + np.sum(p * stats.hmean(p, weights=p, keepdims=True))


def kept_axes(a):
    moments = stats.moment(a, 3, axis=1, keepdims=True) * stats.skew(a, axis=0, keepdims=True)
    spread = stats.sem(a, axis=1, keepdims=True) + stats.variation(a, 1, ddof=1, keepdims=True)
    peaked = stats.kurtosis(a, axis=1, keepdims=True) * stats.iqr(a, axis=0, keepdims=True)
    entropies = stats.entropy(np.exp(a), np.exp(a[::-1]), axis=1, keepdims=True)
    return np.sum(a * (moments + spread + peaked + entropies)) + stats.variation(a, axis=None)


def of_few(a):
    """Where there are too few for it, nothing is corrected."""
    skewness = stats.skew(a[:2], bias=False) * stats.skew(a[:3], bias=False)
    return np.sum(skewness * a[0] + stats.kurtosis(a[:3], bias=False) * a[1])


def trimmed(a):
    whole = stats.trim_mean(a, 0.1, axis=None) * stats.trim_mean(a[0], 0.2)
    whole = whole + stats.iqr(a, rng=(10, 90), scale=2.0, interpolation="linear")
    whole = whole * np.sum(stats.iqr(a, axis=1) ** 2)
    return (
        whole + np.sum(stats.trim_mean(a, 0.2) ** 3) + np.sum(stats.trim_mean(a, 0.2, axis=1) ** 2)
    )


def fits(x, y, weights):
    r, p = stats.pearsonr(x, y)
    slope, intercept, correlation, _, error = stats.linregress(x, y)
    density = stats.gaussian_kde(x, weights=weights)
    planes = stats.gaussian_kde(np.stack([x, y]), "silverman").evaluate(np.zeros((2, 1)))
    lines = slope * intercept + error * correlation
    return r * p + lines + np.sum(density(y) * density.logpdf(y)) + planes[0]


def transforms(x):
    sines = np.sum(fft.dst(x) ** 3) + np.sum(fft.idst(x, norm="ortho") ** 3)
    others = np.sum(fft.dst(x, 3, axis=0) ** 3) + np.sum(fft.idst(x, 3, axis=0) ** 3)
    return sines + others + np.sum(fft.dctn(x, norm="ortho") ** 3) + np.sum(fft.idctn(x) ** 3)


def signals(x, w):
    planes = np.sum(signal.convolve2d(x, w, "same") ** 2)
    return planes + np.sum(signal.correlate2d(x, w, "valid") ** 2)


x = rng.normal(size=(5, 6))
FUNCTIONS = [
    (moments, (x,)),
    (fits, (x[:, 0], x[:, 1] + x[:, 0], rng.uniform(0.5, 1.0, size=5))),
    (trimmed, (x,)),
    (weighted_means, (np.abs(x[:, :3]) + 0.2,)),
    (kept_axes, (x,)),
    (of_few, (x,)),
    (means, (rng.uniform(0.1, 1.0, size=(5, 3)),)),
    (transforms, (x,)),
    (signals, (x, rng.normal(size=(3, 2)))),
]


@pytest.mark.parametrize(("f", "args"), FUNCTIONS, ids=lambda x: getattr(x, "__name__", ""))
def test_first_order(f, args):
    assert np.isclose(tl.value_and_grad(f)(*args)[0], f(*args), rtol=1e-12)
    check_grads(f, *args, order=1, rtol=1e-5, modes=("reverse",))


@pytest.mark.parametrize("transform", [fft.dct, fft.dst])
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_cosines_and_sines(transform, kind):
    for norm, orthogonal in ((None, None), ("ortho", None), ("forward", True), ("ortho", False)):
        check_rule(transform, x, kind, None, 0, norm, orthogonalize=orthogonal, check_order=1)
    check_rule(transform, x, kind, 4)
    check_rule(transform, x, kind, 7, 0)


def test_transforms_back_and_along_several_axes_have_the_values_of_scipy():
    for inverse in (fft.idct, fft.idst):
        for kind, norm in ((1, None), (2, "ortho"), (3, "forward"), (4, None)):
            found = declare.find_written(inverse)(x, kind, 4, 0, norm)
            assert np.allclose(found, inverse(x, kind, 4, 0, norm))
    for several in (fft.dctn, fft.idctn, fft.dstn, fft.idstn):
        for given in ((2, (4, 7)), (3, (4,), None, "ortho"), (1, None, (0,))):
            assert np.allclose(declare.find_written(several)(x, *given), several(x, *given))


def with_workers(x):
    cosines = np.sum(fft.dctn(x, workers=2) ** 3) + np.sum(fft.idct(x, 1, workers=1) ** 3)
    return cosines + np.sum(fft.dst(x, workers=1) ** 3) + np.sum(fft.rfft(x, workers=2).real ** 3)


def test_workers_change_nothing():
    check_grads(with_workers, np.array([[0.3, 1.2, -0.7], [2.1, 0.9, -1.4]]), order=1)


@pytest.mark.parametrize("transform", [fft.dct, fft.dst])
def test_what_may_be_overwritten_is_kept(transform):
    check_grads(lambda x: np.sum(transform(x.copy(), overwrite_x=True) ** 2), np.ones(3))
