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
    triangles_at,
)

built_in_zero(is_outside_of, kind=interpolation.like_second)
built_in_zero(triangles_at, kind=interpolation.triangles)


@dataclass
class Line:
    """Interpolation between numbers: linear, or by a spline of a degree; `ends` are what is beyond."""

    degree: int
    x: Any
    y: Any
    bounded: bool
    ends: Any

    def __call__(self, z: Any) -> Any:
        """Return the values at some places."""
        if self.bounded and np.any(is_outside_of(self.x, z)):
            raise ValueError("a value in x_new is outside of the interpolation range")
        if self.degree > 1:
            make = ("make_interp_spline", {"k": self.degree})
            y = interpolated(make, self.x, self.y, z)
        else:
            i = cell_of(self.x, z)
            share = (z - self.x[i]) / (self.x[i + 1] - self.x[i])
            y = self.y[i] + share * (self.y[i + 1] - self.y[i])
        if self.ends is None:
            return y
        return np.where(z > self.x[-1], self.ends[1], np.where(z < self.x[0], self.ends[0], y))


_DEGREES = {"linear": 1, "slinear": 1, "quadratic": 2, "cubic": 3}


def interpolate_interp1d(
    x: Any, y: Any, kind: Any = "linear", axis: Any = -1, copy: Any = True,
    bounds_error: Any = None, fill_value: Any = np.nan, assume_sorted: Any = False,
) -> Any:  # fmt: skip
    if np.ndim(y) != 1 or kind not in _DEGREES:
        raise GradientError(
            "interp1d is differentiated for numbers, and for kind 'linear', 'quadratic' and 'cubic'"
        )
    knots, y = np.asarray(held_knots(x)), np.asarray(y)
    if not assume_sorted:
        order = np.argsort(knots)
        knots, y = knots[order], y[order]
    if fill_value == "extrapolate" or bounds_error is not False:
        return Line(_DEGREES[kind], knots, y, fill_value != "extrapolate", None)
    ends = fill_value if isinstance(fill_value, tuple) else (fill_value, fill_value)
    return Line(_DEGREES[kind], knots, y, False, ends)


def linear_on_grid(
    points: Any, values: Any, xi: Any, bounds_error: Any = True, fill_value: Any = np.nan
) -> Any:
    """Sum the values at the corners of a cell, weighed by the distances of the opposite ones."""
    if isinstance(xi, tuple):
        xi = np.stack(xi, axis=-1)
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
    return Grid(points, values, bounds_error, fill_value)


def interpolate_interpn(
    points: Any, values: Any, xi: Any, method: Any = "linear", bounds_error: Any = True,
    fill_value: Any = np.nan,
) -> Any:  # fmt: skip
    if method != "linear":
        raise GradientError("interpn is differentiated for method='linear'")
    return linear_on_grid(points, values, xi, bounds_error, fill_value)


@dataclass
class Surface:
    """A spline in two variables: a spline in one of splines in the other."""

    x: Any
    y: Any
    z: Any
    kx: Any
    ky: Any

    def __call__(self, xi: Any, yi: Any, dx: Any = 0, dy: Any = 0, grid: Any = True) -> Any:
        """Return the values on the grid of some places, or at pairs of them."""
        first = ("make_interp_spline", {"k": self.kx})
        second = ("make_interp_spline", {"k": self.ky})
        if grid:
            along = interpolated(first, self.x, self.z, np.atleast_1d(xi), dx)
            return interpolated(second, self.y, along.T, np.atleast_1d(yi), dy).T
        in_x = interpolated(first, self.x, np.eye(len(self.x)), xi, dx)
        in_y = interpolated(second, self.y, np.eye(len(self.y)), yi, dy)
        return np.sum((in_x @ self.z) * in_y, axis=-1)

    def ev(self, xi: Any, yi: Any, dx: Any = 0, dy: Any = 0) -> Any:
        """Return the values at pairs of places."""
        in_x = interpolated(
            ("make_interp_spline", {"k": self.kx}), self.x, np.eye(len(self.x)), xi, dx
        )
        in_y = interpolated(
            ("make_interp_spline", {"k": self.ky}), self.y, np.eye(len(self.y)), yi, dy
        )
        return np.sum((in_x @ self.z) * in_y, axis=-1)


def interpolate_surface(
    x: Any, y: Any, z: Any, bbox: Any = (None, None, None, None), kx: Any = 3, ky: Any = 3,
    s: Any = 0, maxit: Any = 20,
) -> Any:  # fmt: skip
    if s != 0 or kx not in (1, 3) or ky not in (1, 3):
        raise GradientError("RectBivariateSpline is differentiated for s=0 and degrees 1 and 3")
    return Surface(held_knots(x), held_knots(y), z, kx, ky)


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
    "griddata": interpolate_griddata,
}
for _name, _function in _WRITTEN.items():
    written_out(getattr(interpolate, _name), _function)
