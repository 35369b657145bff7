"""Third derivatives, reverse over reverse over reverse, of what keeps values in loops."""

import numpy as np
import pytest

import tapeless as tl

V = np.array([0.5, -0.3, 0.8])


def products(x):
    s = x
    for _ in range(2):
        s = s * s * x
    return s


def softplus(x):
    s = x
    for _ in range(2):
        s = s + np.log(1 + np.exp(s * x))
    return s


def arrays(x):
    s = x * V
    for _ in range(2):
        s = s * s * x + V
    return np.sum(s)


def stores(x):
    s = np.zeros(3)
    for i in range(3):
        s[i] = x * s[i - 1] + np.sin(x * V[i])
    return np.sum(s**2)


def lists(x):
    s = [x, x * x]
    for _ in range(2):
        s.append(s[-1] * s[-2])
    return s[-1]


def branches(x):
    s = x
    for _ in range(3):
        if s > 0.3:
            s = np.sin(s * x)
        else:
            s = s * s + x
    return s * x


def slope(f, x, h=1e-3):
    return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h)


@pytest.mark.parametrize("f", [products, softplus, arrays, stores, lists, branches])
def test_third_derivative(f):
    second = tl.grad(tl.grad(f))
    third = tl.grad(second)(0.7)
    np.testing.assert_allclose(third, slope(second, 0.7), rtol=1e-6)
    np.testing.assert_allclose(tl.jvp(second, (0.7,), (1.0,))[1], third, rtol=1e-12)
