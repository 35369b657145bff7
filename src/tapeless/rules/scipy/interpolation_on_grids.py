"""Interpolation between the points of grids and in triangles, linear or by splines along each axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import interpolate

from tapeless.errors import GradientError
from tapeless.rules.declare import built_in_zero, written_out
from tapeless.rules.results import interpolation
from tapeless.runtime.interpolation import (
    cell_of,
    held_knots,
    interpolated,
    is_outside_of,
    knots_alone,
    step_of,
    triangles_at,
)

built_in_zero(is_outside_of, kind=interpolation.like_second)
built_in_zero(step_of, kind=interpolation.like_second)
built_in_zero(triangles_at, kind=interpolation.triangles)


_DEGREES = {
    "nearest": 0, "nearest-up": 0, "previous": 0, "next": 0, "zero": 0, "linear": 1, "slinear": 1,
    "quadratic": 2, "cubic": 3,
}  # fmt: skip


def for_each_value(t: Any, y: Any) -> Any:
    """Return what there is of each place with the axes behind it that a value of `y` has."""
    if np.ndim(y) == 1:
        return t
    return np.reshape(t, np.shape(t) + (1,) * (np.ndim(y) - 1))


@dataclass
class Line:
    """Interpolation along an axis, which `y` has as its first one: by steps, lines, or a spline.

    What is constant between steps has the derivative 0 in the places; `step` says at which side of a
    place the value is taken. Beyond the ends there is nothing if it is bounded, or `below` and `above`;
    None to go on.
    """

    degree: int
    step: str
    x: Any
    y: Any
    axis: Any
    bounded: bool
    below: Any
    above: Any

    def __call__(self, z: Any) -> Any:
        """Return the values at some places."""
        if self.bounded and np.any(is_outside_of(self.x, z)):
            raise ValueError("a value in x_new is outside of the interpolation range")
        i = step_of(self.x, z, self.step)
        if self.degree > 1:
            y = interpolated(("make_interp_spline", {"k": self.degree}), self.x, self.y, z)
        elif self.degree == 1:
            share = for_each_value((z - self.x[i]) / (self.x[i + 1] - self.x[i]), self.y)
            y = self.y[i] + share * (self.y[i + 1] - self.y[i])
        else:
            y = 1.0 * self.y[i]
        if self.below is not None:
            y = np.where(for_each_value(z < self.x[0], self.y), self.below, y)
            y = np.where(for_each_value(z > self.x[-1], self.y), self.above, y)
        if np.ndim(self.y) == 1 or np.ndim(z) == 0:
            return y
        places = range(np.ndim(z))
        return np.moveaxis(y, tuple(places), tuple(self.axis + k for k in places))


def ends_of(kind: Any, y: Any, bounds_error: Any, fill_value: Any) -> Any:
    """Return whether there is nothing beyond the ends, and what is below and above; None to go on."""
    if isinstance(fill_value, str) and fill_value == "extrapolate":
        if kind == "previous":
            return False, np.nan, 1.0 * y[-1]
        if kind == "next":
            return False, 1.0 * y[0], np.nan
        return False, None, None
    if bounds_error is not False:
        return True, None, None
    if isinstance(fill_value, tuple) and len(fill_value) == 2:
        return False, np.asarray(fill_value[0]), np.asarray(fill_value[1])
    return False, np.asarray(fill_value), np.asarray(fill_value)


def interpolate_interp1d(
    x: Any, y: Any, kind: Any = "linear", axis: Any = -1, copy: Any = True,
    bounds_error: Any = None, fill_value: Any = np.nan, assume_sorted: Any = False,
) -> Any:  # fmt: skip
    knots, y = np.asarray(held_knots(x)), np.asarray(y)
    along = axis % np.ndim(y)
    if np.ndim(y) > 1:
        y = np.moveaxis(y, along, 0)
    if not assume_sorted:
        order = np.argsort(knots)
        knots, y = knots[order], y[order]
    bounded, below, above = ends_of(kind, y, bounds_error, fill_value)
    degree = _DEGREES[kind] if isinstance(kind, str) else kind
    step = "cell" if degree > 0 else kind if isinstance(kind, str) else "zero"
    return Line(degree, step, knots, y, along, bounded, below, above)


def places_in(xi: Any, size: int) -> Any:
    """Return places with their coordinates on the last axis; one place alone is a row of places."""
    if isinstance(xi, tuple) and len(xi) > 1:
        return np.stack(xi, axis=-1)
    places = np.asarray(xi[0] if isinstance(xi, tuple) else xi)
    return np.reshape(places, (-1, size)) if np.ndim(places) == 1 else places


def ascending(points: Any) -> Any:
    """Return the points along each axis in ascending order."""
    axes = tuple(np.asarray(p) for p in points)
    return tuple(p[::-1] if p[0] > p[-1] else p for p in axes)


def turned(points: Any, values: Any) -> Any:
    """Return values in the order of points that ascend."""
    values = np.asarray(values)
    for axis in range(len(points)):
        if points[axis][0] > points[axis][-1]:
            values = np.flip(values, axis)
    return values


def linear_on_grid(
    points: Any, values: Any, xi: Any, bounds_error: Any = True, fill_value: Any = np.nan
) -> Any:
    """Sum the values at the corners of a cell, weighed by the distances of the opposite ones."""
    xi = places_in(xi, len(points))
    outside = is_outside_of(points[0], xi[..., 0])
    for axis in range(1, len(points)):
        outside = outside | is_outside_of(points[axis], xi[..., axis])
    if bounds_error and np.any(outside):
        raise ValueError("One of the requested xi is out of bounds")
    cells, shares = [], []
    for axis in range(len(points)):
        i = cell_of(points[axis], xi[..., axis])
        cells.append(i)
        width = points[axis][i + 1] - points[axis][i]
        shares.append((xi[..., axis] - points[axis][i]) / width)
    y = 0.0
    for corner in np.ndindex(*(2,) * len(points)):
        weight = 1.0
        for axis in range(len(points)):
            share = shares[axis]
            weight = weight * (share if corner[axis] == 1 else 1.0 - share)
        y = y + weight * values[tuple(cells[axis] + corner[axis] for axis in range(len(points)))]
    if fill_value is None:
        return y
    return np.where(outside, fill_value, y)


@dataclass
class Grid:
    """Linear interpolation on a grid."""

    points: Any
    values: Any
    bounds_error: Any
    fill_value: Any

    def __call__(self, xi: Any) -> Any:
        """Return the values at some places."""
        return linear_on_grid(self.points, self.values, xi, self.bounds_error, self.fill_value)


def interpolate_grid(
    points: Any, values: Any, method: Any = "linear", bounds_error: Any = True,
    fill_value: Any = np.nan,
) -> Any:  # fmt: skip
    if method != "linear":
        raise GradientError(
            "grids are interpolated linearly where they are differentiated",
            fix="take RectBivariateSpline for cubic splines in two variables",
        )
    return Grid(ascending(points), turned(points, values), bounds_error, fill_value)


def call_of_grid(self: Any, xi: Any, method: Any = None, *, nu: Any = None) -> Any:
    """What a grid that was made outside says at places that vary."""
    if method is not None or nu is not None or self.method != "linear":
        raise GradientError("grids are interpolated linearly where they are differentiated")
    return linear_on_grid(self.grid, self.values, xi, self.bounds_error, self.fill_value)


written_out(interpolate.RegularGridInterpolator.__call__, call_of_grid)


def interpolate_interpn(
    points: Any, values: Any, xi: Any, method: Any = "linear", bounds_error: Any = True,
    fill_value: Any = np.nan,
) -> Any:  # fmt: skip
    if method != "linear":
        raise GradientError("interpn is differentiated for method='linear'")
    axes, values = ascending(points), turned(points, values)
    return linear_on_grid(axes, values, xi, bounds_error, fill_value)


@dataclass
class Surface:
    """A spline in two variables: a spline in one of splines in the other; constant beyond its ends."""

    x: Any
    y: Any
    z: Any
    kx: Any
    ky: Any
    ends: Any

    def __call__(self, xi: Any, yi: Any, dx: Any = 0, dy: Any = 0, grid: Any = True) -> Any:
        """Return the values on the grid of some places, or at pairs of them."""
        if not grid:
            return self.ev(xi, yi, dx, dy)
        at_x, at_y = nearest_within(self.ends, xi, yi)
        first = ("make_interp_spline", {"k": self.kx})
        second = ("make_interp_spline", {"k": self.ky})
        along = interpolated(first, self.x, self.z, np.atleast_1d(at_x), dx)
        return interpolated(second, self.y, along.T, np.atleast_1d(at_y), dy).T

    def ev(self, xi: Any, yi: Any, dx: Any = 0, dy: Any = 0) -> Any:
        """Return the values at pairs of places."""
        at_x, at_y = nearest_within(self.ends, xi, yi)
        first = ("make_interp_spline", {"k": self.kx})
        second = ("make_interp_spline", {"k": self.ky})
        in_x = interpolated(first, self.x, np.eye(len(self.x)), at_x, dx)
        in_y = interpolated(second, self.y, np.eye(len(self.y)), at_y, dy)
        return np.sum((in_x @ self.z) * in_y, axis=-1)


def nearest_within(ends: Any, xi: Any, yi: Any) -> Any:
    """Return the nearest places where a surface is not constant."""
    return np.clip(xi, ends[0], ends[1]), np.clip(yi, ends[2], ends[3])


def box_of(x: Any, y: Any, bbox: Any) -> Any:
    """Return the ends of a surface: those of its grid where no others are given."""
    given = zip(bbox, (x[0], x[-1], y[0], y[-1]), strict=True)
    return tuple([float(own if end is None else end) for end, own in given])


built_in_zero(box_of, kind=interpolation.four_numbers)


def interpolate_surface(
    x: Any, y: Any, z: Any, bbox: Any = (None, None, None, None), kx: Any = 3, ky: Any = 3,
    s: Any = 0, maxit: Any = 20,
) -> Any:  # fmt: skip
    if s != 0:
        raise GradientError("RectBivariateSpline is differentiated for s=0")
    return Surface(held_knots(x), held_knots(y), z, kx, ky, box_of(x, y, bbox))


def interpolate_bisplev(x: Any, y: Any, tck: Any, dx: Any = 0, dy: Any = 0) -> Any:
    """The splines of either axis at its places, and between them the coefficients; constant beyond."""
    tx, ty, c, kx, ky = tck
    counts = len(tx) - kx - 1, len(ty) - ky - 1
    ends = tx[kx], tx[counts[0]], ty[ky], ty[counts[1]]
    at_x, at_y = nearest_within(ends, np.atleast_1d(x), np.atleast_1d(y))
    first, second = ("BSpline", {"k": kx}), ("BSpline", {"k": ky})
    in_x = interpolated(first, knots_alone(tx), np.eye(counts[0]), at_x, dx)
    in_y = interpolated(second, knots_alone(ty), np.eye(counts[1]), at_y, dy)
    values = in_x @ np.reshape(c, counts) @ in_y.T
    if len(values) > 1:
        return values
    return values[0] if len(values[0]) > 1 else values[0, 0]


def interpolate_griddata(
    points: Any, values: Any, xi: Any, method: Any = "linear", fill_value: Any = np.nan,
    rescale: Any = False,
) -> Any:  # fmt: skip
    """Linear in each triangle of Delaunay's; the points are held fixed."""
    if method != "linear" or rescale:
        raise GradientError("griddata is differentiated for method='linear'")
    inside, corners, matrices, origins = triangles_at(points, xi)
    first = np.sum(matrices * np.expand_dims(xi - origins, -2), axis=-1)
    shares = np.concatenate([first, 1.0 - np.sum(first, axis=-1, keepdims=True)], axis=-1)
    return np.where(inside, np.sum(shares * values[corners], axis=-1), fill_value)


_WRITTEN: dict[str, Any] = {
    "interp1d": interpolate_interp1d,
    "RegularGridInterpolator": interpolate_grid,
    "interpn": interpolate_interpn,
    "RectBivariateSpline": interpolate_surface,
    "bisplev": interpolate_bisplev,
    "griddata": interpolate_griddata,
}
for _name, _function in _WRITTEN.items():
    written_out(getattr(interpolate, _name), _function)
