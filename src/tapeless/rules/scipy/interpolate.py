"""Interpolation: in the places, and in the values.

A spline is linear in its values, and its derivative in the place is a spline. `PchipInterpolator` and
`Akima1DInterpolator` choose slopes by formulas that are not linear; they are written out. A class of
SciPy is written out as a class in Python: what it is called on, and with what, is seen by its methods.
The knots themselves are held fixed; a knot that depends on an independent is refused.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import interpolate

from tapeless.errors import GradientError
from tapeless.rules.declare import built_in_zero, register_gradient, written_out
from tapeless.rules.reasons import no_derivative
from tapeless.rules.results import interpolation, shapes
from tapeless.rules.scipy import interpolation_on_grids as grids
from tapeless.rules.scipy import radial_interpolation as radial
from tapeless.rules.traits import traits
from tapeless.runtime.interpolation import (
    cell_of,
    held_knots,
    interpolated,
    is_outside_of,
    knots_alone,
    knots_through,
    spline_at,
    spline_weights,
    transposed_spline_weights,
    unmoved,
    weights_on,
)

__all__ = ["grids", "radial"]

built_in_zero(cell_of, kind=interpolation.like_second)
_HELD = (
    "the knots of a spline are held fixed: interpolate with the places as a function of the knots"
)
for _parameter in ("x", "t", "w"):
    no_derivative(_HELD, held_knots, parameter=_parameter)
no_derivative(
    "a smoothing spline chooses how much it smooths; take scipy.interpolate.make_lsq_spline",
    interpolate.SmoothBivariateSpline,
    interpolate.make_smoothing_spline,
)


@register_gradient(held_knots, kind=shapes.same_shape)
def held_knots_rule(x: Any, t: Any = None, w: Any = None) -> Any:
    knots = held_knots(x, t, w)

    def grad(knots_bar: Any) -> Any:
        return None, None, None

    def jvp(x_dot: Any) -> Any:
        return 0.0 * x

    return knots, grad, jvp


@register_gradient(interpolated, kind=interpolation.spline)
def interpolated_rule(make: Any, knots: Any, values: Any, z: Any, nu: Any = 0) -> Any:
    """Linear in the values: their adjoint is weighed by the splines of unit values.

    The knots were held when the spline was made: `held_knots` refuses those that vary, to which a
    cotangent leads back; no number is right for it.
    """
    y = interpolated(make, knots, values, z, nu)
    size = np.shape(values)[0]
    more = tuple(range(np.ndim(z), np.ndim(y)))
    shared = tuple(range(np.ndim(z)))

    def grad(y_bar: Any) -> Any:
        slope = interpolated(make, knots, values, z, nu + 1)
        z_bar = np.sum(y_bar * slope, axis=more)
        units = interpolated(make, knots, np.eye(size), z, nu)
        knots_bar = np.full(np.shape(knots), np.nan)
        return None, knots_bar, np.tensordot(units, y_bar, axes=(shared, shared)), z_bar, None

    def jvp(values_dot: Any, z_dot: Any) -> Any:
        slope = interpolated(make, knots, values, z, nu + 1)
        moved = slope * np.reshape(z_dot, np.shape(z) + (1,) * len(more))
        return interpolated(make, knots, values_dot, z, nu) + moved

    return y, grad, jvp


@dataclass
class Spline:
    """A spline of values that may vary: `nu` is added to the derivative that is asked for."""

    make: Any
    knots: Any
    values: Any
    nu: int = 0

    def __call__(self, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
        """Return the spline, or its derivative, at some places."""
        if extrapolate is not None:
            raise GradientError("say extrapolate where the spline is made")
        return interpolated(self.make, self.knots, self.values, x, self.nu + nu)

    def derivative(self, nu: Any = 1) -> Any:
        """Return the derivative, a spline."""
        return Spline(self.make, self.knots, self.values, self.nu + nu)

    def antiderivative(self, nu: Any = 1) -> Any:
        """Return the integral, a spline."""
        return Spline(self.make, self.knots, self.values, self.nu - nu)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        """Return the integral between two places."""
        above = interpolated(self.make, self.knots, self.values, b, self.nu - 1)
        return above - interpolated(self.make, self.knots, self.values, a, self.nu - 1)

    def ev(self, x: Any) -> Any:
        """Return the spline at some places."""
        return interpolated(self.make, self.knots, self.values, x, self.nu)


def is_named(bc_type: Any) -> bool:
    """Whether ends are given by names, none of them periodic: then a spline is linear in its values."""
    ends = bc_type if isinstance(bc_type, (tuple, list)) else (bc_type,)
    return all(end is None or isinstance(end, str) and end != "periodic" for end in ends)


built_in_zero(is_named, pure=True)


def interpolate_cubic(
    x: Any, y: Any, axis: Any = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None
) -> Any:
    options = {"bc_type": bc_type, "extrapolate": extrapolate}
    if not is_named(bc_type) or axis != 0:
        raise GradientError(
            "cubic splines are differentiated along axis 0, and with ends that are named, not periodic",
            fix="move the axis, and say what the ends are by a name, such as 'natural'",
        )
    return Spline(("CubicSpline", options), held_knots(x), np.asarray(y, dtype=float))


def interpolate_bspline(t: Any, c: Any, k: Any, extrapolate: Any = True, axis: Any = 0) -> Any:
    if axis != 0:
        raise GradientError("splines are differentiated along axis 0", fix="move the axis")
    return Spline(
        ("BSpline", {"k": k, "extrapolate": extrapolate}), held_knots(t), np.asarray(c, dtype=float)
    )


def interpolate_make_interp_spline(
    x: Any, y: Any, k: Any = 3, t: Any = None, bc_type: Any = None, axis: Any = 0,
    check_finite: Any = True,
) -> Any:  # fmt: skip
    if axis != 0 or t is not None or not is_named(bc_type):
        raise GradientError(
            "make_interp_spline is differentiated along axis 0, without t, and with ends that are named"
        )
    options = {"k": k, "bc_type": bc_type}
    return Spline(("make_interp_spline", options), held_knots(x), np.asarray(y, dtype=float))


def interpolate_through(x: Any, y: Any, w: Any = None, bbox: Any = (None, None), k: Any = 3) -> Any:
    if w is not None or k not in (1, 3):
        raise GradientError("splines through all points are differentiated for k = 1 and 3")
    return Spline(("make_interp_spline", {"k": k}), held_knots(x), np.asarray(y, dtype=float))


def interpolate_univariate(
    x: Any, y: Any, w: Any = None, bbox: Any = (None, None), k: Any = 3, s: Any = None,
    ext: Any = 0, check_finite: Any = False,
) -> Any:  # fmt: skip
    if s != 0 or w is not None or k not in (1, 3) or ext != 0:
        raise GradientError(
            "UnivariateSpline is differentiated for s=0, and k = 1 or 3",
            fix="pass s=0, or take make_lsq_spline with knots of your own",
        )
    return Spline(("make_interp_spline", {"k": k}), held_knots(x), np.asarray(y, dtype=float))


def interpolate_make_lsq_spline(
    x: Any, y: Any, t: Any, k: Any = 3, w: Any = None, axis: Any = 0, check_finite: Any = True
) -> Any:
    """The spline that is nearest to the values is linear in them."""
    if axis != 0:
        raise GradientError("splines are differentiated along axis 0", fix="move the axis")
    options = {"t": t, "k": k, "w": w}
    return Spline(("make_lsq_spline", options), held_knots(x, t, w), np.asarray(y, dtype=float))


_THROUGH = "splrep is differentiated through all points, not weighed and not periodic"


def interpolate_splrep(
    x: Any, y: Any, w: Any = None, xb: Any = None, xe: Any = None, k: Any = 3, task: Any = 0,
    s: Any = None, t: Any = None, full_output: Any = 0, per: Any = 0, quiet: Any = 1,
) -> Any:  # fmt: skip
    """The coefficients are followed by as many zeros as FITPACK adds."""
    if w is not None or t is not None or xb is not None or xe is not None or full_output or per:
        raise GradientError(_THROUGH, fix="take make_lsq_spline")
    if s is not None and s != 0:
        raise GradientError(_THROUGH, fix="take make_lsq_spline")
    knots = knots_through(held_knots(x), k)
    return knots, np.concatenate([spline_weights(knots, held_knots(x), y, k), np.zeros(k + 1)]), k


def interpolate_splev(x: Any, tck: Any, der: Any = 0, ext: Any = 0) -> Any:
    if ext != 0:
        raise GradientError("splev is differentiated for ext=0", fix="clip the places")
    make, t, c = parts_of(tck)
    return interpolated(make, t, c, x, der)


def parts_of(tck: Any) -> Any:
    """Return what a spline of FITPACK's is made by, its knots, and its coefficients."""
    k, count = tck[2], len(tck[0]) - tck[2] - 1
    weights = weights_on(tck[0], tck[1][:count])
    return ("BSpline", {"k": k}), knots_alone(tck[0]), weights


