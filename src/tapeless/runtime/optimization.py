"""Solvers of `scipy.optimize`, as derivatives call them: plain values, and what is known of the search.

What is found is put into a class of its own, with the attributes of SciPy's result by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize

from tapeless.runtime.found import Found


@dataclass
class RootFound(Found):
    """What `scipy.optimize.root` found."""

    x: Any
    fun: Any
    success: bool
    status: int
    message: str
    nfev: int


@dataclass
class ScalarRootFound(Found):
    """What `scipy.optimize.root_scalar` found."""

    root: Any
    converged: bool
    iterations: int
    function_calls: int


@dataclass
class MinimumFound(Found):
    """What `scipy.optimize.minimize` or `minimize_scalar` found."""

    x: Any
    fun: Any
    success: bool
    status: int
    message: str
    nit: int
    nfev: int


@dataclass
class FitFound(Found):
    """What `scipy.optimize.least_squares` found."""

    x: Any
    fun: Any
    cost: Any
    success: bool
    status: int
    message: str
    nfev: int


def solve_root(
    fun: Any, x0: Any, args: Any = (), method: Any = "hybr", jac: Any = None, tol: Any = None,
    callback: Any = None, options: Any = None,
) -> Any:  # fmt: skip
    """Return what `root` finds: x, whether it is a root, status, message, count of calls.

    Examples
    --------
    >>> solve_root(lambda x: x - 2.0, np.zeros(1))[:3]
    (array([2.]), True, 1)
    """
    found = optimize.root(fun, x0, args, method, jac, tol, callback, options)
    return found.x, *_how_it_ended(found), int(found.get("nfev", 0))


def _how_it_ended(found: Any) -> tuple[bool, int, str]:
    """Return whether a search succeeded, its status and its message; not all methods tell the last two."""
    return bool(found.success), int(found.get("status", 0)), str(found.get("message", ""))


def solve_newton(
    func: Any, x0: Any, fprime: Any = None, args: Any = (), tol: Any = 1.48e-8, maxiter: Any = 50,
    fprime2: Any = None, x1: Any = None, rtol: Any = 0.0, disp: Any = True,
) -> Any:  # fmt: skip
    """Return what `newton` finds of one number: the root, whether it is one, iterations, calls."""
    x, told = optimize.newton(func, x0, fprime, args, tol, maxiter, fprime2, x1, rtol, True, disp)
    return float(x), told.converged, told.iterations, told.function_calls


def solve_root_scalar(
    f: Any, args: Any = (), method: Any = None, bracket: Any = None, fprime: Any = None,
    fprime2: Any = None, x0: Any = None, x1: Any = None, xtol: Any = None, rtol: Any = None,
    maxiter: Any = None, options: Any = None,
) -> Any:  # fmt: skip
    """Return what `root_scalar` finds: the root, whether it is one, iterations, calls."""
    found = optimize.root_scalar(
        f, args, method, bracket, fprime, fprime2, x0, x1, xtol, rtol, maxiter, options
    )
    return float(found.root), found.converged, found.iterations, found.function_calls


def solve_minimum(
    fun: Any, x0: Any, args: Any = (), method: Any = None, jac: Any = None, hess: Any = None,
    hessp: Any = None, bounds: Any = None, tol: Any = None, callback: Any = None,
    options: Any = None,
) -> Any:  # fmt: skip
    """Return what `minimize` finds: x, whether it is a minimum, status, message, iterations, calls."""
    found = optimize.minimize(
        fun, x0, args, method, jac, hess, hessp, bounds, (), tol, callback, options
    )
    return found.x, *_how_it_ended(found), int(found.get("nit", 0)), found.nfev


def solve_minimum_scalar(
    fun: Any, bracket: Any = None, bounds: Any = None, args: Any = (), method: Any = None,
    tol: Any = None, options: Any = None,
) -> Any:  # fmt: skip
    """Return what `minimize_scalar` finds, as `solve_minimum` does."""
    found = optimize.minimize_scalar(fun, bracket, bounds, args, method, tol, options)
    return float(found.x), *_how_it_ended(found), int(found.get("nit", 0)), found.nfev


_OPTIONS = (
    "jac", "bounds", "method", "ftol", "xtol", "gtol", "x_scale", "loss", "f_scale", "diff_step",
    "tr_solver", "tr_options", "jac_sparsity", "max_nfev", "verbose", "args", "kwargs",
)  # fmt: skip


def solve_least_squares(fun: Any, x0: Any, *options: Any) -> Any:
    """Return what `least_squares` finds: x, whether it converged, status, message, calls, what is free.

    An option that is None is left out: what it means then is not the same in all versions of SciPy.
    """
    given = {key: x for key, x in zip(_OPTIONS, options, strict=False) if x is not None}
    found = optimize.least_squares(fun, x0, **given)
    lower, upper = limits_of(given.get("bounds", (-np.inf, np.inf)), found.x)
    curvature = np.sum(np.square(found.jac @ np.eye(len(found.x))), axis=0)
    free = is_within(found.x, found.grad, curvature, lower, upper)
    return found.x, *_how_it_ended(found), found.nfev, free


def is_within(x: Any, slope: Any, curvature: Any, lower: Any, upper: Any) -> Any:
    """Return of which entries a step of Newton's method, each taken by itself, leads to within bounds.

    Others are stopped by their bound: what searches inside comes near to it, how near is not known. A
    step to what is found within is short, as the slope there is nearly zero.

    Examples
    --------
    >>> is_within(np.array([1e-7, 0.5]), np.array([2.0, 1e-9]), np.ones(2), np.zeros(2), np.ones(2))
    array([False,  True])
    """
    step = slope / np.where(curvature > 0.0, curvature, 1.0)
    return (x - step >= lower) & (x - step <= upper)


def solve_curve_fit(
    f: Any, xdata: Any, ydata: Any, p0: Any = None, sigma: Any = None, absolute_sigma: Any = False,
    check_finite: Any = None, bounds: Any = None, method: Any = None, jac: Any = None,
    options: Any = None,
) -> Any:  # fmt: skip
    """Return what `curve_fit` finds: the parameters and their covariance.

    Examples
    --------
    >>> found, _ = solve_curve_fit(lambda x, a, b: a + b * x, np.arange(3.0), np.array([1.0, 3, 5]))
    >>> found.round(6)
    array([1., 2.])
    """
    found = optimize.curve_fit(
        f, xdata, ydata, p0, sigma, absolute_sigma, check_finite,
        bounds=(-np.inf, np.inf) if bounds is None else bounds, method=method, jac=jac,
        **(options or {}),
    )  # fmt: skip
    return found[0], found[1]


def solve_nonnegative(a: Any, b: Any) -> Any:
    """Return the least squares solution without negative entries, and which are not zero."""
    x, _ = optimize.nnls(a, b)
    return x, x > 0.0


def lower_and_upper(bounds: Any, x: Any) -> Any:
    """Return the bounds of `minimize` as two arrays.

    Examples
    --------
    >>> lower_and_upper([(0.0, None), (None, 1.0)], np.zeros(2))
    (array([  0., -inf]), array([inf,  1.]))
    """
    if isinstance(bounds, optimize.Bounds):
        return np.broadcast_to(bounds.lb, x.shape), np.broadcast_to(bounds.ub, x.shape)
    low = [-np.inf if pair[0] is None else pair[0] for pair in bounds]
    high = [np.inf if pair[1] is None else pair[1] for pair in bounds]
    return np.array(low), np.array(high)


def limits_of(bounds: Any, x: Any) -> Any:
    """Return the bounds of `least_squares` as two arrays.

    Examples
    --------
    >>> limits_of((0.0, [1.0, np.inf]), np.zeros(2))
    (array([0., 0.]), array([ 1., inf]))
    """
    if isinstance(bounds, optimize.Bounds):
        lower, upper = bounds.lb, bounds.ub
    else:
        lower, upper = bounds
    shape = np.shape(x)
    return np.broadcast_to(np.asarray(lower, dtype=float), shape), np.broadcast_to(
        np.asarray(upper, dtype=float), shape
    )


def is_free(x: Any, lower: Any, upper: Any) -> Any:
    """Return which entries are not at their bound.

    Examples
    --------
    >>> is_free(np.array([0.0, 0.5]), 0.0, 1.0)
    array([False,  True])
    """
    near = 1e-9 * np.maximum(1.0, np.abs(x))
    return (x - lower > near) & (upper - x > near)


def is_stopped(x: float, slope: float, bounds: Any) -> bool:
    """Whether a minimum that was looked for between two bounds lies at one, towards which it falls.

    The search comes as near to a bound as its tolerance, and not to the bound itself.

    Examples
    --------
    >>> is_stopped(1.00001, 0.4, (1.0, 2.0)), is_stopped(1.5, 1e-7, (1.0, 2.0))
    (True, False)
    """
    lower, upper = bounds
    near = 1e-4 * (upper - lower)
    return bool((x - lower < near and slope > 0.0) or (upper - x < near and slope < 0.0))
