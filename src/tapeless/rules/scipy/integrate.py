"""Integrals of samples, and values between the steps of a solution, written out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import integrate

from tapeless.errors import GradientError
from tapeless.rules.declare import built_in_zero, written_out
from tapeless.rules.results import solutions
from tapeless.runtime import divide_or_zero
from tapeless.runtime.integration import explicit_interpolant, explicit_tableau

built_in_zero(explicit_tableau, kind=solutions.tableau)
built_in_zero(explicit_interpolant, kind=solutions.interpolant)


def integrate_trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    return np.trapezoid(y, x=x, dx=dx, axis=axis)


def sample_steps(x: Any, dx: Any, axis: Any, size: Any) -> Any:
    """Return the distances of samples along the last axis."""
    if x is None:
        return dx * np.ones(size - 1)
    if np.ndim(x) == 1:
        return np.diff(x)
    return np.diff(np.moveaxis(x, axis, -1))


def over_pairs(y: Any, steps: Any) -> Any:
    """Return the integral along the last axis, by a parabola over each pair of intervals."""
    h0, h1 = steps[..., 0::2], steps[..., 1::2]
    left = (2.0 - divide_or_zero(h1, h0)) * y[..., :-2:2]
    middle = divide_or_zero((h0 + h1) ** 2, h0 * h1) * y[..., 1::2]
    right = (2.0 - divide_or_zero(h0, h1)) * y[..., 2::2]
    return np.sum((h0 + h1) / 6.0 * (left + middle + right), axis=-1)


def over_last(y: Any, before: Any, end: Any) -> Any:
    """Return the integral over the last interval, by the parabola through three samples."""
    both = before + end
    last = divide_or_zero(2.0 * end**2 + 3.0 * before * end, 6.0 * both) * y[..., -1]
    middle = divide_or_zero(end**2 + 3.0 * before * end, 6.0 * before) * y[..., -2]
    return last + middle - divide_or_zero(end**3, 6.0 * before * both) * y[..., -3]


def integrate_cumulative_trapezoid(
    y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1, initial: Any = None
) -> Any:
    y = np.moveaxis(y, axis, -1)
    steps = sample_steps(x, dx, axis, np.shape(y)[-1])
    sums = np.cumsum(0.5 * steps * (y[..., 1:] + y[..., :-1]), axis=-1)
    if initial is not None:
        sums = np.concatenate([np.full_like(sums[..., :1], initial), sums], axis=-1)
    return np.moveaxis(sums, -1, axis)


def integrate_simpson(y: Any, x: Any = None, *, dx: Any = 1.0, axis: Any = -1) -> Any:
    """Of an even number of samples the last interval is weighed as Cartwright (2017) has it."""
    steps = sample_steps(x, dx, axis, np.shape(y)[axis])
    y = np.moveaxis(y, axis, -1)
    size = np.shape(y)[-1]
    if size == 2:
        return 0.5 * steps[..., 0] * (y[..., 0] + y[..., 1])
    if size % 2 == 1:
        return over_pairs(y, steps)
    return over_pairs(y[..., :-1], steps[..., :-1]) + over_last(y, steps[..., -2], steps[..., -1])


written_out(integrate.trapezoid, integrate_trapezoid)
written_out(integrate.cumulative_trapezoid, integrate_cumulative_trapezoid)
written_out(integrate.simpson, integrate_simpson)


def integrate_romb(y: Any, dx: Any = 1.0, axis: Any = -1, show: Any = False) -> Any:
    """The sum is linear: its weights are the integrals of the unit samples."""
    weights = integrate.romb(np.eye(np.shape(y)[axis]))
    return dx * np.sum(weights * np.moveaxis(y, axis, -1), axis=-1)


def first_of_pairs(y: Any, steps: Any) -> Any:
    """Return the integrals over the first of each two neighbouring intervals, by Cartwright's rule."""
    first, second = steps[..., :-1], steps[..., 1:]
    share = first / (first + second)
    bend = share * first / second
    weighed = (3.0 - share) * y[..., :-2] + (3.0 + bend + share) * y[..., 1:-1]
    return first / 6.0 * (weighed - bend * y[..., 2:])


def integrate_cumulative_simpson(
    y: Any, *, x: Any = None, dx: Any = 1.0, axis: Any = -1, initial: Any = None
) -> Any:
    """Even intervals are the first of their pairs, odd ones and the last the second."""
    y = np.moveaxis(y, axis, -1)
    size = np.shape(y)[-1]
    if size < 3:
        raise GradientError("cumulative_simpson is differentiated for three samples or more")
    steps = sample_steps(x, dx, axis, size)
    first = first_of_pairs(y, steps)
    second = np.flip(first_of_pairs(np.flip(y, -1), np.flip(steps, -1)), -1)
    even = np.arange(size - 1) % 2 == 0
    even[-1] = False
    none = np.zeros_like(y[..., :1])
    firsts = np.concatenate([first, none], axis=-1)
    seconds = np.concatenate([none, second], axis=-1)
    sums = np.cumsum(np.where(even, firsts, seconds), axis=-1)
    if initial is not None:
        sums = np.concatenate([np.zeros_like(sums[..., :1]), sums], axis=-1) + initial
    return np.moveaxis(sums, -1, axis)


if hasattr(integrate, "cumulative_simpson"):
    written_out(integrate.cumulative_simpson, integrate_cumulative_simpson)
written_out(integrate.romb, integrate_romb)


# Between the steps of a differential equation


def slopes_of_stages(fun: Any, t: Any, y: Any, h: Any, tableau: Any) -> Any:
    """Return the slopes at the stages of one step of an explicit Runge-Kutta method."""
    rows, _, places = tableau
    slopes = np.zeros((len(places), len(y)))
    for j in range(len(places)):
        slopes[j] = fun(t + places[j] * h, y + h * (rows[j] @ slopes))
    return slopes


@dataclass
class DenseSolution:
    """The values between the steps of an explicit method, as `dense_output=True` asks for them.

    Within a step they are a polynomial in the share of it that is done, made of the slopes of its stages.
    """

    fun: Any
    t: Any
    path: Any
    method: Any

    def __call__(self, t: Any) -> Any:
        """Return the values at a time, or a column of them for each of several."""
        if np.ndim(t) == 0:
            return self.at(t)
        return np.stack([self.at(s) for s in t], axis=1)

    def at(self, s: Any) -> Any:
        """Return the values at one time."""
        tableau = explicit_tableau(self.method)
        start, whole = self.t[0], self.t[-1] - self.t[0]
        found = np.searchsorted((self.t - start) / whole, (s - start) / whole)
        i = min(max(int(found) - 1, 0), len(self.t) - 2)
        h = self.t[i + 1] - self.t[i]
        slopes = slopes_of_stages(self.fun, self.t[i], self.path[i], h, tableau)
        last = np.asarray(self.fun(self.t[i + 1], self.path[i + 1]))
        shares = explicit_interpolant(self.method)
        powers = ((s - self.t[i]) / h) ** np.arange(1, shares.shape[1] + 1)
        return self.path[i] + h * ((shares @ powers) @ np.concatenate([slopes, last[None, :]]))
