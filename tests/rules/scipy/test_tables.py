"""Interpolators that are made once, outside of what is differentiated, and asked at places that vary."""

import numpy as np
import pytest

ip = pytest.importorskip("scipy.interpolate", reason="SciPy is not installed")

import tapeless as tl  # noqa: E402
from tapeless.errors import GradientError  # noqa: E402
from tapeless.testing import check_grads  # noqa: E402

X = np.arange(6.0)
Y, M = np.sin(X), np.outer(np.sin(X), np.cos(X))
LINE, CUBIC = ip.interp1d(X, Y), ip.interp1d(X, Y, kind="cubic")
BEYOND = ip.interp1d(X, Y, kind="quadratic", fill_value="extrapolate")
STOPPED = ip.interp1d(X, Y, bounds_error=False, fill_value=0.5)
STEPS = ip.interp1d(X, Y, kind="previous")
SMOOTH, HELD = ip.UnivariateSpline(X, Y, s=0.1), ip.UnivariateSpline(X, Y, s=0.01, ext=3)
KROGH, BARYCENTRIC = ip.KroghInterpolator(X, Y), ip.BarycentricInterpolator(X, Y)
SURFACE, GRID = ip.RectBivariateSpline(X, X, M), ip.RegularGridInterpolator((X, X), M)
MONOTONE, FREE = ip.PchipInterpolator(X, Y), ip.CubicSpline(X, Y)
ROWS = ip.interp1d(X, M, axis=0)


def lines(z):
    return np.sum(LINE(z) ** 2 * CUBIC(z)) + STEPS(z[0]) * LINE(z[1])


def beyond_the_ends(z):
    return np.sum(BEYOND(3.0 * z) * STOPPED(3.0 * z)) + np.sum(HELD(3.0 * z) ** 2)


def splines(z):
    return np.sum(SMOOTH(z, 1) * SMOOTH(z)) + SMOOTH(z[0]) * MONOTONE.integrate(z[1], z[2])


def polynomials(z):
    return np.sum(KROGH(z) * BARYCENTRIC(z)) + np.sum(KROGH.derivative(z, 2) * z)


def surfaces(z):
    beyond = SURFACE.ev(3.0 * z, z * z[0]) + SURFACE.ev(z, z[0] ** 2, dx=1)
    return np.sum(beyond**2) + FREE.integrate(0.2, z[2])


def made_here_of_constants(z):
    at = ip.KroghInterpolator(X, Y)(z) + ip.interp1d(X, Y)(z)
    return np.sum(at * ip.UnivariateSpline(X, Y, s=0.1)(z))


Z = np.array([0.3, 1.4, 2.6])


@pytest.mark.parametrize(
    "f", [lines, beyond_the_ends, splines, polynomials, surfaces, made_here_of_constants]
)
def test_tables(f):
    assert np.isclose(tl.value_and_grad(f)(Z)[0], f(Z), rtol=1e-14)
    check_grads(f, Z, order=2, replay=True, rtol=1e-5)


def test_grids():
    """Differentiated twice where they are made; outside their values are not looked into again."""
    check_grads(lambda z: np.sum(GRID(np.stack([z, z * z[0]], -1)) ** 2), Z, order=1, replay=True)


def test_tables_of_rows_are_refused():
    with pytest.raises(GradientError, match="one number a place"):
        tl.grad(lambda z: np.sum(ROWS(z)))(Z)


def test_nothing_is_kept_in_a_table():
    before = dict(vars(BARYCENTRIC))
    tl.grad(lambda z: np.sum(BARYCENTRIC(z)))(Z)
    assert all(vars(BARYCENTRIC)[key] is value for key, value in before.items())
