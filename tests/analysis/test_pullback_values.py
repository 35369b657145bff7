"""`tl.vjp` of what varies, inside a differentiated function."""

import numpy as np
import pytest

import tapeless as tl
from tests.test_operators import close, differences

X = np.array([0.4, 1.2])
A = np.array([[1.0, 2.0], [0.5, -1.0], [0.0, 3.0]])


def waves(x):
    return np.sin(x) * x


def plain(x):
    y, pullback = tl.vjp(waves, x)
    return np.sum(pullback(np.ones(2))[0] ** 2) + np.sum(y)


def several(x):
    y, pullback = tl.vjp(lambda a, b: a * b**2, x, 2.0 * x)
    a_bar, b_bar = pullback(y)
    return np.sum(a_bar * b_bar)


def with_a_closure(x):
    scale = x[0] * x[1]

    def scaled(a):
        return A @ a * scale

    y, pullback = tl.vjp(scaled, np.cos(x))
    (first,) = pullback(y)
    return np.sum(first) + np.sum(pullback(np.exp(y))[0] ** 2)


def in_a_loop(x):
    for _ in range(2):
        _, pullback = tl.vjp(waves, x)
        x = x - 0.1 * pullback(x)[0]
    return np.sum(x**2)


def of_a_ufunc(x):
    y, pullback = tl.vjp(np.sin, x)
    return np.sum(pullback(y)[0])


@pytest.mark.parametrize("f", [plain, several, with_a_closure, in_a_loop, of_a_ufunc])
def test_pullbacks_inside_a_differentiated_function(f):
    gradient = tl.grad(f)(X)
    close(gradient, differences(f, X), 1e-6)
    v = np.array([1.0, -0.5])
    y, y_dot = tl.jvp(f, (X,), (v,))
    close(y, f(X))
    close(y_dot, gradient @ v, 1e-9)


def test_second_derivatives_through_pullbacks():
    close(tl.hessian(plain)(X), differences(tl.grad(plain), X), 1e-6)


def of_a_pair(x):
    _, pullback = tl.vjp(lambda a: (a, a * a), x)
    return np.sum(pullback((x, x))[0])


GAIN = tl.Variable(2.0)


def by_keyword(x):
    _, pullback = tl.vjp(waves, x, variables=[GAIN])
    return np.sum(pullback(x)[0][0])


@pytest.mark.parametrize("f", [of_a_pair, by_keyword])
def test_other_pullbacks_are_refused(f):
    with pytest.raises(tl.GradientError, match="vjp") as caught:
        tl.grad(f)(X)
    assert caught.value.filename == __file__
