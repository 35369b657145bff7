"""Interpolation by radial functions: in the points, the values and the places."""

import numpy as np
import pytest

interpolate = pytest.importorskip("scipy.interpolate", reason="SciPy is not installed")

import tapeless as tl  # noqa: E402
from tapeless.testing import check_grads  # noqa: E402

rng = np.random.default_rng(0)
points, values, places = rng.uniform(size=(9, 2)), rng.normal(size=9), rng.uniform(size=(4, 2))
KERNELS = [
    ("thin_plate_spline", {}), ("linear", {}), ("cubic", {"smoothing": 0.1}), ("quintic", {}),
    ("gaussian", {"epsilon": 2.0}), ("multiquadric", {"epsilon": 2.0}),
    ("inverse_quadratic", {"epsilon": 1.0, "degree": -1}),
    ("inverse_multiquadric", {"epsilon": 1.5, "degree": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("kernel", "options"), KERNELS)
def test_kernels(kernel, options):
    def f(y, d, x):
        return np.sum(np.sin(interpolate.RBFInterpolator(y, d, kernel=kernel, **options)(x)))

    value = tl.value_and_grad(f)(points, values, places)[0]
    np.testing.assert_allclose(value, f(points, values, places), rtol=1e-10)
    check_grads(f, points, values, places, order=1, rtol=1e-4)


def test_several_values_and_second_order():
    def f(d, x):
        return np.sum(interpolate.RBFInterpolator(points, d, kernel="cubic")(x) ** 2)

    check_grads(f, rng.normal(size=(9, 2)), places[:1], rtol=1e-4)


def test_neighbors_are_refused():
    with pytest.raises(tl.TapelessError, match="all neighbors"):
        tl.grad(lambda d: np.sum(interpolate.RBFInterpolator(points, d, 5)(places)))(values)
