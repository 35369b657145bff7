"""Images between their samples, and filters that choose a sample."""

import itertools

import numpy as np
import pytest

ndimage = pytest.importorskip("scipy.ndimage", reason="SciPy is not installed")

from scipy import signal  # noqa: E402

import tapeless as tl  # noqa: E402
from tapeless.errors import GradientError, NoGradientError  # noqa: E402
from tapeless.rules import declare  # noqa: E402
from tapeless.testing import check_grads, check_rule  # noqa: E402

rng = np.random.default_rng(0)
x, points = rng.normal(size=(5, 6)), rng.uniform(-3.0, 8.0, size=(2, 8))
turned = np.array([[0.91, 0.22], [-0.13, 1.07]])

MOVED = [
    (ndimage.map_coordinates, (points,), {}),
    (ndimage.affine_transform, (turned, [0.31, -0.42]), {"output_shape": (4, 7)}),
    (ndimage.affine_transform, (np.hstack([turned, [[0.3], [0.1]]]),), {}),
    (ndimage.affine_transform, ([0.83, 1.21], 0.33), {}),
    (ndimage.shift, ([0.7, -1.3],), {}),
    (ndimage.zoom, (1.7,), {}),
    (ndimage.zoom, ((1.7, 0.6),), {"grid_mode": True}),
    (ndimage.rotate, (33.0,), {}),
    (ndimage.rotate, (33.0, (0, 1), False), {}),
]
MODES = [
    "constant", "nearest", "mirror", "reflect", "wrap", "grid-wrap", "grid-constant", "grid-mirror",
]  # fmt: skip


@pytest.fixture
def compared(monkeypatch):
    """Have formulas compared with the values that they stand for."""
    declare.find_rule(ndimage.map_coordinates)
    from tapeless.rules.scipy.ndimage import interpolation, selection

    def compare(y, formula):
        assert np.shape(y) == np.shape(formula)
        assert np.allclose(y, formula, rtol=0.0, atol=1e-6)
        return y

    monkeypatch.setattr(interpolation, "valued", compare)
    monkeypatch.setattr(selection, "valued", compare)


@pytest.mark.usefixtures("compared")
@pytest.mark.filterwarnings("ignore:It is recommended")
@pytest.mark.parametrize("order", range(4))
def test_the_formula_of_an_interpolation_is_its_value(order):
    for (fn, args, keywords), mode in itertools.product(MOVED, MODES):
        same = {"order": order, "mode": mode, "cval": 0.7, **keywords}
        if order > 0 or fn is ndimage.map_coordinates:  # else some points are half way
            assert declare.find_written(fn)(x, *args, **same) is not None


shape = np.array([[1, 0, 1], [1, 1, 0]], bool)
WINDOWS = [
    {"size": 3}, {"size": (2, 3)}, {"footprint": shape}, {"size": 2, "origin": -1},
    {"size": 3, "origin": (1, 0)},
]  # fmt: skip
GREY = [
    ndimage.grey_erosion, ndimage.grey_dilation, ndimage.grey_opening, ndimage.grey_closing,
    ndimage.morphological_gradient, ndimage.white_tophat, ndimage.black_tophat,
]  # fmt: skip


@pytest.mark.usefixtures("compared")
def test_filters_choose_what_scipy_chooses():
    chosen = [
        (ndimage.maximum_filter, ()), (ndimage.minimum_filter, ()), (ndimage.median_filter, ()),
        (ndimage.rank_filter, (1,)), (ndimage.percentile_filter, (70,)),
    ]  # fmt: skip
    for (fn, args), mode, window in itertools.product(chosen, MODES[:5], WINDOWS):
        assert declare.find_written(fn)(x, *args, mode=mode, cval=0.7, **window) is not None
    for fn, mode, window in itertools.product(GREY, MODES[:3], WINDOWS[:3]):
        found = declare.find_written(fn)(x, mode=mode, cval=0.7, **window)
        assert np.array_equal(found, fn(x, mode=mode, cval=0.7, **window))
    others = [
        (ndimage.maximum_filter1d, (x, 3, 0)), (ndimage.minimum_filter1d, (x, 2)),
        (signal.medfilt, (x, [1, 3])), (signal.medfilt2d, (x,)),
        (signal.order_filter, (x, np.eye(3), 1)),
    ]  # fmt: skip
    for fn, args in others:
        assert np.array_equal(declare.find_written(fn)(*args), fn(*args))


@pytest.mark.parametrize("mode", ["mirror", "grid-wrap", "reflect"])
def test_coefficients_of_splines(mode):
    check_rule(ndimage.spline_filter, x, 3, mode=mode, check_rtol=1e-5)


def moved(x, points, angle):
    seen = ndimage.map_coordinates(x, points, mode="mirror") ** 2
    flat = ndimage.map_coordinates(x, points, order=1, mode="grid-constant", cval=0.3)
    return np.sum(seen * flat) + np.sum(ndimage.rotate(x, angle, reshape=False) ** 3)


def filtered(x):
    wide = ndimage.maximum_filter(ndimage.zoom(x, 1.4, order=2), 3) ** 3
    return np.sum(wide) + np.sum(ndimage.median_filter(x, 3) ** 2 * ndimage.grey_opening(x, 2))


@pytest.mark.parametrize("f", [moved, filtered])
def test_derivatives(f):
    args = (x, points, 33.0)[: f.__code__.co_argcount]
    check_grads(f, *args, order=1, rtol=1e-4, modes=("reverse",))


def test_equal_samples_share():
    spread = tl.grad(lambda x: np.sum(ndimage.maximum_filter(x, 3)))(np.array([[0.0, 0.0, -1.0]]))
    assert np.allclose(spread, [[7 / 6, 11 / 6, 0.0]])


def test_refusals():
    with pytest.raises(NoGradientError, match="mask"):
        tl.grad(lambda x: np.sum(ndimage.distance_transform_edt(x)))(x)
    with pytest.raises(GradientError, match="without output"):
        tl.grad(lambda x: np.sum(ndimage.zoom(x, 2.0, float)))(x)