@register_gradient(weights_on, kind=interpolation.weights_on)
def weights_on_rule(knots: Any, weights: Any) -> Any:
    """Of a tuple that varies it is not known whether its knots do: if they do, no number is right.

    The cotangent of knots that stay as they are leads nowhere; that of others is nan where it arrives.
    """
    y = weights_on(knots, weights)

    def grad(y_bar: Any) -> Any:
        return np.full(np.shape(knots), np.nan), y_bar

    def jvp(knots_dot: Any, weights_dot: Any) -> Any:
        return unmoved(knots_dot) + weights_dot

    return y, grad, jvp


built_in_zero(knots_alone, kind=shapes.same_shape)
built_in_zero(unmoved)
traits(unmoved, says_more=True)
built_in_zero(knots_through, kind=interpolation.knots)
traits(spline_weights, transposed_spline_weights, says_more=True)
traits(spline_at, says_more=True, calls=False)  # SciPy's own splines, which change nothing


@register_gradient(spline_weights, kind=interpolation.weights, linear=("y",))
def spline_weights_rule(t: Any, x: Any, y: Any, k: Any) -> Any:
    """Linear in the values; the matrix of the splines at the places is banded."""
    c = spline_weights(t, x, y, k)

    def grad(c_bar: Any) -> Any:
        t_bar, x_bar = np.full(np.shape(t), np.nan), np.full(np.shape(x), np.nan)
        return t_bar, x_bar, transposed_spline_weights(t, x, c_bar, k), None

    return c, grad


