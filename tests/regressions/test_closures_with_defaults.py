"""Local functions with defaults that a function returns, alone or in a list."""

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.3, 0.5, -0.7, 1.1])


def c1f(n, w):
    return [lambda t, k=k: np.exp(-(((t - k) / w) ** 2)) for k in range(n)]


def lambdas_in_a_list(w):
    return sum(f(2.0) for f in c1f(3, w))


def c2f(n, w):
    fs = []
    for k in range(n):

        def f(t, k=k):
            return np.exp(-(((t - k) / w) ** 2))

        fs.append(f)
    return fs


def functions_in_a_list(w):
    return sum(f(2.0) for f in c2f(3, w))


def c3f(n, w):
    fs = []
    for k in range(n):

        def f(t, scale=1.0):
            return scale * np.exp(-(((t - 1) / w) ** 2))

        fs.append(f)
    return fs


def with_a_scale(w):
    return sum(f(2.0) for f in c3f(3, w))


def mk(k, w):

    def f(t, scale=1.0):
        return scale * np.exp(-(((t - k) / w) ** 2))

    return f


def called_with_the_default_and_without(w):
    return mk(1.0, w)(2.0, scale=3.0) + mk(1.0, w)(2.0)


def mk2(k, w):

    def f(t, k=k):
        return np.exp(-(((t - k) / w) ** 2))

    return f


def alone(w):
    return mk2(1.0, w)(2.0)


CASES = [
    (lambdas_in_a_list, (0.7,)),
    (functions_in_a_list, (0.7,)),
    (with_a_scale, (0.7,)),
    (called_with_the_default_and_without, (0.7,)),
    (alone, (0.7,)),
]


@pytest.mark.parametrize("f, args", CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_derivatives(f, args):
    tl.check_grads(f, *args, order=1, replay=True)
