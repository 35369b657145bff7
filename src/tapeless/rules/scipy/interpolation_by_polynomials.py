"""The polynomial through some points, by the formulas of Lagrange; all may vary, the points, too.

Its derivative is the polynomial through its own slopes at the points, which a matrix gives (Berrut and
Trefethen 2004, equations 9.4 and 9.5).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import interpolate

from tapeless.errors import GradientError
from tapeless.rules.declare import built_in_zero, written_out


def meet(xi: Any) -> bool:
    """Whether two of the points are one."""
    return bool(len(np.unique(xi)) < len(xi))


built_in_zero(meet, pure=True)


def shares_of(xi: Any, x: Any) -> Any:
    """Return by how much each value counts at each place: a row for a place."""
    own = np.eye(len(xi), dtype=bool)
    apart = np.where(own, 1.0, np.reshape(xi, (-1, 1)) - xi)
    away = np.where(own, 1.0, np.reshape(x, (*np.shape(x), 1, 1)) - xi)
    return np.prod(away / apart, axis=-1)


def slopes_of(xi: Any) -> Any:
    """Return the matrix that gives the slopes at the points."""
    own = np.eye(len(xi), dtype=bool)
    apart = np.where(own, 1.0, np.reshape(xi, (-1, 1)) - xi)
    scale = np.prod(apart, axis=-1)
    off = np.where(own, 0.0, np.reshape(scale, (-1, 1)) / scale / apart)
    return off - np.diag(np.sum(off, axis=-1))


@dataclass
class Through:
    """The polynomial through some points."""

    xi: Any
    yi: Any

    def __call__(self, x: Any) -> Any:
        """Return its values at some places."""
        return shares_of(self.xi, x) @ self.yi

    def derivative(self, x: Any, der: Any = 1) -> Any:
        """Return one of its derivatives at some places."""
        slopes, matrix = self.yi, slopes_of(self.xi)
        for _ in range(der):
            slopes = matrix @ slopes
        return shares_of(self.xi, x) @ slopes

    def derivatives(self, x: Any, der: Any = None) -> Any:
        """Return its values and its first derivatives, along a new axis."""
        shares, slopes, matrix = shares_of(self.xi, x), self.yi, slopes_of(self.xi)
        found = [shares @ slopes]
        for _ in range((len(self.xi) if der is None else der) - 1):
            slopes = matrix @ slopes
            found.append(shares @ slopes)
        return np.stack(found)


def through(xi: Any, yi: Any, axis: Any) -> Any:
    """Return the polynomial through some points, if it is of values along the first axis."""
    if meet(xi):
        raise GradientError("polynomials are differentiated through points that differ")
    if axis != 0 and np.ndim(yi) != 1:
        raise GradientError("polynomials are differentiated along axis 0", fix="move the axis")
    return Through(np.asarray(xi, dtype=float), np.asarray(yi, dtype=float))


def interpolate_krogh(xi: Any, yi: Any, axis: Any = 0) -> Any:
    return through(xi, yi, axis)


def interpolate_barycentric(
    xi: Any, yi: Any = None, axis: Any = 0, *, wi: Any = None, rng: Any = None,
    random_state: Any = None,
) -> Any:  # fmt: skip
    if yi is None or wi is not None:
        raise GradientError("BarycentricInterpolator is differentiated with values, and no weights")
    return through(xi, yi, axis)


def interpolate_krogh_at(xi: Any, yi: Any, x: Any, der: Any = 0, axis: Any = 0) -> Any:
    if np.ndim(der) != 0:
        raise GradientError("krogh_interpolate is differentiated for one derivative at a time")
    return through(xi, yi, axis).derivative(x, der)


def interpolate_barycentric_at(
    xi: Any, yi: Any, x: Any, axis: Any = 0, *, der: Any = 0, rng: Any = None
) -> Any:
    if np.ndim(der) != 0:
        raise GradientError(
            "barycentric_interpolate is differentiated for one derivative at a time"
        )
    return through(xi, yi, axis).derivative(x, der)


_WRITTEN: dict[str, Any] = {
    "KroghInterpolator": interpolate_krogh,
    "BarycentricInterpolator": interpolate_barycentric,
    "krogh_interpolate": interpolate_krogh_at,
    "barycentric_interpolate": interpolate_barycentric_at,
}
for _name, _function in _WRITTEN.items():
    written_out(getattr(interpolate, _name), _function)
