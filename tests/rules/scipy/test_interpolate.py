"""Interpolation by splines and on grids."""

import numpy as np
import pytest

ip = pytest.importorskip("scipy.interpolate", reason="SciPy is not installed")
from scipy import optimize  # noqa: E402

import tapeless as tl  # noqa: E402
from tapeless.errors import GradientError, NoGradientError  # noqa: E402
from tapeless.rules.scipy.interpolation_on_grids import interpolate_interp1d  # noqa: E402
from tapeless.testing import check_grads  # noqa: E402

rng = np.random.default_rng(1)
x = np.array([0.0, 0.7, 1.5, 2.0, 3.1, 4.0])
knots = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 4.0, 4.0, 4.0, 4.0])
corners = np.array([[0.0, 0.0], [0.0, 2.0], [4.0, 0.0], [4.0, 2.0], [1.7, 0.9]])
fixed = ip.CubicSpline(x, np.sin(x))


def cubic(y, z):
    s = ip.CubicSpline(x, y, bc_type="natural")
    ends = s(z[0]) * s.derivative()(z[1]) + s.integrate(z[0], z[2])
    return ends + np.sum(s(z, 1)) + np.sum(ip.CubicSpline(x, y)(z) ** 2)


def not_varying(z):
    inside = ip.CubicSpline(x, np.cos(x))
    return np.sum(inside(z) * fixed(z))


def by_degree(c, z):
    through = np.sum(ip.make_interp_spline(x, c, k=3)(z) ** 2)
    also = ip.InterpolatedUnivariateSpline(x, c)(z[0])
    return np.sum(ip.BSpline(knots, c, 3)(z) ** 2) + through + also


def by_fitpack(y, z):
    first, second = ip.splrep(x, y), ip.splrep(x, y, k=1)
    spline = ip.UnivariateSpline(x, y, s=0)
    through = spline(z[0]) * spline.integral(x[0] - 1.0, z[0]) + spline.integral(z[1], 99.0)
    return np.sum(ip.splev(z, first) * ip.splev(z, second)) + through * ip.splev(z[1], first, 1)


def not_varying_by_fitpack(z):
    return np.sum(ip.splev(z, TCK) ** 2 * ip.splev(z, TCK, der=1))


def nearest(y, z):
    line = ip.make_lsq_spline(x, y, ENDS, 1)
    return np.sum(line(z) ** 2) + np.sum(ip.make_lsq_spline(x, y, ENDS, 1, np.arange(1.0, 7.0))(z))


def smoothed(y, z):
    spline = ip.LSQUnivariateSpline(x, y, [1.9], k=2)
    bent = ip.make_smoothing_spline(x, y, w=np.arange(1.0, 7.0), lam=0.1)
    return np.sum(spline(z) * bent(z)) + spline.derivative()(z[0]) * spline.integral(0.5, z[1])


TCK, ENDS = ip.splrep(x, np.sin(x)), np.array([0.0, 0.0, 1.9, 4.0, 4.0])


def kept_shape(y, z):
    return np.sum(ip.PchipInterpolator(x, y)(z) ** 2) + np.sum(ip.Akima1DInterpolator(x, y)(z) ** 2)


def slopes_and_areas(y, z):
    g, h = ip.PchipInterpolator(x, y), ip.Akima1DInterpolator(x, y)
    bends = np.sum(h.derivative(2)(z)) * np.sum(h.derivative()(z, nu=2, extrapolate=True))
    return (
        np.sum(g.derivative()(z) ** 2) + bends + g.integrate(z[0], z[2]) * h.antiderivative()(z[1])
    )


def on_a_line(y, z):
    g, h = ip.interp1d(x, y), ip.interp1d(x, y, kind="cubic")
    beyond = ip.interp1d(x, y, fill_value="extrapolate")
    return np.sum(g(z) ** 2) + np.sum(h(z)) + np.sum(beyond(3.0 * z))


def by_steps(y, z):
    """Where it steps only the values have a derivative; the axis may be any, and the kind not told."""
    g, total = ip.interp1d(x, y, kind="previous", bounds_error=False, fill_value=(y[0], 0.5)), 0.0
    for k in range(3):
        if z[k] > 1.0:
            total = total + g(z[k]) * g(2.0 * z[k] - 3.0) * z[k]
    m = np.stack([y, y**2])
    for kind in ("next", "nearest", "cubic", 1, 2):
        total = total + np.sum(ip.interp1d(x, m, kind=kind)(z) ** 2)
    return total + np.sum(ip.interp1d(x, m.T, axis=0, fill_value="extrapolate")(2.0 * z) ** 2)


KINDS = (
    "nearest",
    "nearest-up",
    "previous",
    "next",
    "zero",
    "linear",
    "quadratic",
    "cubic",
    0,
    1,
    5,
)
ENDS_OF_LINES = (
    {"fill_value": "extrapolate"},
    {"bounds_error": False},
    {"bounds_error": False, "fill_value": (2.0, -1.0)},
    {"bounds_error": False, "fill_value": np.array([0.5, 1.5])},
)


