"""A natural cubic spline with knots, fitted by penalized least squares."""

import numpy as np
from typing import Optional, Sequence, Union

ArrayLike = Union[Sequence[float], np.ndarray]


class NaturalCubicSpline:
    def __init__(self, knots: ArrayLike, values: ArrayLike, extrapolate: bool = True):
        self.x = np.asarray(knots, dtype=float)
        self.y = np.asarray(values)
        if self.x.ndim != 1:
            raise ValueError("knots must have one dimension")
        if np.any(np.diff(self.x) <= 0):
            raise ValueError("knots must increase")
        self.extrapolate = extrapolate
        self._m: Optional[np.ndarray] = None

    @property
    def second_derivatives(self):
        if self._m is None:
            self._m = self._solve()
        return self._m

    def _solve(self):
        n = len(self.x)
        h = np.diff(self.x)
        a = np.zeros(n)
        b = np.ones(n)
        c = np.zeros(n)
        d = np.zeros(n)
        for i in range(1, n - 1):
            a[i] = h[i - 1] / 6
            b[i] = (h[i - 1] + h[i]) / 3
            c[i] = h[i] / 6
            d[i] = (self.y[i + 1] - self.y[i]) / h[i] - (self.y[i] - self.y[i - 1]) / h[i - 1]
        # Thomas algorithm
        for i in range(1, n):
            w = a[i] / b[i - 1]
            b[i] -= w * c[i - 1]
            d[i] -= w * d[i - 1]
        m = np.empty(n)
        m[-1] = d[-1] / b[-1]
        for i in range(n - 2, -1, -1):
            m[i] = (d[i] - c[i] * m[i + 1]) / b[i]
        return m

    def __call__(self, t: Union[float, np.ndarray]):
        scalar = np.isscalar(t)
        t = np.atleast_1d(t)
        i = np.clip(np.searchsorted(self.x, t) - 1, 0, len(self.x) - 2)
        m = self.second_derivatives
        h = self.x[i + 1] - self.x[i]
        A = (self.x[i + 1] - t) / h
        B = (t - self.x[i]) / h
        out = A * self.y[i] + B * self.y[i + 1] + ((A**3 - A) * m[i] + (B**3 - B) * m[i + 1]) * h**2 / 6
        if scalar:
            return out[0]
        return out

    def roughness(self):
        m = self.second_derivatives
        h = np.diff(self.x)
        return np.sum(h * (m[:-1] ** 2 + m[:-1] * m[1:] + m[1:] ** 2) / 3)


def objective(values, smoothing):
    knots = [0.0, 0.5, 1.2, 2.0]
    spline = NaturalCubicSpline(knots, values)
    t = np.linspace(0.1, 1.9, 7)
    data = np.sin(2 * t)
    return np.sum((spline(t) - data) ** 2) + smoothing * spline.roughness() + 0.1 * spline(0.7)


ARGUMENTS = (np.array([0.1, 0.7, 0.5, -0.6]), 0.02)
