"""Interpolation by splines that are linear in the values, and the cells of grids."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from scipy import interpolate, linalg, spatial

from tapeless.errors import GradientError
from tapeless.runtime.bands import transposed_band


def interpolated(make: Any, knots: Any, values: Any, z: Any, nu: Any = 0) -> Any:
    """Return a derivative of the spline of some values, at some places.

    Parameters
    ----------
    make
        The name of the function or class in `scipy.interpolate`, and its options; or "cubic with ends",
        with what is given at the `ends`: the order of a derivative, which stands beside the values.
    knots, values
        Where the values are given, and the values along the first axis; for a `BSpline` its knots and
        coefficients.
    z
        The places, of any shape.
    nu
        Which derivative: 0 for the spline itself, -1 for its integral.

    Examples
    --------
    >>> x = np.linspace(0.0, 3.0, 7)
    >>> round(float(interpolated(("CubicSpline", {}), x, x**3, 1.7)), 6)
    4.913
    """
    label, options = make
    if label == "BSpline":
        spline = interpolate.BSpline(knots, values, **options)
    elif label == "cubic with ends":
        first, last = (
            end if isinstance(end, str) else (end, value)
            for end, value in zip(options["ends"], (values[0], values[-1]), strict=True)
        )
        spline = interpolate.CubicSpline(
            knots, values[1:-1], bc_type=(first, last), extrapolate=options["extrapolate"]
        )
    else:
        spline = getattr(interpolate, label)(knots, values, **options)
    return spline(z, nu) if nu >= 0 else spline.antiderivative(-nu)(z)


def held_knots(x: Any, t: Any = None, w: Any = None) -> Any:
    """Return the knots of a spline, which may not depend on an independent; nor may `t` and `w`."""
    return x


def held_penalty(y: Any, lam: Any) -> Any:
    """Return the values of a smoothing spline, of which the penalty may not depend on an independent."""
    return +y


def knots_alone(knots: Any) -> Any:
    """Return knots that are looked at apart from the weights on them, which `weights_on` gives."""
    return knots


def weights_on(knots: Any, weights: Any) -> Any:
    """Return the weights of the splines on some knots, which may not depend on an independent."""
    return +weights


def unmoved(knots_dot: Any) -> float:
    """Return 0, the tangent of knots that do not move; refuse those that do."""
    if np.any(knots_dot):
        raise GradientError(
            "the knots of a spline are held fixed",
            fix="interpolate with the places as a function of the knots",
        )
    return 0.0


def spline_at(spline: Any, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
    """Return a derivative of a spline of SciPy at some places; for -1 an integral of it."""
    if nu < 0:
        return spline.antiderivative(-nu)(x, 0, extrapolate)
    return spline(x, nu, extrapolate)


def table_at(table: Any, x: Any, nu: Any = 0) -> Any:
    """Return a derivative of an interpolator of SciPy's that has no parameter for it, at some places.

    Examples
    --------
    >>> table = interpolate.interp1d([0.0, 1.0, 2.0], [0.0, 3.0, 5.0])
    >>> table_at(table, np.array([0.5, 1.5]), 1)
    array([3., 2.])
    """
    if nu == 0:
        return table(x)
    if isinstance(table, interpolate.UnivariateSpline):
        t = table._eval_args[0]
        beyond = is_outside_of(t, x) if table.ext == 3 else False
        return np.where(beyond, 0.0, table(x, nu))
    if not isinstance(table, interpolate.interp1d):
        return copy.copy(table).derivative(x, nu)  # which keeps what it has computed
    if np.ndim(table.y) != 1:
        raise GradientError("a table that stays as it is is differentiated for one number a place")
    beyond = False if table.fill_value == "extrapolate" else is_outside_of(table.x, x)
    return np.where(beyond, 0.0, _slope_of_line(table, np.asarray(x), nu))


def surface_at(surface: Any, x: Any, y: Any, dx: Any = 0, dy: Any = 0) -> Any:
    """Return a derivative of a spline in two variables at pairs of places; it is constant beyond its ends.

    Examples
    --------
    >>> surface = interpolate.RectBivariateSpline(np.arange(4.0), np.arange(4.0), np.ones((4, 4)))
    >>> float(surface_at(surface, 9.0, 1.5)), float(surface_at(surface, 9.0, 1.5, 1))
    (1.0, 0.0)
    """
    if dx == 0 and dy == 0:
        return surface.ev(x, y)
    (knots_x, knots_y, weights), (kx, ky) = surface.tck, surface.degrees
    in_x, in_y = _all_splines(knots_x, kx, x, dx), _all_splines(knots_y, ky, y, dy)
    table = np.reshape(weights, (np.shape(in_x)[-1], np.shape(in_y)[-1]))
    return np.sum((in_x @ table) * in_y, axis=-1)


def _all_splines(knots: Any, k: Any, x: Any, nu: Any) -> Any:
    """Return a derivative of each B-spline on some knots, a row for each place; 0 beyond the knots."""
    unit = np.eye(len(knots) - k - 1)
    found = interpolate.BSpline(knots, unit, k)(np.clip(x, knots[0], knots[-1]), nu)
    return np.where((nu > 0) & np.expand_dims(is_outside_of(knots, x), -1), 0.0, found)


def _slope_of_line(table: Any, x: Any, nu: int) -> Any:
    """Return a derivative of what `interp1d` has made, as if it went on beyond its ends."""
    if hasattr(table, "_spline"):
        return np.reshape(table._spline(x, nu), np.shape(x))
    if table._kind != "linear" or nu > 1:
        return np.zeros_like(x, dtype=float)
    i = cell_of(table.x, x)
    return (table.y[i + 1] - table.y[i]) / (table.x[i + 1] - table.x[i])


def knots_through(x: Any, k: Any) -> Any:
    """Return the knots that `splrep` chooses for a spline through values at all of the places."""
    return interpolate.splrep(x, np.zeros(len(x)), k=k, s=0)[0]


def spline_weights(t: Any, x: Any, y: Any, k: Any) -> Any:
    """Return the coefficients of the spline with knots `t` that has the values `y` at `x`.

    Examples
    --------
    >>> x = np.arange(5.0)
    >>> spline_weights(knots_through(x, 3), x, np.ones(5), 3).round(6)
    array([1., 1., 1., 1., 1.])
    """
    return linalg.solve_banded((k, k), spline_bands(t, x, k), y)


def transposed_spline_weights(t: Any, x: Any, c: Any, k: Any) -> Any:
    """Return the cotangent of the values of a spline from that of its coefficients."""
    return linalg.solve_banded((k, k), transposed_band(spline_bands(t, x, k), k, k), c)


def spline_bands(t: Any, x: Any, k: Any) -> Any:
    """Return the values of all B-splines at the places, a row for each place, in diagonal form."""
    matrix = interpolate.BSpline.design_matrix(x, t, k).todia()
    bands = np.zeros((2 * k + 1, len(x)))
    for offset, diagonal in zip(matrix.offsets, matrix.data, strict=True):
        bands[k - offset, : len(diagonal)] = diagonal
    return bands


def cell_of(points: Any, z: Any) -> Any:
    """Return the number of the interval in which each place lies, the first or last where in none.

    Examples
    --------
    >>> cell_of(np.array([0.0, 1.0, 2.0]), np.array([-1.0, 0.5, 2.0]))
    array([0, 0, 1])
    """
    return np.clip(np.searchsorted(points, z, side="right") - 1, 0, len(points) - 2)


def step_of(points: Any, z: Any, kind: str) -> Any:
    """Return the number of the point whose value each place is given, of the first or last beyond all.

    `kind` is that of `interp1d`, or "cell" for the point before each place that has one after it.

    Examples
    --------
    >>> x, z = np.array([0.0, 1.0, 2.0]), np.array([-1.0, 0.5, 1.0, 1.7])
    >>> step_of(x, z, "previous"), step_of(x, z, "nearest")
    (array([0, 0, 1, 1]), array([0, 0, 1, 2]))
    """
    last = len(points) - 1
    if kind == "cell":
        return cell_of(points, z)
    if kind in ("previous", "zero"):
        return np.clip(np.searchsorted(points, z, side="right") - 1, 0, last)
    if kind == "next":
        return np.clip(np.searchsorted(points, z, side="left"), 0, last)
    middles = points[1:] / 2.0 + points[:-1] / 2.0
    return np.searchsorted(middles, z, side="right" if kind == "nearest-up" else "left")


def is_outside_of(points: Any, z: Any) -> Any:
    """Return whether each place lies outside of all intervals."""
    return (z < points[0]) | (z > points[-1])


def triangles_at(points: Any, z: Any) -> Any:
    """Return, for each place, the corners of its triangle and the matrix and origin of its coordinates.

    Returns
    -------
    Which places lie in a triangle, the numbers of the corners, matrices and origins.
    """
    mesh = spatial.Delaunay(points)
    found = mesh.find_simplex(z)
    inside = found >= 0
    transform = mesh.transform[found]
    size = points.shape[1]
    return inside, mesh.simplices[found], transform[..., :size, :], transform[..., size, :]
