"""Piecewise polynomials of coefficients that may vary, by powers and in the basis of Bernstein.

    P(z) = sum_j c[j, i] (z - x[i])^(k-1-j)          B(z) = sum_j c[j, i] binom(k-1, j) t^j (1-t)^(k-1-j)

where `z` lies in the cell from `x[i]` to `x[i+1]`, at the share `t` of it. Which cell it is in is constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import interpolate, special

from tapeless.errors import GradientError
from tapeless.rules.declare import written_out
from tapeless.runtime.interpolation import cell_of, is_outside_of

_ROOTS = "how many roots a piecewise polynomial has jumps, and they are not differentiated together"
_EACH_ROOT = "find each by scipy.optimize.brentq(lambda t: p(t), a, b), between places beside it"


def along_first(a: Any, like: Any) -> Any:
    """Return an array with axes of length 1 behind its own, as many as another one has."""
    return np.reshape(a, np.shape(a) + (1,) * (np.ndim(like) - np.ndim(a)))


def weighed(c: Any, basis: Any) -> Any:
    """Return the sum of coefficients by degree, each times the member of a basis at the places."""
    return np.sum(c * along_first(basis, c), axis=0)


@dataclass
class Pieces:
    """Coefficients by degree, cell, and the place in what one value is."""

    c: Any
    x: Any
    extrapolate: Any

    def within(self, value: Any, z: Any, extrapolate: Any) -> Any:
        """Return a value, nan outside of the cells if it is not extrapolated."""
        if extrapolate is None:
            extrapolate = self.extrapolate
        if extrapolate == "periodic":
            raise GradientError("a piecewise polynomial is differentiated where it is not periodic")
        if extrapolate:
            return value
        return np.where(along_first(is_outside_of(self.x, z), value), np.nan, value)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        """Return the integral between two places."""
        whole = self.antiderivative()
        return whole(b, 0, extrapolate) - whole(a, 0, extrapolate)

    def antiderivative(self, nu: Any = 1) -> Any:
        """Return the integral from the first place: each basis has its own."""
        raise NotImplementedError

    def roots(self, discontinuity: Any = True, extrapolate: Any = None) -> Any:
        """Refuse what depends on how many roots there are."""
        raise GradientError(_ROOTS, fix=_EACH_ROOT)

    def solve(self, y: Any = 0.0, discontinuity: Any = True, extrapolate: Any = None) -> Any:
        """Refuse what depends on how many places there are."""
        raise GradientError(_ROOTS, fix=_EACH_ROOT)


@dataclass
class Powers(Pieces):
    """A piecewise polynomial by powers, the highest first."""

    def __call__(self, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
        """Return its values, or those of a derivative, at some places."""
        if nu != 0:
            return self.derivative(nu)(x, 0, extrapolate)
        i = cell_of(self.x, x)
        degrees = np.reshape(np.arange(len(self.c) - 1, -1, -1), (-1,) + (1,) * np.ndim(x))
        powers = (x - self.x[i]) ** degrees
        return self.within(weighed(self.c[:, i], powers), x, extrapolate)

    def derivative(self, nu: Any = 1) -> Any:
        """Return a derivative."""
        if nu < 0:
            return self.antiderivative(-nu)
        c = self.c
        for _ in range(nu):
            powers = np.arange(len(c) - 1, 0, -1)
            c = 0.0 * c if len(c) == 1 else c[:-1] * along_first(powers, c)
        return Powers(c, self.x, self.extrapolate)

    def antiderivative(self, nu: Any = 1) -> Any:
        """Return the integral from the first place: a constant more in each cell."""
        c, h = self.c, self.x[1:] - self.x[:-1]
        for _ in range(nu):
            c = c / along_first(np.arange(len(c), 0, -1), c)
            degrees = np.expand_dims(np.arange(len(c), 0, -1), 1)
            whole = weighed(c, h**degrees)
            before = np.concatenate([0.0 * whole[:1], np.cumsum(whole[:-1], axis=0)])
            c = np.concatenate([c, np.expand_dims(before, 0)])
        return Powers(c, self.x, self.extrapolate)


@dataclass
class Bernstein(Pieces):
    """A piecewise polynomial in the basis of Bernstein."""

    def __call__(self, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
        """Return its values, or those of a derivative, at some places."""
        if nu != 0:
            return self.derivative(nu)(x, 0, extrapolate)
        i, k = cell_of(self.x, x), len(self.c) - 1
        share = (x - self.x[i]) / (self.x[i + 1] - self.x[i])
        degrees = np.reshape(np.arange(k + 1), (-1,) + (1,) * np.ndim(x))
        basis = special.binom(k, degrees) * share**degrees * (1.0 - share) ** (k - degrees)
        return self.within(weighed(self.c[:, i], basis), x, extrapolate)

    def derivative(self, nu: Any = 1) -> Any:
        """Return a derivative: differences of coefficients."""
        if nu < 0:
            return self.antiderivative(-nu)
        c, h = self.c, self.x[1:] - self.x[:-1]
        for _ in range(nu):
            k = len(c) - 1
            c = 0.0 * c if k == 0 else k * (c[1:] - c[:-1]) / along_first(h, c[0])
        return Bernstein(c, self.x, self.extrapolate)

    def antiderivative(self, nu: Any = 1) -> Any:
        """Return the integral from the first place: sums of coefficients."""
        c, h = self.c, self.x[1:] - self.x[:-1]
        for _ in range(nu):
            sums = np.cumsum(c, axis=0) * along_first(h, c[0]) / len(c)
            before = np.concatenate([0.0 * sums[-1][:1], np.cumsum(sums[-1], axis=0)[:-1]])
            c = np.concatenate([np.expand_dims(before, 0), sums + before])
        return Bernstein(c, self.x, self.extrapolate)


def checked(x: Any, axis: Any) -> Any:
    """Return the ends of the cells, unless they go down or another axis is asked for."""
    places = np.asarray(x)
    if axis != 0 or places[0] > places[-1]:
        raise GradientError(
            "piecewise polynomials are differentiated on axis 0, and for x that go up"
        )
    return places


def interpolate_ppoly(c: Any, x: Any, extrapolate: Any = None, axis: Any = 0) -> Any:
    return Powers(np.asarray(c), checked(x, axis), extrapolate is None or extrapolate)


def interpolate_bpoly(c: Any, x: Any, extrapolate: Any = None, axis: Any = 0) -> Any:
    return Bernstein(np.asarray(c), checked(x, axis), extrapolate is None or extrapolate)


written_out(interpolate.PPoly, interpolate_ppoly, always=True)
written_out(interpolate.BPoly, interpolate_bpoly, always=True)
