"""Integrals of functions and solutions of differential equations.

An integral is differentiated as a sum over the intervals that `quad` chose. They move with the limits, so
that the derivatives in the limits are right as well, and to all orders.

A solution of a differential equation is differentiated step by step, with the steps that the integrator
took held fixed: the result is the derivative of the numerical solution, and differs from that of the
exact one by about the tolerance. The explicit methods are repeated as they are. Where an implicit method
was used (Radau, BDF, LSODA, odeint) the steps are those of Radau IIA, of order 5.
"""

from __future__ import annotations

import numpy as np
from scipy import integrate

from tapeless.errors import GradientError
from tapeless.operators.jacobian import jacobian
from tapeless.rules.declare import built_in_zero, held_fixed, written_out
from tapeless.rules.reasons import no_derivative
from tapeless.rules.results import shapes, solutions
from tapeless.rules.scipy import integrate as samples
from tapeless.rules.scipy.integrate import DenseSolution
from tapeless.rules.traits import traits
from tapeless.runtime import at_root, unchanged, valued
from tapeless.runtime.integration import (
    RADAU_A,
    RADAU_C,
    IvpFound,
    explicit_tableau,
    ivp_grid,
    ode_grid,
    quad_places,
    quad_vec_places,
    radau_stages,
)

no_derivative(
    "boundary value problems are not differentiated: write the equations of a collocation, and solve "
    "them by scipy.optimize.root",
    integrate.solve_bvp,
)
__all__ = ["samples"]

traits(integrate.nquad, takes_sequences=True)
_quad_between = held_fixed(integrate.quad, kind=solutions.number_and_error)
built_in_zero(quad_places, kind=solutions.places_and_weights)
built_in_zero(quad_vec_places, kind=solutions.values_and_weights)


def sum_of_quad(func, a, b, args=(), epsabs=1.49e-8, epsrel=1.49e-8, limit=50):
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


def sum_between(func, a, b, args, epsabs, epsrel, limit, points):
    """The integral as a sum of those between points, where it may have kinks: these may move."""
    value, error = _quad_between(func, a, b, args, 0, epsabs, epsrel, limit, points)
    within = np.sort(np.asarray(points, dtype=float))
    within = within[(min(a, b) < within) & (within < max(a, b))]
    if b < a:
        within = within[::-1]
    total, low = 0.0, a
    for point in within:
        total = total + integrate.quad(func, low, point, args, 0, epsabs, epsrel, limit)[0]
        low = point
    total = total + integrate.quad(func, low, b, args, 0, epsabs, epsrel, limit)[0]
    return valued(value, total), error


def integrate_quad(
    func, a, b, args=(), full_output=0, epsabs=1.49e-8, epsrel=1.49e-8, limit=50, points=None,
    weight=None, wvar=None, wopts=None, maxp1=50, limlst=50, complex_func=False,
):  # fmt: skip
    if full_output or weight is not None or complex_func:
        raise GradientError(
            "quad is differentiated without full_output, weight and complex_func",
            fix="multiply by the weight",
        )
    if points is not None:
        return sum_between(func, a, b, args, epsabs, epsrel, limit, points)
    value, error, _, _ = sum_of_quad(func, a, b, args, epsabs, epsrel, limit)
    return value, error


def integrate_quad_vec(
    f, a, b, epsabs=1e-200, epsrel=1e-8, norm="2", cache_size=100e6, limit=10000, workers=1,
    points=None, quadrature=None, full_output=False, *, args=(),
):  # fmt: skip
    """The integral as the sum that it is nearly, over places that move with the limits."""
    if full_output:
        raise GradientError("quad_vec is differentiated without full_output")
    options = {
        "epsabs": epsabs, "epsrel": epsrel, "norm": norm, "limit": limit, "workers": workers,
        "points": points, "quadrature": quadrature,
    }  # fmt: skip
    value, error, places, weights = quad_vec_places(f, a, b, options, args)
    total = weights[0] * f(a + (b - a) * places[0], *args)
    for i in range(1, len(places)):
        total = total + weights[i] * f(a + (b - a) * places[i], *args)
    return valued(value, (b - a) * total), error


