"""What does not vary in an object, or a tuple, that varies: no derivative is asked of it, none is lost.

In forward mode all that an object holds has a tangent. A parameter in which a rule has no derivative is
refused only where it may vary.
"""

import numpy as np
import pytest

ip = pytest.importorskip("scipy.interpolate", reason="SciPy is not installed")

from scipy import special  # noqa: E402

import tapeless as tl  # noqa: E402
from tapeless.errors import GradientError, NoGradientError  # noqa: E402
from tapeless.testing import check_grads  # noqa: E402

PLACES = np.array([0.0, 0.7, 1.5, 2.0, 3.1, 4.0])
KNOTS = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 4.0, 4.0, 4.0, 4.0])
ENDS = np.array([0.0, 0.0, 1.9, 4.0, 4.0])
FIXED, KEPT = ip.CubicSpline(PLACES, np.sin(PLACES)), ip.PchipInterpolator(PLACES, np.cos(PLACES))


class Law:
    def __init__(self, order, scale):
        self.order = order
        self.scale = scale


def two_of_one_grid(y):
    x = np.arange(6.0)
    smooth, monotone = ip.CubicSpline(x, y), ip.PchipInterpolator(x, y)
    return np.sum(smooth(x[:5] + 0.3) * monotone(x[:5] + 0.4))


def two_as_numbers(y):
    x = np.linspace(0.0, 4.0, len(y))
    return ip.CubicSpline(x, y, bc_type="natural")(0.3) * ip.Akima1DInterpolator(x, y)(2.2)


def of_an_object(scale, z):
    law = Law(np.array([0.0, 1.0, 2.0]), scale)
    return np.sum(law.scale * special.jv(law.order, z * law.scale))


def of_a_tuple(y, z):
    through = ip.splrep(PLACES, y)
    return np.sum(ip.splev(z, through) ** 2)


def of_a_tuple_made_here(c, z):
    return np.sum(ip.splev(z, (KNOTS, c, 3)) ** 2) + ip.splev(z[0], (KNOTS, c**2, 3), der=1)


def of_fixed_splines(z):
    return np.sum(FIXED(z) * KEPT(z))


def fixed_beside_varying(y, z):
    return np.sum(ip.CubicSpline(PLACES, y)(z) * KEPT(z) + FIXED(z, 1))


Y, Z = np.array([0.0, 1.0, 1.5, 2.7, 3.0, 4.2]), np.array([0.3, 1.1, 2.7])


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (two_of_one_grid, (Y,)),
        (two_as_numbers, (Y,)),
        (of_an_object, (1.3, Z)),
        (of_a_tuple, (Y, Z)),
        (of_a_tuple_made_here, (Y, Z)),
        (of_fixed_splines, (Z,)),
        (fixed_beside_varying, (Y, Z)),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_constants_beside_what_varies(f, args):
    order = 1 if f is of_an_object else 2  # the tuple that is kept of it varies as a whole
    check_grads(f, *args, order=order, replay=True, rtol=1e-5)


def test_what_varies_is_refused():
    with pytest.raises(NoGradientError, match="Bessel function in its order"):
        tl.jvp(lambda v, z: special.jv(Law(v, z).order, z), (1.0, 2.0), (1.0, 0.0))
    with pytest.raises(NoGradientError, match="held fixed"):
        tl.grad(lambda x: ip.splev(0.9, ip.splrep(x, Y)))(PLACES)
    with pytest.raises(NoGradientError, match="held fixed"):
        tl.grad(lambda w: ip.make_lsq_spline(PLACES, Y, ENDS, 1, w)(0.7))(np.arange(1.0, 7.0))


def test_knots_in_a_tuple_that_vary():
    """Whether they do is not known from the text: their cotangent is nan, and no number."""

    def f(t, c):
        return ip.splev(0.9, (t, c, 3))

    assert np.all(np.isnan(tl.grad(f)(KNOTS, Y)))
    assert np.all(np.isfinite(tl.grad(f, wrt="c")(KNOTS, Y)))
    with pytest.raises(GradientError, match="held fixed"):
        tl.jvp(f, (KNOTS, Y), (np.ones(10), np.zeros(6)))
    assert np.isfinite(tl.jvp(f, (KNOTS, Y), (np.zeros(10), np.ones(6)))[1])
