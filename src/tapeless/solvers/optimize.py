"""Roots and minima, by the theorem on implicit functions.

What is found is held fixed while one derivative is made; the result is a step of Newton's method from
there, which is zero, and whose derivative is that of the solution (`at_root`). The derivatives of the
user's function that it needs are written by tapeless. As what is printed names the solver itself, and the
solver is written out again at the next order, all orders are right.

A gradient at a minimum that was found to a tolerance is one to that tolerance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize

from tapeless.errors import GradientError
from tapeless.operators.grad import grad
from tapeless.operators.jacobian import hessian, jacobian
from tapeless.operators.jvp import jvp
from tapeless.rules.declare import built_in_zero, held_fixed, written_out
from tapeless.rules.reasons import no_derivative
from tapeless.rules.results import entrywise, scalars, shapes, solutions
from tapeless.runtime import at_root, only_where, unchanged, valued
from tapeless.runtime.optimization import (
    FitFound,
    MinimumFound,
    RootFound,
    ScalarRootFound,
    is_free,
    is_stopped,
    is_within,
    limits_of,
    lower_and_upper,
    solve_curve_fit,
    solve_least_squares,
    solve_minimum,
    solve_minimum_scalar,
    solve_newton,
    solve_nonnegative,
    solve_root,
    solve_root_scalar,
)

built_in_zero(optimize.linear_sum_assignment)
built_in_zero(is_free, kind=entrywise.truths)
built_in_zero(is_stopped)
built_in_zero(is_within, kind=entrywise.truths)
no_derivative("its solution jumps where the data change", optimize.linprog, optimize.milp)
no_derivative(
    "differences of differences lose their digits; take tl.grad of the function",
    optimize.approx_fprime,
)
no_derivative(
    "a global minimum may jump; refine what it finds by scipy.optimize.minimize",
    optimize.differential_evolution,
    optimize.basinhopping,
    optimize.dual_annealing,
    optimize.shgo,
    optimize.brute,
)

# Roots of one number

_held = held_fixed(unchanged, kind=shapes.same_shape)

_toms748 = held_fixed(optimize.toms748, kind=scalars.real_number)
_solve_root_scalar = held_fixed(solve_root_scalar, kind=solutions.root_found)
_newton = held_fixed(optimize.newton, kind=solutions.like_start)
_solve_newton = held_fixed(solve_newton, kind=solutions.root_found)
_fixed_point = held_fixed(optimize.fixed_point, kind=solutions.like_start)

_NO_OUTPUT = "with full_output=True more is returned than is differentiated"


def _write_bracketed(function: Any) -> None:
    """Write out a function that finds a root between two numbers."""
    found = held_fixed(function, kind=scalars.real_number)
    method = function.__name__

    def bracketed_root(
        f, a, b, args=(), xtol=2e-12, rtol=8.881784197001252e-16, maxiter=100, full_output=False,
        disp=True,
    ):  # fmt: skip
        if full_output:
            told = optimize.root_scalar(
                f, args, method, (a, b), xtol=xtol, rtol=rtol, maxiter=maxiter
            )
            return told.root, told
        x = found(f, a, b, args, xtol, rtol, maxiter, False, disp)
        return at_root(x, f(x, *args), _held(grad(f)(x, *args)))

    written_out(function, bracketed_root)


for _function in (optimize.brentq, optimize.brenth, optimize.ridder, optimize.bisect):
    _write_bracketed(_function)


def optimize_toms748(
    f, a, b, args=(), k=1, xtol=2e-12, rtol=8.881784197001252e-16, maxiter=100, full_output=False,
    disp=True,
):  # fmt: skip
    if full_output:
        told = optimize.root_scalar(
            f, args, "toms748", (a, b), xtol=xtol, rtol=rtol, maxiter=maxiter, options={"k": k}
        )
        return told.root, told
    x = _toms748(f, a, b, args, k, xtol, rtol, maxiter, False, disp)
    return at_root(x, f(x, *args), _held(grad(f)(x, *args)))


def step_of_root_scalar(
    f, args=(), method=None, bracket=None, fprime=None, fprime2=None, x0=None, x1=None, xtol=None,
    rtol=None, maxiter=None, options=None,
):  # fmt: skip
    x, converged, iterations, calls = _solve_root_scalar(
        f, args, method, bracket, fprime, fprime2, x0, x1, xtol, rtol, maxiter, options
    )
    return at_root(x, f(x, *args), _held(grad(f)(x, *args))), converged, iterations, calls


def optimize_root_scalar(
    f, args=(), method=None, bracket=None, fprime=None, fprime2=None, x0=None, x1=None, xtol=None,
    rtol=None, maxiter=None, options=None,
):  # fmt: skip
    x, converged, iterations, calls = step_of_root_scalar(
        f, args, method, bracket, fprime, fprime2, x0, x1, xtol, rtol, maxiter, options
    )
    return ScalarRootFound(x, converged, iterations, calls)


def told_newton(func, x0, fprime, args, tol, maxiter, fprime2, x1, rtol, disp):
    if np.ndim(x0) > 0:
        raise GradientError(_NO_OUTPUT, fix="find one root after the other")
    x, converged, iterations, calls = _solve_newton(
        func, x0, fprime, args, tol, maxiter, fprime2, x1, rtol, disp
    )
    root = at_root(x, func(x, *args), _held(grad(func)(x, *args)))
    return root, ScalarRootFound(root, converged, iterations, calls)


def optimize_newton(
    func, x0, fprime=None, args=(), tol=1.48e-8, maxiter=50, fprime2=None, x1=None, rtol=0.0,
    full_output=False, disp=True,
):  # fmt: skip
    """Each of several numbers is a root by itself."""
    if full_output:
        return told_newton(func, x0, fprime, args, tol, maxiter, fprime2, x1, rtol, disp)
    x = _newton(func, x0, fprime, args, tol, maxiter, fprime2, x1, rtol, False, disp)

    def along(z):
        return func(z, *args)

    residual, slope = jvp(along, (x,), (np.ones_like(x),))
    return at_root(x, residual, _held(slope))


def optimize_fixed_point(func, x0, args=(), xtol=1e-8, maxiter=500, method="del2"):
    x = _fixed_point(func, x0, args, xtol, maxiter, method)

    def residual(z):
        return z - func(z, *args)

    return at_root(x, residual(x), _held(jacobian(residual)(x)))


# Roots of several numbers

_solve_root = held_fixed(solve_root, kind=solutions.vector_found)
_fsolve = held_fixed(optimize.fsolve, kind=solutions.vector)


def optimize_fsolve(
    func, x0, args=(), fprime=None, full_output=0, col_deriv=0, xtol=1.49012e-8, maxfev=0,
    band=None, epsfcn=None, factor=100, diag=None,
):  # fmt: skip
    if full_output:
        raise GradientError(_NO_OUTPUT, fix="use scipy.optimize.root, whose result tells more")
    x = _fsolve(func, x0, args, fprime, 0, col_deriv, xtol, maxfev, band, epsfcn, factor, diag)

    def residual(z):
        return np.ravel(np.asarray(func(z, *args)))

    return at_root(x, residual(x), _held(jacobian(residual)(x)))


def step_of_root(fun, x0, args=(), method="hybr", jac=None, tol=None, callback=None, options=None):
    x, success, status, message, nfev = _solve_root(
        fun, x0, args, method, jac, tol, callback, options
    )

    def residual(z):
        return np.ravel(np.asarray(fun(z, *args)))

    return at_root(x, residual(x), _held(jacobian(residual)(x))), success, status, message, nfev


def optimize_root(fun, x0, args=(), method="hybr", jac=None, tol=None, callback=None, options=None):
    x, success, status, message, nfev = step_of_root(
        fun, x0, args, method, jac, tol, callback, options
    )
    return RootFound(x, np.ravel(np.asarray(fun(x, *args))), success, status, message, nfev)


# Minima

_solve_minimum = held_fixed(solve_minimum, kind=solutions.vector_and_counts)
_solve_minimum_scalar = held_fixed(solve_minimum_scalar, kind=solutions.number_and_counts)
_solve_least_squares = held_fixed(solve_least_squares, kind=solutions.vector_found_and_free)
_leastsq = held_fixed(optimize.leastsq, kind=solutions.vector_and_status)
_solve_curve_fit = held_fixed(solve_curve_fit, kind=solutions.vector_and_covariance)
_solve_nonnegative = held_fixed(solve_nonnegative, kind=solutions.vector_and_flags)


def least_within(cost, x, free, lower, upper):
    """The gradient is zero in what is free; the rest is at the bound that is nearer, and moves with it."""
    at_bound = np.where(x - lower < upper - x, lower, upper)
    z = valued(x, np.where(free, x, at_bound))
    curvature = only_where(free, _held(hessian(cost)(x)))
    return at_root(z, grad(cost)(z) * free, curvature)


def step_of_minimum(
    fun, x0, args=(), method=None, jac=None, hess=None, hessp=None, bounds=None, tol=None,
    callback=None, options=None,
):  # fmt: skip
    """The gradient is zero at a minimum; what is at its bound stays there."""
    x, success, status, message, nit, nfev = _solve_minimum(
        fun, x0, args, method, jac, hess, hessp, bounds, tol, callback, options
    )

    def cost(z):
        if jac is True:
            return fun(z, *args)[0]
        return fun(z, *args)

    if bounds is None:
        found = at_root(x, grad(cost)(x), _held(hessian(cost)(x)))
        return found, success, status, message, nit, nfev
    lower, upper = lower_and_upper(bounds, x)
    found = least_within(cost, x, is_free(x, lower, upper), lower, upper)
    return found, success, status, message, nit, nfev


def optimize_minimize(
    fun, x0, args=(), method=None, jac=None, hess=None, hessp=None, bounds=None, constraints=(),
    tol=None, callback=None, options=None,
):  # fmt: skip
    if constraints != ():
        raise GradientError(
            "minima under constraints are not differentiated",
            fix="solve what their Lagrange multipliers fulfil by scipy.optimize.root",
        )
    x, success, status, message, nit, nfev = step_of_minimum(
        fun, x0, args, method, jac, hess, hessp, bounds, tol, callback, options
    )
    least = fun(x, *args)[0] if jac is True else fun(x, *args)
    return MinimumFound(x, least, success, status, message, nit, nfev)


def step_of_minimum_scalar(
    fun, bracket=None, bounds=None, args=(), method=None, tol=None, options=None
):
    """The slope is zero at a minimum, unless it is one that a bound stops."""
    x, success, status, message, nit, nfev = _solve_minimum_scalar(
        fun, bracket, bounds, args, method, tol, options
    )

    def slope(z):
        return grad(fun)(z, *args)

    if bounds is not None and is_stopped(x, _held(slope(x)), bounds):
        at_bound = bounds[0] if x - bounds[0] < bounds[1] - x else bounds[1]
        return valued(x, 1.0 * at_bound), success, status, message, nit, nfev
    return at_root(x, slope(x), _held(grad(slope)(x))), success, status, message, nit, nfev


def optimize_minimize_scalar(
    fun, bracket=None, bounds=None, args=(), method=None, tol=None, options=None
):
    x, success, status, message, nit, nfev = step_of_minimum_scalar(
        fun, bracket, bounds, args, method, tol, options
    )
    return MinimumFound(x, fun(x, *args), success, status, message, nit, nfev)


_NAMED_LOSS = "least_squares is differentiated for a loss that is named"
_LOSSES = ("linear", "soft_l1", "huber", "cauchy", "arctan")


def cost_of_residuals(r, loss, f_scale):
    """Return half the sum of squares, or of what a loss makes of each square in units of its scale."""
    if loss == "linear":
        return 0.5 * np.sum(np.square(r))
    z = np.square(r / f_scale)
    if loss == "soft_l1":
        rho = 2.0 * (np.sqrt(1.0 + z) - 1.0)
    elif loss == "huber":
        rho = np.where(z <= 1.0, z, 2.0 * np.sqrt(np.maximum(z, 1.0)) - 1.0)
    elif loss == "cauchy":
        rho = np.log1p(z)
    else:
        rho = np.arctan(z)
    return 0.5 * f_scale**2 * np.sum(rho)


def step_of_least_squares(
    fun, x0, jac="2-point", bounds=None, method="trf", ftol=1e-8, xtol=1e-8, gtol=1e-8,
    x_scale=None, loss="linear", f_scale=1.0, diff_step=None, tr_solver=None, tr_options=None,
    jac_sparsity=None, max_nfev=None, verbose=0, args=(), kwargs=None,
):  # fmt: skip
    """The gradient of the cost is zero, but for what a bound stops: that stays there."""
    x, success, status, message, nfev, free = _solve_least_squares(
        fun, x0, jac, bounds, method, ftol, xtol, gtol, x_scale, loss, f_scale, diff_step,
        tr_solver, tr_options, jac_sparsity, max_nfev, verbose, args, kwargs,
    )  # fmt: skip

    def cost(z):
        return cost_of_residuals(fun(z, *args, **(kwargs or {})), loss, f_scale)

    if bounds is None:
        return (
            at_root(x, grad(cost)(x), _held(hessian(cost)(x))),
            success,
            status,
            message,
            nfev,
            free,
        )
    lower, upper = limits_of(bounds, x)
    return least_within(cost, x, free, lower, upper), success, status, message, nfev, free


def optimize_least_squares(
    fun, x0, jac="2-point", bounds=None, method="trf", ftol=1e-8, xtol=1e-8, gtol=1e-8,
    x_scale=None, loss="linear", f_scale=1.0, diff_step=None, tr_solver=None, tr_options=None,
    jac_sparsity=None, max_nfev=None, verbose=0, args=(), kwargs=None,
):  # fmt: skip
    if callable(loss) or loss not in _LOSSES:
        raise GradientError(_NAMED_LOSS)
    x, success, status, message, nfev, _ = step_of_least_squares(
        fun, x0, jac, bounds, method, ftol, xtol, gtol, x_scale, loss, f_scale, diff_step,
        tr_solver, tr_options, jac_sparsity, max_nfev, verbose, args, kwargs,
    )  # fmt: skip
    r = fun(x, *args, **(kwargs or {}))
    return FitFound(x, r, cost_of_residuals(r, loss, f_scale), success, status, message, nfev)


def optimize_leastsq(
    func, x0, args=(), Dfun=None, full_output=False, col_deriv=False, ftol=1.49012e-8,
    xtol=1.49012e-8, gtol=0.0, maxfev=0, epsfcn=None, factor=100, diag=None,
):  # fmt: skip
    if full_output:
        raise GradientError(_NO_OUTPUT, fix="use scipy.optimize.curve_fit for the covariance")
    x, status = _leastsq(
        func, x0, args, Dfun, 0, col_deriv, ftol, xtol, gtol, maxfev, epsfcn, factor, diag
    )

    def cost(z):
        return 0.5 * np.sum(np.square(func(z, *args)))

    return at_root(x, grad(cost)(x), _held(hessian(cost)(x))), status


_PLAIN_FIT = "curve_fit is differentiated without full_output and nan_policy"


def in_deviations(r, sigma):
    """Return residuals in units of their standard deviations, or made independent by a covariance."""
    if sigma is None:
        return r
    if np.ndim(sigma) == 2:
        return np.linalg.solve(np.linalg.cholesky(sigma), r)
    return r / sigma


def step_of_curve_fit(
    f, xdata, ydata, p0=None, sigma=None, absolute_sigma=False, check_finite=None, bounds=None,
    method=None, jac=None, options=None,
):  # fmt: skip
    """As of `least_squares`; the covariance is the inverse of J^T J at the solution, by J^+ (J^+)^T."""
    p, cov = _solve_curve_fit(
        f, xdata, ydata, p0, sigma, absolute_sigma, check_finite, bounds, method, jac, options
    )

    places = np.asarray(xdata, dtype=float) if isinstance(xdata, (list, tuple)) else xdata
    values = np.asarray(ydata, dtype=float)

    def residual(z):
        return in_deviations(f(places, *z) - values, sigma)

    def cost(z):
        return 0.5 * np.sum(np.square(residual(z)))

    if bounds is None:
        popt = at_root(p, grad(cost)(p), _held(hessian(cost)(p)))
    else:
        lower, upper = limits_of(bounds, p)
        curvature = np.diagonal(_held(hessian(cost)(p)))
        free = is_within(p, _held(grad(cost)(p)), curvature, lower, upper)
        popt = least_within(cost, p, free, lower, upper)
    inverse = np.linalg.pinv(jacobian(residual)(popt))
    pcov = inverse @ inverse.T
    if absolute_sigma:
        return popt, valued(cov, pcov)
    return popt, valued(cov, pcov * (2.0 * cost(popt) / (len(values) - len(popt))))


def optimize_curve_fit(
    f, xdata, ydata, p0=None, sigma=None, absolute_sigma=False, check_finite=None,
    bounds=None, method=None, jac=None, *, full_output=False, nan_policy=None,
    **kwargs,
):  # fmt: skip
    if full_output or nan_policy is not None:
        raise GradientError(_PLAIN_FIT, fix="fit the residuals by scipy.optimize.least_squares")
    return step_of_curve_fit(
        f, xdata, ydata, p0, sigma, absolute_sigma, check_finite, bounds, method, jac, kwargs
    )


def step_of_nonnegative(a, b):
    """The gradient is zero where the solution is not."""
    x, free = _solve_nonnegative(a, b)
    slope = (a.T @ (a @ x - b)) * free
    return at_root(x, slope, only_where(free, _held(a.T @ a))), free


def optimize_nnls(A, b, maxiter=None):
    x, _ = step_of_nonnegative(A, b)
    return x, np.linalg.norm(A @ x - b)


def optimize_rosen(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2, axis=0)


def optimize_rosen_der(x):
    return grad(optimize_rosen)(x)


_WRITTEN: dict[str, Any] = {
    "toms748": optimize_toms748,
    "root_scalar": optimize_root_scalar,
    "newton": optimize_newton,
    "fixed_point": optimize_fixed_point,
    "fsolve": optimize_fsolve,
    "root": optimize_root,
    "minimize": optimize_minimize,
    "minimize_scalar": optimize_minimize_scalar,
    "least_squares": optimize_least_squares,
    "leastsq": optimize_leastsq,
    "curve_fit": optimize_curve_fit,
    "nnls": optimize_nnls,
    "rosen": optimize_rosen,
    "rosen_der": optimize_rosen_der,
}
for _name, _step in _WRITTEN.items():
    written_out(getattr(optimize, _name), _step)

written_out(solve_root_scalar, step_of_root_scalar)
written_out(solve_root, step_of_root)
written_out(solve_minimum, step_of_minimum)
written_out(solve_minimum_scalar, step_of_minimum_scalar)
written_out(solve_least_squares, step_of_least_squares)
written_out(solve_curve_fit, step_of_curve_fit)
written_out(solve_nonnegative, step_of_nonnegative)
