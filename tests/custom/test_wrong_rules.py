"""A wrong rule governs wherever its function is called, and at every order."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.6, -1.4, 2.3, 0.9])


def with_errstate(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = x / (x - 0.1)
        for v in x:
            if v > 2.0:
                return np.sum(y) * v
    return np.sum(y)


@tl.custom_gradient
def log1pexp(x):
    e = np.exp(x)

    def grad(upstream):
        return upstream * (1 - 1 / (1 + e))

    return np.log(1 + e), grad


def naive_log1pexp(x):
    return np.log(1 + np.exp(x))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_example_at_100_in_single_precision():
    x = np.float32(100.0)
    got = tl.grad(log1pexp)(x)
    assert got == 1.0 and np.asarray(got).dtype == np.float32
    assert np.isnan(tl.grad(naive_log1pexp)(x))
    assert tl.grad(log1pexp)(1000.0) == 1.0


@tl.custom_gradient
def wrong_cube(x):
    def grad(upstream):
        return upstream * 10.0 * x

    return x**3, grad


def test_a_wrong_rule_governs_at_every_order():
    # f = h^2 with h' = 10 x by decree: f' = 2 h (10 x), f'' = 2 (10 x)^2 + 20 h
    f = lambda x: wrong_cube(x) ** 2
    x = 1.5
    assert tl.grad(f)(x) == pytest.approx(20.0 * x**4)
    wanted = 200.0 * x**2 + 20.0 * x**3
    assert tl.grad(tl.grad(f))(x) == pytest.approx(wanted)
    assert tl.jvp(tl.grad(f), (x,), (1.0,))[1] == pytest.approx(wanted)
    assert tl.jvp(f, (x,), (1.0,))[1] == pytest.approx(20.0 * x**4)

    def slope(v):
        _, y_dot = tl.jvp(f, (v,), (1.0,))
        return y_dot

    assert tl.grad(slope)(x) == pytest.approx(wanted)


def test_a_wrong_rule_governs_in_loops_and_callees():
    def callee(v):
        return wrong_cube(v)

    def f(x):
        y = x
        for _ in range(2):
            y = callee(y)
        return y

    x = 1.1
    assert tl.grad(f)(x) == pytest.approx(10.0 * x**3 * 10.0 * x)
    # d/dx of (10 h)(10 x) is 100 h + 100 x (10 x)
    assert tl.grad(tl.grad(f))(x) == pytest.approx(100.0 * x**3 + 1000.0 * x**2)


def test_inside_errstate():
    laws.check_function(with_errstate, (X,), smooth=False)


def test_stop_gradient():
    assert tl.grad(lambda x: x * tl.stop_gradient(x))(3.0) == 3.0
    assert tl.jvp(lambda x: x * tl.stop_gradient(x), (3.0,), (1.0,))[1] == 3.0