@pytest.mark.parametrize("kind", KINDS)
def test_values_on_a_line_are_those_of_scipy(kind):
    """At the points and between and beyond them, in any order, along any axis."""
    places = np.array([[-1.0, 0.0, 0.35], [1.1, 2.0, 4.0], [3.9, 4.1, 5.0]])
    for shape, axis in (((6,), -1), ((6, 2), 0), ((2, 6), 1), ((1, 6, 2), 1)):
        v = np.random.default_rng(3).normal(size=shape)
        for given in ENDS_OF_LINES[: 3 if len(shape) == 1 else 4]:
            options = {"kind": kind, "axis": axis, **given}
            for z in (places, places[1], 1.3):
                expected = ip.interp1d(x[::-1], v, **options)(z)
                assert np.allclose(
                    interpolate_interp1d(x[::-1], v, **options)(z), expected, equal_nan=True
                )


def on_a_grid(v, z):
    g = ip.RegularGridInterpolator((x, x[:4]), v)
    return np.sum(g(z) ** 2) + np.sum(ip.interpn((x, x[:4]), v, z) ** 3)


def at_one_place(v, z):
    """One place gives one value; grids, values and places may be lists."""
    g = ip.RegularGridInterpolator([list(x), list(x[:4])], v)
    along = ip.RegularGridInterpolator((x,), v[:, 0])
    several = ip.interpn([x, x[:4]], v, [[z[0], z[1]], [0.2, z[0]]])
    total = g(z)[0] * g([z[1], 0.3])[0] * g((z[0], z[1])) + np.sum(several**2)
    return total + np.sum(along(z) ** 2) + ip.interpn((x, x[:4]), v, z)[0] ** 2


def on_a_surface(v, z):
    g = ip.RectBivariateSpline(x, x[:4], v)
    return np.sum(g.ev(z[:, 0], z[:, 1]) ** 2) + np.sum(g(z[:, 0], z[:, 1]) ** 2)


def on_a_surface_of_fitpack(c, z):
    tck = (knots, knots, c, 3, 3)
    row = ip.bisplev(z[0, 0], z[:, 1], tck)
    slopes = ip.bisplev(z[:, 0], z[:2, 1], tck, dx=1) ** 2
    return np.sum(slopes) * ip.bisplev(z[0, 1], z[1, 0], tck, dy=1) + row @ row


def scattered(v, z):
    return np.sum(ip.griddata(corners, v, z, method="linear") ** 2)


y, z = rng.normal(size=6), np.array([0.3, 1.1, 2.7])
v, z2 = rng.normal(size=(6, 4)), np.array([[0.3, 0.2], [1.9, 1.1], [3.3, 1.7]])
FUNCTIONS = [
    (cubic, (y, z)),
    (not_varying, (z,)),
    (by_degree, (y, z)),
    (by_fitpack, (y, z)),
    (not_varying_by_fitpack, (z,)),
    (nearest, (y, z)),
    (smoothed, (y, z)),
    (kept_shape, (y, z)),
    (slopes_and_areas, (y, z)),
    (on_a_line, (y, z)),
    (by_steps, (y, z + 0.1)),
    (on_a_grid, (v, z2)),
    (at_one_place, (v, np.array([1.1, 0.4]))),
    (on_a_surface, (v, z2)),
    (on_a_surface_of_fitpack, (rng.normal(size=36), z2)),
    (scattered, (y[:5], z2)),
]


@pytest.mark.parametrize(("f", "args"), FUNCTIONS, ids=lambda x: getattr(x, "__name__", ""))
def test_first_order(f, args):
    assert np.isclose(tl.value_and_grad(f)(*args)[0], f(*args), rtol=1e-12)
    modes = (
        ("reverse", "forward")
        if f in (cubic, not_varying, slopes_and_areas, by_steps)
        else ("reverse",)
    )
    check_grads(f, *args, order=1, rtol=1e-5, modes=modes)


def squared(y, z):
    return np.sum(ip.CubicSpline(x, y)(z) ** 2)


def test_second_order():
    check_grads(squared, y, z, order=2, rtol=1e-5, modes=("reverse",))


def test_second_order_by_steps():
    check_grads(
        lambda y, z: np.sum(ip.interp1d(x, y, kind="nearest")(z) ** 2 * z**2), y, z + 0.1, rtol=1e-5
    )


def test_second_order_at_one_place():
    check_grads(
        lambda v, z: ip.interpn([x, x[:4]], v, z)[0] ** 2, v, np.array([1.1, 0.4]), rtol=1e-5
    )


