"""Captured arrays that a callee joins with what varies."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.3, -0.7, 0.5])
K = np.array([1.0, 0.0, 2.0])


def joined(x):
    y = np.concatenate([K, x])
    i = int(y[0])
    return y[i:] * 2.0


def chosen(x, first):
    return K if first else x


def one_callee(x):
    return np.sum(joined(x) ** 2)


def in_a_loop(x):
    y = 0.0
    for _ in range(2):
        y += np.sum(joined(x * (y + 1.0)) ** 2)
    return y


def through_two(x):
    def inner(v):
        return joined(v) * v[0]

    return np.sum(inner(x) * inner(K))


def either(x):
    return np.sum(chosen(x, False) * chosen(x, True) * x)


@pytest.mark.parametrize("f", [one_callee, in_a_loop, through_two, either])
def test_joined_with_what_varies(f):
    laws.check_function(f, (X,))


@pytest.mark.parametrize("f", [one_callee, in_a_loop, through_two, either])
def test_gradient_of_a_gradient(f):
    df = tl.grad(f)
    step = 1e-6
    found = tl.grad(lambda x: np.sum(tl.grad(f)(x)))(X)
    sums = [np.sum(df(X + step * e)) - np.sum(df(X - step * e)) for e in np.eye(len(X))]
    np.testing.assert_allclose(found, np.array(sums) / (2.0 * step), rtol=1e-5, atol=1e-6)
