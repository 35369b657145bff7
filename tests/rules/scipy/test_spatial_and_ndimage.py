"""Distances between points, and linear filters of images."""

import numpy as np
import pytest

distance = pytest.importorskip("scipy.spatial.distance", reason="SciPy is not installed")

from scipy import ndimage, spatial  # noqa: E402

import tapeless as tl  # noqa: E402
from tapeless.errors import GradientError, NoGradientError  # noqa: E402
from tapeless.rules.declare import find_written  # noqa: E402
from tapeless.testing import check_grads  # noqa: E402

rng = np.random.default_rng(1)


def to_others(a, b):
    straight = np.sum(distance.cdist(a, b) ** 2)
    mixed = distance.cdist(a, b, "cityblock") * distance.cdist(a, b, "cosine")
    return straight + np.sum(mixed) + np.sum(distance.cdist(a, b, "minkowski", p=3))


def to_each_other(a):
    whole = distance.squareform(distance.pdist(a, "sqeuclidean"))
    return np.sum(whole**2) + np.sum(distance.squareform(whole) * distance.pdist(a, "canberra"))


METRICS = (
    "euclidean", "sqeuclidean", "minkowski", "cityblock", "chebyshev", "cosine", "correlation",
    "canberra", "braycurtis",
)  # fmt: skip


def weighed(a, b, w):
    total = np.sum(distance.cdist(a, b, "seuclidean") ** 3) + np.sum(distance.pdist(a, w=w))
    for metric in METRICS:
        total = total + np.sum(distance.cdist(a, b, metric, w=w) ** 2)
    return total + np.sum(distance.pdist(b, "mahalanobis"))


def of_two_by_weights(u, v, w):
    near = distance.minkowski(u, v, 3, w) * distance.seuclidean(u, v, w)
    return near + distance.canberra(u, v, w) * distance.correlation(u, v, w)


def of_two(u, v):
    near = distance.euclidean(u, v) * distance.cosine(u, v) + distance.cityblock(u, v)
    return near + distance.mahalanobis(u, v, np.eye(3) + 0.1) * distance.sqeuclidean(u, v)


def correlated(x, w):
    plain = np.sum(ndimage.correlate(x, w) ** 2)
    mirrored = np.sum(ndimage.convolve(x, w, mode="mirror") ** 2)
    return plain + mirrored + np.sum(ndimage.correlate(x, w, mode="constant", cval=0.3) ** 2)


def along_lines(x, w):
    first = np.sum(ndimage.correlate1d(x, w, axis=0, mode="nearest") ** 2)
    return first + np.sum(ndimage.convolve1d(x, w, mode="wrap") ** 2)


def smoothed(x, sigma):
    whole = np.sum(ndimage.gaussian_filter(x, sigma) ** 2)
    return whole + np.sum(ndimage.gaussian_filter1d(x, 0.8, axis=0) ** 2)


def sharpened(x):
    means = np.sum(ndimage.uniform_filter(x, 3) ** 2) + np.sum(ndimage.uniform_filter(x, 2) ** 3)
    return means + np.sum(ndimage.laplace(x) ** 2) + np.sum(ndimage.sobel(x, axis=0) ** 2)


def by_axis(x, sigmas):
    """A number for each axis; an axis with a width of zero, or of one place, is left as it is."""
    smooth = np.sum(ndimage.gaussian_filter(x, (0.8, 0.0)) * ndimage.gaussian_filter(x, sigmas))
    means = ndimage.uniform_filter(x, [3, 1]) * ndimage.uniform_filter(x, (2, 3), mode="wrap")
    return smooth + np.sum(means) + np.sum(ndimage.prewitt(x) * ndimage.prewitt(x, axis=0))


x = rng.normal(size=(5, 6))
FUNCTIONS = [
    (to_others, (rng.normal(size=(3, 2)), rng.normal(size=(4, 2)))),
    (to_each_other, (rng.normal(size=(4, 3)),)),
    (of_two, (rng.normal(size=3), rng.normal(size=3))),
    (weighed, (rng.normal(size=(3, 2)), rng.normal(size=(4, 2)), np.array([0.5, 1.5]))),
    (of_two_by_weights, (rng.normal(size=3), rng.normal(size=3), np.array([0.5, 1.5, 0.7]))),
    (correlated, (x, rng.normal(size=(3, 2)))),
    (along_lines, (x, rng.normal(size=3))),
    (smoothed, (x, 0.7)),
    (sharpened, (x,)),
    (by_axis, (x, np.array([0.7, 0.4]))),
]


