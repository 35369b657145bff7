"""Integrals of samples, written out.

What integrates functions and differential equations is not differentiated yet, and refused by name.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate

from tapeless.rules.declare import no_derivative, written_out
from tapeless.runtime import divide_or_zero

no_derivative(
    "the integrals of functions and the solutions of differential equations have no rule yet",
    integrate.quad,
    integrate.dblquad,
    integrate.nquad,
    integrate.odeint,
    integrate.solve_ivp,
    integrate.solve_bvp,
)


def integrate_trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    return np.trapezoid(y, x=x, dx=dx, axis=axis)


def sample_steps(x: Any, dx: Any, axis: Any, size: Any) -> Any:
    """Return the distances of samples along the last axis."""
    if x is None:
        return dx * np.ones(size - 1)
    if np.ndim(x) == 1:
        return np.diff(x)
    return np.diff(np.moveaxis(x, axis, -1))


def simpson_weights(steps: Any) -> Any:
    """Return the weight of each sample in Simpson's rule, for unequal distances.

    The last interval of an even number of samples is weighted as Cartwright (2017) has it.

    Examples
    --------
    >>> 3.0 * simpson_weights(np.ones(3))
    array([1.  , 3.75, 3.  , 1.25])
    """
    size = np.shape(steps)[-1] + 1
    weights = np.zeros((*np.shape(steps)[:-1], size))
    if size == 2:
        return weights + 0.5 * steps
    last = size - 1 if size % 2 == 1 else size - 2
    h0, h1 = steps[..., 0:last:2], steps[..., 1:last:2]
    sixth = (h0 + h1) / 6.0
    weights[..., 0:last:2] += sixth * (2.0 - divide_or_zero(h1, h0))
    weights[..., 1:last:2] += sixth * divide_or_zero((h0 + h1) ** 2, h0 * h1)
    weights[..., 2 : last + 1 : 2] += sixth * (2.0 - divide_or_zero(h0, h1))
    if size % 2 == 0:
        before, end = steps[..., -2], steps[..., -1]
        both = before + end
        weights[..., -1] += divide_or_zero(2.0 * end**2 + 3.0 * before * end, 6.0 * both)
        weights[..., -2] += divide_or_zero(end**2 + 3.0 * before * end, 6.0 * before)
        weights[..., -3] -= divide_or_zero(end**3, 6.0 * before * both)
    return weights


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
    weights = simpson_weights(sample_steps(x, dx, axis, np.shape(y)[axis]))
    return np.sum(weights * np.moveaxis(y, axis, -1), axis=-1)


written_out(integrate.trapezoid, integrate_trapezoid)
written_out(integrate.cumulative_trapezoid, integrate_cumulative_trapezoid)
written_out(integrate.simpson, integrate_simpson)