def test_surfaces_are_constant_beyond_their_grid():
    """Values and gradients are those at its nearest point, as SciPy's are, or within a box that is given."""
    places = np.array([[-1.0, 0.5], [5.0, 1.1], [2.2, -3.0], [9.0, 9.0]])
    for box in ((None,) * 4, (-2.0, 6.0, None, None)):

        def f(v, z, box=box):
            return ip.RectBivariateSpline(x, x[:4], v, bbox=box).ev(z[:, 0], z[:, 1])

        y, pullback = tl.vjp(f, v, places)
        assert np.allclose(y, f(v, places), rtol=1e-12)
        moved = pullback(np.ones(4))[1] != 0.0
        inside = [
            [box[0] is not None, True],
            [box[1] is not None, True],
            [True, False],
            [False] * 2,
        ]
        assert np.all(moved == np.array(inside))
    check_grads(lambda v: np.sum(f(v, places) ** 2), v, rtol=1e-5, replay=True)


def test_refusals():
    with pytest.raises(GradientError, match="for s=0"):
        tl.grad(lambda y: ip.UnivariateSpline(x, y)(1.0) * 1.0)(y)
    with pytest.raises(GradientError, match="not weighed"):
        tl.grad(lambda y: ip.splrep(x, y, s=1.0)[1][0])(y)
    with pytest.raises(GradientError, match="not its derivatives by nu"):
        tl.grad(lambda y: ip.PchipInterpolator(x, y)(1.0, 1) * 1.0)(y)
    with pytest.raises(NoGradientError, match="not in its penalty"):
        tl.grad(lambda lam: ip.make_smoothing_spline(x, y, lam=lam)(1.0) * 1.0)(0.1)
    with pytest.raises(GradientError, match="a penalty that is given"):
        tl.grad(lambda y: ip.make_smoothing_spline(x, y)(1.0) * 1.0)(y)
    with pytest.raises(NoGradientError, match="knots of a spline are held fixed"):
        tl.grad(lambda t: ip.LSQUnivariateSpline(x, y, t)(1.0) * 1.0)(np.array([1.9]))
    with pytest.raises(NoGradientError, match="knots of a spline are held fixed"):
        tl.grad(lambda x: ip.CubicSpline(x, y)(1.0) * 1.0)(x)


DESCENDING = (np.array([3.0, 2.0, 0.5, -1.0]), np.linspace(0.0, 1.0, 4))
BETWEEN = np.array([[1.1, 0.2], [1.7, 0.9], [-0.4, 0.5]])


def on_a_descending_grid(values, places):
    points = (np.array([3.0, 2.0, 0.5, -1.0]), np.linspace(0.0, 1.0, 4))
    grid = ip.RegularGridInterpolator(points, values)
    return np.sum(grid(places) ** 2)


def beyond_a_descending_grid(values, places):
    points = [np.linspace(0.0, 1.0, 4), [3.0, 2.0, 0.5, -1.0]]
    grid = ip.RegularGridInterpolator(points, values, bounds_error=False, fill_value=None)
    return np.sum(grid(places * 2.1))


def by_interpn(values, places):
    return np.sum(ip.interpn(DESCENDING, values, places) ** 2)


@pytest.mark.parametrize("f", [on_a_descending_grid, beyond_a_descending_grid, by_interpn])
def test_points_that_descend(f):
    values = np.random.default_rng(0).normal(size=(4, 4))
    value, _ = tl.value_and_grad(f)(values, BETWEEN)
    np.testing.assert_allclose(value, f(values, BETWEEN))
    tl.check_grads(f, values, BETWEEN, order=2, replay=True)


def by_names_of_univariate_splines(y, x):
    spline = ip.UnivariateSpline(np.arange(6.0), y, s=0)
    steep = spline.derivative(n=2)(x) * spline.antiderivative(n=1)(x)
    return np.sum(steep * spline.derivatives(x[0])[1]) + np.sum(spline.derivatives(x[1]))


def root_of_a_spline(y):
    spline = ip.CubicSpline(np.arange(6.0), y)
    return optimize.brentq(lambda t: spline(t), 0.0, 5.0, xtol=1e-14)


def test_methods_of_univariate_splines_and_roots():
    y = np.arange(6.0) ** 1.5
    check_grads(by_names_of_univariate_splines, y, np.array([0.2, 2.7]), order=2, rtol=1e-5)
    check_grads(root_of_a_spline, y - 3.0, order=2, rtol=1e-4)
    with pytest.raises(tl.TapelessError, match="brentq"):
        tl.grad(lambda y: np.sum(ip.CubicSpline(np.arange(6.0), y).roots()))(y - 3.0)
    with pytest.raises(tl.TapelessError, match="brentq"):
        tl.grad(lambda y: np.sum(ip.UnivariateSpline(np.arange(6.0), y, s=0).roots()))(y - 3.0)
    with pytest.raises(tl.TapelessError, match="brentq"):
        tl.grad(lambda y: np.sum(ip.CubicSpline(np.arange(6.0), y).solve(2.0)))(y)
