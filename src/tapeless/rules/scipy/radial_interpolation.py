"""Interpolation by radial functions, written out: in the places, the values and the points.

The interpolant is `sum_j w[j] phi(eps |x - y[j]|)` and a polynomial of low degree, to which the weights
are orthogonal (Fasshauer 2007, chapter 6). The system for the weights and the coefficients is solved
once, where the object is made. Radial functions are written in squared distances, which have slopes at 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import interpolate

from tapeless.errors import GradientError
from tapeless.rules.declare import written_out

_DEGREES = {"multiquadric": 0, "linear": 0, "thin_plate_spline": 1, "cubic": 1, "quintic": 2}
_SCALED = ("multiquadric", "inverse_multiquadric", "inverse_quadratic", "gaussian")


def radial(kernel: Any, squared: Any) -> Any:
    """Return a radial function of squared distances."""
    if kernel == "multiquadric":
        return -np.sqrt(1.0 + squared)
    if kernel == "inverse_multiquadric":
        return 1.0 / np.sqrt(1.0 + squared)
    if kernel == "inverse_quadratic":
        return 1.0 / (1.0 + squared)
    if kernel == "gaussian":
        return np.exp(-squared)
    apart = squared > 0.0
    s = np.where(apart, squared, 1.0)
    if kernel == "thin_plate_spline":
        return np.where(apart, 0.5 * s * np.log(s), 0.0)
    r = np.where(apart, np.sqrt(s), 0.0)
    if kernel == "linear":
        return -r
    return squared * r if kernel == "cubic" else -(squared**2) * r


def monomials(x: Any, degree: Any) -> Any:
    """Return the monomials up to a degree of at most 2 at some places, one column for each."""
    columns = [np.ones((len(x), 1)), x]
    if degree == 2:
        first, second = np.triu_indices(np.shape(x)[1])
        columns.append(x[:, first] * x[:, second])
    return np.concatenate(columns[: degree + 1], axis=1)


def kernel_matrix(kernel: Any, epsilon: Any, x: Any, y: Any) -> Any:
    """Return the radial function of the distances between places and points."""
    apart = np.expand_dims(x, 1) - np.expand_dims(y, 0)
    return radial(kernel, epsilon**2 * np.sum(apart * apart, axis=-1))


class RadialBasis(NamedTuple):
    """An interpolant by radial functions that may vary."""

    kernel: Any
    degree: Any
    epsilon: Any
    points: Any
    weights: Any

    def __call__(self, x: Any) -> Any:
        """Return its values at some places, one for each row."""
        functions = kernel_matrix(self.kernel, self.epsilon, x, self.points)
        n = len(self.points)
        if self.degree < 0:
            return functions @ self.weights
        return functions @ self.weights[:n] + monomials(x, self.degree) @ self.weights[n:]


def interpolate_rbf(
    y: Any, d: Any, neighbors: Any = None, smoothing: Any = 0.0,
    kernel: Any = "thin_plate_spline", epsilon: Any = None, degree: Any = None,
) -> Any:  # fmt: skip
    least = _DEGREES.get(kernel, -1)
    used = max(least, 0) if degree is None else degree
    if neighbors is not None or used > 2 or used < least:
        raise GradientError(
            "RBFInterpolator is differentiated with all neighbors, and for degrees up to 2",
            fix="leave out neighbors, or give another degree",
        )
    if kernel in _SCALED and epsilon is None:
        raise ValueError(f"`epsilon` must be specified for the kernel {kernel}")
    scale = 1.0 if epsilon is None else epsilon
    system = kernel_matrix(kernel, scale, y, y) + smoothing * np.eye(len(y))
    if used < 0:
        return RadialBasis(kernel, used, scale, y, np.linalg.solve(system, d))
    tail = monomials(y, used)
    zeros = np.zeros((np.shape(tail)[1], np.shape(tail)[1]))
    whole = np.block([[system, tail], [tail.T, zeros]])
    right = np.concatenate([d, np.zeros((np.shape(tail)[1], *np.shape(d)[1:]))])
    return RadialBasis(kernel, used, scale, y, np.linalg.solve(whole, right))


written_out(interpolate.RBFInterpolator, interpolate_rbf, always=True)
