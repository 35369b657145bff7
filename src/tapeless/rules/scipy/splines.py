"""Splines of values that may vary, on knots that are held: rules, and the class that stands for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tapeless.errors import GradientError
from tapeless.rules.declare import register_gradient
from tapeless.rules.reasons import no_derivative
from tapeless.rules.results import interpolation, shapes
from tapeless.runtime.interpolation import held_knots, interpolated

_HELD = (
    "the knots of a spline are held fixed: interpolate with the places as a function of the knots"
)
for _parameter in ("x", "t", "w"):
    no_derivative(_HELD, held_knots, parameter=_parameter)


@register_gradient(held_knots, kind=shapes.same_shape)
def held_knots_rule(x: Any, t: Any = None, w: Any = None) -> Any:
    knots = held_knots(x, t, w)

    def grad(knots_bar: Any) -> Any:
        return None, None, None

    def jvp(x_dot: Any) -> Any:
        return 0.0 * x

    return knots, grad, jvp


@register_gradient(interpolated, kind=interpolation.spline)
def interpolated_rule(make: Any, knots: Any, values: Any, z: Any, nu: Any = 0) -> Any:
    """Linear in the values: their adjoint is weighed by the splines of unit values.

    The knots were held when the spline was made: `held_knots` refuses those that vary, to which a
    cotangent leads back; no number is right for it.
    """
    y = interpolated(make, knots, values, z, nu)
    size = np.shape(values)[0]
    more = tuple(range(np.ndim(z), np.ndim(y)))
    shared = tuple(range(np.ndim(z)))

    def grad(y_bar: Any) -> Any:
        slope = interpolated(make, knots, values, z, nu + 1)
        z_bar = np.sum(y_bar * slope, axis=more)
        units = interpolated(make, knots, np.eye(size), z, nu)
        knots_bar = np.full(np.shape(knots), np.nan)
        return None, knots_bar, np.tensordot(units, y_bar, axes=(shared, shared)), z_bar, None

    def jvp(values_dot: Any, z_dot: Any) -> Any:
        slope = interpolated(make, knots, values, z, nu + 1)
        moved = slope * np.reshape(z_dot, np.shape(z) + (1,) * len(more))
        return interpolated(make, knots, values_dot, z, nu) + moved

    return y, grad, jvp


_ROOTS = "how many roots a spline has jumps, and they are not differentiated together"
_EACH_ROOT = (
    "find each by scipy.optimize.brentq(lambda t: spline(t), a, b), between places beside it"
)


@dataclass
class Spline:
    """A spline of values that may vary: `nu` is added to the derivative that is asked for."""

    make: Any
    knots: Any
    values: Any
    nu: int = 0

    def __call__(self, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
        """Return the spline, or its derivative, at some places."""
        if extrapolate is not None:
            raise GradientError("say extrapolate where the spline is made")
        return interpolated(self.make, self.knots, self.values, x, self.nu + nu)

    def derivative(self, nu: Any = 1, n: Any = None) -> Any:
        """Return the derivative, a spline; a `UnivariateSpline` names its order `n`."""
        return Spline(self.make, self.knots, self.values, self.nu + (nu if n is None else n))

    def antiderivative(self, nu: Any = 1, n: Any = None) -> Any:
        """Return the integral, a spline."""
        return Spline(self.make, self.knots, self.values, self.nu - (nu if n is None else n))

    def derivatives(self, x: Any) -> Any:
        """Return the spline and all its derivatives at one place."""
        orders = range(self.make[1]["k"] - self.nu + 1)
        return np.stack(
            [interpolated(self.make, self.knots, self.values, x, self.nu + i) for i in orders]
        )

    def roots(self, discontinuity: Any = True, extrapolate: Any = None) -> Any:
        """Refuse what depends on how many roots there are."""
        raise GradientError(_ROOTS, fix=_EACH_ROOT)

    def solve(self, y: Any = 0.0, discontinuity: Any = True, extrapolate: Any = None) -> Any:
        """Refuse what depends on how many places there are."""
        raise GradientError(_ROOTS, fix=_EACH_ROOT)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        """Return the integral between two places."""
        above = interpolated(self.make, self.knots, self.values, b, self.nu - 1)
        return above - interpolated(self.make, self.knots, self.values, a, self.nu - 1)

    def integral(self, a: Any, b: Any) -> Any:
        """Return the integral between two places of what counts as zero beyond the outer knots."""
        first, last = self.knots[0], self.knots[-1]
        return self.integrate(np.clip(a, first, last), np.clip(b, first, last))

    def ev(self, x: Any) -> Any:
        """Return the spline at some places."""
        return interpolated(self.make, self.knots, self.values, x, self.nu)
