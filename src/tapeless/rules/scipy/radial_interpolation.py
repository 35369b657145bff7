"""Interpolation by radial functions, written out: in the places, the values and the points.

The interpolant is `sum_j w[j] phi(eps |x - y[j]|)` and a polynomial of low degree, to which the weights
are orthogonal (Fasshauer 2007, chapter 6). The system for the weights and the coefficients is solved
once, where the object is made. Radial functions are written in squared distances, which have slopes at 0.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
from scipy import interpolate

from tapeless.errors import GradientError
from tapeless.rules.declare import built_in_zero, written_out
from tapeless.rules.results import creation

_DEGREES = {"multiquadric": 0, "linear": 0, "thin_plate_spline": 1, "cubic": 1, "quintic": 2}
_SCALED = ("multiquadric", "inverse_multiquadric", "inverse_quadratic", "gaussian")


def exponents(kernel: Any, degree: Any, dimensions: Any) -> Any:
    """Return the exponents of the monomials that a kernel takes with it, one row for each."""
    least = _DEGREES.get(kernel, -1)
    most = max(least, 0) if degree is None else degree
    if most < least:
        raise GradientError(
            f"RBFInterpolator is differentiated for degrees that its kernel is definite for: {least} here",
            fix="give another degree, or none",
        )
    every = itertools.product(range(most + 1), repeat=dimensions)
    rows = sorted((row for row in every if sum(row) <= most), key=sum)
    return np.array(rows, dtype=int).reshape(-1, dimensions)


built_in_zero(exponents, kind=creation.whole_table)


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


def monomials(x: Any, powers: Any) -> Any:
    """Return monomials at some places, one column for each."""
    return np.prod(np.expand_dims(x, 1) ** powers, axis=2)


def kernel_matrix(kernel: Any, epsilon: Any, x: Any, y: Any) -> Any:
    """Return the radial function of the distances between places and points."""
    apart = np.expand_dims(x, 1) - np.expand_dims(y, 0)
    return radial(kernel, epsilon**2 * np.sum(apart * apart, axis=-1))


class RadialBasis(NamedTuple):
    """An interpolant by radial functions that may vary."""

    kernel: Any
    epsilon: Any
    points: Any
    powers: Any
    weights: Any

    def __call__(self, x: Any) -> Any:
        """Return its values at some places, one for each row."""
        functions = kernel_matrix(self.kernel, self.epsilon, x, self.points)
        return np.concatenate([functions, monomials(x, self.powers)], axis=1) @ self.weights


def interpolate_rbf(
    y: Any, d: Any, neighbors: Any = None, smoothing: Any = 0.0,
    kernel: Any = "thin_plate_spline", epsilon: Any = None, degree: Any = None,
) -> Any:  # fmt: skip
    if neighbors is not None:
        raise GradientError(
            "RBFInterpolator is differentiated with all neighbors", fix="leave out neighbors"
        )
    if kernel in _SCALED and epsilon is None:
        raise ValueError(f"`epsilon` must be specified for the kernel {kernel}")
    scale = 1.0 if epsilon is None else epsilon
    powers = exponents(kernel, degree, np.shape(y)[1])
    tail = monomials(y, powers)
    m = np.shape(tail)[1]
    upper = np.concatenate(
        [kernel_matrix(kernel, scale, y, y) + smoothing * np.eye(len(y)), tail], axis=1
    )
    lower = np.concatenate([tail.T, np.zeros((m, m))], axis=1)
    right = np.concatenate([d, np.zeros((m, *np.shape(d)[1:]))])
    weights = np.linalg.solve(np.concatenate([upper, lower]), right)
    return RadialBasis(kernel, scale, y, powers, weights)


written_out(interpolate.RBFInterpolator, interpolate_rbf, always=True)