@register_gradient(transposed_spline_weights, kind=interpolation.weights, linear=("c",))
def transposed_spline_weights_rule(t: Any, x: Any, c: Any, k: Any) -> Any:
    y = transposed_spline_weights(t, x, c, k)

    def grad(y_bar: Any) -> Any:
        t_bar, x_bar = np.full(np.shape(t), np.nan), np.full(np.shape(x), np.nan)
        return t_bar, x_bar, spline_weights(t, x, y_bar, k), None

    return y, grad


# Splines that do not vary


@register_gradient(spline_at, kind=interpolation.spline_at)
def spline_at_rule(spline: Any, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
    y = spline_at(spline, x, nu, extrapolate)
    more = tuple(range(np.ndim(x), np.ndim(y)))

    def grad(y_bar: Any) -> Any:
        slope = spline_at(spline, x, nu + 1, extrapolate)
        return None, np.sum(y_bar * slope, axis=more), None, None

    def jvp(x_dot: Any) -> Any:
        slope = spline_at(spline, x, nu + 1, extrapolate)
        return slope * np.reshape(x_dot, np.shape(x) + (1,) * len(more))

    return y, grad, jvp


def call_of_spline(self: Any, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
    return spline_at(self, x, nu, extrapolate)


for _cls in (interpolate.PPoly, interpolate.BSpline, interpolate.CubicSpline):
    written_out(inspect.getattr_static(_cls, "__call__"), call_of_spline)


# Slopes that are not linear in the values


@dataclass
class Cubics:
    """Values and slopes at knots, which a piecewise cubic function goes through."""

    x: Any
    y: Any
    slopes: Any
    extrapolate: Any


@dataclass
class Hermite(Cubics):
    """A piecewise cubic function of given values and slopes."""

    def __call__(self, z: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
        """Return its values at some places."""
        if nu != 0:
            raise GradientError(
                "the values of this spline are differentiated, not its derivatives by nu",
                fix="write `spline.derivative(nu)(x)`",
            )
        i = cell_of(self.x, z)
        _, t, first, bend, twist = powers(self.x, self.y, self.slopes, i, z)
        value = self.y[i] + t * (first + t * (bend + t * twist))
        return within(value, self.x, z, self.extrapolate if extrapolate is None else extrapolate)

    def derivative(self, nu: Any = 1) -> Any:
        """Return the derivative, a piecewise function."""
        return HermiteDerivative(self.x, self.y, self.slopes, self.extrapolate, nu)

    def antiderivative(self, nu: Any = 1) -> Any:
        """Return the integral from the first place, a piecewise function."""
        if nu != 1:
            raise GradientError("of this spline the first integral is differentiated")
        return HermiteIntegral(self.x, self.y, self.slopes, self.extrapolate)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        """Return the integral between two places."""
        whole = HermiteIntegral(self.x, self.y, self.slopes, self.extrapolate)
        return whole(b, 0, extrapolate) - whole(a, 0, extrapolate)


@dataclass
class HermiteDerivative(Cubics):
    """The first, second or third derivative of a piecewise cubic function."""

    nu: int

    def __call__(self, z: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
        """Return its values at some places."""
        h, t, first, bend, twist = powers(self.x, self.y, self.slopes, cell_of(self.x, z), z)
        order = self.nu + nu
        if order == 1:
            value = (first + t * (2.0 * bend + 3.0 * t * twist)) / h
        elif order == 2:
            value = (2.0 * bend + 6.0 * t * twist) / h**2
        elif order == 3:
            value = 6.0 * twist / h**3
        else:
            raise GradientError("of this spline the first three derivatives are differentiated")
        return within(value, self.x, z, self.extrapolate if extrapolate is None else extrapolate)


@dataclass
class HermiteIntegral(Cubics):
    """The integral of a piecewise cubic function from its first place."""

    def __call__(self, z: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
        """Return its values at some places."""
        if nu != 0:
            raise GradientError(
                "the values of this integral are differentiated, not its derivatives by nu",
                fix="call the spline itself, or its `derivative(nu)`",
            )
        i = cell_of(self.x, z)
        h, t, first, bend, twist = powers(self.x, self.y, self.slopes, i, z)
        inside = t * (self.y[i] + t * (first / 2.0 + t * (bend / 3.0 + t * twist / 4.0)))
        h_all = self.x[1:] - self.x[:-1]
        means = (self.y[1:] + self.y[:-1]) / 2.0 + h_all * (
            self.slopes[:-1] - self.slopes[1:]
        ) / 12.0
        before = np.concatenate([np.zeros(1), np.cumsum(h_all * means)])
        value = before[i] + h * inside
        return within(value, self.x, z, self.extrapolate if extrapolate is None else extrapolate)


def powers(x: Any, y: Any, slopes: Any, i: Any, z: Any) -> Any:
    """Return the length of cell `i`, the place in it from 0 to 1, and what its powers are weighed by."""
    h = x[i + 1] - x[i]
    t = (z - x[i]) / h
    rise = y[i + 1] - y[i]
    first, last = h * slopes[i], h * slopes[i + 1]
    return h, t, first, 3.0 * rise - 2.0 * first - last, first + last - 2.0 * rise


def within(value: Any, x: Any, z: Any, extrapolate: Any) -> Any:
    """Return a value, nan outside of the knots if it is not extrapolated."""
    if extrapolate:
        return value
    return np.where(is_outside_of(x, z), np.nan, value)


_PERIODIC = "this spline is differentiated where it is not periodic"


def end_slope(h0: Any, h1: Any, d0: Any, d1: Any) -> Any:
    """Return the slope at an end by three points, kept monotone."""
    slope = ((2.0 * h0 + h1) * d0 - h0 * d1) / (h0 + h1)
    steep = (np.sign(d0) != np.sign(d1)) & (np.abs(slope) > 3.0 * np.abs(d0))
    slope = np.where(steep, 3.0 * d0, slope)
    return np.where(np.sign(slope) != np.sign(d0), 0.0, slope)


def interpolate_pchip(x: Any, y: Any, axis: Any = 0, extrapolate: Any = None) -> Any:
    """The slopes of Fritsch and Butland (1984): weighed harmonic means."""
    if np.ndim(y) != 1 or len(x) < 3:
        raise GradientError("PchipInterpolator is differentiated for three or more numbers")
    if extrapolate == "periodic":
        raise GradientError(_PERIODIC)
    x, y = np.asarray(x), np.asarray(y)
    h = x[1:] - x[:-1]
    d = (y[1:] - y[:-1]) / h
    monotone = d[1:] * d[:-1] > 0.0
    before, after = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
    safe0, safe1 = np.where(monotone, d[:-1], 1.0), np.where(monotone, d[1:], 1.0)
    inner = np.where(monotone, (before + after) / (before / safe0 + after / safe1), 0.0)
    first, last = end_slope(h[0], h[1], d[0], d[1]), end_slope(h[-1], h[-2], d[-1], d[-2])
    slopes = np.concatenate([np.reshape(first, (1,)), inner, np.reshape(last, (1,))])
    return Hermite(x, y, slopes, extrapolate is None or extrapolate)


def interpolate_akima(
    x: Any, y: Any, axis: Any = 0, *, method: Any = "akima", extrapolate: Any = None
) -> Any:
    """The slopes of Akima (1970): means weighed by the changes of slope on the other side."""
    if np.ndim(y) != 1 or len(x) < 3 or method != "akima":
        raise GradientError("Akima1DInterpolator is differentiated for three or more numbers")
    if extrapolate == "periodic":
        raise GradientError(_PERIODIC)
    x, y = np.asarray(x), np.asarray(y)
    inner = (y[1:] - y[:-1]) / (x[1:] - x[:-1])
    left, right = 2.0 * inner[0] - inner[1], 2.0 * inner[-1] - inner[-2]
    ends = np.stack([2.0 * left - inner[0], left]), np.stack([right, 2.0 * right - inner[-1]])
    m = np.concatenate([ends[0], inner, ends[1]])
    change = np.abs(m[1:] - m[:-1])
    before, after = change[2:], change[:-2]
    total = before + after
    straight = total <= 1e-9 * np.max(total)
    share = np.where(straight, 0.5, before / np.where(straight, 1.0, total))
    return Hermite(x, y, share * m[1:-2] + (1.0 - share) * m[2:-1], extrapolate)


_WRITTEN: dict[str, Any] = {
    "CubicSpline": interpolate_cubic,
    "BSpline": interpolate_bspline,
    "make_interp_spline": interpolate_make_interp_spline,
    "InterpolatedUnivariateSpline": interpolate_through,
    "UnivariateSpline": interpolate_univariate,
    "make_lsq_spline": interpolate_make_lsq_spline,
    "splrep": interpolate_splrep,
    "splev": interpolate_splev,
    "PchipInterpolator": interpolate_pchip,
    "Akima1DInterpolator": interpolate_akima,
}
for _name, _function in _WRITTEN.items():
    written_out(getattr(interpolate, _name), _function)
