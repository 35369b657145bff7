"""What the integrators of SciPy chose: the places of a quadrature, the steps of a differential equation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import integrate, optimize

from tapeless.errors import GradientError
from tapeless.runtime.found import Found


@dataclass
class IvpFound(Found):
    """What `scipy.integrate.solve_ivp` found."""

    t: Any
    y: Any
    success: bool
    status: int
    message: str
    nfev: int
    sol: Any = None


def quad_places(
    func: Any, a: Any, b: Any, args: Any = (), epsabs: Any = 1.49e-8, epsrel: Any = 1.49e-8,
    limit: Any = 50,
) -> Any:  # fmt: skip
    """Return the integral that `quad` finds, its error, and a sum over its intervals.

    Returns
    -------
    The value, the error, and the places and weights of the points of Gauss and Legendre in the intervals
    that `quad` chose, as shares of the range; where an end is infinite, as distances.

    Examples
    --------
    >>> value, error, u, w = quad_places(lambda x: x * x, 0.0, 1.0)
    >>> round(value, 8), round(float(np.sum(w * u**2)), 8)
    (0.33333333, 0.33333333)
    """
    value, error, info = integrate.quad(
        func, a, b, args, 1, epsabs=epsabs, epsrel=epsrel, limit=limit
    )[:3]
    count = info["last"]
    left, right = info["alist"][:count], info["blist"][:count]
    if np.isfinite(a) and np.isfinite(b) and b < a:
        left, right = right, left  # quad goes up in any case
    if np.isfinite(a) and np.isfinite(b):
        ends = ((left - a) / (b - a), (right - a) / (b - a)) if a != b else ([0.0], [1.0])
    else:
        ends = left, right
    u, w = _gauss(*map(np.asarray, ends))
    scale, origin = (b - a, a) if np.isfinite(a) and np.isfinite(b) else (1.0, 0.0)
    if not np.isfinite(a) or not np.isfinite(b):
        w = w / u**2
        u = (1.0 - u) / u
        if np.isfinite(b):
            u, origin = -u, b
        elif np.isfinite(a):
            origin = a
        else:
            u, w = np.concatenate([u, -u]), np.concatenate([w, w])
        w = np.where(b < a, -w, w)
    total = scale * sum(wi * func(origin + scale * ui, *args) for ui, wi in zip(u, w, strict=True))
    allowed = 10.0 * (error + max(epsabs, epsrel * abs(value)))
    if not abs(total - value) <= allowed:
        raise GradientError(
            "quad extrapolates the integral of what is singular, and only sums are differentiated",
            fix="substitute a variable in which the function that is integrated is smooth",
        )
    return value, error, u, w


def quad_vec_places(func: Any, a: Any, b: Any, options: Any, args: Any = ()) -> Any:
    """Return the integral that `quad_vec` finds, its error, and a sum over its intervals.

    Returns
    -------
    The value, the error, and places and weights as shares of the range, as of `quad_places`.

    Examples
    --------
    >>> value, error, u, w = quad_vec_places(lambda x: np.array([1.0, x]), 0.0, 1.0, {})
    >>> value.round(8), round(float(np.sum(w * u)), 8)
    (array([1. , 0.5]), 0.5)
    """
    if not np.isfinite(a) or not np.isfinite(b) or a == b:
        raise GradientError(
            "quad_vec is differentiated between two finite limits",
            fix="take scipy.integrate.quad of each entry",
        )
    more = {"args": args} if args else {}
    value, error, info = integrate.quad_vec(func, a, b, full_output=True, **options, **more)
    left, right = (np.transpose(info.intervals) - a) / (b - a)
    u, w = _gauss(left, right)
    return value, error, u, w


def _gauss(left: Any, right: Any) -> Any:
    """Return the places and weights of the rule of Gauss and Legendre in several intervals."""
    x, w = np.polynomial.legendre.leggauss(15)
    half = 0.5 * (right - left)[:, None]
    return (left[:, None] + half * (1.0 + x)).ravel(), (half * w).ravel()


def explicit_tableau(method: str) -> Any:
    """Return the coefficients of an explicit Runge-Kutta method of `solve_ivp`: rows, weights, places.

    Examples
    --------
    >>> rows, weights, places = explicit_tableau("RK23")
    >>> rows.shape, len(weights), len(places)
    ((3, 3), 3, 3)
    """
    cls = getattr(integrate, method)
    n = cls.n_stages
    rows = np.zeros((n, n))
    rows[:, : min(n, cls.A.shape[1])] = cls.A[:n, :n]  # some leave the last column of zeros out
    return rows, cls.B, cls.C[:n]


def explicit_interpolant(method: str) -> Any:
    """Return the weights of slopes for each power of the share of a step that is done, from the first.

    Examples
    --------
    >>> explicit_interpolant("RK23").shape
    (4, 3)
    """
    return getattr(integrate, method).P


def ivp_grid(
    fun: Any, t_span: Any, y0: Any, method: Any, t_eval: Any, args: Any, options: Any
) -> Any:
    """Return the steps that `solve_ivp` took, those to what is asked for included, and what it found.

    Returns
    -------
    The steps as shares of the time, which of them are asked for, the times and values found, and the
    status, the message and the count of calls.
    """
    found = integrate.solve_ivp(fun, t_span, y0, method, args=args or None, **options)
    steps = (found.t - t_span[0]) / (t_span[1] - t_span[0])
    if t_eval is None:
        asked = np.arange(len(steps))
    else:
        found = integrate.solve_ivp(fun, t_span, y0, method, t_eval, args=args or None, **options)
        steps, asked = _merged(steps, (found.t - t_span[0]) / (t_span[1] - t_span[0]))
    return steps, asked, found.t, found.y, found.status, found.message, found.nfev


def ode_grid(
    func: Any, y0: Any, t: Any, args: Any, rtol: Any, atol: Any, tfirst: Any, options: Any
) -> Any:
    """Return the steps of the method of Radau to the tolerance of `odeint`, and what that finds."""
    found = integrate.odeint(func, y0, t, args, rtol=rtol, atol=atol, tfirst=tfirst, **options)

    def slope(s: Any, y: Any) -> Any:
        return func(s, y, *args) if tfirst else func(y, s, *args)

    tolerances = {"rtol": rtol or 1.49012e-8, "atol": atol or 1.49012e-8}
    steps = integrate.solve_ivp(slope, (t[0], t[-1]), np.atleast_1d(y0), "Radau", **tolerances).t
    shares, asked = _merged(
        (steps - t[0]) / (t[-1] - t[0]), (np.asarray(t) - t[0]) / (t[-1] - t[0])
    )
    return shares, asked, found


def _merged(steps: Any, asked: Any) -> Any:
    """Return the steps and what is asked for in one order, and the places of the latter in it.

    Examples
    --------
    >>> _merged(np.array([0.0, 0.4, 1.0]), np.array([0.5, 1.0]))
    (array([0. , 0.4, 0.5, 1. ]), array([2, 3]))
    """
    shares = np.union1d(np.append(steps, 0.0), asked)
    return shares, np.searchsorted(shares, asked)


def radau_stages(fun: Any, t: Any, y: Any, h: Any, args: Any) -> Any:
    """Solve for the stages of one step of Radau IIA: what is added to `y` at each, one after the other."""

    def residual(z: Any) -> Any:
        places = zip(RADAU_C, z.reshape(3, -1), strict=True)
        slopes = [np.asarray(fun(t + c * h, y + part, *args)) for c, part in places]
        return z - h * (RADAU_A @ np.stack(slopes)).ravel()

    first = h * np.outer(RADAU_C, np.asarray(fun(t, y, *args))).ravel()
    found = optimize.root(residual, first, tol=1e-13)
    return found.x


# Radau IIA of order 5: the matrix and the places of its stages.
_ROOT = 6.0**0.5
RADAU_A = np.array(
    [
        [(88 - 7 * _ROOT) / 360, (296 - 169 * _ROOT) / 1800, (-2 + 3 * _ROOT) / 225],
        [(296 + 169 * _ROOT) / 1800, (88 + 7 * _ROOT) / 360, (-2 - 3 * _ROOT) / 225],
        [(16 - _ROOT) / 36, (16 + _ROOT) / 36, 1 / 9],
    ]
)
RADAU_C = np.array([(4 - _ROOT) / 10, (4 + _ROOT) / 10, 1.0])
