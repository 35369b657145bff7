"""Integrals of functions and solutions of differential equations.

An integral is differentiated as a sum over the intervals that `quad` chose. They move with the limits, so
that the derivatives in the limits are right as well, and to all orders.

A solution of a differential equation is differentiated step by step, with the steps that the integrator
took held fixed: the result is the derivative of the numerical solution, and differs from that of the
exact one by about the tolerance. The explicit methods are repeated as they are. Where an implicit method
was used (Radau, BDF, LSODA, odeint) the steps are those of Radau IIA, of order 5.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate

from tapeless.errors import GradientError
from tapeless.operators.jacobian import jacobian
from tapeless.rules.declare import held_fixed, no_derivative, written_out, zero_gradient
from tapeless.rules.results import shapes, solutions
from tapeless.rules.scipy import integrate as samples
from tapeless.runtime import at_root, unchanged, valued
from tapeless.runtime.integration import (
    RADAU_A,
    RADAU_C,
    IvpFound,
    explicit_tableau,
    ivp_grid,
    ode_grid,
    quad_places,
    radau_stages,
)

no_derivative(
    "boundary value problems are not differentiated: write the equations of a collocation, and solve "
    "them by scipy.optimize.root",
    integrate.solve_bvp,
)
no_derivative(
    "it integrates in any number of variables; nest scipy.integrate.quad, or take dblquad",
    integrate.nquad,
    integrate.tplquad,
)
no_derivative(
    "take scipy.integrate.quad of each entry, or scipy.integrate.fixed_quad", integrate.quad_vec
)

__all__ = ["samples"]

zero_gradient(quad_places, kind=solutions.places_and_weights)


def sum_of_quad(
    func: Any, a: Any, b: Any, args: Any = (), epsabs: Any = 1.49e-8, epsrel: Any = 1.49e-8,
    limit: Any = 50,
) -> Any:  # fmt: skip
    """The integral as the sum that it is nearly, over places that move with the limits."""
    value, error, places, weights = quad_places(func, a, b, args, epsabs, epsrel, limit)
    origin, scale = 0.0, 1.0
    if np.isfinite(a) and np.isfinite(b):
        origin, scale = a, b - a
    elif np.isfinite(a):
        origin = a
    elif np.isfinite(b):
        origin = b
    total = 0.0
    for i in range(len(places)):
        total = total + weights[i] * func(origin + scale * places[i], *args)
    return valued(value, scale * total), error, places, weights


def integrate_quad(
    func: Any, a: Any, b: Any, args: Any = (), full_output: Any = 0, epsabs: Any = 1.49e-8,
    epsrel: Any = 1.49e-8, limit: Any = 50, points: Any = None, weight: Any = None,
    wvar: Any = None, wopts: Any = None, maxp1: Any = 50, limlst: Any = 50,
    complex_func: Any = False,
) -> Any:  # fmt: skip
    if full_output or points is not None or weight is not None or complex_func:
        raise GradientError(
            "quad is differentiated without full_output, points, weight and complex_func",
            fix="split the range, or multiply by the weight",
        )
    value, error, _, _ = sum_of_quad(func, a, b, args, epsabs, epsrel, limit)
    return value, error


def integrate_dblquad(
    func: Any, a: Any, b: Any, gfun: Any, hfun: Any, args: Any = (), epsabs: Any = 1.49e-8,
    epsrel: Any = 1.49e-8,
) -> Any:  # fmt: skip
    def inner(x: Any) -> Any:
        low = gfun(x) if callable(gfun) else gfun
        high = hfun(x) if callable(hfun) else hfun

        def along(y: Any) -> Any:
            return func(y, x, *args)

        return integrate.quad(along, low, high, epsabs=epsabs, epsrel=epsrel)[0]

    return integrate.quad(inner, a, b, epsabs=epsabs, epsrel=epsrel)


def integrate_fixed_quad(func: Any, a: Any, b: Any, args: Any = (), n: Any = 5) -> Any:
    x, w = np.polynomial.legendre.leggauss(n)
    half = 0.5 * (b - a)
    return half * np.sum(w * func(half * (x + 1.0) + a, *args), axis=-1), None


# Differential equations

zero_gradient(explicit_tableau, kind=solutions.tableau)
zero_gradient(ivp_grid, kind=solutions.grid_of_ivp)
zero_gradient(ode_grid, kind=solutions.grid_of_odeint)
_radau_stages = held_fixed(radau_stages, kind=solutions.vector)
_held = held_fixed(unchanged, kind=shapes.same_shape)


def explicit_step(fun: Any, t: Any, y: Any, h: Any, args: Any, tableau: Any) -> Any:
    """One step of an explicit Runge-Kutta method."""
    rows, weights, places = tableau
    slopes = [np.asarray(fun(t, y, *args))]
    for i in range(1, len(places)):
        inner = y
        for j in range(i):
            inner = inner + h * rows[i, j] * slopes[j]
        slopes.append(np.asarray(fun(t + places[i] * h, inner, *args)))
    for j in range(len(places)):
        y = y + h * weights[j] * slopes[j]
    return y


def stages_of_radau(fun: Any, t: Any, y: Any, h: Any, args: Any) -> Any:
    """The stages of one step of Radau IIA, by the theorem on implicit functions."""
    size = len(y)

    def residual(z: Any) -> Any:
        first = np.asarray(fun(t + RADAU_C[0] * h, y + z[:size], *args))
        second = np.asarray(fun(t + RADAU_C[1] * h, y + z[size : 2 * size], *args))
        third = np.asarray(fun(t + h, y + z[2 * size :], *args))
        return z - h * np.ravel(RADAU_A @ np.stack([first, second, third]))

    z = _radau_stages(fun, t, y, h, args)
    return at_root(z, residual(z), _held(jacobian(residual)(z)))


def integrate_solve_ivp(
    fun: Any, t_span: Any, y0: Any, method: Any = "RK45", t_eval: Any = None,
    dense_output: Any = False, events: Any = None, vectorized: Any = False, args: Any = None,
    **options: Any,
) -> Any:  # fmt: skip
    if dense_output or events is not None:
        raise GradientError(
            "solve_ivp is differentiated without dense_output and events",
            fix="ask for the values by t_eval; solve for the time of an event by brentq",
        )
    more = () if args is None else args
    shares, place, times, values, status, message, nfev = ivp_grid(
        fun, t_span, y0, method, t_eval, more, options
    )
    start, span = t_span[0], t_span[1] - t_span[0]
    explicit = method in ("RK23", "RK45", "DOP853")
    tableau = explicit_tableau(method) if explicit else None
    t, y = start, np.asarray(y0, dtype=float)
    found_t, found_y = [], []
    if t_eval is None or place[0] >= 0:
        found_t.append(t)
        found_y.append(y)
    for i in range(1, len(shares)):
        after = start + span * shares[i]
        if place[i] >= 0:
            after = t_eval[place[i]]
        if explicit:
            y = explicit_step(fun, t, y, after - t, more, tableau)
        else:
            y = y + stages_of_radau(fun, t, y, after - t, more)[2 * len(y) :]
        t = after
        if t_eval is None or place[i] >= 0:
            found_t.append(t)
            found_y.append(y)
    return IvpFound(
        valued(times, np.stack(found_t)), valued(values, np.stack(found_y, axis=1)), status >= 0,
        status, message, nfev,
    )  # fmt: skip


def integrate_odeint(
    func: Any, y0: Any, t: Any, args: Any = (), Dfun: Any = None, col_deriv: Any = 0,
    full_output: Any = 0, ml: Any = None, mu: Any = None, rtol: Any = None, atol: Any = None,
    tcrit: Any = None, h0: Any = 0.0, hmax: Any = 0.0, hmin: Any = 0.0, ixpr: Any = 0,
    mxstep: Any = 0, mxhnil: Any = 0, mxordn: Any = 12, mxords: Any = 5, printmessg: Any = 0,
    tfirst: Any = False,
) -> Any:  # fmt: skip
    if full_output:
        raise GradientError("odeint is differentiated without full_output")
    options = {
        "Dfun": Dfun, "col_deriv": col_deriv, "ml": ml, "mu": mu, "tcrit": tcrit, "h0": h0,
        "hmax": hmax, "hmin": hmin, "ixpr": ixpr, "mxstep": mxstep, "mxhnil": mxhnil,
        "mxordn": mxordn, "mxords": mxords, "printmessg": printmessg,
    }  # fmt: skip
    shares, place, values = ode_grid(func, y0, t, args, rtol, atol, tfirst, options)

    def slope(s: Any, z: Any, *more: Any) -> Any:
        return func(s, z, *more) if tfirst else func(z, s, *more)

    y = np.reshape(np.asarray(y0, dtype=float), (-1,))
    before, found = t[0], [y]
    for i in range(1, len(shares)):
        after = t[0] + (t[-1] - t[0]) * shares[i]
        if place[i] >= 0:
            after = t[place[i]]
        y = y + stages_of_radau(slope, before, y, after - before, args)[2 * len(y) :]
        before = after
        if place[i] >= 0:
            found.append(y)
    return valued(values, np.stack(found))


written_out(radau_stages, stages_of_radau)
written_out(integrate.quad, integrate_quad)
written_out(integrate.dblquad, integrate_dblquad)
written_out(integrate.fixed_quad, integrate_fixed_quad)
written_out(integrate.solve_ivp, integrate_solve_ivp)
written_out(integrate.odeint, integrate_odeint)