def limit_at(limit, *places):
    """A limit of an inner integral: a number, or a function of the places outside."""
    return limit(*places) if callable(limit) else limit


def integrate_dblquad(func, a, b, gfun, hfun, args=(), epsabs=1.49e-8, epsrel=1.49e-8):
    def inner(x):
        def along(y):
            return func(y, x, *args)

        low, high = limit_at(gfun, x), limit_at(hfun, x)
        return integrate.quad(along, low, high, epsabs=epsabs, epsrel=epsrel)[0]

    return integrate.quad(inner, a, b, epsabs=epsabs, epsrel=epsrel)


def integrate_tplquad(func, a, b, gfun, hfun, qfun, rfun, args=(), epsabs=1.49e-8, epsrel=1.49e-8):
    def inner(y, x):
        def along(z):
            return func(z, y, x, *args)

        low, high = limit_at(qfun, x, y), limit_at(rfun, x, y)
        return integrate.quad(along, low, high, epsabs=epsabs, epsrel=epsrel)[0]

    return integrate.dblquad(inner, a, b, gfun, hfun, epsabs=epsabs, epsrel=epsrel)


def integrate_nquad(func, ranges, args=None, opts=None, full_output=False):
    """The first variable is integrated first; of two its range may depend on the other."""
    more = () if args is None else args
    if opts is not None or full_output or len(ranges) > 3:
        raise GradientError(
            "nquad is differentiated in up to three variables, without opts and full_output",
            fix="nest scipy.integrate.quad",
        )
    first = ranges[0]
    if len(ranges) == 1:
        return integrate.quad(func, first[0], first[1], args=more)
    second = ranges[1]
    if len(ranges) == 3:
        a, b = ranges[2]
        return integrate.tplquad(func, a, b, second[0], second[1], first[0], first[1], args=more)
    if not callable(first):
        return integrate.dblquad(func, second[0], second[1], first[0], first[1], args=more)

    def low(y):
        return first(y, *more)[0]

    def high(y):
        return first(y, *more)[1]

    return integrate.dblquad(func, second[0], second[1], low, high, args=more)


def integrate_fixed_quad(func, a, b, args=(), n=5):
    x, w = np.polynomial.legendre.leggauss(n)
    half = 0.5 * (b - a)
    return half * np.sum(w * func(half * (x + 1.0) + a, *args), axis=-1), None


# Differential equations

built_in_zero(ivp_grid, kind=solutions.grid_of_ivp)
built_in_zero(ode_grid, kind=solutions.grid_of_odeint)
_radau_stages = held_fixed(radau_stages, kind=solutions.vector)
_held = held_fixed(unchanged, kind=shapes.same_shape)


def explicit_steps(fun, t, y0, args, tableau):
    """The values that an explicit Runge-Kutta method finds, one row for each time."""
    rows, weights, places = tableau
    path = np.zeros((len(t), len(y0)))
    path[0] = y0
    for i in range(len(t) - 1):
        h = t[i + 1] - t[i]
        slopes = np.zeros((len(places), len(y0)))
        for j in range(len(places)):
            slopes[j] = fun(t[i] + places[j] * h, path[i] + h * (rows[j] @ slopes), *args)
        path[i + 1] = path[i] + h * (weights @ slopes)
    return path


def dense_solution_of_ivp(fun, t_span, y0, method, t_eval, args, options):
    """Solve an equation by the steps of an explicit method alone, and interpolate between them."""
    shares, _, times, values, status, message, nfev = ivp_grid(
        fun, t_span, y0, method, None, args, options
    )
    t = t_span[0] + (t_span[1] - t_span[0]) * shares

    def slope(s, z):
        return fun(s, z, *args)

    path = explicit_steps(slope, t, y0, (), explicit_tableau(method))
    dense = DenseSolution(slope, t, path, method)
    if t_eval is None:
        t, y = valued(times, t), valued(values, np.transpose(path))
    else:
        t, y = np.asarray(t_eval), dense(t_eval)
    return IvpFound(t, y, status >= 0, status, message, nfev, dense)


