"""Roots and minima of `scipy.optimize`, by the theorem on implicit functions."""

import numpy as np
import pytest

optimize = pytest.importorskip("scipy.optimize", reason="SciPy is not installed")

import tapeless as tl  # noqa: E402
from tapeless.errors import GradientError  # noqa: E402
from tapeless.testing import check_grads  # noqa: E402


def cubic(x, a, b):
    return x**3 + a * x - b


def pair(x, a):
    return [x[0] ** 2 + a * x[1] - 2.0, x[0] - np.exp(-a * x[1])]


def energy(x, a):
    return np.sum((x - a) ** 4) + np.sum((x - 1.0) ** 2) + a[0] * x[0] * x[1]


def bracketed(a, b):
    x = optimize.brentq(lambda x: x**3 + a * x - b, 0.0, 3.0)
    y = optimize.ridder(cubic, 0.0, 3.0, args=(a, b))
    z, found = optimize.brenth(cubic, 0.0, 3.0, args=(a, b), full_output=True)
    both = x**2 + z * found.root if found.converged else 0.0
    return both + a * y + optimize.toms748(cubic, 0.0, 3.0, args=(a, b))


def by_newton(a, b):
    x = optimize.newton(cubic, np.array([1.0, 2.0]), args=(a, b))
    return np.sum(x**2) * optimize.newton(lambda z: z * z - a, 1.0)


def scalar_root(a, b):
    first = optimize.root_scalar(cubic, args=(a, b), bracket=[0.0, 3.0])
    second = optimize.root_scalar(lambda x: x - a * np.cos(x), x0=0.5, x1=0.6, method="secant")
    return first.root * second.root if first.converged else 0.0


def fixed_points(a, b):
    x = optimize.fixed_point(lambda x: b * np.cos(a * x), 0.5)
    y = optimize.fixed_point(lambda y: np.array([0.3 * y[1], a * np.sin(y[0]) + b]), np.ones(2))
    return x * y[0] + y[1]


def roots(a):
    def system(x):
        return np.array(pair(x, a))

    x = optimize.fsolve(pair, [1.0, 1.0], args=(a,))
    return x[0] * x[1] ** 2 + np.sum(optimize.root(system, np.ones(2), tol=1e-12).x ** 3)


SLOPE = tl.grad(energy)


def least(a):
    options = {"gtol": 1e-10}
    found = optimize.minimize(energy, np.zeros(2), (a,), jac=SLOPE, options=options)
    return found.x[0] * found.x[1] + found.fun


def least_within_bounds(a):
    bounds = [(0.5 * a[0], 0.8 * a[1]), (None, None)]
    x = optimize.minimize(energy, np.zeros(2), args=(a,), bounds=bounds, tol=1e-12).x
    return x[0] * x[1]


def least_number(a):
    found = optimize.minimize_scalar(lambda x: (x - a) ** 2 + 0.1 * np.cos(3.0 * x), tol=1e-12)
    return found.x * a + found.fun


t = np.linspace(0.0, 3.0, 8)


def residuals(p, y):
    return p[0] * np.exp(-p[1] * t) - y


def fitted(y):
    found = optimize.least_squares(residuals, np.ones(2), args=(y,), ftol=1e-14, xtol=1e-14)
    return found.x[0] * found.x[1] + found.cost


def fitted_within_bounds(y, b):
    """The second number is stopped by its bound, of which the other depends."""
    bounds = ([0.0, 0.0], [9.0, b])
    found = optimize.least_squares(
        residuals, np.array([1.0, 0.5]), args=(y,), bounds=bounds, ftol=1e-14, xtol=1e-14
    )
    return found.x[0] * found.x[1] + found.cost


def fitted_robustly(y, scale):
    total = 0.0
    for loss in ("soft_l1", "huber", "cauchy", "arctan"):
        found = optimize.least_squares(
            residuals, np.ones(2), args=(y,), loss=loss, f_scale=scale, **TIGHT
        )
        total += found.x[0] * found.x[1] + found.cost
    return total