@pytest.mark.parametrize(("f", "args"), FUNCTIONS, ids=lambda x: getattr(x, "__name__", ""))
def test_first_order(f, args):
    assert np.isclose(tl.value_and_grad(f)(*args)[0], f(*args), rtol=1e-12)
    check_grads(f, *args, order=1, rtol=1e-5, modes=("reverse",))


def test_a_point_has_no_distance_from_itself():
    gradient = tl.grad(lambda a: np.sum(distance.cdist(a, a)))(np.eye(2))
    assert np.allclose(gradient, np.array([[2.0, -2.0], [-2.0, 2.0]]) / np.sqrt(2.0))


def test_weights_of_zero_and_points_that_agree():
    def f(a, w):
        return np.sum(distance.cdist(a, a, w=w)) + np.sum(
            distance.cdist(a, a, "minkowski", p=3, w=w)
        )

    a, w = np.eye(2), np.array([0.0, 4.0])
    assert f(a, w) == tl.value_and_grad(f, wrt=(0, 1))(a, w)[0]
    of_points, of_weights = tl.grad(f, wrt=(0, 1))(a, w)
    assert np.isfinite(of_points).all()
    assert np.isfinite(of_weights).all()


def test_second_order_by_weights():
    a, w = rng.normal(size=(3, 2)), np.array([0.5, 1.5])
    check_grads(lambda a, w: np.sum(distance.pdist(a, "minkowski", p=3, w=w)), a, w, rtol=1e-5)


def test_refusals():
    with pytest.raises(NoGradientError, match="map_coordinates"):
        tl.grad(lambda x: np.sum(ndimage.generic_filter(x, np.ptp, 3)))(x)
    with pytest.raises(GradientError, match="for the metrics"):
        tl.grad(lambda x: np.sum(distance.cdist(x, x, "jaccard")))(x)


regions = np.array([[0, 1, 1, 2], [3, 1, 0, 2], [3, 3, 2, 2]])
asked = np.arange(1, 3)


def measured(x):
    means, spreads = ndimage.mean(x, regions, [1, 2, 3]), ndimage.variance(x, regions, asked)
    numbers = ndimage.sum(x) * ndimage.sum_labels(x, labels=regions, index=1)
    each = ndimage.standard_deviation(x, labels=regions > 0) + np.sum(means**2) + np.sum(spreads**2)
    centre = ndimage.center_of_mass(x**2 + 1.0)
    first, second = ndimage.center_of_mass(x**2 + 1.0, labels=regions, index=[1, 2])
    return numbers + each + centre[0] * centre[1] + first[0] * second[1]


def apart(x):
    matrix = spatial.distance_matrix(x, x**2 + 1.0, p=3) + spatial.minkowski_distance(
        x[0], x[1] + 2.0
    )
    same = np.sum(spatial.distance_matrix(x, x, threshold=100) ** 2)
    shares = np.abs(x) + 0.1
    entropy = distance.jensenshannon(shares[0], shares[1])
    kept = distance.jensenshannon(shares, shares[::-1] ** 2, base=2, axis=1, keepdims=True)
    return np.sum(matrix) + same + entropy + np.sum(kept**2)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("f", [measured, apart])
def test_regions_and_matrices(f):
    image = np.random.default_rng(3).normal(size=(3, 4))
    assert np.isclose(tl.value_and_grad(f)(image)[0], f(image), rtol=1e-12)
    check_grads(f, image, order=1, rtol=1e-5)


def test_regions_at_second_order():
    image = np.random.default_rng(3).normal(size=(3, 4))
    check_grads(
        lambda x: np.sum(ndimage.variance(x, regions, asked) ** 2), image, modes=("reverse",)
    )


@pytest.mark.parametrize("dtype", [float, np.float32, int])
def test_regions_have_the_values_of_scipy(dtype):
    image = (9.0 * np.random.default_rng(3).normal(size=(3, 4))).astype(dtype)
    for primal in (ndimage.sum_labels, ndimage.mean, ndimage.variance, ndimage.standard_deviation):
        for given in ((), (regions,), (regions, 2), (regions, [3, 1, 1]), (regions[0], asked)):
            expected, found = primal(image, *given), find_written(primal)(image, *given)
            np.testing.assert_allclose(found, expected, rtol=1e-5)
            assert np.shape(found) == np.shape(expected)
            assert np.asarray(found).dtype == np.asarray(expected).dtype
