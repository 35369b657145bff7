"""Integrals of functions and solutions of differential equations."""

import numpy as np
import pytest

integrate = pytest.importorskip("scipy.integrate", reason="SciPy is not installed")

import tapeless as tl  # noqa: E402
from tapeless.errors import GradientError  # noqa: E402
from tapeless.testing import check_grads  # noqa: E402


def integrals(a, b):
    over_a_range = integrate.quad(lambda x: np.exp(-a * x) * x, 0.0, b)[0]
    above = integrate.quad(lambda x, k: np.exp(-k * x * x), a, np.inf, args=(b,))[0]
    everywhere = integrate.quad(lambda x: np.exp(-b * (x - a) ** 2) * x, -np.inf, np.inf)[0]
    below = integrate.quad(lambda x: np.exp(b * x), -np.inf, a)[0]
    return over_a_range * above + everywhere * below


def of_vectors(a, b):
    def pair(x, k):
        return np.array([np.exp(-k * x), np.sin(b * x)])

    both = integrate.quad_vec(pair, a, b, args=(a,))[0]
    return both[0] * both[1] + integrate.quad_vec(lambda x: a * x, 0.0, b)[0]


def double(a, b):
    nested = integrate.dblquad(lambda y, x: a * x * y**2 + b * y, 0.0, a, np.sin, lambda x: b * x)[
        0
    ]
    return nested * integrate.fixed_quad(lambda x: np.exp(-a * x), 0.0, b, n=4)[0]


def hunted(t, y, a):
    return np.array([a * y[0] - y[0] * y[1], y[0] * y[1] - y[1]])


def explicit(a, y0):
    found = integrate.solve_ivp(hunted, (0.0, 2.0), y0, args=(a,), rtol=1e-8, atol=1e-8)
    return found.y[0, -1] * found.y[1, -1]


def at_times(a, end, y0):
    found = integrate.solve_ivp(
        lambda t, y: hunted(t, y, a), (0.0, end), y0, "DOP853", [0.5, 1.0, 0.9 * end], rtol=1e-9
    )
    return np.sum(found.y**2) + found.t[2]


def stiff(k, y0):
    found = integrate.solve_ivp(
        lambda t, y: [-k * y[0] + 0.1 * y[1], k * y[0] - 50.0 * y[1]],
        (0.0, 1.0), y0, method="BDF", t_eval=[0.1, 1.0], rtol=1e-8, atol=1e-10,
    )  # fmt: skip
    return found.y[0, 0] + found.y[1, 1] * 30


def by_odeint(a, y0):
    y = integrate.odeint(lambda y, t: hunted(t, y, a), y0, np.array([0.0, 0.5, 1.3]))
    return np.sum(y**2)


Y0 = np.array([1.0, 0.7])
FUNCTIONS = [
    (integrals, (0.7, 2.0)),
    (of_vectors, (0.7, 2.0)),
    (double, (0.7, 2.0)),
    (explicit, (1.2, Y0)),
    (at_times, (1.2, 2.0, Y0)),
    (stiff, (3.0, Y0)),
    (by_odeint, (1.2, Y0)),
]


@pytest.mark.parametrize(("f", "args"), FUNCTIONS, ids=lambda x: getattr(x, "__name__", ""))
def test_first_order(f, args):
    modes = ("reverse", "forward") if f in (integrals, stiff) else ("reverse",)
    check_grads(f, *args, order=1, rtol=1e-4, modes=modes)


def wave(k, end):
    return integrate.quad(lambda x: np.sin(k * x), 0.0, end)[0]


def test_second_order():
    curvature = tl.grad(tl.grad(wave, wrt="end"), wrt="k")(0.7, 1.5)
    assert np.isclose(curvature, 1.5 * np.cos(0.7 * 1.5))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("low", "high"), [(0.0, 2.0), (2.0, 0.0)])
def test_points_between_which_a_function_is_smooth(low, high):
    """What is integrated jumps at one that moves."""

    def mean(a):
        def ramp(x):
            return a * x if x < a else np.exp(a * x)

        return integrate.quad(ramp, low, high, points=[a, 7.0])[0]

    def exact(a):
        return np.sign(high - low) * (a**3 / 2.0 + (np.exp(2.0 * a) - np.exp(a * a)) / a)

    slope = tl.grad(mean)
    np.testing.assert_allclose(mean(0.7), exact(0.7))
    np.testing.assert_allclose(slope(0.7), tl.grad(exact)(0.7))
    np.testing.assert_allclose(tl.grad(slope)(0.7), tl.grad(tl.grad(exact))(0.7))


def test_second_order_of_solutions():
    slope = tl.value_and_grad(explicit)
    assert slope(1.2, Y0)[0] == explicit(1.2, Y0)
    difference = (slope(1.2 + 1e-4, Y0)[1] - slope(1.2 - 1e-4, Y0)[1]) / 2e-4
    assert np.isclose(tl.grad(tl.grad(explicit))(1.2, Y0), difference, rtol=1e-4)


def test_refusals():
    with pytest.raises(GradientError, match="full_output, weight"):
        tl.grad(lambda a: integrate.quad(np.cos, 0.0, a, weight="sin", wvar=2.0)[0])(2.0)
    with pytest.raises(GradientError, match="singular"):
        tl.grad(lambda a: integrate.quad(lambda x: x**-a, 0.0, 1.0)[0])(0.9)


class Orbit:
    """A solution that is asked for its values later."""

    def __init__(self, a, y0):
        found = integrate.solve_ivp(
            hunted, (1.0, 0.0), y0, args=(a,), rtol=1e-9, atol=1e-9, dense_output=True
        )
        self.path = found.sol

    def sizes(self, times):
        found = np.zeros(len(times))
        for i in range(len(times)):
            found[i] = self.path(times[i])[0]
        return found


def between_steps(a, y0):
    orbit = Orbit(a, y0)
    found = integrate.solve_ivp(
        lambda t, y: hunted(t, y, a),
        (0.0, 1.0),
        y0,
        "RK45",
        [0.2, 0.7],
        rtol=1e-9,
        atol=1e-9,
        dense_output=True,
    )
    several = found.sol(np.array([0.1, 0.4 * y0[0]]))
    return np.sum(orbit.sizes([0.2, 0.75]) ** 2) + np.sum(several[0] * found.y[1])


def test_values_between_steps():
    check_grads(between_steps, 0.8, np.array([1.1, 0.6]), order=1, rtol=1e-5)


@pytest.mark.parametrize("method", ["RK23", "RK45"])
def test_values_between_steps_are_those_of_scipy(method):
    def solution(a):
        found = integrate.solve_ivp(
            hunted, (0.0, 2.0), [1.0, 0.5], method, args=(a,), dense_output=True
        )
        return found.sol(np.array([0.0, 0.33, 1.2, 2.0]))

    np.testing.assert_allclose(tl.jvp(solution, (0.8,), (1.0,))[0], solution(0.8), rtol=1e-12)