def fitted_by_leastsq(y):
    p, status = optimize.leastsq(residuals, np.ones(2), args=(y,), **TIGHT)
    return p[0] * p[1] if status <= 4 else 0.0


BOX = optimize.Bounds(np.array([0.0, -np.inf]), np.array([9.0, 0.5]))


def fitted_in_a_box(y):
    found = optimize.least_squares(
        residuals, np.zeros(2) + 0.1, args=(y,), bounds=BOX, method="dogbox", **TIGHT
    )
    return found.x[0] * found.x[1]


def decay(t, a, b):
    return a * np.exp(-b * t)


def decay_slopes(t, a, b):
    return np.stack([np.exp(-b * t), -a * t * np.exp(-b * t)], axis=1)


TIGHT = {"ftol": 1e-14, "xtol": 1e-14}


def fitted_curve(y, c):
    p = optimize.curve_fit(lambda t, a, b: decay(t, a, b) + c * t, t, y, **TIGHT)[0]
    return p @ p


def fitted_curve_within_bounds(y, b):
    p, cov = optimize.curve_fit(decay, t, y, [1.0, 0.5], bounds=(0.0, [9.0, b]), **TIGHT)
    return p @ p + cov[0, 1]


def covariance(y, s):
    popt, first = optimize.curve_fit(decay, t, y, jac=decay_slopes, **TIGHT)
    _, second = optimize.curve_fit(
        decay, t, y, np.ones(2), s, True, jac=decay_slopes, method="trf", **TIGHT
    )
    return popt[0] + 1e3 * first[0, 1] + 1e2 * second[1, 1]


def nonnegative(a, b):
    x, norm = optimize.nnls(a, b)
    return np.sum(x**2) + norm


def told(a, b):
    x, how = optimize.newton(cubic, 1.0, args=(a, b), tol=1e-13, full_output=True)
    y, _ = optimize.toms748(cubic, 0.0, 3.0, args=(a, b), full_output=True)
    return x * how.root * y if how.converged else 0.0 * x


def results_by_key(a):
    found = optimize.minimize(energy, np.zeros(2), args=(a,), tol=1e-10)
    root = optimize.root(pair, [1.0, 1.0], args=(a[0],), tol=1e-13)
    if root["status"] != 1:
        raise ValueError(root["message"])
    return found["x"] @ root["x"] + found.get("fun")


def fitted_by_name(y):
    found = optimize.least_squares(
        lambda c, seen, scale=1.0: scale * (c[0] * np.exp(-c[1] * t) - seen),
        np.ones(2), kwargs={"seen": y, "scale": 2.0}, xtol=1e-14, ftol=1e-14, gtol=1e-14,
    )  # fmt: skip
    return found.cost + found.x[0] * (found.status > 0)


rng = np.random.default_rng(0)
FUNCTIONS = [
    (told, (2.0, 3.0)),
    (results_by_key, (np.array([0.9, 0.7]),)),
    (fitted_by_name, (3.0 * np.exp(-0.7 * t) + 0.1 * rng.normal(size=8),)),
    (bracketed, (2.0, 3.0)),
    (by_newton, (2.0, 3.0)),
    (scalar_root, (2.0, 3.0)),
    (fixed_points, (0.5, 0.7)),
    (roots, (1.2,)),
    (least, (np.array([0.3, 0.7]),)),
    (least_within_bounds, (np.array([0.3, 0.7]),)),
    (least_number, (0.4,)),
    (fitted, (3.0 * np.exp(-0.7 * t) + 0.1 * rng.normal(size=8),)),
    (fitted_within_bounds, (3.0 * np.exp(-0.7 * t) + 0.1 * rng.normal(size=8), 0.55)),
    (fitted_robustly, (3.0 * np.exp(-0.7 * t) + 0.1 * rng.normal(size=8), 0.1)),
    (fitted_by_leastsq, (3.0 * np.exp(-0.7 * t) + 0.1 * rng.normal(size=8),)),
    (fitted_curve_within_bounds, (3.0 * np.exp(-0.7 * t) + 0.1 * rng.normal(size=8), 0.55)),
    (fitted_in_a_box, (3.0 * np.exp(-0.7 * t) + 0.1 * rng.normal(size=8),)),
    (fitted_curve, (3.0 * np.exp(-0.7 * t) + 0.1 * rng.normal(size=8), 0.3)),
    (covariance, (3.0 * np.exp(-0.7 * t) + 0.1 * rng.normal(size=8), 1.0 + rng.random(8))),
    (nonnegative, (rng.normal(size=(4, 3)), rng.normal(size=4))),
]


