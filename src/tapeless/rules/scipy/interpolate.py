"""Interpolation: in the places, and in the values.

A spline is linear in its values, and its derivative in the place is a spline. A class of
SciPy is written out as a class in Python: what it is called on, and with what, is seen by its methods.
The knots themselves are held fixed; a knot that depends on an independent is refused.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from scipy import interpolate

from tapeless.errors import GradientError
from tapeless.rules.declare import built_in_zero, register_gradient, written_out
from tapeless.rules.reasons import no_derivative
from tapeless.rules.results import interpolation, shapes
from tapeless.rules.scipy import interpolation_by_cubics as cubics
from tapeless.rules.scipy import interpolation_by_polynomials as polynomials
from tapeless.rules.scipy import interpolation_on_grids as grids
from tapeless.rules.scipy import piecewise_polynomials as piecewise
from tapeless.rules.scipy import radial_interpolation as radial
from tapeless.rules.scipy import smoothing_splines as smoothing
from tapeless.rules.scipy.splines import Spline
from tapeless.rules.traits import traits
from tapeless.runtime.broadcasting import unbroadcast
from tapeless.runtime.interpolation import (
    held_knots,
    interpolated,
    knots_alone,
    knots_through,
    spline_at,
    spline_weights,
    surface_at,
    table_at,
    transposed_spline_weights,
    unmoved,
    weights_on,
)

__all__ = ["cubics", "grids", "piecewise", "polynomials", "radial", "smoothing"]

no_derivative(
    "a smoothing spline chooses how much it smooths; take scipy.interpolate.make_lsq_spline",
    interpolate.SmoothBivariateSpline,
)


def is_named(bc_type: Any) -> bool:
    """Whether ends are given by names, none of them periodic: then a spline is linear in its values."""
    ends = bc_type if isinstance(bc_type, (tuple, list)) else (bc_type,)
    return all(end is None or isinstance(end, str) and end != "periodic" for end in ends)


built_in_zero(is_named, pure=True)


def interpolate_cubic(
    x: Any, y: Any, axis: Any = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None
) -> Any:
    if axis != 0 or bc_type == "periodic":
        raise GradientError(
            "cubic splines are differentiated along axis 0, and where they are not periodic",
            fix="move the axis, and say what the ends are, such as 'natural'",
        )
    if not isinstance(bc_type, str):
        return cubic_with_ends(x, y, bc_type, extrapolate)
    options = {"bc_type": bc_type, "extrapolate": extrapolate}
    return Spline(("CubicSpline", options), held_knots(x), np.asarray(y, dtype=float))


def cubic_with_ends(x: Any, y: Any, bc_type: Any, extrapolate: Any) -> Any:
    """A spline with a derivative given at its ends is linear in that, too: it stands with the values."""
    first, last = bc_type
    y = np.asarray(y, dtype=float)
    options = {"ends": (end_of(first), end_of(last)), "extrapolate": extrapolate}
    values = np.concatenate([slope_at_end(first, y), y, slope_at_end(last, y)])
    return Spline(("cubic with ends", options), held_knots(x), values)


def end_of(end: Any) -> Any:
    """Return the order of the derivative that is given at an end, or the name of what is done there."""
    return end if isinstance(end, str) else int(end[0])


def slope_at_end(end: Any, y: Any) -> Any:
    """Return the derivative that is given at an end, along a first axis; 0 where a name is."""
    given = 0.0 if isinstance(end, str) else end[1]
    shape = np.shape(y)[1:]
    return np.reshape(np.broadcast_to(given, shape), (1, *shape))


built_in_zero(end_of, pure=True)


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
    if w is not None:
        raise GradientError("splines through all points are differentiated without weights")
    return Spline(("make_interp_spline", {"k": k}), held_knots(x), np.asarray(y, dtype=float))


def interpolate_univariate(
    x: Any, y: Any, w: Any = None, bbox: Any = (None, None), k: Any = 3, s: Any = None,
    ext: Any = 0, check_finite: Any = False,
) -> Any:  # fmt: skip
    if s != 0 or w is not None or ext != 0:
        raise GradientError(
            "UnivariateSpline is differentiated for s=0, and ext=0: one that smooths chooses its knots by y",
            fix="pass s=0, or take LSQUnivariateSpline with knots of your own",
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


def interpolate_splint(a: Any, b: Any, tck: Any, full_output: Any = 0) -> Any:
    """Outside of its knots the spline counts as zero."""
    if full_output:
        raise GradientError("splint is differentiated without full_output")
    make, t, c = parts_of(tck)
    k = tck[2]
    start, end = t[k], t[len(t) - k - 1]
    above = interpolated(make, t, c, np.clip(b, start, end), -1)
    return above - interpolated(make, t, c, np.clip(a, start, end), -1)


def interpolate_splder(tck: Any, n: Any = 1) -> Any:
    """The coefficients of the derivative are differences, each over the knots that it reaches across."""
    if n < 0:
        return interpolate_splantider(tck, -n)
    t, c, k = tck
    for _ in range(n):
        c = (c[1 : -1 - k] - c[: -2 - k]) * k / (t[k + 1 : -1] - t[1 : -k - 1])
        c = np.concatenate([c, np.zeros(k)])
        t, k = t[1:-1], k - 1
    return t, c, k


def interpolate_splantider(tck: Any, n: Any = 1) -> Any:
    """The coefficients of the integral are sums."""
    if n < 0:
        return interpolate_splder(tck, -n)
    t, c, k = tck
    for _ in range(n):
        c = np.cumsum(c[: -k - 1] * (t[k + 1 :] - t[: -k - 1])) / (k + 1)
        c = np.concatenate([np.zeros(1), c, np.full(k + 2, 1.0) * c[-1]])
        t, k = np.concatenate([t[:1], t, t[-1:]]), k + 1
    return t, c, k


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


@register_gradient(table_at, kind=interpolation.table_at)
def table_at_rule(table: Any, x: Any, nu: Any = 0) -> Any:
    y = table_at(table, x, nu)
    more = tuple(range(np.ndim(x), np.ndim(y)))

    def grad(y_bar: Any) -> Any:
        return None, np.sum(y_bar * table_at(table, x, nu + 1), axis=more), None

    def jvp(x_dot: Any) -> Any:
        return table_at(table, x, nu + 1) * np.reshape(x_dot, np.shape(x) + (1,) * len(more))

    return y, grad, jvp


@register_gradient(surface_at)
def surface_at_rule(surface: Any, x: Any, y: Any, dx: Any = 0, dy: Any = 0) -> Any:
    z = surface_at(surface, x, y, dx, dy)

    def grad(z_bar: Any) -> Any:
        x_bar = unbroadcast(z_bar * surface_at(surface, x, y, dx + 1, dy), x)
        y_bar = unbroadcast(z_bar * surface_at(surface, x, y, dx, dy + 1), y)
        return None, x_bar, y_bar, None, None

    def jvp(x_dot: Any, y_dot: Any) -> Any:
        in_x = surface_at(surface, x, y, dx + 1, dy) * x_dot
        return in_x + surface_at(surface, x, y, dx, dy + 1) * y_dot

    return z, grad, jvp


traits(table_at, surface_at, says_more=True, calls=False)


def ev_of_surface(self: Any, xi: Any, yi: Any, dx: Any = 0, dy: Any = 0) -> Any:
    return surface_at(self, xi, yi, dx, dy)


written_out(interpolate.BivariateSpline.ev, ev_of_surface)


def call_of_table(self: Any, x: Any) -> Any:
    return table_at(self, x)


def call_of_univariate(self: Any, x: Any, nu: Any = 0, ext: Any = None) -> Any:
    if ext is not None:
        raise GradientError("say ext where the spline is made")
    return table_at(self, x, nu)


def derivative_of_table(self: Any, x: Any, der: Any = 1) -> Any:
    return table_at(self, x, der)


for _cls in (
    interpolate.KroghInterpolator,
    interpolate.BarycentricInterpolator,
    interpolate.interp1d,
):
    written_out(inspect.getattr_static(_cls, "__call__"), call_of_table)
for _cls in (interpolate.KroghInterpolator, interpolate.BarycentricInterpolator):
    written_out(_cls.derivative, derivative_of_table)
written_out(inspect.getattr_static(interpolate.UnivariateSpline, "__call__"), call_of_univariate)


def integral_of_spline(self: Any, a: Any, b: Any, extrapolate: Any = None) -> Any:
    if extrapolate is not None or self.extrapolate == "periodic":
        raise GradientError("a spline that is not periodic is integrated as it was made")
    return spline_at(self, b, -1) - spline_at(self, a, -1)


written_out(interpolate.PPoly.integrate, integral_of_spline)
for _cls in (interpolate.PPoly, interpolate.BSpline, interpolate.CubicSpline):
    written_out(inspect.getattr_static(_cls, "__call__"), call_of_spline)


_WRITTEN: dict[str, Any] = {
    "CubicSpline": interpolate_cubic,
    "BSpline": interpolate_bspline,
    "make_interp_spline": interpolate_make_interp_spline,
    "InterpolatedUnivariateSpline": interpolate_through,
    "UnivariateSpline": interpolate_univariate,
    "make_lsq_spline": interpolate_make_lsq_spline,
    "splrep": interpolate_splrep,
    "splev": interpolate_splev,
    "splint": interpolate_splint,
    "splder": interpolate_splder,
    "splantider": interpolate_splantider,
}
for _name, _function in _WRITTEN.items():
    written_out(getattr(interpolate, _name), _function)
