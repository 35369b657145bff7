"""Sums of lists that may be empty, as the stages of a Runge-Kutta method are."""

import numpy as np
import pytest

from tests import laws

A = [[], [1 / 5], [3 / 40, 9 / 40]]
B = [0.2, 0.3, 0.5]
Y = np.array([1.0, 0.2])

X = np.array([0.3, 0.5, -0.7, 1.1])


def stages(y):
    k = []
    for row in A:
        k.append(np.sin(y + sum((a * ki for a, ki in zip(row, k)), np.zeros_like(y))))
    return np.sum(k[2])


def stages_by_a_loop(y):
    k = []
    for row in A:
        s = np.zeros_like(y)
        for a, ki in zip(row, k):
            s = s + a * ki
        k.append(np.sin(y + s))
    return np.sum(k[2])


def from_zeros(y):
    k = [y, y * 2.0]
    s = sum([a * ki for a, ki in zip([1.0, 2.0], k)], np.zeros_like(y))
    return np.sum(s * s)


def from_nothing(y):
    k = [y, y * 2.0]
    s = sum([a * ki for a, ki in zip([1.0, 2.0], k)])
    return np.sum(s * s)


class Stepper:
    def __init__(s, f):
        s.f = f

    def att(s, y, h):
        k = []
        for row in A:
            k.append(s.f(y + h * sum((a * ki for a, ki in zip(row, k)), np.zeros_like(y))))
        return (y + h * sum((b * ki for b, ki in zip(B, k))), np.linalg.norm(k[0]))


def a_method_with_an_error(y0, mu):
    y, e = Stepper(lambda y: np.array([y[1], -mu * np.sin(y[0])])).att(y0, 0.1)
    return y[0] * y[1]


def vc2(u, f):
    u = np.sin(u + f)
    if u.size <= 2:
        return u
    e = np.zeros_like(u)
    e[::2] = vc2(u[::2], f[::2].copy())
    return u + e


def cycle_with_an_early_return(f):
    return vc2(np.zeros_like(f), f) @ f


CASES = [
    (stages, (X,)),
    (stages_by_a_loop, (X,)),
    (from_zeros, (X,)),
    (from_nothing, (X,)),
    (a_method_with_an_error, (Y, 0.3)),
    (cycle_with_an_early_return, (X,)),
]


@pytest.mark.parametrize("f, args", CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_derivatives(f, args):
    laws.check_orders(f, *args)
