"""Piecewise cubic functions of values and slopes; slopes by formulas that are not linear in the values.

`PchipInterpolator` and `Akima1DInterpolator` choose the slopes; they are written out, and may vary in the
places where the values are given, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import interpolate

from tapeless.errors import GradientError
from tapeless.rules.declare import built_in_zero, written_out
from tapeless.rules.results import interpolation
from tapeless.runtime.interpolation import cell_of, is_outside_of

built_in_zero(cell_of, kind=interpolation.like_second)


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
    """The slopes of Akima (1970): means weighed by the changes of slope on the other side.

    Those of "makima" count the mean slope as well, by half, so that a flat part stays flat.
    """
    if np.ndim(y) != 1 or len(x) < 3:
        raise GradientError("Akima1DInterpolator is differentiated for three or more numbers")
    if extrapolate == "periodic":
        raise GradientError(_PERIODIC)
    x, y = np.asarray(x), np.asarray(y)
    inner = (y[1:] - y[:-1]) / (x[1:] - x[:-1])
    left, right = 2.0 * inner[0] - inner[1], 2.0 * inner[-1] - inner[-2]
    ends = np.stack([2.0 * left - inner[0], left]), np.stack([right, 2.0 * right - inner[-1]])
    m = np.concatenate([ends[0], inner, ends[1]])
    change = np.abs(m[1:] - m[:-1])
    if method == "makima":
        change = change + 0.5 * np.abs(m[1:] + m[:-1])
    before, after = change[2:], change[:-2]
    total = before + after
    straight = total <= 1e-9 * np.max(total)
    share = np.where(straight, 0.5, before / np.where(straight, 1.0, total))
    return Hermite(x, y, share * m[1:-2] + (1.0 - share) * m[2:-1], extrapolate)


def interpolate_hermite(x: Any, y: Any, dydx: Any, axis: Any = 0, extrapolate: Any = None) -> Any:
    if np.ndim(y) != 1 or extrapolate == "periodic":
        raise GradientError("CubicHermiteSpline is differentiated for numbers, not periodic")
    slopes = np.asarray(dydx)
    return Hermite(np.asarray(x), np.asarray(y), slopes, extrapolate is None or extrapolate)


def interpolate_pchip_at(xi: Any, yi: Any, x: Any, der: Any = 0, axis: Any = 0) -> Any:
    if np.ndim(der) != 0:
        raise GradientError("pchip_interpolate is differentiated for one derivative at a time")
    curve = interpolate_pchip(xi, yi, axis)
    if der == 0:
        return curve(x)
    return curve.derivative(der)(x)


_WRITTEN: dict[str, Any] = {
    "PchipInterpolator": interpolate_pchip,
    "pchip_interpolate": interpolate_pchip_at,
    "Akima1DInterpolator": interpolate_akima,
    "CubicHermiteSpline": interpolate_hermite,
}
for _name, _function in _WRITTEN.items():
    written_out(getattr(interpolate, _name), _function)