def stages_of_radau(fun, t, y, h, args):
    """The stages of one step of Radau IIA, by the theorem on implicit functions."""
    size = len(y)

    def residual(z):
        first = np.asarray(fun(t + RADAU_C[0] * h, y + z[:size], *args))
        second = np.asarray(fun(t + RADAU_C[1] * h, y + z[size : 2 * size], *args))
        third = np.asarray(fun(t + h, y + z[2 * size :], *args))
        return z - h * np.ravel(RADAU_A @ np.stack([first, second, third]))

    z = _radau_stages(fun, t, y, h, args)
    return at_root(z, residual(z), _held(jacobian(residual)(z)))


def radau_steps(fun, t, y0, args):
    """The values that the method of Radau finds, one row for each time."""
    last = 2 * len(y0)
    path = np.zeros((len(t), len(y0)))
    path[0] = y0
    for i in range(len(t) - 1):
        stages = stages_of_radau(fun, t[i], path[i], t[i + 1] - t[i], args)
        path[i + 1] = path[i] + stages[last:]
    return path


def integrate_solve_ivp(
    fun, t_span, y0, method="RK45", t_eval=None, dense_output=False, events=None, vectorized=False,
    args=None, **options,
):  # fmt: skip
    if events is not None:
        raise GradientError(
            "solve_ivp is differentiated without events",
            fix="solve for the time of an event by brentq",
        )
    more = () if args is None else args
    if dense_output:
        if method not in ("RK23", "RK45"):
            raise GradientError(
                "solve_ivp is differentiated with dense_output for RK45 and RK23",
                fix="ask for the values by t_eval",
            )
        return dense_solution_of_ivp(fun, t_span, y0, method, t_eval, more, options)
    shares, asked, times, values, status, message, nfev = ivp_grid(
        fun, t_span, y0, method, t_eval, more, options
    )
    t = t_span[0] + (t_span[1] - t_span[0]) * shares
    if t_eval is not None:
        t[asked] = t_eval
    if method in ("RK23", "RK45", "DOP853"):
        path = explicit_steps(fun, t, y0, more, explicit_tableau(method))
    else:
        path = radau_steps(fun, t, y0, more)
    return IvpFound(
        valued(times, t[asked]), valued(values, np.transpose(path[asked])), status >= 0, status,
        message, nfev,
    )  # fmt: skip


def integrate_odeint(
    func, y0, t, args=(), Dfun=None, col_deriv=0, full_output=0, ml=None, mu=None, rtol=None,
    atol=None, tcrit=None, h0=0.0, hmax=0.0, hmin=0.0, ixpr=0, mxstep=0, mxhnil=0, mxordn=12,
    mxords=5, printmessg=0, tfirst=False,
):  # fmt: skip
    if full_output:
        raise GradientError("odeint is differentiated without full_output")
    options = {
        "Dfun": Dfun, "col_deriv": col_deriv, "ml": ml, "mu": mu, "tcrit": tcrit, "h0": h0,
        "hmax": hmax, "hmin": hmin, "ixpr": ixpr, "mxstep": mxstep, "mxhnil": mxhnil,
        "mxordn": mxordn, "mxords": mxords, "printmessg": printmessg,
    }  # fmt: skip
    shares, asked, values = ode_grid(func, y0, t, args, rtol, atol, tfirst, options)

    def slope(s, z, *more):
        return func(s, z, *more) if tfirst else func(z, s, *more)

    times = t[0] + (t[-1] - t[0]) * shares
    times[asked] = t
    path = radau_steps(slope, times, np.reshape(y0, (-1,)), args)
    return valued(values, path[asked])


written_out(radau_stages, stages_of_radau)
written_out(integrate.quad, integrate_quad)
written_out(integrate.quad_vec, integrate_quad_vec)
written_out(integrate.dblquad, integrate_dblquad)
written_out(integrate.tplquad, integrate_tplquad)
written_out(integrate.nquad, integrate_nquad)
written_out(integrate.fixed_quad, integrate_fixed_quad)
written_out(integrate.solve_ivp, integrate_solve_ivp)
written_out(integrate.odeint, integrate_odeint)