@pytest.mark.parametrize(("f", "args"), FUNCTIONS, ids=lambda x: getattr(x, "__name__", ""))
def test_first_order(f, args):
    check_grads(f, *args, order=1, rtol=1e-4)


def square_root(a):
    return optimize.brentq(lambda x: x * x - a, 0.0, 3.0) * a


def test_what_a_bound_stops_does_not_move():
    """Also where the search comes only near to it; what is within has its derivative."""
    y = 3.0 * np.exp(-0.7 * t)

    def second(y):
        return optimize.least_squares(
            residuals, np.full(2, 0.1), args=(y,), bounds=([0, 0], [9, 0.5])
        )

    assert np.all(tl.grad(lambda y: second(y).x[1])(y) == 0.0)
    free = tl.grad(lambda y: optimize.least_squares(residuals, np.ones(2), args=(y,)).x[1])(y)
    inside = tl.grad(
        lambda y: optimize.least_squares(residuals, np.ones(2), args=(y,), bounds=(0.0, 9.0)).x[1]
    )(y)
    assert np.allclose(inside, free, rtol=1e-4)


def test_higher_orders():
    check_grads(square_root, 2.0, order=2, modes=("reverse",))
    third = tl.grad(tl.grad(tl.grad(square_root)))
    assert np.isclose(third(2.0), -0.375 * 2.0**-1.5)


def test_values_are_those_of_the_solver():
    assert tl.value_and_grad(bracketed)(2.0, 3.0)[0] == bracketed(2.0, 3.0)
    found = tl.value_and_grad(least)(np.array([0.3, 0.7]))[0]
    assert found == least(np.array([0.3, 0.7]))


def test_what_is_printed_names_the_solver():
    assert "from scipy.optimize import brentq\n" in tl.source(square_root, like=(2.0,))


def test_an_assignment_is_constant():
    def matched(cost):
        rows, columns = optimize.linear_sum_assignment(cost)
        return np.sum(cost[rows, columns] ** 2)

    cost = np.array([[4.0, 1.0, 3.0], [2.0, 0.0, 5.0], [3.0, 2.0, 2.0]])
    check_grads(matched, cost, order=1, modes=("reverse",))


@pytest.mark.parametrize("key", ["hess_inv", "jac"])
def test_what_is_not_known_of_a_result_is_not_taken_for_missing(key):
    def known(a):
        found = optimize.minimize(energy, np.zeros(2), args=(a,))
        return found.x[0] if found.get(key) is None else 0.0 * a[0]

    with pytest.raises(GradientError, match=f"`{key}` of what a solver found"):
        tl.grad(known)(np.array([0.9, 0.7]))


def test_refusals():
    def constrained(a):
        rule = {"type": "eq", "fun": lambda x: x[0] - 1.0}
        return optimize.minimize(energy, np.zeros(2), args=(a,), constraints=rule).x[1]

    with pytest.raises(GradientError, match="under constraints"):
        tl.grad(constrained)(np.array([0.3, 0.7]))
    with pytest.raises(GradientError, match="without full_output"):
        tl.grad(lambda y: optimize.curve_fit(decay, t, y, full_output=True)[0][0])(np.exp(-t))
    with pytest.raises(GradientError, match="a loss that is named"):
        tl.grad(
            lambda y: optimize.least_squares(residuals, np.ones(2), loss=np.log1p, args=(y,)).cost
        )(t)
    with pytest.raises(GradientError, match="full_output"):
        tl.grad(lambda a: optimize.fsolve(pair, [1.0, 1.0], (a,), full_output=True)[0][0])(1.2)
